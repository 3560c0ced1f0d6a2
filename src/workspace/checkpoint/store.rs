//! Object store of a workspace's checkpoints: a bare git repository that contains only packs.
//!
//! Must not know states. Several processes may share one store: writes are atomic, nothing is overwritten,
//! and objects are deleted only while no other process has the store open.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};

use super::error::CheckpointError;
use super::object::{Kind, Oid, read_tree};
use super::pack::{PACK_MAX, Pack, PackWriter, Packer, TEMP_PREFIX};

/// Number of packs above which small ones are combined.
const PACKS_MAX: usize = 32;
/// Size in bytes from which a pack is not small.
const SMALL_PACK_BYTES: u64 = 16 << 20;
/// Packs younger than this are not pruned: their states may not be in a session's file yet.
const PRUNE_AGE_MIN: Duration = Duration::from_hours(24);

/// The object store of one workspace.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    packs: RwLock<Vec<Arc<Pack>>>,
    /// The lock that is held while the store is open.
    #[expect(dead_code, reason = "the lock goes with it")]
    lock_file: File,
    /// Whether the lock is exclusive.
    exclusive: bool,
}

/// The result of pruning, or of its dry run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneResult {
    /// Number of unreferenced objects.
    pub objects: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Number of objects that are kept.
    pub kept: usize,
}

impl Store {
    /// Opens the store in a folder, which is created when missing.
    pub fn open(root: &Path) -> Result<Self, CheckpointError> {
        Self::open_as(root, false)
    }

    /// Opens the store exclusively; fails while another process has it open.
    pub fn open_exclusive(root: &Path) -> Result<Self, CheckpointError> {
        Self::open_as(root, true)
    }

