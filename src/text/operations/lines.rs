//! Edits of whole lines: move, delete, join, sort, open, trim. Line endings keep their positions, so that
//! mixed endings are preserved. Must not know keys.

use std::collections::HashSet;

use crate::text::changes::{ChangeSet, Side};
use crate::text::display::columns::{at_column, column_of};
use crate::text::file_format::format::LineEnding;
use crate::text::movement::motion;
use crate::text::operations::edit::{lines_of, touched_lines};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Sort order of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By their characters.
    Plain,
    /// Reversed.
    Reverse,
    /// By the first number in each line; lines without one come first.
    Numeric,
    /// By the first integer in each line; lines without one come first.
    Integer,
    /// Not sorted: duplicates are removed, the first one stays.
    Unique,
}

/// Runs of neighbouring lines that a selection touches: first and last of each.
pub fn blocks(text: &Text, selection: &Selection) -> Vec<(Line, Line)> {
    let mut blocks: Vec<(Line, Line)> = Vec::new();
    for line in touched_lines(text, selection) {
        match blocks.last_mut() {
            Some((_, last)) if last.0 + 1 == line.0 => *last = line,
            _ => blocks.push((line, line)),
        }
    }
    blocks
}

/// Whether no two lines that a selection touches are adjacent. Linear in the number of ranges.
pub fn are_apart(text: &Text, selection: &Selection) -> bool {
    let ranges = selection.ranges().iter();
    let mut last = None;
    for (first, end) in ranges.map(|range| lines_of(text, *range)) {
        if first < end || last.is_some_and(|last: Line| last.0 + 1 == first.0) {
            return false;
        }
        last = Some(end);
    }
    true
}

fn content(text: &Text, first: Line, last: Line) -> String {
    text.slice(text.line_start(first)..text.line_end(last)).into_owned()
}

/// Returns the ending of a line; empty for the last one.
fn ending_of(text: &Text, line: Line) -> String {
    text.slice(text.line_end(line)..text.line_start(Line(line.0 + 1))).into_owned()
}

/// Moves the lines that a selection touches over the adjacent line, with all cursors and selections in them.
pub fn move_lines(text: &Text, selection: &Selection, down: bool) -> Transaction {
    let blocks = blocks(text, selection);
    let mut edits = Vec::new();
    for (first, last) in &blocks {
        if down && *last < text.last_line() {
            let below = Line(last.0 + 1);
            let lifted = format!("{}{}", content(text, below, below), ending_of(text, *last));
            edits.push((text.line_start(*first)..text.line_start(*first), lifted));
            edits.push((text.line_end(*last)..text.line_end(below), String::new()));
        } else if !down && first.0 > 0 {
            let above = Line(first.0 - 1);
            let lowered = format!("{}{}", ending_of(text, above), content(text, above, above));
            edits.push((text.line_start(above)..text.line_start(*first), String::new()));
            edits.push((text.line_end(*last)..text.line_end(*last), lowered));
        }
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let mut rest = text.clone();
    changes.apply(&mut rest);
    let after = selection.transform(|range| {
        let line = text.line_of(range.start());
        let block = blocks.iter().find(|(first, last)| *first <= line && line <= *last);
        let Some((first, last)) = block else { return range };
        let start = text.line_start(*first);
        // Every block keeps its length, so earlier ones do not shift it.
        let moved = match (down, last.0 < text.last_line().0, first.0) {
            (true, true, _) => {
                let below = Line(last.0 + 1);
                start + (text.line_end(below) - text.line_start(below)) + ending_of(text, *last).len()
            }
            (false, _, 1..) => text.line_start(Line(first.0 - 1)),
            _ => start,
        };
        // A range of whole lines ends at the start of the next line.
        let behind = rest.line_start(Line(rest.line_of(moved).0 + (last.0 - first.0) + 1));
        let map_position = |at: Byte| if at > text.line_end(*last) { behind } else { moved + (at - start) };
        Range::new(map_position(range.anchor), map_position(range.head))
    });
    Transaction::new(changes).select(after)
}

/// Deletes the lines that a selection touches, and returns them. Cursors go to the next line, at the same
/// column.
pub fn delete_lines(text: &Text, selection: &Selection, tab_width: usize) -> (Transaction, Vec<String>) {
    let blocks = blocks(text, selection);
    let span = |(first, last): &(Line, Line)| {
        let end = text.line_start(Line(last.0 + 1));
        // Without a following line, the ending before the block is deleted.
        let only = *last == text.last_line() && first.0 > 0;
        let start = if only { text.line_end(Line(first.0 - 1)) } else { text.line_start(*first) };
        start..end
    };
    // A cut text ends like its last line, or like the line before it at the text's end.
    let ending = |last: Line| match ending_of(text, last) {
        own if own.is_empty() => ending_of(text, Line(last.0.saturating_sub(1))),
        own => own,
    };
    let whole = |last: Line| Some(ending(last)).filter(|own| !own.is_empty()).unwrap_or_else(|| "\n".into());
    let gone: Vec<String> = blocks.iter().map(|(a, b)| content(text, *a, *b) + &whole(*b)).collect();
    // Two blocks cannot overlap, as a kept line lies between them.
    let changes = ChangeSet::replace(text.end().0, blocks.iter().map(|block| (span(block), String::new())));
    let mut rest = text.clone();
    changes.apply(&mut rest);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let column = column_of(text, range.head, tab_width);
        let line = text.line_of(range.start());
        let at = mapping.map(text.line_start(line), Side::Before);
        let line = rest.line_of(at);
        Range { goal: Some(column), ..Range::cursor(at_column(&rest, line, column, tab_width)) }
    });
    (Transaction::new(changes).select(after), gone)
}

