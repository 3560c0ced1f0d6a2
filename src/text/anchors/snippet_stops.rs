//! Tab stops of inserted snippets, while the user moves through them. They are mapped through every change.
//! Must not know keys, nor where snippets come from.

use std::collections::BTreeMap;
use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::snippet::{Expanded, Snippet, SnippetError};
use crate::text::transaction::Transaction;

/// The tab stops, and the current one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetStops {
    /// In the order in which they are visited; the last one ends the snippet.
    stops: Vec<Stop>,
    at: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Stop {
    number: u32,
    /// The stops whose defaults contain it.
    parents: Vec<u32>,
    ranges: Vec<StopRange>,
    choices: Vec<String>,
    /// The index of the current choice.
    chosen: usize,
}

/// One position of a stop.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StopRange {
    range: ByteRange<Byte>,
    /// Its order in the text, for positions that coincide.
    order: usize,
}

/// Formatting of inserted text.
#[derive(Debug, Clone)]
pub struct SnippetStyle<'a> {
    /// One level of indentation.
    pub indent: &'a str,
    /// The end of a line.
    pub ending: &'a str,
}

/// Inserts a snippet at every range, replacing selected text. Its lines are indented like the current line.
/// `variable` returns a variable's value at a range.
pub fn insert(
    text: &Text,
    selection: &Selection,
    snippet: &Snippet,
    style: &SnippetStyle<'_>,
    variable: &dyn Fn(Range, &str) -> Option<String>,
) -> Result<(Transaction, SnippetStops), SnippetError> {
    let mut edits = Vec::new();
    let mut found: BTreeMap<(bool, u32), Stop> = BTreeMap::new();
    let (mut shift, mut turns) = (0isize, 0);
    for range in selection.ranges() {
        let line = text.line_of(range.start());
        let indent_end = motion::indent_end(text, line).min(range.start());
        let indent = text.slice(text.line_start(line)..indent_end);
        let expanded = with_indent(snippet.expand(&|name| variable(*range, name))?, &indent, style);
        let start = range.start().0.saturating_add_signed(shift);
        let count: usize = expanded.stops.iter().map(|stop| stop.ranges.len()).sum();
        for stop in expanded.stops {
            let into = found.entry((stop.number == 0, stop.number)).or_default();
            let to_stop_range = |(range, turn): (ByteRange<usize>, usize)| StopRange {
                range: Byte(start + range.start)..Byte(start + range.end),
                order: turns + turn,
            };
            into.ranges.extend(stop.ranges.into_iter().zip(stop.turns).map(to_stop_range));
            (into.number, into.parents, into.choices) = (stop.number, stop.inside, stop.choices);
        }
        turns += count;
        shift += expanded.text.len() as isize - (range.end() - range.start()) as isize;
        edits.push((range.span(), expanded.text));
    }
    let stops = SnippetStops { stops: found.into_values().collect(), at: 0 };
    let changes = ChangeSet::replace(text.end().0, edits);
    Ok((Transaction::new(changes).select(stops.selection()), stops))
}

/// Returns a snippet's text with the indentation and line endings of the target text.
fn with_indent(expanded: Expanded, indent: &str, style: &SnippetStyle<'_>) -> Expanded {
    let mut text = String::with_capacity(expanded.text.len());
    let mut offsets = Vec::with_capacity(expanded.text.len() + 1);
    let mut leading = true;
    for c in expanded.text.chars() {
        offsets.resize(offsets.len() + c.len_utf8(), text.len());
        match c {
            '\r' => {}
            '\n' => {
                text.push_str(style.ending);
                text.push_str(indent);
            }
            '\t' if leading => text.push_str(style.indent),
            c => text.push(c),
        }
        leading = c == '\n' || leading && matches!(c, ' ' | '\t');
    }
    offsets.push(text.len());
    let mut stops = expanded.stops;
    for range in stops.iter_mut().flat_map(|stop| &mut stop.ranges) {
        *range = offsets[range.start]..offsets[range.end];
    }
    Expanded { text, stops }
}

impl SnippetStops {
    /// Returns the positions of the current stop as a selection.
    pub fn selection(&self) -> Selection {
        let ranges = self.stops[self.at].ranges.iter();
        Selection::new(ranges.map(|range| Range::new(range.range.start, range.range.end)).collect(), 0)
    }

