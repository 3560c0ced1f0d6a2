//! The scopes of a text in a language that is read line by line: what a line means depends on all
//! lines before it. What stands between two lines is kept for some of them, so that a change is
//! read again from where it was made, and only as far as it changes anything.
//!
//! Not for a key's way to the screen.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack};

use crate::syntax::highlighting::highlight::RANGE_MAX;
use crate::syntax::highlighting::highlighted_range::{HighlightedRange, Span};
use crate::syntax::highlighting::scopes;
use crate::syntax::highlighting::scopes::Paint;
use crate::syntax::highlighting::textmate;
use crate::syntax::languages::line_language;
use crate::syntax::languages::line_language::LineLanguage;
use crate::syntax::tree::ParseError;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Texts with more bytes stay plain.
pub const SIZE_MAX: usize = 2 << 20;
/// Lines with more bytes are passed over.
const LINE_MAX: usize = 4 << 10;
/// What stands before a line is kept for one of so many.
const CHECKPOINT_EVERY: usize = 32;

/// What stands before a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineState {
    state: ParseState,
    scopes: ScopeStack,
}

/// What stands before the line that begins at a place.
#[derive(Debug, Clone)]
struct Checkpoint {
    at: Byte,
    before: LineState,
}

/// How far a text was read.
#[derive(Debug, Clone)]
pub struct LineHighlighter {
    language: &'static LineLanguage,
    /// What is known to be right, in order.
    checkpoints: Vec<Checkpoint>,
    /// What was right before the last change, behind it: it is again once reading comes to one
    /// of these places with the same before it.
    stale_checkpoints: Vec<Checkpoint>,
}

impl LineHighlighter {
    /// Nothing was read yet.
    pub fn new(language: &'static LineLanguage) -> Self {
        Self { language, checkpoints: Vec::new(), stale_checkpoints: Vec::new() }
    }

    /// How many places are known to be right.
    #[cfg(test)]
    fn checkpoint_count(&self) -> usize {
        self.checkpoints.len()
    }

