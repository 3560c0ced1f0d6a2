//! Change log: the changes of a text since a version of it, as lines that are appended to the stored version
//! and replayed. Must not know where it is stored.

use serde::{Deserialize, Serialize};

use crate::text::changes::ChangeSet;
use crate::text::rope::Text;
use crate::text::undo::archive::check_edits;

/// Maximum bytes of changes; above, storing the text is shorter.
const BYTES_MAX: usize = 1 << 20;
/// Approximate overhead of an edit in bytes.
const EDIT_BYTES: usize = 24;

/// Consecutive changes.
#[derive(Debug, Default)]
pub(in crate::text) struct ChangeJournal {
    from: u64,
    changes: Vec<ChangeSet>,
    bytes: usize,
}

/// The changes from one version of a text to another.
#[derive(Debug, Clone)]
pub struct JournalSteps {
    /// The version before.
    pub from: u64,
    /// The version after.
    pub to: u64,
    /// Bytes of the text after.
    pub length: usize,
    changes: Vec<ChangeSet>,
    bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct Line {
    from: u64,
    to: u64,
    time_ms: u64,
    length: usize,
    /// Start, end and new text of every edit of every change.
    changes: Vec<Vec<(usize, usize, String)>>,
}

impl ChangeJournal {
    pub(in crate::text) fn new(from: u64) -> Self {
        Self { from, ..Self::default() }
    }

    /// Remembers a change; false when that is too much.
    pub(in crate::text) fn push(&mut self, changes: &ChangeSet) -> bool {
        for edit in changes.edits() {
            self.bytes += edit.text.len() + EDIT_BYTES;
            if self.bytes > BYTES_MAX {
                return false;
            }
        }
        self.changes.push(changes.clone());
        true
    }

    pub(in crate::text) fn into_steps(self, to: u64, text: &Text) -> JournalSteps {
        let Self { from, changes, bytes } = self;
        JournalSteps { from, to, length: text.end().0, changes, bytes }
    }
}

impl JournalSteps {
    /// Returns the approximate bytes of their line.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the line, with the time of the resulting text, in milliseconds since the epoch.
    pub fn to_line(&self, time_ms: u64) -> String {
        let edits = |changes: &ChangeSet| {
            changes.edits().map(|e| (e.old.start.0, e.old.end.0, e.text.to_string())).collect()
        };
        let changes = self.changes.iter().map(edits).collect();
        let line = Line { from: self.from, to: self.to, time_ms, length: self.length, changes };
        serde_json::to_string(&line).expect("plain numbers and strings are always JSON") + "\n"
    }
}

/// Replays lines on a text of a version: lines for other versions are skipped, and a torn line ends it.
/// Returns the time of the last one.
pub fn replay(text: &mut Text, mut version: u64, lines: &[u8]) -> Option<u64> {
    let mut time = None;
    // Text after the last line feed is incomplete.
    let whole = memchr::memrchr(b'\n', lines).map_or(&[][..], |end| &lines[..end]);
    for line in whole.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { break };
        if line.from != version {
            continue;
        }
        let mut next = text.clone();
        for edits in &line.changes {
            let Some(changes) = check_edits(edits, &next) else { return time };
            changes.apply(&mut next);
        }
        if next.end().0 != line.length {
            break;
        }
        (*text, version, time) = (next, line.to, Some(line.time_ms));
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::Document;
    use crate::text::file_format::format::Format;
    use crate::text::position::Byte;
    use crate::text::selection::Selection;
    use crate::text::transaction::Transaction;
    use proptest::prelude::*;

    fn change(document: &mut Document, at: usize, deleted: usize, new: &str) {
        let text = document.text();
        let start = text.char_floor(Byte(at % (text.end().0 + 1)));
        let end = text.char_floor((start + deleted).min(text.end()));
        let changes = ChangeSet::replace(text.end().0, [(start..end, new.to_string())]);
        document.apply(Transaction::new(changes), &Selection::cursor(Byte(0)), 0);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn journal_replay_ignores_torn_last_line(
            first in "[aé\n]{0,30}",
            bursts in prop::collection::vec(
                prop::collection::vec((0usize..60, 0usize..4, "[bö\n]{0,3}"), 0..4), 1..5),
            cut in 1usize..20,
        ) {
            let mut document = Document::new(first.as_str(), Format::default());
            assert!(document.take_journal_steps().is_none(), "nothing was remembered");
            let base = (document.text().clone(), document.version());
            let (mut lines, mut before, mut last) = (String::new(), base.0.clone(), 0);
            for burst in &bursts {
                before = document.text().clone();
                for (at, deleted, new) in burst {
                    change(&mut document, *at, *deleted, new);
                }
                let line = document.take_journal_steps().expect("all is remembered").to_line(7);
                last = line.len();
                lines += &line;
            }
            let mut text = base.0.clone();
            prop_assert_eq!(replay(&mut text, base.1, lines.as_bytes()), Some(7));
            prop_assert_eq!(&text, document.text());
            let torn = lines.len() - cut.min(last);
            let mut text = base.0.clone();
            replay(&mut text, base.1, &lines.as_bytes()[..torn]);
            prop_assert_eq!(&text, &before);
        }

        #[test]
        fn journal_any_lines_are_safe(lines in prop::collection::vec(any::<u8>(), 0..200), version in 0u64..3) {
            let mut text = Text::from("some\ntext");
            replay(&mut text, version, &lines);
        }
    }

    #[test]
    fn journal_other_version_and_invalid_edits_are_ignored() {
        let line = |from: u64, edits: &str, length: usize| {
            format!(
                "{{\"from\":{from},\"to\":{},\"time_ms\":1,\"length\":{length},\"changes\":[[{edits}]]}}\n",
                from + 1
            )
        };
        let replayed = |lines: &str| {
            let mut text = Text::from("aé");
            replay(&mut text, 4, lines.as_bytes());
            text.to_string()
        };
        assert_eq!(replayed(&(line(3, "[0,1,\"x\"]", 3) + &line(4, "[0,1,\"bc\"]", 4))), "bcé");
        for edits in ["[0,2,\"\"]", "[0,9,\"\"]", "[1,0,\"\"]", "[1,1,\"x\"],[0,0,\"y\"]"] {
            assert_eq!(replayed(&line(4, edits, 1)), "aé", "{edits}");
        }
        assert_eq!(replayed(&line(4, "[0,1,\"\"]", 3)), "aé", "the length is another's");
    }

    #[test]
    fn journal_too_large_steps_are_dropped_and_restart() {
        let mut document = Document::new("a", Format::default());
        assert!(document.take_journal_steps().is_none());
        change(&mut document, 0, 0, &"x".repeat(BYTES_MAX));
        change(&mut document, 0, 0, "y");
        assert!(!document.has_journal_steps());
        assert!(document.take_journal_steps().is_none());
        change(&mut document, 0, 0, "z");
        assert_eq!(document.take_journal_steps().map(|steps| (steps.from, steps.to)), Some((2, 3)));
    }
}
