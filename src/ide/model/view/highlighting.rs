//! Syntax colors of an open file: known results, the job in progress, the next job. Must not run anything: a
//! job is data, and a task runs it.
//!
//! Results are mapped through every change, so that a frame always has colors. At most one job is in
//! progress; it takes the changes since the last tree.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ide::model::listeners::COLORS;
use crate::ide::model::view::debounce::Debounce;
use crate::syntax::HighlightedRange;
use crate::syntax::Language;
use crate::syntax::ParseError;
use crate::syntax::Spans;
use crate::syntax::Syntax;
use crate::syntax::highlighting::highlight;
use crate::syntax::highlighting::line_highlighter;
use crate::syntax::highlighting::line_highlighter::LineHighlighter;
use crate::syntax::languages::detect;
use crate::syntax::languages::line_language;
use crate::syntax::languages::line_language::LineLanguage;
use crate::syntax::structure::outline::OutlineItem;
use crate::syntax::tree;
use crate::text::changes::Side;
use crate::text::document::{ChangeRecord, Document};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Time limit of the first parse of a text.
const FIRST_BUDGET: Duration = Duration::from_secs(5);
/// Time for a parse after edits.
const BUDGET: Duration = Duration::from_secs(2);
/// Maximum number of edits in a change through which colors are mapped.
const MAPPED_EDITS_MAX: usize = 20_000;
/// Maximum bytes of the first line used to detect a language.
const FIRST_LINE_MAX: usize = 200;

/// Colors of one file.
#[derive(Debug, Default)]
pub struct Highlighting {
    /// The name of the file for which the language was found.
    name: Option<String>,
    language: Option<&'static Language>,
    /// The language, if it has no grammar and is scanned line by line.
    line_language: Option<&'static LineLanguage>,
    tree: Option<Arc<Syntax>>,
    /// How far it was scanned line by line.
    line_state: Option<LineHighlighter>,
    /// Changes since the tree, or since the job in progress started.
    changes_since: Vec<ChangeRecord>,
    /// Number of these changes reported to the debouncer.
    debounced: usize,
    debounce: Debounce,
    /// Scopes of some ranges, sorted and disjoint.
    painted: Vec<HighlightedRange>,
    /// The named items around them.
    outline: Vec<OutlineItem>,
    /// When it was shown last.
    shown: Duration,
    /// Ranges visible in the last frame.
    visible: Vec<Range<Byte>>,
    /// Visible differences since the last frame that wait for the next one.
    deferred: HighlightChange,
    /// Whether the job was needed at once, rather than for changes that were due.
    is_urgent: bool,
    /// Whether brackets are colored by depth.
    rainbow: bool,
    /// Whether the results no longer match what is wanted.
    stale: bool,
    running: bool,
    /// Counts restarts: results from before a restart are outdated.
    round: u64,
    listening: bool,
    trouble: Option<ParseError>,
}

/// A job that computes colors.
#[derive(Debug)]
pub struct HighlightJob {
    update: Update,
    changes_since: Vec<ChangeRecord>,
    text: Text,
    ranges: Vec<Range<Byte>>,
    rainbow: bool,
    round: u64,
}

/// How colors are computed, with reusable state of the last time.
#[derive(Debug)]
enum Update {
    Grammar(&'static Language, Option<Arc<Syntax>>),
    Lines(&'static LineLanguage, Option<LineHighlighter>),
}

/// Reusable state for the next time.
#[derive(Debug)]
enum HighlightBase {
    Tree(Arc<Syntax>),
    Read(LineHighlighter),
}

/// Results for some ranges.
#[derive(Debug)]
struct Highlights {
    base: HighlightBase,
    painted: Vec<HighlightedRange>,
    outline: Vec<OutlineItem>,
}

/// What looks different after a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HighlightChange {
    /// Nothing on the screen.
    #[default]
    Nothing,
    /// Something in this part of the text.
    Colors(Range<Byte>),
    /// Possibly everything.
    Everything,
}

impl HighlightChange {
    /// Both together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::Colors(a), Self::Colors(b)) => Self::Colors(a.start.min(b.start)..a.end.max(b.end)),
            _ => Self::Everything,
        }
    }
}

/// Result of a job.
#[derive(Debug)]
pub struct HighlightResult {
    result: Result<Highlights, ParseError>,
    /// Time that it took.
    cost: Duration,
    round: u64,
}

