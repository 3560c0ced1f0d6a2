//! The line in the title of the session tree in which a search is typed: the tree shows the matches meanwhile.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::width::{text_width, truncate};
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::sessions::events;
use crate::ide::features::sessions::view::{Matches, SessionView};
use crate::ide::model::text_area::TextArea;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;
use crate::tui::input::{Key, KeyCode};

/// Where the text begins, after the sign.
const TEXT_X: u16 = 4;
/// Rows of a page.
const PAGE: isize = 10;

/// The line.
pub struct SearchLine {
    query: TextArea,
    /// Version of the query that was searched for.
    searched: u64,
    /// What was searched for and shown before, for Escape.
    before: (String, Option<Matches>),
    /// Row and width of the pane's title; `None` over the whole screen.
    pane: Option<(u16, u16)>,
}

/// Opens the line over the open tree, with the text of its search.
pub fn open(cx: &mut Cx<'_>) {
    let Some(view) = events::view_of(cx.state) else { return events::open(cx) };
    let matches = view.matches.clone().filter(|_| view.forest.is_none());
    let titles = view.forest.as_ref().and_then(|forest| forest.query.clone());
    let text = titles.or_else(|| matches.as_ref().map(|(text, _)| text.clone())).unwrap_or_default();
    let mut query = TextArea::default();
    query.set(&text, cx.now_ms);
    let searched = query.document.version();
    let is_pane = cx.state.layers.all::<SessionView>().next().is_none();
    let pane = cx.state.areas.session_tree.filter(|_| is_pane).map(|area| (area.y, area.width));
    cx.state.push_layer(SearchLine { query, searched, before: (text, matches), pane });
}

impl Layer for SearchLine {
    fn context(&self) -> KeyContext {
        KeyContext::InputPrompt
    }

    fn is_line(&self) -> bool {
        true
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        let (y, cols) = self.pane.unwrap_or((0, size.0));
        Rect::new(0, y.min(size.1.saturating_sub(1)), cols.min(size.0), 1)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, _: &State) {
        let (cols, _) = canvas.size();
        let (plain, sign) = (canvas.style("ui.overlay"), canvas.style("ui.prompt"));
        canvas.fill(Rect::new(0, 0, cols, 1), plain);
        canvas.text(2, 0, "/", Style { bg: plain.bg, ..sign });
        let text = self.query.text().line(Line(0)).into_owned();
        let end =
            canvas.content(TEXT_X, 0, &truncate(&text, usize::from(cols.saturating_sub(TEXT_X + 2))), plain);
        let hint = "Enter keep  Escape cancel";
        let x = cols.saturating_sub(text_width(hint) as u16 + 2);
        if x > end + 2 {
            let soft = canvas.style("ui.overlay.soft");
            canvas.text(x, 0, hint, soft);
        }
    }

    fn cursor(&self, (cols, _): (u16, u16)) -> Option<(u16, u16)> {
        let before = self.query.text().slice(Byte(0)..self.query.selection.primary().head);
        Some(((TEXT_X + text_width(&before) as u16).min(cols.saturating_sub(1)), 0))
    }

    fn text(&mut self) -> Option<&mut TextArea> {
        Some(&mut self.query)
    }

    fn actions(&self) -> Actions {
        Actions { key, accept: |cx| drop(cx.state.pop_layer()), escape, on_change, ..Actions::default() }
    }
}

/// Moves the selection of the tree below.
fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let by = match key.code {
        KeyCode::Up => -1,
        KeyCode::Down => 1,
        KeyCode::PageUp => -PAGE,
        KeyCode::PageDown => PAGE,
        _ => return false,
    };
    events::with_view(cx, |view| view.step(by));
    true
}

fn on_change(cx: &mut Cx<'_>) {
    let Some(line) = cx.state.layers.top_mut::<SearchLine>() else { return };
    let version = line.query.document.version();
    if std::mem::replace(&mut line.searched, version) == version {
        return;
    }
    let text = line.query.text().to_string();
    events::search(cx, text.trim());
}

/// Shows again what was shown before.
fn escape(cx: &mut Cx<'_>) {
    let Some(line) = cx.state.layers.pop_as::<SearchLine>() else { return };
    cx.state.damage.add_all();
    events::cancel_search(cx, &line.before.0, line.before.1);
}
