//! The file tree: folders of the workspace as far as they are expanded. Must not read them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ide::model::diagnostic_counts::DiagnosticCounts;
use crate::ide::model::file_list::FileList;

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder; may be invalid UTF-8.
    pub name: OsString,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is ignored, as far as is known.
    pub is_ignored: bool,
}

/// One visible row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its path.
    pub path: PathBuf,
    /// Its entry.
    pub entry: Entry,
    /// Its zero-based depth.
    pub depth: usize,
    /// For a folder: whether it is expanded.
    pub is_open: bool,
}

/// The tree with its selected row.
#[derive(Debug, Default)]
pub struct FileTree {
    root: PathBuf,
    folders: BTreeMap<PathBuf, Vec<Entry>>,
    open: BTreeSet<PathBuf>,
    rows: Vec<Row>,
    /// The rows of a filter, in place of the others.
    filtered: Option<Vec<Row>>,
    /// The selected row.
    pub selected: usize,
    /// The first row on screen.
    pub top: usize,
    /// The path to select once it is loaded.
    pending_selection: Option<PathBuf>,
    /// Why the root could not be read, if it could not.
    pub error: Option<String>,
    /// All files of the workspace from the last walks.
    pub file_list: FileList,
    /// Errors and warnings of files and folders.
    pub diagnostics: DiagnosticCounts,
    /// Whether ignored files are shown, in the tree and in lists of files.
    pub with_ignored: bool,
}

