//! The session tree and other sessions, as a user at the keyboard has them.

use std::path::PathBuf;

use bowline::ide::features::sessions::view::SessionView;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::{Value, json};

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// The session files, the oldest first.
fn paths(ide: &TestIde) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(ide.home("data/sessions")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.sort();
    files
}

/// Their lines.
fn files(ide: &TestIde) -> Vec<Vec<Value>> {
    let read = |path| std::fs::read_to_string(path).unwrap();
    let lines = |text: String| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    paths(ide).into_iter().map(read).map(lines).collect()
}

/// What a session's messages say, in the order of the file.
fn message_texts(lines: &[Value]) -> String {
    let text = |line: &Value| line["message"]["content"][0]["text"].as_str().map(String::from);
    lines.iter().filter_map(text).collect::<Vec<_>>().join(" ")
}

async fn ide_with_prompts(plan: IdeSetup, words: &[&str]) -> TestIde {
    let answers: Vec<Turn> = (1..=words.len() + 4).map(|n| Turn::text(&format!("answer {n}"))).collect();
    let mut ide = plan.turns(answers).start().await;
    for word in words {
        ide.prompt(word).await;
    }
    ide
}

/// What the model was told in its last request, without the roles.
fn last_request_text(ide: &TestIde) -> String {
    let last = ide.script.requests().pop().unwrap();
    last.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

#[tokio::test]
async fn session_tree_edit_message_keeps_both_branches() {
    let mut ide =
        ide_with_prompts(IdeSetup::new().size(120, 24), &["make a loop", "make it stop", "add a test"]).await;
    ide.keys("Alt-g").await;
    ide.snap("session_tree_straight");
    ide.keys("Up Up Up Enter").await;
    assert_eq!(prompt(&mut ide), "make it stop");
    assert!(ide.picture().contains("answer 1") && !ide.picture().contains("answer 2"), "{}", ide.picture());
    ide.prompt(" at once").await;
    let told = last_request_text(&ide);
    assert!(told.contains("make it stop at once") && told.contains("answer 1"), "{told}");
    assert!(!told.contains("add a test") && !told.contains("answer 2"), "{told}");
    ide.keys("Alt-g").await;
    ide.snap("session_tree_branches");
    assert_eq!(
        message_texts(&files(&ide)[0]),
        "make a loop answer 1 make it stop answer 2 add a test answer 3 make it stop at once answer 4"
    );
}

#[tokio::test]
async fn session_tree_fits_small_windows() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    ide.snap("session_tree_80");
    let mut ide = ide_with_prompts(IdeSetup::new().size(20, 5), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    assert!(ide.picture().contains("two"), "{}", ide.picture());
}

#[tokio::test]
async fn session_tree_labels_are_no_place_to_be() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Up l").await;
    ide.type_in("best").await;
    ide.keys("Enter Tab Tab Tab").await;
    ide.wait_for_text("filter: all").await;
    let picture = ide.picture();
    let here: Vec<&str> = picture.lines().filter(|line| line.contains("you are here")).collect();
    assert_eq!(here.len(), 1, "{picture}");
    assert!(picture.contains("label") && !here[0].contains("label"), "{picture}");
}

#[tokio::test]
async fn session_tree_labels_can_be_set_filtered_and_cleared() {
    with_task_orders(async || {
        let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one", "two", "three"]).await;
        ide.keys("Alt-g").await;
        ide.keys("Up Up Up l").await;
        ide.type_in("the good one").await;
        ide.keys("Enter").await;
        ide.wait_for_text("⚑ the good one").await;
        ide.keys("Tab Tab Tab Tab").await;
        ide.wait_for_text("filter: labelled").await;
        let picture = ide.picture();
        assert!(picture.contains("⚑ the good one · two") && !picture.contains("one  "), "{picture}");
        ide.keys("l Ctrl-u Enter").await;
        ide.keys("Tab Tab").await;
        ide.wait_for_text("filter: turns").await;
        assert!(!ide.picture().contains('⚑'), "{}", ide.picture());
        let labels = files(&ide)[0].iter().filter(|line| line["type"] == "label").count();
        assert_eq!(labels, 2);
    })
    .await;
}

