//! The tree of a session: who follows whom, and which entry is the leaf.
//!
//! Must not know what entries say, nor files. Indices are places in the file's order.

use std::collections::HashMap;

use super::entry::Entry;

/// The shape of a session.
#[derive(Debug, Default)]
pub struct Tree {
    entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
    leaf: Option<usize>,
}

impl Tree {
    /// All entries in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of that id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.by_id.get(id).map(|at| &self.entries[*at])
    }

    /// Whether the id is taken.
    pub fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The entry after which the next one goes; `None` before the first.
    pub fn leaf(&self) -> Option<&Entry> {
        self.leaf.map(|at| &self.entries[at])
    }

    /// Adds an entry and makes it the leaf. Fails with the id when that is taken.
    pub fn push(&mut self, entry: Entry) -> Result<(), String> {
        if self.contains(entry.id()) {
            return Err(entry.id().to_string());
        }
        self.by_id.insert(entry.id().to_string(), self.entries.len());
        self.leaf = Some(self.entries.len());
        self.entries.push(entry);
        Ok(())
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`. False
    /// when there is no such entry.
    pub fn branch(&mut self, id: Option<&str>) -> bool {
        let target = id.map(|id| self.by_id.get(id).copied());
        match target {
            Some(None) => false,
            Some(at) => {
                self.leaf = at;
                true
            }
            None => {
                self.leaf = None;
                true
            }
        }
    }

    /// The entries from the root to `leaf`. Ends early at a parent that is missing, and at one
    /// that would close a circle.
    pub fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        let mut path = Vec::new();
        let mut next = self.by_id.get(leaf).copied();
        while let Some(at) = next {
            let entry = &self.entries[at];
            path.push(entry);
            if path.len() == self.entries.len() {
                break;
            }
            next = entry.parent_id().and_then(|id| self.by_id.get(id).copied());
        }
        path.reverse();
        path
    }

    /// The entries from the root to the leaf.
    pub fn path(&self) -> Vec<&Entry> {
        self.leaf().map_or_else(Vec::new, |leaf| self.path_to(leaf.id()))
    }

    /// The entries that follow `id` directly, in the order of the file; the roots for `None`.
    pub fn children(&self, id: Option<&str>) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.parent_id() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (id, parent) in rows {
            let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
            let line = format!(r#"{{"type":"custom","id":"{id}","parentId":{parent}}}"#);
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        tree
    }

    fn ids(path: &[&Entry]) -> String {
        path.iter().map(|entry| entry.id()).collect()
    }

    #[test]
    fn branches_share_their_root() {
        let mut tree = tree(&[("a", ""), ("b", "a"), ("c", "b"), ("d", "b")]);
        assert_eq!(ids(&tree.path()), "abd");
        assert_eq!(ids(&tree.path_to("c")), "abc");
        assert_eq!(tree.children(Some("b")).map(Entry::id).collect::<String>(), "cd");
        assert!(tree.branch(Some("a")));
        assert_eq!(ids(&tree.path()), "a");
        assert!(!tree.branch(Some("nobody")));
        assert_eq!(ids(&tree.path()), "a");
        assert!(tree.branch(None));
        assert!(tree.path().is_empty());
    }

    #[test]
    fn circles_and_missing_parents_end_a_path() {
        assert_eq!(ids(&tree(&[("a", "b"), ("b", "a")]).path()), "ab");
        assert_eq!(ids(&tree(&[("a", "a")]).path()), "a");
        assert_eq!(ids(&tree(&[("a", ""), ("b", "gone"), ("c", "b")]).path()), "bc");
    }

    #[test]
    fn a_taken_id_is_refused() {
        let mut tree = tree(&[("a", "")]);
        assert!(tree.push(Entry::parse(r#"{"type":"custom","id":"a"}"#).unwrap()).is_err());
        assert_eq!(tree.entries().len(), 1);
    }
}
