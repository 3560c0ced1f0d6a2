//! Files that must survive a run of the program, for recovery: private, written atomically, and owned by a
//! run while it is alive. Blocking.
//!
//! Must not know their content. A run holds a lock on a file of its own; the system releases it however the
//! run ends, so a free lock means that the files are orphaned.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

/// Name suffix of stored files: `<key>.<run>.kept`.
const KEPT: &str = ".kept";
/// The ending of a run's lock: `<run>.lock`.
const LOCK: &str = ".lock";
/// Name suffix of files that are being written: `<name>.<number>.part`.
const PART: &str = ".part";

/// The stored files of one folder, as one run sees them.
#[derive(Debug)]
pub struct RunFiles {
    folder: PathBuf,
    run: Mutex<Run>,
}

#[derive(Debug)]
enum Run {
    /// Nothing is stored.
    Idle,
    Begun {
        id: String,
        lock: Lock,
        /// The stored files, with the number of the write that made each.
        names: BTreeMap<String, u64>,
        /// Number of writes started.
        begun: u64,
        /// Number of writes in progress.
        writing: usize,
    },
    Ended,
}

/// The lock of a run. Released explicitly: a child process that another thread is just starting has the file
/// open, too, until it executes its program, and would hold the lock until then.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::debug!(%error, "a lock was not given back; the end of the program does it");
        }
    }
}

/// A file left behind by a run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverFile {
    /// Its name, for [`RunFiles::read`] and [`RunFiles::remove`].
    pub name: String,
    /// The key under which it was written.
    pub key: String,
}

