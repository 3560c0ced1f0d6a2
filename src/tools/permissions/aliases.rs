//! Names by which rules refer to a call: its tool's own, its kind's, and those of other families' tools with
//! the same intent.
//!
//! Must not know the rules. The tools themselves define which of them are equivalent.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde_json::Value;

use super::rules::ToolNames;
use crate::patch::v4a::{self, Section};
use crate::tools::contract::intent::{Intent, Kind, TextReplacement};
use crate::tools::contract::registry::Registry;
use crate::tools::contract::tool::Tool;

/// Kinds for which every family may have an equivalent.
const KINDS: [Kind; 13] = [
    Kind::Read,
    Kind::ReadMany,
    Kind::ViewImage,
    Kind::Write,
    Kind::Edit,
    Kind::Patch,
    Kind::Bash,
    Kind::Grep,
    Kind::Find,
    Kind::Ls,
    Kind::AskUser,
    Kind::Plan,
    Kind::LanguageServers,
];

/// For each kind its own name and the names of the equivalent tools.
static NAMES: LazyLock<HashMap<Kind, BTreeSet<String>>> = LazyLock::new(|| {
    let does = |tool: &dyn Tool, kind| {
        tool.kind() == kind && typical_intent(kind).is_none_or(|intent| tool.args_for(&intent).is_some())
    };
    let names = |kind: Kind| {
        let mut names = Registry::new().names_in_any_set(|tool| does(tool, kind));
        names.insert(kind.name().to_string());
        (kind, names)
    };
    KINDS.into_iter().map(names).collect()
});

/// Returns a basic intent that every tool of a kind can serve.
fn typical_intent(kind: Kind) -> Option<Intent> {
    let path = || "a".to_string();
    Some(match kind {
        Kind::Read => Intent::Read { path: path(), first: None, lines: None },
        Kind::ReadMany => Intent::ReadMany { paths: vec![path()] },
        Kind::Write => Intent::Write { path: path(), content: String::new() },
        Kind::Edit => {
            let replacements = vec![TextReplacement { old: "a".to_string(), new: "b".to_string() }];
            Intent::Edit { path: path(), swaps: replacements, everywhere: false }
        }
        Kind::Patch => {
            Intent::Patch { patch: "*** Begin Patch\n*** Delete File: a\n*** End Patch".to_string() }
        }
        Kind::Bash => {
            Intent::Run { command: "true".to_string(), folder: None, timeout: None, background: false }
        }
        Kind::Grep => Intent::Grep { pattern: "a".to_string(), path: None, glob: None },
        Kind::Find => Intent::Find { pattern: "a".to_string(), path: None },
        Kind::Ls => Intent::Ls { path: Some(path()) },
        _ => return None,
    })
}

/// Returns the names of a call. A call with several intents is denied by a rule for any of them, and allowed
/// only by rules for all.
pub(in crate::tools) fn of(tool: &dyn Tool, name: &str, args: &Value) -> ToolNames {
    let intent = tool.intent(args);
    // A tool for background commands that starts one is checked as a command tool, too.
    let kind = intent.as_ref().map_or(tool.kind(), Intent::kind);
    let own = [name, tool.kind().name(), kind.name()];
    let changes = match &intent {
        Some(Intent::Patch { patch }) => changes(patch),
        // A patch without a text of its own: the edit of a language server that creates, moves or removes files.
        None if kind == Kind::Patch => BTreeSet::from([Kind::Edit, Kind::Write]),
        _ => BTreeSet::from([kind]),
    };
    let mut any = BTreeSet::from([kind]);
    any.extend(&changes);
    let mut all = BTreeSet::from([kind]);
    // A patch that only edits is an edit.
    all.extend(if changes.len() == 1 { changes.clone() } else { BTreeSet::new() });
    for (one, wider) in [
        (Kind::Edit, Kind::Patch),
        (Kind::Write, Kind::Patch),
        (Kind::Read, Kind::ReadMany),
        (Kind::ReadMany, Kind::Read),
        (Kind::ViewImage, Kind::Read),
    ] {
        if changes.contains(&one) {
            any.insert(wider);
            all.insert(wider);
        }
    }
    // What servers say of a file has parts of it.
    if kind == Kind::LanguageServers {
        any.insert(Kind::Read);
    }
    ToolNames::new(with_kinds(&own, &any), with_kinds(&own, &all))
}

/// Returns the names of all tools that read file content: a command can do the same.
pub(in crate::tools) fn readers() -> ToolNames {
    let kinds = [Kind::Read, Kind::ReadMany, Kind::ViewImage, Kind::Grep];
    let names = with_kinds(&[], &BTreeSet::from(kinds));
    ToolNames::new(names.clone(), names)
}

fn with_kinds(own: &[&str], kinds: &BTreeSet<Kind>) -> BTreeSet<String> {
    let others = kinds.iter().filter_map(|kind| NAMES.get(kind)).flatten();
    own.iter().map(ToString::to_string).chain(others.cloned()).collect()
}

