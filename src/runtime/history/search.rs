//! History search: earlier prompts for reuse, and full-text search through all sessions. For front ends.
//!
//! Must not know who displays it. All functions read files; do not call them on a thread that draws.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::base::clock::SharedClock;
use crate::base::error::Report;
use crate::base::ids::SharedIds;
use crate::base::plural::pluralize;
use crate::runtime::lifecycle::options::{Options, SessionChoice};
use crate::session::SessionError;
use crate::session::search::hit::Role;
use crate::session::search::{Hit, Query};
use crate::session::store::search::{self, SearchError, StopFlag};
use crate::session::store::{import, listing, prompts, trash};

/// The history of prompts and sessions. Cheap to clone.
#[derive(Clone)]
pub struct HistorySearch {
    data: PathBuf,
    pub(super) root: PathBuf,
    pub(super) cwd: PathBuf,
    trash: PathBuf,
    pub(super) clock: SharedClock,
    pub(super) ids: SharedIds,
    /// Whether this session must leave no trace.
    unstored: bool,
}

/// An earlier prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPrompt {
    /// The text, without secrets.
    pub text: String,
    /// Its folder.
    pub cwd: String,
    /// Whether that is the session's folder.
    pub in_session_folder: bool,
}

/// A search hit in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryHit {
    /// The session's id.
    pub session: String,
    /// Its file.
    pub file: PathBuf,
    /// The entry.
    pub entry: String,
    /// The matching text, on one line without control characters.
    pub text: String,
    /// What of it matches, in bytes.
    pub marks: Vec<Range<usize>>,
    /// The role of the message.
    pub role: Role,
    /// Milliseconds since the epoch.
    pub at_ms: u64,
    /// The session's folder.
    pub cwd: String,
    /// The user's name for the session.
    pub title: String,
}

impl HistorySearch {
    /// Creates it from a session's options.
    pub fn new(options: &Options) -> Self {
        Self {
            data: options.home.data.clone(),
            root: options.session_root(),
            cwd: options.cwd.clone(),
            trash: options.home.trash(),
            clock: options.clock.clone(),
            ids: options.ids.clone(),
            unstored: options.session == SessionChoice::Memory,
        }
    }

    /// Stores a prompt. A session that is not stored leaves no trace.
    pub fn remember(&self, text: &str) -> Result<(), Report> {
        if self.unstored {
            return Ok(());
        }
        let done = prompts::store_prompt(&self.data, &self.cwd, text, self.clock.now_ms());
        done.map_err(|error| Report::caused("cannot remember what was said", &error))
    }

    /// Returns the prompts of all folders, oldest first, without duplicates.
    pub fn recall(&self) -> Vec<PastPrompt> {
        let here = self.cwd.to_string_lossy();
        let all = prompts::load_prompts(&self.data, None).into_iter();
        all.map(|prompt| PastPrompt {
            in_session_folder: prompt.cwd == here,
            text: prompt.text,
            cwd: prompt.cwd,
        })
        .collect()
    }

    /// Returns the prompts of the session's folder.
    pub fn recall_here(&self) -> Vec<String> {
        prompts::load_prompts(&self.data, Some(&self.cwd)).into_iter().map(|prompt| prompt.text).collect()
    }

    /// Imports sessions of other programs: one file, or all in a folder. Returns a sentence for the user.
    pub fn import(&self, path: &Path) -> Result<String, Report> {
        let (mut new, mut known, mut added, mut failed) = (0, 0, 0, Vec::new());
        for file in listing::jsonl_below(path) {
            match import::import(&self.root, &file, None, &self.clock, &self.ids) {
                Ok(done) if done.existing == 0 => (new, added) = (new + 1, added + done.added),
                Ok(done) => (known, added) = (known + 1, added + done.added),
                // Files that are no sessions are expected in a folder.
                Err(SessionError::NotASession(_)) => {}
                Err(error) => {
                    tracing::warn!(file = %file.display(), %error, "cannot take a session over");
                    failed.push(error.to_string());
                }
            }
        }
        if new + known == 0 {
            let reason =
                failed.pop().unwrap_or_else(|| "no session of pi, Claude Code or codex is there".to_string());
            return Err(Report::new(format!("nothing was taken over from {}: {reason}", path.display())));
        }
        let mut message = format!(
            "{} taken over, {known} there before, {} new",
            pluralize(new, "conversation", "conversations"),
            pluralize(added, "entry is", "entries are")
        );
        if !failed.is_empty() {
            message.push_str(&format!("; {} could not be read: {}", failed.len(), failed[0]));
        }
        Ok(message)
    }

    /// Moves a session into the system's trash and returns its path there. Fails while a program has it open.
    pub fn delete(&self, file: &Path) -> Result<PathBuf, Report> {
        let done = trash::delete(file, &self.trash, self.clock.now_ms());
        done.map_err(|error| Report::caused("cannot delete the conversation", &error))
    }

    /// Restores the session that was deleted last and returns its path; `None` when the trash holds none.
    pub fn undelete(&self) -> Result<Option<PathBuf>, Report> {
        let done = trash::restore(&self.root, &self.trash, None);
        done.map_err(|error| Report::caused("cannot bring the conversation back", &error))
    }

    /// Searches the text of all sessions, best hits first; empty when cancelled. The last word is matched as
    /// a prefix while the user types. `found` is called with hits of the existing index, and again after new
    /// sessions were indexed. Returns the words of the query that were ignored, as a sentence.
    pub fn search(
        &self,
        text: &str,
        limit: usize,
        stop: &StopFlag,
        mut found: impl FnMut(Vec<HistoryHit>),
    ) -> Result<Option<String>, Report> {
        let query = Query::parse(text, self.clock.now_ms(), true);
        let mut ask = || {
            let mut index = search::Index::open(&self.root)?;
            found(index.find(&query, limit, stop)?.into_iter().map(to_hit).collect());
            let new = index.update(stop)?;
            if new.entries > 0 || new.removed > 0 {
                found(index.find(&query, limit, stop)?.into_iter().map(to_hit).collect());
            }
            Ok(())
        };
        match ask() {
            Ok(()) | Err(SearchError::Cancelled) => {
                let problems = query.problems.join("; ");
                Ok(Some(problems).filter(|problems| !problems.is_empty()))
            }
            Err(error) => Err(Report::caused("cannot search the sessions", &error)),
        }
    }
}

fn to_hit(hit: Hit) -> HistoryHit {
    let Hit { path, session, cwd, title, entry, at_ms, role, snippet } = hit;
    HistoryHit {
        session,
        file: path,
        entry,
        text: snippet.text,
        marks: snippet.marks,
        role,
        at_ms,
        cwd,
        title,
    }
}