    /// Whether this is the last stop, after which the snippet ends.
    pub fn is_last(&self) -> bool {
        self.at + 1 == self.stops.len()
    }

    /// Returns the choices of the current stop.
    pub fn choices(&self) -> &[String] {
        &self.stops[self.at].choices
    }

    /// Whether a range is within the inserted text, or at an end of it.
    pub fn contains(&self, range: Range) -> bool {
        let all = || self.stops.iter().flat_map(|stop| &stop.ranges);
        let start = all().map(|stop_range| stop_range.range.start).min();
        let end = all().map(|stop_range| stop_range.range.end).max();
        start.is_some_and(|start| start <= range.start()) && end.is_some_and(|end| range.end() <= end)
    }

    /// Moves to the next or previous stop, and returns its selection. `None` when there is none.
    pub fn go(&mut self, forward: bool) -> Option<Selection> {
        let to = if forward { self.at + 1 } else { self.at.checked_sub(1)? };
        if to >= self.stops.len() {
            return None;
        }
        self.at = to;
        Some(self.selection())
    }

    /// Returns the edit that replaces the current stop's text by the next choice.
    pub fn choose(&mut self, text: &Text) -> Option<Transaction> {
        let stop = &mut self.stops[self.at];
        if stop.choices.is_empty() {
            return None;
        }
        stop.chosen = (stop.chosen + 1) % stop.choices.len();
        let new = &stop.choices[stop.chosen];
        let edits = stop.ranges.iter().map(|stop_range| (stop_range.range.clone(), new.clone()));
        let changes = ChangeSet::replace(text.end().0, edits);
        let mut after = self.clone();
        after.map(&changes);
        let selection = after.selection();
        Some(Transaction::new(changes).select(selection))
    }

    /// Maps everything through a change: text typed at the current stop belongs to it, and to the stops
    /// around it. Stops whose text is deleted with its surroundings are removed. Returns whether any stops
    /// are left.
    pub fn map(&mut self, changes: &ChangeSet) -> bool {
        let Stop { ranges: active, parents: inside, .. } = self.stops[self.at].clone();
        let at = self.at;
        for (n, stop) in self.stops.iter_mut().enumerate() {
            stop.ranges.retain_mut(|stop_range| {
                let gone = n != at && is_deleted(&stop_range.range, changes);
                let grows = n == at || inside.contains(&stop.number) && stop_range.is_around(&active);
                stop_range.range = map_range(stop_range, changes, &active, grows);
                !gone
            });
        }
        let here = !self.stops[self.at].ranges.is_empty();
        let before = self.stops[..self.at].iter().filter(|stop| !stop.ranges.is_empty()).count();
        self.stops.retain(|stop| !stop.ranges.is_empty());
        self.at = before;
        here && !self.stops.is_empty()
    }
}

impl StopRange {
    /// Whether one of these positions is within it.
    fn is_around(&self, ranges: &[Self]) -> bool {
        let within =
            |inner: &Self| self.range.start <= inner.range.start && inner.range.end <= self.range.end;
        ranges.iter().any(within)
    }
}

/// Whether a change deletes a range and text around it.
fn is_deleted(range: &ByteRange<Byte>, changes: &ChangeSet) -> bool {
    let near = changes.edits_from(range.start).take_while(|edit| edit.old.start <= range.start);
    near.into_iter().any(|edit| {
        let (start, end) = (edit.old.start, edit.old.end);
        let around = if range.is_empty() {
            start < range.start && range.end < end
        } else {
            start <= range.start && range.end <= end
        };
        around && end - start > range.end - range.start
    })
}

/// Maps a position through a change.
fn map_range(
    stop_range: &StopRange,
    changes: &ChangeSet,
    active: &[StopRange],
    grows: bool,
) -> ByteRange<Byte> {
    let range = &stop_range.range;
    if grows {
        let start = changes.map(range.start, Side::Before);
        return start..changes.map(range.end, Side::After).max(start);
    }
    // An empty position moves after text typed beside it, unless it comes before it in the order.
    let first = active.iter().any(|inner| inner.range.start == range.end && stop_range.order < inner.order);
    let start = changes.map(range.start, if range.is_empty() && first { Side::Before } else { Side::After });
    start..changes.map(range.end, Side::Before).max(start)
}

#[cfg(test)]
mod tests;
