//! Searches the files of a workspace for a regular expression, with ripgrep's walker, matcher and searcher:
//! respects ignore rules, skips binary files, and reports results file by file as they are found.
//!
//! Must not know the caller, nor encodings: [`Texts`] decodes files, and supplies the text of files that are
//! open in an editor. Blocking: call it on a blocking thread.

use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use grep_matcher::{Captures, Matcher};
use grep_regex::{RegexCaptures, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::DirEntry;
use tokio_util::sync::CancellationToken;

use self::lines::LineCursor;
use super::walk;
use crate::base::{names, parallel};

/// Maximum bytes of a file; longer ones are skipped.
pub const SIZE_MAX: u64 = 64 << 20;

/// Source of texts. Called from several threads.
pub trait FileTexts: Sync {
    /// Returns a text to search in place of the file's own: that of an open file, with unsaved changes.
    fn unsaved_text(&self, file: &Path) -> Option<String>;

    /// Returns the files with such a text that do not exist on disk yet, sorted.
    fn unsaved_files(&self) -> Vec<PathBuf>;

    /// Decodes a file's bytes; `None` if they are not text.
    fn decode(&self, bytes: Vec<u8>) -> Option<String>;
}

/// An invalid search pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPattern(String);

/// A compiled search pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    matcher: RegexMatcher,
    searcher_lines: bool,
    /// The replacement of a match, and whether `$1` in it refers to a group.
    replacement: Option<(String, bool)>,
}

impl Pattern {
    /// Compiles a pattern in the `regex` crate's syntax. It matches across lines only if it contains line
    /// endings (`\n`) or lets `.` match them (`(?s)`).
    pub fn new(expression: &str) -> Result<Self, BadPattern> {
        let by_lines = RegexMatcherBuilder::new().line_terminator(Some(b'\n')).build(expression);
        let (matcher, searcher_lines) = match by_lines {
            Ok(matcher) if !has_dotall(expression) => (matcher, true),
            _ => {
                let matcher = RegexMatcherBuilder::new().build(expression);
                (matcher.map_err(|error| BadPattern(error.to_string()))?, false)
            }
        };
        Ok(Self { matcher, searcher_lines, replacement: None })
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .multi_line(!self.searcher_lines)
            .binary_detection(BinaryDetection::none())
            .bom_sniffing(false)
            .build()
    }

    /// Sets the replacement; with `groups`, `$1` and `${name}` are expanded.
    #[must_use]
    pub fn with_replacement(mut self, new: &str, groups: bool) -> Self {
        self.replacement = Some((new.to_string(), groups));
        self
    }
}

/// Whether a pattern has the flag that lets `.` match line endings.
fn has_dotall(expression: &str) -> bool {
    expression.match_indices("(?").any(|(at, _)| {
        let flags = expression[at + 2..].split([':', ')', '-']).next().unwrap_or_default();
        flags.contains('s') && flags.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

/// Matching lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// Their text, joined by `\n`, without the last line ending.
    pub old: String,
    /// The text after replacement, if there is one.
    pub new: Option<String>,
    /// Byte offset of the first match in `old`.
    pub at: usize,
}

/// The hits in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHits {
    /// Its path.
    pub path: PathBuf,
    /// Its path relative to the root.
    pub name: String,
    /// The hits, in order.
    pub hits: Vec<Hit>,
}

/// The summary of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrepSummary {
    /// Number of files with hits.
    pub files: usize,
    /// Number of matches.
    pub matches: usize,
    /// Number of binary files.
    pub binary: usize,
    /// Number of files longer than [`SIZE_MAX`].
    pub too_long: usize,
    /// Number of files that could not be read or whose names are not UTF-8.
    pub unreadable: usize,
    /// Whether the limit was reached.
    pub truncated: bool,
    /// Whether the search was cancelled.
    pub cancelled: bool,
}

/// Files that a thread takes at a time.
const BATCH: usize = 8;
/// Maximum number of search threads.
const THREADS_MAX: usize = 12;

