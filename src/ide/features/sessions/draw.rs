//! Draws the session tree: everything but the status line, with the turn of the selected row beside it on a
//! wide screen.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::core::layers::frame;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::model::age::age;
use crate::session::derived::outline::turn::Turn;
use crate::session::derived::outline::{Outline, Row};
use crate::tui::canvas::Canvas;
use crate::tui::widgets::markdown;

/// From this width on the turn is beside the rows.
const WIDE: u16 = 90;
/// Below this width only the text of a row is shown.
const NARROW: u16 = 50;
/// From this width of the rows on they have the number of changed files, and the width of that column.
const FILES_FROM: u16 = 50;
const FILES_COLS: usize = 4;
/// The same for the cost of the turn.
const COST_FROM: u16 = 64;
const COST_COLS: usize = 7;
/// The same for its model.
const MODEL_FROM: u16 = 96;
const MODEL_COLS: usize = 18;
/// The width of ages.
const AGE_COLS: usize = 3;
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
    ("app.keys", "keys"),
    ("app.escape", "close"),
];

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Returns the number of rows that fit.
pub fn height(size: (u16, u16)) -> usize {
    usize::from(view_area(size).height.saturating_sub(2)).max(1)
}

/// Draws the tree.
pub fn draw(canvas: &mut Canvas<'_>, view: &SessionView, keymap: &Keymap) {
    let name = view.name.as_deref().unwrap_or("Session");
    // Enter on a message of the user goes before it, with its text in the prompt.
    let is_user = view.selected_row().is_some_and(Row::is_user);
    let key = |(id, name): &(&str, &'static str)| {
        let name = if *id == "list.accept" && is_user { "edit" } else { *name };
        Some(format!("{} {name}", keymap.keys_for(KeyContext::SessionTree, id)?))
    };
    let footer = KEYS.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let inner = frame::draw(canvas, &visible(name), &counts(view), &footer);
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    let Some(outline) = &view.outline else {
        let soft = inside.style("ui.overlay.soft");
        inside.text(1, 0, "reading the session…", soft);
        return;
    };
    if view.shown.is_empty() {
        let soft = inside.style("ui.overlay.soft");
        let text = if view.matches.is_some() { "No matches" } else { "No entries" };
        inside.text(1, 0, text, soft);
        return;
    }
    let list_cols = if cols >= WIDE { cols * 3 / 5 } else { cols };
    {
        let mut list = inside.sub(Rect::new(0, 0, list_cols, rows));
        for (y, index) in view.page(usize::from(rows)).enumerate() {
            draw_row(&mut list, y as u16, view, outline, index);
        }
    }
    if list_cols < cols {
        let border = inside.style("ui.overlay.border");
        for y in 0..rows {
            inside.text(list_cols, y, "│", border);
        }
        let mut side = inside.sub(Rect::new(list_cols + 2, 0, cols - list_cols - 2, rows));
        if let Some(turn) = view.turn.as_ref().filter(|_| view.selected_row().is_some()) {
            draw_turn(&mut side, turn, view.now_ms);
        }
    }
}

fn counts(view: &SessionView) -> String {
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

fn draw_row(list: &mut Canvas<'_>, y: u16, view: &SessionView, outline: &Outline, index: usize) {
    let Some((at, row)) = view.row(index) else { return };
    let (cols, _) = list.size();
    let (soft, title) = (list.style("ui.overlay.soft"), list.style("ui.overlay.title"));
    let branch = list.style("ui.overlay.border");
    let lanes = lanes(outline, row);
    list.text(1, y, &lanes, branch);
    let x = 1 + text_width(&lanes) as u16;
    // What is off the path of the conversation is dimmed.
    let style: Style = if row.active { title } else { soft };
    list.text(x, y, glyph(row), style);
    if view.marked.as_ref().is_some_and(|(marked, _)| *marked == row.id) {
        list.text(0, y, "=", title);
    }
    let here = outline.leaf_row == Some(at);
    let mut right = details(view, row, cols);
    if here && cols >= NARROW {
        right = format!("you are here  {right}");
    }
    if view.is_folded(row) {
        right = format!("⋯ {}  {right}", row.descendants);
    }
    let right_width = text_width(&right) as u16;
    let label = row.label.as_ref().map(|label| format!("⚑ {} ", visible(label))).unwrap_or_default();
    let room = usize::from(cols.saturating_sub(x + right_width + 4));
    let label = truncate(&label, room).into_owned();
    list.text(x + 2, y, &label, title);
    let words = visible(view.text_of(row).unwrap_or("…")).into_owned();
    let remaining = room.saturating_sub(text_width(&label));
    list.text(x + 2 + text_width(&label) as u16, y, &truncate(&words, remaining), style);
    if cols > right_width + x + 3 {
        let faint = list.style("ui.overlay.faint");
        list.text(cols - right_width - 1, y, &right, faint);
    }
    if index == view.selected {
        let style = list.style("ui.row");
        list.put_style(Rect::new(0, y, cols, 1), style);
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
fn glyph(row: &Row) -> &'static str {
    match (&*row.kind, row.active) {
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

fn draw_turn(side: &mut Canvas<'_>, turn: &Turn, now_ms: u64) {
    let (cols, rows) = side.size();
    let (soft, title) = (side.style("ui.overlay.soft"), side.style("ui.overlay.title"));
    let mut y = 0;
    let mut put = |side: &mut Canvas<'_>, text: &str, style: Style| {
        if y < rows {
            side.text(0, y, &truncate(text, usize::from(cols)), style);
            y += 1;
        }
    };
    put(side, &format!("turn {} · {} ago", turn.number, age(now_ms, turn.time_ms)), title);
    let mut spent: Vec<String> = turn.models.iter().map(|model| visible(model).into_owned()).collect();
    if turn.usage.cost > 0.0 {
        spent.push(format!("${:.2}", turn.usage.cost));
    }
    if turn.calls > 0 {
        spent.push(format!("{} tool calls", turn.calls));
    }
    if !spent.is_empty() {
        put(side, &spent.join(" · "), soft);
    }
    let head = y;
    let changed = if turn.files.is_empty() { 0 } else { rows / 3 };
    let said = rows.saturating_sub(head + changed);
    draw_said(&mut side.sub(Rect::new(0, head, cols, said)), turn);
    draw_changes(&mut side.sub(Rect::new(0, head + said, cols, changed)), turn);
}

/// Draws the message and the answer as Markdown, at most half the rows for the message.
fn draw_said(side: &mut Canvas<'_>, turn: &Turn) {
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
                let style = Style { bg: side.style("ui.overlay").bg, ..style };
                x = side.text(x, y, &visible(&span.text), style);
            }
            y += 1;
        }
    }
}

/// Draws the changed files, each with the lines that its calls changed.
fn draw_changes(side: &mut Canvas<'_>, turn: &Turn) {
    let (cols, rows) = side.size();
    let title = side.style("ui.overlay.title");
    let soft = side.style("ui.overlay.soft");
    let mut y = 0;
    for file in &turn.files {
        if y >= rows {
            return;
        }
        let path = visible(&file.path).into_owned();
        let head = format!("{path}  −{} +{}", file.removed, file.added);
        side.text(0, y, &truncate(&head, usize::from(cols)), title);
        y += 1;
        for line in file.diff.lines() {
            if y >= rows {
                return;
            }
            let style = match line.as_bytes().first() {
                Some(b'+') => side.style("diff.added"),
                Some(b'-') => side.style("diff.removed"),
                _ => soft,
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
