//! Draws the session tree, over everything but the status line or in its pane, with the turn of the selected row beside
//! or below it where there is room, and a line that says what the keys do for that row.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::sessions::forest::Scope;
use crate::ide::features::sessions::forest_draw;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::features::sessions::{hint, preview};
use crate::ide::model::age::age;
use crate::session::derived::outline::{Filter, Outline, Row};
use crate::tui::canvas::Canvas;

/// Below this width only the text of a row is shown.
pub const NARROW: u16 = 50;
/// From this width of the rows on they have the number of changed files, and the width of that column.
pub const FILES_FROM: u16 = 50;
const FILES_COLS: usize = 4;
/// The same for the cost of the turn.
pub const COST_FROM: u16 = 64;
pub const COST_COLS: usize = 7;
/// The same for its model.
const MODEL_FROM: u16 = 96;
const MODEL_COLS: usize = 18;
/// The width of ages.
pub const AGE_COLS: usize = 3;
/// Maximum number of lanes drawn; deeper rows are drawn at this depth.
const LEVELS_MAX: u32 = 16;
/// Keys in the footer, with short descriptions.
const KEYS: &[(&str, &str)] = &[
    ("list.accept", "go"),
    ("session.branch", "new branch"),
    ("session.next-filter", "filter"),
    ("session.search-tree", "search"),
    ("session.undo-turn", "undo turn"),
    ("session.compare", "compare"),
    ("session.go-with-summary", "summary"),
    ("session.label", "label"),
    ("session.fork", "fork"),
    ("session.restore-code", "files"),
    ("session.restore-both", "both"),
    ("session.fold", "fold"),
    ("session.toggle-hidden", "hide"),
    ("session.toggle-folder-sessions", "all sessions"),
    ("app.keys", "keys"),
    ("app.escape", "close"),
];

/// The same while other sessions are shown.
const FOREST_KEYS: &[(&str, &str)] = &[
    ("list.accept", "open"),
    ("session.branch", "resume"),
    ("session.search-tree", "search titles"),
    ("session.toggle-folder-sessions", "folder"),
    ("session.toggle-all-sessions", "all folders"),
    ("session.next-filter", "filter"),
    ("app.keys", "keys"),
    ("app.escape", "close"),
];

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Returns the part of an area inside its frame.
pub fn body(area: Rect) -> Rect {
    frame::inner(area)
}

