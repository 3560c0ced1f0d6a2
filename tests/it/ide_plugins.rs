//! Plugins of the editor: their commands run for real, what they answer becomes one step, and those
//! of a project run only once the user has seen what they would run.

use std::time::Duration;

use bowline::ide::features::plugins::state::PLUGINS;
use bowline::llm::providers::scripted::Turn;
use bowline::text::transaction::Author;

use crate::support::task_orders::with_task_orders;
use bowline::ide::core::layers::picker::Picker;

use crate::support::test_ide::{IdeSetup, TestIde};

/// A manifest of commands: name, shell script, what it reads, what becomes of its output.
fn manifest(commands: &[(&str, &str, &str, &str)]) -> String {
    let one = |(name, script, input, output): &(&str, &str, &str, &str)| {
        format!(
            "[[command]]\nname = \"{name}\"\ntitle = \"Do {name}\"\nrun = [\"sh\", \"-c\", '''{script}''']\n\
             input = \"{input}\"\noutput = \"{output}\"\n"
        )
    };
    commands.iter().map(one).collect()
}

/// A ide with a plugin `p` of the user's own.
fn setup_with_plugin(commands: &[(&str, &str, &str, &str)]) -> IdeSetup {
    IdeSetup::new().config_file("plugins/p/plugin.toml", &manifest(commands))
}

async fn run_command(ide: &mut TestIde, id: &str) {
    start(ide, id);
    ide.headless.idle().await;
}

fn start(ide: &mut TestIde, id: &str) {
    ide.headless.press("F1");
    ide.type_without_settling(id);
    ide.headless.press("Enter");
}

fn last_edit_author(ide: &mut TestIde) -> Author {
    let history = ide.state().buffers.current().unwrap().area.document.history();
    history.last().unwrap().author.clone()
}

#[tokio::test]
async fn plugin_replaces_selections_as_one_undo_step() {
    let shout = "read x; case $x in *b*) echo BÉ;; *) printf 'A\\033[1m\\n';; esac";
    let mut ide = setup_with_plugin(&[("shout", shout, "selections", "replace")])
        .with("a.txt", "a b a\r\nb\r\n")
        .start()
        .await;
    ide.keys("F1").await;
    ide.type_in("shout").await;
    assert!(ide.picture().contains("Do shout"), "{}", ide.picture());
    ide.keys("Escape Alt-h").await;
    ide.keys("Alt-s").await;
    ide.type_in("s").await;
    run_command(&mut ide, "plugin.p.shout").await;
    let text = ide.text();
    assert!(text.contains("BÉ") && !text.contains('\u{1b}'), "{text:?}: {}", ide.status_message());
    assert!(text.lines().count() == 2 && text.ends_with("\r\n"), "{text:?}");
    assert_eq!(last_edit_author(&mut ide), Author::Plugin("p".to_string()));
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "a b a\r\nb\r\n", "one step");
}

#[tokio::test]
async fn plugin_replaces_only_changed_text() {
    let mut ide = setup_with_plugin(&[("fmt", "printf 'one\\ntwo\\nthree\\n'", "text", "replace")])
        .with("a.txt", "one\nTWO\nthree\n")
        .start()
        .await;
    ide.keys("Ctrl-End Up").await;
    let before = ide.cursor();
    run_command(&mut ide, "plugin.p.fmt").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("one\ntwo\nthree\n", before));
    run_command(&mut ide, "plugin.p.fmt").await;
    assert_eq!(ide.status_message(), "p: nothing to change");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\nTWO\nthree\n");
}