/// Joins the lines of every selection, or a cursor's line with the next one, with one space, or none where
/// none is needed.
pub fn join(text: &Text, selection: &Selection) -> Transaction {
    let mut edits = Vec::new();
    for (first, last) in blocks(text, selection) {
        let last = if first == last { Line(last.0 + 1) } else { last };
        let last = last.min(text.last_line());
        let mut from = trimmed_end(text, first);
        let mut empty = from == text.line_start(first);
        let mut blank = false;
        for next in (first.0 + 1..=last.0).map(Line) {
            let to = motion::indent_end(text, next);
            blank = to == text.line_end(next);
            if blank {
                continue;
            }
            let closing = matches!(text.byte_at(to), Some(b')' | b']' | b',' | b';'));
            let opening = matches!(text.char_before(from), Some('(' | '['));
            edits.push((from..to, if empty || closing || opening { "" } else { " " }.to_string()));
            (from, empty) = (trimmed_end(text, next), false);
        }
        if blank {
            edits.push((from..text.line_end(last), String::new()));
        }
    }
    // In order, as the edits are.
    let joints: Vec<(Line, Byte)> =
        edits.iter().map(|(span, _)| (text.line_of(span.start), span.start)).collect();
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let line = text.line_of(range.head);
        let joint = joints.get(joints.partition_point(|(of, _)| *of < line)).filter(|(of, _)| *of == line);
        match joint {
            Some((_, end)) if range.is_empty() => Range::cursor(mapping.map(*end, Side::Before)),
            _ => range.map(mapping),
        }
    });
    Transaction::new(changes).select(after)
}

/// Returns the start of a line's trailing white space.
fn trimmed_end(text: &Text, line: Line) -> Byte {
    let content = text.line(line);
    text.line_start(line) + content.trim_end().len()
}

/// Sorts every run of selected lines separately, or removes duplicates; the result is selected. Runs of one
/// line stay.
pub fn sort(text: &Text, selection: &Selection, order: Order) -> Transaction {
    let blocks = blocks(text, selection);
    let mut edits = Vec::new();
    for (first, last) in blocks.iter().filter(|(first, last)| first < last) {
        let old: Vec<String> = (first.0..=last.0).map(|n| text.line(Line(n)).into_owned()).collect();
        let mut new: Vec<&str> = old.iter().map(String::as_str).collect();
        match order {
            Order::Plain => new.sort_unstable(),
            Order::Reverse => new.sort_unstable_by(|a, b| b.cmp(a)),
            // Stable: lines with equal numbers keep their order.
            Order::Numeric => new.sort_by(|a, b| numbers_of(a).total_cmp(&numbers_of(b))),
            Order::Integer => new.sort_by(|a, b| numbers_of(a).trunc().total_cmp(&numbers_of(b).trunc())),
            Order::Unique => {
                let mut seen = HashSet::new();
                new.retain(|line| seen.insert(*line));
            }
        }
        let endings = (first.0..).map(|n| ending_of(text, Line(n)));
        let count = new.len();
        let mut sorted = String::new();
        for (n, (line, ending)) in new.iter().zip(endings).enumerate() {
            sorted.push_str(line);
            sorted.push_str(if n + 1 < count { &ending } else { "" });
        }
        let span = text.line_start(*first)..text.line_end(*last);
        if text.slice(span.clone()) != sorted {
            edits.push((span, sorted));
        }
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let line = text.line_of(range.start());
        match blocks.iter().find(|(first, last)| first < last && *first <= line && line <= *last) {
            Some((first, last)) => Range::new(
                mapping.map(text.line_start(*first), Side::Before),
                mapping.map(text.line_end(*last), Side::After),
            ),
            None => range.map(mapping),
        }
    });
    Transaction::new(changes).select(after)
}

