//! A text as a modal editor sees it: lines with an end that one can stand on only in passing,
//! and no line behind the last line feed. Must not know motions.

use crate::text::display::columns;
use crate::text::movement::motion;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::Range;

/// A text and the width of its tabs in cells.
#[derive(Clone, Copy)]
pub struct ModalText<'t> {
    /// The text.
    pub text: &'t Text,
    /// Cells between tab stops.
    pub tab_width: usize,
    /// Whether the end of a line is a place to rest, as in a selection.
    pub can_rest_at_end: bool,
    /// The last line; every motion of every cursor asks for it.
    pub last: Line,
}

/// What kind of character stands somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharClass {
    /// White space, and the end of a line.
    Blank,
    /// Signs.
    Sign,
    /// Letters and digits.
    Word,
    /// Characters of a script that is written without spaces: each of them makes words of its own.
    Script(Script),
}

/// A script that is written without spaces between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// あ
    Hiragana,
    /// ア
    Katakana,
    /// 漢
    Han,
    /// 한
    Hangul,
}

impl Script {
    fn of(c: char) -> Option<Self> {
        match c {
            '\u{3040}'..='\u{309f}' => Some(Self::Hiragana),
            '\u{30a0}'..='\u{30ff}' => Some(Self::Katakana),
            '\u{4e00}'..='\u{9fff}' => Some(Self::Han),
            '\u{ac00}'..='\u{d7a3}' => Some(Self::Hangul),
            _ => None,
        }
    }
}

/// Whether two characters side by side belong to one word.
pub fn is_one_word(one: char, other: char) -> bool {
    motion::is_word(one) && motion::is_word(other) && Script::of(one) == Script::of(other)
}

/// What a step by one place came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// Another character of the line.
    Inside,
    /// The end of the line.
    LineEnd,
    /// Another line.
    NewLine,
    /// There is nothing further.
    Nowhere,
}

impl<'t> ModalText<'t> {
    /// A text seen so.
    pub fn new(text: &'t Text, tab_width: usize) -> Self {
        let last = text.last_line();
        let bare = last.0 > 0 && text.line_start(last) == text.end();
        Self { text, tab_width, can_rest_at_end: false, last: if bare { Line(last.0 - 1) } else { last } }
    }

    /// The last line; a line feed at the very end begins none.
    pub fn last_line(&self) -> Line {
        self.last
    }

    /// The line of a place.
    pub fn line(&self, at: Byte) -> Line {
        self.text.line_of(at).min(self.last_line())
    }

    /// Where a line starts.
    pub fn start(&self, line: Line) -> Byte {
        self.text.line_start(line)
    }

    /// Where a line ends, before its ending.
    pub fn end(&self, line: Line) -> Byte {
        self.text.line_end(line)
    }

    /// Where the line of a place starts.
    pub fn start_of(&self, at: Byte) -> Byte {
        self.start(self.line(at))
    }

    /// Where the line of a place ends.
    pub fn end_of(&self, at: Byte) -> Byte {
        self.end(self.line(at))
    }

    /// The last place where something may stand: the end of the last line.
    pub fn last(&self) -> Byte {
        self.end(self.last_line())
    }

    /// The last character of a line, or its start when it is empty.
    pub fn last_of(&self, line: Line) -> Byte {
        let end = self.end(line);
        if end == self.start(line) { end } else { self.text.prev_grapheme(end) }
    }

    /// The first character of a line that is no white space; its last one when all of it is.
    pub fn first_non_blank(&self, line: Line) -> Byte {
        motion::indent_end(self.text, line).min(self.last_of(line)).max(self.start(line))
    }

    /// Whether a line holds nothing at all.
    pub fn is_empty_line(&self, line: Line) -> bool {
        self.start(line) == self.end(line)
    }

    /// Whether a place is at the end of its line, behind the last character.
    pub fn at_end(&self, at: Byte) -> bool {
        at >= self.end_of(at)
    }

