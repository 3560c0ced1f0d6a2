//! Collects the output of a command: as plain text, with beginning and end in memory, and in full in an
//! artifact if it is longer.
//!
//! Must not know commands.

use std::io;

use serde_json::Value;

use crate::base::json::json;

use super::ansi::AnsiStripper;
use super::artifacts::{ArtifactWriter, SavedOutput};
use super::limits::{self, Limit};
use super::truncation::Body;

/// Bytes of the beginning that are kept in memory.
pub const HEAD: usize = 512 * 1024;
/// Bytes of the end that are kept in memory. Together they are what listeners get.
pub const TAIL: usize = 512 * 1024;

/// Collects output in chunks.
#[derive(Debug)]
pub struct OutputCollector {
    plain: AnsiStripper,
    /// An incomplete character at the end of the last chunk.
    partial_char: Vec<u8>,
    kept: HeadAndTail,
}

#[derive(Debug)]
struct HeadAndTail {
    head: String,
    /// Truncated only when it has reached twice its limit.
    tail: String,
    /// Whether a part is in neither beginning nor end.
    has_gap: bool,
    bytes: usize,
    chars: usize,
    line_feeds: usize,
    writing: ArtifactWriter,
}

impl OutputCollector {
    /// Creates a collector; `writing` stores the full output if it is long.
    pub fn new(writing: ArtifactWriter) -> Self {
        Self { plain: AnsiStripper::default(), partial_char: Vec::new(), kept: HeadAndTail::new(writing) }
    }

    /// Adds a chunk.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.partial_char.is_empty() {
            return self.decode(bytes);
        }
        let mut joined = std::mem::take(&mut self.partial_char);
        joined.extend_from_slice(bytes);
        self.decode(&joined);
    }

    fn decode(&mut self, mut bytes: &[u8]) {
        let Self { plain, partial_char: torn, kept } = self;
        let mut out = |run: &str| kept.push(run);
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => return plain.feed(text, &mut out),
                Err(error) => {
                    let (good, rest) = bytes.split_at(error.valid_up_to());
                    plain.feed(&String::from_utf8_lossy(good), &mut out);
                    let Some(wrong) = error.error_len() else { return torn.extend_from_slice(rest) };
                    plain.feed("\u{fffd}", &mut out);
                    bytes = &rest[wrong..];
                }
            }
        }
    }

    /// Returns the end of the output so far, for the user.
    pub fn tail_text(&self) -> String {
        let text = if self.kept.tail.is_empty() { &self.kept.head } else { &self.kept.tail };
        limits::tail(text, limits::LINES_MAX, limits::BYTES_MAX).text.to_string()
    }

    /// Returns the output after this many bytes, as far as it is in memory, and the total number of bytes.
    pub fn read_from(&self, from: usize) -> (String, usize) {
        let HeadAndTail { head, tail, bytes, .. } = &self.kept;
        let behind = |text: &str, starts: usize| {
            let skip = from.saturating_sub(starts).min(text.len());
            text[text.ceil_char_boundary(skip)..].to_string()
        };
        let text = behind(head, 0) + &behind(tail, bytes - tail.len());
        (text, *bytes)
    }

    /// Takes the output so far and continues with `writing`; at the end of the output, including an
    /// incomplete character.
    pub fn take(&mut self, writing: ArtifactWriter, is_end: bool) -> Output {
        let Self { plain, partial_char: torn, kept } = self;
        if is_end {
            if !std::mem::take(torn).is_empty() {
                plain.feed("\u{fffd}", &mut |run| kept.push(run));
            }
            plain.end(&mut |run| kept.push(run));
        }
        std::mem::replace(kept, HeadAndTail::new(writing)).finish()
    }
}

impl HeadAndTail {
    fn new(writing: ArtifactWriter) -> Self {
        let (head, tail) = (String::new(), String::new());
        Self { head, tail, has_gap: false, bytes: 0, chars: 0, line_feeds: 0, writing }
    }

    fn push(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.line_feeds += memchr::memchr_iter(b'\n', text.as_bytes()).count();
        if self.bytes + text.len() > HEAD + TAIL {
            if self.bytes <= HEAD + TAIL {
                self.writing.write(self.head.as_bytes());
                self.writing.write(self.tail.as_bytes());
            }
            self.writing.write(text.as_bytes());
        }
        self.bytes += text.len();
        let room = if self.tail.is_empty() { HEAD.saturating_sub(self.head.len()) } else { 0 };
        let (head, rest) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(head);
        let skipped = rest.ceil_char_boundary(rest.len().saturating_sub(TAIL));
        if skipped > 0 {
            self.has_gap = true;
            self.tail.clear();
        }
        self.tail.push_str(&rest[skipped..]);
        if self.tail.len() > 2 * TAIL {
            self.has_gap = true;
            self.tail.drain(..self.tail.ceil_char_boundary(self.tail.len() - TAIL));
        }
    }