impl Highlighting {
    /// Returns the known scopes in a range.
    pub fn within(&self, range: &Range<Byte>) -> Spans<'_> {
        let of = |painted: &&HighlightedRange| painted.covers(range);
        let near = |painted: &&HighlightedRange| painted.range().end > range.start;
        let painted = self.painted.iter().find(of).or_else(|| self.painted.iter().find(near));
        painted.map_or_else(Spans::default, |painted| painted.within(range))
    }

    /// Returns the named items around what is on screen, outer before inner.
    pub fn outline(&self) -> &[OutlineItem] {
        &self.outline
    }

    /// The language.
    pub fn language(&self) -> Option<&'static Language> {
        self.language
    }

    /// Every name of the language, in lower case.
    pub fn names(&self) -> Vec<&'static str> {
        let (name, aliases) = match (self.language, self.line_language) {
            (Some(row), _) => (row.name, row.aliases),
            (None, Some(row)) => (row.name, row.aliases),
            (None, None) => return Vec::new(),
        };
        aliases.iter().copied().chain([name]).collect()
    }

    /// Returns why there are no colors where some are expected.
    pub fn trouble(&self) -> Option<ParseError> {
        self.trouble
    }

    /// Returns the tree of the current text, if there is one.
    pub fn tree(&self) -> Option<&Arc<Syntax>> {
        self.tree.as_ref().filter(|_| self.changes_since.is_empty() && !self.running)
    }

    /// Returns the estimated memory of the tree in bytes.
    pub fn memory(&self) -> usize {
        self.tree.as_ref().map_or(0, |tree| tree.memory())
    }

    /// When it was shown last.
    pub fn shown(&self) -> Duration {
        self.shown
    }

    /// Releases the tree. Its results stay; the text is parsed again when it is shown.
    pub fn take_tree(&mut self) -> Option<Arc<Syntax>> {
        self.tree.take()
    }

    /// Maps everything through the changes of the document.
    pub fn apply_changes(&mut self, document: &mut Document) {
        if !self.listening {
            return;
        }
        let Some(changes) = document.take_changes(COLORS) else { return self.restart() };
        for past in changes {
            // Mapping that many edits takes longer than a frame may: colors are computed again.
            if past.changes.edits().nth(MAPPED_EDITS_MAX).is_some() {
                self.painted.clear();
                self.outline.clear();
            }
            for painted in &mut self.painted {
                painted.map(&past.changes);
            }
            for named in &mut self.outline {
                named.map(&past.changes);
            }
            if let HighlightChange::Colors(range) = &mut self.deferred {
                *range =
                    past.changes.map(range.start, Side::Before)..past.changes.map(range.end, Side::After);
            }
            self.changes_since.push(past);
        }
    }

    /// Resets everything but the language.
    fn restart(&mut self) {
        let round = self.round + 1;
        let (name, language, lined) = (self.name.take(), self.language, self.line_language);
        *self =
            Self { name, language, line_language: lined, round, rainbow: self.rainbow, ..Self::default() };
    }

    /// Sets whether brackets are colored by depth. Colors of the other kind are computed again, and shown
    /// until then.
    pub fn want_rainbow(&mut self, wanted: bool) {
        if self.rainbow != wanted {
            self.rainbow = wanted;
            self.stale = true;
        }
    }

    /// Records that the document was replaced: no result, nor the job in progress, applies to it.
    pub fn reset(&mut self) {
        self.restart();
        (self.name, self.language, self.line_language) = (None, None, None);
    }

    /// Returns the job that is due so that the next frame has its colors, if any. `visible` is what it shows,
    /// sorted and disjoint.
    pub fn next_job(
        &mut self,
        document: &mut Document,
        path: Option<&Path>,
        visible: &[Range<Byte>],
        now: Duration,
    ) -> Option<HighlightJob> {
        self.shown = now;
        self.find_language(document.text(), path);
        let most = match (self.language, self.line_language) {
            (Some(_), _) => tree::SIZE_MAX,
            (None, Some(_)) => line_highlighter::SIZE_MAX,
            (None, None) => return None,
        };
        if document.text().end().0 > most {
            if self.trouble.is_none() {
                self.restart();
                self.trouble = Some(ParseError::TooLong);
            }
            return None;
        }
        if self.trouble == Some(ParseError::TooLong) {
            self.restart();
        }
        if !self.listening && self.trouble.is_none() {
            document.record_changes(COLORS);
            self.listening = true;
        }
        self.apply_changes(document);
        let (visible, ranges) = visible_and_near(document.text(), visible);
        self.visible = visible;
        if self.changes_since.len() > self.debounced {
            self.debounce.note_change(now);
            self.debounced = self.changes_since.len();
        }
        let covered = |seen: &Range<Byte>| self.painted.iter().any(|painted| painted.covers(seen));
        let covered = self.visible.iter().all(covered) && !self.stale;
        let known =
            (self.tree.is_some() || self.line_state.is_some()) && self.changes_since.is_empty() && covered;
        let idle = self.running || self.trouble.is_some() || !self.listening;
        // Newly visible ranges are needed at once, changed ones when they are due.
        let waits = covered && self.search_deadline(document.text()).is_some_and(|due| due > now);
        if known || idle || waits {
            return None;
        }
        self.running = true;
        self.is_urgent = !covered;
        self.stale = false;
        self.debounced = 0;
        self.debounce.note_start();
        // The task takes ownership of the tree: freeing an old one takes time, too.
        let since = std::mem::take(&mut self.changes_since);
        let update = match self.language {
            Some(language) => Update::Grammar(language, self.tree.take()),
            None => Update::Lines(self.line_language?, self.line_state.take()),
        };
        let (text, rainbow) = (document.text().clone(), self.rainbow);
        Some(HighlightJob { update, changes_since: since, text, ranges, rainbow, round: self.round })
    }

    /// Returns whether any part of the text has colors.
    pub fn has_colors(&self) -> bool {
        !self.painted.is_empty()
    }

    /// Returns when changes become due by time alone, or a frame for pending differences.
    pub fn deadline(&self, text: &Text) -> Option<Duration> {
        [self.search_deadline(text), self.frame_deadline(text)].into_iter().flatten().min()
    }

    fn search_deadline(&self, text: &Text) -> Option<Duration> {
        let waits = !self.running && self.trouble.is_none() && !self.changes_since.is_empty();
        self.debounce.deadline(text.end().0).filter(|_| waits)
    }

    fn frame_deadline(&self, text: &Text) -> Option<Duration> {
        self.debounce.pause_deadline(text.end().0).filter(|_| self.deferred != HighlightChange::Nothing)
    }

    /// Holds a difference back for the frame of the next key, so that no frame is drawn in between. If the
    /// user is not typing, returns it instead.
    pub fn defer(&mut self, differs: HighlightChange, text: &Text, now: Duration) -> HighlightChange {
        let typed = self.debounce.pause_deadline(text.end().0).is_some_and(|quiet| now < quiet);
        let differs = std::mem::take(&mut self.deferred).and(differs);
        if typed && !self.is_urgent {
            self.deferred = differs;
            return HighlightChange::Nothing;
        }
        differs
    }

    /// Returns whether a difference is held back for the next frame.
    pub fn has_deferred(&self) -> bool {
        self.deferred != HighlightChange::Nothing
    }

    /// Takes the pending difference, when a frame is drawn anyway.
    pub fn take_deferred(&mut self) -> HighlightChange {
        std::mem::take(&mut self.deferred)
    }

    /// Takes the pending difference, if it need not wait any longer.
    pub fn take_overdue(&mut self, text: &Text, now: Duration) -> HighlightChange {
        let due = self.frame_deadline(text).is_some_and(|due| due <= now);
        if due { self.take_deferred() } else { HighlightChange::Nothing }
    }

    fn find_language(&mut self, text: &Text, path: Option<&Path>) {
        let name = path.and_then(Path::file_name).map(std::ffi::OsStr::to_string_lossy);
        if self.name.is_some() && self.name.as_deref() == name.as_deref() {
            return;
        }
        let Some(name) = name else { return };
        let end = text.line_end(Line(0)).min(text.grapheme_floor(Byte(FIRST_LINE_MAX.min(text.end().0))));
        let first = text.slice(Byte(0)..end);
        let language = detect::detect(&name, &first);
        let lined = if language.is_none() { line_language::of_file(&name, &first) } else { None };
        self.name = Some(name.into_owned());
        if self.language.map(|row| row.name) != language.map(|row| row.name) || self.line_language != lined {
            self.restart();
            (self.language, self.line_language) = (language, lined);
        }
    }

    /// Stores a result; returns what looks different on the screen.
    pub fn apply_result(&mut self, colored: HighlightResult) -> HighlightChange {
        if colored.round != self.round {
            return HighlightChange::Nothing;
        }
        self.running = false;
        self.debounce.note_cost(colored.cost);
        match colored.result {
            Ok(Highlights { base: made, mut painted, mut outline }) => {
                for past in &self.changes_since {
                    for painted in &mut painted {
                        painted.map(&past.changes);
                    }
                    for named in &mut outline {
                        named.map(&past.changes);
                    }
                }
                let before = Self { painted, outline, ..Self::default() };
                let parts = self
                    .visible
                    .iter()
                    .filter_map(|seen| differing_range(before.within(seen), self.within(seen)));
                let differs = match parts.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) {
                    _ if self.outline != before.outline => HighlightChange::Everything,
                    Some(range) => HighlightChange::Colors(range),
                    None => HighlightChange::Nothing,
                };
                (self.painted, self.outline) = (before.painted, before.outline);
                match made {
                    HighlightBase::Tree(tree) => self.tree = Some(tree),
                    HighlightBase::Read(read) => self.line_state = Some(read),
                }
                differs
            }
            Err(error) => {
                self.restart();
                self.trouble = Some(error);
                HighlightChange::Everything
            }
        }
    }
}

