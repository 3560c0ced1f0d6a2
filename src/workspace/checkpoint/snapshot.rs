//! Scan of a workspace: the present node at each path, with new contents written to the store.
//!
//! Must not know why it is taken. Ignored files are skipped unless they were recorded before or are
//! requested; `.git` always is. Links are recorded as links, never followed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ignore::WalkState;
use parking_lot::Mutex;
use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::error::CheckpointError;
use super::files::{self, Files, Node, RIGHTS};
use super::index::{Index, Stat};
use super::name::Name;
use super::object::{Kind, Oid};
use super::pack::Packer;
use super::store::{Batch, Store};
use crate::base::clock::SharedClock;
use crate::workspace::walk;

/// Maximum number of reader threads.
const THREADS_MAX: usize = 4;

/// Limits of a scan.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum bytes of a file; larger ones are skipped.
    pub file: u64,
    /// Maximum number of paths; with more, nothing is recorded.
    pub files: usize,
    /// Maximum total bytes.
    pub bytes: u64,
    /// Maximum duration.
    pub time: Duration,
}

impl Default for Limits {
    /// Source code is far below these limits; above are data or outputs that were not ignored yet.
    fn default() -> Self {
        Self { file: 10 << 20, files: 200_000, bytes: 1 << 30, time: Duration::from_secs(30) }
    }
}

/// Why a path was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// It exceeds the size limit.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// A pipe, a socket or a device.
    NotAFile,
}

impl SkipReason {
    /// Returns the reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::Unreadable => "cannot be read",
            Self::NotAFile => "neither file nor link",
        }
    }
}

/// Input of a scan.
pub(super) struct ScanRequest<'a> {
    /// The workspace.
    pub(super) root: &'a Path,
    /// Folders that are skipped: bowline's own.
    pub(super) excluded_folders: &'a [PathBuf],
    /// Paths that are recorded even if ignored.
    pub(super) extra: &'a [Name],
    /// Contents that take precedence over those on disk: unsaved text of open files.
    pub(super) overrides: &'a [(Name, Vec<u8>)],
    pub(super) limits: Limits,
    pub(super) clock: &'a SharedClock,
    pub(super) cancel: &'a CancellationToken,
}

/// The result of a scan.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) id: Oid,
    pub(super) files: Files,
    pub(super) skipped: Vec<(Name, SkipReason)>,
    /// The updated index.
    pub(super) index: Index,
}

/// Metadata of the node at a path.
#[derive(Debug, Clone, Copy)]
enum ScannedNode {
    File(Stat, u16),
    Link(Stat),
    Folder(u16),
    Skipped(SkipReason),
}

impl ScannedNode {
    fn from_metadata(facts: &fs::Metadata) -> Self {
        let rights = (facts.mode() & RIGHTS) as u16;
        match facts.file_type() {
            kind if kind.is_file() => Self::File(Stat::of(facts), rights),
            kind if kind.is_symlink() => Self::Link(Stat::of(facts)),
            kind if kind.is_dir() => Self::Folder(rights),
            _ => Self::Skipped(SkipReason::NotAFile),
        }
    }
}

/// Deadline of a scan.
struct Deadline<'a> {
    end: Instant,
    seconds: u64,
    cancel: &'a CancellationToken,
}

impl Deadline<'_> {
    fn check(&self) -> Result<(), CheckpointError> {
        if self.cancel.is_cancelled() {
            return Err(CheckpointError::Cancelled);
        }
        if Instant::now() > self.end { Err(CheckpointError::TooSlow(self.seconds)) } else { Ok(()) }
    }
}

