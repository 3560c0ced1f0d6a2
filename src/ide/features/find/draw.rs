//! Draws the bar. Must not change it.

use ratatui::layout::{Position, Rect};

use crate::base::width::{graphemes, text_width, truncate};
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::find::bar::{Field, FindBar};
use crate::ide::model::text_area::TextArea;
use crate::text::position::{Byte, Line};
use crate::text::search::{CaseMatching, SearchOptions};
use crate::text::selection::Range;
use crate::tui::canvas::Canvas;

/// Maximum width of the bar.
const COLS: u16 = 100;
/// Narrower bars have neither names of rows nor switches beside the query.
const LABEL_COLS: u16 = 60;
/// Cells of the name of a row.
const LABEL: u16 = 9;
/// Cells of the switches with their keys, and of the border after them.
const SWITCHES: u16 = 43;

/// Returns the area of the bar: over the last lines, out of which the editor keeps its caret.
pub fn area(size: (u16, u16), bar: &FindBar) -> Rect {
    let rows = if bar.is_replacing { 4 } else { 3 };
    let (cols, rows) = (size.0.min(COLS), size.1.min(rows));
    let below = u16::from(size.1 > rows + 2);
    Rect::new((size.0 - cols) / 2, size.1 - rows - below, cols, rows)
}

/// Returns the first cell of the texts, and their width.
fn text_cells(cols: u16) -> (u16, u16) {
    if cols < LABEL_COLS {
        return (2, cols.saturating_sub(4));
    }
    (2 + LABEL, cols.saturating_sub(3 + LABEL + SWITCHES))
}

/// Returns the visible part of a text, such that its caret is visible, and the cell of the caret.
fn visible_part(area: &TextArea, cols: u16) -> (String, u16) {
    let text = area.text();
    let line = text.line(Line(0)).into_owned();
    let caret = text_width(&text.slice(Byte(0)..area.selection.primary().head));
    let skip = (caret + 1).saturating_sub(usize::from(cols));
    let mut out = String::new();
    let mut width = 0;
    for grapheme in graphemes(&line) {
        if width >= skip {
            out.push_str(grapheme);
        }
        width += text_width(grapheme);
    }
    (truncate(&out, usize::from(cols)).into_owned(), caret.saturating_sub(skip) as u16)
}

/// Returns the caret in the bar's coordinates.
pub fn cursor(bar: &FindBar, (cols, _): (u16, u16)) -> (u16, u16) {
    let (x, width) = text_cells(cols);
    let (area, y) = match bar.field {
        Field::Query => (&bar.query, 1),
        Field::Replacement => (&bar.replacement, 2),
    };
    (x + visible_part(area, width).1, y)
}

/// Returns the row of the bar at a cell, and the place in its text.
pub fn place_at(bar: &FindBar, size: (u16, u16), at: Position) -> Option<(Field, Byte)> {
    let (x, cols) = text_cells(area(size, bar).width);
    let (field, text) = match at.y {
        1 => (Field::Query, &bar.query),
        2 if bar.is_replacing => (Field::Replacement, &bar.replacement),
        _ => return None,
    };
    // What is left of the first visible cell was scrolled out.
    let (_, caret_at) = visible_part(text, cols);
    let caret = text_width(&text.text().slice(Byte(0)..text.selection.primary().head));
    let wanted = caret.saturating_sub(usize::from(caret_at)) + usize::from(at.x.saturating_sub(x));
    let (line, mut width, mut to) = (text.text().line(Line(0)).into_owned(), 0, 0);
    for grapheme in graphemes(&line) {
        width += text_width(grapheme);
        if width > wanted {
            break;
        }
        to += grapheme.len();
    }
    Some((field, Byte(to)))
}

/// Draws the bar.
pub fn draw(canvas: &mut Canvas<'_>, bar: &FindBar, state: &State) {
    let (cols, _) = canvas.size();
    let options = state.search.options;
    let name = if bar.is_replacing { "Replace in file" } else { "Find in file" };
    let is_plain = options == SearchOptions::default();
    let title = if is_plain { name.to_string() } else { format!("{name} ({options})") };
    let room = usize::from(cols).saturating_sub(text_width(&title) + 11);
    let note = truncate(&bar.note, room);
    frame::draw(canvas, &title, &note, &footer(bar, &state.keymap));
    draw_field(canvas, 1, ("Find", &bar.query), bar.field == Field::Query);
    if bar.is_replacing {
        draw_field(canvas, 2, ("Replace", &bar.replacement), bar.field == Field::Replacement);
    }
    if cols >= LABEL_COLS {
        draw_switches(canvas, options, &state.keymap);
    }
}

/// Draws a row: its name and its text.
fn draw_field(canvas: &mut Canvas<'_>, y: u16, (name, area): (&str, &TextArea), has_keys: bool) {
    let (cols, rows) = canvas.size();
    if y + 1 >= rows.max(3) {
        return;
    }
    let (x, width) = text_cells(cols);
    if cols >= LABEL_COLS {
        let style = canvas.style(if has_keys { "ui.overlay.title" } else { "ui.overlay.soft" });
        canvas.text(2, y, name, style);
    }
    let (text, _) = visible_part(area, width);
    let style = canvas.style("ui.overlay");
    let end = canvas.content(x, y, &text, style);
    let all = Range::new(Byte(0), area.text().end());
    if has_keys && !area.selection.is_empty() && area.selection.primary() == all {
        let selected = canvas.style("ui.selection");
        canvas.put_style(Rect::new(x, y, end.saturating_sub(x), 1), selected);
    }
}

/// Draws the switches of the search at the right of the query: keys, and what is on.
fn draw_switches(canvas: &mut Canvas<'_>, options: SearchOptions, keymap: &Keymap) {
    let case = match options.case {
        CaseMatching::Smart => "smart case",
        CaseMatching::Sensitive => "match case",
        CaseMatching::Insensitive => "any case",
    };
    let switches = [
        ("search.toggle-case", case, options.case != CaseMatching::Smart),
        ("search.toggle-word", "word", options.word),
        ("search.toggle-regex", "regex", options.regex),
    ];
    let (cols, _) = canvas.size();
    let (key_style, off, on) =
        (canvas.style("ui.overlay.faint"), canvas.style("ui.overlay.soft"), canvas.style("ui.selection"));
    let mut x = cols.saturating_sub(SWITCHES);
    for (id, name, is_on) in switches {
        if let Some(key) = keymap.keys_for(KeyContext::Find, id) {
            x = canvas.text(x, 1, &key, key_style) + 1;
        }
        x = canvas.text(x, 1, name, if is_on { on } else { off }) + 2;
    }
}

/// Returns the most important keys here.
fn footer(bar: &FindBar, keymap: &Keymap) -> String {
    let key = |id: &str| keymap.keys_for(KeyContext::Find, id);
    let is_query = bar.field == Field::Query;
    let mut keys = vec![format!("Enter {}", if is_query { "next" } else { "replace" })];
    let mut add = |id: &str, name: &str| keys.extend(key(id).map(|key| format!("{key} {name}")));
    if is_query {
        add("search.previous", "previous");
    } else {
        add("search.next", "skip");
    }
    if bar.is_replacing {
        add("search.replace-all", "all");
        add("search.switch-field", if is_query { "replacement" } else { "query" });
    } else {
        add("search.switch-field", "replace");
    }
    add("list.up", "history");
    keys.push("Escape close".to_string());
    keys.join("  ")
}