    fn open_as(root: &Path, alone: bool) -> Result<Self, CheckpointError> {
        create_repository(root).map_err(CheckpointError::io_at(root))?;
        let lock_path = root.join("in-use");
        let mut options = OpenOptions::new();
        let lock = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&lock_path);
        let in_use = lock.map_err(CheckpointError::io_at(&lock_path))?;
        match if alone { in_use.try_lock() } else { in_use.try_lock_shared() } {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CheckpointError::Busy(root.to_path_buf())),
            // On a file system without locks, pruning is refused.
            Err(TryLockError::Error(error)) if alone => {
                return Err(CheckpointError::io_at(&lock_path)(error));
            }
            Err(TryLockError::Error(error)) => tracing::debug!(%error, "a store of checkpoints has no locks"),
        }
        let store =
            Self { root: root.to_path_buf(), packs: RwLock::default(), lock_file: in_use, exclusive: alone };
        store.reload_packs().map_err(CheckpointError::io_at(root))?;
        Ok(store)
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn folder(&self) -> PathBuf {
        self.root.join("objects/pack")
    }

    fn packs(&self) -> Vec<Arc<Pack>> {
        self.packs.read().clone()
    }

    fn set(&self, with: impl FnOnce(&mut Vec<Arc<Pack>>)) {
        with(&mut self.packs.write());
    }

    /// Reloads the list of packs.
    fn reload_packs(&self) -> io::Result<()> {
        let known = self.packs();
        let mut found = Vec::new();
        for entry in fs::read_dir(self.folder())? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != "idx") {
                continue;
            }
            let pack = path.with_extension("pack");
            match known.iter().find(|known| known.path() == pack) {
                Some(known) => found.push(Arc::clone(known)),
                None => match Pack::open(&path) {
                    Ok(pack) => found.push(Arc::new(pack)),
                    // A partial pack, or one that another process has just combined into a larger one.
                    Err(error) => tracing::warn!(path = %path.display(), %error, "a pack cannot be opened"),
                },
            }
        }
        self.set(|packs| *packs = found);
        Ok(())
    }

    /// Whether the store has an object.
    pub fn has(&self, oid: Oid) -> bool {
        self.packs.read().iter().any(|pack| pack.has(oid))
    }

    /// Returns an object.
    pub fn read(&self, oid: Oid) -> Result<(Kind, Vec<u8>), CheckpointError> {
        if !self.has(oid) {
            // Another process may have written it since.
            self.reload_packs().map_err(CheckpointError::io_at(&self.root))?;
        }
        let packs = self.packs();
        let mut found = packs.iter().filter_map(|pack| pack.read(oid)).peekable();
        let there = found.peek().is_some();
        match found.find_map(Result::ok) {
            Some(object) => Ok(object),
            None if there => Err(CheckpointError::Damaged(oid)),
            None => Err(CheckpointError::Missing(oid)),
        }
    }

    /// Returns the content of a file or link.
    pub fn blob(&self, oid: Oid) -> Result<Vec<u8>, CheckpointError> {
        match self.read(oid)? {
            (Kind::Blob, content) => Ok(content),
            (Kind::Tree, _) => Err(CheckpointError::Damaged(oid)),
        }
    }

    /// Starts a batch of new objects, which become visible together when [`Batch::finish`] returns.
    pub fn batch(&self) -> Batch<'_> {
        Batch { store: self, state: Mutex::default() }
    }

    /// Combines small packs into one when there are many. Another process that does so at the same time gets
    /// the same result.
    fn merge_small_packs(&self) -> io::Result<()> {
        let small: Vec<_> =
            self.packs().into_iter().filter(|pack| pack.length() < SMALL_PACK_BYTES).collect();
        if small.len() < PACKS_MAX {
            return Ok(());
        }
        let lock_path = self.root.join("tidying");
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600).open(&lock_path)?;
        if lock.try_lock().is_err() {
            return Ok(());
        }
        self.rewrite(&small, |_| true)
    }

    /// Copies the objects of packs that pass a filter to new packs, checking each, and deletes the old packs.
    fn rewrite(&self, old: &[Arc<Pack>], keep: impl Fn(Oid) -> bool) -> io::Result<()> {
        let mut writer = PackWriter::new(&self.folder())?;
        let mut made = Vec::new();
        let mut seen = HashSet::new();
        let mut damaged: Vec<(Oid, Arc<Pack>)> = Vec::new();
        for pack in old {
            pack.packed_bytes(&keep, |oid, packed| {
                if seen.contains(&oid) {
                    return Ok(());
                }
                // Another pack may have an intact copy; if none has, the pack is kept.
                if pack.read(oid).is_none_or(|read| read.is_err()) {
                    damaged.push((oid, Arc::clone(pack)));
                    return Ok(());
                }
                seen.insert(oid);
                if writer.is_full() {
                    let full = std::mem::replace(&mut writer, PackWriter::new(&self.folder())?);
                    made.extend(full.finish()?);
                }
                writer.add(oid, packed)
            })?;
        }
        made.extend(writer.finish()?);
        damaged.retain(|(oid, _)| !seen.contains(oid));
        let holds = |pack: &Arc<Pack>| damaged.iter().any(|(_, with)| with.path() == pack.path());
        let stays = |pack: &Arc<Pack>| holds(pack) || made.iter().any(|new| new.path() == pack.path());
        for pack in old.iter().filter(|pack| !stays(pack)) {
            // The index first: a pack without one is ignored.
            ignore_missing(fs::remove_file(pack.path().with_extension("idx")))?;
            ignore_missing(fs::remove_file(pack.path()))?;
        }
        self.reload_packs()
    }

    /// Deletes all objects that are not reachable from these trees, but none younger than a day. Unless it
    /// only counts, the store must have been opened exclusively before the trees were collected.
    pub fn prune(self, roots: &[Oid], only_count: bool) -> Result<PruneResult, CheckpointError> {
        let kept = self.reachable(roots)?;
        let io = CheckpointError::io_at(&self.root);
        let (mut old, mut pruned) = (Vec::new(), PruneResult::default());
        for pack in self.packs() {
            let age = fs::metadata(pack.path()).and_then(|facts| facts.modified()).map(|time| time.elapsed());
            // If the clock was set back, every pack counts as young.
            let fresh = !matches!(age, Ok(Ok(age)) if age > PRUNE_AGE_MIN);
            let lost = |oid: &Oid| !kept.contains(oid);
            let count = pack.oids().filter(lost).count();
            if fresh || count == 0 {
                pruned.kept += pack.oids().count();
                continue;
            }
            pruned.objects += count;
            pruned.kept += pack.oids().count() - count;
            let mut bytes = 0;
            pack.packed_bytes(
                |oid| lost(&oid),
                |_, raw| {
                    bytes += raw.len() as u64;
                    Ok(())
                },
            )
            .map_err(CheckpointError::io_at(pack.path()))?;
            pruned.bytes += bytes;
            old.push(pack);
        }
        if only_count || old.is_empty() {
            return Ok(pruned);
        }
        if !self.exclusive {
            return Err(CheckpointError::Busy(self.root.clone()));
        }
        self.rewrite(&old, |oid| kept.contains(&oid)).and_then(|()| self.remove_temp_files()).map_err(io)?;
        Ok(pruned)
    }

    /// Deletes partial files of crashed processes.
    fn remove_temp_files(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder())? {
            let path = entry?.path();
            let half = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMP_PREFIX));
            let alone = path.extension().is_some_and(|ending| ending == "pack")
                && !path.with_extension("idx").exists();
            if half || alone {
                ignore_missing(fs::remove_file(path))?;
            }
        }
        Ok(())
    }

    /// Returns everything reachable from these trees. Missing trees are skipped.
    fn reachable(&self, roots: &[Oid]) -> Result<HashSet<Oid>, CheckpointError> {
        let mut seen = HashSet::new();
        let mut next: Vec<Oid> = roots.to_vec();
        while let Some(oid) = next.pop() {
            if !seen.insert(oid) {
                continue;
            }
            match self.read(oid) {
                Ok((Kind::Tree, content)) => {
                    let entries = read_tree(&content).ok_or(CheckpointError::Damaged(oid))?;
                    for entry in entries {
                        if entry.mode == super::object::Mode::Tree {
                            next.push(entry.oid);
                        } else {
                            seen.insert(entry.oid);
                        }
                    }
                }
                Ok((Kind::Blob, _)) | Err(CheckpointError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(seen)
    }
}

/// Creates the files and folders that make git accept it as a repository.
fn create_repository(root: &Path) -> io::Result<()> {
    for folder in ["objects/pack", "objects/info", "refs"] {
        DirBuilder::new().recursive(true).mode(0o700).create(root.join(folder))?;
    }
    let head = root.join("HEAD");
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&head) {
        Ok(mut file) => io::Write::write_all(&mut file, b"ref: refs/heads/none\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A batch of new objects, which several threads may write.
pub struct Batch<'a> {
    store: &'a Store,
    state: Mutex<BatchState>,
}

#[derive(Default)]
struct BatchState {
    writer: Option<PackWriter>,
    full: Vec<Pack>,
    new: HashSet<Oid>,
}

impl Batch<'_> {
    fn state(&self) -> MutexGuard<'_, BatchState> {
        self.state.lock()
    }

    /// Adds an object unless it exists, and returns its id.
    pub(super) fn put(
        &self,
        packer: &mut Packer,
        kind: Kind,
        content: &[u8],
    ) -> Result<Oid, CheckpointError> {
        let oid = Oid::of(kind, content);
        if self.store.has(oid) || self.state().new.contains(&oid) {
            return Ok(oid);
        }
        let mut add = || -> io::Result<()> {
            let raw = packer.pack(kind, content)?;
            let mut state = self.state();
            if !state.new.insert(oid) {
                return Ok(());
            }
            if let Some(full) = state.writer.take_if(|writer| writer.is_full()) {
                state.full.extend(full.finish()?);
            }
            match &mut state.writer {
                Some(writer) => writer.add(oid, &raw),
                None => state.writer.insert(PackWriter::new(&self.store.folder())?).add(oid, &raw),
            }
        };
        add().map_err(CheckpointError::io_at(&self.store.root))?;
        Ok(oid)
    }

    /// Flushes the batch to disk; returns whether it had new objects.
    pub fn finish(self) -> Result<bool, CheckpointError> {
        let BatchState { writer, full, .. } = self.state.into_inner();
        let finish = || -> io::Result<bool> {
            let last = writer.map_or(Ok(None), PackWriter::finish)?;
            let made: Vec<_> = full.into_iter().chain(last).map(Arc::new).collect();
            let any = !made.is_empty();
            self.store.set(|packs| packs.extend(made));
            // The objects are safe, whether or not packs are combined.
            if any && let Err(error) = self.store.merge_small_packs() {
                tracing::warn!(%error, "the packs of checkpoints cannot be made one");
            }
            Ok(any)
        };
        finish().map_err(CheckpointError::io_at(&self.store.root))
    }
}

const _: () = assert!(SMALL_PACK_BYTES * (PACKS_MAX as u64) < PACK_MAX, "small packs fit into one");

#[cfg(test)]
mod tests {
    use super::*;

    fn put(store: &Store, content: &[u8]) -> Oid {
        let batch = store.batch();
        let oid = batch.put(&mut Packer::default(), Kind::Blob, content).unwrap();
        batch.finish().unwrap();
        oid
    }

    fn packs(store: &Store) -> usize {
        fs::read_dir(store.folder()).unwrap().count() / 2
    }

    #[test]
    fn store_small_packs_are_merged_for_all_readers() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let other = Store::open(folder.path()).unwrap();
        let oids: Vec<Oid> = (0..PACKS_MAX).map(|n| put(&store, format!("{n}").as_bytes())).collect();
        assert_eq!(packs(&store), 1);
        assert!(!other.has(oids[0]), "not looked for yet");
        for (n, oid) in oids.iter().enumerate() {
            assert_eq!(other.blob(*oid).unwrap(), format!("{n}").as_bytes());
        }
        let again = put(&store, b"7");
        assert_eq!((again, packs(&store)), (oids[7], 1), "what is there is not written again");
        assert!(matches!(store.read(Oid([7; 20])), Err(CheckpointError::Missing(_))));
    }

    /// Breaks an object where it stands in the only pack that has it.
    fn break_in_place(folder: &Path, oid: Oid) {
        let store = Store::open(folder).unwrap();
        let pack = store.packs().into_iter().find(|pack| pack.has(oid)).unwrap();
        let mut bytes = fs::read(pack.path()).unwrap();
        let last = bytes.len() - 21;
        bytes[last] ^= 0x55;
        fs::write(pack.path(), bytes).unwrap();
        assert!(matches!(Store::open(folder).unwrap().read(oid), Err(CheckpointError::Damaged(_))));
    }

    #[test]
    fn store_intact_copy_wins_over_damaged() {
        let folder = tempfile::tempdir().unwrap();
        // Two programs that do not know of each other's packs write the same, each among something of its own.
        let (one, other) = (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
        let twice = put(&one, b"twice");
        let batch = other.batch();
        for text in [&b"other"[..], b"twice"] {
            batch.put(&mut Packer::default(), Kind::Blob, text).unwrap();
        }
        batch.finish().unwrap();
        let first = one.packs()[0].clone();
        let mut bytes = fs::read(first.path()).unwrap();
        bytes[15] ^= 0x55;
        fs::write(first.path(), bytes).unwrap();
        let store = Store::open(folder.path()).unwrap();
        let mut packs = store.packs();
        packs.sort_by_key(|pack| pack.path() != first.path());
        store.rewrite(&packs, |_| true).unwrap();
        assert_eq!(Store::open(folder.path()).unwrap().blob(twice).unwrap(), b"twice");
        assert!(!first.path().exists(), "nothing that only it has");
    }

    #[test]
    fn store_damaged_pack_is_not_merged() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let oids: Vec<Oid> = (0..PACKS_MAX - 1).map(|n| put(&store, format!("{n}").as_bytes())).collect();
        break_in_place(folder.path(), oids[3]);
        // A folder where the lock would be: tidying fails, writing does not.
        fs::create_dir(folder.path().join("tidying")).unwrap();
        let last = put(&store, b"last");
        assert_eq!((store.blob(last).unwrap(), packs(&store)), (b"last".to_vec(), PACKS_MAX));
        fs::remove_dir(folder.path().join("tidying")).unwrap();
        put(&store, b"one more");
        assert_eq!(packs(&store), 2, "the damaged one is left where it is");
        let again = Store::open(folder.path()).unwrap();
        for (n, oid) in oids.iter().enumerate().filter(|(n, _)| *n != 3) {
            assert_eq!(again.blob(*oid).unwrap(), format!("{n}").as_bytes());
        }
    }

    #[test]
    fn store_prune_keeps_named_and_fresh_objects() {
        let folder = tempfile::tempdir().unwrap();
        let old = |store: &Store| {
            for entry in fs::read_dir(store.folder()).unwrap() {
                let file = File::options().write(true).open(entry.unwrap().path()).unwrap();
                file.set_modified(std::time::UNIX_EPOCH).unwrap();
            }
        };
        let store = Store::open(folder.path()).unwrap();
        let (a, b) = (put(&store, b"a"), put(&store, b"b"));
        old(&store);
        let fresh = put(&store, b"fresh");
        let open = || Store::open(folder.path()).unwrap();
        let counted = open().prune(&[a], true).unwrap();
        assert_eq!((counted.objects, counted.kept), (1, 2));
        assert!(
            matches!(Store::open_exclusive(folder.path()), Err(CheckpointError::Busy(_))),
            "another one has it open"
        );
        assert!(
            matches!(open().prune(&[a], false), Err(CheckpointError::Busy(_))),
            "another one may open it"
        );
        drop(store);
        let alone = || Store::open_exclusive(folder.path()).unwrap();
        fs::write(folder.path().join("objects/pack/tmp_half"), "half").unwrap();
        assert_eq!(alone().prune(&[a], false).unwrap(), counted);
        let store = alone();
        assert!(matches!(Store::open(folder.path()), Err(CheckpointError::Busy(_))), "others wait");
        assert!(store.has(a) && store.has(fresh) && !store.has(b));
        assert!(!folder.path().join("objects/pack/tmp_half").exists());
        assert_eq!(store.prune(&[a], false).unwrap().objects, 0);
    }
}
