//! Ignore rules of a recorded state.
//!
//! Must not know the disk. An ignored path may have existed although the state does not have it, so a restore
//! must not remove it.

use std::collections::HashMap;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::error::CheckpointError;
use super::files::{Files, Node};
use super::name::Name;
use super::store::Store;

/// Names of ignore files; within one folder the later one takes precedence.
const RULE_FILES: [&[u8]; 2] = [b".gitignore", b".ignore"];

/// Whether the file is an ignore file.
pub(super) fn is_rule_file(name: &Name) -> bool {
    RULE_FILES.contains(&name.last())
}

/// The rules of a state, by folder.
pub(super) struct IgnoreRules(HashMap<Name, Gitignore>);

impl IgnoreRules {
    /// Collects the rules of a state.
    pub(super) fn of(files: &Files, store: &Store) -> Result<Self, CheckpointError> {
        let found = files.iter().filter(|(name, _)| is_rule_file(name));
        let mut builders: HashMap<Name, GitignoreBuilder> = HashMap::new();
        // `.gitignore` sorts before `.ignore`, and later lines take precedence.
        for (name, node) in found {
            let (Some(folder), Node::File { oid, .. }) = (name.parent(), *node) else { continue };
            let text = store.blob(oid)?;
            let builder =
                builders.entry(folder.clone()).or_insert_with(|| GitignoreBuilder::new(folder.path()));
            for line in String::from_utf8_lossy(&text).lines() {
                if let Err(error) = builder.add_line(None, line) {
                    tracing::debug!(%name, %error, "a line of an ignore file is none");
                }
            }
        }
        let built =
            builders.into_iter().filter_map(|(folder, builder)| Some((folder, builder.build().ok()?)));
        Ok(Self(built.collect()))
    }

    /// Whether the rules ignore a path, or one of its folders.
    pub(super) fn ignores(&self, name: &Name, is_folder: bool) -> bool {
        self.ignores_directly(name, is_folder)
            || name.folders().any(|folder| self.ignores_directly(&folder, true))
    }

    fn ignores_directly(&self, name: &Name, is_folder: bool) -> bool {
        let folders = std::iter::successors(name.parent(), Name::parent);
        for rules in folders.filter_map(|folder| self.0.get(&folder)) {
            match rules.matched(Path::new(name.path()), is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::checkpoint::object::Kind;
    use crate::workspace::checkpoint::pack::Packer;

    #[test]
    fn checkpoint_ignore_rules_come_from_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let batch = store.batch();
        let mut packer = Packer::default();
        let mut files = Files::default();
        for (name, text) in [(".gitignore", "target/\n*.log\n"), ("a/.ignore", "!keep.log\n/x\n[\n")] {
            let oid = batch.put(&mut packer, Kind::Blob, text.as_bytes()).unwrap();
            files.insert(Name::from_bytes(name.as_bytes()).unwrap(), Node::File { rights: 0o644, oid });
        }
        batch.finish().unwrap();
        let rules = IgnoreRules::of(&files, &store).unwrap();
        let left_out = |name: &str| rules.ignores(&Name::from_bytes(name.as_bytes()).unwrap(), false);
        for name in ["target/o", "b/target/x/y", "a.log", "a/b/c.log", "a/x"] {
            assert!(left_out(name), "{name}");
        }
        for name in ["src/a.rs", "target", "a/keep.log", "b/x", "a/b/x"] {
            assert!(!left_out(name), "{name}");
        }
        assert!(IgnoreRules::of(&Files::default(), &store).unwrap().0.is_empty());
    }
}
