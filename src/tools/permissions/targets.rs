//! Targets of a command line: configuration files, files denied by rules, files with keys.
//!
//! Must not know modes. If the shell decides what a word becomes, every possibility counts.

use std::path::{Component, Path, PathBuf};

use super::hard_links;
use super::policy::{self, MADE_NAMES, Roots, SECRET_FILE};
use super::rules::protected_paths::ProtectedPaths;
use crate::base::names;
use crate::exec::FileKind;
use crate::tools::command::{self, Depth, DerivedNames, FileOperand, Script, SimpleCommand};
use crate::tools::contract::context::Context;
use crate::tools::files::paths;

/// Maximum number of words that are combined to paths.
const PAIRS_MAX: usize = 60;

/// The folders of a session and of its command lines, for resolving names.
pub(in crate::tools) struct ScriptContext<'c> {
    cx: &'c Context,
    roots: Roots,
    /// The folders to which a relative path may refer. `None`: any.
    folders: Option<Vec<PathBuf>>,
}

impl<'c> ScriptContext<'c> {
    /// Creates the context of a script that starts in the workspace.
    pub(in crate::tools) fn new(cx: &'c Context, roots: Roots, script: &Script) -> Self {
        let mut folders = Some(vec![cx.env.root().to_path_buf()]);
        for part in &script.commands {
            let Some((first, rest)) = part.words.split_first() else { continue };
            if first.text != "cd" && first.text != "pushd" {
                continue;
            }
            folders = match rest {
                [folder] if folder.is_exact => folders.map(|mut all| {
                    let there: Vec<PathBuf> = all.iter().map(|base| base.join(&folder.text)).collect();
                    all.extend(there);
                    all
                }),
                _ => None,
            };
        }
        Self { cx, roots, folders }
    }

