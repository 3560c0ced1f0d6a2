//! How an open text differs from what git has of it: runs of lines, found beside the loop and
//! carried along with every edit until the next answer. Must not know git's ways or tasks.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ide::model::view::debounce::Debounce;
use crate::text::changes::{ChangeSet, Side};
use crate::text::diff;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Texts with more bytes are not compared.
pub const SIZE_MAX: usize = 8 << 20;

/// How a run of lines differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// They are new.
    Added,
    /// They were others.
    Changed,
    /// Lines are missing below.
    Removed,
    /// Lines are missing above.
    RemovedAbove,
}

/// One run of lines that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines in the text, whole with their endings; empty where lines are missing.
    pub range: Range<Byte>,
    /// What git has in their place.
    pub base: Range<Line>,
}

impl Hunk {
    /// How it differs.
    pub fn sign(&self) -> Sign {
        match (self.base.is_empty(), self.range.is_empty()) {
            (true, _) => Sign::Added,
            (false, true) => Sign::Removed,
            (false, false) => Sign::Changed,
        }
    }
}

/// How one file differs from git's.
#[derive(Debug)]
pub struct Hunks {
    /// What git has, if it has the file.
    base: Option<Arc<Text>>,
    /// In order.
    found: Vec<Hunk>,
    /// The version that they were found in.
    version: Option<u64>,
    /// Whether git is to be asked, was not asked yet, or what it has may be another one by now.
    stale: bool,
    running: bool,
    /// The version that was asked about last.
    seen: Option<u64>,
    pace: Debounce,
}

impl Default for Hunks {
    fn default() -> Self {
        let (base, found, version, seen) = (None, Vec::new(), None, None);
        Self { base, found, version, stale: true, running: false, seen, pace: Debounce::that_may_be_late() }
    }
}

/// What git has of a file.
#[derive(Debug)]
pub enum GitText {
    /// What it had before.
    Same,
    /// Another text.
    Other(Text),
    /// Nothing: the file is not in its index, there is no repository, or no git.
    Nothing,
}

/// A text to be compared.
#[derive(Debug)]
pub struct Compare {
    base: Arc<Text>,
    text: Text,
    version: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Compared {
    base: Arc<Text>,
    found: Vec<Hunk>,
    version: u64,
    cost: Duration,
}

impl Compare {
    /// Compares; not to be called on the loop.
    pub fn run(self) -> Compared {
        let begun = Instant::now();
        let runs = diff::line_runs(&self.base.to_string(), &self.text.to_string());
        let bytes = |lines: Range<Line>| self.text.line_start(lines.start)..self.text.line_start(lines.end);
        let found = runs.into_iter().map(|(base, now)| Hunk { range: bytes(now), base }).collect();
        Compared { base: self.base, found, version: self.version, cost: begun.elapsed() }
    }
}

impl Hunks {
    /// All of them, in order.
    pub fn all(&self) -> &[Hunk] {
        &self.found
    }

    /// What git has, if it has the file.
    pub fn base(&self) -> Option<&Text> {
        self.base.as_deref()
    }

    /// Whether they are those of the text as it is.
    pub fn is_current(&self, version: u64) -> bool {
        self.version == Some(version)
    }

    /// What git has may be another text now.
    pub fn ask_again(&mut self) {
        self.stale = true;
    }

    /// Whether git has to be asked; it is then under way. Gives what it had last.
    pub fn take_question(&mut self) -> Option<Option<Arc<Text>>> {
        if self.running || !self.stale {
            return None;
        }
        (self.stale, self.running) = (false, true);
        Some(self.base.clone())
    }

    /// Git answered. Tells whether what is shown differs now.
    pub fn answered(&mut self, answer: GitText) -> bool {
        self.running = false;
        let base = match answer {
            GitText::Same => return false,
            GitText::Other(base) => Some(Arc::new(base)),
            GitText::Nothing => None,
        };
        self.version = None;
        let had = base.is_none() && !self.found.is_empty();
        if base.is_none() {
            self.found.clear();
        }
        self.base = base;
        had
    }

