//! One session: its tree and its file, kept in sync.
//!
//! Must not know the participants. Nothing is written before the first user message; from then on an entry is
//! in memory only if it is in the file.

mod graft;
mod recent;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::context::messages::{self, SessionContext};
use super::context::projection;
use super::derived::fork;
use super::format::body::EntryBody;
use super::format::entry::Entry;
use super::format::error::{Problem, SessionError};
use super::format::header::Header;
use super::restore::checkpoints;
use super::store::load::{self, OpenMode};
use super::store::{self, SessionFile, Store, hidden_branches};
use super::tree::{Entries, Tree};
use super::usage::totals::UsageTotals;
use crate::base::clock::{self, SharedClock};
use crate::base::ids::SharedIds;

/// Attempts to find an unused entry id of eight digits before a longer one is used.
const SHORT_ID_TRIES: usize = 100;

/// A conversation as a tree of entries, with its file.
pub struct Session {
    header: Header,
    tree: Tree,
    file: Backing,
    problems: Vec<Problem>,
    usage_totals: UsageTotals,
    /// Index of the latest entry that records a restore of the workspace.
    last_restore: Option<u32>,
    /// The entries of the latest context, whose decoded messages are cached.
    cached_entries: Mutex<Vec<u32>>,
    clock: SharedClock,
    ids: SharedIds,
}