    fn finish(mut self) -> Output {
        let ended = self.tail.trim_end_matches('\n').len();
        if ended < self.tail.len() {
            self.chars -= self.tail.len() - ended;
            self.tail.truncate(ended);
        }
        let spilled = self.bytes > HEAD + TAIL;
        let body = if self.has_gap {
            Body::Ends { head: self.head, tail: self.tail, chars: self.chars }
        } else {
            let mut text = self.head;
            text.push_str(&self.tail);
            text.truncate(text.trim_end_matches('\n').len());
            Body::Whole(text)
        };
        Output { body, bytes: self.bytes, line_feeds: self.line_feeds, writing: self.writing, spilled }
    }
}

/// All output of a command.
#[derive(Debug)]
pub struct Output {
    /// The text without trailing line feeds.
    pub body: Body,
    /// Total bytes.
    pub bytes: usize,
    line_feeds: usize,
    writing: ArtifactWriter,
    /// Whether all of it was already written to the artifact.
    spilled: bool,
}

/// The end of an output, as pi's tool returns it.
#[derive(Debug)]
pub struct LastLines {
    /// The end.
    pub text: String,
    /// A note for the model on what is missing and where the full output is.
    pub note: Option<String>,
    /// The same for front ends.
    pub truncation: Option<Value>,
    /// The stored full output, if some is missing.
    pub kept: Option<SavedOutput>,
    /// The full text, if some is missing and it is within the listeners' limit.
    pub full_text: Option<String>,
}

impl Output {
    /// Returns the output and a function that stores all of it.
    pub fn split(self) -> (Body, impl FnOnce(&Body) -> Option<io::Result<SavedOutput>>) {
        let Self { body, mut writing, spilled, .. } = self;
        let keep = move |body: &Body| {
            if let Some(text) = body.whole().filter(|_| !spilled) {
                writing.write(text.as_bytes());
            }
            Some(writing.finish())
        };
        (body, keep)
    }

    /// Returns the lines that pass a filter, from the part in memory, and where the full output is if that is
    /// incomplete. `fresh` stores the lines if they are too many.
    pub fn filtered(
        self,
        fresh: ArtifactWriter,
        keep: impl Fn(&str) -> bool,
    ) -> (Self, Option<io::Result<SavedOutput>>) {
        let passing = |text: &str| text.lines().filter(|line| keep(line)).collect::<Vec<_>>().join("\n");
        let to_whole_body = |text: String| (text.len(), limits::count_lines(&text), Body::Whole(text));
        match &self.body {
            Body::Whole(text) => {
                let (bytes, feeds, body) = to_whole_body(passing(text));
                (Self { body, bytes, line_feeds: feeds, ..self }, None)
            }
            Body::Ends { head, tail, .. } => {
                let (bytes, feeds, body) = to_whole_body(passing(&format!("{head}\n{tail}")));
                let kept = self.writing.finish();
                (Self { body, bytes, line_feeds: feeds, writing: fresh, spilled: false }, Some(kept))
            }
        }
    }

