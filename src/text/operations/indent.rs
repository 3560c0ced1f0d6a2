//! Indentation of lines relative to a reference line: knowledge of the code comes from a trait. Must not know
//! languages or trees.

use std::collections::HashMap;
use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::movement::motion;
use crate::text::movement::paragraph;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Lines at the start of a text that are searched for the indentation width.
const STEP_LINES: usize = 200;
/// Columns of steps that are believed.
const STEPS: [usize; 4] = [2, 3, 4, 8];

/// Indentation of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// As far as this line.
    pub line: Line,
    /// Whether it is one level deeper.
    pub deeper: bool,
}

/// Source of indentation levels. Each function returns `None` if the level is unknown.
pub trait IndentLevels {
    /// For the line that a break in place of `start..end` starts.
    fn for_line_break(&self, text: &Text, start: Byte, end: Byte) -> Option<Level>;
    /// For an extra line between an opening and a closing construct at a position.
    fn for_middle_line(&self, text: &Text, at: Byte) -> Option<Level>;
    /// For an existing line.
    fn for_line(&self, text: &Text, line: Line) -> Option<Level>;
}

/// All levels are unknown.
#[derive(Debug, Clone, Copy)]
pub struct NoLevels;

impl IndentLevels for NoLevels {
    fn for_line_break(&self, _: &Text, _: Byte, _: Byte) -> Option<Level> {
        None
    }

    fn for_middle_line(&self, _: &Text, _: Byte) -> Option<Level> {
        None
    }

    fn for_line(&self, _: &Text, _: Line) -> Option<Level> {
        None
    }
}

/// The white space at the start of a line.
pub fn indent_range(text: &Text, line: Line) -> ByteRange<Byte> {
    text.line_start(line)..motion::indent_end(text, line)
}

/// Returns the white space of a level, given the present lines.
pub fn whitespace(text: &Text, level: Level, unit: &str) -> String {
    let own = text.slice(indent_range(text, level.line)).into_owned();
    if level.deeper { own + unit } else { own }
}

/// Returns the indentation width of the text in columns: that of the first indented line below one that is
/// not. `None` if that is implausible, or made of tabs.
pub fn detect_step(text: &Text) -> Option<usize> {
    let mut above = false;
    for line in (0..text.line_count().min(STEP_LINES)).map(Line) {
        if paragraph::is_blank(text, line) {
            continue;
        }
        let span = indent_range(text, line);
        let width = span.end - span.start;
        if above && width > 0 {
            let spaces = text.byte_at(span.start) == Some(b' ');
            // One column continues a comment, many align a list: these are not indentation levels.
            if !spaces || STEPS.contains(&width) {
                return spaces.then_some(width);
            }
        }
        above = width == 0;
    }
    None
}

/// Indents lines in order, as `level` returns, taking the new indentation of earlier ones into account; blank
/// lines lose their white space, and lines with unknown level stay.
pub fn reindent(
    text: &Text,
    selection: &Selection,
    lines: impl IntoIterator<Item = Line>,
    unit: &str,
    level: impl Fn(Line) -> Option<Level>,
) -> Transaction {
    let mut moved: HashMap<Line, String> = HashMap::new();
    let mut edits = Vec::new();
    for line in lines {
        let span = indent_range(text, line);
        let new = if span.end == text.line_end(line) {
            String::new()
        } else {
            let Some(level) = level(line) else { continue };
            let base = moved.get(&level.line).cloned();
            let mut new = base.unwrap_or_else(|| text.slice(indent_range(text, level.line)).into_owned());
            if level.deeper {
                new.push_str(unit);
            }
            new
        };
        if text.slice(span.clone()) != new {
            edits.push((span, new.clone()));
        }
        moved.insert(line, new);
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let map = |at| mapping.map(at, Side::After);
        let start = |at: Byte| at == text.line_start(text.line_of(at)) && !range.is_empty();
        let keep = |at: Byte| if start(at) { mapping.map(at, Side::Before) } else { map(at) };
        Range::new(keep(range.anchor), keep(range.head))
    });
    Transaction::new(changes).select(after)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::marked::check;
    use crate::text::operations::edit::touched_lines;

    /// Each line is a step deeper than the one before, lines with `x` are as far as the first.
    fn stairs(text: &Text) -> impl Fn(Line) -> Option<Level> {
        |line| {
            let content = text.line(line);
            if content.contains('k') || line == Line(0) {
                return None;
            }
            let deeper = !content.contains('x');
            Some(Level { line: Line(if deeper { line.0.saturating_sub(1) } else { 0 }), deeper })
        }
    }

    #[test]
    fn indent_lines_follow_parent_line() {
        let stairs = |t: &Text, s: &Selection| reindent(t, s, touched_lines(t, s), "  ", stairs(t));
        check(stairs, "a\n«b\nc\n   é»\n", "a\n«  b\n    c\n      é»\n");
        check(stairs, "a\n|b\nc|\n", "a\n  |b\n    c|\n");
        check(stairs, "\ta\n«  \n\n   k\nx\n»", "\ta\n«\n\n   k\n\tx\n»");
        check(stairs, "a\n  b|", "a\n  b|");
    }

    #[test]
    fn indent_width_is_detected() {
        let step = |content: &str| detect_step(&Text::from(content));
        assert_eq!(step("a {\n  b {\n      c\n"), Some(2));
        assert_eq!(step("/*\n * é\n */\nf {\n   x\n"), Some(3));
        assert_eq!(step("\n\nx:\n\n        y\n"), Some(8));
        assert_eq!((step("a\n\tb\n"), step("a\nb\n"), step("    a\n"), step("")), (None, None, None, None));
        assert_eq!(step("a\n            b\n"), None);
        assert_eq!(step("f(a,\n  b)\n"), Some(2));
        assert_eq!(step("a\n      b\n    c"), None);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn indent_changes_only_leading_whitespace(
            content in "[ab k x{\t é\n]{0,60}", from in 0usize..60, to in 0usize..60,
        ) {
            let text = Text::from(content.as_str());
            let at = |n: usize| text.grapheme_floor(Byte(n.min(content.len())));
            let selection = Selection::single(Range::new(at(from), at(to)));
            let edit = reindent(&text, &selection, touched_lines(&text, &selection), "   ", stairs(&text));
            let mut after = text.clone();
            edit.changes.apply(&mut after);
            let bare = |text: &Text| -> Vec<String> {
                let lines = text.to_string();
                lines.split('\n').map(|line| line.trim_start_matches([' ', '\t']).to_string()).collect()
            };
            prop_assert_eq!(bare(&text), bare(&after));
            let selection = edit.selection.unwrap();
            let lines = touched_lines(&after, &selection);
            let again = reindent(&after, &selection, lines, "   ", stairs(&after));
            prop_assert!(again.changes.is_identity());
        }
    }
}