#[tokio::test]
async fn session_tree_hidden_branch_stays_hidden_with_the_session_until_it_is_shown() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one", "two", "three"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Up Up Up Enter").await;
    let message = ide.status_message();
    assert!(message.contains("No state of the files was recorded there"), "{message}");
    ide.prompt(" again").await;
    ide.keys("Alt-g").await;
    ide.keys("Home Down Down h").await;
    ide.snap("session_tree_hidden");
    // It is kept beside the session.
    let mut ide = ide_with_prompts(ide.restart().continue_session().size(80, 24), &[]).await;
    ide.keys("Alt-g").await;
    assert!(ide.picture().contains("… 4 entries hidden") && !ide.picture().contains("three"));
    ide.keys("/").await;
    ide.type_in("three").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("○ three"), "a search finds it: {}", ide.picture());
    ide.keys("Enter Escape Tab Tab Tab").await;
    ide.wait_for_text("filter: all").await;
    assert!(ide.picture().contains("hidden") && ide.picture().contains("○ three"), "{}", ide.picture());
    ide.keys("Shift-Tab Shift-Tab Shift-Tab").await;
    ide.wait_for_text("filter: turns").await;
    ide.keys("Home Down Down Enter").await;
    assert!(ide.picture().contains("○ three") && !ide.picture().contains("hidden"), "{}", ide.picture());
    assert!(!ide.state().layers.is_empty(), "the conversation has not moved");
    assert!(
        !files(&ide)[0].iter().any(|line| line.to_string().contains("hidden")),
        "pi's format is as it was"
    );
}

#[tokio::test]
async fn session_tree_help_lists_its_own_keys_in_small_windows() {
    for (cols, rows) in [(40, 12), (80, 24)] {
        let mut ide = ide_with_prompts(IdeSetup::new().size(cols, rows), &["one"]).await;
        ide.keys("Alt-g").await;
        ide.keys("?").await;
        let picture = ide.picture();
        for title in ["Branch from selected", "Start over in session", "Label selected"] {
            assert!(picture.contains(title), "{picture}");
        }
        ide.snap("session_tree_keys");
    }
}

#[tokio::test]
async fn session_tree_search_filters_entries() {
    let mut ide = ide_with_prompts(
        IdeSetup::new().size(120, 24),
        &["find the needle", "burn the hay", "Needles again"],
    )
    .await;
    ide.keys("Alt-g").await;
    ide.keys("/").await;
    ide.type_in("needle").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Needles again") && !picture.contains("burn"), "while typing: {picture}");
    ide.keys("Up").await;
    ide.snap("session_tree_search");
    ide.keys("Enter").await;
    ide.wait_for_text("search: needle").await;
    ide.keys("/ Ctrl-u").await;
    ide.type_in("straw").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("No matches"), "{}", ide.picture());
    ide.keys("Escape").await;
    ide.wait_for_text("search: needle").await;
    assert!(ide.picture().contains("Needles again"), "as before the search: {}", ide.picture());
    ide.keys("Escape").await;
    assert!(ide.picture().contains("burn the hay") && !ide.state().layers.is_empty());
    ide.keys("Escape").await;
    assert!(ide.state().layers.is_empty());
}

#[tokio::test]
async fn session_fork_creates_separate_session() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Up f").await;
    ide.wait_for("the fork", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    assert_eq!(prompt(&mut ide), "two");
    ide.keys("Ctrl-u").await;
    ide.prompt("another two").await;
    let files = files(&ide);
    let words: Vec<String> = files.iter().map(|lines| message_texts(lines)).collect();
    assert_eq!(words, ["one answer 1 two answer 2", "one answer 1 another two answer 3"]);
    assert!(files[1][0]["parentSession"].as_str().unwrap().contains("sessions"), "{}", files[1][0]);
}

#[tokio::test]
async fn session_new_and_resume_switch_sessions() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["first session"]).await;
    ide.headless.press("F1");
    ide.type_in("New session").await;
    ide.keys("Enter").await;
    ide.wait_for("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    ide.prompt("second session").await;
    assert!(!last_request_text(&ide).contains("first session"));
    ide.headless.press("F1");
    ide.type_in("Resume session").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Sessions of this folder").await;
    ide.type_in("first").await;
    ide.keys("Enter").await;
    ide.wait_for_text("answer 1").await;
    ide.prompt("third").await;
    let words: Vec<String> = files(&ide).iter().map(|lines| message_texts(lines)).collect();
    assert_eq!(words, ["first session answer 1 third answer 3", "second session answer 2"]);
}