impl RunFiles {
    /// Creates it for a folder, which is created on first write.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, run: Mutex::new(Run::Idle) }
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock()
    }

    /// Stores content under a key of letters, digits and `-`, replacing what this run stored there before;
    /// then removes the files that it `replaces`. Returns its name. Of several concurrent writes of one key
    /// the one started last wins.
    pub fn write<'a>(
        &self,
        key: &str,
        pieces: impl Iterator<Item = &'a [u8]>,
        replaces: &[String],
    ) -> io::Result<String> {
        let (run, number) = self.begin()?;
        let name = format!("{key}.{run}{KEPT}");
        let part = self.folder.join(format!("{name}.{number}{PART}"));
        let written = write_part(&part, pieces);
        self.finish(&name, number, &part, written)?;
        // Not synced: it only has to survive the program, and a slow disk would delay the next write.
        for old in replaces.iter().filter(|old| **old != name) {
            self.remove(old)?;
        }
        Ok(name)
    }

    /// Appends to what this run stores under a key, then removes the files that this `replaces`. Fails when
    /// there is nothing under the key; after a failure the end of the file may be torn.
    pub fn append(&self, key: &str, content: &[u8], replaces: &[String]) -> io::Result<String> {
        let name = {
            // Held to the end, so that no other write replaces the file meanwhile.
            let run = self.run();
            let Run::Begun { id, names, .. } = &*run else { return Err(ended_error()) };
            let name = format!("{key}.{id}{KEPT}");
            if !names.contains_key(&name) {
                return Err(io::ErrorKind::NotFound.into());
            }
            OpenOptions::new().append(true).open(self.folder.join(&name))?.write_all(content)?;
            name
        };
        for old in replaces.iter().filter(|old| **old != name) {
            self.remove(old)?;
        }
        Ok(name)
    }

    /// Starts a write: returns the id of this run, whose lock is created on first use, and the number of the
    /// write.
    fn begin(&self) -> io::Result<(String, u64)> {
        let mut run = self.run();
        if matches!(*run, Run::Idle) {
            *run = self.begin_run()?;
        }
        match &mut *run {
            Run::Begun { id, begun, writing, .. } => {
                *begun += 1;
                *writing += 1;
                Ok((id.clone(), *begun))
            }
            Run::Idle | Run::Ended => Err(ended_error()),
        }
    }

    fn begin_run(&self) -> io::Result<Run> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let made = tempfile::Builder::new()
            .prefix("run")
            .suffix(LOCK)
            .rand_bytes(12)
            .disable_cleanup(true)
            .tempfile_in(&self.folder)?;
        let (lock, path) = made.keep().map_err(|error| error.error)?;
        match lock.try_lock() {
            Ok(()) => {}
            // Without locks, files are offered for recovery too early rather than too late.
            Err(error) => tracing::debug!(%error, "the recovery files cannot be locked"),
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = name.trim_end_matches(LOCK).to_string();
        Ok(Run::Begun { id, lock: Lock(lock), names: BTreeMap::new(), begun: 0, writing: 0 })
    }

    /// Finishes a write: renames the file, unless a later write has the name already.
    fn finish(&self, name: &str, number: u64, part: &Path, mut written: io::Result<()>) -> io::Result<()> {
        let mut run = self.run();
        let Run::Begun { names, writing, .. } = &mut *run else {
            ignore_not_found(fs::remove_file(part))?;
            return Err(ended_error());
        };
        *writing -= 1;
        let is_newest = names.get(name).is_none_or(|newest| *newest < number);
        if written.is_ok() && is_newest {
            written = fs::rename(part, self.folder.join(name));
            if written.is_ok() {
                names.insert(name.to_string(), number);
                return written;
            }
        }
        let removed = ignore_not_found(fs::remove_file(part));
        self.release_if_idle(&mut run)?;
        written.and(removed)
    }

    /// Releases the lock when nothing is stored and no write is in progress.
    fn release_if_idle(&self, run: &mut Run) -> io::Result<()> {
        if let Run::Begun { id, names, writing: 0, .. } = run
            && names.is_empty()
        {
            ignore_not_found(fs::remove_file(self.folder.join(format!("{id}{LOCK}"))))?;
            *run = Run::Idle;
        }
        Ok(())
    }

    /// Returns the files that ended runs have left behind, under one key or (`None`) under all.
    pub fn leftovers(&self, key: Option<&str>) -> io::Result<Vec<LeftoverFile>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut left = Vec::new();
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let Some((its_key, run)) = split_name(&name) else { continue };
            if key.is_none_or(|key| key == its_key) && !self.is_alive(run) {
                left.push(LeftoverFile { key: its_key.to_string(), name: name.clone() });
            }
        }
        left.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(left)
    }

    fn is_alive(&self, run: &str) -> bool {
        let Ok(lock) = File::open(self.folder.join(format!("{run}{LOCK}"))) else { return false };
        matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Returns the content of a stored file.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder.join(name))
    }

    /// Removes a stored file, and the lock of its run with the last one. A file that is already gone is no
    /// error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let Some((_, its_run)) = split_name(name) else { return Ok(()) };
        let mut run = self.run();
        match &mut *run {
            Run::Begun { id, names, .. } if id == its_run => {
                ignore_not_found(fs::remove_file(self.folder.join(name)))?;
                names.remove(name);
                self.release_if_idle(&mut run)
            }
            _ => {
                ignore_not_found(fs::remove_file(self.folder.join(name)))?;
                if !self.has_files(its_run)? {
                    self.remove_parts(its_run)?;
                    ignore_not_found(fs::remove_file(self.folder.join(format!("{its_run}{LOCK}"))))?;
                }
                Ok(())
            }
        }
    }

    fn has_files(&self, run: &str) -> io::Result<bool> {
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if split_name(&name).is_some_and(|(_, its)| its == run) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the partial files of an ended run.
    fn remove_parts(&self, run: &str) -> io::Result<()> {
        let its = format!(".{run}{KEPT}.");
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(PART) && name.contains(&its) {
                ignore_not_found(fs::remove_file(self.folder.join(name)))?;
            }
        }
        Ok(())
    }

    /// Ends the run: nothing more is stored. With `remove` its files are deleted, otherwise they stay for the
    /// next run.
    pub fn end(&self, remove: bool) -> io::Result<()> {
        let Run::Begun { id, lock, names, writing, .. } = std::mem::replace(&mut *self.run(), Run::Ended)
        else {
            return Ok(());
        };
        if writing > 0 {
            self.remove_parts(&id)?;
        }
        let removed = names.keys().filter(|_| remove);
        for name in removed {
            ignore_not_found(fs::remove_file(self.folder.join(name)))?;
        }
        if remove || names.is_empty() {
            ignore_not_found(fs::remove_file(self.folder.join(format!("{id}{LOCK}"))))?;
        }
        drop(lock);
        Ok(())
    }
}

/// Returns key and run in a stored file's name.
fn split_name(name: &str) -> Option<(&str, &str)> {
    Path::new(name).file_name().filter(|only| *only == name)?;
    name.strip_suffix(KEPT)?.split_once('.')
}

fn write_part<'a>(part: &Path, pieces: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(part)?;
    let mut writer = BufWriter::with_capacity(64 << 10, file);
    for piece in pieces {
        writer.write_all(piece)?;
    }
    writer.flush()
}

fn ended_error() -> io::Error {
    io::Error::other("the program is ending")
}

fn ignore_not_found(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