    /// What is to be compared now, if anything; it is then under way.
    pub fn next(&mut self, text: &Text, version: u64, now: Duration) -> Option<Compare> {
        if self.seen.replace(version).is_some_and(|seen| seen != version) {
            self.pace.changed(now);
        }
        let waits = self.pace.due(text.end().0).is_some_and(|due| due > now);
        let base = self.base.clone().filter(|_| !self.running && !waits && !self.is_current(version))?;
        self.pace.begun();
        if text.end().0.max(base.end().0) > SIZE_MAX {
            self.found.clear();
            self.version = Some(version);
            return None;
        }
        self.running = true;
        Some(Compare { base, text: text.clone(), version })
    }

    /// Somebody wants to know: the next comparison waits for no pause.
    pub fn hurry(&mut self) {
        self.pace.begun();
    }

    /// When time alone makes the next comparison due.
    pub fn due(&self, text: &Text) -> Option<Duration> {
        let waits = self.base.is_some() && !self.running && !self.stale;
        self.pace.due(text.end().0).filter(|_| waits)
    }

    /// Takes in what was found, if the text is still that one.
    pub fn arrived(&mut self, compared: Compared, version: u64) -> bool {
        self.running = false;
        self.pace.took(compared.cost);
        let same_base = self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, &compared.base));
        if compared.version != version || !same_base {
            return false;
        }
        self.version = Some(version);
        let differs = self.found != compared.found;
        self.found = compared.found;
        differs
    }

    /// Nothing came of a question or a comparison.
    pub fn failed(&mut self) {
        self.running = false;
    }

    /// Those that touch a range or, if they are empty, are at its start or end.
    pub fn within(&self, range: &Range<Byte>) -> &[Hunk] {
        let from = self.found.partition_point(|hunk| hunk.range.end < range.start);
        let to = self.found.partition_point(|hunk| hunk.range.start <= range.end);
        &self.found[from.min(to)..to]
    }

    /// What a line is marked with. Missing lines are marked at the one above them, or below
    /// where there is none.
    pub fn sign_of(&self, text: &Text, line: Line) -> Option<Sign> {
        let (start, next) = (text.line_start(line), text.line_start(Line(line.0 + 1)));
        let near = self.within(&(start..next));
        let covers = |hunk: &&Hunk| hunk.range.start <= start && start < hunk.range.end;
        if let Some(hunk) = near.iter().find(covers) {
            return Some(hunk.sign());
        }
        let missing = |at: Byte| near.iter().any(|hunk| hunk.range == (at..at));
        if line < text.last_line() && missing(next) {
            return Some(Sign::Removed);
        }
        (line.0 == 0 && missing(start)).then_some(Sign::RemovedAbove)
    }

    /// Carries them through a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.found.is_empty() {
            return;
        }
        for hunk in &mut self.found {
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
        assert!(hunks.take_question().is_some() && hunks.take_question().is_none());
        hunks.answered(GitText::Other(Text::from(base)));
        let compared = hunks.next(text, 1, Duration::ZERO).unwrap().run();
        hunks.arrived(compared, 1);
        hunks
    }

    fn signs(base: &str, now: &str) -> String {
        let text = Text::from(now);
        let hunks = compared(base, &text);
        let sign = |line| match hunks.sign_of(&text, Line(line)) {
            None => ' ',
            Some(Sign::Added) => '+',
            Some(Sign::Changed) => '~',
            Some(Sign::Removed) => '_',
            Some(Sign::RemovedAbove) => '^',
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
        assert!(hunks.next(&text, 1, Duration::ZERO).is_none(), "nothing has changed");
        assert!(hunks.next(&text, 2, Duration::ZERO).is_none(), "there may be more keys");
        let pause = hunks.due(&text).unwrap();
        assert!(!pause.is_zero());
        let late = hunks.next(&text, 2, pause).unwrap().run();
        assert!(hunks.next(&text, 2, pause * 2).is_none() && hunks.due(&text).is_none(), "one at a time");
        assert!(!hunks.arrived(late, 3) && !hunks.is_current(2));
        assert!(hunks.next(&text, 3, pause * 2).is_none());
        let old = hunks.next(&text, 3, hunks.due(&text).unwrap()).unwrap().run();
        hunks.answered(GitText::Other(Text::from("c\n")));
        assert!(!hunks.arrived(old, 3), "git has another text meanwhile");
        assert!(hunks.answered(GitText::Nothing) && hunks.all().is_empty());
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