    /// The character at a place; none at the end of a line.
    pub fn char(&self, at: Byte) -> Option<char> {
        if self.at_end(at) { None } else { self.text.char_at(at) }
    }

    /// The next place in the same line, or its end.
    pub fn right(&self, at: Byte) -> Byte {
        let end = self.end_of(at);
        if at >= end { at } else { self.text.next_grapheme(at).min(end) }
    }

    /// The place before in the same line.
    pub fn left(&self, at: Byte) -> Byte {
        if at <= self.start_of(at) { at } else { self.text.prev_grapheme(at) }
    }

    /// One step on, ends of lines being places too.
    pub fn next(&self, at: Byte) -> (StepResult, Byte) {
        let line = self.line(at);
        if !self.at_end(at) {
            let to = self.right(at);
            return (if to == self.end(line) { StepResult::LineEnd } else { StepResult::Inside }, to);
        }
        if line >= self.last_line() {
            return (StepResult::Nowhere, at);
        }
        (StepResult::NewLine, self.start(Line(line.0 + 1)))
    }

    /// One step back; from the start of a line to the last character of the one before.
    pub fn back(&self, at: Byte) -> (StepResult, Byte) {
        let line = self.line(at);
        if at > self.start(line) {
            return (StepResult::Inside, self.text.prev_grapheme(at));
        }
        match line.0.checked_sub(1) {
            Some(above) => (StepResult::NewLine, self.last_of(Line(above))),
            None => (StepResult::Nowhere, at),
        }
    }

    /// What stands at a place; for `big` words there are no signs.
    pub fn class(&self, at: Byte, big: bool) -> CharClass {
        match self.char(at) {
            None => CharClass::Blank,
            Some(c) if c.is_whitespace() => CharClass::Blank,
            Some(_) if big => CharClass::Word,
            Some(c) if motion::is_word(c) => Script::of(c).map_or(CharClass::Word, CharClass::Script),
            Some(_) => CharClass::Sign,
        }
    }

    /// The display column of a place.
    pub fn column(&self, at: Byte) -> Column {
        columns::column_of(self.text, at, self.tab_width)
    }

    /// The column that a cursor aims at: that which it aims at already, else its own. On a tab that is the tab's last
    /// column; in a selection only behind where that began.
    pub fn goal_column(&self, range: &Range) -> Column {
        let at = range.head;
        let first = self.can_rest_at_end && at <= range.anchor || self.char(at) != Some('\t');
        range.goal.unwrap_or_else(|| if first { self.column(at) } else { self.last_column(at) })
    }

    /// The last display column of the character at a place.
    pub fn last_column(&self, at: Byte) -> Column {
        let (own, next) = (self.column(at), self.column(self.right(at)));
        own.max(Column(next.0.saturating_sub(1)))
    }

    /// The place at a column of a line, on its last character at most.
    pub fn at(&self, line: Line, column: Column) -> Byte {
        let last = if self.can_rest_at_end { self.end(line) } else { self.last_of(line) };
        if column.0 == usize::MAX {
            return last;
        }
        columns::at_column(self.text, line, column, self.tab_width).min(last)
    }

    /// The nearest place where a cursor may rest: no end of a line.
    pub fn resting_place(&self, at: Byte) -> Byte {
        let at = self.text.grapheme_floor(at.min(self.last()));
        let line = self.line(at);
        let last = if self.can_rest_at_end { self.end(line) } else { self.last_of(line) };
        at.min(last).max(self.start(line))
    }

    /// Whether a place is at or before the first character of its line that is no white space.
    pub fn in_indent(&self, at: Byte) -> bool {
        at <= motion::indent_end(self.text, self.line(at))
    }

    /// The span of whole lines, with the last one's ending if it has one.
    pub fn lines(&self, first: Line, last: Line) -> std::ops::Range<Byte> {
        self.start(first)..self.text.line_start(Line(last.0 + 1))
    }
}
