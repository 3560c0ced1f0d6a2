//! Draws other sessions in the session tree: a line for each, and below an open one its rows. Must not know how rows are
//! drawn.

use std::path::Path;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::features::sessions::draw::{
    AGE_COLS, COST_COLS, COST_FROM, FILES_FROM, Look, NARROW, draw_row, finish_row,
};
use crate::ide::features::sessions::forest::{Forest, Root, Scope};
use crate::ide::features::sessions::view::SessionView;
use crate::ide::model::age::age;
use crate::tui::canvas::Canvas;

/// Columns by which rows stand behind the line of their session.
const INDENT: u16 = 2;
/// Columns of the number of messages.
const MESSAGES_COLS: usize = 13;

/// Returns which sessions are shown.
pub fn mode(forest: &Forest) -> String {
    match (&forest.query, forest.scope) {
        (Some(text), _) => format!("search: {}", visible(text)),
        (None, Scope::Folder) => "sessions of this folder".to_string(),
        (None, Scope::Everywhere) => "sessions of all folders".to_string(),
    }
}

/// Returns how many sessions there are, how many cannot be read, and which they are.
pub fn counts(forest: &Forest) -> String {
    let broken = forest.roots().iter().filter(|root| root.file.error.is_some()).count();
    let mut parts = vec![pluralize(forest.roots().len() as u64, "session", "sessions")];
    if broken > 0 {
        parts.push(format!("{broken} broken"));
    }
    parts.push(mode(forest));
    parts.join("  ")
}

/// Draws the lines on the page with the selected one.
pub fn draw(inside: &mut Canvas<'_>, view: &SessionView, forest: &Forest, look: &Look) {
    let (cols, rows) = inside.size();
    if forest.roots.is_none() || forest.is_empty() {
        let text = if forest.roots.is_none() { "reading the sessions…" } else { "No sessions" };
        inside.text(1, 0, text, look.soft);
        return;
    }
    let selected = forest.selected();
    for (y, index) in view.page(usize::from(rows)).enumerate() {
        let Some((number, row)) = forest.line(index) else { continue };
        let (root, y, is_selected) = (&forest.roots()[number], y as u16, index == selected);
        let (Some(row), Some(body)) = (row, &root.body) else {
            draw_root(inside, y, (forest, root), look);
            finish_row(inside, y, is_selected, look);
            continue;
        };
        if let Some(outline) = body.outline.as_ref().filter(|_| !body.shown.is_empty()) {
            let mut below = inside.sub(Rect::new(INDENT, y, cols.saturating_sub(INDENT), 1));
            // The whole line is marked below.
            draw_row(&mut below, 0, (body, outline), (row, false), look);
        } else {
            let known = if body.outline.is_some() { "No entries" } else { "reading the session…" };
            let text = visible(root.problem.as_deref().unwrap_or(known));
            let width = usize::from(cols.saturating_sub(INDENT + 3));
            inside.text(INDENT + 2, y, &truncate(&text, width), look.soft);
        }
        finish_row(inside, y, is_selected, look);
    }
}

/// Returns the columns at the right of a session: messages, cost and age, as far as there is room.
fn details(forest: &Forest, root: &Root, cols: u16) -> String {
    let file = &root.file;
    if file.error.is_some() {
        return String::new();
    }
    let mut columns = String::new();
    if let Some(problem) = root.problem.as_ref().filter(|_| root.tree.is_some()) {
        columns.push_str(&format!("✗ {problem}  "));
    }
    if forest.is_current(root) && cols >= NARROW {
        columns.push_str("you are here  ");
    }
    if cols >= FILES_FROM {
        let messages = pluralize(file.messages, "message", "messages");
        columns.push_str(&format!("{messages:>MESSAGES_COLS$}  "));
    }
    if cols >= COST_FROM {
        let cost = if file.cost > 0.0 { format!("${:.2}", file.cost) } else { String::new() };
        columns.push_str(&format!("{cost:>COST_COLS$}  "));
    }
    columns.push_str(&format!("{:>AGE_COLS$}", age(forest.now_ms, file.active_ms)));
    columns
}

/// Draws the line of a session: its title, its folder if that is not this one, what cannot be read.
fn draw_root(list: &mut Canvas<'_>, y: u16, (forest, root): (&Forest, &Root), look: &Look) {
    let (cols, _) = list.size();
    let file = &root.file;
    let is_accessible = list.is_accessible();
    let right = details(forest, root, cols);
    let end = cols.saturating_sub(text_width(&right) as u16 + 2);
    let mut put = |text: &str, x: u16, style: Style| {
        list.text(x, y, &truncate(&visible(text), usize::from(end.saturating_sub(x))), style)
    };
    let (sign, words) = match (&file.error, &root.body) {
        (Some(_), _) => ("✗", "broken: "),
        (None, Some(_)) => ("▾", "expanded: "),
        (None, None) => ("▸", "collapsed: "),
    };
    let (sign, words) = if is_accessible { ("", words) } else { (sign, "") };
    let style = match (&file.error, forest.is_current(root)) {
        (Some(_), _) => look.soft,
        (None, true) => look.title,
        (None, false) => look.plain,
    };
    put(sign, 1, style);
    let mut x = put(&format!("{words}{}", file.title), 3, style);
    if forest.scope == Scope::Everywhere
        && let Some(folder) = Path::new(&file.cwd).file_name()
    {
        x = put(&format!("  {}", folder.to_string_lossy()), x, look.faint);
    }
    if let Some(error) = &file.error {
        put(&format!("  {error}"), x, look.soft);
    }
    if end > 3 {
        list.text(end + 1, y, &right, look.faint);
    }
}
