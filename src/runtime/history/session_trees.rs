//! The stored sessions with their trees, for a front end that lists them: they are read and never changed.
//!
//! Must not know who displays them. All functions read files; do not call them on a thread that draws.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Report;
use crate::runtime::history::branch_navigation;
use crate::runtime::history::search::HistorySearch;
use crate::session::derived::outline::{Filter, Outline};
use crate::session::store::{inspection, listing};
use crate::session::{Session, SessionError};

/// A session file in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFile {
    /// The file.
    pub path: PathBuf,
    /// The session's id; empty for a file that cannot be read.
    pub id: String,
    /// The session's name or first message, or the name of a file that cannot be read.
    pub title: String,
    /// The folder that it belongs to.
    pub cwd: String,
    /// When it was active last, in milliseconds since the epoch.
    pub active_ms: u64,
    /// Number of messages of the user and the models.
    pub messages: u64,
    /// Cost in US dollars.
    pub cost: f64,
    /// Why the file cannot be read.
    pub error: Option<String>,
}

/// What the tree of a stored session shows.
#[derive(Debug, Clone)]
pub struct StoredOutline {
    /// The rows.
    pub outline: Outline,
    /// The first entries of the branches that the user has hidden.
    pub hidden: BTreeSet<String>,
    /// Number of problems in the file, such as broken lines.
    pub problems: usize,
}

/// A stored session, open for reading. Cheap to clone.
#[derive(Clone)]
pub struct StoredTree(Arc<Mutex<Session>>);

impl fmt::Debug for StoredTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredTree").finish()
    }
}

impl HistorySearch {
    /// Returns the sessions of this folder, or of all folders: those that were active last first, and files that cannot
    /// be read at the end.
    pub fn session_files(&self, anywhere: bool) -> Vec<SessionFile> {
        let listed = listing::list(&self.root);
        let known: BTreeSet<&Path> = listed.iter().map(|listed| listed.path.as_path()).collect();
        let folder = crate::session::store::folder(&self.root, &self.cwd);
        let broken = inspection::unreadable(&self.root, &known).into_iter();
        let broken = broken.filter(|(path, _)| anywhere || path.starts_with(&folder)).map(broken_file);
        let cwd = self.cwd.to_string_lossy();
        let readable = listed.iter().filter(|listed| anywhere || listed.summary.cwd == cwd);
        readable.map(readable_file).chain(broken).collect()
    }

    /// Opens a stored session for reading. Another process may have it open.
    pub fn stored_tree(&self, path: &Path) -> Result<StoredTree, Report> {
        let opened = Session::open_read_only(path, self.clock.clone(), self.ids.clone());
        let opened =
            opened.map_err(|error: SessionError| Report::caused("cannot read the session", &error))?;
        Ok(StoredTree(Arc::new(Mutex::new(opened))))
    }
}

fn readable_file(listed: &listing::StoredSession) -> SessionFile {
    let summary = &listed.summary;
    SessionFile {
        path: listed.path.clone(),
        id: summary.id.clone(),
        title: summary.title().to_string(),
        cwd: summary.cwd.clone(),
        active_ms: summary.active_ms,
        messages: summary.prompts.saturating_add(summary.answers),
        cost: summary.total().cost,
        error: None,
    }
}

fn broken_file((path, reason): (PathBuf, String)) -> SessionFile {
    SessionFile {
        id: String::new(),
        title: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        cwd: String::new(),
        active_ms: 0,
        messages: 0,
        cost: 0.0,
        error: Some(reason),
        path,
    }
}

impl StoredTree {
    /// Returns the rows of the tree.
    pub fn outline(&self, filter: Filter) -> Result<StoredOutline, Report> {
        let session = self.0.lock();
        let hidden = branch_navigation::hidden(&session);
        Ok(StoredOutline { outline: session.outline(filter), hidden, problems: session.problems().len() })
    }

    /// Returns the text of the entries, one line each; missing entries are skipped.
    pub fn entry_lines(&self, entries: Vec<String>) -> Vec<(String, String)> {
        let session = self.0.lock();
        entries
            .into_iter()
            .filter_map(|id| Some((session.entry_line(&id)?, id)))
            .map(|(line, id)| (id, line))
            .collect()
    }
}