#[tokio::test]
async fn session_tree_has_multiple_roots_and_name() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one"]).await;
    ide.keys("Alt-g").await;
    ide.keys("r").await;
    ide.wait_for("the root", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    ide.prompt("from scratch").await;
    assert!(!last_request_text(&ide).contains("answer 1"));
    ide.headless.press("F1");
    ide.type_in("Rename session").await;
    ide.keys("Enter").await;
    ide.type_in("two ways").await;
    ide.keys("Enter").await;
    ide.keys("Alt-g").await;
    ide.wait_for_text("two ways").await;
    ide.snap("session_tree_roots");
    let written = files(&ide);
    let roots = written[0].iter().filter(|line| line["id"].is_string() && line["parentId"].is_null());
    assert_eq!(roots.count(), 3, "the header and two beginnings");
}

#[tokio::test]
async fn session_navigation_while_working_is_rejected() {
    let turns = [Turn::text("a1"), Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall])];
    let mut ide = IdeSetup::new().turns(turns).size(120, 24).start().await;
    ide.prompt("one").await;
    ide.send_prompt("two").await;
    ide.wait_for_text("half").await;
    ide.headless.press("Alt-g");
    ide.wait_for_text("2 turns").await;
    ide.headless.press("Enter");
    ide.wait_for_text("the agent is working").await;
    ide.headless.press("Escape");
    ide.headless.press("F1");
    ide.type_without_settling("New session");
    ide.headless.press("Enter");
    ide.wait_for("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    ide.headless.idle().await;
    assert!(ide.state().agent.working_since.is_none());
    let first = files(&ide).remove(0);
    assert_eq!(first.last().unwrap()["message"]["stopReason"], json!("aborted"));
}

#[tokio::test]
async fn session_branch_restores_its_model() {
    let mut ide = ide_with_prompts(IdeSetup::new().model("other").size(120, 24), &["one"]).await;
    let model = |ide: &mut TestIde| ide.state().agent.model.as_ref().unwrap().id.clone();
    ide.keys("Alt-Shift-m").await;
    ide.wait_for("the other model", |state| state.agent.model.as_ref().is_some_and(|m| m.id == "other"))
        .await;
    ide.prompt("two").await;
    ide.keys("Alt-g").await;
    ide.keys("Up Up Up Enter").await;
    assert_eq!(model(&mut ide), "script", "the first words were for the first model");
    ide.keys("Ctrl-u Alt-g").await;
    ide.keys("Tab").await;
    ide.wait_for_text("answer 1").await;
    ide.keys("Home Down Enter").await;
    assert_eq!(model(&mut ide), "script");
    ide.keys("Alt-g").await;
    ide.keys("End Enter").await;
    assert_eq!(model(&mut ide), "other");
    // Its provider is gone: the model that answers instead is named.
    for file in paths(&ide) {
        let text = std::fs::read_to_string(&file).unwrap();
        let text =
            text.replace(r#""provider":"scripted","model":"other""#, r#""provider":"gone","model":"other""#);
        let text = text
            .replace(r#""provider":"scripted","modelId":"other""#, r#""provider":"gone","modelId":"other""#);
        std::fs::write(file, text).unwrap();
    }
    let mut ide = ide.restart().continue_session().size(120, 24).start().await;
    ide.wait_for_text("gone/other is not available").await;
    ide.wait_for_text("; using").await;
    assert_eq!(model(&mut ide), "script");
}

#[tokio::test]
async fn session_resume_at_startup_opens_picker() {
    let ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one"]).await;
    let mut ide = ide_with_prompts(ide.restart().startup_command("session.resume").size(120, 24), &[]).await;
    ide.wait_for_text("Sessions of this folder").await;
    ide.keys("Enter").await;
    ide.wait_for_text("answer 1").await;
    ide.prompt("two").await;
    assert_eq!(files(&ide).len(), 1);
    assert_eq!(message_texts(&files(&ide)[0]), "one answer 1 two answer 1");
}

#[tokio::test]
async fn slash_commands_run_from_prompt() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["one"]).await;
    ide.type_in("/name the first").await;
    ide.keys("Enter").await;
    ide.wait_for("the name", |state| state.agent.name.as_deref() == Some("the first")).await;
    ide.type_in("/new words").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("/new takes no arguments"), "{}", ide.status_message());
    assert_eq!(prompt(&mut ide), "/new words");
    ide.keys("Home").await;
    ide.prompt(" ").await;
    assert!(last_request_text(&ide).contains(" /new words"), "with a space before it it is a message");
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    ide.wait_for("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    ide.prompt("/etc/hosts is no word").await;
    assert!(last_request_text(&ide).contains("/etc/hosts is no word"));
    assert_eq!(files(&ide).len(), 2);
}

