//! Files in which a run of the program keeps what must outlive it: private, replaced in one
//! step, and known to belong to a run for as long as that run lives. Blocking.
//!
//! Must not know what is in them. A run holds a lock on a file of its own; the system lets go
//! of it however the run ends, so a run that finds the lock free knows that no other will come back
//! for the files.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};

/// The ending of what is kept: `<key>.<run>.kept`.
const KEPT: &str = ".kept";
/// The ending of a run's lock: `<run>.lock`.
const LOCK: &str = ".lock";
/// The ending of a file that is being written: `<name>.<number>.part`.
const PART: &str = ".part";

/// The kept files of one folder, as one run sees them.
#[derive(Debug)]
pub struct RunFiles {
    folder: PathBuf,
    run: Mutex<Run>,
}

#[derive(Debug)]
enum Run {
    /// Nothing is kept.
    Idle,
    Begun {
        id: String,
        lock: Lock,
        /// What is kept, and the number of the write that it is of.
        names: BTreeMap<String, u64>,
        /// How many writes were begun.
        begun: u64,
        /// How many of them are not done yet.
        writing: usize,
    },
    Ended,
}

/// The lock of a run. It is given back by name: a process that another thread is just starting has the file
/// open, too, until it runs its own program, and would hold the lock for so long.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::debug!(%error, "a lock was not given back; the end of the program does it");
        }
    }
}

/// One file that a run which is no more has left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverFile {
    /// Its name, for [`RunFiles::read`] and [`RunFiles::remove`].
    pub name: String,
    /// Under which key it was written.
    pub key: String,
}

impl RunFiles {
    /// The files of a folder, which is made when something is kept first.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, run: Mutex::new(Run::Idle) }
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock()
    }

    /// Keeps a content under a key of letters, digits and `-`, in place of what this run kept
    /// there before; then removes the files that it `replaces`. Returns its name. Of several
    /// writes of one key at a time the one that was begun last counts.
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
        // Not synced: it outlives the program as it is, and a slow disk would hold up the next.
        for old in replaces.iter().filter(|old| **old != name) {
            self.remove(old)?;
        }
        Ok(name)
    }

    /// Adds to what this run keeps under a key, then removes the files that this `replaces`. Fails
    /// when it keeps nothing there; what is there after a failure may be torn at its end.
    pub fn append(&self, key: &str, content: &[u8], replaces: &[String]) -> io::Result<String> {
        let name = {
            // Held to the end: nothing else may take the file's place meanwhile.
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

    /// A write begins: the id of this run, whose lock is made when it is needed first, and the
    /// write's number.
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
            // A file system without locks: the files are then offered too early, not too late.
            Err(error) => tracing::debug!(%error, "the recovery files cannot be locked"),
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = name.trim_end_matches(LOCK).to_string();
        Ok(Run::Begun { id, lock: Lock(lock), names: BTreeMap::new(), begun: 0, writing: 0 })
    }

    /// A write ends: what it wrote takes its name, unless a later write has it already.
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

    /// Gives the lock back when nothing is kept and nothing is being written.
    fn release_if_idle(&self, run: &mut Run) -> io::Result<()> {
        if let Run::Begun { id, names, writing: 0, .. } = run
            && names.is_empty()
        {
            ignore_not_found(fs::remove_file(self.folder.join(format!("{id}{LOCK}"))))?;
            *run = Run::Idle;
        }
        Ok(())
    }

    /// What runs that are no more have left behind, under one key or (`None`) under all.
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

    /// The content of a kept file.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder.join(name))
    }

    /// Removes a kept file, and the lock of its run with the last one. One that is gone
    /// already is no failure.
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

    /// Removes what a run that is no more was writing when it ended.
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

    /// The run ends: nothing more is kept. With `remove` everything that it kept goes, else it
    /// stays for the next one to find.
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

/// Key and run of a kept file's name.
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
