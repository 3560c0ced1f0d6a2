//! The scopes of a text in a language that is read line by line: what a line means depends on all
//! lines before it. What stands between two lines is kept for some of them, so that a change is
//! read again from where it was made, and only as far as it changes anything.
//!
//! Not for a key's way to the screen.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack};

use crate::syntax::coloring::highlight::RANGE_MAX;
use crate::syntax::coloring::painted::{Painted, Span};
use crate::syntax::coloring::scopes;
use crate::syntax::coloring::scopes::Paint;
use crate::syntax::coloring::textmate;
use crate::syntax::languages::lined;
use crate::syntax::languages::lined::Lined;
use crate::syntax::tree::Trouble;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Texts with more bytes stay plain.
pub const SIZE_MAX: usize = 2 << 20;
/// Lines with more bytes are passed over.
const LINE_MAX: usize = 4 << 10;
/// What stands before a line is kept for one of so many.
const KEPT_EVERY: usize = 32;

/// What stands before a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Before {
    state: ParseState,
    scopes: ScopeStack,
}

/// What stands before the line that begins at a place.
#[derive(Debug, Clone)]
struct Kept {
    at: Byte,
    before: Before,
}

/// How far a text was read.
#[derive(Debug, Clone)]
pub struct Read {
    language: &'static Lined,
    /// What is known to be right, in order.
    known: Vec<Kept>,
    /// What was right before the last change, behind it: it is again once reading comes to one
    /// of these places with the same before it.
    later: Vec<Kept>,
}

impl Read {
    /// Nothing was read yet.
    pub fn new(language: &'static Lined) -> Self {
        Self { language, known: Vec::new(), later: Vec::new() }
    }

    /// How many places are known to be right.
    #[cfg(test)]
    fn places(&self) -> usize {
        self.known.len()
    }

    /// Moves along with a change of the text.
    pub fn edit(&mut self, changes: &ChangeSet) {
        let (Some(first), Some(last)) = (changes.edits().next(), changes.last_edit()) else { return };
        let (start, end) = (first.old.start, last.old.end);
        let behind = self.known.partition_point(|kept| kept.at <= end);
        let tail = self.known.split_off(behind);
        self.known.truncate(self.known.partition_point(|kept| kept.at <= start));
        if !tail.is_empty() {
            self.later = tail;
        }
        self.later.retain_mut(|kept| {
            let stays = kept.at > end;
            kept.at = changes.map(kept.at, Side::After);
            stays
        });
    }

    /// The scopes of ranges, sorted and apart, each cut as a screen is. Reads no further than
    /// the last of them.
    pub fn paint(
        &mut self,
        text: &Text,
        ranges: &[Range<Byte>],
        budget: Duration,
    ) -> Result<Vec<Painted>, Trouble> {
        if text.end().0 > SIZE_MAX {
            return Err(Trouble::TooLong);
        }
        let deadline = Instant::now() + budget;
        let mut colors = Colors::default();
        let cut = |range: &Range<Byte>| {
            let end = range.end.min(text.end()).min(range.start + RANGE_MAX);
            range.start.min(end)..end
        };
        ranges.iter().map(|range| self.range(text, cut(range), &mut colors, deadline)).collect()
    }

    fn range(
        &mut self,
        text: &Text,
        range: Range<Byte>,
        colors: &mut Colors,
        deadline: Instant,
    ) -> Result<Painted, Trouble> {
        let mut spans = Vec::new();
        let mut line = text.line_of(range.start);
        let wanted = text.line_start(line);
        let (at, mut before) = self.from(wanted)?;
        line = line.min(text.line_of(at));
        let mut since = 0;
        while text.line_start(line) < range.end {
            let at = text.line_start(line);
            if since >= KEPT_EVERY {
                self.keep(at, &before);
                since = 0;
            }
            if let Some(rejoined) = self.rejoin(at, &before).filter(|_| at < wanted) {
                // What follows is as it was: on from the last place before what is wanted.
                if let Some(kept) = self.known[rejoined..].iter().rfind(|kept| kept.at <= wanted) {
                    (line, before) = (text.line_of(kept.at), kept.before.clone());
                }
            }
            if Instant::now() > deadline {
                return Err(Trouble::TooSlow);
            }
            read_line(text, line, &mut before, &range, (&mut spans, colors))?;
            line = Line(line.0 + 1);
            since += 1;
            if line > text.last_line() {
                break;
            }
        }
        Ok(Painted::new(range, spans))
    }

