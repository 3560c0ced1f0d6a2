//! Selection commands: each function takes a selection and returns another one.
//!
//! Must not know keys or screens, and changes no text.

use crate::text::display::columns::{at_column, column_of};
use crate::text::movement::brackets;
use crate::text::movement::motion;
use crate::text::movement::paragraph;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;
use crate::text::selection::{Range, Selection};

/// Maximum number of ranges created at once: each is processed by every following key press.
pub const RANGES_MAX: usize = 100_000;

/// Adds a copy of every range on the next line, at the same display columns. The copy of the primary range
/// becomes primary. Ranges without such a line are not copied.
pub fn add_vertical(text: &Text, selection: &Selection, down: bool, tab_width: usize) -> Selection {
    let mut ranges = selection.ranges().to_vec();
    let mut primary = selection.primary_index();
    for (n, range) in selection.ranges().iter().enumerate() {
        if let Some(copy) = adjacent_range(text, *range, down, tab_width) {
            if n == selection.primary_index() {
                primary = ranges.len();
            }
            ranges.push(copy);
        }
    }
    Selection::new(ranges, primary)
}

fn adjacent_range(text: &Text, range: Range, down: bool, tab_width: usize) -> Option<Range> {
    let next = |at: Byte| {
        let line = text.line_of(at);
        let next = if down { line.0 + 1 } else { line.0.checked_sub(1)? };
        (next < text.line_count()).then_some(Line(next))
    };
    let goal = range.goal.unwrap_or_else(|| column_of(text, range.head, tab_width));
    let head = at_column(text, next(range.head)?, goal, tab_width);
    if range.is_empty() {
        return Some(Range { goal: Some(goal), ..Range::cursor(head) });
    }
    let anchor = at_column(text, next(range.anchor)?, column_of(text, range.anchor, tab_width), tab_width);
    Some(Range { goal: Some(goal), ..Range::new(anchor, head) })
}

/// Extends every range to the block with the indentation of its first line; a range that covers it, to the
/// enclosing block with its head line.
pub fn indent_blocks(text: &Text, selection: &Selection, tab_width: usize) -> Selection {
    let lines =
        |first: Line, last: Line| Range::new(text.line_start(first), text.line_start(Line(last.0 + 1)));
    selection.transform(|range| {
        let full = |line: &Line| !paragraph::is_blank(text, *line);
        let first = text.line_of(range.start());
        let Some(line) = (first.0..text.line_count()).take(BLANK_MAX).map(Line).find(full) else {
            return range;
        };
        let (from, to) = paragraph::indent_block(text, line, tab_width);
        let block = lines(from, to);
        if range.start() > block.start() || range.end() < block.end() {
            return block;
        }
        let own = paragraph::indentation(text, from, tab_width);
        let less =
            |line: &Line| paragraph::indentation(text, *line, tab_width).is_some_and(|n| Some(n) < own);
        let above = (from.0.saturating_sub(BLANK_MAX)..from.0).rev().map(Line).find(less);
        let Some(head) = above else { return range };
        let (from, to) = paragraph::indent_block(text, head, tab_width);
        lines(from, to)
    })
}

/// Maximum number of blank lines skipped to a line with content, or to a block's head.
const BLANK_MAX: usize = 1_000;

/// Extends every cursor to the word that it is in or at the end of; ranges stay.
pub fn words(text: &Text, selection: &Selection) -> Selection {
    selection.transform(|range| {
        if !range.is_empty() {
            return range;
        }
        let at_word = |c: Option<char>| c.is_some_and(motion::is_word);
        let inside = at_word(text.char_at(range.head));
        let at = if inside || !at_word(text.char_before(range.head)) {
            range.head
        } else {
            text.prev_grapheme(range.head)
        };
        motion::word_around(text, at)
    })
}

/// Returns a search for the primary range's text, if it is not empty.
pub fn occurrence_needle(text: &Text, selection: &Selection) -> Option<Needle> {
    Needle::exact(&text.slice(selection.primary().span()))
}

/// Adds the next occurrence of the primary range's text, cyclically; it becomes the primary one. `None` when
/// every occurrence is selected.
pub fn add_next(text: &Text, selection: &Selection) -> Option<Selection> {
    let needle = occurrence_needle(text, selection)?;
    let primary = selection.primary();
    let taken = |found: &std::ops::Range<Byte>| {
        let ranges = selection.ranges();
        let at = ranges.partition_point(|range| range.end() <= found.start);
        ranges.get(at).is_some_and(|range| range.start() < found.end)
    };
    let behind = needle.matches(text, primary.end()..text.end()).find(|found| !taken(found));
    let found = behind.or_else(|| needle.matches(text, Byte(0)..primary.start()).find(|f| !taken(f)))?;
    let mut ranges = selection.ranges().to_vec();
    ranges.push(range_like(primary, &found));
    let last = ranges.len() - 1;
    Some(Selection::new(ranges, last))
}

