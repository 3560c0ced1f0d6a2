//! What edits of servers make of files, worked out without changing any. Must not know tools, nor who applies it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::base::{names, paths};
use crate::exec::{EnvError, Environment, FileData, FileKind};
use crate::lsp::answers::edits::{self, EditStep, TextEdit};
use crate::lsp::client::edits::ServerEdit;
use crate::lsp::document::PlainText;

/// Maximum number of files that are changed.
const FILES_MAX: usize = 10_000;
/// A byte order mark, which no server knows of.
const MARK: &str = "\u{feff}";

/// A file of the draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFile {
    /// What is there now; `None` if nothing is.
    pub before: Option<FileData>,
    /// What will be there; `None` if nothing will be.
    pub after: Option<Vec<u8>>,
    /// The path at which this content is now, if it is moved.
    pub moved_from: Option<PathBuf>,
    /// Number of places that change.
    pub places: usize,
}

/// A change of files that was worked out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftedChange {
    /// The files, by path.
    pub files: BTreeMap<PathBuf, DraftFile>,
    /// Files and folders that are moved first, each to a path where nothing is. None of them is part of another one.
    pub moves: Vec<(PathBuf, PathBuf)>,
}

impl DraftedChange {
    /// Returns what is at a path once everything was moved, and nothing else was done.
    pub fn after_moves(&self, path: &Path) -> Option<&FileData> {
        let before = |path: &Path| self.files.get(path).and_then(|file| file.before.as_ref());
        match self.moves.iter().find_map(|(from, to)| paths::moved(path, to, from)) {
            Some(origin) => before(&origin),
            None if self.moves.iter().any(|(from, _)| path.starts_with(from)) => None,
            None => before(path),
        }
    }
}

/// Returns the text of a file as its server knows it, with its version.
pub type KnownText<'k> = dyn Fn(&Path) -> Option<(u64, String)> + Send + Sync + 'k;

/// Text that replaces ranges of bytes.
type Replacements = Vec<(Range<usize>, String)>;

/// A change of files, in the making.
pub struct Draft<'e> {
    env: &'e dyn Environment,
    /// The text of a file as its server knows it, with its version, if it does.
    known: &'e KnownText<'e>,
    files: BTreeMap<PathBuf, DraftFile>,
    /// What is replaced in files of the draft, by their paths in it.
    replaced: BTreeMap<PathBuf, Replacements>,
    /// See [`DraftedChange::moves`].
    moves: Vec<(PathBuf, PathBuf)>,
}

impl<'e> Draft<'e> {
    /// Creates an empty one.
    pub fn new(env: &'e dyn Environment, known: &'e KnownText<'e>) -> Self {
        Self { env, known, files: BTreeMap::new(), replaced: BTreeMap::new(), moves: Vec::new() }
    }

    fn name(&self, path: &Path) -> String {
        names::display(Path::new(&paths::display(path, self.env.root()))).into_owned()
    }

    /// Adds the edit of a server. After an error the draft is as before; the error is a sentence without a full stop.
    pub async fn add(&mut self, edit: &ServerEdit) -> Result<(), String> {
        let (files, replaced, moves) = (self.files.clone(), self.replaced.clone(), self.moves.clone());
        for step in &edit.edit.steps {
            let done = self.add_step(step, edit).await;
            let is_too_large = self.files.len() > FILES_MAX;
            if done.is_err() || is_too_large {
                (self.files, self.replaced, self.moves) = (files, replaced, moves);
                return done.and(Err(format!("it changes more than {FILES_MAX} files")));
            }
        }
        Ok(())
    }

