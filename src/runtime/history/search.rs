//! What was said before: prompts that one may say again, and a search through all sessions. For front ends.
//!
//! Must not know who shows it. Everything here reads files; none of it is for a loop that draws.

use std::path::{Path, PathBuf};

use crate::base::clock::SharedClock;
use crate::base::counted::counted;
use crate::base::error::Report;
use crate::base::ids::SharedIds;
use crate::runtime::lifecycle::options::{Options, SessionChoice};
use crate::session::SessionError;
use crate::session::search::hit::Role;
use crate::session::search::{Hit, Query};
use crate::session::store::search::{self, SearchError, Stop};
use crate::session::store::{import, listing, prompts, trash};

/// Where what was said is kept. Cheap to clone.
#[derive(Clone)]
pub struct HistorySearch {
    data: PathBuf,
    root: PathBuf,
    cwd: PathBuf,
    trash: PathBuf,
    clock: SharedClock,
    ids: SharedIds,
    /// Whether this session is to leave nothing behind.
    silent: bool,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPrompt {
    /// The words, without secrets.
    pub text: String,
    /// In which folder.
    pub cwd: String,
    /// Whether that is the session's.
    pub here: bool,
}

/// A place in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryHit {
    /// The session's id.
    pub session: String,
    /// Its file.
    pub file: PathBuf,
    /// The entry.
    pub entry: String,
    /// What stands there, in one line without control characters.
    pub text: String,
    /// Who says it.
    pub role: Role,
    /// Milliseconds since the epoch.
    pub at_ms: u64,
    /// The session's folder.
    pub cwd: String,
    /// What a user calls the session.
    pub title: String,
}

impl HistorySearch {
    /// That of a session with these options.
    pub fn of(options: &Options) -> Self {
        Self {
            data: options.home.data.clone(),
            root: options.session_root(),
            cwd: options.cwd.clone(),
            trash: options.home.trash(),
            clock: options.clock.clone(),
            ids: options.ids.clone(),
            silent: options.session == SessionChoice::Memory,
        }
    }

    /// Remembers a prompt. A session that is not kept leaves nothing.
    pub fn remember(&self, text: &str) -> Result<(), Report> {
        if self.silent {
            return Ok(());
        }
        let done = prompts::remember(&self.data, &self.cwd, text, self.clock.now_ms());
        done.map_err(|error| Report::caused("cannot remember what was said", &error))
    }

    /// The prompts of all folders, the oldest first, each once.
    pub fn recall(&self) -> Vec<PastPrompt> {
        let here = self.cwd.to_string_lossy();
        let all = prompts::recall(&self.data, None).into_iter();
        all.map(|said| PastPrompt { here: said.cwd == here, text: said.text, cwd: said.cwd }).collect()
    }

    /// The prompts of the session's folder.
    pub fn recall_here(&self) -> Vec<String> {
        prompts::recall(&self.data, Some(&self.cwd)).into_iter().map(|said| said.text).collect()
    }

    /// Takes sessions of other programs over: a file, or all that are in a folder. Says what came of it.
    pub fn import(&self, place: &Path) -> Result<String, Report> {
        let (mut new, mut known, mut added, mut failed) = (0, 0, 0, Vec::new());
        for file in listing::jsonl_below(place) {
            match import::import(&self.root, &file, None, &self.clock, &self.ids) {
                Ok(done) if done.before == 0 => (new, added) = (new + 1, added + done.added),
                Ok(done) => (known, added) = (known + 1, added + done.added),
                // A folder holds other files, too.
                Err(SessionError::NotASession(_)) => {}
                Err(error) => {
                    tracing::warn!(file = %file.display(), %error, "cannot take a session over");
                    failed.push(error.to_string());
                }
            }
        }
        if new + known == 0 {
            let why =
                failed.pop().unwrap_or_else(|| "no session of pi, Claude Code or codex is there".to_string());
            return Err(Report::new(format!("nothing was taken over from {}: {why}", place.display())));
        }
        let mut said = format!(
            "{} taken over, {known} there before, {} new",
            counted(new, "conversation", "conversations"),
            counted(added, "entry is", "entries are")
        );
        if !failed.is_empty() {
            said.push_str(&format!("; {} could not be read: {}", failed.len(), failed[0]));
        }
        Ok(said)
    }

    /// Moves a session into the system's trash, and says where it is now. Fails while it is open anywhere.
    pub fn delete(&self, file: &Path) -> Result<PathBuf, Report> {
        let done = trash::delete(file, &self.trash, self.clock.now_ms());
        done.map_err(|error| Report::caused("cannot delete the conversation", &error))
    }

    /// Puts the session back that was deleted last, and says where it is; `None` where the trash holds none.
    pub fn undelete(&self) -> Result<Option<PathBuf>, Report> {
        let done = trash::restore(&self.root, &self.trash, None);
        done.map_err(|error| Report::caused("cannot bring the conversation back", &error))
    }

    /// Where something stands in all sessions, the best first; nothing when it was stopped. While somebody is
    /// typing the last word may go on. `found` hears of what the index knows already, and again after what is
    /// new was read. Gives what of the question says nothing, in words.
    pub fn search(
        &self,
        text: &str,
        limit: usize,
        stop: &Stop,
        mut found: impl FnMut(Vec<HistoryHit>),
    ) -> Result<Option<String>, Report> {
        let query = Query::parse(text, self.clock.now_ms(), true);
        let mut ask = || {
            let mut index = search::Index::open(&self.root)?;
            found(index.find(&query, limit, stop)?.into_iter().map(place).collect());
            let new = index.update(stop)?;
            if new.entries > 0 || new.gone > 0 {
                found(index.find(&query, limit, stop)?.into_iter().map(place).collect());
            }
            Ok(())
        };
        match ask() {
            Ok(()) | Err(SearchError::Stopped) => {
                let problems = query.problems.join("; ");
                Ok(Some(problems).filter(|problems| !problems.is_empty()))
            }
            Err(error) => Err(Report::caused("cannot search the sessions", &error)),
        }
    }
}

fn place(hit: Hit) -> HistoryHit {
    let Hit { path, session, cwd, title, entry, at_ms, role, snippet } = hit;
    HistoryHit { session, file: path, entry, text: snippet.text, role, at_ms, cwd, title }
}
