//! The unsent message of the prompt outlives the program and other sessions, and the last session is one key away.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::llm::providers::scripted::Turn;
use bowline::tui::input::Input;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// Longer than a change waits before it is written.
const PAUSE: Duration = Duration::from_millis(600);

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

/// The stored drafts.
fn drafts(ide: &TestIde) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(ide.home("state/drafts")).into_iter().flatten();
    folder.map(|entry| entry.unwrap().path()).collect()
}

async fn type_draft(ide: &mut TestIde, text: &str) {
    ide.keys("Alt-3").await;
    ide.type_in(text).await;
    ide.advance(PAUSE);
    ide.headless.idle().await;
}

#[tokio::test]
async fn draft_survives_crash_and_is_gone_once_sent() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().start().await;
        type_draft(&mut ide, "half a thought é漢").await;
        let files = drafts(&ide);
        assert_eq!(files.len(), 1);
        assert_eq!(std::fs::metadata(&files[0]).unwrap().permissions().mode() & 0o777, 0o600);
        let mut ide = ide.restart().turns([Turn::text("answer")]).start().await;
        assert_eq!(prompt(&mut ide), "half a thought é漢");
        ide.prompt(" whole").await;
        assert!(ide.session().iter().any(|line| line.to_string().contains("half a thought é漢 whole")));
        assert_eq!(drafts(&ide), Vec::<PathBuf>::new(), "removed without waiting");
        let mut ide = ide.restart().start().await;
        assert_eq!(prompt(&mut ide), "");
    })
    .await;
}

#[tokio::test]
async fn draft_written_on_quit_without_pause() {
    let mut ide = IdeSetup::new().start().await;
    ide.keys("Alt-3").await;
    ide.type_in("just typed").await;
    assert!(drafts(&ide).is_empty());
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().start().await;
    assert_eq!(prompt(&mut ide), "just typed");
    ide.keys("Ctrl-u").await;
    ide.headless.idle().await;
    let mut ide = ide.restart().start().await;
    assert_eq!(prompt(&mut ide), "", "what was deleted does not come back");
}

#[tokio::test]
async fn draft_is_one_for_each_session() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().turns([Turn::text("one"), Turn::text("two")]).start().await;
        ide.prompt("first session").await;
        type_draft(&mut ide, "draft of the first").await;
        ide.keys("Alt-x").await;
        ide.type_in("New session").await;
        ide.keys("Enter").await;
        assert_eq!(prompt(&mut ide), "");
        type_draft(&mut ide, "draft of the new one").await;
        ide.keys("Alt-Shift-g").await;
        assert!(ide.picture().contains("first session"), "{}", ide.picture());
        assert_eq!(prompt(&mut ide), "draft of the first");
        ide.keys("Ctrl-z").await;
        assert_eq!(prompt(&mut ide), "", "undo knows nothing of the other session");
        ide.keys("Alt-z").await;
        ide.advance(PAUSE);
        ide.headless.idle().await;
        let mut ide = ide.restart().start().await;
        assert_eq!(prompt(&mut ide), "draft of the new one", "a session never stored has its own");
        let mut ide = ide.restart().continue_session().start().await;
        assert_eq!(prompt(&mut ide), "draft of the first");
    })
    .await;
}

#[tokio::test]
async fn draft_behind_recalled_message_is_kept() {
    let mut ide = IdeSetup::new().turns([Turn::text("one")]).start().await;
    ide.prompt("sent before").await;
    type_draft(&mut ide, "draft").await;
    ide.keys("Up").await;
    assert_eq!(prompt(&mut ide), "sent before");
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().continue_session().start().await;
    assert_eq!(prompt(&mut ide), "draft");
}

