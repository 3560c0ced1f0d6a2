//! What rules say about calls of every family's tools, on real files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::permissions::rules::Author;
use bowline::tools::{self, AgentToolState, Approval, Ask, Context, Decision, Mode, Registry, Rules};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Nobody is to be asked.
pub(crate) struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        panic!("asked about {}", ask.target);
    }
}

/// A workspace under rules.
pub(crate) struct Fixture {
    _folder: tempfile::TempDir,
    pub(crate) root: std::path::PathBuf,
    pub(crate) rules: Rules,
}

impl Fixture {
    pub(crate) fn new(files: &[&str], rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("work");
        for name in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), format!("found in {name}\n")).unwrap();
        }
        let mut fixture = Self { _folder: folder, root, rules: Rules::default() };
        let problems = fixture.rules.add(rules, Author::User, &fixture.root, Path::new("/nowhere"));
        assert_eq!(problems, Vec::<String>::new());
        fixture
    }

    /// What a model is told, and whether it went wrong.
    pub(crate) async fn call(&self, set: &str, name: &str, arguments: Value) -> (String, bool) {
        self.call_as(Mode::AutoEdit, Arc::new(NoUser), set, name, arguments).await
    }

    /// The same in another mode, where somebody is there. The home folder is the one around the workspace,
    /// and bowline's own is `own` in it.
    pub(crate) async fn call_as(
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
        let mut shared = AgentToolState::new(parent.join("outputs"));
        shared.own_folders = vec![parent.join("own")];
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

fn guarded_fixture() -> Fixture {
    let fixture = Fixture::new(&["src/a.rs", ".env", "src/.env", "secret/x.txt"], FORBIDDEN);
    symlink(".env", fixture.root.join("open.txt")).unwrap();
    symlink("../secret/x.txt", fixture.root.join("src/way-in.txt")).unwrap();
    symlink("secret", fixture.root.join("folder-link")).unwrap();
    fixture
}

#[tokio::test]
async fn denied_paths_are_hidden_from_search_tools() {
    let fixture = guarded_fixture();
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
        ("openai", "list_dir", json!({"dir_path": fixture.root, "depth": 3})),
        ("gemini", "grep_search", json!({"pattern": "found"})),
        ("gemini", "glob", json!({"pattern": "**/*"})),
        ("gemini", "list_directory", json!({"dir_path": "."})),
        ("gemini", "read_many_files", json!({"include": ["**/*"]})),
        ("gemini", "read_many_files", json!({"include": ["src", "*.txt"]})),
    ] {
        let (text, failed) = fixture.call(set, name, args.clone()).await;
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
async fn denied_paths_count_does_not_reveal_content() {
    let fixture = guarded_fixture();
    let (text, _) = fixture.call("pi", "grep", json!({"pattern": "found in .env"})).await;
    assert_eq!(text, "No matches found.\n\n[4 files and 1 folder that rules forbid were left out.]");
    let (other, _) = fixture.call("pi", "grep", json!({"pattern": "nothing like it"})).await;
    assert_eq!(other, text);
    let (text, _) = fixture.call("pi", "find", json!({"pattern": "*.txt", "path": "src"})).await;
    assert!(text.ends_with("[1 file that rules forbid was left out.]"), "{text}");
    let (text, _) = fixture.call("pi", "find", json!({"pattern": "*.rs", "path": "src"})).await;
    assert!(text.contains("a.rs") && !text.contains("excluded"), "{text}");
}

#[tokio::test]
async fn denied_paths_are_rejected_through_symlinks_and_dots() {
    let fixture = guarded_fixture();
    for path in [".env", "open.txt", "src/../.env", "src/way-in.txt", "folder-link/x.txt", "secret/x.txt"] {
        for (set, name, args) in [
            ("pi", "grep", json!({"pattern": "found", "path": path})),
            ("openai", "read_file", json!({"path": path, "file_path": fixture.root.join(path)})),
            ("gemini", "read_many_files", json!({"include": [path]})),
        ] {
            let (text, failed) = fixture.call(set, name, args).await;
            assert!(failed && text.contains("forbidden by the rule"), "{name} {path}: {text}");
        }
    }
    // The folder itself is not forbidden by a pattern that is for folders, and there is nothing in it.
    for path in ["folder-link", "secret", "src/../secret", "folder-link/../secret/."] {
        let (text, _) = fixture.call("pi", "grep", json!({"pattern": "found", "path": path})).await;
        assert!(!text.contains("x.txt"), "{path}: {text}");
        let (text, _) =
            fixture.call("openai", "list_dir", json!({"dir_path": fixture.root.join(path)})).await;
        assert!(!text.contains("x.txt"), "{path}: {text}");
    }
}

#[tokio::test]
async fn tool_rule_applies_to_all_model_families() {
    let rules = "[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\n\
                 [[rule]]\ndecision = \"deny\"\ntool = \"Edit\"\npath = \"a.txt\"\n\
                 [[rule]]\ndecision = \"deny\"\ntool = \"read_file\"\npath = \"b.txt\"\n";
    let fixture = Fixture::new(&["a.txt", "b.txt"], rules);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-found in a.txt\n+x\n*** End Patch";
    let edits = json!([{"oldText": "found", "newText": "x"}]);
    let replace = json!({"file_path": "a.txt", "instruction": "x", "old_string": "found", "new_string": "x"});
    let edit = json!({"file_path": fixture.root.join("a.txt"), "old_string": "found", "new_string": "x"});
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
        ("anthropic", "Read", json!({"file_path": fixture.root.join("b.txt")})),
        ("openai", "view_image", json!({"path": fixture.root.join("b.txt")})),
        ("gemini", "read_many_files", json!({"include": ["b.txt"]})),
    ] {
        let (text, failed) = fixture.call(set, name, args).await;
        assert!(failed && text.contains("forbidden by the rule"), "{set} {name}: {text}");
    }
    let (text, failed) = fixture.call("gemini", "read_file", json!({"file_path": "a.txt"})).await;
    assert!(!failed, "{text}");
    // What is forbidden to readers alone is found by searches.
    let (text, _) = fixture.call("pi", "grep", json!({"pattern": "found"})).await;
    assert!(text.contains("b.txt") && !text.contains("excluded"), "{text}");
    assert_eq!(fs::read_to_string(fixture.root.join("a.txt")).unwrap(), "found in a.txt\n");
}

/// Says yes, and remembers what it was asked about.
#[derive(Default)]
struct RecordingAllow(std::sync::Mutex<Vec<(String, String)>>);

impl Approval for RecordingAllow {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        assert_eq!((ask.editable, ask.proposal), (None, None), "nothing of it can be changed or kept");
        self.0.lock().unwrap().push((ask.target, ask.rule));
        Box::pin(std::future::ready(Decision::Allow))
    }
}

