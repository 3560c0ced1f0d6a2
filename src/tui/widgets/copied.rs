//! The text of lines as it was before it was laid out: without decoration and without the breaks of wrapping,
//! with a tab between cells of a table. The lines may be selected in part, by cells.
//!
//! Must not know what is laid out, nor who selects.

use std::ops::Range;

use crate::base::width::{grapheme_width, graphemes, text_width};
use crate::tui::widgets::line::{Line, Role, Span, continues};

/// Collects the text of lines, from the top.
#[derive(Debug, Default)]
pub struct Copied {
    text: String,
    /// The cells of the open line of the text; a line without a table has one.
    cells: Vec<String>,
}

impl Copied {
    /// Adds a line, or the part of it in a range of cells. `full` is the text of a line that shows only its
    /// beginning, or empty.
    pub fn push(&mut self, line: &Line, columns: &Range<usize>, full: &str) {
        if line.iter().any(is_aside) {
            return self.end_open_line();
        }
        // `shown` are the bytes of the text before a span that is cut off.
        let (mut x, mut cell, mut shown) = (0, 0, 0);
        for span in line {
            let width = text_width(&span.text);
            match span.role {
                Role::CellEnd => cell += 1,
                Role::Wrap(spaces) => self.cell(cell).push_str(&" ".repeat(usize::from(spaces))),
                Role::Cut if !full.is_empty() && columns.start <= x && x + width <= columns.end => {
                    self.cell(cell).push_str(full.get(shown..).unwrap_or(full));
                }
                _ => {
                    let part = selected_part(span, x, columns);
                    self.cell(cell).push_str(&part);
                }
            }
            x += width;
            shown += if span.role == Role::Text { span.text.len() } else { 0 };
        }
        if !continues(line) {
            self.end_line();
        }
    }

    /// Adds a blank line.
    pub fn blank(&mut self) {
        self.end_open_line();
        self.text.push('\n');
    }

    /// Returns the text.
    pub fn finish(mut self) -> String {
        self.end_open_line();
        self.text.trim_matches('\n').to_string()
    }

    fn cell(&mut self, n: usize) -> &mut String {
        if self.cells.len() <= n {
            self.cells.resize(n + 1, String::new());
        }
        &mut self.cells[n]
    }