impl FileTree {
    /// Returns the tree of a folder that was not read yet.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), open: BTreeSet::from([root.to_path_buf()]), ..Self::default() }
    }

    /// The visible rows.
    pub fn rows(&self) -> &[Row] {
        self.filtered.as_ref().unwrap_or(&self.rows)
    }

    /// The selected row.
    pub fn current(&self) -> Option<&Row> {
        self.rows().get(self.selected)
    }

    /// Shows only some files, with the folders that contain them, and selects the first. `paths` are relative, with
    /// slashes, those of one folder next to each other.
    pub fn set_filter<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) {
        let mut rows: Vec<Row> = Vec::new();
        let mut before: Vec<&str> = Vec::new();
        for path in paths {
            let names: Vec<&str> = path.split('/').collect();
            let shared = names.iter().zip(&before).take_while(|(one, other)| one == other).count();
            let last = names.len() - 1;
            for depth in shared..names.len() {
                let path = names[..=depth].iter().fold(self.root.clone(), |path, name| path.join(name));
                let is_folder = depth < last;
                let entry = Entry { name: names[depth].into(), is_folder, is_ignored: false };
                rows.push(Row { path, entry, depth, is_open: is_folder });
            }
            before = names;
        }
        self.selected = rows.iter().position(|row| !row.entry.is_folder).unwrap_or(0);
        self.top = 0;
        self.filtered = Some(rows);
    }

    /// Shows all rows again and selects that of a path, if it is among them.
    pub fn clear_filter(&mut self, selected: Option<&Path>) {
        if self.filtered.take().is_some() {
            self.selected = 0;
            if let Some(path) = selected {
                self.select(path);
            }
        }
    }

    /// Stores the entries of a folder.
    pub fn set_entries(&mut self, folder: &Path, entries: Vec<Entry>) {
        self.folders.insert(folder.to_path_buf(), entries);
        self.rebuild();
    }

    /// Returns the expanded folders, to be read again.
    pub fn open_folders(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().map(PathBuf::as_path)
    }

    /// Expands a folder; returns whether it has to be read first.
    pub fn unfold(&mut self, folder: &Path) -> bool {
        self.open.insert(folder.to_path_buf());
        self.rebuild();
        !self.folders.contains_key(folder)
    }

    /// Folds a folder.
    pub fn fold(&mut self, folder: &Path) {
        if folder != self.root {
            self.open.remove(folder);
            self.rebuild();
        }
    }

    /// Selects the row of a path, if it is visible.
    pub fn select(&mut self, path: &Path) {
        if let Some(at) = self.rows().iter().position(|row| row.path == path) {
            self.selected = at;
        }
    }

    /// Selects the row of a path once its folder is read.
    pub fn select_when_loaded(&mut self, path: &Path) {
        self.pending_selection = Some(path.to_path_buf());
        self.rebuild();
    }

    /// Moves the selection by rows.
    pub fn step(&mut self, by: isize) {
        let last = self.rows().len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Scrolls so that the selected row is among `height` rows.
    pub fn scroll(&mut self, height: usize) {
        let lowest = (self.selected + 1).saturating_sub(height.max(1));
        self.top = self.top.clamp(lowest, self.selected.max(lowest));
    }

    fn rebuild(&mut self) {
        let selected = self.current().map(|row| row.path.clone());
        let mut rows = Vec::new();
        self.collect(&self.root, (0, false), &mut rows);
        self.rows = rows;
        if self.filtered.is_some() {
            return;
        }
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        if let Some(path) = selected {
            self.select(&path);
        }
        if let Some(at) = self
            .pending_selection
            .as_ref()
            .and_then(|path| self.rows.iter().position(|row| row.path == *path))
        {
            (self.selected, self.pending_selection) = (at, None);
        }
    }

    fn collect(&self, folder: &Path, (depth, below_ignored): (usize, bool), rows: &mut Vec<Row>) {
        for entry in self.folders.get(folder).into_iter().flatten() {
            let path = folder.join(&entry.name);
            let is_open = entry.is_folder && self.open.contains(&path);
            let is_ignored = below_ignored || entry.is_ignored;
            let entry = Entry { is_ignored, ..entry.clone() };
            rows.push(Row { path: path.clone(), entry, depth, is_open });
            if is_open {
                self.collect(&path, (depth + 1, is_ignored), rows);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, is_folder: bool) -> Entry {
        Entry { name: name.into(), is_folder, is_ignored: false }
    }

    #[test]
    fn file_tree_unfold_keeps_selected_path() {
        let mut tree = FileTree::new(Path::new("/w"));
        tree.set_entries(Path::new("/w"), vec![entry("src", true), entry("a.txt", false)]);
        tree.selected = 1;
        assert!(tree.unfold(Path::new("/w/src")), "nobody has read it yet");
        tree.set_entries(Path::new("/w/src"), vec![entry("lib.rs", false)]);
        let names: Vec<_> = tree.rows().iter().map(|r| (r.depth, r.entry.name.to_str().unwrap())).collect();
        assert_eq!(names, [(0, "src"), (1, "lib.rs"), (0, "a.txt")]);
        assert_eq!(tree.current().unwrap().entry.name, "a.txt");
        tree.fold(Path::new("/w/src"));
        assert_eq!((tree.rows().len(), tree.selected), (2, 1));
    }

    #[test]
    fn file_tree_filter_shows_files_with_their_folders_and_is_taken_back() {
        let mut tree = FileTree::new(Path::new("/w"));
        tree.set_entries(Path::new("/w"), vec![entry("src", true), entry("a.txt", false)]);
        tree.selected = 1;
        tree.set_filter(["src/ide/a.rs", "src/ide/b.rs", "src/c.rs", "d.rs"]);
        let names: Vec<_> = tree.rows().iter().map(|r| (r.depth, r.entry.name.to_str().unwrap())).collect();
        assert_eq!(names, [(0, "src"), (1, "ide"), (2, "a.rs"), (2, "b.rs"), (1, "c.rs"), (0, "d.rs")]);
        assert_eq!(tree.current().unwrap().path, Path::new("/w/src/ide/a.rs"));
        tree.set_entries(Path::new("/w/src"), vec![]);
        assert_eq!(tree.rows().len(), 6, "what is read meanwhile changes nothing");
        tree.clear_filter(Some(Path::new("/w/a.txt")));
        assert_eq!((tree.rows().len(), tree.selected), (2, 1));
    }
}
