//! Tables: columns as wide as needed, or as the width allows.
//!
//! Must not know Markdown.

use pulldown_cmark::Alignment;

use crate::tui::widgets::line::{BreakMode, Line, Span, width, wrap};

/// Minimum column width in cells; below it the table is shown as plain rows.
const COLUMN_MIN: usize = 3;
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
        return plain(table, room);
    };
    let mut widths = vec![1; columns];
    for row in &table.rows {
        for (column, cell) in row.iter().enumerate().take(columns) {
            widths[column] = widths[column].max(width(&safe(cell)));
        }
    }
    shrink(&mut widths, inner);
    let mut out = Vec::new();
    for (index, row) in table.rows.iter().enumerate() {
        row_lines(row, &widths, &table.alignments, index == 0, &mut out);
        if index == 0 {
            let rule: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
            out.push(vec![Span::new(rule.join("─┼─"), "markdown.table")]);
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
            wrap(cell, *width as u16, &[], &[], BreakMode::Words)
        })
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    for y in 0..height {
        let mut line = Line::new();
        for (column, cell) in cells.iter().enumerate() {
            if column > 0 {
                line.push(Span::new(SEPARATOR, "markdown.table"));
            }
            let mut part = cell.get(y).cloned().unwrap_or_default();
            if head {
                part.iter_mut()
                    .filter(|s| s.scope == "markdown.text")
                    .for_each(|s| s.scope = "markdown.strong");
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
        line.push(Span::new(" ".repeat(cells), "markdown.text"));
    }
}

/// Rows as running text, for a room too narrow for columns.
fn plain(table: &Table, room: u16) -> Vec<Line> {
    let mut out = Vec::new();
    for row in &table.rows {
        let mut spans = Line::new();
        for cell in row {
            if !spans.is_empty() {
                spans.push(Span::new(" · ", "markdown.table"));
            }
            spans.extend(cell.iter().cloned());
        }
        out.extend(wrap(&spans, room, &[], &[], BreakMode::Words));
    }
    out
}
