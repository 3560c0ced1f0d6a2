//! The colours of an open file: what is known of them, what is under way, what is wanted next.
//! Must not run anything: a job is data, and a task runs it.
//!
//! What was found is carried along with every change, so that a frame always has colours. One
//! job is under way at most; it takes the changes since the last tree along.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pace::Pace;
use crate::syntax::outline::Named;
use crate::syntax::tree::SIZE_MAX;
use crate::syntax::{Language, Painted, Span, Syntax, Trouble, detect, highlight};
use crate::text::document::{Document, Past};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Time for the first parse of a text.
const FIRST_BUDGET: Duration = Duration::from_secs(5);
/// Time for a parse after edits.
const BUDGET: Duration = Duration::from_secs(2);
/// Bytes of the first line that tell a language.
const FIRST_LINE_MAX: usize = 200;

/// Colours of one file.
#[derive(Debug, Default)]
pub struct Coloring {
    /// The name of the file for which the language was found.
    name: Option<String>,
    language: Option<&'static Language>,
    tree: Option<Arc<Syntax>>,
    /// Changes since the tree, or since the job under way has begun.
    since: Vec<Past>,
    /// How many of these the pace has heard of.
    paced: usize,
    pace: Pace,
    /// The scopes of some ranges, sorted and apart.
    painted: Vec<Painted>,
    /// The named things around them.
    outline: Vec<Named>,
    /// What a frame showed last.
    visible: Vec<Range<Byte>>,
    /// Whether brackets are wanted by their depth.
    rainbow: bool,
    /// Whether what was found is no longer what is wanted.
    stale: bool,
    running: bool,
    /// Counts beginnings from nothing: what was found before one is out of date.
    round: u64,
    listening: bool,
    trouble: Option<Trouble>,
}

/// One search for colours.
#[derive(Debug)]
pub struct ColorJob {
    language: &'static Language,
    tree: Option<Arc<Syntax>>,
    since: Vec<Past>,
    text: Text,
    ranges: Vec<Range<Byte>>,
    rainbow: bool,
    round: u64,
}

/// What there is to see in some ranges.
#[derive(Debug)]
struct Seen {
    tree: Arc<Syntax>,
    painted: Vec<Painted>,
    outline: Vec<Named>,
}

/// What looks different after a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Differs {
    /// Nothing on the screen.
    Nothing,
    /// Something in this part of the text.
    Colors(Range<Byte>),
    /// Perhaps everything.
    Everything,
}

/// What one search found.
#[derive(Debug)]
pub struct Colored {
    result: Result<Seen, Trouble>,
    /// The time that it took.
    cost: Duration,
    round: u64,
}

impl Coloring {
    /// The scopes in a range, as far as they are known.
    pub fn within(&self, range: &Range<Byte>) -> &[Span] {
        let of = |painted: &&Painted| painted.covers(range);
        let near = |painted: &&Painted| painted.range().end > range.start;
        let painted = self.painted.iter().find(of).or_else(|| self.painted.iter().find(near));
        painted.map_or(&[], |painted| painted.within(range))
    }

    /// The named things around what is on screen, each before what is in it.
    pub fn outline(&self) -> &[Named] {
        &self.outline
    }