/// Returns the kinds of a patch's changes: removing or moving a file is more than editing or writing.
fn changes(patch: &str) -> BTreeSet<Kind> {
    let both = [Kind::Edit, Kind::Write];
    let Ok(sections) = v4a::parse::parse(patch) else { return BTreeSet::from(both) };
    let paths_of = |section: &Section| match section {
        Section::Add { .. } => &both[1..],
        Section::Update { to: None, .. } => &both[..1],
        Section::Update { .. } | Section::Delete { .. } => &both[..],
    };
    sections.iter().flat_map(paths_of).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    /// Whether a rule for a tool of one name holds for a call of a tool of another: what forbids, what allows.
    fn holds(rule: &str, name: &str, args: &Value) -> (bool, bool) {
        let rows = Registry::in_any_set(name);
        assert!(!rows.is_empty(), "{name}");
        let names = of(&*rows[0].tool, name, args);
        (names.matches_restriction(rule), names.matches_grant(rule))
    }

    #[test]
    fn permission_rule_names_cover_all_families() {
        let intents = [
            (
                json!({"command": "ls", "cmd": "ls"}),
                &["bash", "Bash", "run_shell_command", "exec_command"][..],
            ),
            (json!({"path": "a", "file_path": "a"}), &["read", "Read", "read_file"]),
            (
                json!({"file_path": "a", "path": "a", "old_string": "x", "new_string": "y",
                       "edits": [{"oldText": "x", "newText": "y"}]}),
                &["edit", "Edit", "replace"],
            ),
            (json!({"path": "a", "file_path": "a", "content": ""}), &["write", "Write", "write_file"]),
            (json!({"pattern": "a"}), &["grep", "Grep", "grep_search", "grep_files"]),
            (json!({"pattern": "a"}), &["find", "Glob", "glob"]),
            (json!({"path": "a", "dir_path": "a"}), &["ls", "list_directory", "list_dir"]),
            (json!({}), &["ask_user", "AskUserQuestion", "request_user_input"]),
        ];
        for (n, (args, names)) in intents.iter().enumerate() {
            for name in *names {
                for (m, (_, others)) in intents.iter().enumerate() {
                    for rule in *others {
                        assert_eq!(
                            holds(rule, name, args),
                            (n == m, n == m),
                            "a rule for {rule}, a call of {name}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn permission_rule_patch_counts_as_edit_or_write() {
        let add = "*** Add File: a\n+x\n";
        let update = "*** Update File: b\n@@\n-x\n+y\n";
        let remove = "*** Delete File: c\n";
        for (sections, edit, write) in [
            (update.to_string(), (true, true), (false, false)),
            (add.to_string(), (false, false), (true, true)),
            (format!("{add}{update}"), (true, false), (true, false)),
            (remove.to_string(), (true, false), (true, false)),
            ("no patch".to_string(), (true, false), (true, false)),
        ] {
            let args = json!({"input": format!("*** Begin Patch\n{sections}*** End Patch")});
            assert_eq!(holds("Edit", "apply_patch", &args), edit, "{sections}");
            assert_eq!(holds("replace", "apply_patch", &args), edit, "{sections}");
            assert_eq!(holds("write_file", "apply_patch", &args), write, "{sections}");
            assert_eq!(holds("apply_patch", "apply_patch", &args), (true, true));
        }
        let args = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
        assert_eq!(holds("apply_patch", "Edit", &args), (true, true), "a patch can do it, too");
        assert_eq!(holds("apply_patch", "read_file", &args), (false, false));
    }

    #[test]
    fn permission_rule_distinct_tools_do_not_match() {
        let notebook = json!({"notebook_path": "a", "new_source": ""});
        assert_eq!(holds("NotebookEdit", "Edit", &json!({"file_path": "a"})), (false, false));
        assert_eq!(holds("Edit", "NotebookEdit", &notebook), (true, true), "it edits");
        assert_eq!(holds("wait", "spawn_agent", &json!({})), (false, false));
        assert_eq!(holds("KillShell", "BashOutput", &json!({})), (false, false));
        assert_eq!(holds("job", "BashOutput", &json!({})), (true, true), "a kind's name is for all of it");
        assert_eq!(holds("Read", "view_image", &json!({"path": "a"})), (true, true));
        assert_eq!(holds("view_image", "Read", &json!({"file_path": "a"})), (false, false));
        assert_eq!(holds("read_file", "read_many_files", &json!({"include": ["a"]})), (true, true));
        // A job that starts a command runs it.
        let start = json!({"action": "start", "command": "make"});
        assert_eq!(holds("exec_command", "job", &start), (true, true));
        assert_eq!(holds("exec_command", "job", &json!({"action": "list"})), (false, false));
    }
}
