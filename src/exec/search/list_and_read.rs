//! Default search implementation, for environments that can only list folders and read files. Same rules and
//! order as on this machine.
//!
//! Must not know environments: they come in as [`Listing`].

use crate::base::names;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use tokio_util::sync::CancellationToken;

use super::aliases;
use super::deny_list::DenyList;
use super::engine::{Engine, FileResult};
use super::local::order;
use super::select::Selector;
use super::spec::{
    FileMatches, FindSpec, FoundPath, MatchSink, Omitted, PathSink, SearchSpec, SearchStats, Selection,
};
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileId, FileKind, FileStat};

/// Maximum bytes of a file, which is read into memory; longer ones are skipped.
const SIZE_MAX: u64 = 64 << 20;
/// Maximum depth of folders.
const DEPTH_MAX: usize = 255;

/// Operations of the environment.
pub trait ListAndRead: Send + Sync {
    /// Lists a folder.
    fn entries<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>>;
    /// Returns what is at a path.
    fn facts<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>>;
    /// Reads a file.
    fn content<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<u8>, EnvError>>;
    /// Resolves a path.
    fn real<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>>;
    /// Returns the id of a file that has several names.
    fn id<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>>;
}

/// Searches text.
pub async fn search<P: ListAndRead + ?Sized>(
    env: &P,
    spec: SearchSpec,
    mut sink: MatchSink,
    cancel: CancellationToken,
) -> Result<SearchStats, EnvError> {
    let mut engine = Engine::new(&spec, &cancel)?;
    let (found, mut done) = match env.facts(&spec.root).await?.kind {
        FileKind::Folder => Walk::run(env, &spec.root, &spec.files, false, &cancel).await?,
        FileKind::File if is_denied(env, DenyList::new(&spec.files.denied)?.as_ref(), &spec.root).await? => {
            let denied = Omitted { files: 1, folders: 0 };
            (Vec::new(), SearchStats { denied, complete: true, ..SearchStats::default() })
        }
        FileKind::File => {
            let name = names::display_name(spec.root.file_name().unwrap_or_default()).into_owned();
            let only = FoundPath { path: spec.root.clone(), name, folder: false, modified: None };
            (vec![only], SearchStats { files: 1, complete: true, ..SearchStats::default() })
        }
        FileKind::Other => return Err(EnvError::not_a_file(&spec.root)),
    };
    for item in found {
        if cancel.is_cancelled() {
            done.complete = false;
            break;
        }
        let facts = env.facts(&item.path).await.ok().filter(|facts| facts.size <= SIZE_MAX);
        let bytes = match facts {
            Some(_) => match unsaved(env, &spec, &item.path).await {
                Some(text) => Some(text.to_vec()),
                None => env.content(&item.path).await.ok(),
            },
            None => None,
        };
        let Some(bytes) = bytes else {
            done.unreadable += 1;
            continue;
        };
        match engine.search_content(&bytes[..], item.path == spec.root) {
            Ok(FileResult { file, binary }) => {
                done.binary += usize::from(binary);
                let modified = facts.and_then(|facts| facts.modified);
                let found = FileMatches { path: item.path, name: item.name, modified, ..file };
                if found.count > 0 && !sink(found) {
                    done.complete = false;
                    break;
                }
            }
            Err(_) if cancel.is_cancelled() => {}
            Err(_) => done.unreadable += 1,
        }
    }
    Ok(done)
}

/// Returns the unsaved text of a file, if it has one.
async fn unsaved<'a, P: ListAndRead + ?Sized>(
    env: &P,
    spec: &'a SearchSpec,
    path: &Path,
) -> Option<&'a [u8]> {
    if spec.unsaved.is_empty() {
        return None;
    }
    let real = env.real(path).await.ok()?;
    spec.unsaved.iter().find(|(of, _)| *of == real).map(|(_, text)| &**text)
}

/// Whether a file is denied by its name or its resolved path.
async fn is_denied<P: ListAndRead + ?Sized>(
    env: &P,
    deny_list: Option<&DenyList>,
    path: &Path,
) -> Result<bool, EnvError> {
    let Some(deny_list) = deny_list else { return Ok(false) };
    Ok(deny_list.contains(path, false) || deny_list.contains(&env.real(path).await?, false))
}