    /// Moves along with a change of the text.
    pub fn edit(&mut self, changes: &ChangeSet) {
        let (Some(first), Some(last)) = (changes.edits().next(), changes.last_edit()) else { return };
        let (start, end) = (first.old.start, last.old.end);
        let behind = self.checkpoints.partition_point(|kept| kept.at <= end);
        let tail = self.checkpoints.split_off(behind);
        self.checkpoints.truncate(self.checkpoints.partition_point(|kept| kept.at <= start));
        if !tail.is_empty() {
            self.stale_checkpoints = tail;
        }
        self.stale_checkpoints.retain_mut(|kept| {
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
    ) -> Result<Vec<HighlightedRange>, ParseError> {
        if text.end().0 > SIZE_MAX {
            return Err(ParseError::TooLong);
        }
        let deadline = Instant::now() + budget;
        let mut colors = ScopeColors::default();
        let cut = |range: &Range<Byte>| {
            let end = range.end.min(text.end()).min(range.start + RANGE_MAX);
            range.start.min(end)..end
        };
        ranges.iter().map(|range| self.paint_range(text, cut(range), &mut colors, deadline)).collect()
    }

    fn paint_range(
        &mut self,
        text: &Text,
        range: Range<Byte>,
        colors: &mut ScopeColors,
        deadline: Instant,
    ) -> Result<HighlightedRange, ParseError> {
        let mut spans = Vec::new();
        let mut line = text.line_of(range.start);
        let wanted = text.line_start(line);
        let (at, mut before) = self.checkpoint_before(wanted)?;
        line = line.min(text.line_of(at));
        let mut since = 0;
        while text.line_start(line) < range.end {
            let at = text.line_start(line);
            if since >= CHECKPOINT_EVERY {
                self.add_checkpoint(at, &before);
                since = 0;
            }
            if let Some(rejoined) = self.rejoin(at, &before).filter(|_| at < wanted) {
                // What follows is as it was: on from the last place before what is wanted.
                if let Some(kept) = self.checkpoints[rejoined..].iter().rfind(|kept| kept.at <= wanted) {
                    (line, before) = (text.line_of(kept.at), kept.before.clone());
                }
            }
            if Instant::now() > deadline {
                return Err(ParseError::TooSlow);
            }
            read_line(text, line, &mut before, &range, (&mut spans, colors))?;
            line = Line(line.0 + 1);
            since += 1;
            if line > text.last_line() {
                break;
            }
        }
        Ok(HighlightedRange::new(range, spans))
    }

    /// The last place at or before `wanted` of which it is known what stands before it.
    fn checkpoint_before(&self, wanted: Byte) -> Result<(Byte, LineState), ParseError> {
        if let Some(kept) = self.checkpoints.iter().rfind(|kept| kept.at <= wanted) {
            return Ok((kept.at, kept.before.clone()));
        }
        let definition = self.language.definition().ok_or(ParseError::Broken)?;
        let mut scopes = ScopeStack::new();
        scopes.push(definition.scope);
        Ok((Byte(0), LineState { state: ParseState::new(definition), scopes }))
    }

    fn add_checkpoint(&mut self, at: Byte, before: &LineState) {
        if self.checkpoints.last().is_none_or(|last| last.at < at) {
            self.checkpoints.push(Checkpoint { at, before: before.clone() });
        }
    }

    /// Where what was read before a change is right again, that is known from now on. Gives the
    /// place of the first of it.
    fn rejoin(&mut self, at: Byte, before: &LineState) -> Option<usize> {
        if self.checkpoints.last().is_some_and(|last| last.at > at) {
            return None;
        }
        let passed = self.stale_checkpoints.partition_point(|kept| kept.at < at);
        self.stale_checkpoints.drain(..passed);
        let same = self.stale_checkpoints.first().is_some_and(|kept| kept.at == at && kept.before == *before);
        if !same {
            return None;
        }
        if self.checkpoints.last().is_some_and(|last| last.at == at) {
            self.checkpoints.pop();
        }
        let first = self.checkpoints.len();
        self.checkpoints.append(&mut self.stale_checkpoints);
        Some(first)
    }
}

/// Reads a line, and paints what of it is in a range.
fn read_line(
    text: &Text,
    line: Line,
    before: &mut LineState,
    range: &Range<Byte>,
    (spans, colors): (&mut Vec<Span>, &mut ScopeColors),
) -> Result<(), ParseError> {
    let (start, end) = (text.line_start(line), text.line_end(line));
    if end - start > LINE_MAX {
        return Ok(());
    }
    let content = format!("{}\n", text.slice(start..end));
    let steps = before.state.parse_line(&content, line_language::set()).map_err(|_| ParseError::Broken)?;
    let mut from = 0;
    for (to, step) in steps.iter().map(|(to, step)| (*to, Some(step))).chain([(content.len(), None)]) {
        let piece = start + from..(start + to).min(end);
        let piece = piece.start.max(range.start)..piece.end.min(range.end);
        if piece.start < piece.end
            && let Some(scope) = colors.paint_of(&before.scopes).and_then(scopes::name)
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
            before.scopes.apply(step).map_err(|_| ParseError::Broken)?;
        }
    }
    Ok(())
}

/// What scopes paint, as far as it was asked for.
#[derive(Default)]
struct ScopeColors(HashMap<Scope, Option<Paint>>);

impl ScopeColors {
    /// The innermost scope that has a color counts.
    fn paint_of(&mut self, scopes: &ScopeStack) -> Option<Paint> {
        let inner = scopes.as_slice().iter().rev();
        inner
            .into_iter()
            .find_map(|scope| *self.0.entry(*scope).or_insert_with(|| textmate::paint(&scope.build_string())))
    }
}

#[cfg(test)]
mod tests;