#[tokio::test]
async fn tool_rule_applies_to_calls_without_targets() {
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
            let fixture = Fixture::new(&["a.txt"], &rule("deny", tool));
            let (text, failed) = fixture.call(set, name, args.clone()).await;
            assert!(
                failed && text.contains(&format!("forbidden by the rule `deny tool \"{tool}\"`")),
                "{text}"
            );
        }
        // Rules for other tools, for commands and for paths do not mean it; nor can it be allowed more than it is.
        let others = rule("deny", "Write")
            + "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n[[rule]]\ndecision = \"deny\"\npath = \"/**\"\n"
            + &rule("allow", name);
        let (text, _) = Fixture::new(&["a.txt"], &others).call(set, name, args.clone()).await;
        assert!(!text.contains("forbidden"), "{name}: {text}");
        let fixture = Fixture::new(&["a.txt"], &rule("ask", name));
        let (text, failed) = fixture.call(set, name, args.clone()).await;
        assert!(failed && text.contains("has nobody to ask"), "{name}: {text}");
        let willing = Arc::new(RecordingAllow::default());
        let (text, _) = fixture.call_as(Mode::OnRequest, willing.clone(), set, name, args.clone()).await;
        assert!(!text.starts_with("Not run"), "{text}");
        let asked = willing.0.lock().unwrap();
        assert_eq!(*asked, [(format!("{name} {args}"), format!("ask tool {name:?}"))]);
    }
}

#[tokio::test]
async fn path_rule_allow_does_not_cover_protected_files() {
    let rules = "[[rule]]\ndecision = \"allow\"\npath = \"/**\"\n";
    let fixture = Fixture::new(&["a.txt"], rules);
    let parent = fixture.root.parent().unwrap();
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
        let (text, failed) = fixture.call("pi", "write", args).await;
        assert!(failed && text.contains("your own set-up") && !parent.join(path).exists(), "{path}: {text}");
    }
    for path in ["other/a.txt", "settings/other.toml", ".notes"] {
        let args = json!({"path": parent.join(path), "content": "x"});
        let (text, failed) = fixture.call("pi", "write", args).await;
        assert!(!failed && parent.join(path).exists(), "{path}: {text}");
    }
}

/// Rules for commands, which other calls of these commands are not covered by.
const COMMANDS: &str = "[[rule]]\ndecision = \"allow\"\ncommand = \"cp\"\n\
                        [[rule]]\ndecision = \"allow\"\ncommand = \"wget\"\n\
                        [[rule]]\ndecision = \"allow\"\ncommand = \"ln\"\n\
                        [[rule]]\ndecision = \"allow\"\ncommand = \"git log\"\n\
                        [[rule]]\ndecision = \"allow\"\nhost = \"127.0.0.1\"\n";