/// Returns the range from the first to the last difference of two lists of scopes.
fn differing_range(old: Spans<'_>, new: Spans<'_>) -> Option<Range<Byte>> {
    let front = old.clone().zip(new.clone()).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.skip(front), new.skip(front));
    let back = old.clone().rev().zip(new.clone().rev()).take_while(|(a, b)| a == b).count();
    let (olds, news) = (old.len() - back, new.len() - back);
    let rest = old.take(olds).chain(new.take(news));
    rest.map(|span| span.range).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
}

/// Returns what is on screen, and the same with one more screen on either side. Both are bounded, however
/// long lines are and however many parts folds and windows make of the screen.
fn visible_and_near(text: &Text, shown: &[Range<Byte>]) -> (Vec<Range<Byte>>, Vec<Range<Byte>>) {
    let parts = shown.len().max(1);
    let len = |part: &Range<Byte>| part.end.min(text.end()).0.saturating_sub(part.start.0);
    // Many short parts need no share each: together they make up one screen.
    let all: usize = shown.iter().map(len).sum();
    let half = highlight::RANGE_MAX / 2;
    let (most, beside) = (if all <= half { half } else { half / parts }, half / 2 / parts);
    let mut visible: Vec<Range<Byte>> = Vec::new();
    let mut around: Vec<Range<Byte>> = Vec::new();
    for part in shown {
        let end = part.end.min(text.end()).min(part.start + most).max(part.start);
        visible.push(part.start..end);
        let screen = (end - part.start).max(MARGIN_MIN).min(beside);
        let line_at = |at: Byte| text.line_start(text.line_of(at));
        let before = line_at(part.start.back(screen)).max(part.start.back(beside));
        let behind = line_at((end + screen).min(text.end())).max(end);
        match around.last_mut() {
            Some(last) if last.end >= before => last.end = last.end.max(behind),
            _ => around.push(before..behind),
        }
    }
    (visible, around)
}

