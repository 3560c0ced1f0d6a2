//! The checkpoints of one workspace: takes them, finds them, and brings them back.
//!
//! Must not know sessions. Two programs may have keepers of one workspace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::apply::{self, Applied, Held};
use super::error::CheckpointError;
use super::files::{self, Files, Node};
use super::index::{Index, Stat};
use super::name::Name;
use super::object::Oid;
use super::plan::{self, Decisions, Plan, Step};
use super::snapshot::{self, Limits, Wanted, Why};
use super::store::Store;
use crate::base::clock::{SharedClock, SystemClock};

/// A state of the workspace that is in the store.
#[derive(Debug, Clone)]
pub struct TakenCheckpoint {
    /// Its name.
    pub id: Oid,
    /// What is at each path.
    pub files: Arc<Files>,
    /// What was not recorded, and why.
    pub left_out: Vec<(Name, Why)>,
    /// When the look at it began, in milliseconds since the epoch.
    pub at_ms: u64,
    /// What was known of the files then, by which a later change shows.
    index: Arc<Index>,
}

/// Keeps the states of one workspace.
#[derive(Debug)]
pub struct Checkpointer {
    root: PathBuf,
    own: Vec<PathBuf>,
    limits: Limits,
    store: Store,
    clock: Clocked,
    index: Mutex<Arc<Index>>,
    /// The state that was read or taken last: what is wanted next is mostly that.
    last: Mutex<Option<(Oid, Arc<Files>)>>,
}

/// The machine's clock, which dates of files come from.
struct Clocked(SharedClock);

impl std::fmt::Debug for Clocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("clock")
    }
}

/// The store's folder of a workspace below the folder of all of them.
pub fn folder(base: &Path, root: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let mut digest = super::object::Sha1::default();
    digest.feed(root.as_os_str().as_bytes());
    base.join(&Oid(digest.end()).to_string()[..16])
}

/// Keeps in a store's folder what is known of the files; git has an `index` of its own.
const KNOWN: &str = "known";
/// Says in a store's folder which workspace it is of.
const WORKSPACE: &str = "workspace";

/// The workspace of a store's folder.
pub fn workspace_of(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let bytes = fs::read(folder.join(WORKSPACE)).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// Writes which workspace a store is of, whole or not at all: one that says nothing would be of nobody.
fn write_note(note: &Path, root: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let mut file = tempfile::NamedTempFile::new_in(note.parent().unwrap_or(Path::new("/")))?;
    io::Write::write_all(&mut file, root.as_os_str().as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(note).map(drop).map_err(|failed| failed.error)
}

impl Checkpointer {
    /// The keeper of a workspace, whose store is below `base` (`…/checkpoints`). `own` are folders of bowline's
    /// own files, which are not recorded.
    pub fn open(base: &Path, root: &Path, own: &[PathBuf], limits: Limits) -> Result<Self, CheckpointError> {
        let root = fs::canonicalize(root).map_err(CheckpointError::at(root))?;
        let folder = folder(base, &root);
        let store = Store::open(&folder)?;
        if workspace_of(&folder).is_none_or(|noted| noted != root) {
            let note = folder.join(WORKSPACE);
            write_note(&note, &root).map_err(CheckpointError::at(&note))?;
        }
        let index = Mutex::new(Arc::new(Index::read(&folder.join(KNOWN))));
        let real = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let own = own.iter().map(real).chain([real(&base.to_path_buf())]).collect();
        let clock = Clocked(SystemClock::shared());
        Ok(Self { root, own, limits, store, clock, index, last: Mutex::default() })
    }

    /// The workspace, links followed.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the objects are.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn index(&self) -> MutexGuard<'_, Arc<Index>> {
        self.index.lock()
    }

    fn remember(&self, id: Oid, files: &Arc<Files>) {
        *self.last.lock() = Some((id, Arc::clone(files)));
    }

    /// Records the state of now. `extra` are paths that are recorded even where they are ignored; `instead` are
    /// contents that count in place of those on the disk.
    pub fn take(
        &self,
        extra: &[Name],
        instead: &[(Name, Vec<u8>)],
        cancel: &CancellationToken,
    ) -> Result<TakenCheckpoint, CheckpointError> {
        let mut index = self.index();
        let at_ms = self.clock.0.now_ms();
        let wanted = Wanted {
            root: &self.root,
            own: &self.own,
            extra,
            instead,
            limits: self.limits,
            clock: &self.clock.0,
            cancel,
        };
        let found = snapshot::take(&self.store, &index, &wanted)?;
        if **index != found.index {
            *index = Arc::new(found.index);
            if let Err(error) = index.write(&self.store.root().join(KNOWN)) {
                // Only the next look takes longer.
                tracing::warn!(%error, "the index of checkpoints cannot be written");
            }
        }
        let known = Arc::clone(&index);
        drop(index);
        let files = Arc::new(found.files);
        self.remember(found.id, &files);
        Ok(TakenCheckpoint { id: found.id, files, left_out: found.left_out, at_ms, index: known })
    }

    /// A state that was recorded.
    pub fn load(&self, id: Oid) -> Result<Arc<Files>, CheckpointError> {
        if let Some((last, files)) = &*self.last.lock()
            && *last == id
        {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(files::load(&self.store, id)?);
        self.remember(id, &files);
        Ok(files)
    }

    /// A state with some contents in place of others, recorded. What was not in it was ignored.
    pub fn amend(&self, before: &Files, with: &[(Name, Node)]) -> Result<TakenCheckpoint, CheckpointError> {
        let mut files = before.clone();
        for (name, node) in with {
            for folder in name.folders().filter(|folder| !before.contains_key(folder)) {
                files.insert(folder.clone(), Node::Folder(0o755));
                files.hide(folder);
            }
            if files.insert(name.clone(), *node).is_none() {
                files.hide(name.clone());
            }
        }
        let batch = self.store.batch();
        let id = files::save(&files, &batch)?;
        batch.finish()?;
        let files = Arc::new(files);
        self.remember(id, &files);
        let index = Arc::clone(&self.index());
        Ok(TakenCheckpoint { id, files, left_out: Vec::new(), at_ms: self.clock.0.now_ms(), index })
    }

    /// Keeps a content, for a state that is amended.
    pub fn keep(&self, content: &[u8]) -> Result<Oid, CheckpointError> {
        let batch = self.store.batch();
        let oid = batch.put(&mut super::pack::Packer::default(), super::object::Kind::Blob, content)?;
        batch.finish()?;
        Ok(oid)
    }

    /// Whether a file is now as it was before a moment, in milliseconds since the epoch, for all that its dates say.
    pub fn is_older(&self, name: &Name, ms: u64) -> bool {
        let facts = fs::symlink_metadata(name.under(&self.root)).ok().filter(fs::Metadata::is_file);
        facts.is_some_and(|facts| Stat::of(&facts).is_before(i128::from(ms) * 1_000_000))
    }

    /// What taking these steps from the state `now` comes to. Texts that both sides changed are put together in
    /// the store.
    pub fn plan(
        &self,
        now: &TakenCheckpoint,
        steps: &[Step],
        decisions: &Decisions,
    ) -> Result<Plan, CheckpointError> {
        plan::plan(&self.store, &now.files, steps, decisions)
    }

    /// Does what was planned from the state `now`: what has changed since is left alone. `held` writes files that
    /// somebody has open.
    pub fn apply(&self, now: &TakenCheckpoint, plan: &Plan, held: &mut dyn Held) -> Applied {
        apply::apply(&self.root, &self.store, &now.index, plan, held)
    }
}