    fn end_open_line(&mut self) {
        if !self.cells.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let cells: Vec<String> = self.cells.drain(..).map(|cell| cell.trim_end().to_string()).collect();
        let line = cells.join("\t");
        // What a selection begins with is not moved into its column.
        let is_begun_in_table = self.text.is_empty() && cells.len() > 1;
        let line = if is_begun_in_table { line.trim_start_matches('\t') } else { &line };
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// Returns whether nothing of the line of a span belongs to the text: of an image, only the first row does.
fn is_aside(span: &Span) -> bool {
    span.role == Role::Aside || matches!(span.role, Role::Image(part) if part.row > 0)
}

/// Returns whether a span is text that can be selected.
pub fn is_text(span: &Span) -> bool {
    matches!(span.role, Role::Text | Role::Marker | Role::Tab | Role::Cut | Role::Image(_))
}

/// Returns the selected part of a span that begins at the cell `x`.
fn selected_part(span: &Span, x: usize, columns: &Range<usize>) -> String {
    if !is_text(span) {
        return String::new();
    }
    if span.role == Role::Tab {
        // Spans of tabs that follow each other are one.
        let tabs = cells_of(span, x).filter(|(_, cells)| is_selected(cells, columns)).count();
        return "\t".repeat(tabs);
    }
    cells_of(span, x).filter(|(_, cells)| is_selected(cells, columns)).map(|(grapheme, _)| grapheme).collect()
}

fn is_selected(cells: &Range<usize>, columns: &Range<usize>) -> bool {
    cells.start < columns.end && columns.start < cells.end
}

/// Returns the graphemes of a span that begins at the cell `x`, with their cells.
fn cells_of(span: &Span, x: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    graphemes(&span.text).scan(x, |x, grapheme| {
        let start = *x;
        *x += grapheme_width(grapheme);
        Some((grapheme, start..*x))
    })
}

/// Returns the cells of the selected text in a line, as ranges from left to right.
pub fn selected_cells(line: &Line, columns: &Range<usize>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut x = 0;
    for span in line {
        let end = x + text_width(&span.text);
        if is_text(span) {
            for (_, cells) in cells_of(span, x).filter(|(_, cells)| is_selected(cells, columns)) {
                match out.last_mut() {
                    Some(last) if last.end == cells.start => last.end = cells.end,
                    _ => out.push(cells),
                }
            }
        }
        x = end;
    }
    out
}

/// A line of the text that is shown in one or more lines; in a table, a cell of it.
#[derive(Debug, Default)]
pub struct TextLine {
    /// Its text.
    pub text: String,
    /// Where its graphemes are: their start in the text, their line, their cells.
    places: Vec<(usize, usize, Range<usize>)>,
}

impl TextLine {
    /// Returns the text in `lines` that is in the same cell of a table as the cell at (`line`, `column`). `full`
    /// is the text of a span that shows only its beginning.
    pub fn new(lines: &[Line], (line, column): (usize, usize), full: &str) -> Self {
        let cell = lines.get(line).map_or(0, |line| table_cell(line, column));
        let mut out = Self::default();
        for (n, line) in lines.iter().enumerate() {
            let (mut x, mut at) = (0, 0);
            for span in line {
                match span.role {
                    Role::CellEnd => at += 1,
                    Role::Wrap(spaces) if at == cell => {
                        out.text.push_str(&" ".repeat(usize::from(spaces)));
                    }
                    _ if at == cell && is_text(span) => out.push(span, (n, x), full),
                    _ => {}
                }
                x += text_width(&span.text);
            }
        }
        out
    }

    fn push(&mut self, span: &Span, (line, x): (usize, usize), full: &str) {
        let start = self.text.len();
        let mut shown = String::new();
        for (grapheme, cells) in cells_of(span, x) {
            self.places.push((start + shown.len(), line, cells));
            shown.push_str(if span.role == Role::Tab { "\t" } else { grapheme });
        }
        let is_beginning = span.role == Role::Cut && full.starts_with(shown.trim_end_matches('…'));
        self.text.push_str(if is_beginning { full } else { &shown });
    }

    /// Returns the offset of the grapheme at a cell of a line.
    pub fn offset_at(&self, line: usize, column: usize) -> Option<usize> {
        let is_there =
            |(_, at, cells): &&(usize, usize, Range<usize>)| *at == line && cells.contains(&column);
        self.places.iter().find(is_there).map(|(offset, ..)| *offset)
    }

    /// Returns the first and the last cell of a part of the text, each with its line.
    pub fn cells_of(&self, part: &Range<usize>) -> Option<[(usize, usize); 2]> {
        let within = || self.places.iter().filter(|(offset, ..)| part.contains(offset));
        let (_, first, start) = within().next()?;
        let (_, last, end) = within().next_back()?;
        Some([(*first, start.start), (*last, end.end.saturating_sub(1))])
    }
}

/// Returns the index of the cell of a table at a column of a line.
fn table_cell(line: &Line, column: usize) -> usize {
    let (mut x, mut cell) = (0, 0);
    for span in line {
        x += text_width(&span.text);
        if x > column {
            break;
        }
        cell += usize::from(span.role == Role::CellEnd);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::line::{BreakMode, wrap};

    const ALL: Range<usize> = 0..usize::MAX;

    fn copied(lines: &[Line], columns: &Range<usize>) -> String {
        let mut copied = Copied::default();
        for line in lines {
            copied.push(line, columns, "");
        }
        copied.finish()
    }

    #[test]
    fn copied_wrapped_lines_are_joined_without_prefixes() {
        let (first, rest) = ([Span::new("> ", "p")], [Span::new("  ", "p")]);
        let text = [Span::new("the quick  brown fox\nnext\n\n漢字漢字漢字", "t")];
        for width in [6, 9, 12, 80] {
            let lines = wrap(&text, width, &first, &rest, BreakMode::Words);
            assert_eq!(copied(&lines, &ALL), "the quick  brown fox\nnext\n\n漢字漢字漢字", "{width}");
        }
    }

    #[test]
    fn copied_tabs_are_tabs_even_at_a_break() {
        for width in [3, 5, 7, 40] {
            let lines = wrap(&[Span::new("\ta\t\tb", "t")], width, &[], &[], BreakMode::Anywhere);
            assert_eq!(copied(&lines, &ALL), "\ta\t\tb", "{width}");
        }
    }

    #[test]
    fn copied_part_of_line_is_by_cells_and_keeps_wide_characters_whole() {
        let line = vec![Span::decoration("│ ", "b"), Span::new("a漢b", "t"), Span::new("cd", "u")];
        assert_eq!(copied(std::slice::from_ref(&line), &(4..6)), "漢b");
        assert_eq!(copied(std::slice::from_ref(&line), &(0..2)), "");
        assert_eq!(selected_cells(&line, &(4..7)).first(), Some(&(3..7)));
        assert_eq!(selected_cells(&line, &ALL).first(), Some(&(2..8)));
    }

    #[test]
    fn copied_span_that_is_cut_gives_whole_text_only_as_a_whole() {
        let line = vec![Span::new("src/lo…", "t").with_role(Role::Cut), Span::decoration("  ✓", "s")];
        let text = |columns| {
            let mut copied = Copied::default();
            copied.push(&line, &columns, "src/login.rs");
            copied.finish()
        };
        assert_eq!(text(ALL), "src/login.rs");
        assert_eq!(text(4..6), "lo");
        let whole = TextLine::new(std::slice::from_ref(&line), (0, 5), "src/login.rs");
        assert_eq!((whole.text.as_str(), whole.offset_at(0, 5)), ("src/login.rs", Some(5)));
        assert_eq!(whole.offset_at(0, 8), None);
        assert_eq!(whole.cells_of(&(4..12)), Some([(0, 4), (0, 6)]));
    }

    #[test]
    fn copied_text_line_maps_wrapped_words_to_their_cells() {
        let indent = [Span::new("  ", "p")];
        let lines = wrap(&[Span::new("see abcdefghij", "t")], 7, &indent, &indent, BreakMode::Words);
        let line = TextLine::new(&lines, (1, 3), "");
        assert_eq!(line.text, "see abcdefghij");
        assert_eq!(line.offset_at(1, 3), Some(5));
        assert_eq!(line.offset_at(1, 0), None, "a prefix is no text");
        assert_eq!(line.cells_of(&(4..14)), Some([(1, 2), (2, 6)]));
    }
}
