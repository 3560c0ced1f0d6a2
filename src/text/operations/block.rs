//! Rectangle of display columns over lines, and its selection. Must not know who draws it.

use crate::text::display::columns::{at_column, column_of};
use crate::text::operations::select::RANGES_MAX;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};

/// A corner. The column may be beyond the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corner {
    /// Its line.
    pub line: Line,
    /// Its display column.
    pub column: Column,
}

/// A rectangle: one corner stays, the other moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The corner that stays.
    pub anchor: Corner,
    /// The corner that moves.
    pub head: Corner,
}

/// Direction in which a block grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockDirection {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// One grapheme to the left.
    Left,
    /// One grapheme to the right.
    Right,
}

/// The corner at an offset.
pub fn corner(text: &Text, at: Byte, tab_width: usize) -> Corner {
    Corner { line: text.line_of(at), column: column_of(text, at, tab_width) }
}

impl Block {
    /// The block that a range spans.
    pub fn of(text: &Text, range: Range, tab_width: usize) -> Self {
        Self { anchor: corner(text, range.anchor, tab_width), head: corner(text, range.head, tab_width) }
    }

    /// Returns the block with its moving corner one step further.
    #[must_use]
    pub fn extended(mut self, text: &Text, towards: BlockDirection, tab_width: usize) -> Self {
        let block = self;
        let head = &mut self.head;
        match towards {
            BlockDirection::Up => head.line = Line(head.line.0.saturating_sub(1)),
            BlockDirection::Down => head.line = Line((head.line.0 + 1).min(text.last_line().0)),
            BlockDirection::Left | BlockDirection::Right => {
                let at = at_column(text, head.line, head.column, tab_width);
                let here = column_of(text, at, tab_width);
                let end = text.line_end(head.line);
                let column = |at| column_of(text, at, tab_width);
                head.column = match towards {
                    // Beyond the end of its line the corner moves by cells.
                    BlockDirection::Left if head.column > here => Column(head.column.0 - 1),
                    BlockDirection::Left if here.0 == 0 => here,
                    BlockDirection::Left => column(text.prev_grapheme(at)),
                    _ if at < end => column(text.next_grapheme(at)),
                    _ => Column(head.column.0 + 1).min(block.widest(text, tab_width)),
                };
            }
        }
        self
    }

    /// Returns the last column of the longest line in the block, at least the present one.
    fn widest(&self, text: &Text, tab_width: usize) -> Column {
        let lines = self.lines().take(RANGES_MAX);
        let ends = lines.map(|line| column_of(text, text.line_end(line), tab_width));
        ends.max().unwrap_or_default().max(self.head.column)
    }

    fn lines(&self) -> impl Iterator<Item = Line> + use<> {
        let (a, b) = (self.anchor.line.0, self.head.line.0);
        (a.min(b)..=a.max(b)).map(Line)
    }

    /// Returns one range per line. Lines that end before the block have a cursor at their end when the block
    /// has no width, and are omitted otherwise, so that typing affects the rectangle only. The primary range
    /// is on the line of the moving corner.
    pub fn selection(&self, text: &Text, tab_width: usize) -> Selection {
        let ranges: Vec<_> = self
            .lines()
            .take(RANGES_MAX)
            .map(|line| {
                let at = |column| at_column(text, line, column, tab_width);
                Range::new(at(self.anchor.column), at(self.head.column))
            })
            .collect();
        let wide = self.anchor.column != self.head.column;
        let primary = if self.head.line < self.anchor.line { 0 } else { ranges.len() - 1 };
        let main = ranges[primary];
        let kept: Vec<_> = ranges.iter().copied().filter(|r| !wide || !r.is_empty()).collect();
        match kept.iter().position(|range| *range == main) {
            Some(primary) => Selection::new(kept, primary),
            // The corner's own line is too short, but the view must still follow it.
            None => Selection::new(ranges, primary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    fn check(steps: &[BlockDirection], before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        let mut block = Block::of(&text, selection.primary(), 4);
        for step in steps {
            block = block.extended(&text, *step, 4);
        }
        assert_eq!(marked::show(&text, &block.selection(&text, 4)), after, "{steps:?} from {before:?}");
    }

    #[test]
    fn block_selection_extends_by_lines_and_columns() {
        use BlockDirection::{Down, Left, Right, Up};
        check(&[Down, Right], "a|bc\ndef\n", "a«b»c\nd«e»f\n");
        check(&[Up, Left], "abc\nd|ef", "»a«bc\n»d«ef");
        check(&[Right, Right, Down], "|漢字\nabcd", "«漢字»\n«abcd»");
        check(&[Right, Down], "\t|x\nabcdef", "\t«x»\nabcd«e»f");
        check(&[Down, Down], "a|b\n\ncd", "a|b\n|\nc|d");
        check(&[Down, Down, Right], "a|b\n\ncd", "a«b»\n\nc«d»");
        check(&[Left], "|a", "|a");
        check(&[Up, Up], "|a", "|a");
    }

    #[test]
    fn block_selection_may_be_wider_than_line() {
        use BlockDirection::{Down, Left, Right};
        check(&[Down, Right, Right, Right], "abc|def\na", "abc«def»\na|");
        check(&[Down, Right, Right, Right, Right, Right, Left], "abc|def\na", "abc«de»f\na|");
    }
}