/// Finds files.
pub async fn find<P: ListAndRead + ?Sized>(
    env: &P,
    spec: FindSpec,
    mut sink: PathSink,
    cancel: CancellationToken,
) -> Result<SearchStats, EnvError> {
    if env.facts(&spec.root).await?.kind != FileKind::Folder {
        return Err(EnvError::not_a_folder(&spec.root));
    }
    let (found, mut done) = Walk::run(env, &spec.root, &spec.files, spec.folders, &cancel).await?;
    for mut item in found {
        item.modified = env.facts(&item.path).await.ok().and_then(|facts| facts.modified);
        if cancel.is_cancelled() || !sink(item) {
            done.complete = false;
            break;
        }
    }
    Ok(done)
}

/// Ignore rules of one folder, by type of ignore file; the first type takes precedence.
struct Rules {
    kinds: [Option<Gitignore>; 3],
    /// Whether it is a repository's root: git rules of parent folders do not apply.
    repository: bool,
}

/// Which kind of rules are git's.
const GIT: usize = 2;

/// A walk through folders.
struct Walk<'a, P: ?Sized> {
    env: &'a P,
    root: &'a Path,
    wanted: &'a Selection,
    selector: Selector,
    folders: bool,
    cancel: &'a CancellationToken,
    /// Of the outermost folder first.
    rules: Vec<Rules>,
    in_repository: bool,
    found: Vec<FoundPath>,
    done: SearchStats,
}

