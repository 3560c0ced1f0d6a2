//! Plugins of the editor: their commands run for real, what they answer becomes one step, and those
//! of a project run only once the user has seen what they would run.

use std::time::Duration;

use bowline::ide::features::plugins::state::PLUGINS;
use bowline::llm::providers::scripted::Turn;
use bowline::text::transaction::Author;

use crate::support::desk::{Desk, Plan};

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

/// A desk with a plugin `p` of the user's own.
fn plan(commands: &[(&str, &str, &str, &str)]) -> Plan {
    Plan::new().config("plugins/p/plugin.toml", &manifest(commands))
}

async fn call(desk: &mut Desk, id: &str) {
    start(desk, id);
    desk.ide.idle().await;
}

fn start(desk: &mut Desk, id: &str) {
    desk.ide.press("F1");
    desk.type_now(id);
    desk.ide.press("Enter");
}

fn author(desk: &mut Desk) -> Author {
    let history = desk.state().buffers.current().unwrap().area.document.history();
    history.last().unwrap().author.clone()
}

#[tokio::test]
async fn selections_are_replaced_as_one_step_of_the_plugin() {
    let shout = "read x; case $x in *b*) echo BÉ;; *) printf 'A\\033[1m\\n';; esac";
    let mut desk =
        plan(&[("shout", shout, "selections", "replace")]).with("a.txt", "a b a\r\nb\r\n").start().await;
    desk.keys("F1").await;
    desk.type_in("shout").await;
    assert!(desk.picture().contains("Do shout  plugin.p.shout"), "{}", desk.picture());
    desk.keys("Escape Alt-h").await;
    desk.keys("Alt-s").await;
    desk.type_in("s").await;
    call(&mut desk, "plugin.p.shout").await;
    let text = desk.text();
    assert!(text.contains("BÉ") && !text.contains('\u{1b}'), "{text:?}: {}", desk.message());
    assert!(text.lines().count() == 2 && text.ends_with("\r\n"), "{text:?}");
    assert_eq!(author(&mut desk), Author::Plugin("p".to_string()));
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "a b a\r\nb\r\n", "one step");
}

#[tokio::test]
async fn a_text_is_replaced_where_it_differs() {
    let mut desk = plan(&[("fmt", "printf 'one\\ntwo\\nthree\\n'", "text", "replace")])
        .with("a.txt", "one\nTWO\nthree\n")
        .start()
        .await;
    desk.keys("Ctrl-End Up").await;
    let before = desk.cursor();
    call(&mut desk, "plugin.p.fmt").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("one\ntwo\nthree\n", before));
    call(&mut desk, "plugin.p.fmt").await;
    assert_eq!(desk.message(), "p: nothing to change");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "one\nTWO\nthree\n");
}

#[tokio::test]
async fn answers_are_put_in_shown_or_listed() {
    let edits =
        r#"echo "[{\"start\":{\"line\":2,\"column\":1},\"end\":{\"line\":2,\"column\":3},\"text\":\"é\"}]""#;
    let list = r#"echo "[{\"path\":\"b.txt\",\"line\":2,\"column\":2,\"text\":\"here\"}]""#;
    let mut desk = plan(&[
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
    call(&mut desk, "plugin.p.put").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("Öa\nbé\n", (1, 2)));
    call(&mut desk, "plugin.p.edits").await;
    assert_eq!(
        desk.message(),
        "p: its answer cannot be used: line 2, column 3: this is inside a character; nothing changed"
    );
    call(&mut desk, "plugin.p.broken").await;
    assert!(desk.message().contains("its answer cannot be used"), "{}", desk.message());
    assert_eq!(desk.text(), "Öa\nbé\n");
    call(&mut desk, "plugin.p.say").await;
    assert_eq!(desk.message(), "p: one␛[31m line");
    call(&mut desk, "plugin.p.fails").await;
    assert_eq!(desk.message(), "p: no good (exit 3): nothing changed");
    call(&mut desk, "plugin.p.tell").await;
    assert!(desk.picture().contains(" p "), "{}", desk.picture());
    desk.keys("Enter").await;
    call(&mut desk, "plugin.p.list").await;
    assert!(desk.picture().contains("b.txt:2: here"), "{}", desk.picture());
    desk.keys("Enter").await;
    assert_eq!((desk.shown().as_str(), desk.cursor()), ("b.txt", (2, 2)));
}

#[tokio::test]
async fn escape_ends_the_program_and_what_it_began() {
    let script = "sleep 600 & echo $! > pid; wait";
    let mut desk = plan(&[("hang", script, "none", "message")]).with("a.txt", "a\n").start().await;
    start(&mut desk, "plugin.p.hang");
    let pid = desk.path("pid");
    let written = pid.clone();
    desk.ide
        .until("the program", move |_| std::fs::read_to_string(&written).is_ok_and(|pid| pid.ends_with('\n')))
        .await;
    start(&mut desk, "plugin.p.hang");
    assert_eq!(desk.message(), "A plugin command is running already. Escape ends it");
    desk.ide.press("Escape");
    desk.ide.idle().await;
    assert_eq!(desk.message(), "p: Command ended: nothing changed");
    let pid = std::fs::read_to_string(pid).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "it is still there: {stat}");
}