#[tokio::test]
async fn plugin_output_is_inserted_shown_or_listed() {
    let edits =
        r#"echo "[{\"start\":{\"line\":2,\"column\":1},\"end\":{\"line\":2,\"column\":3},\"text\":\"é\"}]""#;
    let list = r#"echo "[{\"path\":\"b.txt\",\"line\":2,\"column\":2,\"text\":\"here\"}]""#;
    let mut ide = setup_with_plugin(&[
        ("put", "echo Ö", "none", "insert"),
        ("edits", edits, "text", "edits"),
        ("broken", "echo nonsense", "text", "edits"),
        ("say", "printf 'one\\033[31m line\\n'", "none", "message"),
        ("tell", "printf '1\\n2\\n'", "none", "message"),
        ("list", list, "none", "list"),
        ("fails", "echo no good >&2; exit 3", "none", "message"),
    ])
    .file("b.txt", "one\ntwo\n")
    .with("a.txt", "a\nbé\n")
    .start()
    .await;
    run_command(&mut ide, "plugin.p.put").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("Öa\nbé\n", (1, 2)));
    run_command(&mut ide, "plugin.p.edits").await;
    assert_eq!(
        ide.status_message(),
        "p: its answer cannot be used: line 2, column 3: this is inside a character; nothing changed"
    );
    run_command(&mut ide, "plugin.p.broken").await;
    assert!(ide.status_message().contains("its answer cannot be used"), "{}", ide.status_message());
    assert_eq!(ide.text(), "Öa\nbé\n");
    run_command(&mut ide, "plugin.p.say").await;
    assert_eq!(ide.status_message(), "p: one␛[31m line");
    run_command(&mut ide, "plugin.p.fails").await;
    assert_eq!(ide.status_message(), "p: no good (exit 3): nothing changed");
    run_command(&mut ide, "plugin.p.tell").await;
    assert!(ide.picture().contains(" p "), "{}", ide.picture());
    ide.keys("Enter").await;
    run_command(&mut ide, "plugin.p.list").await;
    assert!(ide.picture().contains("b.txt:2: here"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("b.txt", (2, 2)));
}

#[tokio::test]
async fn plugin_escape_kills_process_tree() {
    let script = "sleep 600 & echo $! > pid; wait";
    let mut ide =
        setup_with_plugin(&[("hang", script, "none", "message")]).with("a.txt", "a\n").start().await;
    start(&mut ide, "plugin.p.hang");
    let pid = ide.path("pid");
    let written = pid.clone();
    ide.headless
        .until("the program", move |_| std::fs::read_to_string(&written).is_ok_and(|pid| pid.ends_with('\n')))
        .await;
    start(&mut ide, "plugin.p.hang");
    assert_eq!(ide.status_message(), "A plugin command is running already. Escape ends it");
    ide.headless.press("Escape");
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "p: Command ended: nothing changed");
    let pid = std::fs::read_to_string(pid).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "it is still there: {stat}");
}

#[tokio::test]
async fn plugin_output_for_edited_text_is_dropped() {
    with_task_orders(async || {
        let mut ide = setup_with_plugin(&[(
            "slow",
            "while ! test -e go; do sleep 0.01; done; echo x",
            "text",
            "replace",
        )])
        .with("a.txt", "a\n")
        .start()
        .await;
        start(&mut ide, "plugin.p.slow");
        ide.type_without_settling("b");
        ide.write_file("go", "");
        ide.headless.idle().await;
        assert_eq!(ide.text(), "ba\n");
        assert_eq!(ide.status_message(), "p: Text changed meanwhile: nothing changed");
    })
    .await;
}

#[tokio::test]
async fn plugin_invalid_manifest_is_reported_and_others_work() {
    let mut ide = setup_with_plugin(&[("say", "echo fine", "none", "message")])
        .config_file("plugins/q/plugin.toml", "[[command]]\nname = \"x\"\n")
        .with("a.txt", "a\n")
        .start()
        .await;
    let message = ide.status_message();
    assert!(message.ends_with("q/plugin.toml:1: a command needs a title; command ignored"), "{message}");
    run_command(&mut ide, "plugin.p.say").await;
    assert_eq!(ide.status_message(), "p: fine");
    ide.write_file("new.txt", "");
    run_command(&mut ide, "plugins.reload").await;
    assert!(ide.status_message().contains("a command needs a title"), "{}", ide.status_message());
}

