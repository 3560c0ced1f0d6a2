//! One search of a text: the wanted match, the count, the previewed replacements. A pure function over values that a
//! task may run. Must not know the bar.

use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::search::{Needle, SearchOptions};
use crate::text::transaction::Transaction;

/// Matches are counted up to this number; beyond it the bar says "or more".
pub const COUNT_MAX: usize = 10_000;
/// Bytes after a position in which replacements are previewed: more than a screen.
const PREVIEW_REACH: usize = 32 << 10;
/// Bytes before the wanted match, which is seldom in the first row.
const PREVIEW_BACK: usize = 12 << 10;
/// Maximum number of previewed replacements from one position on.
const PREVIEW_MAX: usize = 4_000;

/// A search and its text.
pub struct Job {
    /// In which file.
    pub buffer: BufferId,
    /// The text to search.
    pub text: Text,
    /// The version of that text.
    pub version: u64,
    /// The query.
    pub pattern: String,
    /// The search options.
    pub options: SearchOptions,
    /// What matches are replaced by.
    pub replacement: String,
    /// Positions around which replacements are previewed, if any are.
    pub preview: Option<Vec<Byte>>,
    /// The wanted match.
    pub target: Target,
    /// Whether the matches are counted.
    pub counts: bool,
}

/// Which match is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The first match from a position on, while the user types.
    First(Byte),
    /// The first match after a range, wrapping around.
    Next(Range<Byte>),
    /// The last match before a range, wrapping around.
    Previous(Range<Byte>),
    /// The match that is this range, if it is one.
    At(Range<Byte>),
    /// All matches, to be replaced.
    All,
}

/// Result of a search.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The wanted match.
    pub range: Option<Range<Byte>>,
    /// What replaces it.
    pub replacement: String,
    /// The number of matches and the one-based index of this one, if they are counted.
    pub count: (usize, usize),
    /// The compiled query.
    pub needle: Option<Needle>,
    /// Where replacements are previewed.
    pub regions: Vec<Range<Byte>>,
    /// Matches there with what would replace them.
    pub previews: Vec<(Range<Byte>, String)>,
    /// The edit that replaces all matches, and their number.
    pub edit: Option<(Transaction, usize)>,
    /// Why the search was impossible.
    pub problem: Option<String>,
}

/// Runs the search. May read the whole text.
pub fn run(job: &Job) -> Outcome {
    let needle = match Needle::new(&job.pattern, job.options) {
        Ok(Some(needle)) => needle,
        Ok(None) => return Outcome::default(),
        Err(error) => return Outcome { problem: Some(error.to_string()), ..Outcome::default() },
    };
    let text = &job.text;
    let mut outcome = Outcome::default();
    match &job.target {
        Target::First(from) => outcome.range = needle.find_wrapping(text, *from),
        Target::Next(range) => outcome.range = next(&needle, text, range),
        Target::Previous(range) => outcome.range = previous(&needle, text, range),
        Target::At(range) => outcome.range = needle.find(text, range.start).filter(|found| found == range),
        Target::All => outcome.edit = Some(replace_all(job, &needle)),
    }
    if let Some(range) = outcome.range.clone() {
        outcome.replacement = needle.replacement(text, range, &job.replacement);
    }
    if job.counts {
        outcome.count = count(&needle, text, outcome.range.as_ref());
    }
    outcome.regions = preview_regions(job, outcome.range.as_ref());
    outcome.previews = previews(job, &needle, &outcome.regions);
    outcome.needle = Some(needle);
    outcome
}

/// Returns the match after a range. An empty match there is skipped: it would be found forever.
fn next(needle: &Needle, text: &Text, range: &Range<Byte>) -> Option<Range<Byte>> {
    let at = range.end;
    let found = needle.find_wrapping(text, at)?;
    if found != (at..at) {
        return Some(found);
    }
    let next = text.next_grapheme(at);
    needle.find_wrapping(text, if next == at { Byte(0) } else { next })
}

/// Returns the match before a range. An empty match there is skipped: it would be found forever.
fn previous(needle: &Needle, text: &Text, range: &Range<Byte>) -> Option<Range<Byte>> {
    let at = range.start;
    let found = needle.find_back(text, at)?;
    if found != (at..at) {
        return Some(found);
    }
    needle.find_back(text, if at.0 == 0 { text.end() } else { text.prev_grapheme(at) })
}

/// Returns the number of matches and the one-based index of one; the index is 0 without it.
fn count(needle: &Needle, text: &Text, found: Option<&Range<Byte>>) -> (usize, usize) {
    let (mut count, mut nth) = (0, 0);
    for range in needle.matches(text, Byte(0)..text.end()).take(COUNT_MAX) {
        count += 1;
        nth += usize::from(found.is_some_and(|found| range.start <= found.start));
    }
    (count, nth)
}

