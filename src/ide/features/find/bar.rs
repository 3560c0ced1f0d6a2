//! The bar of find and replace: a layer over the last rows, with a row for the query and, if wanted, one for the
//! replacement. Must not know how a text is searched.

use ratatui::layout::{Position, Rect};

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::find::state::{FIND, Origin, Step};
use crate::ide::features::find::{draw, preview, search};
use crate::ide::model::text_area::TextArea;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};
use crate::tui::canvas::Canvas;

/// A row of the bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The query.
    Query,
    /// The replacement.
    Replacement,
}

/// The bar.
pub struct FindBar {
    /// What is searched for.
    pub query: TextArea,
    /// What matches are replaced by.
    pub replacement: TextArea,
    /// Whether the row of the replacement is shown.
    pub is_replacing: bool,
    /// The row with the keys.
    pub field: Field,
    /// The number of matches, or why there is none.
    pub note: String,
    /// Whether a step was taken: Escape then leaves the caret where it is.
    pub was_used: bool,
    /// Versions of both texts that were last processed.
    handled: (u64, u64),
}

impl FindBar {
    /// Opens the bar over the shown file, with initial texts that typing replaces.
    pub fn open(cx: &mut Cx<'_>, query: &str, is_replacing: bool) {
        let Some(buffer) = cx.state.buffers.current() else { return };
        let from = buffer.area.selection.primary().start();
        let origin = Origin { buffer: buffer.id, selection: buffer.area.selection.clone(), from };
        let find = &mut cx.state.slots[FIND];
        find.origin = Some(origin);
        find.is_closed_early = false;
        let mut bar = Self {
            query: TextArea::default(),
            replacement: TextArea::default(),
            is_replacing,
            field: Field::Query,
            note: String::new(),
            was_used: false,
            handled: (0, 0),
        };
        bar.query.set(query, cx.now_ms);
        bar.replacement.set(&find.replacement, cx.now_ms);
        select_all(&mut bar.query);
        select_all(&mut bar.replacement);
        bar.handled = bar.versions();
        cx.state.push_layer(bar);
        search::search_incrementally(cx);
    }

    /// Returns the text of the replacement.
    pub fn replacement_text(&self) -> String {
        self.replacement.text().to_string()
    }

    /// Returns the replacement that is shown beside the matches, once there is one.
    pub fn previewed(&self) -> Option<String> {
        let is_wanted = self.field == Field::Replacement || self.replacement.text().end() > Byte(0);
        (self.is_replacing && is_wanted).then(|| self.replacement_text())
    }

    /// Gives a row the keys.
    pub fn focus(&mut self, field: Field) {
        self.field = field;
        self.is_replacing |= field == Field::Replacement;
        select_all(self.area_mut());
    }

    fn area_mut(&mut self) -> &mut TextArea {
        match self.field {
            Field::Query => &mut self.query,
            Field::Replacement => &mut self.replacement,
        }
    }

    fn versions(&self) -> (u64, u64) {
        (self.query.document.version(), self.replacement.document.version())
    }
}

/// Selects a text, so that typing replaces it.
fn select_all(area: &mut TextArea) {
    let all = Range::new(Byte(0), area.text().end());
    area.select(Selection::single(all));
}

