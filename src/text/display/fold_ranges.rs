//! Foldable ranges by indentation, for languages without a grammar: a line with the deeper lines below it.
//! Must not know languages. Reads the whole text: too slow for a key press.

use std::ops::Range;

use crate::base::width::graphemes;
use crate::text::display::columns::width_at;
use crate::text::position::Line;
use crate::text::rope::Text;

/// Bytes of a line that are searched for its indentation.
const INDENT_MAX: usize = 512;

/// Returns the first and last line of every block, by first line, longer ones first. Trailing blank lines are
/// excluded.
pub fn by_indent(text: &Text, tab_width: usize) -> Vec<Range<Line>> {
    let mut blocks = Vec::new();
    // Candidate first lines of blocks, with their indentation.
    let mut open: Vec<(Line, usize)> = Vec::new();
    let mut last_full = Line(0);
    let mut end = |open: &mut Vec<(Line, usize)>, indent: usize, last: Line| {
        while let Some((first, _)) = open.pop_if(|(_, own)| *own >= indent) {
            blocks.extend((first < last).then_some(first..last));
        }
    };
    for line in (0..text.line_count()).map(Line) {
        let Some(indent) = indentation(text, line, tab_width) else { continue };
        end(&mut open, indent, last_full);
        open.push((line, indent));
        last_full = line;
    }
    end(&mut open, 0, last_full);
    blocks.sort_by_key(|block| (block.start, std::cmp::Reverse(block.end)));
    blocks
}

/// Returns the indentation of a line in cells; `None` for a blank line.
fn indentation(text: &Text, line: Line, tab_width: usize) -> Option<usize> {
    let (start, end) = (text.line_start(line), text.line_end(line));
    let content = text.slice(start..text.char_floor(end.min(start + INDENT_MAX)));
    let mut column = 0;
    for grapheme in graphemes(&content) {
        if !matches!(grapheme, " " | "\t") {
            return Some(column);
        }
        column += width_at(grapheme, column, tab_width);
    }
    None
}

/// Returns the nesting depth of each range, from 1; the ranges must be in the order of [`by_indent`].
pub fn depths(ranges: &[Range<Line>]) -> Vec<usize> {
    let mut around: Vec<&Range<Line>> = Vec::new();
    let mut depths = Vec::with_capacity(ranges.len());
    for range in ranges {
        while around.pop_if(|outer| outer.end < range.end || outer.end <= range.start).is_some() {}
        around.push(range);
        depths.push(around.len());
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(content: &str) -> Vec<(usize, usize)> {
        let found = by_indent(&Text::from(content), 4).into_iter();
        found.map(|block| (block.start.0, block.end.0)).collect()
    }

    #[test]
    fn fold_ranges_are_indented_blocks() {
        assert_eq!(blocks("a\n  b\n    c\n\n  d\n\ne\n"), [(0, 4), (1, 2)]);
        assert_eq!(blocks("a\n\tb\n    é\nc\n  d"), [(0, 2), (3, 4)]);
        assert_eq!(blocks("  a\nb\n"), []);
        assert_eq!(blocks(""), []);
    }

    #[test]
    fn fold_ranges_nest() {
        let ranges = by_indent(&Text::from("a\n b\n  c\n d\n  e\nf\n g\n"), 4);
        assert_eq!(depths(&ranges), [1, 2, 2, 1]);
    }
}
