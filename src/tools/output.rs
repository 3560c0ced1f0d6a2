//! The output of a command while it comes in: its end in memory, all of it in a file once it is
//! longer than a model gets.
//!
//! Must not know commands.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{ansi, limits};
use crate::exec::Spill;

/// Bytes kept in memory: twice what a model gets, so that the cut falls into what we have.
const KEPT: usize = 2 * limits::BYTES_MAX;

/// Takes output in pieces.
#[derive(Debug, Default)]
pub struct Collector {
    /// The end of the output; everything while it is short. Cut only when twice as long as kept.
    tail: Vec<u8>,
    bytes: usize,
    feeds: usize,
    spill: Option<Spill>,
    spilling: bool,
}

/// What a model gets of it.
#[derive(Debug, Default)]
pub struct Collected {
    /// The end, as plain text without a line feed at its end.
    pub text: String,
    /// What is missing and where all of it is, for the model.
    pub note: Option<String>,
    /// The same for front ends.
    pub truncation: Option<Value>,
    /// The file with everything.
    pub full_output: Option<PathBuf>,
}

impl Collector {
    /// `folder` and `name` say where long output goes.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self { spill: Some(Spill::new(folder, name)), ..Self::default() }
    }

    /// Takes the next piece.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.feeds += memchr::memchr_iter(b'\n', bytes).count();
        let long = self.bytes > limits::BYTES_MAX || self.feeds > limits::LINES_MAX;
        if let Some(spill) = self.spill.as_mut().filter(|_| long) {
            if !std::mem::replace(&mut self.spilling, true) {
                spill.write(&self.tail);
            }
            spill.write(bytes);
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
        }
    }

    /// The end of the output so far as plain text, for people.
    pub fn tail_text(&self) -> String {
        let text = self.plain_tail();
        limits::tail(&text, limits::LINES_MAX, limits::BYTES_MAX).text.to_string()
    }

    /// The tail without escapes; when its front was cut away, from its first whole line on.
    fn plain_tail(&self) -> String {
        let from = if self.bytes > self.tail.len() {
            memchr::memchr(b'\n', &self.tail).map_or(0, |feed| feed + 1)
        } else {
            0
        };
        let from = if from == self.tail.len() { 0 } else { from };
        ansi::plain(&String::from_utf8_lossy(&self.tail[from..]))
    }

    /// Ends the output.
    pub fn finish(self) -> Collected {
        let plain = self.plain_tail();
        let whole = self.bytes == self.tail.len();
        let plain = plain.trim_end_matches('\n');
        let cut = limits::tail(plain, limits::LINES_MAX, limits::BYTES_MAX);
        if whole && cut.by.is_none() {
            return Collected { text: cut.text.to_string(), ..Collected::default() };
        }
        let total = if whole { limits::count_lines(plain) } else { self.feeds.max(cut.lines) };
        let (full_output, stored) = match self.spill.map_or(Ok(None), Spill::finish) {
            Ok(Some(path)) => (Some(path.clone()), format!("Everything is in {}", path.display())),
            Ok(None) => (None, "The rest was not kept".to_string()),
            Err(error) => (None, format!("The rest could not be kept: {error}")),
        };
        let shown = if cut.partial {
            format!("The last {} of line {total} of {total}", limits::size(cut.text.len()))
        } else {
            format!("Lines {}-{total} of {total}", total + 1 - cut.lines)
        };
        let by = cut.by.unwrap_or(limits::Limit::Bytes);
        let limit = if by == limits::Limit::Bytes { " (50 KB limit)" } else { "" };
        let truncation = json!({
            "truncated": true,
            "truncatedBy": by.name(),
            "totalLines": total,
            "totalBytes": self.bytes,
            "outputLines": cut.lines,
            "outputBytes": cut.text.len(),
            "lastLinePartial": cut.partial,
        });
        Collected {
            text: cut.text.to_string(),
            note: Some(format!("{shown}{limit}. {stored}.")),
            truncation: Some(truncation),
            full_output,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(folder: &Path, pieces: &[&[u8]]) -> Collected {
        let mut collector = Collector::new(folder, "out.log");
        for piece in pieces {
            collector.push(piece);
        }
        collector.finish()
    }

    #[test]
    fn short_output_stays_whole_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let out = collect(folder.path(), &[b"a\xc3", b"\xa9\n\x1b[1mb\x1b[0m\n"]);
        assert_eq!((out.text.as_str(), out.note), ("aé\nb", None));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn long_output_keeps_its_end_and_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<String> = (1..=100_000).map(|n| format!("line {n}\n")).collect();
        let pieces: Vec<&[u8]> = all.iter().map(String::as_bytes).collect();
        let out = collect(folder.path(), &pieces);
        assert!(out.text.starts_with("line 98001\n") && out.text.ends_with("line 100000"));
        let path = out.full_output.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), all.concat());
        let note = format!("Lines 98001-100000 of 100000. Everything is in {}.", path.display());
        assert_eq!(out.note.unwrap(), note);
    }

    #[test]
    fn one_endless_line_is_cut_inside() {
        let folder = tempfile::tempdir().unwrap();
        let out = collect(folder.path(), &[&vec![b'x'; 300_000], &vec![b'y'; 300_000]]);
        assert_eq!(out.text.len(), limits::BYTES_MAX);
        assert!(out.text.bytes().all(|byte| byte == b'y'));
        assert!(out.note.unwrap().starts_with("The last 50.0KB of line"));
        assert_eq!(std::fs::metadata(out.full_output.unwrap()).unwrap().len(), 600_000);
    }

    #[test]
    fn memory_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut collector = Collector::new(folder.path(), "out.log");
        for _ in 0..100 {
            collector.push(&vec![b'z'; 65_536]);
            assert!(collector.tail.capacity() <= 8 * KEPT);
        }
    }
}
