//! Differences of an open text from git's version, as hunks: computed in the background and mapped through
//! every edit until the next result. Must not know git or tasks.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ide::model::view::debounce::Debounce;
use crate::text::changes::{ChangeSet, Side};
use crate::text::diff;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Maximum size of a compared text in bytes.
pub const SIZE_MAX: usize = 8 << 20;

/// Kind of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkKind {
    /// Added lines.
    Added,
    /// Changed lines.
    Changed,
    /// Lines are missing below.
    Removed,
    /// Lines are missing above.
    RemovedAbove,
}

/// A run of lines that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines in the text, including line endings; empty where lines are missing.
    pub range: Range<Byte>,
    /// The lines in git's version.
    pub base: Range<Line>,
}

impl Hunk {
    /// Returns its kind.
    pub fn kind(&self) -> HunkKind {
        match (self.base.is_empty(), self.range.is_empty()) {
            (true, _) => HunkKind::Added,
            (false, true) => HunkKind::Removed,
            (false, false) => HunkKind::Changed,
        }
    }
}

/// Differences of one file from git's version.
#[derive(Debug)]
pub struct Hunks {
    /// What git has, if it has the file.
    base: Option<Arc<Text>>,
    /// In order.
    list: Vec<Hunk>,
    /// Lines that the text has more than git's version, and fewer, when they were compared.
    lines: (usize, usize),
    /// Version of the text in which the hunks were computed.
    version: Option<u64>,
    /// Whether git must be asked: it was not asked yet, or its version may have changed.
    stale: bool,
    running: bool,
    /// Version of the text last passed to a comparison.
    requested_version: Option<u64>,
    debounce: Debounce,
}

impl Default for Hunks {
    fn default() -> Self {
        let (base, found, version, seen) = (None, Vec::new(), None, None);
        Self {
            base,
            list: found,
            lines: (0, 0),
            version,
            stale: true,
            running: false,
            requested_version: seen,
            debounce: Debounce::low_priority(),
        }
    }
}

/// Git's version of a file.
#[derive(Debug)]
pub enum GitText {
    /// Unchanged.
    Unchanged,
    /// Another text.
    Changed(Text),
    /// None: the file is not in the index, or there is no repository or no git.
    Missing,
}

/// A text to be compared.
#[derive(Debug)]
pub struct HunkJob {
    base: Arc<Text>,
    text: Text,
    version: u64,
}

/// Result of a comparison.
#[derive(Debug)]
pub struct HunkResult {
    base: Arc<Text>,
    found: Vec<Hunk>,
    lines: (usize, usize),
    version: u64,
    cost: Duration,
}

impl HunkJob {
    /// Compares; not to be called on the loop.
    pub fn run(self) -> HunkResult {
        let begun = Instant::now();
        let runs = diff::line_runs(&self.base.to_string(), &self.text.to_string());
        let added = runs.iter().map(|(_, now)| now.end.0 - now.start.0).sum();
        let removed = runs.iter().map(|(base, _)| base.end.0 - base.start.0).sum();
        let bytes = |lines: Range<Line>| self.text.line_start(lines.start)..self.text.line_start(lines.end);
        let found = runs.into_iter().map(|(base, now)| Hunk { range: bytes(now), base }).collect();
        let lines = (added, removed);
        HunkResult { base: self.base, found, lines, version: self.version, cost: begun.elapsed() }
    }
}

impl Hunks {
    /// Returns all hunks, in order.
    pub fn all(&self) -> &[Hunk] {
        &self.list
    }

    /// Returns how many lines were added and removed since git's version, when they were last compared.
    pub fn lines(&self) -> (usize, usize) {
        self.lines
    }

    /// What git has, if it has the file.
    pub fn base(&self) -> Option<&Text> {
        self.base.as_deref()
    }

    /// Returns whether the hunks belong to the current text.
    pub fn is_current(&self, version: u64) -> bool {
        self.version == Some(version)
    }

    /// Records that git's version may have changed.
    pub fn invalidate(&mut self) {
        self.stale = true;
    }

    /// Returns git's last known version if git must be asked, and records the request as pending.
    pub fn take_request(&mut self) -> Option<Option<Arc<Text>>> {
        if self.running || !self.stale {
            return None;
        }
        (self.stale, self.running) = (false, true);
        Some(self.base.clone())
    }

    /// Stores git's response. Returns whether the shown hunks changed.
    pub fn set_git_text(&mut self, answer: GitText) -> bool {
        self.running = false;
        let base = match answer {
            GitText::Unchanged => return false,
            GitText::Changed(base) => Some(Arc::new(base)),
            GitText::Missing => None,
        };
        self.version = None;
        let had = base.is_none() && !self.list.is_empty();
        if base.is_none() {
            self.list.clear();
            self.lines = (0, 0);
        }
        self.base = base;
        had
    }

    /// Returns the comparison to run now, if any, and records it as pending.
    pub fn next_job(&mut self, text: &Text, version: u64, now: Duration) -> Option<HunkJob> {
        if self.requested_version.replace(version).is_some_and(|seen| seen != version) {
            self.debounce.note_change(now);
        }
        let waits = self.debounce.deadline(text.end().0).is_some_and(|due| due > now);
        let base = self.base.clone().filter(|_| !self.running && !waits && !self.is_current(version))?;
        self.debounce.note_start();
        if text.end().0.max(base.end().0) > SIZE_MAX {
            self.list.clear();
            self.version = Some(version);
            return None;
        }
        self.running = true;
        Some(HunkJob { base, text: text.clone(), version })
    }

    /// Makes the next comparison due at once, since its result is needed.
    pub fn skip_debounce(&mut self) {
        self.debounce.note_start();
    }