/// Selects every occurrence of the primary range's text, up to [`RANGES_MAX`].
pub fn add_all(text: &Text, selection: &Selection) -> Option<Selection> {
    let needle = occurrence_needle(text, selection)?;
    let primary = selection.primary();
    // Matches do not overlap: those before the primary range and those after it are separate.
    let before = needle.matches(text, Byte(0)..primary.start());
    let behind = needle.matches(text, primary.end()..text.end());
    let found = before.chain(behind).take(RANGES_MAX - 1).map(|found| range_like(primary, &found));
    Some(Selection::new(std::iter::once(primary).chain(found).collect(), 0))
}

/// Returns a match as a range in the direction of the model.
fn range_like(model: Range, found: &std::ops::Range<Byte>) -> Range {
    if model.head < model.anchor {
        Range::new(found.end, found.start)
    } else {
        Range::new(found.start, found.end)
    }
}

/// Splits every range at line ends, one range per line. A range of whole lines yields their contents, and
/// empty lines yield cursors.
pub fn split_lines(text: &Text, selection: &Selection) -> Selection {
    let mut ranges = Vec::new();
    let mut primary = 0;
    for (n, range) in selection.ranges().iter().enumerate() {
        if n == selection.primary_index() {
            primary = ranges.len();
        }
        let (first, mut last) = (text.line_of(range.start()), text.line_of(range.end()));
        if last > first && range.end() == text.line_start(last) {
            last = Line(last.0 - 1);
        }
        for line in (first.0..=last.0).map(Line).take(RANGES_MAX) {
            let start = text.line_start(line).max(range.start());
            let end = text.line_end(line).min(range.end()).max(start);
            ranges.push(range_like(*range, &(start..end)));
        }
    }
    Selection::new(ranges, primary)
}

/// Only the primary range.
pub fn only_primary(selection: &Selection) -> Selection {
    Selection::single(selection.primary())
}

/// Removes the primary range; the previous one becomes primary. A single range stays.
pub fn without_primary(selection: &Selection) -> Selection {
    let mut ranges = selection.ranges().to_vec();
    if ranges.len() > 1 {
        ranges.remove(selection.primary_index());
    }
    let last = ranges.len() - 1;
    Selection::new(ranges, selection.primary_index().checked_sub(1).unwrap_or(last).min(last))
}

/// Makes the next or previous range primary.
pub fn rotate(selection: &Selection, forward: bool) -> Selection {
    let count = selection.ranges().len();
    let step = if forward { 1 } else { count - 1 };
    Selection::new(selection.ranges().to_vec(), (selection.primary_index() + step) % count)
}

/// Extends every range to its whole lines; a range that covers them, by the next line.
pub fn lines(text: &Text, selection: &Selection) -> Selection {
    selection.transform(|range| {
        let start = text.line_start(text.line_of(range.start()));
        let end = range.end();
        let whole = !range.is_empty() && range.start() == start && end == text.line_start(text.line_of(end));
        let next = Line(text.line_of(end).0 + 1);
        let grown = text.line_start(next);
        if whole && grown == end { range } else { Range::new(start, grown) }
    })
}

/// Extends every range to the content of the nearest brackets around it; a range that covers it, to include
/// the brackets.
pub fn inside_brackets(text: &Text, selection: &Selection) -> Selection {
    selection.transform(|range| {
        let Some((open, close)) = brackets::around(text, range.span()) else { return range };
        let inner = open + 1..close;
        let outer = if range.span() == inner { open..close + 1 } else { inner };
        Range::new(outer.start, outer.end)
    })
}

/// Adds a cursor, or removes the range that is there unless it is the only one.
pub fn toggle_cursor(selection: &Selection, at: Byte) -> Selection {
    let there = |range: &Range| range.start() <= at && at <= range.end();
    let mut ranges = selection.ranges().to_vec();
    match ranges.iter().position(there) {
        Some(_) if ranges.len() == 1 => selection.clone(),
        Some(n) => {
            ranges.remove(n);
            let primary = selection.primary_index();
            let primary = if primary > n { primary - 1 } else { primary };
            let last = ranges.len() - 1;
            Selection::new(ranges, primary.min(last))
        }
        None => {
            ranges.push(Range::cursor(at));
            let last = ranges.len() - 1;
            Selection::new(ranges, last)
        }
    }
}

#[cfg(test)]
mod tests;
