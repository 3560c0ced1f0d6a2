//! Draws the session tree, over everything but the status line or in its pane, with the turn of the selected row beside
//! it where that is wide.

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
use crate::ide::model::age::age;
use crate::session::derived::outline::turn::Turn;
use crate::session::derived::outline::{Filter, Outline, Row};
use crate::tui::canvas::Canvas;
use crate::tui::widgets::markdown;

/// From this width on the turn is beside the rows.
const WIDE: u16 = 90;
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
    ("session.branch", "continue"),
    ("session.search-tree", "search"),
    ("session.undo-turn", "undo turn"),
    ("session.compare", "compare"),
    ("session.go-with-summary", "summary"),
    ("session.label", "label"),
    ("session.fork", "fork"),
    ("session.restore-code", "files"),
    ("session.restore-both", "both"),
    ("session.next-filter", "filter"),
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

/// Returns whether the turn of the selected row is beside the rows at this width.
pub fn has_turn(cols: u16) -> bool {
    cols >= WIDE
}

/// The styles of the tree, which stands over the panes or among them.
pub struct Look {
    ground: Style,
    pub plain: Style,
    pub title: Style,
    pub soft: Style,
    pub faint: Style,
    border: Style,
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
    let end = canvas.text(1, 0, &truncate(&name, room), title);
    let mode = view.and_then(mode).map(|mode| truncate(&mode, room).into_owned());
    if let Some(mode) = mode.filter(|mode| usize::from(end) + text_width(mode) + 2 < usize::from(cols)) {
        canvas.text(cols - text_width(&mode) as u16 - 1, 0, &mode, look.soft);
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
    // Enter on a message of the user goes before it, with its text in the prompt.
    let is_user = view.selected_row().is_some_and(Row::is_user);
    let keys = if view.forest.is_some() { FOREST_KEYS } else { KEYS };
    let scope = view.forest.as_ref().map(|forest| forest.scope);
    let key = |(id, name): &(&str, &'static str)| {
        let name = match (*id, scope) {
            ("list.accept", None) if is_user => "edit",
            // The key that shows the sessions goes back, too.
            ("session.toggle-folder-sessions", Some(Scope::Folder))
            | ("session.toggle-all-sessions", Some(Scope::Everywhere)) => "this session",
            _ => *name,
        };
        Some(format!("{} {name}", keymap.keys_for(KeyContext::SessionTree, id)?))
    };
    let footer = keys.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let inner = frame::draw(canvas, &visible(name), &counts(view), &footer);
    let look = Look::on(canvas, "ui.overlay", "ui.row");
    draw_body(&mut canvas.sub(inner), view, &look);
}

/// Draws the rows, and the turn of the selected one where there is room.
fn draw_body(inside: &mut Canvas<'_>, view: &SessionView, look: &Look) {
    if let Some(forest) = &view.forest {
        return forest_draw::draw(inside, view, forest, look);
    }
    let (cols, rows) = inside.size();
    let Some(outline) = &view.outline else {
        inside.text(1, 0, "reading the session…", look.soft);
        return;
    };
    if view.shown.is_empty() {
        let text = if view.matches.is_some() { "No matches" } else { "No entries" };
        inside.text(1, 0, text, look.soft);
        return;
    }
    let list_cols = if has_turn(cols) && !inside.is_accessible() { cols * 3 / 5 } else { cols };
    {
        let mut list = inside.sub(Rect::new(0, 0, list_cols, rows));
        for (y, index) in view.page(usize::from(rows)).enumerate() {
            draw_row(&mut list, y as u16, (view, outline), (index, index == view.selected), look);
        }
    }
    if list_cols < cols {
        for y in 0..rows {
            inside.text(list_cols, y, "│", look.border);
        }
        let mut side = inside.sub(Rect::new(list_cols + 2, 0, cols - list_cols - 2, rows));
        if let Some(turn) = view.turn.as_ref().filter(|_| view.selected_row().is_some()) {
            draw_turn(&mut side, turn, view.now_ms, look);
        }
    }
}

fn counts(view: &SessionView) -> String {
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
    // What is off the path of the conversation is dimmed.
    let style: Style = if row.active { title } else { look.soft };
    list.text(x, y, glyph(row, here), style);
    if view.marked.as_ref().is_some_and(|(marked, _)| *marked == row.id) {
        list.text(0, y, "=", title);
    }
    let mut right = details(view, row, cols);
    if here && cols >= NARROW {
        right = format!("you are here  {right}");
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

fn draw_turn(side: &mut Canvas<'_>, turn: &Turn, now_ms: u64, look: &Look) {
    let (cols, rows) = side.size();
    let mut y = 0;
    let mut put = |side: &mut Canvas<'_>, text: &str, style: Style| {
        if y < rows {
            side.text(0, y, &truncate(text, usize::from(cols)), style);
            y += 1;
        }
    };
    put(side, &format!("turn {} · {} ago", turn.number, age(now_ms, turn.time_ms)), look.title);
    let mut spent: Vec<String> = turn.models.iter().map(|model| visible(model).into_owned()).collect();
    if turn.usage.cost > 0.0 {
        spent.push(format!("${:.2}", turn.usage.cost));
    }
    if turn.calls > 0 {
        spent.push(format!("{} tool calls", turn.calls));
    }
    if !spent.is_empty() {
        put(side, &spent.join(" · "), look.soft);
    }
    let head = y;
    let changed = if turn.files.is_empty() { 0 } else { rows / 3 };
    let said = rows.saturating_sub(head + changed);
    draw_said(&mut side.sub(Rect::new(0, head, cols, said)), turn, look);
    draw_changes(&mut side.sub(Rect::new(0, head + said, cols, changed)), turn, look);
}

/// Draws the message and the answer as Markdown, at most half the rows for the message.
fn draw_said(side: &mut Canvas<'_>, turn: &Turn, look: &Look) {
    let (cols, rows) = side.size();
    let texts = [(&turn.text, rows / 2), (&turn.answer, rows)];
    let mut y = 0;
    for (text, until) in texts {
        y += 1;
        for line in markdown::layout::prose(text, cols) {
            if y >= until.min(rows) {
                break;
            }
            let mut x = 0;
            for span in line {
                let style = side.style(span.scope);
                // Scopes of the conversation have the background of its pane.
                let style = Style { bg: look.ground.bg, ..style };
                x = side.text(x, y, &visible(&span.text), style);
            }
            y += 1;
        }
    }
}

/// Draws the changed files, each with the lines that its calls changed.
fn draw_changes(side: &mut Canvas<'_>, turn: &Turn, look: &Look) {
    let (cols, rows) = side.size();
    let mut y = 0;
    for file in &turn.files {
        if y >= rows {
            return;
        }
        let path = visible(&file.path).into_owned();
        let head = format!("{path}  −{} +{}", file.removed, file.added);
        side.text(0, y, &truncate(&head, usize::from(cols)), look.title);
        y += 1;
        for line in file.diff.lines() {
            if y >= rows {
                return;
            }
            let style = match line.as_bytes().first() {
                Some(b'+') => side.style("diff.added"),
                Some(b'-') => side.style("diff.removed"),
                _ => look.soft,
            };
            if matches!(line.as_bytes().first(), Some(b'+' | b'-')) {
                side.fill(Rect::new(0, y, cols, 1), style);
            }
            let line = visible(&line.replace('\t', "    ")).into_owned();
            side.text(0, y, &truncate(&line, usize::from(cols)), style);
            y += 1;
        }
    }
}