#[tokio::test]
async fn session_with_an_unknown_model_starts_with_another_and_says_so() {
    let setup = IdeSetup::new().size(120, 24).turns([Turn::text("answer 1")]);
    let mut ide = setup.requested_model("nosuch/model").start().await;
    ide.keys("Alt-3").await;
    ide.wait_for_text("is not known").await;
    ide.prompt("hello").await;
    assert!(ide.picture().contains("answer 1"), "{}", ide.picture());
}

#[tokio::test]
async fn session_branch_from_an_answer_follows_it() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["alpha", "beta"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Up Up n").await;
    let picture = ide.picture();
    assert!(picture.contains("answer 1") && !picture.contains("answer 2"), "{picture}");
    assert_eq!(prompt(&mut ide), "");
    ide.prompt("gamma").await;
    let told = last_request_text(&ide);
    assert!(told.contains("alpha") && told.contains("answer 1") && !told.contains("beta"), "{told}");
}

#[tokio::test]
async fn session_goes_on_at_the_branch_where_it_was_left() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(120, 24), &["alpha", "beta"]).await;
    let answers = |ide: &mut TestIde| {
        let picture = ide.picture();
        (picture.contains("answer 1"), picture.contains("answer 2"))
    };
    ide.keys("Alt-g").await;
    ide.keys("Up Up n").await;
    assert_eq!(answers(&mut ide), (true, false));
    let before = ide.session().len();
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    assert_eq!(ide.session().len(), before + 1, "one line keeps the place");
    let mut ide = ide.restart().size(120, 24).continue_session().start().await;
    assert_eq!(answers(&mut ide), (true, false));
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    assert_eq!(ide.session().len(), before + 1, "looking changes nothing");
}

