//! Search on this machine, on all processors, with ripgrep's walker. Blocking.
//!
//! Must not know the caller. Files are listed and sorted first: results are in the order of paths, so that
//! the same search has the same result, and a truncated one is a prefix.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::aliases;
use super::deny_list::DenyList;
use super::engine::{Engine, FileResult};
use super::select::Selector;
use super::spec::{FileMatches, FindSpec, FoundPath, Omitted, SearchSpec, SearchStats, Selection};
use crate::base::panics::catch;
use crate::base::{names, parallel};
use crate::exec::disk::files;
use crate::exec::error::EnvError;
use crate::exec::file_info::FileId;

/// Files that a thread takes at a time.
const BATCH: usize = 16;

/// A file or folder of the walk.
struct Item {
    name: String,
    path: PathBuf,
    folder: bool,
    link: bool,
}

/// Unsaved texts of files.
struct UnsavedTexts<'a> {
    /// By real paths.
    texts: HashMap<&'a Path, &'a [u8]>,
    /// The root as given, and resolved. The walk follows no links to folders.
    root: (&'a Path, PathBuf),
    /// Whether the root is the file.
    is_file_root: bool,
}

impl<'a> UnsavedTexts<'a> {
    /// Returns `None` if there are none, the usual case.
    fn new(spec: &'a SearchSpec, named: bool) -> Option<Self> {
        let texts: HashMap<_, _> = spec.unsaved.iter().map(|(path, text)| (&**path, &**text)).collect();
        let real = fs::canonicalize(&spec.root).ok().filter(|_| !texts.is_empty())?;
        Some(Self { texts, root: (&spec.root, real), is_file_root: named })
    }

    fn of(&self, item: &Item) -> Option<&'a [u8]> {
        let real = match (self.is_file_root, item.link) {
            (true, _) => self.root.1.clone(),
            (false, false) => self.root.1.join(item.path.strip_prefix(self.root.0).ok()?),
            (false, true) => fs::canonicalize(&item.path).ok()?,
        };
        self.texts.get(&*real).copied()
    }
}

