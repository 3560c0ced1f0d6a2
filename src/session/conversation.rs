//! One session: its tree and its file, kept equal.
//!
//! Must not know who talks. Nothing is on disk before the first user message; from then on an
//! entry is in memory only when it is in the file.

use std::path::{Path, PathBuf};

use super::context::{self, SessionContext};
use super::entry::{Entry, EntryBody, Header};
use super::store::{self, Problem, SessionError, Store};
use super::tree::Tree;
use crate::base::clock::{self, SharedClock};
use crate::base::ids::SharedIds;

/// Tries for an entry id of eight digits before a longer one is taken.
const SHORT_ID_TRIES: usize = 100;

/// A conversation as a tree of entries, with its file.
pub struct Session {
    header: Header,
    tree: Tree,
    file: Backing,
    problems: Vec<Problem>,
    clock: SharedClock,
    ids: SharedIds,
}

/// Where the entries go.
#[derive(Debug)]
enum Backing {
    /// Nowhere.
    Memory,
    /// Into a file that is made with the first user message.
    Pending(Store),
    /// Into a file.
    Open(Store),
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
    /// A new session of a working folder, whose file will be below `root` (`…/sessions`).
    pub fn create(root: &Path, cwd: &Path, clock: SharedClock, ids: SharedIds) -> Self {
        let mut session = Self::in_memory(cwd, clock, ids);
        let now = clock::parse_iso8601(&session.header.timestamp).unwrap_or(0);
        session.file = Backing::Pending(Store::new(store::file_path(root, cwd, session.id(), now)));
        session
    }

    /// A new session without a file.
    pub fn in_memory(cwd: &Path, clock: SharedClock, ids: SharedIds) -> Self {
        let now = clock.now_ms();
        let header = Header::new(ids.session(now), now, cwd.to_string_lossy().into_owned());
        Self { header, tree: Tree::default(), file: Backing::Memory, problems: Vec::new(), clock, ids }
    }

    /// Opens a session file. A torn tail is repaired, broken lines are skipped and reported in
    /// [`Session::problems`]; an empty file becomes a new session; anything else is refused.
    pub fn open(path: &Path, clock: SharedClock, ids: SharedIds) -> Result<Self, SessionError> {
        let loaded = store::load(path)?;
        let Some(header) = loaded.header else {
            return Self::start_in_empty_file(path, loaded.store, clock, ids);
        };
        let mut tree = Tree::default();
        let mut problems = loaded.problems;
        for (line, text) in loaded.lines {
            let failed = match Entry::parse(&text) {
                Ok(entry) => tree.push(entry).err().map(|id| format!("second entry {id}")),
                Err(error) => Some(format!("not an entry ({error})")),
            };
            problems.extend(failed.map(|what| Problem { line, message: format!("{what}; skipped") }));
        }
        problems.sort_by_key(|problem| problem.line);
        Ok(Self { header, tree, file: Backing::Open(loaded.store), problems, clock, ids })
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

    /// Appends an entry after the leaf and makes it the leaf. It is in the file when this
    /// returns; after a failure it is neither in the file nor in memory.
    pub fn append(&mut self, body: EntryBody) -> Result<String, SessionError> {
        let body = normalised(body);
        let starts = begins_file(&body);
        let id = self.free_id();
        let parent = self.leaf().map(str::to_string);
        let stamp = clock::iso8601(self.clock.now_ms());
        let entry = Entry::new(id.clone(), parent, stamp, body).ok_or(SessionError::BadEntry)?;
        self.write(&entry, starts)?;
        let pushed = self.tree.push(entry);
        debug_assert!(pushed.is_ok(), "the id was free");
        Ok(id)
    }

    fn write(&mut self, entry: &Entry, starts: bool) -> Result<(), SessionError> {
        match &mut self.file {
            Backing::Memory => Ok(()),
            // Somebody has deleted the file: what we know becomes a new one.
            Backing::Open(store) if store.is_gone() => store.create(&whole(&self.header, &self.tree, entry)),
            Backing::Open(store) => store.append(&format!("{}\n", entry.line())),
            Backing::Pending(_) if !starts => Ok(()),
            Backing::Pending(store) => {
                store.create(&whole(&self.header, &self.tree, entry))?;
                let store = std::mem::replace(store, Store::new(PathBuf::new()));
                self.file = Backing::Open(store);
                Ok(())
            }
        }
    }

    fn free_id(&self) -> String {
        (0..SHORT_ID_TRIES)
            .map(|_| self.ids.entry())
            .find(|id| !self.tree.contains(id))
            .unwrap_or_else(|| self.ids.session(self.clock.now_ms()))
    }

    /// Waits until everything appended is on the disk.
    pub fn sync(&self) -> Result<(), SessionError> {
        match &self.file {
            Backing::Open(store) => store.sync(),
            Backing::Memory | Backing::Pending(_) => Ok(()),
        }
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`.
    pub fn branch(&mut self, id: Option<&str>) -> Result<(), SessionError> {
        let moved = self.tree.branch(id);
        if moved { Ok(()) } else { Err(SessionError::NoSuchEntry(id.unwrap_or_default().to_string())) }
    }

    /// The conversation from the root to the leaf.
    pub fn context(&self) -> SessionContext {
        context::build(&self.tree.path())
    }

    /// The conversation from the root to any entry; empty when there is no such entry.
    pub fn context_at(&self, leaf: &str) -> SessionContext {
        context::build(&self.tree.path_to(leaf))
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.header.id
    }

    /// Id, start and working folder.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file, once it exists.
    pub fn file(&self) -> Option<&Path> {
        match &self.file {
            Backing::Open(store) => Some(store.path()),
            Backing::Memory | Backing::Pending(_) => None,
        }
    }

    /// All entries of all branches, in the order in which they were written.
    pub fn entries(&self) -> &[Entry] {
        self.tree.entries()
    }

    /// Who follows whom.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The id of the entry after which the next one goes.
    pub fn leaf(&self) -> Option<&str> {
        self.tree.leaf().map(Entry::id)
    }

    /// What was wrong with the file, for the person.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// The text of a file with everything and one more entry.
fn whole(header: &Header, tree: &Tree, last: &Entry) -> String {
    let earlier = tree.entries().iter().map(Entry::line);
    let lines = std::iter::once(header.line.as_str()).chain(earlier).chain([last.line()]);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Session names are one line.
fn normalised(body: EntryBody) -> EntryBody {
    match body {
        EntryBody::SessionInfo { name: Some(name) } => {
            let name = name.split(['\r', '\n']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            EntryBody::SessionInfo { name: Some(name) }
        }
        other => other,
    }
}

/// A session is worth a file from the first thing that a person or a model said.
fn begins_file(body: &EntryBody) -> bool {
    matches!(body, EntryBody::Message { message } if message.role() != "system")
}

#[cfg(test)]
mod tests;
