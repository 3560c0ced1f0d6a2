//! The session tree and other sessions, as a user at the keyboard has them.

use std::path::PathBuf;

use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::{Step, Turn};
use serde_json::{Value, json};

use crate::support::desk::{Desk, Plan};

/// The session files, the oldest first.
fn paths(desk: &Desk) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(desk.home("data/sessions")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.sort();
    files
}

/// Their lines.
fn files(desk: &Desk) -> Vec<Vec<Value>> {
    let read = |path| std::fs::read_to_string(path).unwrap();
    let lines = |text: String| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    paths(desk).into_iter().map(read).map(lines).collect()
}

/// What a session's messages say, in the order of the file.
fn said(lines: &[Value]) -> String {
    let text = |line: &Value| line["message"]["content"][0]["text"].as_str().map(String::from);
    lines.iter().filter_map(text).collect::<Vec<_>>().join(" ")
}

async fn talk(plan: Plan, words: &[&str]) -> Desk {
    let answers: Vec<Turn> = (1..=words.len() + 4).map(|n| Turn::text(&format!("answer {n}"))).collect();
    let mut desk = plan.turns(answers).start().await;
    for word in words {
        desk.ask(word).await;
    }
    desk
}

/// What the model was told in its last request, without the roles.
fn told(desk: &Desk) -> String {
    let last = desk.script.requests().pop().unwrap();
    last.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

fn prompt(desk: &mut Desk) -> String {
    desk.state().prompt.area.text().to_string()
}

#[tokio::test]
async fn what_was_said_can_be_said_differently_and_both_ways_stay() {
    let mut desk = talk(Plan::new().size(120, 24), &["make a loop", "make it stop", "add a test"]).await;
    desk.keys("Alt-g").await;
    desk.snap("session_tree_straight");
    desk.keys("Up Enter").await;
    assert_eq!(prompt(&mut desk), "make it stop");
    assert!(
        desk.picture().contains("answer 1") && !desk.picture().contains("answer 2"),
        "{}",
        desk.picture()
    );
    desk.ask(" at once").await;
    let told = told(&desk);
    assert!(told.contains("make it stop at once") && told.contains("answer 1"), "{told}");
    assert!(!told.contains("add a test") && !told.contains("answer 2"), "{told}");
    desk.keys("Alt-g").await;
    desk.snap("session_tree_branches");
    assert_eq!(
        said(&files(&desk)[0]),
        "make a loop answer 1 make it stop answer 2 add a test answer 3 make it stop at once answer 4"
    );
}

#[tokio::test]
async fn the_tree_fits_into_small_and_middling_windows() {
    let mut desk = talk(Plan::new().size(80, 24), &["one", "two"]).await;
    desk.keys("Alt-g").await;
    desk.snap("session_tree_80");
    let mut desk = talk(Plan::new().size(20, 5), &["one", "two"]).await;
    desk.keys("Alt-g").await;
    assert!(desk.picture().contains("two"), "{}", desk.picture());
}

#[tokio::test]
async fn labels_are_given_found_and_taken_away() {
    let mut desk = talk(Plan::new().size(120, 24), &["one", "two", "three"]).await;
    desk.keys("Alt-g").await;
    desk.keys("Up l").await;
    desk.type_in("the good one").await;
    desk.keys("Enter").await;
    desk.shows("⚑ the good one").await;
    desk.keys("Tab Tab Tab").await;
    desk.shows("filter: labelled").await;
    let picture = desk.picture();
    assert!(picture.contains("⚑ the good one two") && !picture.contains("one  "), "{picture}");
    desk.keys("l Ctrl-u Enter").await;
    desk.keys("Tab").await;
    desk.shows("filter: turns").await;
    assert!(!desk.picture().contains('⚑'), "{}", desk.picture());
    let labels = files(&desk)[0].iter().filter(|line| line["type"] == "label").count();
    assert_eq!(labels, 2);
}

#[tokio::test]
async fn entries_are_found_by_what_they_say() {
    let mut desk =
        talk(Plan::new().size(120, 24), &["find the needle", "burn the hay", "Needles again"]).await;
    desk.keys("Alt-g").await;
    desk.keys("/").await;
    desk.type_in("needle").await;
    desk.keys("Enter").await;
    desk.shows("search: needle").await;
    let picture = desk.picture();
    assert!(picture.contains("Needles again") && !picture.contains("burn"), "{picture}");
    desk.keys("/ Ctrl-u").await;
    desk.type_in("straw").await;
    desk.keys("Enter").await;
    assert!(desk.message().contains("No entry contains straw"), "{}", desk.message());
    desk.keys("Escape").await;
    assert!(desk.picture().contains("burn the hay") && !desk.state().layers.is_empty());
    desk.keys("Escape").await;
    assert!(desk.state().layers.is_empty());
}

#[tokio::test]
async fn a_fork_is_a_session_of_its_own() {
    let mut desk = talk(Plan::new().size(120, 24), &["one", "two"]).await;
    desk.keys("Alt-g").await;
    desk.keys("f").await;
    desk.until("the fork", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    assert_eq!(prompt(&mut desk), "two");
    desk.keys("Ctrl-u").await;
    desk.ask("another two").await;
    let files = files(&desk);
    let words: Vec<String> = files.iter().map(|lines| said(lines)).collect();
    assert_eq!(words, ["one answer 1 two answer 2", "one answer 1 another two answer 3"]);
    assert!(files[1][0]["parentSession"].as_str().unwrap().contains("sessions"), "{}", files[1][0]);
}

#[tokio::test]
async fn another_session_can_be_begun_and_the_first_gone_on_with() {
    let mut desk = talk(Plan::new().size(120, 24), &["first session"]).await;
    desk.ide.press("F1");
    desk.type_in("New session").await;
    desk.keys("Enter").await;
    desk.until("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    desk.ask("second session").await;
    assert!(!told(&desk).contains("first session"));
    desk.ide.press("F1");
    desk.type_in("Resume session").await;
    desk.keys("Enter").await;
    desk.shows("Sessions of this folder").await;
    desk.type_in("first").await;
    desk.keys("Enter").await;
    desk.shows("answer 1").await;
    desk.ask("third").await;
    let words: Vec<String> = files(&desk).iter().map(|lines| said(lines)).collect();
    assert_eq!(words, ["first session answer 1 third answer 3", "second session answer 2"]);
}

#[tokio::test]
async fn a_session_has_several_beginnings_and_a_name() {
    let mut desk = talk(Plan::new().size(120, 24), &["one"]).await;
    desk.keys("Alt-g").await;
    desk.keys("r").await;
    desk.until("the root", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    desk.ask("from scratch").await;
    assert!(!told(&desk).contains("answer 1"));
    desk.ide.press("F1");
    desk.type_in("Rename session").await;
    desk.keys("Enter").await;
    desk.type_in("two ways").await;
    desk.keys("Enter").await;
    desk.keys("Alt-g").await;
    desk.shows("two ways").await;
    desk.snap("session_tree_roots");
    let written = files(&desk);
    let roots = written[0].iter().filter(|line| line["id"].is_string() && line["parentId"].is_null());
    assert_eq!(roots.count(), 3, "the header and two beginnings");
}

#[tokio::test]
async fn nothing_moves_while_the_agent_works_but_a_new_session_ends_it() {
    let turns = [Turn::text("a1"), Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall])];
    let mut desk = Plan::new().turns(turns).size(120, 24).start().await;
    desk.ask("one").await;
    desk.say("two").await;
    desk.shows("half").await;
    desk.ide.press("Alt-g");
    desk.shows("2 turns").await;
    desk.ide.press("Enter");
    desk.shows("the agent is working").await;
    desk.ide.press("Escape");
    desk.ide.press("F1");
    desk.type_now("New session");
    desk.ide.press("Enter");
    desk.until("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    desk.ide.idle().await;
    assert!(desk.state().agent.working_since.is_none());
    let first = files(&desk).remove(0);
    assert_eq!(first.last().unwrap()["message"]["stopReason"], json!("aborted"));
}

#[tokio::test]
async fn each_branch_has_its_model() {
    let mut desk = talk(Plan::new().model("other").size(120, 24), &["one"]).await;
    let model = |desk: &mut Desk| desk.state().agent.model.as_ref().unwrap().id.clone();
    desk.keys("Ctrl-p").await;
    desk.until("the other model", |state| state.agent.model.as_ref().is_some_and(|m| m.id == "other")).await;
    desk.ask("two").await;
    desk.keys("Alt-g").await;
    desk.keys("Up Enter").await;
    assert_eq!(model(&mut desk), "script", "the first words were for the first model");
    desk.keys("Ctrl-u Alt-g").await;
    desk.keys("Tab").await;
    desk.shows("answer 1").await;
    desk.keys("Home Down Enter").await;
    assert_eq!(model(&mut desk), "script");
    desk.keys("Alt-g").await;
    desk.keys("End Enter").await;
    assert_eq!(model(&mut desk), "other");
    // Its provider is gone: the model that answers instead is named.
    for file in paths(&desk) {
        let text = std::fs::read_to_string(&file).unwrap();
        let text =
            text.replace(r#""provider":"scripted","model":"other""#, r#""provider":"gone","model":"other""#);
        let text = text
            .replace(r#""provider":"scripted","modelId":"other""#, r#""provider":"gone","modelId":"other""#);
        std::fs::write(file, text).unwrap();
    }
    let mut desk = desk.again().continued().size(120, 24).start().await;
    desk.shows("gone/other is not available").await;
    desk.shows("; using").await;
    assert_eq!(model(&mut desk), "script");
}

#[tokio::test]
async fn a_session_is_chosen_at_the_start() {
    let desk = talk(Plan::new().size(120, 24), &["one"]).await;
    let mut desk = talk(desk.again().first("session.resume").size(120, 24), &[]).await;
    desk.shows("Sessions of this folder").await;
    desk.keys("Enter").await;
    desk.shows("answer 1").await;
    desk.ask("two").await;
    assert_eq!(files(&desk).len(), 1);
    assert_eq!(said(&files(&desk)[0]), "one answer 1 two answer 1");
}

#[tokio::test]
async fn words_of_the_prompt_do_what_commands_do() {
    let mut desk = talk(Plan::new().size(120, 24), &["one"]).await;
    desk.type_in("/name the first").await;
    desk.keys("Enter").await;
    desk.until("the name", |state| state.agent.name.as_deref() == Some("the first")).await;
    desk.type_in("/new words").await;
    desk.keys("Enter").await;
    assert!(desk.message().contains("/new takes no arguments"), "{}", desk.message());
    assert_eq!(prompt(&mut desk), "/new words");
    desk.keys("Home").await;
    desk.ask(" ").await;
    assert!(told(&desk).contains(" /new words"), "with a space before it it is a message");
    desk.type_in("/new").await;
    desk.keys("Enter").await;
    desk.until("the new session", |state| state.slots[TRANSCRIPT].items().is_empty()).await;
    desk.ask("/etc/hosts is no word").await;
    assert!(told(&desk).contains("/etc/hosts is no word"));
    assert_eq!(files(&desk).len(), 2);
}
