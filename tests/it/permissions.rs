//! What rules say about calls of every family's tools, on real files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::rules::Author;
use bowline::tools::{self, Approval, Ask, Context, Decision, Mode, Registry, Rules, Shared};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Nobody is to be asked.
struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        panic!("asked about {}", ask.subject);
    }
}

/// A workspace under rules.
struct Desk {
    _folder: tempfile::TempDir,
    root: std::path::PathBuf,
    rules: Rules,
}

impl Desk {
    fn new(files: &[&str], rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("work");
        for name in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), format!("found in {name}\n")).unwrap();
        }
        let mut desk = Self { _folder: folder, root, rules: Rules::default() };
        let problems = desk.rules.add(rules, Author::Person, &desk.root, Path::new("/nowhere"));
        assert_eq!(problems, Vec::<String>::new());
        desk
    }

    /// What a model is told, and whether it went wrong.
    async fn call(&self, set: &str, name: &str, arguments: Value) -> (String, bool) {
        self.call_as(Mode::AutoEdit, Arc::new(Nobody), set, name, arguments).await
    }

    /// The same in another mode, where somebody is there. The home folder is the one around the workspace,
    /// and bowline's own is `own` in it.
    async fn call_as(
        &self,
        mode: Mode,
        approval: Arc<dyn Approval>,
        set: &str,
        name: &str,
        arguments: Value,
    ) -> (String, bool) {
        let parent = self.root.parent().unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let home = [("HOME".into(), parent.as_os_str().to_owned())];
        let mut shared = Shared::new(parent.join("outputs"));
        shared.own = vec![parent.join("own")];
        let context = Context {
            env: Arc::new(LocalEnvironment::new(self.root.clone(), vars.chain(home))),
            approval,
            mode: mode.into(),
            rules: self.rules.clone().into(),
            shared: Arc::new(shared),
        };
        let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
        let cancel = CancellationToken::new();
        let outcome = tools::execute(&Registry::of(set), &context, &call, cancel, Arc::new(|_| {})).await;
        (join_text(&outcome.content), outcome.is_error)
    }
}

const FORBIDDEN: &str = "[[rule]]\ndecision = \"deny\"\npath = \".env\"\n\
                         [[rule]]\ndecision = \"deny\"\npath = \"secret/\"\n";

fn guarded() -> Desk {
    let desk = Desk::new(&["src/a.rs", ".env", "src/.env", "secret/x.txt"], FORBIDDEN);
    symlink(".env", desk.root.join("open.txt")).unwrap();
    symlink("../secret/x.txt", desk.root.join("src/way-in.txt")).unwrap();
    symlink("secret", desk.root.join("folder-link")).unwrap();
    desk
}

#[tokio::test]
async fn no_family_finds_what_rules_forbid() {
    let desk = guarded();
    for (set, name, args) in [
        ("pi", "grep", json!({"pattern": "found"})),
        ("pi", "find", json!({"pattern": "**/*"})),
        ("pi", "ls", json!({})),
        ("anthropic", "Grep", json!({"pattern": "found", "output_mode": "content"})),
        ("anthropic", "Grep", json!({"pattern": "found"})),
        ("anthropic", "Grep", json!({"pattern": "found", "output_mode": "count"})),
        ("anthropic", "Glob", json!({"pattern": "**/*"})),
        ("openai", "grep_files", json!({"pattern": "found"})),
        ("openai", "glob", json!({"pattern": "**/*"})),
        ("openai", "list_dir", json!({"dir_path": desk.root, "depth": 3})),
        ("gemini", "grep_search", json!({"pattern": "found"})),
        ("gemini", "glob", json!({"pattern": "**/*"})),
        ("gemini", "list_directory", json!({"dir_path": "."})),
        ("gemini", "read_many_files", json!({"include": ["**/*"]})),
        ("gemini", "read_many_files", json!({"include": ["src", "*.txt"]})),
    ] {
        let (text, failed) = desk.call(set, name, args.clone()).await;
        let what = format!("{set} {name} {args}: {text}");
        assert!(!failed && text.contains("src"), "{what}");
        for hidden in [".env", "x.txt", "open.txt", "way-in", "folder-link", "secret"] {
            assert!(!text.contains(hidden), "{hidden} in {what}");
        }
        let told: Vec<&str> = text.lines().filter(|line| line.contains("that rules forbid")).collect();
        assert!(told.len() == 1 && told[0].starts_with('[') && told[0].ends_with(" left out.]"), "{what}");
    }
}

