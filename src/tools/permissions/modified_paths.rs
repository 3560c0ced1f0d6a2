//! Files that a call reads or changes, for the tools of any family. Pure: based on the arguments, without
//! reading files.

use serde_json::Value;

use crate::patch::v4a::{self, Section};
use crate::tools::contract::intent::Intent;
use crate::tools::contract::registry::Registry;

/// Paths as the model wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModifiedPaths {
    /// Files that are read.
    pub read: Vec<String>,
    /// Files that are created, changed, moved or removed.
    pub changed: Vec<String>,
}

/// Returns the files of a call, by the name of its tool and its arguments; empty if the tool is unknown or
/// uses no files. The files of a command are unknown.
pub fn modified_paths(tool: &str, args: &Value) -> ModifiedPaths {
    let intents =
        Registry::in_any_set(tool).iter().map(|row| row.tool.intent(&row.tool.prepare(args.clone())));
    intents.flatten().map(of).next().unwrap_or_default()
}

fn of(intent: Intent) -> ModifiedPaths {
    let read = |read| ModifiedPaths { read, changed: Vec::new() };
    let changed = |changed| ModifiedPaths { read: Vec::new(), changed };
    match intent {
        Intent::Read { path, .. } => read(vec![path]),
        Intent::ReadMany { paths } => read(paths.into_iter().filter(|path| is_plain(path)).collect()),
        Intent::Write { path, .. } | Intent::Edit { path, .. } => changed(vec![path]),
        Intent::Patch { patch } => {
            let sections = v4a::parse::parse(&patch).unwrap_or_default();
            changed(sections.iter().flat_map(Section::paths).map(str::to_string).collect())
        }
        Intent::Run { .. }
        | Intent::Grep { .. }
        | Intent::Find { .. }
        | Intent::Ls { .. }
        | Intent::AskServers { .. } => ModifiedPaths::default(),
    }
}

/// Whether a path names one file.
fn is_plain(path: &str) -> bool {
    !path.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn modified_paths_cover_every_family() {
        let patch = "*** Begin Patch\n*** Add File: new\n+x\n*** Delete File: old\n*** End Patch";
        for (tool, args, read, changed) in [
            ("read", json!({"path": "a"}), "a", ""),
            ("write", json!({"path": "a", "content": ""}), "", "a"),
            ("edit", json!({"path": "a", "oldText": "x", "newText": "y"}), "", "a"),
            ("Read", json!({"file_path": "/a"}), "/a", ""),
            ("Edit", json!({"file_path": "/a", "old_string": "x", "new_string": "y"}), "", "/a"),
            ("apply_patch", json!({"input": patch}), "", "new old"),
            ("read_many_files", json!({"include": ["a", "*.rs", "b"]}), "a b", ""),
            ("bash", json!({"command": "rm a"}), "", ""),
            ("hologram", json!({"path": "a"}), "", ""),
            ("read", json!("broken"), "", ""),
        ] {
            let found = modified_paths(tool, &args);
            assert_eq!(
                (found.read.join(" "), found.changed.join(" ")),
                (read.into(), changed.into()),
                "{tool}"
            );
        }
    }
}