    /// Returns the last lines.
    pub fn last_lines(self) -> LastLines {
        let (bytes, feeds) = (self.bytes, self.line_feeds);
        let (body, keep) = self.split();
        let (text, is_complete) = match &body {
            Body::Whole(text) => (text.as_str(), true),
            Body::Ends { tail, .. } => (tail.as_str(), false),
        };
        let cut = limits::tail(text, limits::LINES_MAX, limits::BYTES_MAX);
        if is_complete && cut.limited_by.is_none() {
            let text = cut.text.to_string();
            return LastLines { text, note: None, truncation: None, kept: None, full_text: None };
        }
        let total = if is_complete { limits::count_lines(text) } else { feeds.max(cut.lines) };
        let (kept, stored) = match keep(&body) {
            Some(Ok(kept)) if kept.is_complete => {
                (Some(kept.clone()), format!("Everything is in {}", kept.name))
            }
            Some(Ok(kept)) => (Some(kept.clone()), format!("The beginning is in {}", kept.name)),
            Some(Err(error)) => (None, format!("The rest could not be kept: {error}")),
            None => (None, "The rest was not kept".to_string()),
        };
        let shown = if cut.partial {
            format!("The last {} of line {total} of {total}", limits::size(cut.text.len()))
        } else {
            format!("Lines {}-{total} of {total}", total + 1 - cut.lines)
        };
        let by = cut.limited_by.unwrap_or(Limit::Bytes);
        let limit = if by == Limit::Bytes { " (50 KB limit)" } else { "" };
        let truncation = json!({
            "truncated": true,
            "truncatedBy": by.name(),
            "totalLines": total,
            "totalBytes": bytes,
            "outputLines": cut.lines,
            "outputBytes": cut.text.len(),
            "lastLinePartial": cut.partial,
        });
        LastLines {
            text: cut.text.to_string(),
            note: Some(format!("{shown}{limit}. {stored}.")),
            truncation: Some(truncation),
            kept,
            full_text: body.whole().map(str::to_string),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tools::output::ansi;
    use crate::tools::output::artifacts::Artifacts;

    fn collect(folder: &Path, pieces: &[&[u8]]) -> Output {
        let artifacts = Arc::new(Artifacts::new(folder.into()));
        let mut collector = OutputCollector::new(artifacts.start_writing("bash"));
        for piece in pieces {
            collector.push(piece);
        }
        collector.take(artifacts.start_writing("bash"), true)
    }

    #[test]
    fn command_output_short_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let out = collect(folder.path(), &[b"a\xc3", b"\xa9\n\x1b[1mb\x1b", b"[0m\n"]).last_lines();
        assert_eq!((out.text.as_str(), out.note), ("aé\nb", None));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn command_output_long_keeps_tail_and_artifact() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<String> = (1..=200_000).map(|n| format!("line {n}\n")).collect();
        let pieces: Vec<&[u8]> = all.iter().map(String::as_bytes).collect();
        for (lines, whole) in [(40_000, true), (200_000, false)] {
            let out = collect(folder.path(), &pieces[..lines]).last_lines();
            assert!(out.text.starts_with(&format!("line {}\n", lines - 1_999)));
            assert!(out.text.ends_with(&format!("line {lines}")));
            let kept = out.kept.unwrap();
            let text = std::fs::read_to_string(&kept.path).unwrap();
            assert_eq!(text.trim_end(), all[..lines].concat().trim_end());
            let note = format!("Lines {}-{lines} of {lines}. Everything is in {}.", lines - 1_999, kept.name);
            assert_eq!((out.note.unwrap(), out.full_text.is_some()), (note, whole));
        }
    }

    #[test]
    fn command_output_endless_line_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let out = collect(folder.path(), &[&vec![b'x'; 800_000], &vec![b'y'; 800_000]]).last_lines();
        assert_eq!(out.text.len(), limits::BYTES_MAX);
        assert!(out.text.bytes().all(|byte| byte == b'y'));
        assert!(out.note.unwrap().starts_with("The last 50.0KB of line"));
        assert_eq!(std::fs::metadata(out.kept.unwrap().path).unwrap().len(), 1_600_000);
    }

    #[test]
    fn command_output_memory_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut collector =
            OutputCollector::new(Arc::new(Artifacts::new(folder.path().into())).start_writing("bash"));
        for _ in 0..200 {
            collector.push(&vec![b'z'; 65_536]);
            assert!(collector.kept.head.capacity() + collector.kept.tail.capacity() <= 4 * (HEAD + TAIL));
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn command_output_pieces_match_full_text(
            pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(&b"ab\n\r\x1b[m\xc3\xa9\xf0\x9f\x98\x80\xff"[..]), 0..6), 0..8),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let slices: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let (body, _keep) = collect(folder.path(), &slices).split();
            let wanted = ansi::strip_ansi(&String::from_utf8_lossy(&pieces.concat()));
            prop_assert_eq!(body, Body::Whole(wanted.trim_end_matches('\n').to_string()));
        }

        #[test]
        fn command_output_counts_characters(sizes in prop::collection::vec(1usize..700_000, 1..6)) {
            let folder = tempfile::tempdir().unwrap();
            let text: Vec<String> = sizes.iter().map(|size| "é".repeat(size / 2)).collect();
            let slices: Vec<&[u8]> = text.iter().map(String::as_bytes).collect();
            let (body, _keep) = collect(folder.path(), &slices).split();
            let all = text.concat();
            match body {
                Body::Whole(text) => prop_assert_eq!(text, all),
                Body::Ends { head, tail, chars } => {
                    prop_assert!(all.starts_with(&head) && all.ends_with(&tail) && head.len() >= HEAD - 1);
                    prop_assert!(tail.len() >= TAIL - 2 && all.len() > HEAD + TAIL);
                    prop_assert_eq!(chars, all.chars().count());
                }
            }
        }
    }
}
