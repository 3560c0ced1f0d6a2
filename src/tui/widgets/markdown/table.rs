//! Tables: columns as wide as needed or as the width allows, and records of `header: value` where that breaks
//! words.
//!
//! Must not know Markdown.

use pulldown_cmark::Alignment;

use crate::base::width::text_width;
use crate::tui::widgets::line::{BreakMode, Line, Role, Span, continues, width, wrap};

/// Minimum column width in cells; below it the rows are shown as records.
const COLUMN_MIN: usize = 3;
/// Words up to this width are not broken in a column; where they would be, the rows are shown as records.
const WORD_CELLS: usize = 24;
/// Between two columns.
const SEPARATOR: &str = " │ ";

/// A table being read.
#[derive(Debug, Default)]
pub struct Table {
    alignments: Vec<Alignment>,
    /// The first row is the head.
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(alignments: &[Alignment]) -> Self {
        Self { alignments: alignments.to_vec(), ..Self::default() }
    }

    /// Adds a cell to the open row.
    pub fn cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    /// Ends the open row.
    pub fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }
}

/// The lines of a table in `room` cells.
pub fn lines(table: &Table, room: u16) -> Vec<Line> {
    let columns = table.alignments.len().max(1);
    let between = SEPARATOR.chars().count() * (columns - 1);
    let Some(inner) = usize::from(room).checked_sub(between).filter(|n| *n >= columns * COLUMN_MIN) else {
        return records(table, room);
    };
    let mut widths = vec![1; columns];
    for row in &table.rows {
        for (column, cell) in row.iter().enumerate().take(columns) {
            widths[column] = widths[column].max(width(&safe(cell)));
        }
    }
    shrink(&mut widths, inner);
    if breaks_words(table, &widths) {
        return records(table, room);
    }
    let mut rows = Vec::new();
    for (index, row) in table.rows.iter().enumerate() {
        let mut lines = Vec::new();
        row_lines(row, &widths, &table.alignments, index == 0, &mut lines);
        rows.push(lines);
    }
    // Where a row has several lines, rules show which belong together.
    let is_ruled = rows.iter().skip(1).any(|lines| lines.len() > 1);
    let rule: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
    let rule = vec![Span::new(rule.join("─┼─"), "markdown.table").with_role(Role::Aside)];
    let last = rows.len() - 1;
    let mut out = Vec::new();
    for (index, lines) in rows.into_iter().enumerate() {
        out.extend(lines);
        if index == 0 || is_ruled && index < last {
            out.push(rule.clone());
        }
    }
    out
}

/// Returns a cell as one line, safe to draw.
fn safe(cell: &[Span]) -> Line {
    wrap(cell, u16::MAX, &[], &[], BreakMode::Words).swap_remove(0)
}

/// Cuts the widest columns to one width, the largest with which all fit.
fn shrink(widths: &mut [usize], room: usize) {
    let sum = |cap: usize| widths.iter().map(|width| (*width).min(cap)).sum::<usize>();
    let (mut fits, mut over) = (0, room + 1);
    while over - fits > 1 {
        let middle = usize::midpoint(fits, over);
        if sum(middle) <= room { fits = middle } else { over = middle }
    }
    for width in widths {
        *width = (*width).min(fits);
    }
}

fn row_lines(row: &[Line], widths: &[usize], alignments: &[Alignment], head: bool, out: &mut Vec<Line>) {
    let cells: Vec<Vec<Line>> = widths
        .iter()
        .enumerate()
        .map(|(column, width)| {
            let cell = row.get(column).map_or(&[][..], Vec::as_slice);
            let mut lines = wrap(cell, *width as u16, &[], &[], BreakMode::Words);
            let above_last = lines.len() - 1;
            // A break that is in the text does not end the row of the table.
            for line in lines.iter_mut().take(above_last).filter(|line| !continues(line)) {
                line.push(Span::new("", "markdown.text").with_role(Role::Wrap(1)));
            }
            lines
        })
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    for y in 0..height {
        let mut line = Line::new();
        for (column, cell) in cells.iter().enumerate() {
            if column > 0 {
                line.push(Span::new(SEPARATOR, "markdown.table").with_role(Role::CellEnd));
            }
            let mut part = cell.get(y).cloned().unwrap_or_default();
            if head {
                part = strong(&part);
            }
            let missing = widths[column].saturating_sub(width(&part));
            let left = match alignments.get(column) {
                Some(Alignment::Right) => missing,
                Some(Alignment::Center) => missing / 2,
                _ => 0,
            };
            let last = column + 1 == cells.len();
            pad(&mut line, left);
            line.extend(part);
            pad(&mut line, if last { 0 } else { missing - left });
        }
        out.push(line);
    }
}

fn pad(line: &mut Line, cells: usize) {
    if cells > 0 {
        line.push(Span::decoration(" ".repeat(cells), "markdown.text"));
    }
}

/// Returns whether columns of these widths are too narrow to be read: words are broken.
fn breaks_words(table: &Table, widths: &[usize]) -> bool {
    let word_width = |cell: &Line| {
        let text: String = cell.iter().map(|span| span.text.as_str()).collect();
        text.split_whitespace().map(text_width).max().unwrap_or(0)
    };
    let cells = table.rows.iter().flat_map(|row| row.iter().zip(widths));
    cells.into_iter().any(|(cell, width)| word_width(cell).min(WORD_CELLS) > *width)
}

/// Returns each row below the head as lines of `header: value`, for a room too narrow for columns and for screen readers,
/// which read across.
pub fn records(table: &Table, room: u16) -> Vec<Line> {
    let indent = [Span::new("  ", "markdown.text")];
    let (head, rows) = table.rows.split_first().map_or((&[][..], &[][..]), |(head, rows)| (&head[..], rows));
    if rows.is_empty() {
        return head.iter().flat_map(|cell| wrap(&strong(cell), room, &[], &[], BreakMode::Words)).collect();
    }
    let mut out = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if n > 0 {
            out.push(Line::new());
        }
        for (column, cell) in row.iter().enumerate() {
            let mut spans = head.get(column).map(strong).unwrap_or_default();
            spans.push(Span::new(": ", "markdown.table"));
            spans.extend(cell.iter().cloned());
            out.extend(wrap(&spans, room, &[], &indent, BreakMode::Words));
        }
    }
    out
}

/// Returns a cell of the head.
fn strong(cell: &Line) -> Line {
    let mut cell = cell.clone();
    cell.iter_mut().filter(|s| s.scope == "markdown.text").for_each(|s| s.scope = "markdown.strong");
    cell
}