#[tokio::test]
async fn how_much_is_left_out_says_nothing_of_what_is_in_it() {
    let desk = guarded();
    let (text, _) = desk.call("pi", "grep", json!({"pattern": "found in .env"})).await;
    assert_eq!(text, "No matches found.\n\n[4 files and 1 folder that rules forbid were left out.]");
    let (other, _) = desk.call("pi", "grep", json!({"pattern": "nothing like it"})).await;
    assert_eq!(other, text);
    let (text, _) = desk.call("pi", "find", json!({"pattern": "*.txt", "path": "src"})).await;
    assert!(text.ends_with("[1 file that rules forbid was left out.]"), "{text}");
    let (text, _) = desk.call("pi", "find", json!({"pattern": "*.rs", "path": "src"})).await;
    assert!(text.contains("a.rs") && !text.contains("left out"), "{text}");
}

#[tokio::test]
async fn what_is_named_is_refused_and_links_and_dots_lead_nowhere_else() {
    let desk = guarded();
    for path in [".env", "open.txt", "src/../.env", "src/way-in.txt", "folder-link/x.txt", "secret/x.txt"] {
        for (set, name, args) in [
            ("pi", "grep", json!({"pattern": "found", "path": path})),
            ("openai", "read_file", json!({"path": path, "file_path": desk.root.join(path)})),
            ("gemini", "read_many_files", json!({"include": [path]})),
        ] {
            let (text, failed) = desk.call(set, name, args).await;
            assert!(failed && text.contains("forbidden by the rule"), "{name} {path}: {text}");
        }
    }
    // The folder itself is not forbidden by a pattern that is for folders, and there is nothing in it.
    for path in ["folder-link", "secret", "src/../secret", "folder-link/../secret/."] {
        let (text, _) = desk.call("pi", "grep", json!({"pattern": "found", "path": path})).await;
        assert!(!text.contains("x.txt"), "{path}: {text}");
        let (text, _) = desk.call("openai", "list_dir", json!({"dir_path": desk.root.join(path)})).await;
        assert!(!text.contains("x.txt"), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_rule_for_one_family_s_tool_holds_for_the_others() {
    let rules = "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\n\
                 [[rule]]\ndecision = \"deny\"\ntool = \"Edit\"\npath = \"a.txt\"\n\
                 [[rule]]\ndecision = \"deny\"\ntool = \"read_file\"\npath = \"b.txt\"\n";
    let desk = Desk::new(&["a.txt", "b.txt"], rules);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-found in a.txt\n+x\n*** End Patch";
    let edits = json!([{"oldText": "found", "newText": "x"}]);
    let replace = json!({"file_path": "a.txt", "instruction": "x", "old_string": "found", "new_string": "x"});
    let edit = json!({"file_path": desk.root.join("a.txt"), "old_string": "found", "new_string": "x"});
    for (set, name, args) in [
        ("pi", "bash", json!({"command": "ls"})),
        ("anthropic", "Bash", json!({"command": "ls"})),
        ("openai", "exec_command", json!({"cmd": "ls"})),
        ("gemini", "run_shell_command", json!({"command": "ls"})),
        ("pi", "job", json!({"action": "start", "command": "ls"})),
        ("pi", "edit", json!({"path": "a.txt", "edits": edits})),
        ("anthropic", "Edit", edit),
        ("openai", "apply_patch", json!({"input": patch})),
        ("gemini", "replace", replace),
        ("pi", "read", json!({"path": "b.txt"})),
        ("anthropic", "Read", json!({"file_path": desk.root.join("b.txt")})),
        ("openai", "view_image", json!({"path": desk.root.join("b.txt")})),
        ("gemini", "read_many_files", json!({"include": ["b.txt"]})),
    ] {
        let (text, failed) = desk.call(set, name, args).await;
        assert!(failed && text.contains("forbidden by the rule"), "{set} {name}: {text}");
    }
    let (text, failed) = desk.call("gemini", "read_file", json!({"file_path": "a.txt"})).await;
    assert!(!failed, "{text}");
    // What is forbidden to readers alone is found by searches.
    let (text, _) = desk.call("pi", "grep", json!({"pattern": "found"})).await;
    assert!(text.contains("b.txt") && !text.contains("left out"), "{text}");
    assert_eq!(fs::read_to_string(desk.root.join("a.txt")).unwrap(), "found in a.txt\n");
}

/// Says yes, and remembers what it was asked about.
#[derive(Default)]
struct Willing(std::sync::Mutex<Vec<(String, String)>>);

impl Approval for Willing {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        assert_eq!((ask.editable, ask.proposal), (None, None), "nothing of it can be changed or kept");
        self.0.lock().unwrap().push((ask.subject, ask.rule));
        Box::pin(std::future::ready(Decision::Allow))
    }
}

#[tokio::test]
async fn a_tool_is_forbidden_where_a_call_of_it_touches_nothing() {
    let calls = [
        ("pi", "job", json!({"action": "list"})),
        ("pi", "job", json!({"action": "poll", "job": 7})),
        ("anthropic", "BashOutput", json!({"bash_id": "bash_7"})),
        ("anthropic", "KillShell", json!({"shell_id": "bash_7"})),
        ("openai", "write_stdin", json!({"session_id": 7})),
        ("openai", "write_stdin", json!({"session_id": 7, "chars": "\u{3}"})),
    ];
    let rule =
        |decision: &str, tool: &str| format!("[[rule]]\ndecision = \"{decision}\"\ntool = \"{tool}\"\n");
    for (set, name, args) in &calls {
        for tool in [name, "job"] {
            let desk = Desk::new(&["a.txt"], &rule("deny", tool));
            let (text, failed) = desk.call(set, name, args.clone()).await;
            assert!(
                failed && text.contains(&format!("forbidden by the rule `deny tool \"{tool}\"`")),
                "{text}"
            );
        }
        // Rules for other tools, for commands and for paths do not mean it; nor can it be allowed more than it is.
        let others = rule("deny", "Write")
            + "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n[[rule]]\ndecision = \"deny\"\npath = \"/**\"\n"
            + &rule("allow", name);
        let (text, _) = Desk::new(&["a.txt"], &others).call(set, name, args.clone()).await;
        assert!(!text.contains("forbidden"), "{name}: {text}");
        let desk = Desk::new(&["a.txt"], &rule("ask", name));
        let (text, failed) = desk.call(set, name, args.clone()).await;
        assert!(failed && text.contains("has nobody to ask"), "{name}: {text}");
        let willing = Arc::new(Willing::default());
        let (text, _) = desk.call_as(Mode::OnRequest, willing.clone(), set, name, args.clone()).await;
        assert!(!text.starts_with("Not run"), "{text}");
        let asked = willing.0.lock().unwrap();
        assert_eq!(*asked, [(format!("{name} {args}"), format!("ask tool {name:?}"))]);
    }
}

#[tokio::test]
async fn no_rule_gives_leave_for_what_is_set_up() {
    let rules = "[[rule]]\ndecision = \"allow\"\npath = \"/**\"\n";
    let desk = Desk::new(&["a.txt"], rules);
    let parent = desk.root.parent().unwrap();
    fs::create_dir_all(parent.join("other/.git")).unwrap();
    symlink("other/.git", parent.join("way")).unwrap();
    fs::create_dir_all(parent.join("settings/bowline")).unwrap();
    symlink("settings/bowline", parent.join("own")).unwrap();
    for path in [
        "other/.git/config",
        "way/config",
        "other/.bowline/permissions.toml",
        "settings/bowline/permissions.toml",
        "own/permissions.toml",
        "work/.git/config",
        ".gitconfig",
    ] {
        let args = json!({"path": parent.join(path), "content": "x"});
        let (text, failed) = desk.call("pi", "write", args).await;
        assert!(failed && text.contains("your own set-up") && !parent.join(path).exists(), "{path}: {text}");
    }
    for path in ["other/a.txt", "settings/other.toml", ".notes"] {
        let args = json!({"path": parent.join(path), "content": "x"});
        let (text, failed) = desk.call("pi", "write", args).await;
        assert!(!failed && parent.join(path).exists(), "{path}: {text}");
    }
}