#[tokio::test]
async fn an_answer_to_a_text_that_was_edited_meanwhile_is_dropped() {
    let mut desk = plan(&[("slow", "while ! test -e go; do sleep 0.01; done; echo x", "text", "replace")])
        .with("a.txt", "a\n")
        .start()
        .await;
    start(&mut desk, "plugin.p.slow");
    desk.type_now("b");
    desk.write("go", "");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "ba\n");
    assert_eq!(desk.message(), "p: Text changed meanwhile: nothing changed");
}

#[tokio::test]
async fn a_broken_manifest_is_told_and_the_rest_goes_on() {
    let mut desk = plan(&[("say", "echo fine", "none", "message")])
        .config("plugins/q/plugin.toml", "[[command]]\nname = \"x\"\n")
        .with("a.txt", "a\n")
        .start()
        .await;
    let message = desk.message();
    assert!(message.ends_with("q/plugin.toml:1: a command needs a title; command ignored"), "{message}");
    call(&mut desk, "plugin.p.say").await;
    assert_eq!(desk.message(), "p: fine");
    desk.write("new.txt", "");
    call(&mut desk, "plugins.reload").await;
    assert!(desk.message().contains("a command needs a title"), "{}", desk.message());
}

#[tokio::test]
async fn commands_have_keys_where_they_are_free_and_as_key_maps_say() {
    let with =
        |key: &str| manifest(&[("say", "echo fine", "none", "message")]) + &format!("key = \"{key}\"\n");
    for (key, pressed, told) in [
        ("F9", "F9", "p: fine"),
        ("Alt-F9 x", "Alt-F9 x", "p: fine"),
        ("F1", "", "plugin.p.say: the key F1 is that of app.palette; a key map can change that"),
        ("x", "", "plugin.p.say: the key x types a character"),
    ] {
        let plan = Plan::new().config("plugins/p/plugin.toml", &with(key)).with("a.txt", "a\n");
        let mut desk = plan.start().await;
        if !pressed.is_empty() {
            desk.keys(pressed).await;
        }
        assert_eq!(desk.message(), told, "{key}");
    }
    let map = "base = \"default\"\n[editor]\n\"F8\" = \"plugin.p.say\"\n\"F9\" = \"plugin.none.x\"\n";
    let mut desk =
        plan(&[("say", "echo fine", "none", "message")]).keymap(map).with("a.txt", "a\n").start().await;
    desk.keys("F8").await;
    assert_eq!(desk.message(), "p: fine");
    desk.keys("F9").await;
    assert_eq!(desk.message(), "No such plugin command: plugin.none.x");
}

