//! The text of the open file: line numbers, marks of the agent, selections, the caret.
//!
//! Reads only the lines on screen. A line's cost ends at the right edge, except that its start
//! must be walked to find the first visible column.

use crate::base::width::graphemes;
use ratatui::layout::Rect;

use super::row::Row;
use crate::base::width::visible;
use crate::ide::state::State;
use crate::ide::state::buffers::Buffer;
use crate::ide::state::damage::Part;
use crate::ide::state::show::Show;
use crate::text::columns::{self, width_at};
use crate::text::format::carried_byte;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: Row = Row { part: Part::Editor, layer: 0, make: || Box::new(Editor) };

struct Editor;

/// Cells left of the text: one for marks, then the number and a space. Nothing but the mark in
/// panes too narrow for numbers.
pub fn gutter_width(buffer: &Buffer, show: Show, cols: u16) -> u16 {
    let digits = buffer.area.text().line_count().max(100).ilog10() as u16 + 1;
    if show.line_numbers && cols >= 30 { digits + 3 } else { 1 }
}

/// Columns for text in a pane of that width.
pub fn text_width(buffer: &Buffer, show: Show, cols: u16) -> usize {
    usize::from(cols.saturating_sub(gutter_width(buffer, show, cols))).max(1)
}

impl Component<State> for Editor {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let Some(buffer) = state.buffers.current() else { return draw_welcome(canvas, state) };
        let matches = matches_in(state, buffer, canvas.dirty_rows());
        for y in canvas.dirty_rows() {
            let line = Line(buffer.top.0 + usize::from(y));
            if line <= buffer.area.text().last_line() {
                draw_line(canvas, state, buffer, line, y);
                draw_matches(canvas, state, buffer, line, y, &matches);
            } else {
                let style = canvas.style("ui.linenr");
                canvas.text(0, y, " ", style);
            }
        }
    }

    fn cursor(&self, (cols, rows): (u16, u16), state: &State) -> Option<(u16, u16)> {
        let buffer = state.buffers.current()?;
        let (line, column) = buffer.cursor(state.show.tab_width);
        let y = line.0.checked_sub(buffer.top.0)?;
        let x = column.0.checked_sub(buffer.left.0)? + usize::from(gutter_width(buffer, state.show, cols));
        (y < usize::from(rows) && x < usize::from(cols)).then_some((x as u16, y as u16))
    }
}

/// Lines above the first one that is drawn in which a match may begin that reaches into it.
const MATCH_LINES: usize = 50;
/// Bytes in which matches are looked for to draw them.
const MATCH_BYTES: usize = 64 << 10;

/// Where in some rows stands what was looked for.
fn matches_in(state: &State, buffer: &Buffer, rows: std::ops::Range<u16>) -> Vec<std::ops::Range<Byte>> {
    let Some(needle) = &state.highlight else { return Vec::new() };
    let text = buffer.area.text();
    let line = |row: u16| Line((buffer.top.0 + usize::from(row)).min(text.last_line().0));
    let first = text.line_start(line(rows.start));
    let from = text.line_start(Line(line(rows.start).0.saturating_sub(MATCH_LINES)));
    let from = if first - from > MATCH_BYTES { first } else { from };
    let to = text.line_end(line(rows.end)).min(text.grapheme_floor(first + MATCH_BYTES));
    needle.matches(text, from..to.max(from)).filter(|found| found.end >= first).collect()
}

/// Marks what was looked for in one line.
fn draw_matches(
    canvas: &mut Canvas<'_>,
    state: &State,
    buffer: &Buffer,
    line: Line,
    y: u16,
    matches: &[std::ops::Range<Byte>],
) {
    let text = buffer.area.text();
    let (cols, _) = canvas.size();
    let gutter = gutter_width(buffer, state.show, cols);
    let span = text.line_start(line)..text.line_end(line);
    let selected = buffer.area.selection.primary().span();
    let column = |at: Byte| columns::column_of(text, at, state.show.tab_width).0;
    let screen = |at: usize| at.saturating_sub(buffer.left.0).min(usize::from(cols - gutter)) as u16 + gutter;
    let style = canvas.style("ui.match");
    for found in matches.iter().filter(|found| found.start < span.end && found.end > span.start) {
        let (from, to) =
            (screen(column(found.start.max(span.start))), screen(column(found.end.min(span.end))));
        if from < to && *found != selected {
            canvas.put_style(Rect::new(from, y, to - from, 1), style);
        }
    }
}

fn draw_line(canvas: &mut Canvas<'_>, state: &State, buffer: &Buffer, line: Line, y: u16) {
    let text = buffer.area.text();
    let (cols, _) = canvas.size();
    let gutter = gutter_width(buffer, state.show, cols);
    let span = text.line_start(line)..text.line_end(line);
    let head = buffer.area.caret();
    let is_caret_line = text.line_of(head) == line;
    if is_caret_line {
        let style = canvas.style("ui.caret-line");
        canvas.put_style(Rect::new(0, y, cols, 1), style);
    }
    if buffer.is_marked(span.start..span.end) {
        let style = canvas.style("ui.gutter.agent");
        canvas.text(0, y, "┃", style);
    }
    if gutter > 1 {
        let style = canvas.style(if is_caret_line { "ui.linenr.active" } else { "ui.linenr" });
        let number = format!("{:>width$}", line.0 + 1, width = usize::from(gutter) - 2);
        canvas.text(1, y, &number, style);
    }
    draw_content(&mut canvas.sub(Rect::new(gutter, y, cols.saturating_sub(gutter), 1)), state, buffer, span);
}