#[tokio::test]
async fn plugin_keys_bind_if_free_or_by_keymap() {
    let with =
        |key: &str| manifest(&[("say", "echo fine", "none", "message")]) + &format!("key = \"{key}\"\n");
    for (key, pressed, told) in [
        ("F10", "F10", "p: fine"),
        ("Alt-F10 x", "Alt-F10 x", "p: fine"),
        ("F1", "", "plugin.p.say: the key F1 is that of app.palette; a key map can change that"),
        ("x", "", "plugin.p.say: the key x types a character"),
    ] {
        let plan = IdeSetup::new().config_file("plugins/p/plugin.toml", &with(key)).with("a.txt", "a\n");
        let mut ide = plan.start().await;
        if !pressed.is_empty() {
            ide.keys(pressed).await;
        }
        assert_eq!(ide.status_message(), told, "{key}");
    }
    let map = "base = \"default\"\n[editor]\n\"F8\" = \"plugin.p.say\"\n\"F9\" = \"plugin.none.x\"\n";
    let mut ide = setup_with_plugin(&[("say", "echo fine", "none", "message")])
        .keymap(map)
        .with("a.txt", "a\n")
        .start()
        .await;
    ide.keys("F8").await;
    assert_eq!(ide.status_message(), "p: fine");
    ide.keys("F9").await;
    assert_eq!(ide.status_message(), "No such plugin command: plugin.none.x");
}