/// Where the entries are stored.
#[derive(Debug)]
enum Backing {
    /// In memory only.
    Memory,
    /// In a file that is created with the first user message.
    Pending(Store),
    /// In a file.
    Open(Store),
    /// In a file of an earlier format, which is converted with the next entry.
    OldFormat(Store, u64),
    /// In a file opened read-only.
    ReadOnly(PathBuf),
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.header.id)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Creates a session of a working folder, whose file will be below `root` (`…/sessions`).
    pub fn create(root: &Path, cwd: &Path, clock: SharedClock, ids: SharedIds) -> Self {
        let mut session = Self::in_memory(cwd, clock, ids);
        let now = clock::parse_iso8601(&session.header.timestamp).unwrap_or(0);
        session.file = Backing::Pending(Store::new(store::file_path(root, cwd, session.id(), now)));
        session
    }

    /// Creates a session without a file.
    pub fn in_memory(cwd: &Path, clock: SharedClock, ids: SharedIds) -> Self {
        let now = clock.now_ms();
        let header = Header::new(ids.session(now), now, cwd.to_string_lossy().into_owned());
        Self::empty(header, Backing::Memory, clock, ids)
    }

    /// Sets the parent session's file. Call it before anything is written.
    #[must_use]
    pub fn with_parent(mut self, parent: &Path) -> Self {
        let began = clock::parse_iso8601(&self.header.timestamp).unwrap_or(0);
        self.header = Header::forked(self.header.id, began, self.header.cwd, parent);
        self
    }

    fn empty(header: Header, file: Backing, clock: SharedClock, ids: SharedIds) -> Self {
        let (tree, totals, cached_entries) = (Tree::default(), UsageTotals::default(), Mutex::default());
        Self {
            header,
            tree,
            file,
            problems: Vec::new(),
            usage_totals: totals,
            last_restore: None,
            cached_entries,
            clock,
            ids,
        }
    }

    /// Opens a session file for writing and locks it against other processes ([`SessionError::Busy`]). A torn
    /// tail is repaired; broken lines are skipped and listed in [`Session::problems`]; an empty file becomes
    /// a new session; a file of an earlier format is converted with the next entry; other files are refused.
    pub fn open(path: &Path, clock: SharedClock, ids: SharedIds) -> Result<Self, SessionError> {
        let loaded = load::load(path, OpenMode::Write)?;
        let Some(header) = loaded.header else {
            return Self::start_in_empty_file(path, loaded.store, clock, ids);
        };
        let file = match loaded.old_version {
            Some(version) => Backing::OldFormat(loaded.store, version),
            None => Backing::Open(loaded.store),
        };
        let problems = sort_problems(loaded.problems);
        let (tree, totals, restored) = (loaded.tree, loaded.usage_totals, loaded.last_restore);
        Ok(Self {
            tree,
            problems,
            usage_totals: totals,
            last_restore: restored,
            ..Self::empty(header, file, clock, ids)
        })
    }

    /// Opens a session file read-only. Another process may have it open.
    pub fn open_read_only(path: &Path, clock: SharedClock, ids: SharedIds) -> Result<Self, SessionError> {
        let loaded = load::load(path, OpenMode::ReadOnly)?;
        let header = loaded.header.ok_or_else(|| SessionError::NotASession(path.to_path_buf()))?;
        let file = Backing::ReadOnly(path.to_path_buf());
        let problems = sort_problems(loaded.problems);
        let (tree, totals, restored) = (loaded.tree, loaded.usage_totals, loaded.last_restore);
        Ok(Self {
            tree,
            problems,
            usage_totals: totals,
            last_restore: restored,
            ..Self::empty(header, file, clock, ids)
        })
    }

    /// Returns a new session with the branch up to `leaf` (empty for `None`), in a new file below `root`, or
    /// without a file if this one has none; labels of the copied entries are kept.
    pub fn fork(&self, root: &Path, cwd: &Path, leaf: Option<&str>) -> Result<Self, SessionError> {
        if let Some(id) = leaf.filter(|id| !self.tree.contains(id)) {
            return Err(SessionError::NoSuchEntry(id.to_string()));
        }
        let path = leaf.map_or_else(Vec::new, |leaf| self.tree.path_to(leaf));
        let entries = fork::branch_entries(&path, &self.tree).map_err(|source| self.read_error(source))?;
        let labels = self.labels();
        let named: Vec<(String, String)> = entries
            .iter()
            .filter_map(|entry| Some((entry.id().to_string(), labels.get(entry.id())?.clone())))
            .collect();
        let mut fork = self.with_entries(root, cwd, entries)?;
        for (id, label) in named {
            fork.set_label(&id, Some(&label))?;
        }
        Ok(fork)
    }

    /// Returns a new session with all entries of this one, in a new file below `root`.
    pub fn copy(&self, root: &Path) -> Result<Self, SessionError> {
        let entries = self.tree.entries().map(|entry| entry.with_parent(entry.parent_id()));
        let entries: io::Result<Vec<Entry>> = entries.collect();
        let entries = entries.map_err(|source| self.read_error(source))?;
        let mut copy = self.with_entries(root, Path::new(&self.header.cwd), entries)?;
        copy.branch(self.leaf())?;
        Ok(copy)
    }

    /// Returns a new session that starts with these entries.
    fn with_entries(&self, root: &Path, cwd: &Path, entries: Vec<Entry>) -> Result<Self, SessionError> {
        let (clock, ids) = (self.clock.clone(), self.ids.clone());
        let now = clock.now_ms();
        let id = ids.session(now);
        let path = store::file_path(root, cwd, &id, now);
        let cwd = cwd.to_string_lossy().into_owned();
        let header = match self.file() {
            Some(file) => Header::forked(id, now, cwd, file),
            None => Header::new(id, now, cwd),
        };
        // A session that must leave no trace has copies without a file, too.
        let kept = !matches!(self.file, Backing::Memory);
        let file = if kept { Backing::Pending(Store::new(path)) } else { Backing::Memory };
        let mut new = Self::empty(header, file, clock, ids);
        let mut entries = entries.into_iter().peekable();
        let mut speaks = false;
        while let Some(entry) = entries.next() {
            speaks |= entry.kind() == "message";
            match entries.peek() {
                None if speaks && kept => new.write_file(entry, Store::create)?,
                _ => new.add_to_memory(entry),
            }
        }
        if let (Some(from), Some(to)) = (self.file(), new.file()) {
            hidden_branches::carry_over(from, to, |id| new.tree.contains(id));
        }
        Ok(new)
    }

    /// Returns a read-only copy for use on another thread while this session continues. Cheap at any length:
    /// the lines stay in the file.
    #[must_use]
    pub fn read_only_copy(&self) -> Self {
        let file = self.file().map_or(Backing::Memory, |path| Backing::ReadOnly(path.to_path_buf()));
        let (clock, ids) = (self.clock.clone(), self.ids.clone());
        let same = Self::empty(self.header.clone(), file, clock, ids);
        let problems = self.problems.clone();
        Self { tree: self.tree.read_only_copy(), problems, last_restore: self.last_restore, ..same }
    }

    fn read_error(&self, source: io::Error) -> SessionError {
        read_error(self.file().unwrap_or(Path::new("")), source)
    }

    fn start_in_empty_file(
        path: &Path,
        mut store: Store,
        clock: SharedClock,
        ids: SharedIds,
    ) -> Result<Self, SessionError> {
        let cwd = path.parent().unwrap_or(path).to_path_buf();
        let mut session = Self::in_memory(&cwd, clock, ids);
        store.append(&format!("{}\n", session.header.line))?;
        session.file = Backing::Open(store);
        Ok(session)
    }

    /// Appends an entry after the leaf and makes it the leaf. It is in the file when this returns; after a
    /// failure it is neither in the file nor in memory.
    pub fn append(&mut self, body: EntryBody) -> Result<String, SessionError> {
        let body = normalize_name(body);
        let starts = starts_file(&body);
        let id = self.unused_id();
        let parent = self.leaf().map(str::to_string);
        let stamp = clock::iso8601(self.clock.now_ms());
        let entry = Entry::new(id.clone(), parent, stamp, &body).ok_or(SessionError::BadEntry)?;
        self.write(entry, starts)?;
        Ok(id)
    }

    fn write(&mut self, entry: Entry, starts: bool) -> Result<(), SessionError> {
        match &mut self.file {
            Backing::Memory => self.add_to_memory(entry),
            Backing::ReadOnly(path) => return Err(SessionError::ReadOnly(path.clone())),
            Backing::Pending(_) if !starts => self.add_to_memory(entry),
            // The file was deleted by another process: the entries in memory are written to a new one.
            Backing::Open(store) if store.is_deleted() => self.write_file(entry, Store::create)?,
            Backing::Open(store) => {
                let line = entry.line().map_err(|source| read_error(store.path(), source))?;
                let from = store.append(&format!("{line}\n"))?;
                let lines = store.open()?.lines();
                drop(line);
                self.add_to_memory(entry);
                if let Some(from) = from {
                    self.tree.set_last_location(lines, from);
                }
            }
            Backing::Pending(_) => self.write_file(entry, Store::create)?,
            Backing::OldFormat(_, version) => {
                let version = *version;
                self.write_file(entry, |store, text| store.upgrade(text, version))?;
            }
        }
        Ok(())
    }

    /// Adds an entry to memory.
    fn add_to_memory(&mut self, entry: Entry) {
        let restores = entry.line().is_ok_and(|line| checkpoints::is_restore(entry.kind(), &line));
        let pushed = self.tree.push(entry);
        if restores {
            self.last_restore = self.tree.leaf_index();
        }
        debug_assert!(pushed.is_ok(), "the id was free");
    }

    /// Creates a file with all entries and one more.
    fn write_file(
        &mut self,
        entry: Entry,
        write: impl FnOnce(&mut Store, &str) -> Result<SessionFile, SessionError>,
    ) -> Result<(), SessionError> {
        let (Backing::Pending(store) | Backing::Open(store) | Backing::OldFormat(store, _)) = &mut self.file
        else {
            return Ok(());
        };
        let text = file_text(&self.header, &self.tree, &entry);
        let text = text.map_err(|source| read_error(store.path(), source))?;
        let lines = write(store, &text)?.lines();
        let store = std::mem::replace(store, Store::new(PathBuf::new()));
        self.file = Backing::Open(store);
        self.add_to_memory(entry);
        self.tree.set_locations(&lines, self.header.line.len() as u64 + 1);
        Ok(())
    }

    fn unused_id(&self) -> String {
        (0..SHORT_ID_TRIES)
            .map(|_| self.ids.entry())
            .find(|id| !self.tree.contains(id))
            .unwrap_or_else(|| self.ids.session(self.clock.now_ms()))
    }

    /// Waits until all appended entries are flushed to disk.
    pub fn sync(&self) -> Result<(), SessionError> {
        match &self.file {
            Backing::Open(store) => store.sync(),
            Backing::Memory | Backing::Pending(_) | Backing::OldFormat(..) | Backing::ReadOnly(_) => Ok(()),
        }
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`.
    pub fn branch(&mut self, id: Option<&str>) -> Result<(), SessionError> {
        let moved = self.tree.branch(id);
        if moved { Ok(()) } else { Err(SessionError::NoSuchEntry(id.unwrap_or_default().to_string())) }
    }

    /// Sets or removes the label of an entry. The label is an entry itself, after the leaf.
    pub fn set_label(&mut self, target: &str, label: Option<&str>) -> Result<String, SessionError> {
        if !self.tree.contains(target) {
            return Err(SessionError::NoSuchEntry(target.to_string()));
        }
        let label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_string);
        self.append(EntryBody::Label { target_id: target.to_string(), label })
    }

    /// Returns the labels by entry id.
    pub fn labels(&self) -> HashMap<String, String> {
        fork::labels(&self.tree)
    }

    /// Returns the session's latest name.
    pub fn name(&self) -> Option<String> {
        let named = self.tree.of_kind("session_info").next()?;
        let EntryBody::SessionInfo { name } = named.body() else { return None };
        name.filter(|name| !name.trim().is_empty())
    }

    /// Returns the conversation from the root to the leaf. Its messages stay cached until the next call;
    /// those of a branch that was left or summarized since are dropped.
    pub fn context(&self) -> SessionContext {
        let (path, from) = projection::sent_path(&self.tree, self.tree.leaf_index());
        messages::decode_messages(&path[from..]);
        let context = messages::build(&path);
        let mut now: Vec<u32> = self.tree.ancestors(self.tree.leaf_index()).take(path.len() - from).collect();
        now.sort_unstable();
        let mut cached = self.cached_entries.lock();
        for removed in cached.iter().filter(|at| now.binary_search(at).is_err()) {
            self.tree.entry(*removed).drop_cached_message();
        }
        *cached = now;
        context
    }

    /// Drops the messages that are cached for the next context.
    pub fn drop_cached_messages(&self) {
        let mut cached = self.cached_entries.lock();
        for at in std::mem::take(&mut *cached) {
            self.tree.entry(at).drop_cached_message();
        }
    }

    /// Returns the conversation from the root to any entry; empty when there is no such entry.
    pub fn context_at(&self, leaf: &str) -> SessionContext {
        messages::build(&projection::sent_path(&self.tree, self.tree.index_of(leaf)).0)
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.header.id
    }

    /// Returns the header: id, start time and working folder.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the file, once it exists.
    pub fn file(&self) -> Option<&Path> {
        match &self.file {
            Backing::Open(store) | Backing::OldFormat(store, _) => Some(store.path()),
            Backing::ReadOnly(path) => Some(path),
            Backing::Memory | Backing::Pending(_) => None,
        }
    }

    /// Whether entries are appended to a file that exists.
    pub fn appends_to_file(&self) -> bool {
        matches!(self.file, Backing::Open(_))
    }

    /// Returns all entries of all branches, in the order of the file.
    pub fn entries(&self) -> Entries<'_> {
        self.tree.entries()
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the id of the entry that the next one follows.
    pub fn leaf(&self) -> Option<&str> {
        self.tree.leaf().map(Entry::id)
    }

    /// Returns the problems found in the file, for the user.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// Returns the text of a file with all entries and one more. Fails when an entry cannot be read.
fn file_text(header: &Header, tree: &Tree, last: &Entry) -> io::Result<String> {
    let mut text = format!("{}\n", header.line);
    for entry in tree.entries().chain([last]) {
        text.push_str(&entry.line()?);
        text.push('\n');
    }
    Ok(text)
}

fn read_error(path: &Path, source: io::Error) -> SessionError {
    SessionError::Io { path: path.to_path_buf(), source }
}

fn sort_problems(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// Normalizes a session name to one line.
fn normalize_name(body: EntryBody) -> EntryBody {
    match body {
        EntryBody::SessionInfo { name: Some(name) } => {
            let name = name.split(['\r', '\n']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            EntryBody::SessionInfo { name: Some(name) }
        }
        other => other,
    }
}

/// Whether this entry causes the file to be created: the first message of a user or a model.
fn starts_file(body: &EntryBody) -> bool {
    matches!(body, EntryBody::Message { message } if message.role() != "system")
}

mod navigation;
#[cfg(test)]
mod tests;
