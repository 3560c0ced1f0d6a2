//! State of the diff view: two texts, where they come from, and when they are compared again. Must not know how
//! rows are drawn or what keys do.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::ide::features::diff::rows::DiffRows;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::debounce::Debounce;
use crate::text::changes::ChangeSet;
use crate::text::compare::ChangedLines;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::Format;
use crate::text::rope::Text;

/// Source of the other text.
#[derive(Debug, Clone)]
pub enum Source {
    /// From git: its index, or its last commit.
    Git {
        /// Path of the file, links resolved.
        path: PathBuf,
        /// Whether it is the commit.
        head: bool,
    },
    /// A file, with its encoding if that must not be detected.
    File(PathBuf, Option<Encoding>),
    /// A text, with changes to apply to it.
    Text(Text, Vec<ChangeSet>, Format),
    /// The text of the previous comparison.
    Previous(Arc<Text>),
}

/// Two texts that were compared, or could not be.
#[derive(Debug)]
pub struct ComparisonResult {
    /// For which view.
    pub number: u64,
    /// Our text at the comparison.
    pub text: Text,
    /// Its version.
    pub version: u64,
    /// The other text, or why it is unavailable.
    pub other: Result<OtherText, String>,
    /// Duration of the comparison.
    pub cost: Duration,
}

/// The other text, compared.
#[derive(Debug)]
pub struct OtherText {
    /// The text.
    pub text: Arc<Text>,
    /// Differences other than lines: encodings, line endings.
    pub notes: Vec<String>,
    /// What differs.
    pub runs: Vec<ChangedLines>,
}
/// A diff view of two texts.
#[derive(Debug)]
pub struct DiffView {
    /// Number of the view in this run.
    pub number: u64,
    /// The buffer of the new text.
    pub buffer: BufferId,
    /// The name of that text.
    pub new_name: String,
    /// Name of the old text.
    pub old_name: String,
    /// Source of the old text.
    pub source: Source,
    /// Differences other than lines.
    pub notes: Vec<String>,
    /// The texts.
    pub texts: DiffRows,
    /// Version of the new text.
    pub version: u64,
    /// Whether a comparison is running.
    pub running: bool,
    seen: Option<u64>,
    debounce: Debounce,
}

impl Deref for DiffView {
    type Target = DiffRows;

    fn deref(&self) -> &Self::Target {
        &self.texts
    }
}

impl DerefMut for DiffView {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.texts
    }
}

impl DiffView {
    /// A view without a comparison yet.
    pub fn new(number: u64, buffer: BufferId, names: (String, String), source: Source) -> Self {
        Self {
            number,
            buffer,
            new_name: names.0,
            old_name: names.1,
            source,
            notes: Vec::new(),
            texts: DiffRows::default(),
            version: 0,
            running: true,
            seen: None,
            debounce: Debounce::low_priority(),
        }
    }

    /// Stores a comparison; the selection stays on its line.
    pub fn set_comparison(&mut self, found: ComparisonResult, other: OtherText) {
        self.running = false;
        self.debounce.note_cost(found.cost);
        self.version = found.version;
        if !matches!(&self.texts.old, Some(old) if Arc::ptr_eq(old, &other.text)) {
            self.notes = other.notes;
        }
        self.texts.set_texts(other.text, found.text, other.runs);
    }

    /// Whether a text of this version is to be compared now.
    pub fn needs_comparison(&mut self, version: u64, len: usize, now: Duration) -> bool {
        if self.seen.replace(version).is_some_and(|seen| seen != version) {
            self.debounce.note_change(now);
        }
        let is_early = self.debounce.deadline(len).is_some_and(|due| due > now);
        let wants = self.old.is_some() && !self.running && !is_early && self.version != version;
        if wants {
            self.debounce.note_start();
            self.running = true;
        }
        wants
    }

    /// The next comparison waits for no pause.
    pub fn skip_debounce(&mut self, version: u64) {
        self.seen = Some(version);
        self.debounce.note_start();
    }

    /// Returns when a comparison is due by time alone.
    pub fn deadline(&self, len: usize) -> Option<Duration> {
        self.debounce.deadline(len).filter(|_| self.old.is_some() && !self.running)
    }
}

#[cfg(test)]
mod tests;