pub(crate) async fn bash(fixture: &Fixture, mode: Mode, command: &str) -> (String, bool) {
    let args = json!({"command": command});
    fixture.call_as(mode, Arc::new(NoUser), "pi", "bash", args).await
}

#[tokio::test]
async fn command_rule_allow_does_not_cover_protected_files() {
    let fixture = Fixture::new(&["a.txt", "sub/.profile", "sub/.bowline/permissions.toml"], COMMANDS);
    let parent = fixture.root.parent().unwrap();
    for folder in ["work/.git/hooks", ".ssh", "own"] {
        fs::create_dir_all(parent.join(folder)).unwrap();
    }
    symlink(".git/hooks", fixture.root.join("way")).unwrap();
    fs::write(parent.join(".zshrc"), "old\n").unwrap();
    fs::hard_link(parent.join(".zshrc"), fixture.root.join("other.txt")).unwrap();
    for line in [
        "cp a.txt other.txt",
        "cp a.txt .git/hooks/pre-commit",
        "cp a.txt way/pre-commit",
        "cp -t.git/hooks a.txt",
        "cp --target-directory=.git a.txt",
        "cp a.txt ../.profile",
        "cp a.txt ~/.profile",
        "cp a.txt \"$HOME/.profile\"",
        "cp a.txt ${HOME}/.ssh/authorized_keys",
        "cp sub/.profile ..",
        "cp sub/.profile ~",
        "cp -r sub/.bowline .",
        "cp a.txt ../own/auth.json",
        "cp a.txt .g*/config",
        "cp a.txt $x/.git/config",
        "cd .. && cp work/a.txt .bashrc",
        "cd sub && cp ../a.txt ../.git/config",
        "cd $x && cp a.txt .git/config",
        "git clone http://127.0.0.1:9/x .git",
        "git clone http://127.0.0.1:9/x .bowline",
        "git clone http://127.0.0.1:9/x/.bowline",
        "git clone http://127.0.0.1:9/x/.bowline.git",
        "wget http://127.0.0.1:9/.profile -P ..",
        "cd .. && wget -q http://127.0.0.1:9/%2eprofile",
        "wget --content-disposition http://127.0.0.1:9/x",
        "wget -x -nH http://127.0.0.1:9/%2egit/config",
        "wget -i a.txt",
        "curl -sO 'http://127.0.0.1:9/.gi[t-t]'",
        "git log --output=../.bashrc --format=x",
        "git log --ext-diff",
    ] {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(failed && text.contains("Not run"), "{line}: {text}");
    }
    assert_eq!(fs::read_dir(fixture.root.join(".git/hooks")).unwrap().count(), 0);
    for line in ["cp a.txt b.txt", "cp a.txt \"$x\" c 2>&1 || true", "wget -q http://127.0.0.1:9/x || true"] {
        let (text, _) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(!text.contains("Not run"), "{line}: {text}");
    }
    assert!(fixture.root.join("b.txt").exists());
}

#[tokio::test]
async fn path_rule_applies_to_read_only_commands() {
    let fixture = guarded_fixture();
    fs::hard_link(fixture.root.join(".env"), fixture.root.join("notes.txt")).unwrap();
    for line in [
        "cat .env",
        "cat ./src/../.env",
        "cat open.txt",
        "cat notes.txt",
        "cat src/way-in.txt",
        "cat *",
        "cat .en*",
        "cat \"$x\"",
        "for f in *; do cat \"$f\"; done",
        "find . -type f | xargs cat",
        "find . -exec cat {} +",
        "head -c9 < .env",
        "cd src && cat ../.env",
        "cd $x && cat y",
        "grep -r found .",
        "grep -f .env src/a.rs",
        "grep -f.env src/a.rs",
        "rg -uu found",
        "rg found",
        "diff -r src secret",
        "diff src .",
        "git show HEAD:.env",
        "git diff",
        "git log -p",
        "sort secret/x.txt",
        "wc -l secret/x.txt | cat",
        "od -c .env",
    ] {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(failed && text.contains("Not run: deny path"), "{line}: {text}");
    }
    for line in
        ["cat src/a.rs", "ls -la", "ls *", "grep -n found src/a.rs", "cd src && cat a.rs", "find . -name x"]
    {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(!failed, "{line}: {text}");
    }
    // A rule for edits says nothing of looking.
    let edits =
        Fixture::new(&["a.txt"], "[[rule]]\ndecision = \"deny\"\ntool = \"write\"\npath = \"a.txt\"\n");
    assert!(!bash(&edits, Mode::AutoEdit, "cat *.txt").await.1);
}

