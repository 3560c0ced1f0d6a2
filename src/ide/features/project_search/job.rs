//! What tasks of lists are given and what they find. Plain data.

use std::path::PathBuf;

use crate::exec::Stamp;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{FoundText, ListedFile, Origin};
use crate::text::changes::ChangeSet;
use crate::text::file_format::format::Format;
use crate::text::rope::Text;
use crate::text::undo::history::RevisionId;

/// An open file as a task sees it.
#[derive(Debug, Clone)]
pub struct OpenText {
    /// Which one.
    pub id: BufferId,
    /// Where it is.
    pub path: PathBuf,
    /// The same with every link followed, where that is known.
    pub real: Option<PathBuf>,
    /// Its text.
    pub text: Text,
    /// Counts its changes.
    pub version: u64,
    /// Whether no file of it was ever seen on disk.
    pub is_new: bool,
    /// Why it cannot be edited, if it cannot.
    pub read_only: Option<&'static str>,
}

/// Lines for a list.
#[derive(Debug, Default)]
pub struct Batch {
    /// Its lines.
    pub text: String,
    /// The files that they name for the first time.
    pub files: Vec<ListedFile>,
    /// What is known about them.
    pub rows: Vec<(Origin, FoundText)>,
}

/// Changes of several files.
#[derive(Debug, Default)]
pub struct Plan {
    /// The list that wants them and the version of its text; none when changes are taken back.
    pub list: Option<(BufferId, u64)>,
    /// The files.
    pub files: Vec<FilePlan>,
    /// What is not done, and why, in words.
    pub skipped: Vec<String>,
    /// What could not be taken back and may be tried again.
    pub retryable: Vec<ChangedFile>,
    /// Files that were as they are wanted already.
    pub already_done: Vec<ChangedFile>,
}

/// What is to become of one file.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// Where it is.
    pub path: PathBuf,
    /// Its name for the user.
    pub name: String,
    /// Its text as it is.
    pub before: Text,
    /// The changes.
    pub changes: ChangeSet,
    /// Number of changed locations.
    pub edit_count: usize,
    /// What the list knows afterwards: place, what stood there, what stands there then.
    pub row_updates: Vec<(Origin, String, String)>,
    /// Whether it is open.
    pub target: Target,
}

/// Where a change is made.
#[derive(Debug, Clone)]
pub enum Target {
    /// In the text of an open file, if it still has this version.
    Open(BufferId, u64),
    /// In the file, if it is still in this state.
    Closed(Stamp, Format),
}

/// A file that was changed.
#[derive(Debug, Clone)]
pub struct ChangedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name for the user.
    pub name: String,
    /// Its text before.
    pub before: Text,
    /// The changes.
    pub changes: ChangeSet,
    /// Its text afterwards.
    pub after: Text,
    /// Number of changed locations.
    pub edit_count: usize,
    /// What the list has known since.
    pub row_updates: Vec<(Origin, String, String)>,
    /// The revision that the change made in the text of an open file.
    pub revision: Option<(BufferId, RevisionId)>,
}