/// Searches all files of a scope, sorted by folder and name, until there are `most` matches. The calling
/// thread walks and reports results; others read and search.
pub fn grep<'a>(
    scope: impl Into<walk::Scope<'a>>,
    pattern: &Pattern,
    most: usize,
    cancel: &CancellationToken,
    texts: &dyn FileTexts,
    mut sink: impl FnMut(FileHits),
) -> GrepSummary {
    let scope = scope.into();
    let root = scope.root;
    let prepare = || FileSearcher { pattern, searcher: pattern.searcher(), cancel, texts };
    let (mut fallback, mut done) = (prepare(), GrepSummary::default());
    let mut unwritten = texts.unsaved_files();
    let mut walked = scope.sorted().filter_map(|entry| match entry {
        Ok(entry) if walk::is_file(&entry) => Some(Candidate::from_entry(&entry, root)),
        Ok(_) => None,
        Err(error) => {
            tracing::debug!(%error, "skipped in a search");
            Some(None)
        }
    });
    let shares = std::iter::from_fn(|| {
        let files: Vec<_> = walked.by_ref().take_while(|_| !cancel.is_cancelled()).take(BATCH).collect();
        (!files.is_empty()).then_some(files)
    });
    let search_chunk = |looker: &mut FileSearcher<'_>, files: Vec<Option<Candidate>>| -> Vec<_> {
        files.into_iter().map(|file| file.map(|file| looker.search_file(file, most))).collect()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    parallel::map_ordered(threads, shares, prepare, search_chunk, |files| {
        for looked in files {
            unwritten.retain(|path| looked.as_ref().is_none_or(|looked| looked.file.path != *path));
            done.add(looked, most, &mut fallback, &mut sink);
            if done.is_done(cancel) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    for path in unwritten {
        let name = path.strip_prefix(root).ok().map(|below| names::display(below).into_owned());
        if let (Some(name), false) = (name, done.is_done(cancel)) {
            let looked = fallback.search_file(Candidate { path, name }, most);
            done.add(Some(looked), most, &mut fallback, &mut sink);
        }
    }
    done.is_done(cancel);
    done
}

impl GrepSummary {
    /// Whether the search can stop.
    fn is_done(&mut self, cancel: &CancellationToken) -> bool {
        self.cancelled |= cancel.is_cancelled();
        self.cancelled || self.truncated
    }

    /// Adds the results of a file; if it has more matches than remain allowed, `again` searches for only the
    /// first ones.
    fn add(
        &mut self,
        looked: Option<Searched>,
        most: usize,
        fallback: &mut FileSearcher<'_>,
        sink: &mut impl FnMut(FileHits),
    ) {
        let left = most - self.matches;
        let Searched { file, outcome } = match looked {
            Some(Searched { file, outcome: Outcome::Searched { matches, .. } }) if matches > left => {
                fallback.search_file(file, left)
            }
            Some(looked) => looked,
            None => {
                self.unreadable += 1;
                return;
            }
        };
        match outcome {
            Outcome::TooLong => self.too_long += 1,
            Outcome::Unreadable => self.unreadable += 1,
            Outcome::Binary => self.binary += 1,
            Outcome::Searched { hits, matches, cut, failed } => {
                self.unreadable += usize::from(failed);
                self.matches += matches;
                self.truncated |= cut;
                if !hits.is_empty() {
                    self.files += 1;
                    sink(FileHits { path: file.path, name: file.name, hits });
                }
            }
        }
    }
}

/// A file to search.
struct Candidate {
    path: PathBuf,
    /// Its path relative to the root.
    name: String,
}

impl Candidate {
    /// Returns `None` if it is not below the root.
    fn from_entry(entry: &DirEntry, root: &Path) -> Option<Self> {
        Some(Self { path: entry.path().to_path_buf(), name: walk::relative(entry, root)? })
    }
}

/// A file with its results.
struct Searched {
    file: Candidate,
    outcome: Outcome,
}

enum Outcome {
    TooLong,
    Unreadable,
    Binary,
    Searched { hits: Vec<Hit>, matches: usize, cut: bool, failed: bool },
}

/// State of one search thread.
struct FileSearcher<'a> {
    pattern: &'a Pattern,
    searcher: Searcher,
    cancel: &'a CancellationToken,
    texts: &'a dyn FileTexts,
}

impl FileSearcher<'_> {
    /// Searches a file for at most this many matches.
    fn search_file(&mut self, file: Candidate, most: usize) -> Searched {
        let outcome = match self.texts.unsaved_text(&file.path) {
            Some(text) => self.search(&text, &file.path, most),
            None => match read_file(&file.path) {
                Ok(Some(bytes)) => match self.texts.decode(bytes) {
                    Some(text) => self.search(&text, &file.path, most),
                    None => Outcome::Binary,
                },
                Ok(None) => Outcome::TooLong,
                Err(error) => {
                    tracing::debug!(%error, path = %file.path.display(), "not searched");
                    Outcome::Unreadable
                }
            },
        };
        Searched { file, outcome }
    }

    fn search(&mut self, text: &str, path: &Path, most: usize) -> Outcome {
        let (pattern, cancel) = (self.pattern, self.cancel);
        let mut found = MatchCollector { pattern, text, cancel, left: most, hits: Vec::new(), cut: false };
        let searched = self.searcher.search_slice(&pattern.matcher, text.as_bytes(), &mut found);
        if let Err(error) = &searched {
            tracing::warn!(%error, path = %path.display(), "a search failed");
        }
        let (matches, failed) = (most - found.left, searched.is_err());
        Outcome::Searched { matches, cut: found.cut, failed, hits: found.hits }
    }
}

/// Returns a file's bytes; `None` when there are too many.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    if size > SIZE_MAX {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= SIZE_MAX).then_some(bytes))
}

/// Collects the searcher's matches in one text.
struct MatchCollector<'a> {
    pattern: &'a Pattern,
    text: &'a str,
    cancel: &'a CancellationToken,
    left: usize,
    hits: Vec<Hit>,
    cut: bool,
}

/// A match: its range and its replacement.
type Match = (usize, usize, Option<String>);