impl<'a, P: ListAndRead + ?Sized> Walk<'a, P> {
    async fn run(
        env: &'a P,
        root: &'a Path,
        selection: &'a Selection,
        folders: bool,
        cancel: &'a CancellationToken,
    ) -> Result<(Vec<FoundPath>, SearchStats), EnvError> {
        let selector = Selector::new(root, selection)?;
        let (rules, found, done) = (Vec::new(), Vec::new(), SearchStats::default());
        let mut walk = Self {
            env,
            root,
            wanted: selection,
            selector,
            folders,
            cancel,
            rules,
            in_repository: false,
            found,
            done,
        };
        for above in root.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let repository = env.facts(&above.join(".git")).await.is_ok();
            walk.in_repository |= repository;
            if above != root && !selection.ignored {
                walk.add_rules(above, repository).await;
            }
        }
        walk.folder(root, "", 0).await?;
        walk.exclude_aliases().await;
        walk.done.files = walk.found.len();
        walk.done.complete = !cancel.is_cancelled();
        walk.found.sort_by(|a, b| order(&a.name, &b.name));
        Ok((walk.found, walk.done))
    }

    /// Removes hard links of denied files.
    async fn exclude_aliases(&mut self) {
        if self.selector.deny_list.is_none() && self.wanted.denied_ids.is_empty() {
            return;
        }
        let mut several = HashMap::new();
        for item in self.found.iter().filter(|item| !item.folder) {
            if let Ok(Some(id)) = self.env.id(&item.path).await {
                several.insert(item.path.clone(), id);
            }
        }
        if several.is_empty() {
            return;
        }
        let denied = self.denied_ids().await;
        let done = &mut self.done;
        self.found.retain(|item| {
            let is_denied = several.get(&item.path).is_some_and(|id| denied.contains(id));
            if is_denied {
                done.denied.note(false);
            }
            !is_denied
        });
    }

    /// Returns the ids of denied files with several names, as far as they can be found.
    async fn denied_ids(&self) -> HashSet<FileId> {
        let mut ids: HashSet<FileId> = self.wanted.denied_ids.iter().copied().collect();
        let (mut paths, mut seen) = (aliases::roots(&self.wanted.denied, self.root), 0);
        while let Some(path) = paths.pop() {
            seen += 1;
            if seen > aliases::ENTRIES_MAX {
                break;
            }
            match self.env.entries(&path).await {
                Ok(entries) => {
                    for entry in entries {
                        let path = entry.path_in(&path);
                        // A link to a folder may lead round in a circle.
                        let is_own = entry.kind != FileKind::Folder
                            || self.env.real(&path).await.is_ok_and(|real| real == path);
                        paths.extend(is_own.then_some(path));
                    }
                }
                Err(_)
                    if self
                        .selector
                        .deny_list
                        .as_ref()
                        .is_some_and(|deny_list| deny_list.contains(&path, false)) =>
                {
                    ids.extend(self.env.id(&path).await.ok().flatten());
                }
                Err(_) => {}
            }
        }
        ids
    }

    /// Reads the rule files of a folder.
    async fn add_rules(&mut self, folder: &Path, repository: bool) {
        let names: Vec<&str> = self.wanted.rule_files.iter().map(String::as_str).collect();
        let own = self.read_rules(folder, &names).await;
        let (plain, git) = if self.wanted.ignored {
            (None, None)
        } else {
            (self.read_rules(folder, &[".ignore"]).await, self.read_rules(folder, &[".gitignore"]).await)
        };
        self.rules.push(Rules { kinds: [own, plain, git], repository });
    }

    async fn read_rules(&self, folder: &Path, names: &[&str]) -> Option<Gitignore> {
        let mut builder = GitignoreBuilder::new(folder);
        let mut any = false;
        for name in names {
            let Ok(bytes) = self.env.content(&folder.join(name)).await else { continue };
            for line in String::from_utf8_lossy(&bytes).lines() {
                // An invalid rule is ignored, as elsewhere.
                any |= builder.add_line(None, line).is_ok();
            }
        }
        if any { builder.build().ok() } else { None }
    }

    fn ignores(&self, path: &Path, folder: bool) -> bool {
        for kind in 0..3 {
            for rules in self.rules.iter().rev() {
                let matched = rules.kinds[kind].as_ref().map(|rules| rules.matched(path, folder));
                match matched {
                    Some(matched) if matched.is_ignore() => return true,
                    Some(matched) if matched.is_whitelist() => return false,
                    _ if kind == GIT && rules.repository && self.in_repository => break,
                    _ => {}
                }
            }
        }
        false
    }

    fn folder<'b>(
        &'b mut self,
        folder: &'b Path,
        prefix: &'b str,
        depth: usize,
    ) -> BoxFuture<'b, Result<(), EnvError>> {
        Box::pin(async move {
            let listed = self.env.entries(folder).await;
            let entries = match listed {
                Ok(entries) => entries,
                Err(error) if depth == 0 => return Err(error),
                Err(_) => {
                    self.done.unreadable += 1;
                    return Ok(());
                }
            };
            let real = self.env.real(folder).await?;
            let repository = entries.iter().any(|entry| entry.name == ".git");
            self.add_rules(folder, repository).await;
            for entry in entries {
                if self.cancel.is_cancelled() {
                    break;
                }
                self.entry(&entry, folder, (prefix, &real), depth).await?;
            }
            self.rules.pop();
            Ok(())
        })
    }

    async fn entry(
        &mut self,
        entry: &DirEntry,
        folder: &Path,
        (prefix, real): (&str, &Path),
        depth: usize,
    ) -> Result<(), EnvError> {
        let path = entry.path_in(folder);
        let name = format!("{prefix}{}", entry.name);
        if entry.name.contains('\u{fffd}') && self.env.facts(&path).await.is_err() {
            self.done.unnamed += 1;
            return Ok(());
        }
        let modified = None;
        match entry.kind {
            FileKind::Folder => {
                if !self.selector.enters(&entry.name, &path) || self.ignores(&path, true) {
                    return Ok(());
                }
                // A link to a folder may lead round in a circle.
                if depth >= DEPTH_MAX || self.env.real(&path).await? != entry.path_in(real) {
                    return Ok(());
                }
                let named = |path: &Path| {
                    self.selector.deny_list.as_ref().is_some_and(|deny_list| deny_list.contains(path, true))
                };
                if named(&path) || named(&entry.path_in(real)) {
                    self.done.denied.note(true);
                    return Ok(());
                }
                if self.folders && self.selector.gives_folder(&path) {
                    self.found.push(FoundPath {
                        path: path.clone(),
                        name: name.clone(),
                        folder: true,
                        modified,
                    });
                }
                self.folder(&path, &format!("{name}/"), depth + 1).await?;
            }
            FileKind::File if self.selector.takes_file(&entry.name, &path) && !self.ignores(&path, false) => {
                if is_denied(self.env, self.selector.deny_list.as_ref(), &path).await? {
                    self.done.denied.note(false);
                    return Ok(());
                }
                self.found.push(FoundPath { path, name, folder: false, modified });
            }
            FileKind::File | FileKind::Other => {}
        }
        Ok(())
    }
}