    /// The last place at or before `wanted` of which it is known what stands before it.
    fn from(&self, wanted: Byte) -> Result<(Byte, Before), Trouble> {
        if let Some(kept) = self.known.iter().rfind(|kept| kept.at <= wanted) {
            return Ok((kept.at, kept.before.clone()));
        }
        let definition = self.language.definition().ok_or(Trouble::Broken)?;
        let mut scopes = ScopeStack::new();
        scopes.push(definition.scope);
        Ok((Byte(0), Before { state: ParseState::new(definition), scopes }))
    }

    fn keep(&mut self, at: Byte, before: &Before) {
        if self.known.last().is_none_or(|last| last.at < at) {
            self.known.push(Kept { at, before: before.clone() });
        }
    }

    /// Where what was read before a change is right again, that is known from now on. Gives the
    /// place of the first of it.
    fn rejoin(&mut self, at: Byte, before: &Before) -> Option<usize> {
        if self.known.last().is_some_and(|last| last.at > at) {
            return None;
        }
        let passed = self.later.partition_point(|kept| kept.at < at);
        self.later.drain(..passed);
        let same = self.later.first().is_some_and(|kept| kept.at == at && kept.before == *before);
        if !same {
            return None;
        }
        if self.known.last().is_some_and(|last| last.at == at) {
            self.known.pop();
        }
        let first = self.known.len();
        self.known.append(&mut self.later);
        Some(first)
    }
}

/// Reads a line, and paints what of it is in a range.
fn read_line(
    text: &Text,
    line: Line,
    before: &mut Before,
    range: &Range<Byte>,
    (spans, colors): (&mut Vec<Span>, &mut Colors),
) -> Result<(), Trouble> {
    let (start, end) = (text.line_start(line), text.line_end(line));
    if end - start > LINE_MAX {
        return Ok(());
    }
    let content = format!("{}\n", text.slice(start..end));
    let steps = before.state.parse_line(&content, lined::set()).map_err(|_| Trouble::Broken)?;
    let mut from = 0;
    for (to, step) in steps.iter().map(|(to, step)| (*to, Some(step))).chain([(content.len(), None)]) {
        let piece = start + from..(start + to).min(end);
        let piece = piece.start.max(range.start)..piece.end.min(range.end);
        if piece.start < piece.end
            && let Some(scope) = colors.of(&before.scopes).and_then(scopes::name)
        {
            match spans.last_mut() {
                Some(last) if last.range.end == piece.start && last.scope == scope => {
                    last.range.end = piece.end;
                }
                _ => spans.push(Span { range: piece, scope }),
            }
        }
        from = to;
        if let Some(step) = step {
            before.scopes.apply(step).map_err(|_| Trouble::Broken)?;
        }
    }
    Ok(())
}

/// What scopes paint, as far as it was asked for.
#[derive(Default)]
struct Colors(HashMap<Scope, Option<Paint>>);

impl Colors {
    /// The innermost scope that has a color counts.
    fn of(&mut self, scopes: &ScopeStack) -> Option<Paint> {
        let inner = scopes.as_slice().iter().rev();
        inner
            .into_iter()
            .find_map(|scope| *self.0.entry(*scope).or_insert_with(|| textmate::paint(&scope.build_string())))
    }
}

#[cfg(test)]
mod tests;