#[tokio::test]
async fn session_tree_fills_its_window() {
    let names: Vec<String> = (1..=30).map(|n| format!("step {n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut ide = ide_with_prompts(IdeSetup::new().size(110, 24), &names).await;
    ide.keys("Alt-g").await;
    let rows =
        |ide: &mut TestIde| ide.picture().lines().filter(|line| line.contains(['●', '•', '◉'])).count();
    assert_eq!(rows(&mut ide), 20, "{}", ide.picture());
    ide.keys("Home ]").await;
    assert_eq!(rows(&mut ide), 20, "{}", ide.picture());
}

/// Writes a file in each turn: on two branches, different ones.
async fn ide_with_file_branches(size: (u16, u16)) -> TestIde {
    let write = |id: &str, path: &str, content: &str| {
        Turn::call(id, "write", json!({"path": path, "content": content}))
    };
    let turns = [
        Turn::text("what for?"),
        write("c1", "a.txt", "one\ntwo\nthree\n"),
        write("c2", "fast.txt", "x\n"),
        Turn::text("**fast** it is"),
        write("c3", "a.txt", "one\n2\nthree\n"),
        write("c4", "slow.txt", "x\n"),
        Turn::text("slow it is"),
    ];
    let plan = IdeSetup::new().size(size.0, size.1).policy(Mode::Full).checkpoints().file("a.txt", "zero\n");
    let mut ide = plan.turns(turns).start().await;
    for words in ["begin", "be fast"] {
        ide.prompt(words).await;
    }
    ide.keys("Alt-g").await;
    ide.keys("Up Enter").await;
    ide.keys("Ctrl-u").await;
    ide.prompt("be slow").await;
    ide.keys("Alt-g").await;
    ide
}

#[tokio::test]
async fn session_tree_compares_two_turns_with_their_files() {
    let mut ide = ide_with_file_branches((120, 24)).await;
    ide.wait_for_text("±2").await;
    ide.keys("=").await;
    assert!(ide.status_message().contains("Turn marked"), "{}", ide.status_message());
    ide.keys("Up Up").await;
    ide.snap("session_tree_marked");
    ide.keys("=").await;
    ide.wait_for_text("1 common turn").await;
    ide.snap("session_comparison");
    ide.keys("Down").await;
    let picture = ide.picture();
    assert!(picture.contains("- 2") && picture.contains("+ two"), "{picture}");
    // The file of the other branch was still there.
    assert!(picture.contains("a.txt") && picture.contains("− slow.txt"), "{picture}");
    ide.keys("Escape").await;
    assert!(ide.picture().contains("filter: turns"), "back in the tree: {}", ide.picture());
    assert_eq!(ide.file_text("a.txt"), "one\n2\nthree\n", "nothing was changed");
}

#[tokio::test]
async fn session_tree_mark_is_removed_by_its_key_and_escape() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    for key in ["=", "Escape"] {
        ide.keys("=").await;
        assert!(ide.state().layers.top::<SessionView>().unwrap().marked.is_some());
        ide.keys(key).await;
        assert!(ide.state().layers.top::<SessionView>().unwrap().marked.is_none(), "{key}");
    }
    ide.keys("= Up Up =").await;
    ide.wait_for_text("Compare").await;
    let picture = ide.picture();
    assert!(picture.contains("Checkpoints are off") && picture.contains("answer 2"), "{picture}");
}

#[tokio::test]
async fn session_comparison_fits_small_windows() {
    for (cols, rows) in [(40, 12), (20, 5), (1, 1)] {
        let mut ide = ide_with_file_branches((80, 24)).await;
        ide.keys("= Up Up =").await;
        ide.wait_for_text("common turn").await;
        ide.headless.resize(cols, rows);
        ide.keys("Down PageDown PageUp Up Escape").await;
    }
}

#[tokio::test]
async fn session_tree_shows_turn_of_row_below_rows_in_a_narrow_window() {
    let mut ide = ide_with_file_branches((80, 24)).await;
    ide.keys("Up").await;
    let picture = ide.picture();
    assert!(picture.contains("turn 2 ·") && picture.contains("slow it is"), "{picture}");
    assert!(picture.contains("a.txt  −") && picture.contains("+2 2"), "the lines that it changed: {picture}");
    ide.snap("session_tree_turn_below");
    ide.headless.resize(40, 12);
    ide.keys("Up").await;
    let picture = ide.picture();
    assert!(!picture.contains("turn 2 ·") && picture.contains("c restore files, b both"), "{picture}");
}

#[tokio::test]
async fn session_tree_filters_are_named_and_keep_the_row_and_its_place() {
    let turns = [
        Turn::call("c1", "bash", json!({"command": "echo hello"})),
        Turn::text("answer 1"),
        Turn::text("answer 2"),
    ];
    let mut ide = IdeSetup::new().size(80, 24).policy(Mode::Full).turns(turns).start().await;
    for words in ["one", "two"] {
        ide.prompt(words).await;
    }
    ide.keys("Alt-g").await;
    ide.keys("Home Down").await;
    let selected = |ide: &mut TestIde| {
        let view = ide.state().layers.top::<SessionView>().unwrap();
        view.selected_row().and_then(|row| view.text_of(row)).unwrap_or_default().to_string()
    };
    let mut seen = Vec::new();
    for name in ["answers", "tools", "all", "labelled", "user only", "turns"] {
        ide.keys("Tab").await;
        ide.wait_for_text(&format!("filter: {name}")).await;
        ide.headless.idle().await;
        let has_result = ide.picture().contains("bash: hello");
        seen.push((name, selected(&mut ide), has_result));
    }
    let row = |name, text: &str, has_result| (name, text.to_string(), has_result);
    let expected = [
        row("answers", "answer 1", false),
        row("tools", "answer 1", true),
        row("all", "answer 1", true),
        row("labelled", "", false),
        row("user only", "one", false),
        row("turns", "answer 1", false),
    ];
    assert_eq!(seen, expected);
    ide.keys("Shift-Tab").await;
    ide.wait_for_text("filter: user only").await;
    ide.headless.resize(40, 12);
    assert!(ide.picture().contains("filter: user only"), "{}", ide.picture());
}

#[tokio::test]
async fn session_tree_keys_of_a_message_mean_the_point_before_it() {
    let mut ide = ide_with_file_branches((80, 24)).await;
    ide.keys("Up").await;
    let picture = ide.picture();
    assert!(
        picture.contains("Before this message: Enter edit it, n branch, c restore files, b both"),
        "{picture}"
    );
    ide.keys("Up").await;
    assert!(ide.picture().contains("After this answer: Enter, n continue, c restore files, b both"));
    ide.keys("Down n").await;
    assert_eq!(prompt(&mut ide), "", "its text stays where it is");
    let picture = ide.picture();
    assert!(picture.contains("what for?") && !picture.contains("slow it is"), "{picture}");
    assert!(ide.status_message().contains("b in the tree"), "{}", ide.status_message());
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Up").await;
    let picture = ide.picture();
    assert!(picture.contains("n branch, no file state recorded"), "{picture}");
}

#[tokio::test]
async fn session_tree_text_in_the_prompt_is_replaced_unless_it_was_edited() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one", "two", "three"]).await;
    ide.type_in("my own words").await;
    let mut go = async |keys: &str| {
        ide.keys("Alt-g").await;
        ide.keys(keys).await;
        prompt(&mut ide)
    };
    assert_eq!(go("Home Enter").await, "one\n\nmy own words");
    assert_eq!(go("Home Down Down Enter").await, "two\n\nmy own words");
    assert_eq!(go("Home Down Enter").await, "my own words", "after an answer there is no text");
    assert_eq!(go("Home Enter").await, "one\n\nmy own words");
    ide.type_in("!").await;
    let edited = prompt(&mut ide);
    ide.keys("Alt-g").await;
    ide.keys("Home Down Down Enter").await;
    assert_eq!(prompt(&mut ide), format!("two\n\n{edited}"), "what was edited is the user's");
}