#[tokio::test]
async fn snippets_of_a_plugin_are_offered() {
    let mut desk = Plan::new()
        .config("plugins/p/plugin.toml", "")
        .config("plugins/p/snippets/rust.json", r#"{"mine": {"prefix": "mi", "body": "mine é"}}"#)
        .with("a.rs", "")
        .start()
        .await;
    start(&mut desk, "snippet.insert");
    desk.ide.idle().await;
    assert!(desk.picture().contains("mine"), "{}", desk.picture());
}

const PROJECT: &str = ".bowline/plugins/build/plugin.toml";

fn project() -> Plan {
    let text = manifest(&[("make", "echo made", "none", "message")]);
    Plan::new().file(PROJECT, text).with("a.txt", "a\n").size(100, 24)
}

/// Answers the question that came by itself, once it may be answered.
async fn answer(desk: &mut Desk, key: &str) {
    desk.wait(Duration::from_secs(1));
    desk.keys(key).await;
}

#[tokio::test]
async fn a_project_runs_nothing_until_it_is_trusted() {
    let mut desk = project().start().await;
    desk.snap("plugins-trust");
    answer(&mut desk, "Escape").await;
    call(&mut desk, "plugin.build.make").await;
    assert_ne!(desk.message(), "build: made");
    // Nothing was said: the next start asks again.
    let mut desk = desk.again().open("a.txt").start().await;
    answer(&mut desk, "y").await;
    call(&mut desk, "plugin.build.make").await;
    assert_eq!(desk.message(), "build: made");
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(!desk.picture().contains("Trust this project?"), "{}", desk.picture());
    call(&mut desk, "plugin.build.make").await;
    assert_eq!(desk.message(), "build: made");
    // What was changed since runs neither now nor later.
    desk.write(".bowline/plugins/build/more.sh", "harm\n");
    call(&mut desk, "plugin.build.make").await;
    assert!(desk.message().contains("were changed since they were trusted"), "{}", desk.message());
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(desk.picture().contains("Trust this project?"), "{}", desk.picture());
}

#[tokio::test]
async fn a_project_that_is_refused_works_without_and_says_so() {
    let mut desk = project().start().await;
    answer(&mut desk, "n").await;
    assert_eq!(desk.message(), "Project is not trusted. Details: trust.show");
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(!desk.picture().contains("Trust this project?"), "{}", desk.picture());
    assert_eq!(desk.message(), "Project is not trusted. Details: trust.show");
    call(&mut desk, "trust.show").await;
    let picture = desk.picture();
    assert!(picture.contains("Not trusted") && picture.contains("echo made"), "{picture}");
    desk.keys("y").await;
    call(&mut desk, "plugin.build.make").await;
    assert_eq!(desk.message(), "build: made");
    call(&mut desk, "trust.take-back").await;
    assert_eq!(desk.state().slots[PLUGINS].commands.len(), 0);
    call(&mut desk, "trust.give").await;
    assert_eq!(desk.state().slots[PLUGINS].commands.len(), 1);
}

#[tokio::test]
async fn what_was_changed_before_the_answer_is_asked_about_again() {
    let mut desk = project().start().await;
    desk.write(".bowline/plugins/build/more.sh", "harm\n");
    answer(&mut desk, "y").await;
    assert!(desk.picture().contains("Trust this project?"), "{}", desk.picture());
    assert_eq!(desk.state().slots[PLUGINS].commands.len(), 0);
    answer(&mut desk, "y").await;
    assert_eq!(desk.state().slots[PLUGINS].commands.len(), 1);
    std::os::unix::fs::symlink("/bin/sh", desk.path(".bowline/plugins/build/sh")).unwrap();
    call(&mut desk, "plugins.reload").await;
    assert!(desk.message().contains("cannot be trusted"), "{}", desk.message());
    assert_eq!(desk.state().slots[PLUGINS].commands.len(), 0);
}

#[tokio::test]
async fn the_question_names_what_would_run() {
    let text = "[[command]]\nname = \"make\"\ntitle = \"Do\"\nrun = [\"./x.sh\", \"{plugin}/y\"]\n";
    let mut desk = Plan::new().file(PROJECT, text).with("a.txt", "a\n").size(120, 24).start().await;
    let picture = desk.picture();
    assert!(picture.contains("(Do): .bowline/plugins/build/x.sh"), "{picture}");
    assert!(picture.contains("│ .bowline/plugins/build/y"), "{picture}");
}

#[tokio::test]
async fn an_answer_is_never_about_more_than_the_question_shows() {
    let mut desk = project().start().await;
    desk.write(PROJECT, manifest(&[("make", "echo harm", "none", "message")]));
    desk.ide.app().with_cx(|cx| bowline::ide::features::plugins::run::read(cx, true, None));
    desk.ide.idle().await;
    let picture = desk.picture();
    assert!(picture.contains("echo harm") && !picture.contains("echo made"), "{picture}");
    answer(&mut desk, "n").await;
    assert!(desk.state().layers.is_empty(), "{}", desk.picture());
}

#[tokio::test]
async fn trust_for_now_ends_with_the_program() {
    let mut desk = project().start().await;
    answer(&mut desk, "o").await;
    call(&mut desk, "plugin.build.make").await;
    assert_eq!(desk.message(), "build: made");
    call(&mut desk, "plugins.reload").await;
    assert_eq!(desk.message(), "1 command of plugins");
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(desk.picture().contains("Trust this project?"), "{}", desk.picture());
}

const ALLOWS: &str = "[[rule]]\ndecision = \"allow\"\ncommand = \"mkdir\"\n\
                      [[rule]]\ndecision = \"deny\"\ncommand = \"rmdir\"\n";

/// A project that wants the agent to do something, and an agent that does it.
fn allowing(command: &str) -> Plan {
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": command}));
    Plan::new()
        .file(".bowline/permissions.toml", ALLOWS)
        .with("a.txt", "a\n")
        .size(100, 24)
        .turns([turn, Turn::text("done")])
}

#[tokio::test]
async fn what_a_project_allows_counts_once_it_is_trusted() {
    let mut desk = allowing("mkdir made").start().await;
    let picture = desk.picture();
    assert!(
        picture.contains("Trust this project?") && picture.contains("allow command \"mkdir\""),
        "{picture}"
    );
    assert!(!picture.contains("rmdir"), "what it forbids holds anyway: {picture}");
    answer(&mut desk, "y").await;
    assert_eq!(desk.message(), "Project trusted: its rules apply");
    desk.ask("go").await;
    assert!(desk.path("made").exists(), "{}", desk.picture());
    // The next run knows it; a rule that came later is another question, and does not hold.
    let again = desk.again().open("a.txt").size(100, 24);
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": "mkdir more"}));
    let mut desk = again.turns([turn, Turn::text("done")]).start().await;
    assert!(!desk.picture().contains("Trust this project?"), "{}", desk.picture());
    desk.ask("go").await;
    assert!(desk.path("more").exists());
    desk.write(".bowline/permissions.toml", ALLOWS.replace("mkdir", "touch"));
    let again = desk.again().open("a.txt").size(100, 24);
    let turn = Turn::call("c1", "bash", serde_json::json!({"command": "touch third"}));
    let mut desk = again.turns([turn, Turn::text("done")]).start().await;
    assert!(desk.picture().contains("allow command \"touch\""), "{}", desk.picture());
    answer(&mut desk, "n").await;
    desk.say("go").await;
    desk.shows("wants to run").await;
    assert!(!desk.path("third").exists());
}

#[tokio::test]
async fn trust_that_is_taken_back_or_was_for_now_allows_nothing_more() {
    let mut desk = allowing("mkdir made").start().await;
    answer(&mut desk, "o").await;
    assert_eq!(desk.message(), "Project trusted: its rules apply");
    call(&mut desk, "trust.take-back").await;
    assert_eq!(desk.message(), "Project rules are off: not trusted. Details: trust.show");
    desk.say("go").await;
    desk.shows("wants to run").await;
    assert!(!desk.path("made").exists());
    let mut desk = desk.again().open("a.txt").size(100, 24).start().await;
    assert!(desk.picture().contains("Trust this project?"), "{}", desk.picture());
}

#[tokio::test]
async fn the_question_takes_no_key_that_was_meant_for_the_text() {
    let mut desk = project().start().await;
    desk.type_in("yyy").await;
    assert_eq!(desk.text(), "yyya\n");
    assert!(desk.picture().contains("Trust this project?"), "{}", desk.picture());
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
async fn the_example_does_what_it_says() {
    let folder = crate::source::root().join("docs/plugins/lines");
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped, there is no python3");
        return;
    }
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let long = "é".repeat(50);
    let mut desk = Plan::new()
        .config("plugins/lines/plugin.toml", &read("plugin.toml"))
        .config("plugins/lines/lines.py", &read("lines.py"))
        .with("a.txt", format!("one two\n{long}\n"))
        .start()
        .await;
    call(&mut desk, "plugin.lines.long").await;
    assert!(desk.picture().contains("a.txt:2: éé"), "{}: {}", desk.message(), desk.picture());
    desk.keys("Escape").await;
    call(&mut desk, "plugin.lines.number").await;
    assert_eq!(desk.text(), format!("1. one two\n2. {long}\n"), "{}", desk.message());
    desk.keys("Ctrl-z Alt-h").await;
    call(&mut desk, "plugin.lines.count").await;
    assert_eq!(desk.message(), "lines: 2 line ends, 3 words, 109 bytes");
    call(&mut desk, "plugin.lines.quote").await;
    assert_eq!(desk.text(), format!("> one two\n> {long}\n"), "{}", desk.message());
}