/// Bytes for each cell that are looked at: more than any cluster of usual text takes.
const BYTES_PER_CELL: usize = 16;

fn draw_content(canvas: &mut Canvas<'_>, state: &State, buffer: &Buffer, span: std::ops::Range<Byte>) {
    let text = buffer.area.text();
    let (cols, _) = canvas.size();
    let tab_width = state.show.tab_width;
    let (plain, control) = (canvas.style("ui.text"), canvas.style("ui.control"));
    let plain = ratatui::style::Style { bg: None, ..plain };
    // Of a long line only what can be on screen is taken out of the rope.
    let line = text.line_of(span.start);
    let from = columns::at_column(text, line, buffer.left, tab_width);
    let to = text.grapheme_floor(span.end.min(from + (usize::from(cols) + 2) * BYTES_PER_CELL));
    let mut column = columns::column_of(text, from, tab_width).0;
    let content = text.slice(from..to);
    if buffer.left.0 == 0 && content.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        canvas.text(0, 0, &content, plain);
        for colored in buffer.coloring.within(&(from..to)) {
            let (first, last) = (colored.range.start.max(from) - from, colored.range.end.min(to) - from);
            let style = canvas.style(colored.scope);
            let x = first.min(usize::from(cols)) as u16;
            canvas.put_style(Rect::new(x, 0, last.min(usize::from(cols)) as u16 - x, 1), style);
        }
        return draw_selections(canvas, state, buffer, span);
    }
    let mut colors = buffer.coloring.within(&(from..to)).iter().peekable();
    let mut at = from;
    for grapheme in graphemes(&content) {
        let width = width_at(grapheme, column, tab_width);
        let x = column as isize - buffer.left.0 as isize;
        if x >= isize::from(cols as i16) {
            break;
        }
        match (grapheme, grapheme.chars().next().and_then(carried_byte)) {
            ("\t", _) => {}
            (_, Some(_)) => draw_clipped(canvas, x, &carried_text(grapheme), control),
            _ if grapheme.chars().any(crate::base::width::is_unsafe) => {
                draw_clipped(canvas, x, &visible(grapheme), control);
            }
            _ => {
                while colors.next_if(|color| color.range.end <= at).is_some() {}
                let scope = colors.peek().filter(|color| color.range.start <= at).map(|color| color.scope);
                let style = scope.map_or(plain, |scope| plain.patch(canvas.style(scope)));
                draw_clipped(canvas, x, grapheme, style);
            }
        }
        column += width;
        at += grapheme.len();
    }
    draw_selections(canvas, state, buffer, span);
}

/// Bytes that are no UTF-8, as `<FF>`; their cells are counted as one each in `columns`, so
/// only a sign fits here.
fn carried_text(grapheme: &str) -> String {
    grapheme.chars().map(|c| if carried_byte(c).is_some() { '\u{fffd}' } else { c }).collect()
}

/// Draws at a column that may lie left of the edge: what is cut is left out.
fn draw_clipped(canvas: &mut Canvas<'_>, x: isize, text: &str, style: ratatui::style::Style) {
    if let Ok(x) = u16::try_from(x) {
        canvas.text(x, 0, text, style);
    }
}

fn draw_selections(canvas: &mut Canvas<'_>, state: &State, buffer: &Buffer, span: std::ops::Range<Byte>) {
    let text = buffer.area.text();
    let (cols, _) = canvas.size();
    let column =
        |at: Byte| columns::column_of(text, at, state.show.tab_width).0 as isize - buffer.left.0 as isize;
    let clamp = |x: isize| x.clamp(0, isize::from(cols as i16)) as u16;
    let style = canvas.style("ui.selection");
    let primary = buffer.area.selection.primary_index();
    for (n, range) in buffer.area.selection.ranges().iter().enumerate() {
        if range.end() < span.start || range.start() > span.end {
            continue;
        }
        let from = clamp(column(range.start().max(span.start)));
        // A selection that goes on to the next line shows that it takes the line's ending.
        let over = isize::from(range.end() > span.end);
        let to = clamp(column(range.end().min(span.end)) + over);
        if from < to {
            canvas.put_style(Rect::new(from, 0, to - from, 1), style);
        } else if n != primary && range.is_empty() && from < cols {
            canvas
                .put_style(Rect::new(from, 0, 1, 1), style.add_modifier(ratatui::style::Modifier::REVERSED));
        }
    }
}

fn draw_welcome(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, rows) = canvas.size();
    let key =
        |command: &str| state.keymap.keys_for(crate::ide::keys::Place::Editor, command).unwrap_or_default();
    let rows_of_text = [
        (key("view.files-picker"), "find a file"),
        (key("view.focus-agent"), "talk to the agent"),
        (key("app.palette"), "every command"),
    ];
    let (strong, soft) = (canvas.style("ui.key"), canvas.style("ui.text.soft"));
    let top = rows.saturating_sub(rows_of_text.len() as u16) / 2;
    let left = cols.saturating_sub(28) / 2;
    for (n, (key, what)) in rows_of_text.iter().enumerate() {
        let y = top + n as u16;
        canvas.text(left, y, key, strong);
        canvas.text(left + 9, y, what, soft);
    }
}
