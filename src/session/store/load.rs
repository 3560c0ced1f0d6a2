//! Loads a session file: the lines that its index does not cover, piece by piece.
//!
//! Must not know the content of entries. A torn tail is cut off and saved; invalid lines are reported and
//! skipped. Only the locations of lines in the current format stay in memory.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::CompactString;
use serde_json::value::RawValue;

use super::chunks::{Chunk, FilePart, Line, LineKind};
use super::index::{self, Index};
use super::{SessionFile, Store, lock};
use crate::base::lenient::replace_lone_surrogates;
use crate::llm::model::Usage;
use crate::session::format::entry::Entry;
use crate::session::format::error::{Problem, SessionError};
use crate::session::format::header::{Header, HeaderError, VERSION};
use crate::session::format::migrate;
use crate::session::restore::checkpoints;
use crate::session::tree::Tree;
use crate::session::usage::totals::UsageTotals;

/// Maximum length of the first line, in bytes.
pub(super) const HEADER_BYTES_MAX: u64 = 1 << 20;
/// An index is rebuilt when more bytes than this had to be read after it, and more than this share of the
/// bytes that it covers.
const INDEX_BYTES: u64 = 4 << 20;
const INDEX_SHARE: u64 = 32;

/// Purpose of opening a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum OpenMode {
    /// To append: the file is locked, and a torn tail is repaired.
    Write,
    /// Read-only.
    ReadOnly,
}

/// A loaded session file.
#[derive(Debug)]
pub(in crate::session) struct Loaded {
    /// `None` for an empty file.
    pub(in crate::session) header: Option<Header>,
    pub(in crate::session) tree: Tree,
    pub(in crate::session) usage_totals: UsageTotals,
    /// Index of the latest entry that records a restore of the workspace.
    pub(in crate::session) last_restore: Option<u32>,
    pub(in crate::session) problems: Vec<Problem>,
    pub(in crate::session) store: Store,
    /// The format version, if it is an earlier one.
    pub(in crate::session) old_version: Option<u64>,
}