/// Minimum bytes beside the screen that are included.
const MARGIN_MIN: usize = 2 << 10;

impl HighlightJob {
    /// Computes the colors. Expensive.
    pub fn run(self) -> HighlightResult {
        let begun = Instant::now();
        let Self { update, changes_since: since, text, ranges, rainbow, round } = self;
        let result = match update {
            Update::Grammar(language, old) => parse_incrementally(language, old, &since, &text).map(|tree| {
                let painted =
                    ranges.iter().map(|range| tree.paint_with(&text, range.clone(), rainbow)).collect();
                let first = ranges.first().map_or(Byte(0), |range| range.start);
                let last = ranges.last().map_or(first, |range| range.end);
                let outline = tree.outline(&text, &(first..last));
                Highlights { base: HighlightBase::Tree(tree), painted, outline }
            }),
            Update::Lines(language, old) => {
                let mut read = old.unwrap_or_else(|| LineHighlighter::new(language));
                for past in &since {
                    read.edit(&past.changes);
                }
                let painted = read.paint(&text, &ranges, BUDGET);
                painted.map(|painted| Highlights {
                    base: HighlightBase::Read(read),
                    painted,
                    outline: Vec::new(),
                })
            }
        };
        HighlightResult { result, cost: begun.elapsed(), round }
    }

    /// Returns the length of the text.
    pub fn bytes(&self) -> usize {
        self.text.end().0
    }

    /// Returns the result for a job that panicked.
    pub fn failed_result(&self) -> HighlightResult {
        HighlightResult { result: Err(ParseError::Broken), cost: Duration::ZERO, round: self.round }
    }
}

/// Parses a text, incrementally where there is an older tree.
fn parse_incrementally(
    language: &'static Language,
    old: Option<Arc<Syntax>>,
    since: &[ChangeRecord],
    text: &Text,
) -> Result<Arc<Syntax>, ParseError> {
    match old {
        Some(tree) if since.is_empty() => Ok(tree),
        None => Syntax::parse(language, text, None, FIRST_BUDGET).map(Arc::new),
        Some(tree) => {
            let mut old = Syntax::clone(&tree);
            for (past, before) in since.iter().zip(ChangeRecord::texts_before(since, text)) {
                old.edit(&before, &past.changes);
            }
            Syntax::parse(language, text, Some(&old), BUDGET).map(Arc::new)
        }
    }
}

#[cfg(test)]
mod tests;