impl Layer for FindBar {
    fn context(&self) -> KeyContext {
        KeyContext::Find
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::area(size, self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn cursor(&self, size: (u16, u16)) -> Option<(u16, u16)> {
        Some(draw::cursor(self, size))
    }

    fn text(&mut self) -> Option<&mut TextArea> {
        Some(self.area_mut())
    }

    fn keeps_caret_clear(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions { click, step: step_history, accept, on_change, escape: close, ..Actions::default() }
    }
}

/// Handles a click: the row of a text gets the keys, and the caret goes where the click is.
fn click(cx: &mut Cx<'_>, at: Position) {
    let size = cx.state.size;
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return };
    let Some((field, to)) = draw::place_at(bar, size, at) else { return };
    bar.field = field;
    bar.area_mut().select(Selection::single(Range::cursor(to)));
    cx.state.damage.add(Part::Overlay);
}

/// Handles Enter: goes to the next match, in the row of the replacement after replacing this one.
fn accept(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top::<FindBar>() else { return };
    let step = if bar.field == Field::Replacement { Step::Replace } else { Step::Next };
    go(cx, step);
}

/// Takes a step for what is typed.
pub fn go(cx: &mut Cx<'_>, step: Step) {
    remember(cx.state);
    let Some(bar) = cx.state.layers.top_mut::<FindBar>().filter(|bar| bar.query.text().end() > Byte(0))
    else {
        return;
    };
    bar.was_used = true;
    search::step(cx, step);
}

/// Records what is typed: for the history, for the next time, and for searches without the bar.
pub fn remember(state: &mut State) {
    let Some(bar) = state.layers.all::<FindBar>().next() else { return };
    let (query, replacement) = (bar.query.text().to_string(), bar.replacement_text());
    let find = &mut state.slots[FIND];
    find.queries.add(&query);
    if bar.is_replacing {
        find.replacements.add(&replacement);
        find.replacement = replacement;
    }
    if !query.is_empty() {
        state.search.last = Some(query);
    }
}

/// Reacts to what was typed.
fn on_change(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return };
    let now = bar.versions();
    let before = std::mem::replace(&mut bar.handled, now);
    if before.0 != now.0 {
        cx.state.slots[FIND].queries.leave();
        // Steps from a match of another query mean nothing for this one.
        cx.state.slots[FIND].queued.clear();
        search::search_incrementally(cx);
    } else if before.1 != now.1 {
        cx.state.slots[FIND].replacements.leave();
        search::preview_again(cx);
    }
}

/// Shows an older or newer text of the row.
fn step_history(cx: &mut Cx<'_>, by: isize) {
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return };
    let find = &mut cx.state.slots[FIND];
    let area = bar.area_mut();
    let typed = area.text().to_string();
    let is_query = bar.field == Field::Query;
    let history = if is_query { &mut find.queries } else { &mut find.replacements };
    let Some(text) = history.step(by.signum(), &typed) else { return };
    bar.area_mut().set(&text, cx.now_ms);
    bar.handled = bar.versions();
    cx.state.damage.add(Part::Overlay);
    if is_query {
        cx.state.slots[FIND].queued.clear();
        search::search_incrementally(cx);
    } else {
        search::preview_again(cx);
    }
}

/// Handles Escape: the caret stays at the match, and the match is no longer selected, so that typing deletes nothing.
/// Without a match the selection is the one from before.
fn close(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top::<FindBar>() else { return };
    let (is_empty, was_used) = (bar.query.text().end() == Byte(0), bar.was_used);
    let current = search::match_at_caret(cx.state).map(|found| found.range.end);
    let is_running = cx.state.slots[FIND].is_running();
    if current.is_some() || is_running {
        remember(cx.state);
        note_jump(cx);
    }
    cx.state.pop_layer();
    preview::clear(cx.state);
    match current {
        _ if is_running && !is_empty => cx.state.slots[FIND].is_closed_early = true,
        Some(end) => place_caret(cx.state, Some(end)),
        None if was_used => {
            cx.state.search.highlight = None;
            place_caret(cx.state, None);
        }
        None => search::cancel(cx),
    }
}

/// Drops the selection in key maps in which typing would delete it; the caret goes to a position, or stays.
fn place_caret(state: &mut State, at: Option<Byte>) {
    let is_harmless = search::keeps_selection(state);
    if let Some(buffer) = state.buffers.current_mut().filter(|_| !is_harmless) {
        let at = at.unwrap_or(buffer.area.selection.primary().head);
        buffer.area.select(Selection::cursor(at));
    }
}

/// Records where the search began, to jump back to.
fn note_jump(cx: &mut Cx<'_>) {
    let current = cx.state.buffers.current().map(|buffer| buffer.id);
    let origin = cx.state.slots[FIND].origin.as_ref().filter(|origin| Some(origin.buffer) == current);
    if let Some(at) = origin.map(|origin| origin.selection.primary().head) {
        cx.state.jumps.push(&mut cx.state.buffers, at, cx.state.text_options.tab_width);
    }
}
