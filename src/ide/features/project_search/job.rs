//! Jobs and results of the tasks of results lists. Plain data.

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
    /// The buffer.
    pub id: BufferId,
    /// Where it is.
    pub path: PathBuf,
    /// Its path with all links resolved, if known.
    pub real: Option<PathBuf>,
    /// Its text.
    pub text: Text,
    /// Its version.
    pub version: u64,
    /// Whether its file never existed on disk.
    pub is_new: bool,
    /// Whether it has unsaved changes.
    pub is_unsaved: bool,
    /// Its line ending.
    pub ending: &'static str,
    /// Why it is read-only, if it is.
    pub read_only: Option<&'static str>,
}

/// Lines for a list.
#[derive(Debug, Default)]
pub struct Batch {
    /// Its lines.
    pub text: String,
    /// The files that they name for the first time.
    pub files: Vec<ListedFile>,
    /// The data of their locations.
    pub rows: Vec<(Origin, FoundText)>,
}

/// Changes of several files.
#[derive(Debug, Default)]
pub struct Plan {
    /// The list and the version of its text; `None` when a step is undone.
    pub list: Option<(BufferId, u64)>,
    /// The files.
    pub files: Vec<FilePlan>,
    /// Messages about what is skipped, and why.
    pub skipped: Vec<String>,
    /// Failed undo changes that may be tried again.
    pub retryable: Vec<ChangedFile>,
    /// Files that already have the wanted content.
    pub already_done: Vec<ChangedFile>,
}

/// The planned change of a file.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// Where it is.
    pub path: PathBuf,
    /// Its name for the user.
    pub name: String,
    /// Its current text.
    pub before: Text,
    /// The changes.
    pub changes: ChangeSet,
    /// Number of changed locations.
    pub edit_count: usize,
    /// New data of the list: location, old text, new text.
    pub row_updates: Vec<(Origin, String, String)>,
    /// Whether it is open.
    pub target: Target,
}

/// Where a change is made.
#[derive(Debug, Clone)]
pub enum Target {
    /// In the buffer of an open file, if it still has this version.
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
    /// New data of the list since.
    pub row_updates: Vec<(Origin, String, String)>,
    /// The revision that the change created in an open file.
    pub revision: Option<(BufferId, RevisionId)>,
}