    /// Returns when the next comparison becomes due by time alone.
    pub fn deadline(&self, text: &Text) -> Option<Duration> {
        let waits = self.base.is_some() && !self.running && !self.stale;
        self.debounce.deadline(text.end().0).filter(|_| waits)
    }

    /// Stores a result, if it belongs to the current text.
    pub fn set_result(&mut self, compared: HunkResult, version: u64) -> bool {
        self.running = false;
        self.debounce.note_cost(compared.cost);
        let same_base = self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, &compared.base));
        if compared.version != version || !same_base {
            return false;
        }
        self.version = Some(version);
        let differs = self.list != compared.found || self.lines != compared.lines;
        self.lines = compared.lines;
        self.list = compared.found;
        differs
    }

    /// Records that a request or comparison failed.
    pub fn set_failed(&mut self) {
        self.running = false;
    }

    /// Returns the hunks that touch a range or, if they are empty, are at its start or end.
    pub fn within(&self, range: &Range<Byte>) -> &[Hunk] {
        let from = self.list.partition_point(|hunk| hunk.range.end < range.start);
        let to = self.list.partition_point(|hunk| hunk.range.start <= range.end);
        &self.list[from.min(to)..to]
    }

    /// Returns the mark of a line. Missing lines are marked at the line above them, or below if there is
    /// none.
    pub fn kind_of_line(&self, text: &Text, line: Line) -> Option<HunkKind> {
        let (start, next) = (text.line_start(line), text.line_start(Line(line.0 + 1)));
        let near = self.within(&(start..next));
        let covers = |hunk: &&Hunk| hunk.range.start <= start && start < hunk.range.end;
        if let Some(hunk) = near.iter().find(covers) {
            return Some(hunk.kind());
        }
        let missing = |at: Byte| near.iter().any(|hunk| hunk.range == (at..at));
        if line < text.last_line() && missing(next) {
            return Some(HunkKind::Removed);
        }
        (line.0 == 0 && missing(start)).then_some(HunkKind::RemovedAbove)
    }

    /// Maps the hunks through a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.list.is_empty() {
            return;
        }
        for hunk in &mut self.list {
            let start = changes.map(hunk.range.start, Side::Before);
            hunk.range = start..changes.map(hunk.range.end, Side::Before).max(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compared(base: &str, text: &Text) -> Hunks {
        let mut hunks = Hunks::default();
        assert!(hunks.take_request().is_some() && hunks.take_request().is_none());
        hunks.set_git_text(GitText::Changed(Text::from(base)));
        let compared = hunks.next_job(text, 1, Duration::ZERO).unwrap().run();
        hunks.set_result(compared, 1);
        hunks
    }

    fn signs(base: &str, now: &str) -> String {
        let text = Text::from(now);
        let hunks = compared(base, &text);
        let sign = |line| match hunks.kind_of_line(&text, Line(line)) {
            None => ' ',
            Some(HunkKind::Added) => '+',
            Some(HunkKind::Changed) => '~',
            Some(HunkKind::Removed) => '_',
            Some(HunkKind::RemovedAbove) => '^',
        };
        (0..text.line_count()).map(sign).collect()
    }

    #[test]
    fn hunk_signs_match_line_changes() {
        assert_eq!(signs("a\nb\nc\n", "a\nB\nc\nd\n"), " ~ + ");
        assert_eq!(signs("a\nb\nc\n", "a\nc\n"), "_  ");
        assert_eq!(signs("a\nb\nc\n", "b\nc\n"), "^  ");
        assert_eq!(signs("a\nb\nc\n", "a\nb\n"), " _ ");
        assert_eq!(signs("a\nb", "a\nb\n"), " ~ ");
        assert_eq!(signs("é\n", "é\n"), "  ");
        assert_eq!(signs("a\n", ""), "^");
        assert_eq!(signs("", "a\nb"), "++");
    }

    #[test]
    fn hunks_outdated_result_is_ignored() {
        let text = Text::from("a\n");
        let mut hunks = compared("b\n", &text);
        assert!(hunks.next_job(&text, 1, Duration::ZERO).is_none(), "nothing has changed");
        assert!(hunks.next_job(&text, 2, Duration::ZERO).is_none(), "there may be more keys");
        let pause = hunks.deadline(&text).unwrap();
        assert!(!pause.is_zero());
        let late = hunks.next_job(&text, 2, pause).unwrap().run();
        assert!(
            hunks.next_job(&text, 2, pause * 2).is_none() && hunks.deadline(&text).is_none(),
            "one at a time"
        );
        assert!(!hunks.set_result(late, 3) && !hunks.is_current(2));
        assert!(hunks.next_job(&text, 3, pause * 2).is_none());
        let old = hunks.next_job(&text, 3, hunks.deadline(&text).unwrap()).unwrap().run();
        hunks.set_git_text(GitText::Changed(Text::from("c\n")));
        assert!(!hunks.set_result(old, 3), "git has another text meanwhile");
        assert!(hunks.set_git_text(GitText::Missing) && hunks.all().is_empty());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn hunks_reverting_all_gives_git_base(base in "([abé]{0,2}\n){0,8}[ab]{0,2}", now in "([abé]{0,2}\n){0,8}[ab]{0,2}") {
            let text = Text::from(now.as_str());
            let hunks = compared(&base, &text);
            let base_text = hunks.base().unwrap();
            let lines = |lines: &Range<Line>| {
                base_text.slice(base_text.line_start(lines.start)..base_text.line_start(lines.end)).into_owned()
            };
            let edits = hunks.all().iter().map(|hunk| (hunk.range.clone(), lines(&hunk.base)));
            let changes = ChangeSet::replace(text.end().0, edits);
            let mut back = text.clone();
            changes.apply(&mut back);
            prop_assert_eq!(back.to_string(), base);
        }
    }
}
