//! A text as a modal editor sees it: the cursor rests on characters, not at line ends, and a final line feed
//! starts no line. Must not know motions.

use crate::text::display::columns;
use crate::text::movement::motion;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::Range;

/// A text and its tab width in cells.
#[derive(Clone, Copy)]
pub struct ModalText<'t> {
    /// The text.
    pub text: &'t Text,
    /// Cells between tab stops.
    pub tab_width: usize,
    /// Whether the cursor may rest at the end of a line, as in a selection.
    pub can_rest_at_end: bool,
    /// The last line, cached: every motion of every cursor needs it.
    pub last: Line,
}

/// Class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharClass {
    /// White space, and the end of a line.
    Blank,
    /// Signs.
    Sign,
    /// Letters and digits.
    Word,
    /// Characters of a script without spaces: each run is a word.
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

/// Whether two adjacent characters belong to one word.
pub fn is_one_word(one: char, other: char) -> bool {
    motion::is_word(one) && motion::is_word(other) && Script::of(one) == Script::of(other)
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// Another character of the line.
    Inside,
    /// The end of the line.
    LineEnd,
    /// Another line.
    NewLine,
    /// There is no further position.
    Nowhere,
}

impl<'t> ModalText<'t> {
    /// Creates a page of a text.
    pub fn new(text: &'t Text, tab_width: usize) -> Self {
        let last = text.last_line();
        let bare = last.0 > 0 && text.line_start(last) == text.end();
        Self { text, tab_width, can_rest_at_end: false, last: if bare { Line(last.0 - 1) } else { last } }
    }

    /// Returns the last line; a final line feed starts none.
    pub fn last_line(&self) -> Line {
        self.last
    }

    /// Returns the line of a position.
    pub fn line(&self, at: Byte) -> Line {
        self.text.line_of(at).min(self.last_line())
    }

    /// Returns the start of a line.
    pub fn start(&self, line: Line) -> Byte {
        self.text.line_start(line)
    }

    /// Returns the end of a line, before its ending.
    pub fn end(&self, line: Line) -> Byte {
        self.text.line_end(line)
    }

    /// Returns the start of a position's line.
    pub fn start_of(&self, at: Byte) -> Byte {
        self.start(self.line(at))
    }

    /// Returns the end of a position's line.
    pub fn end_of(&self, at: Byte) -> Byte {
        self.end(self.line(at))
    }

    /// Returns the last position: the end of the last line.
    pub fn last(&self) -> Byte {
        self.end(self.last_line())
    }

    /// Returns the last character of a line, or its start when it is empty.
    pub fn last_of(&self, line: Line) -> Byte {
        let end = self.end(line);
        if end == self.start(line) { end } else { self.text.prev_grapheme(end) }
    }

    /// Returns the first non-blank character of a line; its last character if all are blank.
    pub fn first_non_blank(&self, line: Line) -> Byte {
        motion::indent_end(self.text, line).min(self.last_of(line)).max(self.start(line))
    }

    /// Whether a line is empty.
    pub fn is_empty_line(&self, line: Line) -> bool {
        self.start(line) == self.end(line)
    }

    /// Whether a position is at the end of its line, after the last character.
    pub fn at_end(&self, at: Byte) -> bool {
        at >= self.end_of(at)
    }

    /// Returns the character at a position; `None` at the end of a line.
    pub fn char(&self, at: Byte) -> Option<char> {
        if self.at_end(at) { None } else { self.text.char_at(at) }
    }

    /// Returns the next position in the same line, or its end.
    pub fn right(&self, at: Byte) -> Byte {
        let end = self.end_of(at);
        if at >= end { at } else { self.text.next_grapheme(at).min(end) }
    }

    /// Returns the previous position in the same line.
    pub fn left(&self, at: Byte) -> Byte {
        if at <= self.start_of(at) { at } else { self.text.prev_grapheme(at) }
    }

    /// Moves one step forward; ends of lines are positions, too.
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

    /// Moves one step back; from the start of a line to the last character of the previous one.
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

    /// Returns the class at a position; for `big` words there is no punctuation class.
    pub fn class(&self, at: Byte, big: bool) -> CharClass {
        match self.char(at) {
            None => CharClass::Blank,
            Some(c) if c.is_whitespace() => CharClass::Blank,
            Some(_) if big => CharClass::Word,
            Some(c) if motion::is_word(c) => Script::of(c).map_or(CharClass::Word, CharClass::Script),
            Some(_) => CharClass::Sign,
        }
    }

    /// Returns the display column of a position.
    pub fn column(&self, at: Byte) -> Column {
        columns::column_of(self.text, at, self.tab_width)
    }

    /// Returns the goal column of a cursor: the existing one, else its own. On a tab that is the tab's last
    /// column; in a selection only after its start.
    pub fn goal_column(&self, range: &Range) -> Column {
        let at = range.head;
        let first = self.can_rest_at_end && at <= range.anchor || self.char(at) != Some('\t');
        range.goal.unwrap_or_else(|| if first { self.column(at) } else { self.last_column(at) })
    }

    /// Returns the last display column of the character at a position.
    pub fn last_column(&self, at: Byte) -> Column {
        let (own, next) = (self.column(at), self.column(self.right(at)));
        own.max(Column(next.0.saturating_sub(1)))
    }

    /// Returns the position at a column of a line, at most its last character.
    pub fn at(&self, line: Line, column: Column) -> Byte {
        let last = if self.can_rest_at_end { self.end(line) } else { self.last_of(line) };
        if column.0 == usize::MAX {
            return last;
        }
        columns::at_column(self.text, line, column, self.tab_width).min(last)
    }

    /// Returns the nearest position where the cursor may rest: not at the end of a line.
    pub fn cursor_position(&self, at: Byte) -> Byte {
        let at = self.text.grapheme_floor(at.min(self.last()));
        let line = self.line(at);
        let last = if self.can_rest_at_end { self.end(line) } else { self.last_of(line) };
        at.min(last).max(self.start(line))
    }

    /// Whether a position is at or before the first non-blank character of its line.
    pub fn in_indent(&self, at: Byte) -> bool {
        at <= motion::indent_end(self.text, self.line(at))
    }

    /// Returns the range of whole lines, including the last one's ending if it has one.
    pub fn lines(&self, first: Line, last: Line) -> std::ops::Range<Byte> {
        self.start(first)..self.text.line_start(Line(last.0 + 1))
    }
}
