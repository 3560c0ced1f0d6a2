//! Everything that can change the IDE's state, in one closed list.

use std::path::PathBuf;

use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::base::error::Report;
use crate::exec::Stamp;
use crate::ide::core::context::{Completion, Queue};
use crate::ide::features::project_search::job::Outcome;
use crate::ide::features::terminal::work::Happening;
use crate::ide::model::buffers::BufferId;
use crate::runtime::{Handle, RuntimeEvent, Snapshot};
use crate::text::changes::ChangeSet;
use crate::text::format::Format;
use crate::text::history::{Formats, RevisionId};
use crate::text::rope::Text;
use crate::tui::input::Input;

/// One cause of change.
pub enum Event {
    /// From the terminal.
    Input(Input),
    /// The screen has another size: columns, rows.
    Resize(u16, u16),
    /// The session is there, or could not be started.
    Connected(Result<Box<(Handle, Snapshot)>, Report>),
    /// From the session.
    Runtime(RuntimeEvent),
    /// The session is over.
    SessionEnded,
    /// Something failed that nobody waits for.
    Failed(String),
    /// A task is done.
    Done(Completion),
    /// Work for a list of places is done.
    Listing(Box<Outcome>),
    /// Something happened to a terminal.
    Terminal(Happening),
    /// Nothing more comes for the picker of this number.
    Filled(u64),
    /// The agent's view of open files.
    Buffer(BufferRequest),
}

/// What there was to wait for.
pub enum Happened {
    /// An event.
    Event(Box<Event>),
    /// A picker has something new.
    Wake,
}

/// What the agent's environment asks of the open files.
pub enum BufferRequest {
    /// The text of an open file.
    Snapshot {
        /// Where it is, links followed.
        path: PathBuf,
        /// `None` when it is not open.
        reply: oneshot::Sender<Option<BufferSnapshot>>,
    },
    /// An edit of an open file, made for one version of it.
    Edit {
        /// Which one.
        id: BufferId,
        /// The version that it was made for.
        version: u64,
        /// The edit.
        changes: ChangeSet,
        /// What the file is like beside its text after it.
        format: Format,
        /// What the edit came to, or `None` when the text has changed meanwhile.
        reply: oneshot::Sender<Option<AgentEdit>>,
    },
    /// The edit is on disk, or (`None`) could not be written and is to be taken back.
    Written {
        /// Which one.
        id: BufferId,
        /// What the edit came to.
        edit: AgentEdit,
        /// The file's new state.
        stamp: Option<Stamp>,
    },
    /// A file that is not open was written.
    Touched(PathBuf),
    /// The texts of open files that are not saved, by the files' paths with links followed.
    Unsaved(oneshot::Sender<Vec<(PathBuf, Text)>>),
    /// Which files are open, links followed.
    Open(oneshot::Sender<Vec<PathBuf>>),
}

/// What an edit of the agent came to in an open file.
#[derive(Debug, Clone)]
pub struct AgentEdit {
    /// The version of the text after it.
    pub version: u64,
    /// The revision of that text.
    pub revision: RevisionId,
    /// The edit's name in the undo tree; `None` where it changed nothing in the text.
    pub name: Option<String>,
    /// The file's format before and after it.
    pub formats: Formats,
}

/// An open file as the agent sees it.
#[derive(Debug, Clone)]
pub struct BufferSnapshot {
    /// Which one.
    pub id: BufferId,
    /// Its text.
    pub text: Text,
    /// Its format.
    pub format: Format,
    /// Counts its changes.
    pub version: u64,
    /// Why it cannot be edited, if it cannot.
    pub read_only: Option<&'static str>,
    /// The state in which its file was read or written last.
    pub stamp: Option<Stamp>,
}

impl Queue for mpsc::Sender<Event> {
    fn put(&self, completion: Completion) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.send(Event::Done(completion)).await.is_err() {
                tracing::debug!("the loop has ended before a task's result");
            }
        })
    }

    fn put_blocking(&self, completion: Completion) {
        if self.blocking_send(Event::Done(completion)).is_err() {
            tracing::debug!("the loop has ended before a task's result");
        }
    }
}