#[tokio::test]
async fn draft_broken_or_huge_is_reported_and_ignored() {
    for content in ["{\"version\":1", "\u{1b}]0;title\u{7}", &"x".repeat(9 << 20)] {
        let mut ide = IdeSetup::new().size(120, 24).start().await;
        type_draft(&mut ide, "draft").await;
        std::fs::write(&drafts(&ide)[0], content).unwrap();
        let mut ide = ide.restart().size(120, 24).start().await;
        assert_eq!(prompt(&mut ide), "");
        assert!(ide.status_message().contains("Cannot read the unsent message"), "{}", ide.status_message());
        type_draft(&mut ide, "another").await;
        let mut ide = ide.restart().start().await;
        assert_eq!(prompt(&mut ide), "another");
    }
}

#[tokio::test]
async fn empty_conversation_proposes_last_session() {
    let mut ide = IdeSetup::new().turns([Turn::text("hi")]).start().await;
    ide.prompt("hello there").await;
    assert!(!ide.picture().contains("Go on with"));
    let mut ide = ide.restart().start().await;
    let picture = ide.picture();
    assert!(picture.contains("hello there · ") && picture.contains("Go on with a session"), "{picture}");
    ide.snap("welcome_last_session");
    ide.keys("Alt-Shift-g").await;
    let picture = ide.picture();
    assert!(picture.contains("hello there") && picture.contains("hi") && !picture.contains("Go on with"));
    ide.keys("Alt-Shift-g").await;
    assert!(ide.status_message().contains("No other session"), "{}", ide.status_message());
    let mut ide = ide.restart().continue_session().start().await;
    assert!(!ide.picture().contains("Go on with"), "{}", ide.picture());
}

#[tokio::test]
async fn stash_puts_message_away_and_brings_it_back() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().size(100, 24).start().await;
        ide.keys("Alt-3 Alt-s").await;
        assert!(ide.status_message().contains("No stashed messages"), "{}", ide.status_message());
        ide.type_in("first thought").await;
        ide.keys("Alt-s").await;
        assert_eq!(prompt(&mut ide), "");
        let mut ide = ide.restart().size(100, 24).start().await;
        assert_eq!(prompt(&mut ide), "", "it is no draft");
        ide.keys("Alt-3 Alt-s").await;
        assert_eq!(prompt(&mut ide), "first thought");
        ide.keys("Ctrl-u Alt-s").await;
        assert!(ide.status_message().contains("No stashed messages"), "{}", ide.status_message());
    })
    .await;
}

#[tokio::test]
async fn stash_lists_several_and_deletes_one() {
    let mut ide = IdeSetup::new().size(100, 24).start().await;
    ide.keys("Alt-3").await;
    for text in ["one", "two \u{1b}[31m", "three"] {
        ide.headless.input(Input::Paste(text.to_string()));
        ide.keys("Alt-s").await;
        ide.advance(Duration::from_mins(1));
    }
    ide.type_in("/stash").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Stashed messages").await;
    let picture = ide.picture();
    assert!(picture.contains("three") && picture.contains("one") && !picture.contains('\u{1b}'), "{picture}");
    ide.snap("picker_stashes");
    ide.keys("Delete").await;
    ide.wait_for("two rows", |state| {
        state.layers.top::<Picker>().is_some_and(|picker| !picker.is_filling && picker.total() == 2)
    })
    .await;
    assert!(!ide.picture().contains("three"), "{}", ide.picture());
    ide.type_in("one").await;
    ide.keys("Enter").await;
    assert_eq!(prompt(&mut ide), "one");
    ide.keys("Ctrl-u Alt-s").await;
    assert_eq!(prompt(&mut ide), "two \u{1b}[31m", "the only one left");
}

#[tokio::test]
async fn stash_that_cannot_be_written_stays_in_prompt() {
    let mut ide = IdeSetup::new().size(100, 24).start().await;
    std::fs::create_dir_all(ide.home("state")).unwrap();
    std::fs::write(ide.home("state/drafts"), "a file where the folder belongs").unwrap();
    ide.keys("Alt-3").await;
    ide.type_in("thought").await;
    ide.keys("Alt-s").await;
    assert_eq!(prompt(&mut ide), "thought");
    // The message itself cannot be kept there either, which is reported as well, in any order.
    let message = ide.status_message();
    assert!(message.contains("Cannot stash") || message.contains("not kept for later"), "{message}");
}