    async fn add_step(&mut self, step: &EditStep, edit: &ServerEdit) -> Result<(), String> {
        match step {
            EditStep::Text(file) => self.change(&file.path, &file.edits, edit).await,
            EditStep::Create { path, overwrite, ignore_existing } => {
                let exists = self.content(path).await?.is_some();
                if exists && !overwrite {
                    let refusal = Err(format!("{} exists already", self.name(path)));
                    return if *ignore_existing { Ok(()) } else { refusal };
                }
                self.replaced.remove(path);
                self.file(path).await?.after = Some(Vec::new());
                Ok(())
            }
            EditStep::Rename { from, to, overwrite, ignore_existing } => {
                if from != to && !overwrite && self.exists(to).await? {
                    let refusal = Err(format!("{} exists already", self.name(to)));
                    return if *ignore_existing { Ok(()) } else { refusal };
                }
                self.rename(from, to, *overwrite).await
            }
            EditStep::Delete { path, recursive, ignore_missing } => {
                let files = self.files_below(path, false).await?;
                if files.is_empty() && !ignore_missing {
                    return Err(format!("{} is not there", self.name(path)));
                }
                if !recursive && files.iter().any(|file| file != path) {
                    return Err(format!("the folder {} is not empty", self.name(path)));
                }
                for file in files {
                    self.replaced.remove(&file);
                    self.file(&file).await?.after = None;
                }
                Ok(())
            }
        }
    }

    /// Returns the entry of a path, read if it is new.
    async fn file(&mut self, path: &Path) -> Result<&mut DraftFile, String> {
        if !self.files.contains_key(path) {
            let before = match self.env.read(path).await {
                Ok(data) => Some(data),
                Err(EnvError::NotFound(_)) => None,
                Err(error) => return Err(error.to_string()),
            };
            let after = before.as_ref().map(|data| data.bytes.clone());
            self.files.insert(path.to_path_buf(), DraftFile { before, after, ..DraftFile::default() });
        }
        Ok(self.files.entry(path.to_path_buf()).or_default())
    }

    /// Returns what will be at a path.
    async fn content(&mut self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        Ok(self.file(path).await?.after.clone())
    }

    async fn exists(&mut self, path: &Path) -> Result<bool, String> {
        match self.env.stat(path).await {
            Ok(stat) if stat.kind == FileKind::Folder => Ok(true),
            _ => Ok(self.content(path).await?.is_some()),
        }
    }

    /// Returns the files that will be at a path, or below it if it is a folder.
    /// Fails for what is no plain file, unless that is skipped.
    async fn files_below(&mut self, path: &Path, skips: bool) -> Result<Vec<PathBuf>, String> {
        let stat = self.env.stat(path).await;
        if !stat.is_ok_and(|stat| stat.kind == FileKind::Folder) {
            return Ok(self.content(path).await?.map(|_| path.to_path_buf()).into_iter().collect());
        }
        let mut folders = vec![path.to_path_buf()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            let failed = |error: EnvError| error.to_string();
            let real = self.env.resolve(&folder).await.map_err(failed)?;
            for entry in self.env.list(&folder).await.map_err(failed)? {
                let below = entry.path_in(&folder);
                // What a link leads to is not moved or deleted in its place.
                let is_link = self.env.resolve(&below).await.map_err(failed)? != entry.path_in(&real);
                match entry.kind {
                    FileKind::Folder if !is_link => folders.push(below),
                    FileKind::File if !is_link => found.push(below),
                    _ if skips => {}
                    _ => return Err(format!("{} is a link or no plain file", self.name(&below))),
                }
                if found.len() > FILES_MAX {
                    return Err(format!("{} has more than {FILES_MAX} files", self.name(path)));
                }
            }
        }
        let mut there = Vec::new();
        for file in found {
            if self.content(&file).await?.is_some() {
                there.push(file);
            }
        }
        Ok(there)
    }

    /// Moves a file, or all files of a folder. Without `overwrite` nothing may be in the way.
    pub async fn rename(&mut self, from: &Path, to: &Path, overwrite: bool) -> Result<(), String> {
        if from == to {
            return Ok(());
        }
        let is_plain = self.is_plain_move(from, to).await?;
        // What is moved as it is may have links.
        let files = self.files_below(from, is_plain).await?;
        if files.is_empty() {
            return Err(format!("{} is not there", self.name(from)));
        }
        for old in files {
            let new = paths::moved(&old, from, to).unwrap_or_else(|| to.to_path_buf());
            let moved = self.file(&old).await?;
            let (content, places) = (moved.after.take(), std::mem::take(&mut moved.places));
            let origin = moved.moved_from.take().unwrap_or_else(|| old.clone());
            let name = self.name(&new);
            let target = self.file(&new).await?;
            if target.after.is_some() && !overwrite {
                return Err(format!("{name} exists already"));
            }
            (target.after, target.places, target.moved_from) = (content, places, Some(origin));
            match self.replaced.remove(&old) {
                Some(replaced) => drop(self.replaced.insert(new, replaced)),
                None => drop(self.replaced.remove(&new)),
            }
        }
        if is_plain {
            match self.moves.iter_mut().find(|(_, target)| target == from) {
                // It goes there at once.
                Some(earlier) => earlier.1 = to.to_path_buf(),
                None => self.moves.push((from.to_path_buf(), to.to_path_buf())),
            }
        }
        Ok(())
    }

