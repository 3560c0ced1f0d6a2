//! Highlighting of languages that are parsed line by line (`TextMate` grammars): a line's scopes depend on all
//! lines before it. The parser state is saved at some lines, so that after a change parsing restarts there,
//! and continues only as far as the change has effects.
//!
//! Too slow to run between a key press and the frame.

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

/// Maximum bytes of a text; longer texts are not highlighted.
pub const SIZE_MAX: usize = 2 << 20;
/// Lines with more bytes are passed over.
const LINE_MAX: usize = 4 << 10;
/// Interval, in lines, at which parser states are saved.
const CHECKPOINT_EVERY: usize = 32;

/// The parser state before a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineState {
    state: ParseState,
    scopes: ScopeStack,
}

/// The saved state before the line at an offset.
#[derive(Debug, Clone)]
struct Checkpoint {
    at: Byte,
    before: LineState,
}

/// How far a text was parsed.
#[derive(Debug, Clone)]
pub struct LineHighlighter {
    language: &'static LineLanguage,
    /// States known to be valid, in order.
    checkpoints: Vec<Checkpoint>,
    /// States after the last change: they become valid again once parsing reaches one of these lines with the
    /// same state.
    stale_checkpoints: Vec<Checkpoint>,
}

impl LineHighlighter {
    /// Creates a highlighter without state.
    pub fn new(language: &'static LineLanguage) -> Self {
        Self { language, checkpoints: Vec::new(), stale_checkpoints: Vec::new() }
    }

    /// Returns the number of valid states.
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

    /// Returns the scopes of ranges, sorted and disjoint, each truncated as a screen is. Parses no further
    /// than the last of them.
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
        let start = text.line_start(line);
        let (at, mut before) = self.checkpoint_before(start)?;
        line = line.min(text.line_of(at));
        let mut since = 0;
        while text.line_start(line) < range.end {
            let at = text.line_start(line);
            if since >= CHECKPOINT_EVERY {
                self.add_checkpoint(at, &before);
                since = 0;
            }
            if let Some(rejoined) = self.rejoin(at, &before).filter(|_| at < start) {
                // The later states are valid again: continue from the last before the range.
                if let Some(kept) = self.checkpoints[rejoined..].iter().rfind(|kept| kept.at <= start) {
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

    /// Returns the last valid state at or before `wanted`.
    fn checkpoint_before(&self, position: Byte) -> Result<(Byte, LineState), ParseError> {
        if let Some(kept) = self.checkpoints.iter().rfind(|kept| kept.at <= position) {
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

    /// If parsing has reached a state from before the change, makes it and the later ones valid. Returns the
    /// index of the first one.
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

/// Parses a line, and paints its parts in the range.
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

/// Cache of scopes' colors.
#[derive(Default)]
struct ScopeColors(HashMap<Scope, Option<Paint>>);

impl ScopeColors {
    /// Returns the color of the innermost scope that has one.
    fn paint_of(&mut self, scopes: &ScopeStack) -> Option<Paint> {
        let inner = scopes.as_slice().iter().rev();
        inner
            .into_iter()
            .find_map(|scope| *self.0.entry(*scope).or_insert_with(|| textmate::paint(&scope.build_string())))
    }
}

#[cfg(test)]
mod tests;