/// Searches text, on this thread and others.
pub(in crate::exec) fn search(
    spec: &SearchSpec,
    mut sink: impl FnMut(FileMatches) -> bool,
    cancel: &CancellationToken,
) -> Result<SearchStats, EnvError> {
    let engine = Engine::new(spec, cancel)?;
    let named = files::stat(&spec.root)?.kind != crate::exec::file_info::FileKind::Folder;
    let (items, mut done) = if named {
        files::check_is_file(&spec.root)?;
        if DenyList::new(&spec.files.denied)?.is_some_and(|deny_list| is_denied(&deny_list, &spec.root)) {
            let denied = Omitted { files: 1, folders: 0 };
            return Ok(SearchStats { denied, complete: true, ..SearchStats::default() });
        }
        let name = names::display_name(spec.root.file_name().unwrap_or_default()).into_owned();
        let item = Item { name, path: spec.root.clone(), folder: false, link: false };
        (vec![item], SearchStats { files: 1, complete: true, ..SearchStats::default() })
    } else {
        walk(&spec.root, &spec.files, false, cancel)?
    };
    let unsaved = UnsavedTexts::new(spec, named);
    let threads = threads().min(items.len().div_ceil(BATCH));
    let search_files = |engine: &mut Engine, files: &[Item]| {
        // A file that causes a panic does not affect the others.
        catch(|| search_batch(engine, files, (named, unsaved.as_ref()), cancel))
            .unwrap_or_else(|_| BatchResult { unreadable: files.len(), ..BatchResult::default() })
    };
    parallel::map_ordered(
        threads,
        items.chunks(BATCH),
        || engine.clone(),
        search_files,
        |share| {
            done.binary += share.binary;
            done.unreadable += share.unreadable;
            for file in share.found {
                if !sink(file) {
                    done.complete = false;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    done.complete &= !cancel.is_cancelled();
    Ok(done)
}

/// Finds files.
pub(in crate::exec) fn find(
    spec: &FindSpec,
    mut sink: impl FnMut(FoundPath) -> bool,
    cancel: &CancellationToken,
) -> Result<SearchStats, EnvError> {
    if files::stat(&spec.root)?.kind != crate::exec::file_info::FileKind::Folder {
        return Err(EnvError::not_a_folder(&spec.root));
    }
    let (items, mut done) = walk(&spec.root, &spec.files, spec.folders, cancel)?;
    for item in items {
        let modified = modified(&item.path);
        let found = FoundPath { path: item.path, name: item.name, folder: item.folder, modified };
        if cancel.is_cancelled() || !sink(found) {
            done.complete = false;
            break;
        }
    }
    Ok(done)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(12)
}

fn modified(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().as_ref().and_then(files::modified)
}

/// Whether a file is denied by its name or its resolved path.
fn is_denied(deny_list: &DenyList, path: &Path) -> bool {
    deny_list.contains(path, false)
        || fs::canonicalize(path).is_ok_and(|real| deny_list.contains(&real, false))
}

/// Returns the selected paths below a folder, sorted.
fn walk(
    root: &Path,
    selection: &Selection,
    folders: bool,
    cancel: &CancellationToken,
) -> Result<(Vec<Item>, SearchStats), EnvError> {
    let selector = Selector::new(root, selection)?;
    // Rules of a folder above a repository do not apply to it; without a repository they do.
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(!selection.ignored)
        .require_git(in_repository)
        .hidden(!selection.hidden)
        .filter_entry(|entry| entry.file_name() != ".git")
        .threads(threads());
    for name in &selection.rule_files {
        builder.add_custom_ignore_filename(name);
    }
    let gathered = Mutex::new((Vec::new(), SearchStats::default()));
    // The walk follows no links, so resolving the root resolves everything below it.
    let real = if selector.deny_list.is_some() { fs::canonicalize(root).ok() } else { None };
    let real = real.as_deref();
    let mut visitors = Visitors { root, real, selector: &selector, folders, cancel, gathered: &gathered };
    builder.build_parallel().visit(&mut visitors);
    let (mut items, mut done) = gathered.into_inner();
    if selector.deny_list.is_some() || !selection.denied_ids.is_empty() {
        exclude_aliases(root, &mut items, &mut done, (selection, selector.deny_list.as_ref()));
    }
    items.sort_unstable_by(|a: &Item, b: &Item| order(&a.name, &b.name));
    done.files = items.len();
    done.complete = !cancel.is_cancelled();
    Ok((items, done))
}

/// Removes hard links of denied files.
fn exclude_aliases(
    root: &Path,
    items: &mut Vec<Item>,
    done: &mut SearchStats,
    (selection, deny_list): (&Selection, Option<&DenyList>),
) {
    let id_of = |path: &Path| files::hard_link(path).ok().flatten();
    let id = |item: &Item| if item.folder { None } else { id_of(&item.path) };
    // Few files have several names, usually none.
    let several: HashMap<PathBuf, FileId> =
        items.iter().filter_map(|item| Some((item.path.clone(), id(item)?))).collect();
    if several.is_empty() {
        return;
    }
    let mut denied: HashSet<FileId> = selection.denied_ids.iter().copied().collect();
    for root in aliases::roots(&selection.denied, root) {
        let below = WalkBuilder::new(root).standard_filters(false).build().take(aliases::ENTRIES_MAX);
        let files = below.filter_map(|entry| Some(entry.ok()?.into_path()));
        let is_denied = |path: &PathBuf| deny_list.is_some_and(|deny_list| deny_list.contains(path, false));
        denied.extend(files.filter(is_denied).filter_map(|path| id_of(&path)));
    }
    items.retain(|item| {
        let is_denied = several.get(&item.path).is_some_and(|id| denied.contains(id));
        if is_denied {
            done.denied.note(false);
        }
        !is_denied
    });
}

/// By folder and name.
pub(super) fn order(a: &str, b: &str) -> std::cmp::Ordering {
    a.split('/').cmp(b.split('/'))
}

struct Visitors<'a> {
    root: &'a Path,
    /// The resolved root, if it is needed.
    real: Option<&'a Path>,
    selector: &'a Selector,
    folders: bool,
    cancel: &'a CancellationToken,
    gathered: &'a Mutex<(Vec<Item>, SearchStats)>,
}

impl<'s> ParallelVisitorBuilder<'s> for Visitors<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        let Self { root, real, selector, folders, cancel, gathered } = *self;
        let (items, done) = (Vec::new(), SearchStats::default());
        Box::new(Visitor { root, real, selector, folders, cancel, gathered, items, done })
    }
}

/// Results of one walker thread; merged at its end.
struct Visitor<'a> {
    root: &'a Path,
    real: Option<&'a Path>,
    selector: &'a Selector,
    folders: bool,
    cancel: &'a CancellationToken,
    gathered: &'a Mutex<(Vec<Item>, SearchStats)>,
    items: Vec<Item>,
    done: SearchStats,
}