/// Scans the workspace. Objects that were written before an error stay in the store, so that the next scan
/// has less to do.
pub(super) fn record(
    store: &Store,
    before: &Index,
    request: &ScanRequest,
) -> Result<Snapshot, CheckpointError> {
    let time = request.limits.time;
    let patience = Deadline { end: Instant::now() + time, seconds: time.as_secs(), cancel: request.cancel };
    let now_ns = i128::from(request.clock.now_ms()) * 1_000_000;
    let mut seen = walk(request, &patience)?;
    let mut hidden = BTreeSet::new();
    for name in before.names().chain(request.extra) {
        scan_path(request.root, name, &mut seen, &mut hidden);
    }
    check_limits(&seen, request.limits)?;
    let batch = store.batch();
    let read = read_contents(store, before, &seen, request, &batch, &patience);
    let (contents, late) = match read {
        Ok(contents) => (contents, None),
        Err((contents, error)) => (contents, Some(error)),
    };
    let (mut files, mut skipped, mut index) = (Files::default(), Vec::new(), Index::default());
    for (name, seen) in seen {
        // A path whose parent is no longer a folder is not recorded.
        let parent = name.parent().filter(|parent| *parent != Name::root());
        if parent.is_some_and(|parent| !files.get(&parent).is_some_and(|node: &Node| node.is_folder())) {
            continue;
        }
        let node = match (seen, contents.get(&name).copied()) {
            (ScannedNode::Folder(rights), _) => Node::Folder(rights),
            (ScannedNode::File(stat, rights), Some(Content::Stored(oid))) => {
                index.put(name.clone(), stat, oid, now_ns);
                Node::File { rights, oid }
            }
            (ScannedNode::Link(stat), Some(Content::Stored(oid))) => {
                index.put(name.clone(), stat, oid, now_ns);
                Node::Link(oid)
            }
            (ScannedNode::Skipped(reason), _) | (_, Some(Content::Skipped(reason))) => {
                skipped.push((name.clone(), reason));
                Node::Unrecorded
            }
            // Deleted between the scan and the read.
            (_, Some(Content::Missing) | None) => continue,
        };
        files.insert(name, node);
    }
    for name in hidden {
        files.add_ignored(name);
    }
    if let Some(error) = late {
        batch.finish()?;
        return Err(error);
    }
    apply_overrides(request.overrides, &mut files, &batch)?;
    let id = files::save(&files, &batch)?;
    batch.finish()?;
    Ok(Snapshot { id, files, skipped, index })
}

/// Returns everything below the workspace that is not ignored.
fn walk(request: &ScanRequest, deadline: &Deadline) -> Result<BTreeMap<Name, ScannedNode>, CheckpointError> {
    let own: Vec<PathBuf> = request.excluded_folders.to_vec();
    let mut builder = walk::builder(request.root);
    builder
        .filter_entry(move |entry| entry.file_name() != ".git" && !own.iter().any(|own| own == entry.path()));
    builder.threads(threads());
    let found = Mutex::new(BTreeMap::new());
    let failed = Mutex::new(None);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if let Err(error) = deadline.check() {
                *failed.lock() = Some(error);
                return WalkState::Quit;
            }
            let (path, seen) = match &entry {
                Ok(entry) if entry.depth() == 0 => return WalkState::Continue,
                Ok(entry) => {
                    let facts = entry.metadata();
                    (
                        Some(entry.path()),
                        facts.map_or(ScannedNode::Skipped(SkipReason::Unreadable), |facts| {
                            ScannedNode::from_metadata(&facts)
                        }),
                    )
                }
                Err(error) => (error_path(error), ScannedNode::Skipped(SkipReason::Unreadable)),
            };
            if let Some(name) = path.and_then(|path| Name::below(request.root, path)) {
                let mut found = found.lock();
                found.insert(name, seen);
                if found.len() > request.limits.files {
                    return WalkState::Quit;
                }
            }
            WalkState::Continue
        })
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(found.into_inner()),
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS_MAX)
}

/// Returns the path that a walk could not read.
fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, err } => {
            // A path deleted meanwhile counts as absent.
            let gone = err.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
            (!gone).then_some(path)
        }
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error_path(err),
        _ => None,
    }
}

/// Adds one path that the walk skipped because it is ignored. Its parents must be folders.
fn scan_path(root: &Path, name: &Name, seen: &mut BTreeMap<Name, ScannedNode>, hidden: &mut BTreeSet<Name>) {
    if seen.contains_key(name) {
        return;
    }
    let facts = |name: &Name| fs::symlink_metadata(name.under(root)).ok();
    let mut folders: Vec<Name> = name.folders().take_while(|folder| !seen.contains_key(folder)).collect();
    let first = name.folders().nth(folders.len());
    if first.is_some_and(|folder| !matches!(seen.get(&folder), Some(ScannedNode::Folder(_)))) {
        return;
    }
    let mut new = Vec::with_capacity(folders.len() + 1);
    while let Some(folder) = folders.pop() {
        let Some(facts) = facts(&folder).filter(fs::Metadata::is_dir) else { return };
        new.push((folder, ScannedNode::from_metadata(&facts)));
    }
    if let Some(facts) = facts(name) {
        new.push((name.clone(), ScannedNode::from_metadata(&facts)));
        hidden.extend(new.iter().map(|(name, _)| name.clone()));
        seen.extend(new);
    }
}