#[tokio::test]
async fn hard_links_keep_denial_and_protection() {
    let fixture = guarded_fixture();
    let parent = fixture.root.parent().unwrap();
    fs::create_dir_all(fixture.root.join(".git/hooks")).unwrap();
    fs::create_dir_all(parent.join("own")).unwrap();
    for (file, link) in [
        ("work/.env", "a.txt"),
        ("work/.git/hooks/pre-commit", "b.txt"),
        (".bashrc", "c.txt"),
        ("own/auth.json", "d.txt"),
    ] {
        fs::write(parent.join(file), "secret\n").unwrap();
        fs::hard_link(parent.join(file), fixture.root.join(link)).unwrap();
    }
    let (text, failed) = fixture.call("pi", "read", json!({"path": "a.txt"})).await;
    assert!(failed && text.contains("forbidden by the rule"), "{text}");
    for path in ["b.txt", "c.txt", "d.txt"] {
        let args = json!({"path": path, "content": "x"});
        let (text, failed) = fixture.call("pi", "write", args).await;
        assert!(failed && text.contains("your own set-up"), "{path}: {text}");
        assert_eq!(fs::read_to_string(fixture.root.join(path)).unwrap(), "secret\n");
    }
    let (text, failed) = fixture.call("pi", "read", json!({"path": "d.txt"})).await;
    assert!(failed && text.contains("file that holds keys"), "{text}");
    // Two names of one ordinary file are no more than that.
    fs::write(fixture.root.join("e.txt"), "e").unwrap();
    fs::hard_link(fixture.root.join("e.txt"), fixture.root.join("f.txt")).unwrap();
    assert!(!fixture.call("pi", "write", json!({"path": "f.txt", "content": "x"})).await.1);
}

#[tokio::test]
async fn auth_file_is_denied_to_every_tool() {
    let fixture = Fixture::new(&["a.txt"], "");
    let own = fixture.root.parent().unwrap().join("own");
    fs::create_dir_all(&own).unwrap();
    let keys = own.join("auth.json");
    fs::write(&keys, "{\"x\": \"the key\"}\n").unwrap();
    symlink(&keys, fixture.root.join("link.txt")).unwrap();
    symlink(&own, fixture.root.join("folder")).unwrap();
    for mode in [Mode::AutoEdit, Mode::Full] {
        for path in
            [keys.to_str().unwrap(), "link.txt", "folder/auth.json", "../own/auth.json", "~/own/auth.json"]
        {
            let (text, failed) =
                fixture.call_as(mode, Arc::new(NoUser), "pi", "read", json!({"path": path})).await;
            assert!(failed && text.contains("file that holds keys"), "{path}: {text}");
        }
        for path in ["..", "../own", "folder"] {
            let args = json!({"pattern": "the key", "path": path});
            let (text, _) = fixture.call_as(mode, Arc::new(NoUser), "pi", "grep", args).await;
            assert!(!text.contains("auth.json"), "{path}: {text}");
        }
    }
    for line in [
        "cat ../own/auth.json",
        "cat link.txt",
        "cat ~/own/auth.json",
        "grep -r key ..",
        "rg -uu key ../own",
        "head -1 < ../own/auth.json",
        "cat folder/auth.json",
        "grep -r key ~",
    ] {
        let (text, failed) = bash(&fixture, Mode::AutoEdit, line).await;
        assert!(failed && text.contains("file that holds keys"), "{line}: {text}");
    }
    assert!(
        !bash(&fixture, Mode::AutoEdit, "cat a.txt ../own/*.toml; grep -r found .")
            .await
            .0
            .contains("holds keys")
    );
}

#[tokio::test]
async fn command_rule_deny_covers_ambiguous_commands_in_full_mode() {
    let fixture = Fixture::new(&["a.txt"], "[[rule]]\ndecision = \"deny\"\ncommand = \"touch\"\n");
    for line in [
        "touch f",
        "x=touch; $x f",
        "{touch,f}",
        "$(echo touch) f",
        "env -S 'touch f'",
        "/usr/bin/t[o]uch f",
        "/bin/tou* f",
        "echo touch f | sh",
    ] {
        let (text, failed) = bash(&fixture, Mode::Full, line).await;
        assert!(failed && text.contains("forbidden by the rule"), "{line}: {text}");
    }
    assert!(!fixture.root.join("f").exists());
    let (text, failed) = bash(&fixture, Mode::Full, "cp a.txt b.txt && cat $HOME/x \"$y\" b.txt; true").await;
    assert!(!failed && fixture.root.join("b.txt").exists(), "{text}");
}
