//! What is to be done for lists away from the loop, and what comes of it. Plain data.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::exec::{EnvError, Stamp};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{Asked, Found, Known, ListedFile, Origin};
use crate::text::changes::ChangeSet;
use crate::text::format::Format;
use crate::text::history::RevisionId;
use crate::text::rope::Text;
use crate::workspace::grep::Grepped;

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

/// A piece of work.
pub enum Job {
    /// Search the workspace.
    Search {
        /// The list for what is found.
        list: BufferId,
        /// The folder.
        root: PathBuf,
        /// What to look for.
        asked: Asked,
        /// The open files.
        open: Vec<OpenText>,
        /// Ends the search.
        cancel: CancellationToken,
    },
    /// Find out what a list wants changed.
    Plan {
        /// Which one.
        list: BufferId,
        /// The version of its text.
        version: u64,
        /// Its text.
        text: Text,
        /// What is known about its places.
        known: Arc<Known>,
        /// The open files.
        open: Vec<OpenText>,
    },
    /// Find out how a change of many files is taken back.
    Back {
        /// What was changed.
        files: Vec<Changed>,
        /// The open files.
        open: Vec<OpenText>,
    },
    /// Write files.
    Write(Vec<(usize, FilePlan)>),
}

/// What came of it.
pub enum Outcome {
    /// More was found.
    Found(BufferId, Batch),
    /// A search is done, or could not begin.
    Searched(BufferId, Result<Grepped, String>),
    /// It is known what is to be changed.
    Planned(Plan),
    /// Files were written, or not; by their places in the plan.
    Written(Vec<(usize, Result<Stamp, EnvError>)>),
}

/// Lines for a list.
#[derive(Debug, Default)]
pub struct Batch {
    /// Its lines.
    pub text: String,
    /// The files that they name for the first time.
    pub files: Vec<ListedFile>,
    /// What is known about them.
    pub places: Vec<(Origin, Found)>,
}

/// Changes of several files.
#[derive(Debug, Default)]
pub struct Plan {
    /// The list that wants them and the version of its text; none when changes are taken back.
    pub list: Option<(BufferId, u64)>,
    /// The files.
    pub files: Vec<FilePlan>,
    /// What is not done, and why, in words.
    pub refused: Vec<String>,
    /// What could not be taken back and may be tried again.
    pub left: Vec<Changed>,
    /// Files that were as they are wanted already.
    pub there: Vec<Changed>,
}

/// What is to become of one file.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// Where it is.
    pub path: PathBuf,
    /// Its name for the person.
    pub name: String,
    /// Its text as it is.
    pub before: Text,
    /// What changes.
    pub changes: ChangeSet,
    /// How many places of it are changed.
    pub places: usize,
    /// What the list knows afterwards: place, what stood there, what stands there then.
    pub known: Vec<(Origin, String, String)>,
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
pub struct Changed {
    /// Where it is.
    pub path: PathBuf,
    /// Its name for the person.
    pub name: String,
    /// Its text before.
    pub before: Text,
    /// What was changed.
    pub changes: ChangeSet,
    /// Its text afterwards.
    pub after: Text,
    /// How many places that were.
    pub places: usize,
    /// What the list has known since.
    pub known: Vec<(Origin, String, String)>,
    /// The revision that the change made in the text of an open file.
    pub revision: Option<(BufferId, RevisionId)>,
}