#[tokio::test]
async fn plugin_snippets_are_available() {
    let mut ide = IdeSetup::new()
        .config_file("plugins/p/plugin.toml", "")
        .config_file("plugins/p/snippets/rust.json", r#"{"mine": {"prefix": "mi", "body": "mine é"}}"#)
        .with("a.rs", "")
        .start()
        .await;
    start(&mut ide, "snippet.insert");
    ide.headless.idle().await;
    assert!(ide.picture().contains("mine"), "{}", ide.picture());
}

const PROJECT: &str = ".bowline/plugins/build/plugin.toml";

fn project_setup() -> IdeSetup {
    let text = manifest(&[("make", "echo made", "none", "message")]);
    IdeSetup::new().file(PROJECT, text).with("a.txt", "a\n").size(100, 24)
}

/// Answers the question that came by itself, once it may be answered.
async fn answer_dialog(ide: &mut TestIde, key: &str) {
    ide.advance(Duration::from_secs(1));
    ide.keys(key).await;
}

#[tokio::test]
async fn project_plugin_needs_trust_before_running() {
    let mut ide = project_setup().start().await;
    ide.snap("plugins-trust");
    answer_dialog(&mut ide, "Escape").await;
    run_command(&mut ide, "plugin.build.make").await;
    assert_ne!(ide.status_message(), "build: made");
    // Nothing was said: the next start asks again.
    let mut ide = ide.restart().open("a.txt").start().await;
    answer_dialog(&mut ide, "y").await;
    run_command(&mut ide, "plugin.build.make").await;
    assert_eq!(ide.status_message(), "build: made");
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(!ide.picture().contains("Trust this project?"), "{}", ide.picture());
    run_command(&mut ide, "plugin.build.make").await;
    assert_eq!(ide.status_message(), "build: made");
    // What was changed since runs neither now nor later.
    ide.write_file(".bowline/plugins/build/more.sh", "harm\n");
    run_command(&mut ide, "plugin.build.make").await;
    assert!(
        ide.status_message().contains("were changed since they were trusted"),
        "{}",
        ide.status_message()
    );
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(ide.picture().contains("Trust this project?"), "{}", ide.picture());
}

#[tokio::test]
async fn project_trust_denied_is_remembered_and_reversible() {
    let mut ide = project_setup().start().await;
    answer_dialog(&mut ide, "n").await;
    assert_eq!(ide.status_message(), "Project is not trusted. Details: “Show project trust” (F1)");
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(!ide.picture().contains("Trust this project?"), "{}", ide.picture());
    assert_eq!(ide.status_message(), "Project is not trusted. Details: “Show project trust” (F1)");
    run_command(&mut ide, "trust.show").await;
    let picture = ide.picture();
    assert!(picture.contains("Not trusted") && picture.contains("echo made"), "{picture}");
    ide.keys("y").await;
    run_command(&mut ide, "plugin.build.make").await;
    assert_eq!(ide.status_message(), "build: made");
    run_command(&mut ide, "trust.take-back").await;
    assert_eq!(ide.state().slots[PLUGINS].commands.len(), 0);
    run_command(&mut ide, "trust.give").await;
    assert_eq!(ide.state().slots[PLUGINS].commands.len(), 1);
}

#[tokio::test]
async fn project_trust_asks_again_after_change() {
    with_task_orders(async || {
        let mut ide = project_setup().start().await;
        ide.write_file(".bowline/plugins/build/more.sh", "harm\n");
        answer_dialog(&mut ide, "y").await;
        assert!(ide.picture().contains("Trust this project?"), "{}", ide.picture());
        assert_eq!(ide.state().slots[PLUGINS].commands.len(), 0);
        answer_dialog(&mut ide, "y").await;
        assert_eq!(ide.state().slots[PLUGINS].commands.len(), 1);
        std::os::unix::fs::symlink("/bin/sh", ide.path(".bowline/plugins/build/sh")).unwrap();
        run_command(&mut ide, "plugins.reload").await;
        assert!(ide.status_message().contains("cannot be trusted"), "{}", ide.status_message());
        assert_eq!(ide.state().slots[PLUGINS].commands.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn project_trust_dialog_shows_command_paths() {
    let text = "[[command]]\nname = \"make\"\ntitle = \"Do\"\nrun = [\"./x.sh\", \"{plugin}/y\"]\n";
    let mut ide = IdeSetup::new().file(PROJECT, text).with("a.txt", "a\n").size(120, 24).start().await;
    let picture = ide.picture();
    assert!(picture.contains("(Do): .bowline/plugins/build/x.sh"), "{picture}");
    assert!(picture.contains("│ .bowline/plugins/build/y"), "{picture}");
}

#[tokio::test]
async fn project_trust_dialog_updates_when_manifest_changes() {
    let mut ide = project_setup().start().await;
    ide.write_file(PROJECT, manifest(&[("make", "echo harm", "none", "message")]));
    ide.headless.app().with_cx(|cx| bowline::ide::features::plugins::run::read(cx, true, None));
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("echo harm") && !picture.contains("echo made"), "{picture}");
    answer_dialog(&mut ide, "n").await;
    assert!(ide.state().layers.is_empty(), "{}", ide.picture());
}

#[tokio::test]
async fn project_trust_once_ends_with_process() {
    let mut ide = project_setup().start().await;
    answer_dialog(&mut ide, "o").await;
    run_command(&mut ide, "plugin.build.make").await;
    assert_eq!(ide.status_message(), "build: made");
    run_command(&mut ide, "plugins.reload").await;
    assert_eq!(ide.status_message(), "1 command of plugins");
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(ide.picture().contains("Trust this project?"), "{}", ide.picture());
}

const ALLOW_RULES: &str = "[[rule]]\ndecision = \"allow\"\ncommand = \"mkdir\"\n\
                      [[rule]]\ndecision = \"deny\"\ncommand = \"rmdir\"\n";

/// A project that wants the agent to do something, and an agent that does it.
fn setup_with_project(command: &str) -> IdeSetup {
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": command}));
    IdeSetup::new()
        .file(".bowline/permissions.toml", ALLOW_RULES)
        .with("a.txt", "a\n")
        .size(100, 24)
        .turns([turn, Turn::text("done")])
}

#[tokio::test]
async fn project_permission_rules_apply_once_trusted() {
    let mut ide = setup_with_project("mkdir made").start().await;
    let picture = ide.picture();
    assert!(
        picture.contains("Trust this project?") && picture.contains("allow command \"mkdir\""),
        "{picture}"
    );
    assert!(!picture.contains("rmdir"), "what it forbids holds anyway: {picture}");
    answer_dialog(&mut ide, "y").await;
    assert_eq!(ide.status_message(), "Project trusted: its rules apply");
    ide.prompt("go").await;
    assert!(ide.path("made").exists(), "{}", ide.picture());
    // The next run knows it; a rule that came later is another question, and does not hold.
    let again = ide.restart().open("a.txt").size(100, 24);
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": "mkdir more"}));
    let mut ide = again.turns([turn, Turn::text("done")]).start().await;
    assert!(!ide.picture().contains("Trust this project?"), "{}", ide.picture());
    ide.prompt("go").await;
    assert!(ide.path("more").exists());
    ide.write_file(".bowline/permissions.toml", ALLOW_RULES.replace("mkdir", "touch"));
    let again = ide.restart().open("a.txt").size(100, 24);
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": "touch third"}));
    let mut ide = again.turns([turn, Turn::text("done")]).start().await;
    assert!(ide.picture().contains("allow command \"touch\""), "{}", ide.picture());
    answer_dialog(&mut ide, "n").await;
    ide.send_prompt("go").await;
    ide.wait_for_text("wants to run").await;
    assert!(!ide.path("third").exists());
}

#[tokio::test]
async fn project_trust_revoked_disables_permission_rules() {
    let mut ide = setup_with_project("mkdir made").start().await;
    answer_dialog(&mut ide, "o").await;
    assert_eq!(ide.status_message(), "Project trusted: its rules apply");
    run_command(&mut ide, "trust.take-back").await;
    assert_eq!(
        ide.status_message(),
        "Project rules are off: not trusted. Details: “Show project trust” in the palette"
    );
    ide.send_prompt("go").await;
    ide.wait_for_text("wants to run").await;
    assert!(!ide.path("made").exists());
    let mut ide = ide.restart().open("a.txt").size(100, 24).start().await;
    assert!(ide.picture().contains("Trust this project?"), "{}", ide.picture());
}

#[tokio::test]
async fn project_trust_dialog_ignores_keys_while_typing() {
    let mut ide = project_setup().start().await;
    ide.type_in("yyy").await;
    assert_eq!(ide.text(), "yyya\n");
    assert!(ide.picture().contains("Trust this project?"), "{}", ide.picture());
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
async fn plugin_example_from_docs_works() {
    let folder = crate::source::root().join("docs/plugins/lines");
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped, there is no python3");
        return;
    }
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let long = "é".repeat(50);
    let mut ide = IdeSetup::new()
        .config_file("plugins/lines/plugin.toml", &read("plugin.toml"))
        .config_file("plugins/lines/lines.py", &read("lines.py"))
        .with("a.txt", format!("one two\n{long}\n"))
        .start()
        .await;
    run_command(&mut ide, "plugin.lines.long").await;
    let first =
        ide.state().layers.top::<Picker>().and_then(|picker| picker.current().map(|row| row.text.clone()));
    assert!(
        first.is_some_and(|text| text.contains("a.txt:2: éé")),
        "{}: {}",
        ide.status_message(),
        ide.picture()
    );
    ide.keys("Escape").await;
    run_command(&mut ide, "plugin.lines.number").await;
    assert_eq!(ide.text(), format!("1. one two\n2. {long}\n"), "{}", ide.status_message());
    ide.keys("Ctrl-z Alt-h").await;
    run_command(&mut ide, "plugin.lines.count").await;
    assert_eq!(ide.status_message(), "lines: 2 line ends, 3 words, 109 bytes");
    run_command(&mut ide, "plugin.lines.quote").await;
    assert_eq!(ide.text(), format!("> one two\n> {long}\n"), "{}", ide.status_message());
}