fn check_limits(seen: &BTreeMap<Name, ScannedNode>, limits: Limits) -> Result<(), CheckpointError> {
    if seen.len() > limits.files {
        return Err(CheckpointError::TooMany(limits.files));
    }
    let sizes = seen.values().filter_map(|seen| match seen {
        ScannedNode::File(stat, _) if stat.size() <= limits.file => Some(stat.size()),
        _ => None,
    });
    if sizes.sum::<u64>() > limits.bytes { Err(CheckpointError::TooMuch(limits.bytes)) } else { Ok(()) }
}

/// The result of a read.
#[derive(Debug, Clone, Copy)]
enum Content {
    Stored(Oid),
    Skipped(SkipReason),
    Missing,
}

type Contents = HashMap<Name, Content>;

/// Returns the contents of changed files and links. An error comes with the objects written so far.
fn read_contents(
    store: &Store,
    before: &Index,
    seen: &BTreeMap<Name, ScannedNode>,
    request: &ScanRequest,
    batch: &Batch<'_>,
    patience: &Deadline,
) -> Result<Contents, (Contents, CheckpointError)> {
    let mut contents = Contents::with_capacity(seen.len());
    let mut unknown: Vec<(&Name, bool)> = Vec::new();
    for (name, seen) in seen {
        let (ScannedNode::File(stat, _) | ScannedNode::Link(stat)) = seen else { continue };
        let known = before.unchanged_oid(name, stat).filter(|oid| store.has(*oid));
        match known {
            Some(oid) => {
                contents.insert(name.clone(), Content::Stored(oid));
            }
            None if stat.size() > request.limits.file => {
                contents.insert(name.clone(), Content::Skipped(SkipReason::TooLarge));
            }
            None => unknown.push((name, matches!(seen, ScannedNode::Link(_)))),
        }
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new((contents, None)));
    let work = || {
        let mut packer = Packer::default();
        while let Some((name, is_link)) = unknown.get(next.fetch_add(1, Ordering::Relaxed)) {
            let path = name.under(request.root);
            let made = patience.check().and_then(|()| match content(&path, *is_link, request.limits.file) {
                Ok(Some(bytes)) => batch.put(&mut packer, Kind::Blob, &bytes).map(Content::Stored),
                Ok(None) => Ok(Content::Skipped(SkipReason::TooLarge)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::Missing),
                Err(_) => Ok(Content::Skipped(SkipReason::Unreadable)),
            });
            let mut done = done.lock();
            match made {
                Ok(content) => {
                    done.0.insert((*name).clone(), content);
                }
                Err(error) => {
                    done.1.get_or_insert(error);
                    next.store(unknown.len(), Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        // For few files starting a thread takes longer than reading.
        (1..threads().min(unknown.len().div_ceil(16))).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    match done.into_inner() {
        (contents, None) => Ok(contents),
        (contents, Some(error)) => Err((contents, error)),
    }
}

/// Returns the content of a file or the target of a link; `None` above the size limit.
pub(super) fn content(path: &Path, is_link: bool, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if is_link {
        return fs::read_link(path).map(|target| Some(target.as_os_str().as_bytes().to_vec()));
    }
    let file = open_regular(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::with_capacity(facts.len().min(limit) as usize + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Opens a file, failing if it has become a link or a pipe meanwhile.
fn open_regular(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)
}

/// Adds contents that take precedence. The unsaved text of a file deleted from disk is recorded as a file,
/// unless another node has its path.
fn apply_overrides(
    instead: &[(Name, Vec<u8>)],
    files: &mut Files,
    batch: &Batch<'_>,
) -> Result<(), CheckpointError> {
    for (name, bytes) in instead {
        let blocked = |folder: &Name| files.get(folder).is_some_and(|node| !node.is_folder());
        let rights = match files.get(name) {
            Some(Node::File { rights, .. }) => *rights,
            None if !name.folders().any(|folder| blocked(&folder)) => 0o644,
            _ => continue,
        };
        let oid = batch.put(&mut Packer::default(), Kind::Blob, bytes)?;
        for folder in name.folders() {
            files.entry(folder).or_insert(Node::Folder(0o755));
        }
        files.insert(name.clone(), Node::File { rights, oid });
    }
    Ok(())
}