    /// The language.
    pub fn language(&self) -> Option<&'static Language> {
        self.language
    }

    /// Why there are no colours, if there should be some.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble
    }

    /// The tree of the text as it is now, if there is one already.
    pub fn tree(&self) -> Option<&Arc<Syntax>> {
        self.tree.as_ref().filter(|_| self.since.is_empty() && !self.running)
    }

    /// Carries everything along with what was changed.
    pub fn hear(&mut self, document: &mut Document) {
        if !self.listening {
            return;
        }
        let Some(heard) = document.heard() else { return self.restart() };
        for past in heard {
            for painted in &mut self.painted {
                painted.map(&past.changes);
            }
            for named in &mut self.outline {
                named.map(&past.changes);
            }
            self.since.push(past);
        }
    }

    /// Forgets everything but the language.
    fn restart(&mut self) {
        let round = self.round + 1;
        let (name, rainbow) = (self.name.take(), self.rainbow);
        *self = Self { name, rainbow, language: self.language, round, ..Self::default() };
    }

    /// Wants brackets by their depth, or not. What was found the other way is looked for again,
    /// and seen until then.
    pub fn want_rainbow(&mut self, wanted: bool) {
        if self.rainbow != wanted {
            self.rainbow = wanted;
            self.stale = true;
        }
    }

    /// Another document stands in the place of this one: nothing that was found, or is still being
    /// looked for, is about it.
    pub fn replaced(&mut self) {
        self.restart();
        (self.name, self.language) = (None, None);
    }

    /// What has to be looked for so that the next frame has its colours, if anything is due by
    /// now. `visible` is what it shows, sorted and apart.
    pub fn next(
        &mut self,
        document: &mut Document,
        path: Option<&Path>,
        visible: &[Range<Byte>],
        now: Duration,
    ) -> Option<ColorJob> {
        self.find_language(document.text(), path);
        let language = self.language?;
        if document.text().end().0 > SIZE_MAX {
            if self.trouble.is_none() {
                self.restart();
                self.trouble = Some(Trouble::TooLong);
            }
            return None;
        }
        if self.trouble == Some(Trouble::TooLong) {
            self.restart();
        }
        if !self.listening && self.trouble.is_none() {
            document.listen();
            self.listening = true;
        }
        self.hear(document);
        let (visible, ranges) = ranges(document.text(), visible);
        self.visible = visible;
        if self.since.len() > self.paced {
            self.pace.changed(now);
            self.paced = self.since.len();
        }
        let covered = |seen: &Range<Byte>| self.painted.iter().any(|painted| painted.covers(seen));
        let covered = self.visible.iter().all(covered) && !self.stale;
        let known = self.tree.is_some() && self.since.is_empty() && covered;
        let idle = self.running || self.trouble.is_some() || !self.listening;
        // What comes into sight is wanted at once, what was changed when it is due.
        let waits = covered && self.due(document.text()).is_some_and(|due| due > now);
        if known || idle || waits {
            return None;
        }
        self.running = true;
        self.stale = false;
        self.paced = 0;
        self.pace.begun();
        // The task gets the tree for good: giving back the memory of an old one takes its time, too.
        let (tree, since) = (self.tree.take(), std::mem::take(&mut self.since));
        let (text, rainbow) = (document.text().clone(), self.rainbow);
        Some(ColorJob { language, tree, since, text, ranges, rainbow, round: self.round })
    }

    /// When time alone makes changes due.
    pub fn due(&self, text: &Text) -> Option<Duration> {
        let waits = !self.running && self.trouble.is_none() && !self.since.is_empty();
        self.pace.due(text.end().0).filter(|_| waits)
    }

    fn find_language(&mut self, text: &Text, path: Option<&Path>) {
        let name = path.and_then(Path::file_name).map(std::ffi::OsStr::to_string_lossy);
        if self.name.is_some() && self.name.as_deref() == name.as_deref() {
            return;
        }
        let Some(name) = name else { return };
        let end = text.line_end(Line(0)).min(text.grapheme_floor(Byte(FIRST_LINE_MAX.min(text.end().0))));
        let language = detect::detect(&name, &text.slice(Byte(0)..end));
        self.name = Some(name.into_owned());
        if self.language.map(|row| row.name) != language.map(|row| row.name) {
            self.restart();
            self.language = language;
        }
    }

    /// Takes in what was found; tells what of the screen looks different now.
    pub fn arrived(&mut self, colored: Colored) -> Differs {
        if colored.round != self.round {
            return Differs::Nothing;
        }
        self.running = false;
        self.pace.took(colored.cost);
        match colored.result {
            Ok(Seen { tree, mut painted, mut outline }) => {
                for past in &self.since {
                    for painted in &mut painted {
                        painted.map(&past.changes);
                    }
                    for named in &mut outline {
                        named.map(&past.changes);
                    }
                }
                let before = Self { painted, outline, ..Self::default() };
                let parts =
                    self.visible.iter().filter_map(|seen| differing(before.within(seen), self.within(seen)));
                let differs = match parts.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) {
                    _ if self.outline != before.outline => Differs::Everything,
                    Some(range) => Differs::Colors(range),
                    None => Differs::Nothing,
                };
                (self.tree, self.painted, self.outline) = (Some(tree), before.painted, before.outline);
                differs
            }
            Err(trouble) => {
                self.restart();
                self.trouble = Some(trouble);
                Differs::Everything
            }
        }
    }
}

/// Where two lists of scopes differ, from the first place to the last.
fn differing(old: &[Span], new: &[Span]) -> Option<Range<Byte>> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let rest = old[..old.len() - back].iter().chain(&new[..new.len() - back]);
    rest.map(|span| span.range.clone()).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
}

/// What is on screen, and that with a screen more on either side. Both are bounded, however
/// long lines are and however many parts folds and windows make of the screen.
fn ranges(text: &Text, shown: &[Range<Byte>]) -> (Vec<Range<Byte>>, Vec<Range<Byte>>) {
    let parts = shown.len().max(1);
    let len = |part: &Range<Byte>| part.end.min(text.end()).0.saturating_sub(part.start.0);
    // Many short parts need no share each: together they are a screen.
    let all: usize = shown.iter().map(len).sum();
    let half = highlight::RANGE_MAX / 2;
    let (most, beside) = (if all <= half { half } else { half / parts }, half / 2 / parts);
    let mut visible: Vec<Range<Byte>> = Vec::new();
    let mut around: Vec<Range<Byte>> = Vec::new();
    for part in shown {
        let end = part.end.min(text.end()).min(part.start + most).max(part.start);
        visible.push(part.start..end);
        let screen = (end - part.start).max(LEAST_BESIDE).min(beside);
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

/// Bytes beside the screen that are looked at, too, though it may show less.
const LEAST_BESIDE: usize = 2 << 10;

impl ColorJob {
    /// Looks for the colours. Takes its time.
    pub fn run(self) -> Colored {
        let begun = Instant::now();
        let result = self.tree().map(|tree| {
            let paint = |range: &Range<Byte>| tree.paint_with(&self.text, range.clone(), self.rainbow);
            let painted = self.ranges.iter().map(paint).collect();
            let first = self.ranges.first().map_or(Byte(0), |range| range.start);
            let last = self.ranges.last().map_or(first, |range| range.end);
            let outline = tree.outline(&self.text, &(first..last));
            Seen { tree, painted, outline }
        });
        Colored { result, cost: begun.elapsed(), round: self.round }
    }

    /// What comes of it when it breaks down.
    pub fn broken(&self) -> Colored {
        Colored { result: Err(Trouble::Broken), cost: Duration::ZERO, round: self.round }
    }

    fn tree(&self) -> Result<Arc<Syntax>, Trouble> {
        match &self.tree {
            Some(tree) if self.since.is_empty() => Ok(tree.clone()),
            None => Syntax::parse(self.language, &self.text, None, FIRST_BUDGET).map(Arc::new),
            Some(tree) => {
                let mut old = Syntax::clone(tree);
                for past in &self.since {
                    old.edit(&past.before, &past.changes);
                }
                Syntax::parse(self.language, &self.text, Some(&old), BUDGET).map(Arc::new)
            }
        }
    }
}

#[cfg(test)]
mod tests;
