//! Lists one folder, for a file tree.
//!
//! Must not know the tree on screen. Blocking, but only for one folder.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use super::walk;

/// Type of an item, with links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// A folder.
    Folder,
    /// Anything else.
    File,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name; not always UTF-8.
    pub name: OsString,
    /// Folder or file.
    pub kind: ItemKind,
    /// Whether it is ignored. The rules are checked for this entry only: everything below an ignored folder
    /// is ignored, which the caller knows.
    pub ignored: bool,
    /// Whether it is a symbolic link.
    pub link: bool,
}

/// Returns the names in a folder, in no order.
pub fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
}

/// Returns the entries of a folder, folders first, then by name, case-insensitive. `.git` is omitted.
pub fn list(folder: &Path) -> io::Result<Vec<Item>> {
    let kept: HashSet<OsString> = walk::builder(folder)
        .max_depth(Some(1))
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() == 1)
        .map(|entry| entry.file_name().to_os_string())
        .collect();
    let mut items = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == ".git" {
            continue;
        }
        let link = entry.file_type()?.is_symlink();
        let kind = if entry.path().is_dir() { ItemKind::Folder } else { ItemKind::File };
        items.push(Item { ignored: !kept.contains(&name), name, kind, link });
    }
    items.sort_by(compare);
    Ok(items)
}

fn compare(a: &Item, b: &Item) -> Ordering {
    let name = |item: &Item| item.name.to_string_lossy().to_lowercase();
    a.kind.cmp(&b.kind).then_with(|| name(a).cmp(&name(b))).then_with(|| a.name.cmp(&b.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn list_folders_come_first_and_ignored_are_marked() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["src", "target", ".git", "Docs"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        for file in ["b.log", "A.rs", "z"] {
            fs::write(root.path().join(file), "").unwrap();
        }
        symlink("src", root.path().join("link")).unwrap();
        symlink("gone", root.path().join("broken")).unwrap();
        fs::write(root.path().join(".gitignore"), "target\n*.log\n").unwrap();
        let shown: Vec<String> = list(root.path())
            .unwrap()
            .into_iter()
            .map(|item| {
                let mark = |on: bool, text: &'static str| if on { text } else { "" };
                let (folder, ignored) = (item.kind == ItemKind::Folder, item.ignored);
                format!(
                    "{}{}{}{}",
                    item.name.to_string_lossy(),
                    mark(folder, "/"),
                    mark(item.link, "@"),
                    mark(ignored, "!")
                )
            })
            .collect();
        assert_eq!(
            shown,
            ["Docs/", "link/@", "src/", "target/!", ".gitignore", "A.rs", "b.log!", "broken@", "z"]
        );
        assert!(list(&root.path().join("none")).is_err());
    }

    #[test]
    fn list_parent_ignore_rules_apply() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join(".gitignore"), "/a/b/x\n").unwrap();
        fs::write(root.path().join("a/b/x"), "").unwrap();
        fs::write(root.path().join("a/b/y"), "").unwrap();
        let ignored: Vec<bool> =
            list(&root.path().join("a/b")).unwrap().iter().map(|item| item.ignored).collect();
        assert_eq!(ignored, [true, false]);
    }
}