impl Visitor<'_> {
    /// Whether it is denied; counts it.
    fn is_denied(&mut self, entry: &DirEntry, name: &str, folder: bool) -> bool {
        let Some(deny_list) = &self.selector.deny_list else { return false };
        let leads = |real: Option<PathBuf>| real.is_some_and(|real| deny_list.contains(&real, folder));
        let denied = deny_list.contains(entry.path(), folder)
            || leads(self.real.map(|real| real.join(names::parse(name))))
            || entry.path_is_symlink() && leads(fs::canonicalize(entry.path()).ok());
        if denied {
            self.done.denied.note(folder);
        }
        denied
    }

    fn handle_entry(&mut self, entry: DirEntry) -> WalkState {
        if entry.depth() == 0 {
            return WalkState::Continue;
        }
        let Ok(below) = entry.path().strip_prefix(self.root) else { return WalkState::Skip };
        let name = names::display(below).into_owned();
        let last = name.rsplit('/').next().unwrap_or(&name);
        let kind = entry.file_type();
        if kind.is_some_and(|kind| kind.is_dir()) {
            if !self.selector.enters(last, entry.path()) {
                return WalkState::Skip;
            }
            if self.is_denied(&entry, &name, true) {
                return WalkState::Skip;
            }
            if self.folders && self.selector.gives_folder(entry.path()) {
                self.items.push(Item { name, path: entry.into_path(), folder: true, link: false });
            }
        } else if kind.is_some_and(|kind| kind.is_file() || kind.is_symlink() && entry.path().is_file())
            && self.selector.takes_file(last, entry.path())
            && !self.is_denied(&entry, &name, false)
        {
            let link = entry.path_is_symlink();
            self.items.push(Item { name, path: entry.into_path(), folder: false, link });
        }
        WalkState::Continue
    }
}

impl ParallelVisitor for Visitor<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if self.cancel.is_cancelled() {
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => self.handle_entry(entry),
            Err(error) => {
                tracing::debug!(%error, "skipped in a search");
                self.done.unreadable += 1;
                WalkState::Continue
            }
        }
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut gathered = self.gathered.lock();
        gathered.0.append(&mut self.items);
        gathered.1.add(&self.done);
    }
}

/// The results for a share of the files.
#[derive(Default)]
struct BatchResult {
    found: Vec<FileMatches>,
    binary: usize,
    unreadable: usize,
}

fn search_batch(
    engine: &mut Engine,
    files: &[Item],
    (named, unsaved): (bool, Option<&UnsavedTexts<'_>>),
    cancel: &CancellationToken,
) -> BatchResult {
    let mut share = BatchResult::default();
    for item in files {
        if cancel.is_cancelled() {
            break;
        }
        let looked = match unsaved.and_then(|unsaved| unsaved.of(item)) {
            Some(text) => engine.search_content(text, named),
            None => engine.search_file(&item.path, named),
        };
        match looked {
            Ok(FileResult { file, binary }) => {
                share.binary += usize::from(binary);
                if file.count > 0 {
                    let (path, name, modified) = (item.path.clone(), item.name.clone(), modified(&item.path));
                    share.found.push(FileMatches { path, name, modified, ..file });
                }
            }
            Err(_) if cancel.is_cancelled() => break,
            Err(error) => {
                tracing::debug!(%error, path = %item.path.display(), "not searched");
                share.unreadable += 1;
            }
        }
    }
    share
}