    /// Returns the path of a text in which only the home folder is abbreviated.
    fn below_home(&self, text: &str) -> Option<PathBuf> {
        let bare = text.replace(['"', '\'', '\\'], "");
        let home = self.roots.home.as_ref()?;
        let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|sign| bare.strip_prefix(sign))?;
        match rest.strip_prefix('/') {
            Some(below) => Some(home.join(below)),
            None => rest.is_empty().then(|| home.clone()),
        }
    }

    /// Returns every path that a text may mean: the name itself in a resolved folder, and its target. `None`
    /// if that is unknown.
    async fn paths(&self, named: &FileOperand) -> Option<Vec<PathBuf>> {
        let home = if named.exact { None } else { self.below_home(&named.text) };
        if !named.exact
            && home.as_ref().is_none_or(|path| path.to_string_lossy().contains(['*', '?', '[', '$', '{']))
        {
            return None;
        }
        let texts: Vec<PathBuf> = match (home, Path::new(&named.text)) {
            (Some(path), _) => vec![path],
            (None, path) if path.is_absolute() => vec![path.to_path_buf()],
            (None, path) => self.folders.as_ref()?.iter().map(|folder| folder.join(path)).collect(),
        };
        let mut all = Vec::new();
        for text in texts {
            let path = paths::resolve(&*self.cx.env, &names::display(&text));
            if let Ok(real) = self.cx.env.resolve(&path).await {
                all.push(real);
            }
            if let (Some(parent), Some(name)) = (path.parent(), path.file_name())
                && let Ok(parent) = self.cx.env.resolve(parent).await
            {
                all.push(parent.join(name));
            }
            all.push(path);
        }
        all.dedup();
        Some(all)
    }

    /// Whether a command may access a configuration file: by a word, by a word in the folder that another one
    /// names, or by a name that the program derives from a URL.
    pub(super) async fn touches_set_up(&self, part: &SimpleCommand) -> bool {
        let Some(derived) = command::saved_names(part) else { return true };
        let words = command::file_operands(part);
        let mut places: Vec<PathBuf> = Vec::new();
        for named in &words {
            let Some(paths) = self.paths(named).await else {
                if policy::may_be_set_up(&named.text) {
                    return true;
                }
                continue;
            };
            for path in paths {
                if self.is_set_up(&path).await {
                    return true;
                }
                places.push(path);
            }
        }
        for folder in self.folders.iter().flatten() {
            places.extend(self.cx.env.resolve(folder).await);
        }
        let last =
            |named: &FileOperand| named.text.trim_end_matches('/').rsplit('/').next().map(str::to_string);
        let names = derived.into_iter().chain(words.iter().filter_map(last));
        let names: Vec<String> = names.filter(|name| !matches!(name.as_str(), "" | "." | "..")).collect();
        places.sort_unstable();
        places.dedup();
        let few = names.len() <= PAIRS_MAX && places.len() <= PAIRS_MAX;
        let joined = |place: &PathBuf| names.iter().any(|name| self.roots.is_set_up(&place.join(name)));
        !few && names.iter().any(|name| policy::may_be_set_up(name)) || few && places.iter().any(joined)
    }

    async fn is_set_up(&self, path: &Path) -> bool {
        self.roots.is_set_up(path)
            || hard_links::guarded_aliases(self.cx, path, &[])
                .await
                .iter()
                .any(|other| self.roots.is_set_up(other))
    }

    /// Returns why a read-only command needs approval: it may print the content of a file with a rule, or of
    /// the one with bowline's keys.
    pub(in crate::tools) async fn reads(
        &self,
        line: &str,
        script: &Script,
        barriers: &[ProtectedPaths],
    ) -> Option<String> {
        let read_only = |part: &&SimpleCommand| command::part_is_read_only(part);
        for part in script.commands.iter().filter(read_only) {
            let folders = self.compares_folders(part).await;
            if let (Some(barrier), false) = (barriers.first(), command::names_files_exactly(part) && !folders)
            {
                return Some(barrier.rule.clone());
            }
            if command::shows_contents(part)
                && self.patterns_lead_to_secrets(&command::file_operands(part)).await
            {
                return Some(SECRET_FILE.to_string());
            }
            let depth = if folders { Depth::BelowAndLinks } else { command::depth(part) };
            let here = (command::depth(part) != Depth::Named)
                .then(|| FileOperand { text: ".".to_string(), exact: true });
            let words: Vec<FileOperand> = command::file_operands(part).into_iter().chain(here).collect();
            let found = self.leads_to(&words, depth, barriers).await;
            if found.is_some() {
                return found;
            }
        }
        if self.derived_names_lead_to_secrets(line, script).await {
            return Some(MADE_NAMES.to_string());
        }
        let read = command::redirected_reads(script);
        if self.patterns_lead_to_secrets(&read).await {
            return Some(SECRET_FILE.to_string());
        }
        self.leads_to(&read, Depth::Named, barriers).await
    }

    /// Whether a part compares the content of a folder, without naming its files.
    async fn compares_folders(&self, part: &SimpleCommand) -> bool {
        if part.words.first().is_none_or(|first| first.text != "diff") {
            return false;
        }
        for named in command::file_operands(part) {
            for path in self.paths(&named).await.unwrap_or_default() {
                if self.cx.env.stat(&path).await.is_ok_and(|info| info.kind == FileKind::Folder) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether files that no word names, such as the input of `xargs cat`, may be those with keys.
    async fn derived_names_lead_to_secrets(&self, line: &str, script: &Script) -> bool {
        let words = match command::derived_names(line, script) {
            DerivedNames::None => return false,
            DerivedNames::From(words) => Some(words),
            DerivedNames::Unknown => None,
        };
        let mut secrets = Vec::new();
        for secret in self.roots.secrets() {
            if self.cx.env.stat(&secret).await.is_ok() {
                secrets.push(secret);
            }
        }
        if secrets.is_empty() {
            return false;
        }
        let (Some(words), Some(folders)) = (words, &self.folders) else { return true };
        if hard_links::any_hard_linked(self.cx, &secrets).await {
            return true;
        }
        let mut sources: Vec<PathBuf> = folders.clone();
        for named in &words {
            let (folder, _) = if named.exact { (&*named.text, None) } else { command::pattern(&named.text) };
            let folder = self.below_home(folder).unwrap_or_else(|| PathBuf::from(folder));
            sources.extend(folders.iter().map(|base| base.join(&folder)));
        }
        sources.sort_unstable();
        sources.dedup();
        let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let below = |path: &Path| folders.iter().any(|base| path != base && path.starts_with(base));
        for source in sources.into_iter().filter(|source| climbs(source) || !below(source)) {
            if hard_links::links_lead_to(self.cx, &source, None, &secrets).await {
                return true;
            }
        }
        false
    }

    /// Whether an expansion of words may be a link to a file with keys, or another name of it.
    async fn patterns_lead_to_secrets(&self, words: &[FileOperand]) -> bool {
        let secrets = self.roots.secrets();
        for named in words.iter().filter(|named| !named.exact) {
            if hard_links::any_hard_linked(self.cx, &secrets).await {
                return true;
            }
            let (folder, names) = command::pattern(&named.text);
            let folder = self.below_home(folder).unwrap_or_else(|| PathBuf::from(folder));
            let bases = match &self.folders {
                Some(bases) => bases.clone(),
                None => vec![self.cx.env.root().to_path_buf()],
            };
            for base in bases {
                if hard_links::links_lead_to(self.cx, &base.join(&folder), names.as_deref(), &secrets).await {
                    return true;
                }
            }
        }
        false
    }

    async fn leads_to(
        &self,
        words: &[FileOperand],
        depth: Depth,
        barriers: &[ProtectedPaths],
    ) -> Option<String> {
        let secrets = self.roots.secrets();
        // Under another name it may be in any folder.
        if depth != Depth::Named && hard_links::any_hard_linked(self.cx, &secrets).await {
            return Some(SECRET_FILE.to_string());
        }
        for named in words {
            let Some(paths) = self.paths(named).await else {
                // Generated names were checked before; part of a name is enough.
                if command::may_contain(&named.text, "bowline/auth.json") {
                    return Some(SECRET_FILE.to_string());
                }
                match barriers.first() {
                    Some(barrier) if named.exact => return Some(barrier.rule.clone()),
                    _ => continue,
                }
            };
            for path in paths {
                let others = hard_links::guarded_aliases(self.cx, &path, barriers).await;
                for path in others.iter().chain([&path]) {
                    let below = depth != Depth::Named;
                    let inside = |secret: &PathBuf| secret == path || below && secret.starts_with(path);
                    if secrets.iter().any(inside) {
                        return Some(SECRET_FILE.to_string());
                    }
                    if let Some(barrier) = barriers.iter().find(|barrier| barrier.contains(path)) {
                        return Some(barrier.rule.clone());
                    }
                }
                if depth == Depth::BelowAndLinks
                    && hard_links::links_lead_to(self.cx, &path, None, &secrets).await
                {
                    return Some(SECRET_FILE.to_string());
                }
            }
        }
        None
    }
}
