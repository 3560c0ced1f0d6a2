//! Completions in the prompt of things that are no files: symbols of open files, sessions, arguments.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::llm::model::Thinking;
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;

use crate::support::test_ide::{IdeSetup, TestIde};

const CODE: &str = "fn one() {}\n\nfn parse_line() {}\n";

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

fn rows(ide: &mut TestIde) -> Vec<String> {
    let open = ide.state().prompt.completion.open.as_ref();
    open.map(|open| open.rows.iter().map(|row| row.text.clone()).collect()).unwrap_or_default()
}

#[tokio::test]
async fn symbol_completion_inserts_path_line_and_name() {
    let setup = IdeSetup::new().size(120, 30).with("src/lib.rs", CODE).file("parse.txt", "x");
    let mut ide = setup.turns([Turn::text("ok")]).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("see @pars").await;
    assert_eq!(rows(&mut ide), ["@parse.txt", "@parse_line"], "files stay first");
    assert!(ide.picture().contains("function · src/lib.rs:3"), "{}", ide.picture());
    ide.snap("prompt_symbols");
    ide.keys("Down Enter").await;
    assert_eq!(prompt(&mut ide), "see @src/lib.rs:3 parse_line ");
    ide.keys("Enter").await;
    let sent = serde_json::to_string(&ide.script.requests()[0].messages).unwrap();
    assert!(sent.contains("see @src/lib.rs:3 parse_line"), "{sent}");
}

#[tokio::test]
async fn symbol_completion_follows_unsaved_text() {
    let mut ide = IdeSetup::new().size(120, 30).with("src/lib.rs", CODE).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("@parse_l").await;
    assert_eq!(rows(&mut ide), ["@parse_line"]);
    ide.keys("Ctrl-u Alt-2 Ctrl-Home Enter").await;
    ide.keys("Alt-3").await;
    ide.type_in("@parse_l").await;
    ide.keys("Tab").await;
    assert_eq!(prompt(&mut ide), "@src/lib.rs:4 parse_line ");
}

#[tokio::test]
async fn session_completion_inserts_path_that_agent_can_read() {
    let turns = ["one", "two"].map(Turn::text);
    let mut ide = IdeSetup::new().size(120, 30).turns(turns).start().await;
    ide.prompt("why does the gearbox grind").await;
    let before = ide.state().agent.session.clone();
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    ide.wait_for("the new session", move |state| state.agent.session != before).await;
    ide.type_in("as in @gearb").await;
    assert_eq!(rows(&mut ide), ["@why does the gearbox grind"]);
    assert!(ide.picture().contains("session · 1 turn"), "{}", ide.picture());
    ide.keys("Tab").await;
    let text = prompt(&mut ide);
    let path = text.strip_prefix("as in @").unwrap().trim().to_string();
    assert!(std::fs::read_to_string(&path).unwrap().contains("why does the gearbox grind"), "{path}");
    ide.keys("Enter").await;
    ide.advance(Duration::from_secs(31));
    ide.type_in("@as").await;
    assert!(rows(&mut ide).is_empty(), "the current session is not listed: {:?}", rows(&mut ide));
}

#[tokio::test]
async fn argument_completion_lists_values_and_runs() {
    let mut ide = IdeSetup::new().size(120, 30).model("other").turns([Turn::text("a")]).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("/model ").await;
    assert_eq!(rows(&mut ide), ["scripted/script", "scripted/other", "demo/guide"]);
    ide.type_in("ot").await;
    ide.keys("Enter").await;
    let is_other = |state: &State| state.agent.model.as_ref().is_some_and(|model| model.id == "other");
    ide.wait_for("the other model", is_other).await;
    ide.type_in("/thinking hi").await;
    ide.keys("Tab").await;
    assert_eq!(prompt(&mut ide), "/thinking high ");
    ide.keys("Enter").await;
    ide.wait_for("the level", |state| state.agent.thinking == Thinking::High).await;
    ide.type_in("/approval ").await;
    assert!(ide.picture().contains("runs everything, asks nothing"), "{}", ide.picture());
    ide.keys("Down Enter").await;
    ide.wait_for("the marked mode", |state| state.agent.approval_mode == Mode::OnRequest).await;
    assert_eq!(prompt(&mut ide), "");
    ide.type_in("/approval").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("Approval mode"), "without an argument the list opens: {}", ide.picture());
}

#[tokio::test]
async fn completion_leaves_keys_on_start_screen() {
    let mut ide = IdeSetup::new().file("guide.md", "x").size(80, 30).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("@gui").await;
    let picture = ide.picture();
    assert!(picture.contains("guide.md") && picture.contains("Enter      send"), "{picture}");
}

#[tokio::test]
async fn theme_completion_lists_themes_and_changes_colors() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    ide.keys("Alt-3").await;
    let before = ide.headless.app().screen.buffer().content[0].bg;
    ide.type_in("/theme ").await;
    assert_eq!(rows(&mut ide).len(), 13);
    assert!(ide.picture().contains("shown now"), "{}", ide.picture());
    ide.type_in("bow-li").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "Theme: bowline-light");
    assert_ne!(ide.headless.app().screen.buffer().content[0].bg, before);
    ide.type_in("/theme nothing").await;
    ide.keys("Escape Enter").await;
    assert!(
        ide.status_message().starts_with("No theme nothing. One of bowline-dark,"),
        "{}",
        ide.status_message()
    );
    assert_eq!(prompt(&mut ide), "/theme nothing");
    ide.keys("Ctrl-u").await;
    ide.type_in("/theme").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("follows the terminal"), "{}", ide.picture());
}

#[tokio::test]
async fn completion_list_that_goes_on_is_counted() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("/").await;
    let all = rows(&mut ide).len();
    assert!(all > 8 && ide.picture().contains(&format!(" 1/{all} ")), "{}", ide.picture());
    ide.keys("Up").await;
    assert!(ide.picture().contains(&format!(" {all}/{all} ")), "{}", ide.picture());
    ide.type_in("theme").await;
    assert!(!ide.picture().contains(" 1/1 "), "{}", ide.picture());
}