    /// Whether a move can be done as such before everything else: what is moved is on the disk as it is, nothing is at the
    /// new path, and no other move concerns either of them. Otherwise contents are written anew.
    async fn is_plain_move(&mut self, from: &Path, to: &Path) -> Result<bool, String> {
        let touches = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
        let earlier = self.moves.iter().find(|(_, target)| target == from);
        let (is_moved_on, is_back) =
            (earlier.is_some(), earlier.is_some_and(|(first, _)| touches(first, to)));
        let concerns = |(a, b): &&(PathBuf, PathBuf)| {
            [a, b].into_iter().any(|path| touches(path, from) || touches(path, to)) && b != from
        };
        if is_back
            || touches(from, to)
            || self.moves.iter().any(|one| concerns(&one))
            || self.exists(to).await?
        {
            return Ok(false);
        }
        let is_as_it_is = |(path, file): (&PathBuf, &DraftFile)| {
            let is_there = file.before.is_some() && file.after.is_some() && file.moved_from.is_none();
            !path.starts_with(from) || is_there || is_moved_on
        };
        Ok(self.files.iter().all(is_as_it_is))
    }

    /// Adds edits of a text. All edits of one text are about the text as it is now.
    async fn change(&mut self, path: &Path, edits: &[TextEdit], whole: &ServerEdit) -> Result<(), String> {
        let name = self.name(path);
        let file = self.file(path).await?;
        let bytes = file.after.clone().ok_or_else(|| format!("{name} is not there"))?;
        let now = file.moved_from.clone().unwrap_or_else(|| path.to_path_buf());
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))?;
        let text = text.strip_prefix(MARK).unwrap_or(&text);
        // The answer may be about an earlier text than the server knows by now.
        let is_stale = |(version, known): (u64, String)| {
            known != text || whole.versions.get(&now).is_some_and(|asked| *asked != version)
        };
        if (self.known)(&now).is_some_and(is_stale) {
            return Err(format!("{name} has changed since the server read it"));
        }
        let ending =
            if text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r')) { "\r\n" } else { "\n" };
        let plain = PlainText::new(text.to_string());
        let found =
            edits::checked(edits, &plain, whole.encoding).map_err(|error| format!("{error}: {name}"))?;
        let found =
            found.into_iter().map(|(range, new)| (range, new.replace("\r\n", "\n").replace('\n', ending)));
        let replaced = self.replaced.entry(path.to_path_buf()).or_default();
        let changed = found.filter(|(range, new)| text[range.clone()] != **new);
        let mut all: Replacements = replaced.iter().cloned().chain(changed).collect();
        all.sort_by_key(|(range, _)| (range.start, range.end));
        let overlap = all.windows(2).find(|two| two[0].0.end > two[1].0.start);
        if let Some(two) = overlap {
            let line = text[..two[1].0.start].matches('\n').count() + 1;
            return Err(format!("edits overlap in line {line}: {name}"));
        }
        *replaced = all;
        Ok(())
    }

    /// Returns the files that change.
    pub fn finish(mut self) -> DraftedChange {
        for (path, replaced) in std::mem::take(&mut self.replaced) {
            let Some(file) = self.files.get_mut(&path) else { continue };
            file.places += replaced.len();
            file.after = file.after.take().map(|bytes| apply(&bytes, &replaced));
        }
        let mut change = DraftedChange { files: self.files, moves: self.moves };
        let is_same =
            |file: &DraftFile, now: Option<&FileData>| file.after.as_ref() == now.map(|data| &data.bytes);
        // What is moved and back again changes in between.
        let unchanged = change.files.iter().filter(|(path, file)| {
            is_same(file, file.before.as_ref()) && is_same(file, change.after_moves(path))
        });
        let unchanged: Vec<PathBuf> = unchanged.map(|(path, _)| path.clone()).collect();
        change.files.retain(|path, _| unchanged.binary_search(path).is_err());
        change
    }
}

