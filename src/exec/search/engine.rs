//! Search engine: matches a pattern in one file after the other, with ripgrep's matcher and searcher.
//!
//! Must not know where files come from. Lines end with LF; a lone CR is an ordinary character.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use tokio_util::sync::CancellationToken;

use super::search_reader::SearchReader;
use super::spec::{FileMatches, FoundLine, LINE_MAX, SearchSpec, Want};
use crate::exec::error::EnvError;

/// A compiled search. Cloned for each thread.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    matcher: RegexMatcher,
    searcher: Searcher,
    want: Want,
    most: usize,
    cancel: CancellationToken,
}

/// A NUL among this many first bytes marks a binary file, as it does where files are displayed. A later one
/// ends the text.
const HEAD: u64 = 8 * 1024;

/// The result for a file.
#[derive(Debug)]
pub(super) struct FileResult {
    /// Matching lines; the caller adds name and path.
    pub(super) file: FileMatches,
    /// Whether it is binary, completely or after some offset.
    pub(super) binary: bool,
}

impl Engine {
    /// Fails on an invalid regular expression.
    pub(super) fn new(spec: &SearchSpec, cancel: &CancellationToken) -> Result<Self, EnvError> {
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(spec.ignore_case).fixed_strings(spec.literal).multi_line(true);
        let lines = if spec.multiline {
            None
        } else {
            let mut by_lines = builder.clone();
            by_lines.line_terminator(Some(b'\n'));
            if !spec.literal && !spec.pattern.contains("\\r") {
                by_lines.crlf(true);
            }
            by_lines.build(&spec.pattern).ok()
        };
        // An expression that contains line endings can only be matched in whole texts.
        let multiline = lines.is_none();
        let matcher = match lines {
            Some(matcher) => matcher,
            None => builder
                .dot_matches_new_line(spec.multiline)
                .build(&spec.pattern)
                .map_err(|error| EnvError::Pattern(error.to_string()))?,
        };
        let lines_around = spec.want == Want::Lines;
        let searcher = SearcherBuilder::new()
            .multi_line(multiline)
            .line_terminator(matcher.line_terminator().unwrap_or(LineTerminator::byte(b'\n')))
            .before_context(if lines_around { spec.before } else { 0 })
            .after_context(if lines_around { spec.after } else { 0 })
            .binary_detection(BinaryDetection::quit(0))
            .build();
        let most = if spec.want == Want::Files { 1 } else { spec.max_per_file.unwrap_or(usize::MAX) };
        Ok(Self { matcher, searcher, want: spec.want, most, cancel: cancel.clone() })
    }

    /// Searches a file of this machine; `named` if it was requested explicitly.
    pub(super) fn search_file(&mut self, path: &Path, named: bool) -> io::Result<FileResult> {
        self.search_content(File::open(path)?, named)
    }

    /// Searches the content of a file.
    pub(super) fn search_content(&mut self, content: impl Read, named: bool) -> io::Result<FileResult> {
        let Self { matcher, searcher, want, most, cancel } = self;
        let mut found = MatchCollector {
            matcher,
            want: *want,
            most: *most,
            cancel,
            file: FileMatches::default(),
            binary: false,
        };
        let mut text = SearchReader::new(content, cancel);
        searcher.search_reader(&*matcher, &mut text, &mut found)?;
        let MatchCollector { file, binary, .. } = found;
        // For an explicitly named file, matches before the NUL are kept.
        let file = match text.nul() {
            Some(nul) if nul < HEAD && !named => FileMatches::default(),
            _ => file,
        };
        Ok(FileResult { file, binary: binary || text.nul().is_some() })
    }
}

/// Collects the searcher's matches in one file.
struct MatchCollector<'a> {
    /// Borrowed: a clone would allocate its own scratch memory for every file.
    matcher: &'a RegexMatcher,
    want: Want,
    most: usize,
    cancel: &'a CancellationToken,
    file: FileMatches,
    binary: bool,
}

impl MatchCollector<'_> {
    fn push(&mut self, number: usize, line: &[u8], matches: bool) {
        let cut = &line[..line.len().min(LINE_MAX + 4)];
        let text = String::from_utf8_lossy(cut);
        let text = text[..text.floor_char_boundary(LINE_MAX)].to_string();
        self.file.lines.push(FoundLine { number, text, matches });
    }
}

/// Returns the lines without line endings.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

impl Sink for MatchCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.file.count >= self.most {
            return Ok(false);
        }
        let first = found.line_number().unwrap_or(1) as usize;
        match self.want {
            Want::Counts | Want::Files => self.file.count += 1,
            Want::Lines => {
                for (at, line) in lines(found.bytes()).enumerate() {
                    self.push(first + at, line, true);
                    self.file.count += 1;
                }
            }
            Want::Matches => {
                let mut ranges = Vec::new();
                let failed = |error| io::Error::other(format!("{error:?}"));
                let bytes = found.bytes();
                self.matcher
                    .find_iter(bytes, |place| {
                        ranges.push((place.start(), place.end()));
                        !place.is_empty() && ranges.len() < self.most
                    })
                    .map_err(failed)?;
                for (from, to) in ranges.into_iter().filter(|(from, to)| from < to) {
                    let above = memchr::memchr_iter(b'\n', &bytes[..from]).count();
                    self.push(first + above, &bytes[from..to], true);
                    self.file.count += 1;
                }
            }
        }
        Ok(self.want != Want::Files && !self.cancel.is_cancelled())
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        let first = around.line_number().unwrap_or(1) as usize;
        for (at, line) in lines(around.bytes()).enumerate() {
            self.push(first + at, line, false);
        }
        Ok(!self.cancel.is_cancelled())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, done: &SinkFinish) -> io::Result<()> {
        self.binary |= done.binary_byte_offset().is_some();
        Ok(())
    }
}