impl Sink for MatchCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, lines: &SinkMatch<'_>) -> io::Result<bool> {
        let start = lines.absolute_byte_offset() as usize;
        let end = start + lines.bytes().len();
        let line = lines.line_number().unwrap_or(1) as usize;
        let matches = self.matches(start, end)?;
        if self.pattern.replacement.is_some() {
            self.add_replaced(start, line, &matches);
        } else {
            self.add_lines(start, line, &matches);
        }
        Ok(!self.cut && !self.cancel.is_cancelled())
    }
}

impl MatchCollector<'_> {
    /// Returns the matches that start in a part of the text, up to the limit.
    fn matches(&mut self, start: usize, end: usize) -> io::Result<Vec<Match>> {
        let matcher = &self.pattern.matcher;
        let bytes = &self.text.as_bytes()[..end];
        let mut found: Vec<Match> = Vec::new();
        let mut left = self.left;
        let mut cut = false;
        let is_inside = |at: usize| at < end || end == self.text.len() && !self.text.ends_with('\n');
        let failed = |error| io::Error::other(format!("{error:?}"));
        matcher
            .find_iter_at(bytes, start, |place| {
                // A match cannot start after the last line.
                if !is_inside(place.start()) {
                    return false;
                }
                if left == 0 {
                    cut = true;
                    return false;
                }
                left -= 1;
                found.push((place.start(), place.end(), None));
                true
            })
            .map_err(failed)?;
        (self.left, self.cut) = (left, cut);
        if let Some((new, groups)) = &self.pattern.replacement {
            let mut captures = matcher.new_captures().map_err(failed)?;
            for (from, _, put) in &mut found {
                *put = Some(if *groups {
                    self.expand_replacement(&mut captures, bytes, *from, new)?
                } else {
                    new.clone()
                });
            }
        }
        Ok(found)
    }

    /// Returns the replacement with its groups expanded.
    fn expand_replacement(
        &self,
        captures: &mut RegexCaptures,
        bytes: &[u8],
        from: usize,
        new: &str,
    ) -> io::Result<String> {
        let matcher = &self.pattern.matcher;
        let found = matcher.captures_at(bytes, from, captures);
        let mut out = Vec::new();
        if found.map_err(|error| io::Error::other(format!("{error:?}")))? {
            captures.interpolate(|name| matcher.capture_index(name), bytes, new.as_bytes(), &mut out);
        }
        String::from_utf8(out).map_err(io::Error::other)
    }

    /// Adds every line that a match touches, once.
    fn add_lines(&mut self, start: usize, line: usize, matches: &[Match]) {
        let mut lines = LineCursor::new(self.text, start, line);
        let mut next = 0;
        for (from, to, _) in matches {
            lines.go_to(*from);
            let last = (*to).max(from + 1) - 1;
            loop {
                if lines.line >= next {
                    let at = self.before_ending(*from).saturating_sub(lines.start);
                    let old = lines.content().to_string();
                    self.hits.push(Hit { first: lines.line, last: lines.line, old, new: None, at });
                    next = lines.line + 1;
                }
                if lines.end > last || !lines.advance() {
                    break;
                }
            }
        }
    }

    /// Adds the lines that matches touch, joined where a match spans several, with their replacement.
    fn add_replaced(&mut self, start: usize, line: usize, matches: &[Match]) {
        let mut lines = LineCursor::new(self.text, start, line);
        let mut rest = matches.iter().peekable();
        while let Some((from, to, put)) = rest.next() {
            lines.go_to(*from);
            let (begin, first) = (lines.start, lines.line);
            let mut new = self.text[begin..self.before_ending(*from)].to_string();
            new.push_str(put.as_deref().unwrap_or_default());
            let mut done = *to;
            // Replacing a line ending joins the next line.
            lines.go_to(done);
            while let Some((from, to, put)) = rest.next_if(|(from, ..)| lines.contains(*from)) {
                new.push_str(self.text.get(done..self.before_ending(*from)).unwrap_or_default());
                new.push_str(put.as_deref().unwrap_or_default());
                done = *to;
                lines.go_to(done);
            }
            let end = lines.start + lines.content().len();
            // A match may end within the line ending: `\r` is not part of a line's content.
            new.push_str(self.text.get(done..end).unwrap_or_default());
            if done > end && new.ends_with('\r') {
                new.pop();
            }
            let old = normalize_endings(&self.text[begin..end.max(begin)]);
            let at = self.before_ending(*from) - begin;
            self.hits.push(Hit { first, last: lines.line, old, new: Some(normalize_endings(&new)), at });
        }
    }

    /// Returns the start of a match; one that starts within `\r\n` is extended to include the `\r`.
    fn before_ending(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let halved = bytes.get(from) == Some(&b'\n') && bytes[..from].ends_with(b"\r");
        from - usize::from(halved)
    }
}

/// Returns the text with `\n` line endings.
fn normalize_endings(text: &str) -> String {
    text.replace("\r\n", "\n")
}

mod lines;
#[cfg(test)]
mod tests;