/// Loads a session file.
pub(in crate::session) fn load(path: &Path, usage: OpenMode) -> Result<Loaded, SessionError> {
    let error = |source| SessionError::Io { path: path.to_path_buf(), source };
    // Opening a pipe would block until a process writes to it.
    let metadata = fs::metadata(path).map_err(error)?;
    if metadata.is_dir() {
        return Err(error(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(SessionError::NotASession(path.to_path_buf()));
    }
    let (file, writable) = open(path, usage).map_err(error)?;
    if usage == OpenMode::Write {
        lock::lock_file(&file, path)?;
    }
    let file = SessionFile(Arc::new(file));
    let store = Store { path: path.to_path_buf(), file: writable.then(|| file.clone()), ends_torn: false };
    let mut scan = Scan::new(path, usage, &file, store);
    scan.run(&file, None)?;
    Ok(scan.loaded)
}

/// Opens the file; returns it and whether it is writable.
fn open(path: &Path, usage: OpenMode) -> io::Result<(File, bool)> {
    if usage == OpenMode::Write {
        match OpenOptions::new().read(true).append(true).open(path) {
            Ok(file) => return Ok((file, true)),
            // A file without write permission can still be read; a later write reports the error.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((File::open(path)?, false))
}

/// Rebuilds the pages of an index over the first `covers` bytes of a session file.
fn rebuild_pages(path: &Path, file: &SessionFile, covers: u64) -> Option<Vec<Arc<[u8]>>> {
    let store = Store { path: path.to_path_buf(), file: None, ends_torn: false };
    let mut scan = Scan::new(path, OpenMode::ReadOnly, file, store);
    if let Err(error) = scan.run(file, Some(covers)) {
        tracing::error!(path = %path.display(), %error, "cannot read a session again");
        return None;
    }
    index::build_pages(&scan.loaded.tree)
}

struct Scan<'p> {
    path: &'p Path,
    usage: OpenMode,
    /// Byte offset of the next line.
    at: u64,
    /// Number of lines so far.
    number: u64,
    /// Bytes of a last line without a line feed.
    tail: u64,
    header: Option<Header>,
    /// Lines of an earlier format, with their numbers.
    old_lines: Vec<(usize, String)>,
    loaded: Loaded,
}

impl<'p> Scan<'p> {
    fn new(path: &'p Path, usage: OpenMode, file: &SessionFile, store: Store) -> Self {
        let (totals, problems) = (UsageTotals::default(), Vec::new());
        let mut tree = Tree::default();
        tree.set_line_source(file.lines());
        let loaded = Loaded {
            header: None,
            tree,
            usage_totals: totals,
            last_restore: None,
            problems,
            store,
            old_version: None,
        };
        Self { path, usage, at: 0, number: 0, tail: 0, header: None, old_lines: Vec::new(), loaded }
    }

    fn error(&self, source: io::Error) -> SessionError {
        SessionError::Io { path: self.path.to_path_buf(), source }
    }

    fn refuse(&self) -> SessionError {
        SessionError::NotASession(self.path.to_path_buf())
    }

    /// Reads the file; with `only`, just these first bytes, without an index.
    fn run(&mut self, file: &SessionFile, only: Option<u64>) -> Result<(), SessionError> {
        let mut line = Vec::new();
        let mut first = &*file.0;
        let read = first
            .seek(SeekFrom::Start(0))
            .and_then(|_| BufReader::new(first).take(HEADER_BYTES_MAX).read_until(b'\n', &mut line));
        read.map_err(|error| self.error(error))?;
        if line.is_empty() {
            return Ok(());
        }
        let torn = !self.take_header(&line)?;
        let known = if torn || self.is_old_format() || only.is_some() { 0 } else { self.read_index(file) };
        let there = || file.0.metadata().map(|metadata| metadata.len());
        let end =
            if torn { self.at } else { only.map_or_else(there, Ok).map_err(|error| self.error(error))? };
        self.read(file, end)?;
        if self.is_old_format() {
            self.upgrade();
        } else if only.is_none() && self.at - known > INDEX_BYTES.max(known / INDEX_SHARE) {
            self.write_index(&file.0, end);
        }
        self.loaded.header = self.header.take();
        Ok(())
    }

    /// Reads the lines up to a byte offset: the present content, without concurrent appends.
    fn read(&mut self, file: &SessionFile, end: u64) -> Result<(), SessionError> {
        let (entries, hasher) = (!self.is_old_format(), self.loaded.tree.id_hasher().clone());
        let part = FilePart { file: &file.0, from: self.at, end, entries, hasher };
        part.each(|piece| self.take_chunk(piece)).map_err(|error| self.error(error))
    }

    fn take_chunk(&mut self, piece: &mut Chunk) -> io::Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        if piece.from != self.at {
            return Err(io::Error::other("it was changed while it was read"));
        }
        let lines = piece.lines.iter().chain(piece.tail.as_ref().map(|(line, _)| line));
        let taken = self.loaded.tree.existing_ids(lines.filter_map(Line::id));
        self.loaded.tree.prefetch(piece.lines.iter().filter_map(Line::id_hash));
        for line in piece.lines.drain(..) {
            self.add_line(line, &taken);
        }
        if let Some((line, tail)) = piece.tail.take() {
            self.take_tail(line, &tail, &taken);
        }
        Ok(())
    }

    fn is_old_format(&self) -> bool {
        self.header.as_ref().is_some_and(|header| header.version < VERSION)
    }

    /// Reads the first line and returns whether it is complete.
    fn take_header(&mut self, line: &[u8]) -> Result<bool, SessionError> {
        let whole = line.ends_with(b"\n");
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text =
            std::str::from_utf8(text.strip_suffix(b"\r").unwrap_or(text)).map_err(|_| self.refuse())?;
        let header = Header::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
        self.header = Some(header.map_err(|error| match error {
            HeaderError::NotASession => self.refuse(),
            HeaderError::Version(version) => SessionError::Version { path: self.path.to_path_buf(), version },
        })?);
        (self.at, self.number) = (line.len() as u64, 1);
        // The line feed is written with the next append.
        self.loaded.store.ends_torn = !whole;
        Ok(whole)
    }

    /// Uses the index and returns the number of bytes that it covers.
    fn read_index(&mut self, file: &SessionFile) -> u64 {
        let rescue = |covers| -> index::Rebuild {
            let (path, file) = (self.path.to_path_buf(), file.clone());
            Box::new(move || rebuild_pages(&path, &file, covers))
        };
        let Some((index, base, remembered)) = Index::read(self.path, &file.0, rescue) else { return 0 };
        let tree = Tree::from_index(base, remembered, file.lines());
        let newest = tree.leaf_index();
        let mut known: HashMap<u32, Usage> = index.sums.iter().map(|(at, sum)| (*at, sum.usage())).collect();
        let newest = newest.and_then(|at| known.remove_entry(&at));
        self.loaded.usage_totals = UsageTotals::from_index(&tree, known, newest);
        (self.loaded.tree, self.at, self.number) = (tree, index.covers, index.lines);
        self.loaded.last_restore = index.restored.filter(|at| (*at as usize) < self.loaded.tree.len());
        let problems = index.problems.into_iter();
        self.loaded.problems =
            problems.map(|(line, message)| Problem { line: line as usize, message }).collect();
        self.at
    }

    /// Adds a line; `taken` are the ids of lines in the same piece that the index has.
    fn add_line(&mut self, line: Line, taken: &HashSet<CompactString>) {
        let from = self.at;
        self.at += line.bytes as u64;
        self.number += line.lines;
        if let Err(what) = self.add(line, from, taken) {
            self.add_problem(self.number, format!("{what}; skipped"));
        }
    }

    fn add(&mut self, line: Line, from: u64, taken: &HashSet<CompactString>) -> Result<(), String> {
        let length = u32::try_from(line.length).map_err(|_| "longer than 4 GB".to_string())?;
        let Loaded { tree, usage_totals: totals, last_restore: restored, .. } = &mut self.loaded;
        match line.kind {
            LineKind::Entry(head, sum, line_facts) => {
                let is_taken = !taken.is_empty() && taken.contains(&head.id);
                let pushed = tree.push_in_file(head, sum, (from, length), is_taken);
                pushed.map_err(|id| format!("second entry {id}"))?;
                totals.add(tree, line_facts.usage.map(Usage::from).as_ref());
                if line_facts.is_restore {
                    *restored = tree.leaf_index();
                }
                Ok(())
            }
            LineKind::Nothing => Ok(()),
            LineKind::Text(text) => {
                self.old_lines.push((self.number as usize, text));
                Ok(())
            }
            LineKind::Invalid(what) => Err(what),
        }
    }

    fn add_problem(&mut self, line: u64, message: String) {
        self.loaded.problems.push(Problem { line: line as usize, message });
    }

    /// Handles a last line without a line feed: a valid one only lacks the line feed, a torn one is cut off
    /// and saved in a `.torn` file.
    fn take_tail(&mut self, line: Line, tail: &[u8], taken: &HashSet<CompactString>) {
        // Not counted: it is not among the lines that an index covers.
        let number = self.number + 1;
        self.tail = tail.len() as u64;
        let object = |text: &str| {
            serde_json::from_str::<HashMap<String, &RawValue>>(&replace_lone_surrogates(text)).is_ok()
        };
        let whole = std::str::from_utf8(tail).is_ok_and(object);
        if whole {
            if let Err(what) = self.add(line, self.at, taken) {
                self.add_problem(number, format!("{what}; skipped"));
            }
            self.loaded.store.ends_torn = true;
            return;
        }
        let cut = match self.usage {
            OpenMode::Write => cut_tail(self.path, tail.len(), self.at, |aside| save_torn(aside, tail)),
            OpenMode::ReadOnly => Err(io::Error::other("the file is only looked at")),
        };
        let message = match cut {
            Ok(aside) => format!("torn last line cut off; kept in {}", aside.display()),
            Err(error) => {
                self.loaded.store.ends_torn = true;
                format!("torn last line skipped; it cannot be cut off: {error}")
            }
        };
        self.add_problem(number, message);
    }

    /// Converts the lines of an earlier format.
    fn upgrade(&mut self) {
        let Some(header) = self.header.take() else { return };
        self.loaded.old_version = Some(header.version);
        let (lines, broken) = migrate::upgrade(header.version, &self.old_lines);
        self.header = Some(header.upgraded());
        let failed = lines.iter().filter_map(|line| match Entry::parse(line) {
            Ok(entry) => {
                let restores = checkpoints::is_restore(entry.kind(), line);
                let pushed = self.loaded.tree.push(entry);
                if restores && pushed.is_ok() {
                    self.loaded.last_restore = self.loaded.tree.leaf_index();
                }
                pushed.err().map(|id| format!("second entry {id}; skipped"))
            }
            Err(error) => Some(format!("not an entry ({error}); skipped")),
        });
        let failed: Vec<Problem> = failed.map(|message| Problem { line: 0, message }).collect();
        let broken = broken.into_iter();
        self.loaded
            .problems
            .extend(broken.map(|line| Problem { line, message: "not an entry; skipped".to_string() }));
        self.loaded.problems.extend(failed);
    }

    /// Rebuilds the index. Without it the next opening reads the lines again. `read` is the end of the part
    /// that was read.
    fn write_index(&self, file: &File, read: u64) {
        // A last line without a line feed may be incomplete; and the index must cover exactly what was read.
        if !self.loaded.tree.last_starts_before(self.at) || self.at + self.tail != read {
            return;
        }
        let is_indexed = |found: &&Problem| found.line as u64 <= self.number;
        let problems: Vec<Problem> = self.loaded.problems.iter().filter(is_indexed).cloned().collect();
        let Loaded { tree, usage_totals: totals, last_restore: restored, .. } = &self.loaded;
        let covered = (self.at, self.number);
        if let Err(error) = index::write(self.path, file, covered, tree, totals, *restored, &problems) {
            tracing::warn!(path = %self.path.display(), %error, "cannot keep the index of a session");
        }
    }
}

/// Cuts off the tail of this length at an offset after saving it, unless the file has grown since: data of
/// other processes must not be cut off. Returns where it is saved.
fn cut_tail(
    path: &Path,
    length: usize,
    from: u64,
    keep: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let file = OpenOptions::new().write(true).open(path)?;
    let unchanged = || {
        let is_so = file.metadata()?.len() == from + length as u64;
        is_so.then_some(()).ok_or_else(|| io::Error::other("another process is writing the file"))
    };
    unchanged()?;
    let aside = path.with_extension("jsonl.torn");
    keep(&aside)?;
    // Checked again, since saving takes time.
    unchanged()?;
    file.set_len(from)?;
    file.sync_data()?;
    Ok(aside)
}

/// Appends a tail to the `.torn` file.
fn save_torn(aside: &Path, tail: &[u8]) -> io::Result<()> {
    let mut kept = OpenOptions::new().append(true).create(true).mode(0o600).open(aside)?;
    kept.write_all(tail)?;
    kept.write_all(b"\n")?;
    kept.sync_data()
}

#[cfg(test)]
mod tests;
