//! A language server has the text that the user sees, also after edits of the agent and its own; and a server that goes wrong at any moment
//! leaves every text as it was or correctly edited.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bowline::exec::{EnvError, Environment as _};
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::runtime::language_servers::server::ServerCommand;
use futures::{FutureExt as _, StreamExt as _};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, is_running, project, range, server_text, trust, trusted,
};
use crate::support::test_ide::TestIde;
use crate::support::written_by_agent::{environment, serve};

/// What is done to the text.
#[derive(Debug, Clone)]
enum Step {
    /// Typed by the user.
    Type(String),
    /// Commands of the user, and whether they are waited for.
    Keys(&'static str, bool),
    /// A line that the agent replaces while the user types.
    Agent(usize, String, bool),
    /// The server's edits, and whether the user types before they come.
    Format(bool),
    /// A command of the server that edits the text by itself, and whether the user types before it does.
    ServerEdit(bool),
    /// A line that another program replaces in the file, and what the user answers if there are unsaved changes.
    OnDisk(usize, String, &'static str),
}

/// Commands that change the text or move in it.
const KEYS: [&str; 28] = [
    "Backspace",
    "Delete",
    "Enter",
    "Ctrl-k",
    "Ctrl-u",
    "Ctrl-w",
    "Alt-d",
    "Ctrl-y",
    "Alt-y",
    "Alt-.",
    "Alt-u u",
    "Alt-e j",
    "Alt-e s",
    "Alt-e u",
    "Ctrl-z",
    "Ctrl-z Ctrl-z Ctrl-z",
    "Alt-z",
    "Alt-z Alt-z",
    "Alt-Up",
    "Alt-Down",
    "Alt-c",
    "Alt-k l",
    "Alt-/",
    "Ctrl-t",
    "Ctrl-Alt-Down",
    "Alt-j",
    "Escape",
    "Ctrl-s",
];
const MOVES: [&str; 8] = ["Up", "Down", "Left", "Right Right Right", "Home", "End", "Ctrl-Home", "Ctrl-End"];

fn text() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec!["a", "b ", "{", "é", "語", "𐍈", "e\u{301}", "👩‍👩‍👧", "\t"]);
    prop::collection::vec(letter, 1..4).prop_map(|letters| letters.concat())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => text().prop_map(Step::Type),
        5 => (prop::sample::select(&KEYS[..]), any::<bool>()).prop_map(|(keys, waits)| Step::Keys(keys, waits)),
        3 => prop::sample::select(&MOVES[..]).prop_map(|keys| Step::Keys(keys, true)),
        2 => (0..9_usize, text(), any::<bool>()).prop_map(|(at, text, types)| Step::Agent(at, text, types)),
        1 => any::<bool>().prop_map(Step::Format),
        1 => any::<bool>().prop_map(Step::ServerEdit),
        2 => (0..9_usize, text(), prop::sample::select(&["r", "k", "Escape"][..]))
            .prop_map(|(at, text, answer)| Step::OnDisk(at, text, answer)),
    ];
    prop::collection::vec(step, 10..40)
}

/// Replaces a line through the environment of the open files, as the agent's tools do. A text that has changed since
/// it was read is not written.
async fn agent_edit(ide: &mut TestIde, at: usize, text: &str, types: bool) {
    let (env, mut events) = environment(ide);
    let path = ide.path("a.toy");
    let work = async {
        let read = env.read(&path).await.expect("the file is there");
        let old = String::from_utf8(read.bytes).expect("UTF-8");
        let mut lines: Vec<&str> = old.split('\n').collect();
        let at = at % lines.len();
        lines[at] = text;
        env.write(&path, lines.join("\n").into_bytes(), Some(read.stamp)).await
    };
    let written = serve(ide, &mut events, work, |ide| {
        if types {
            ide.type_without_settling("t");
        }
    })
    .await;
    assert!(matches!(written, Ok(_) | Err(EnvError::Stale(_))), "{written:?}");
    ide.headless.idle().await;
}

/// Replaces a line of the file on the disk, and answers the question about unsaved changes, if one comes.
async fn disk_edit(ide: &mut TestIde, at: usize, text: &str, answer: &str) {
    let old = ide.file_text("a.toy");
    let mut lines: Vec<&str> = old.split('\n').collect();
    let at = at % lines.len();
    lines[at] = text;
    ide.write_file("a.toy", lines.join("\n"));
    ide.focus_window().await;
    if ide.picture().contains("Another process changed") {
        // A key typed before the question was read is no answer.
        ide.advance(Duration::from_secs(2));
        ide.keys(answer).await;
    }
}