/// The first number of a line, for sorting.
fn numbers_of(line: &str) -> f64 {
    let Some(start) = line.find(|c: char| c.is_ascii_digit()) else { return f64::NEG_INFINITY };
    let mut points = 0;
    let mut goes_on = |c: char| {
        points += usize::from(c == '.');
        c.is_ascii_digit() || c == '.' && points == 1
    };
    // A second point ends it: versions are sorted by their first two parts.
    let end = line[start..].find(|c: char| !goes_on(c)).map_or(line.len(), |n| start + n);
    let number = line[start..end].trim_end_matches('.').parse().unwrap_or(f64::INFINITY);
    if line[..start].ends_with('-') { -number } else { number }
}

/// Opens a line above or below every cursor's line and moves there. One above has the same indentation, one
/// below that of `indent` for the end of the line.
pub fn open(
    text: &Text,
    selection: &Selection,
    below: bool,
    ending: LineEnding,
    indent: impl Fn(Byte) -> Option<String>,
) -> Transaction {
    let mut edits: Vec<(std::ops::Range<Byte>, String)> = Vec::new();
    let mut cursors = Vec::new();
    let mut grown = 0;
    let mut opened = None;
    for range in selection.ranges() {
        let line = text.line_of(range.head);
        if opened == Some(line) {
            continue;
        }
        opened = Some(line);
        let (start, indent_end) = (text.line_start(line), motion::indent_end(text, line));
        let at = if below { text.line_end(line) } else { start };
        let own = || text.slice(start..indent_end).into_owned();
        let indent = indent(at).filter(|_| below).unwrap_or_else(own);
        let cursor = at.0 + grown + indent.len() + if below { ending.text().len() } else { 0 };
        cursors.push(Range::cursor(Byte(cursor)));
        let new =
            if below { format!("{}{indent}", ending.text()) } else { format!("{indent}{}", ending.text()) };
        grown += new.len();
        edits.push((at..at, new));
    }
    let primary = text.line_of(selection.primary().head);
    let changes = ChangeSet::replace(text.end().0, edits.iter().cloned());
    let at = edits.iter().position(|(span, _)| text.line_of(span.start) == primary).unwrap_or(0);
    Transaction::new(changes).select(Selection::new(cursors, at))
}

/// Returns the selected lines, or all lines without a selection.
fn selected_or_all(text: &Text, selection: &Selection) -> Vec<Line> {
    if selection.is_empty() {
        (0..text.line_count()).map(Line).collect()
    } else {
        touched_lines(text, selection)
    }
}

/// Removes trailing white space of the selected lines, or of all lines without a selection.
pub fn trim(text: &Text, selection: &Selection) -> Transaction {
    let edits = selected_or_all(text, selection).into_iter().filter_map(|line| {
        let (from, to) = (trimmed_end(text, line), text.line_end(line));
        (from < to).then(|| (from..to, String::new()))
    });
    Transaction::new(ChangeSet::replace(text.end().0, edits))
}

/// Writes the indentation of the selected lines, or of all, with tabs or with spaces.
pub fn reindent(text: &Text, selection: &Selection, tab_width: usize, hard: bool) -> Transaction {
    let edits = selected_or_all(text, selection).into_iter().filter_map(|line| {
        let (start, end) = (text.line_start(line), motion::indent_end(text, line));
        let columns = column_of(text, end, tab_width).0;
        let new = if hard {
            format!("{}{}", "\t".repeat(columns / tab_width), " ".repeat(columns % tab_width))
        } else {
            " ".repeat(columns)
        };
        (text.slice(start..end) != new).then_some((start..end, new))
    });
    Transaction::new(ChangeSet::replace(text.end().0, edits))
}

#[cfg(test)]
mod tests;