/// Returns the edit that replaces all matches, and their number.
fn replace_all(job: &Job, needle: &Needle) -> (Transaction, usize) {
    let text = &job.text;
    let mut count = 0;
    let edits = needle.matches(text, Byte(0)..text.end()).map(|found| {
        count += 1;
        let new = needle.replacement(text, found.clone(), &job.replacement);
        (found, new)
    });
    let edit = Transaction::new(ChangeSet::replace(text.end().0, edits)).prepare(text);
    (edit, count)
}

/// Returns the parts of the text in which replacements are previewed: what is visible, and around the wanted match.
fn preview_regions(job: &Job, found: Option<&Range<Byte>>) -> Vec<Range<Byte>> {
    let Some(visible) = &job.preview else { return Vec::new() };
    let text = &job.text;
    let end = |at: Byte| text.char_floor((at + PREVIEW_REACH).min(text.end()));
    let visible = visible.iter().map(|at| text.char_floor((*at).min(text.end()))).map(|at| at..end(at));
    let around = found.map(|found| {
        let from = text.char_floor(found.start.back(PREVIEW_BACK));
        let line = text.line_start(text.line_of(from));
        // Whole lines, unless they are long.
        let from = if from - line <= PREVIEW_BACK { line } else { from };
        from..end(found.start)
    });
    let mut regions: Vec<Range<Byte>> = visible.chain(around).collect();
    regions.sort_by_key(|region| region.start);
    regions
}

/// Returns the replacements in some parts of the text, which are in order and may overlap.
fn previews(job: &Job, needle: &Needle, regions: &[Range<Byte>]) -> Vec<(Range<Byte>, String)> {
    let text = &job.text;
    let mut found: Vec<(Range<Byte>, String)> = Vec::new();
    let mut done = Byte(0);
    for region in regions {
        let from = region.start.max(done);
        if from >= region.end {
            continue;
        }
        let before = found.len();
        found.extend(needle.matches(text, from..region.end).take(PREVIEW_MAX).map(|range| {
            let new = needle.replacement(text, range.clone(), &job.replacement);
            (range, new)
        }));
        let is_cut = found.len() - before == PREVIEW_MAX;
        done = found.last().filter(|_| is_cut).map_or(region.end, |(range, _)| range.end);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str, pattern: &str, replacement: &str, target: Target) -> Job {
        Job {
            buffer: BufferId(0),
            text: Text::from(text),
            version: 0,
            pattern: pattern.to_string(),
            options: SearchOptions { regex: true, ..SearchOptions::default() },
            replacement: replacement.to_string(),
            preview: Some(vec![Byte(0)]),
            target,
            counts: true,
        }
    }

    #[test]
    fn find_job_skips_the_empty_match_at_the_caret() {
        let empty = |at: usize| Some(Byte(at)..Byte(at));
        assert_eq!(run(&job("a\nb\n", "^", "", Target::Next(Byte(0)..Byte(0)))).range, empty(2));
        assert_eq!(run(&job("a\nb\n", "^", "", Target::Previous(Byte(2)..Byte(2)))).range, empty(0));
    }

    #[test]
    fn find_job_counts_and_previews_wide_and_multi_line_matches() {
        let outcome = run(&job("漢{\n}b{\n}", r"(.)\{\n\}", "<$1>", Target::First(Byte(1))));
        assert_eq!((outcome.range, outcome.count), (Some(Byte(6)..Byte(10)), (2, 2)));
        assert_eq!(outcome.replacement, "<b>");
        let shown: Vec<_> =
            outcome.previews.iter().map(|(range, new)| (range.start.0, new.as_str())).collect();
        assert_eq!(shown, [(0, "<漢>"), (6, "<b>")]);
    }

    #[test]
    fn find_job_previews_are_bounded_and_do_not_overlap() {
        let text = "ab\n".repeat(100_000);
        let mut job = job(&text, "a", "c", Target::First(Byte(150_000)));
        job.preview = Some(vec![Byte(0), Byte(10), Byte(290_000)]);
        let outcome = run(&job);
        assert_eq!(outcome.count.0, COUNT_MAX);
        assert!(outcome.previews.len() <= 4 * PREVIEW_MAX && !outcome.previews.is_empty());
        assert!(outcome.previews.iter().any(|(range, _)| range.start >= Byte(290_000)), "each part has some");
        assert!(outcome.previews.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
    }

    #[test]
    fn find_job_replaces_all_matches_in_one_edit() {
        let (edit, count) = run(&job("a1 a2\n", r"a(\d)", "${1}b", Target::All)).edit.unwrap();
        assert_eq!(count, 2);
        let mut text = Text::from("a1 a2\n");
        edit.changes.apply(&mut text);
        assert_eq!(text.to_string(), "1b 2b\n");
    }
}