/// Returns the part of a pane below its title.
pub fn pane_body(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// Returns the part of a size inside the frame that is left for the tree and the turn: not that of the words about the
/// selected row.
pub fn without_hint(view: &SessionView, (cols, rows): (u16, u16)) -> (u16, u16) {
    let hint = if view.forest.is_some() { 0 } else { hint::height((cols, rows)) };
    (cols, rows - hint)
}

/// Returns the number of lines of the tree in a size.
pub fn list_rows(view: &SessionView, size: (u16, u16), is_accessible: bool) -> u16 {
    if view.forest.is_some() { size.1 } else { preview::split(size, is_accessible).list.height }
}

/// The styles of the tree, which stands over the panes or among them.
pub struct Look {
    pub ground: Style,
    pub plain: Style,
    pub title: Style,
    pub soft: Style,
    pub faint: Style,
    pub border: Style,
    selected: Style,
}

impl Look {
    /// Returns the styles on a ground.
    fn on(canvas: &Canvas<'_>, ground: &'static str, selected: &'static str) -> Self {
        let ground = canvas.style(ground);
        let style = |scope| Style { bg: ground.bg, ..canvas.style(scope) };
        Self {
            ground,
            plain: style("ui.overlay"),
            title: style("ui.overlay.title"),
            soft: style("ui.overlay.soft"),
            faint: style("ui.overlay.faint"),
            border: style("ui.overlay.border"),
            selected: canvas.style(selected),
        }
    }
}

/// Draws the pane: a title, and the tree once there is one.
pub fn draw_pane(canvas: &mut Canvas<'_>, view: Option<&SessionView>, state: &State) {
    let (cols, rows) = canvas.size();
    let is_focused = state.panes.focus == Focus::SessionTree;
    let look = Look::on(canvas, "ui.panel", if is_focused { "ui.row" } else { "ui.row.soft" });
    canvas.fill(Rect::new(0, 0, cols, rows), look.ground);
    let title = canvas.style(if is_focused { "ui.title.focus" } else { "ui.title" });
    let name = visible(state.agent.name.as_deref().unwrap_or("Session tree"));
    let room = usize::from(cols).saturating_sub(2);
    // What is missing in the tree because of it is named before the session.
    let mode = view.and_then(mode).map(|mode| truncate(&mode, room).into_owned());
    let taken = mode.as_ref().map_or(0, |mode| text_width(mode) + 1);
    canvas.text(1, 0, &truncate(&name, room.saturating_sub(taken)), title);
    if let Some(mode) = mode {
        canvas.text(cols.saturating_sub(text_width(&mode) as u16 + 1), 0, &mode, look.soft);
    }
    let mut inside = canvas.sub(pane_body(Rect::new(0, 0, cols, rows)));
    match view {
        Some(view) => draw_body(&mut inside, view, &look),
        None => {
            inside.text(1, 0, "Session is starting", look.soft);
        }
    }
}

/// Returns what is searched for, or a filter other than the usual one.
fn mode(view: &SessionView) -> Option<String> {
    if let Some(forest) = &view.forest {
        return Some(forest_draw::mode(forest));
    }
    match &view.matches {
        Some((text, _)) => Some(format!("search: {}", visible(text))),
        None => (view.filter != Filter::default()).then(|| view.filter.name().to_string()),
    }
}

/// Draws the tree over the panes.
pub fn draw(canvas: &mut Canvas<'_>, view: &SessionView, state: &State) {
    let (name, keymap) = (state.agent.name.as_deref().unwrap_or("Session"), &state.keymap);
    let area = body(Rect::new(0, 0, canvas.size().0, canvas.size().1));
    let hint = hint::lines(view, keymap, (area.width, area.height));
    let keys = if view.forest.is_some() { FOREST_KEYS } else { KEYS };
    let scope = view.forest.as_ref().map(|forest| forest.scope);
    let point = view.selected_row().map(hint::Point::of);
    let hides = |is_hidden: fn(&SessionView, &Row) -> bool| {
        view.selected_row().is_some_and(|row| is_hidden(view, row))
    };
    let (is_hidden, is_branch_hidden) = (hides(SessionView::is_hidden), hides(SessionView::is_branch_hidden));
    let key = |(id, name): &(&str, &'static str)| {
        let name = match (*id, scope, point) {
            // Both show what the row stands for.
            ("list.accept", None, _) if is_hidden => "show",
            ("session.toggle-hidden", None, _) if is_branch_hidden => "show",
            ("list.accept", None, Some(point)) => point.enter(),
            // The line above it has them.
            ("session.branch" | "session.restore-code" | "session.restore-both", None, _)
                if !hint.is_empty() =>
            {
                return None;
            }
            // The key that shows the sessions goes back, too.
            ("session.toggle-folder-sessions", Some(Scope::Folder), _)
            | ("session.toggle-all-sessions", Some(Scope::Everywhere), _) => "this session",
            _ => *name,
        };
        Some(format!("{} {name}", keymap.keys_for(KeyContext::SessionTree, id)?))
    };
    let footer = keys.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let room = usize::from(area.width).saturating_sub(text_width(name) + 8);
    let inner = frame::draw(canvas, &visible(name), &counts(view, room), &footer);
    let look = Look::on(canvas, "ui.overlay", "ui.row");
    let mut inside = canvas.sub(inner);
    let (width, above) = without_hint(view, (inner.width, inner.height));
    for (y, line) in (above..).zip(&hint) {
        inside.text(1, y, line, look.soft);
    }
    draw_body(&mut inside.sub(Rect::new(0, 0, width, above)), view, &look);
}

/// Draws the rows, and the turn of the selected one where there is room.
fn draw_body(inside: &mut Canvas<'_>, view: &SessionView, look: &Look) {
    if let Some(forest) = &view.forest {
        return forest_draw::draw(inside, view, forest, look);
    }
    let Some(outline) = &view.outline else {
        inside.text(1, 0, "reading the session…", look.soft);
        return;
    };
    if view.shown.is_empty() {
        let text = if view.matches.is_some() { "No matches" } else { "No entries" };
        inside.text(1, 0, text, look.soft);
        return;
    }
    let split = preview::split(inside.size(), inside.is_accessible());
    {
        let mut list = inside.sub(split.list);
        for (y, index) in view.page(usize::from(split.list.height)).enumerate() {
            draw_row(&mut list, y as u16, (view, outline), (index, index == view.selected), look);
        }
    }
    preview::draw(inside, &split, view, look);
}

/// Returns how much there is and which filter applies, the latter also where there is no room for the rest.
fn counts(view: &SessionView, room: usize) -> String {
    if let Some(forest) = &view.forest {
        return forest_draw::counts(forest);
    }
    let Some(outline) = &view.outline else { return String::new() };
    let mut parts = vec![pluralize(outline.turns, "turn", "turns")];
    if outline.leaf_count > 1 {
        parts.push(pluralize(outline.leaf_count, "branch", "branches"));
    }
    match &view.matches {
        Some((text, _)) => parts.push(format!("search: {}", visible(text))),
        None => parts.push(format!("filter: {}", view.filter.name())),
    }
    while parts.len() > 1 && text_width(&parts.join("  ")) > room {
        parts.remove(0);
    }
    parts.join("  ")
}

/// Draws a row of a session, by its index among the shown ones.
pub fn draw_row(
    list: &mut Canvas<'_>,
    y: u16,
    (view, outline): (&SessionView, &Outline),
    (index, is_selected): (usize, bool),
    look: &Look,
) {
    let Some((at, row)) = view.row(index) else { return };
    let (cols, _) = list.size();
    let (title, here) = (look.title, view.is_here(at));
    let lanes = lanes(outline, row);
    list.text(1, y, &lanes, look.border);
    let x = 1 + text_width(&lanes) as u16;
    // What is off the path of the conversation is dimmed; on it the messages of the user stand out.
    let style: Style = match (row.active, row.is_answer()) {
        (false, _) => look.soft,
        (true, true) => look.plain,
        (true, false) => title,
    };
    list.text(x, y, glyph(row, here), style);
    if view.marked.as_ref().is_some_and(|(marked, _)| *marked == row.id) {
        list.text(0, y, "=", title);
    }
    let mut right = details(view, row, cols);
    if let Some(position) = view.position_at((index, at)).filter(|_| cols >= NARROW) {
        right = format!("{position}  {right}");
    }
    if view.is_branch_hidden(row) && !view.is_hidden(row) {
        right = format!("hidden  {right}");
    }
    if view.is_folded(row) {
        let sign = if list.is_accessible() { "collapsed" } else { "⋯" };
        right = format!("{sign} {}  {right}", row.descendants);
    }
    let right_width = text_width(&right) as u16;
    let end = cols.saturating_sub(right_width + 2);
    let mut put = |text: &str, x: u16, style: Style| {
        list.text(x, y, &truncate(text, usize::from(end.saturating_sub(x))), style)
    };
    let mut x = x + 2;
    if view.is_hidden(row) {
        let count = pluralize(row.descendants + 1, "entry", "entries");
        put(&format!("… {count} hidden"), x, look.faint);
        return finish_row(list, y, is_selected, look);
    }
    if let Some(label) = &row.label {
        x = put(&format!("⚑ {}", visible(label)), x, title);
        x = put(" · ", x, look.faint);
    }
    put(&visible(view.text_of(row).unwrap_or("…")), x, style);
    if cols > right_width + x + 3 {
        list.text(cols - right_width - 1, y, &right, look.faint);
    }
    finish_row(list, y, is_selected, look);
}

/// Marks a row if it is the selected one.
pub fn finish_row(list: &mut Canvas<'_>, y: u16, is_selected: bool, look: &Look) {
    let (cols, _) = list.size();
    if is_selected {
        list.select_row(Rect::new(0, y, cols, 1), look.selected);
    }
}

/// Returns the columns at the right of a row: changed files, model and cost of its turn, as far as there is room,
/// and its age.
fn details(view: &SessionView, row: &Row, cols: u16) -> String {
    let summary = view.summary_of(row);
    let mut columns = String::new();
    let mut column = |from: u16, width: usize, text: String| {
        if cols >= from {
            let text = truncate(&visible(&text), width).into_owned();
            columns.push_str(&" ".repeat(width.saturating_sub(text_width(&text))));
            columns.push_str(&text);
            columns.push_str("  ");
        }
    };
    let files = summary.map_or(0, |summary| summary.files);
    column(FILES_FROM, FILES_COLS, if files > 0 { format!("±{files}") } else { String::new() });
    column(MODEL_FROM, MODEL_COLS, summary.and_then(|summary| summary.model.clone()).unwrap_or_default());
    let cost = summary.map_or(0.0, |summary| summary.cost);
    column(COST_FROM, COST_COLS, if cost > 0.0 { format!("${cost:.2}") } else { String::new() });
    columns.push_str(&format!("{:>AGE_COLS$}", age(view.now_ms, row.time_ms)));
    columns
}

/// Returns the symbol of a row in its lane.
fn glyph(row: &Row, is_here: bool) -> &'static str {
    match (&*row.kind, row.active) {
        _ if is_here => "◉",
        ("compaction" | "branch_summary", _) => "◇",
        (_, true) if row.is_answer() => "•",
        (_, false) if row.is_answer() => "◦",
        (_, true) => "●",
        (_, false) => "○",
    }
}

/// Returns the lanes before a row, two columns each. The outermost has no symbol if it is the only one.
fn lanes(outline: &Outline, row: &Row) -> String {
    let mut signs = Vec::new();
    let mut next = Some(row.lane);
    while let Some(at) = next {
        let lane = &outline.lanes[at as usize];
        let own = at == row.lane && row.starts;
        let only = lane.level == 0 && lane.last && at == 0;
        if lane.level < LEVELS_MAX && !only {
            signs.push(match (own, lane.last) {
                (true, true) => "└─",
                (true, false) => "├─",
                (false, true) => "  ",
                (false, false) => "│ ",
            });
        }
        next = lane.from;
    }
    signs.into_iter().rev().collect()
}