/// Replaces ranges of a text, which do not overlap and are in order.
fn apply(bytes: &[u8], replaced: &Replacements) -> Vec<u8> {
    let skipped = if bytes.starts_with(MARK.as_bytes()) { MARK.len() } else { 0 };
    let mut after = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (range, new) in replaced {
        after.extend_from_slice(&bytes[at..range.start + skipped]);
        after.extend_from_slice(new.as_bytes());
        at = range.end + skipped;
    }
    after.extend_from_slice(&bytes[at..]);
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::lsp::answers::edits::{FileEdits, WorkspaceEdit};
    use crate::lsp::client::edits::Versions;
    use crate::lsp::position::{Encoding, Position, Range as Lines};

    const NOTHING_KNOWN: &KnownText<'static> = &|_| None;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, LocalEnvironment) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        let env = LocalEnvironment::new(root, []);
        (folder, env)
    }

    fn replace(env: &LocalEnvironment, path: &str, line: u32, columns: Range<u32>, text: &str) -> EditStep {
        let range =
            Lines { start: Position::new(line, columns.start), end: Position::new(line, columns.end) };
        let edits = vec![TextEdit { range, text: text.to_string() }];
        EditStep::Text(FileEdits { path: env.root().join(path), version: None, edits })
    }

    fn edit(steps: Vec<EditStep>) -> ServerEdit {
        ServerEdit { edit: WorkspaceEdit { steps }, versions: Versions::new(), encoding: Encoding::Utf16 }
    }

    /// What the draft says of each file: its path, the path it comes from, and its text.
    fn shown(draft: Draft, env: &LocalEnvironment) -> Vec<String> {
        let root = env.root();
        let line = |(path, file): (PathBuf, DraftFile)| {
            let from = file.moved_from.map(|from| format!("{} -> ", paths::display(&from, root)));
            let after = file.after.map_or("gone".to_string(), |bytes| String::from_utf8(bytes).unwrap());
            format!("{}{}: {after:?}", from.unwrap_or_default(), paths::display(&path, root))
        };
        draft.finish().files.into_iter().map(line).collect()
    }

    #[tokio::test]
    async fn draft_of_edits_keeps_mark_and_line_endings() {
        let (_folder, env) = folder(&[("a", "\u{feff}é one\r\ntwo\r\n"), ("b", "b\n")]);
        let mut draft = Draft::new(&env, NOTHING_KNOWN);
        let steps = vec![
            replace(&env, "a", 1, 0..3, "2\nand"),
            replace(&env, "a", 0, 2..5, "1"),
            replace(&env, "b", 0, 0..1, "b"),
        ];
        draft.add(&edit(steps)).await.unwrap();
        assert_eq!(shown(draft, &env), ["a: \"\\u{feff}é 1\\r\\n2\\r\\nand\\r\\n\""], "b stays as it is");
    }

    #[tokio::test]
    async fn draft_moves_files_with_their_edits() {
        let (_folder, env) = folder(&[("src/a", "a\n"), ("src/b", "b\n"), ("gone", "x")]);
        let path = |name: &str| env.root().join(name);
        let mut draft = Draft::new(&env, NOTHING_KNOWN);
        let steps = vec![
            replace(&env, "src/a", 0, 0..1, "A"),
            EditStep::Rename { from: path("src"), to: path("lib"), overwrite: false, ignore_existing: false },
            replace(&env, "lib/b", 0, 0..1, "B"),
            EditStep::Create { path: path("new"), overwrite: false, ignore_existing: false },
            EditStep::Delete { path: path("gone"), recursive: false, ignore_missing: false },
        ];
        draft.add(&edit(steps)).await.unwrap();
        let all = [
            "gone: \"gone\"",
            "src/a -> lib/a: \"A\\n\"",
            "src/b -> lib/b: \"B\\n\"",
            "new: \"\"",
            "src/a: \"gone\"",
            "src/b: \"gone\"",
        ];
        assert_eq!(shown(draft, &env), all);
    }

    #[tokio::test]
    async fn draft_moves_as_they_are_what_nothing_else_concerns() {
        let files = [("src/a", "a"), ("b", "b"), ("c", "c"), ("d", "d")];
        let (_folder, env) = folder(&files);
        std::os::unix::fs::symlink("a", env.root().join("src/link")).unwrap();
        let path = |name: &str| env.root().join(name);
        let mut draft = Draft::new(&env, NOTHING_KNOWN);
        for (from, to) in [("src", "lib"), ("b", "e"), ("e", "f"), ("c", "lib/c"), ("d", "g"), ("g", "d")] {
            draft.rename(&path(from), &path(to), false).await.unwrap();
        }
        let change = draft.finish();
        // What is moved into a folder that is moved, or back, is written anew.
        let moves = [(path("src"), path("lib")), (path("b"), path("f")), (path("d"), path("g"))];
        assert_eq!(change.moves, moves);
        let present = |name: &str| change.after_moves(&path(name)).map(|data| data.bytes.clone());
        assert_eq!(present("lib/a"), Some(b"a".to_vec()));
        assert_eq!((present("src/a"), present("b"), present("f")), (None, None, Some(b"b".to_vec())));
        assert_eq!(present("c"), Some(b"c".to_vec()));
        let after = |name: &str| change.files.get(&path(name)).and_then(|file| file.after.clone());
        assert_eq!((after("lib/c"), after("f")), (Some(b"c".to_vec()), Some(b"b".to_vec())));
        assert_eq!((after("d"), present("d")), (Some(b"d".to_vec()), None), "what is moved back is written");
    }

    #[tokio::test]
    async fn draft_refuses_an_edit_as_a_whole() {
        let (_folder, env) = folder(&[("a", "one\n"), ("b", "b\n"), ("dir/c", "c\n")]);
        let path = |name: &str| env.root().join(name);
        let known = |path: &Path| path.ends_with("b").then(|| (1, "older\n".to_string()));
        let mut draft = Draft::new(&env, &known);
        draft.add(&edit(vec![replace(&env, "a", 0, 0..2, "x")])).await.unwrap();
        let rename = |to: &str| EditStep::Rename {
            from: path("a"),
            to: path(to),
            overwrite: false,
            ignore_existing: false,
        };
        for (steps, wanted) in [
            (vec![replace(&env, "a", 0, 1..3, "y")], "edits overlap in line 1: a"),
            (vec![replace(&env, "a", 5, 0..1, "y")], "an edit is behind the end of the text, in line 6: a"),
            (vec![replace(&env, "b", 0, 0..1, "y")], "b has changed since the server read it"),
            (vec![replace(&env, "none", 0, 0..1, "y")], "none is not there"),
            (vec![rename("new"), rename("newer")], "a is not there"),
            (vec![rename("b")], "b exists already"),
            (
                vec![EditStep::Delete { path: path("dir"), recursive: false, ignore_missing: false }],
                "the folder dir is not empty",
            ),
        ] {
            assert_eq!(draft.add(&edit(steps)).await.unwrap_err(), wanted);
        }
        assert_eq!(shown(draft, &env), ["a: \"xe\\n\""], "what was added before");
    }

    #[tokio::test]
    async fn draft_of_an_answer_about_an_earlier_version_is_refused() {
        let (_folder, env) = folder(&[("a", "one\n")]);
        let known = |_: &Path| Some((8, "one\n".to_string()));
        let mut draft = Draft::new(&env, &known);
        let mut asked = edit(vec![replace(&env, "a", 0, 0..3, "two")]);
        asked.versions.insert(env.root().join("a"), 7);
        assert_eq!(draft.add(&asked).await.unwrap_err(), "a has changed since the server read it");
        asked.versions.insert(env.root().join("a"), 8);
        assert_eq!(draft.add(&asked).await, Ok(()));
    }

    #[tokio::test]
    async fn draft_moves_nothing_over_what_is_there() {
        let (_folder, env) = folder(&[("a", "a"), ("b", "b"), ("one/x", "1"), ("two/x", "2")]);
        let path = |name: &str| env.root().join(name);
        let mut draft = Draft::new(&env, NOTHING_KNOWN);
        assert_eq!(draft.rename(&path("a"), &path("b"), false).await.unwrap_err(), "b exists already");
        assert_eq!(
            draft.rename(&path("one"), &path("two"), false).await.unwrap_err(),
            "two/x exists already"
        );
    }
}