async fn perform(ide: &mut TestIde, step: &Step) {
    match step {
        Step::Type(text) => ide.type_in(text).await,
        Step::Keys(keys, true) => ide.keys(keys).await,
        Step::Keys(keys, false) => ide.headless.press(keys),
        Step::Agent(at, text, types) => agent_edit(ide, *at, text, *types).await,
        Step::Format(types) => {
            ide.headless.press("Alt-, k f");
            if *types {
                ide.type_without_settling("f");
            }
            ide.headless.idle().await;
        }
        Step::ServerEdit(types) => {
            ide.keys("Alt-, k a").await;
            if ide.picture().contains("Code actions") {
                ide.headless.press("Enter");
                if *types {
                    ide.type_without_settling("s");
                }
                ide.headless.idle().await;
            }
        }
        Step::OnDisk(at, text, answer) => disk_edit(ide, *at, text, answer).await,
    }
}

/// Waits until the server has the text of the editor.
async fn wait_for_same_text(ide: &mut TestIde, done: &[Step]) {
    let limit = Instant::now() + Duration::from_secs(20);
    loop {
        ide.headless.idle().await;
        let (ours, theirs) = (ide.text(), server_text(ide));
        if ours == theirs {
            return;
        }
        assert!(Instant::now() < limit, "ours {ours:?}\ntheirs {theirs:?}\nafter {done:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// A text whose server formats it, and has a command that edits it.
async fn texts_project(encoding: &str, ending: &str) -> TestIde {
    let mut offered = capabilities();
    offered["positionEncoding"] = json!(encoding);
    offered["documentFormattingProvider"] = json!(true);
    offered["codeActionProvider"] = json!(true);
    offered["executeCommandProvider"] = json!({ "commands": ["toy.run"] });
    let edits = json!([
        { "range": range((0, 0), (0, 0)), "newText": "é𐍈 " },
        { "range": range((1, 0), (2, 0)), "newText": "语\nsecond\n" },
    ]);
    let requested = json!({ "changes": { "$ROOT/a.toy": [
        { "range": range((0, 0), (0, 0)), "newText": "𐍈\n" },
        { "range": range((1, 0), (1, 0)), "newText": "s é" },
    ] } });
    let script = json!({
        "capabilities": offered,
        "answers": {
            "textDocument/formatting": edits,
            "textDocument/codeAction": [{ "title": "Run it", "command": "toy.run" }],
            "workspace/executeCommand": null,
        },
        "edits": { "workspace/executeCommand": requested },
    });
    let first = ["first 𐍈", "second", "\tthird é", "fourth", ""].join(ending);
    trusted(project(&first, &script)).await
}

async fn same_texts(encoding: &str, ending: &str, steps: &[Step]) {
    let mut ide = texts_project(encoding, ending).await;
    for (n, step) in steps.iter().enumerate() {
        perform(&mut ide, step).await;
        if n % 8 == 7 {
            wait_for_same_text(&mut ide, &steps[..=n]).await;
        }
    }
    wait_for_same_text(&mut ide, steps).await;
}

#[tokio::test]
async fn server_text_steps_of_server_and_other_programs_change_the_text() {
    let mut ide = texts_project("utf-8", "\n").await;
    perform(&mut ide, &Step::ServerEdit(true)).await;
    assert!(ide.text().starts_with('𐍈'), "{}", ide.text());
    ide.keys("Ctrl-s").await;
    perform(&mut ide, &Step::OnDisk(0, "disk".to_string(), "r")).await;
    assert!(ide.text().starts_with("disk\n"), "{}", ide.text());
    for (answer, expected) in [("k", "typeddisk\n"), ("r", "typeddisk\nr\n")] {
        ide.keys("Ctrl-Home").await;
        ide.type_in("typed").await;
        perform(&mut ide, &Step::OnDisk(1, answer.to_string(), answer)).await;
        assert!(ide.text().starts_with(expected), "{answer}: {}", ide.text());
        ide.keys("Ctrl-s").await;
    }
    wait_for_same_text(&mut ide, &[]).await;
}

proptest! {
    #![proptest_config(crate::support::seeds::cases(18))]

    #[test]
    fn server_text_equals_ours_after_edits_of_user_agent_and_server(
        encoding in prop::sample::select(&["utf-8", "utf-16", "utf-32"][..]),
        ending in prop::sample::select(&["\n", "\r\n"][..]),
        steps in steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(same_texts(encoding, ending, &steps));
    }
}

/// How a server goes wrong: see the script of the tests' server.
const WAYS: [&str; 5] = ["exit", "half", "deaf", "closed", "mute"];
/// After so many messages at most. A round sends fewer.
const MOMENTS: u64 = 20;
/// How long a user waits for an answer: a server that goes wrong gives none.
const PATIENCE: Duration = Duration::from_millis(150);
/// So many of them at a time: most of the time they wait.
const TOGETHER: usize = 20;
/// How long something may take that must come.
const LIMIT: Duration = Duration::from_mins(1);

/// Lets the IDE go on until nothing is under way or the user is out of patience.
async fn wait_a_little(ide: &mut TestIde) {
    let _ = tokio::time::timeout(PATIENCE, ide.headless.idle()).await;
}

/// Names at the beginning of both files: the one that is shown, as it is in the editor, and the other.
fn names(ide: &mut TestIde) -> (String, String) {
    let name = |text: String| text.chars().take(4).collect();
    (name(ide.text()), name(ide.file_text("b.toy")))
}

/// A user's round with the server: documentation, definition, a rename over two files, formatting, saving.
async fn round(ide: &mut TestIde, name: &str) {
    for keys in ["Ctrl-Home Alt-, k k", "Escape F12", "Alt-, k R"] {
        ide.headless.press(keys);
        wait_a_little(ide).await;
    }
    if ide.picture().contains("Rename to") {
        ide.type_without_settling(name);
        ide.headless.press("Enter");
        wait_a_little(ide).await;
    }
    if ide.picture().contains("in 2 files?") {
        // A key typed before the dialog was read is no answer.
        ide.advance(Duration::from_secs(2));
        ide.headless.press("y");
        wait_a_little(ide).await;
    }
    // A dialog that comes later is left.
    for keys in ["Escape Ctrl-End Alt-, k f", "Ctrl-s"] {
        ide.headless.press(keys);
        wait_a_little(ide).await;
    }
}

fn breaking_script(after: u64, how: &str) -> Value {
    let mut offered = capabilities();
    offered["documentFormattingProvider"] = json!(true);
    offered["renameProvider"] = json!(true);
    let edit = json!([{ "range": range((0, 0), (0, 4)), "newText": "$NAME" }]);
    json!({
        "capabilities": offered,
        "answers": {
            "textDocument/hover": { "contents": "words" },
            "textDocument/definition": { "uri": "$ROOT/a.toy", "range": range((0, 0), (0, 4)) },
            "textDocument/rename": { "changes": { "$ROOT/a.toy": edit, "$ROOT/b.toy": edit } },
            "textDocument/formatting": [{ "range": range((1, 0), (1, 1)), "newText": "" }],
        },
        "ends": [{ "after": after, "how": how }],
    })
}

/// The processes of the server so far.
fn processes(ide: &TestIde) -> Vec<String> {
    let known = std::fs::read_to_string(ide.path("../script.json.processes")).unwrap_or_default();
    known.lines().map(String::from).collect()
}

/// Those of them that live.
fn living(ide: &TestIde) -> Vec<String> {
    let script = ide.path("../script.json").display().to_string();
    let lives = |pid: &String| {
        std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains(&script))
    };
    processes(ide).into_iter().filter(lives).collect()
}

/// Waits for what no event of the IDE tells.
async fn wait_until(ide: &mut TestIde, what: &str, holds: impl Fn(&mut TestIde) -> bool) {
    let limit = Instant::now() + LIMIT;
    while !holds(ide) {
        assert!(Instant::now() < limit, "{what} did not come: {}", ide.picture());
        wait_a_little(ide).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A server goes wrong after so many messages, is started anew, and serves; which of both edits were made before.
async fn goes_wrong(after: u64, how: &str) -> (bool, bool) {
    let body = "x".repeat(9);
    let setup = project(&format!("name\n{body}"), &breaking_script(after, how)).file("b.toy", "name\n");
    let mut ide = setup.start().await;
    // It may end before it has answered anything.
    trust(&mut ide).await;
    wait_until(&mut ide, "the server", |ide| !processes(ide).is_empty()).await;
    wait_a_little(&mut ide).await;
    round(&mut ide, "word").await;
    let moment = format!("{how} after {after}: {}", ide.picture());
    let (name, other) = names(&mut ide);
    assert!(["name", "word"].contains(&name.as_str()), "{name}, {moment}");
    assert_eq!(name, other, "both files or none, {moment}");
    // What comes after the text was saved changes it again.
    for text in [ide.text(), ide.file_text("a.toy")] {
        assert!(text == format!("{name}\n{body}") || text == format!("{name}\n{}", &body[1..]), "{moment}");
    }
    let made = (name == "word", ide.text().len() < 5 + body.len());
    ide.state().slots[LANGUAGE_SERVERS].servers[0].send(ServerCommand::Restart);
    // The first one may have been started again by itself.
    wait_until(&mut ide, "a server that runs", |ide| processes(ide).len() > 1 && is_running(ide.state()))
        .await;
    // What comes late of the round before closes it again.
    wait_until(&mut ide, "documentation", |ide| {
        let is_shown = ide.picture().contains("words");
        if !is_shown {
            ide.headless.press("Escape Alt-, k k");
        }
        is_shown
    })
    .await;
    // As at the end of the program.
    ide.state().slots[LANGUAGE_SERVERS].servers.clear();
    wait_until(&mut ide, "the end of all servers", |ide| living(ide).is_empty()).await;
    made
}

#[tokio::test]
async fn server_that_goes_wrong_at_any_moment_leaves_texts_whole() {
    let moments = (0..MOMENTS).flat_map(|after| WAYS.map(|how| goes_wrong(after, how).boxed_local()));
    let seen: BTreeSet<_> = futures::stream::iter(moments).buffer_unordered(TOGETHER).collect().await;
    assert!(seen.len() > 1 && seen.contains(&(false, false)), "nothing and a part: {seen:?}");
}