#[tokio::test]
async fn session_tree_text_in_the_prompt_is_replaced_after_a_restart() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(80, 24), &["one", "two", "three"]).await;
    ide.type_in("my own words").await;
    ide.keys("Alt-g").await;
    ide.keys("Home Down Down Enter").await;
    assert_eq!(prompt(&mut ide), "two\n\nmy own words");
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().continue_session().size(80, 24).start().await;
    ide.headless.idle().await;
    assert_eq!(prompt(&mut ide), "two\n\nmy own words");
    ide.keys("Alt-g").await;
    ide.keys("Home Enter").await;
    assert_eq!(prompt(&mut ide), "one\n\nmy own words", "it was not typed");
    ide.keys("Alt-3").await;
    ide.type_in("!").await;
    let edited = prompt(&mut ide);
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().continue_session().size(80, 24).start().await;
    ide.headless.idle().await;
    ide.keys("Alt-g").await;
    ide.keys("Home Down Down Enter").await;
    assert_eq!(prompt(&mut ide), format!("two\n\n{edited}"), "what was edited is the user's");
}

#[tokio::test]
async fn session_tree_says_where_the_conversation_is_relative_to_the_nearest_row() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(100, 24), &["one", "two"]).await;
    let position = |ide: &mut TestIde| -> Vec<String> {
        let picture = ide.picture();
        let says = |line: &&str| {
            ["you are here", "you are after it", "you are before it"].iter().any(|words| line.contains(words))
        };
        picture.lines().filter(says).map(str::to_string).collect()
    };
    ide.keys("Alt-g").await;
    let here = position(&mut ide);
    assert!(here.len() == 1 && here[0].contains("you are here"), "{}", ide.picture());
    while !ide.picture().contains("filter: user only") {
        ide.keys("Tab").await;
    }
    let here = position(&mut ide);
    assert!(
        here.len() == 1 && here[0].contains("two") && here[0].contains("you are after it"),
        "{}",
        ide.picture()
    );
    ide.keys("Home Enter").await;
    ide.headless.idle().await;
    ide.keys("Alt-g").await;
    let here = position(&mut ide);
    assert!(
        here.len() == 1 && here[0].contains("one") && here[0].contains("you are before it"),
        "{}",
        ide.picture()
    );
}

#[tokio::test]
async fn session_tree_footer_names_what_keys_do_for_a_hidden_branch() {
    let mut ide = ide_with_prompts(IdeSetup::new().size(220, 24), &["one", "two"]).await;
    ide.keys("Alt-g").await;
    ide.keys("Home h").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Enter show") && picture.contains("h show"), "{picture}");
    assert!(!picture.contains("Enter continue") && !picture.contains("h hide"), "{picture}");
    ide.keys("h").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("Enter edit it"), "{}", ide.picture());
}
