//! Everything that was ever written can be had back: the undo tree, times, the agent's edits alone.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::llm::providers::scripted::Turn;
use serde_json::json;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

fn edit(id: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}))
}

/// A file with two branches: `one two` and, from `one`, `one three`.
async fn ide_with_branches(size: (u16, u16)) -> TestIde {
    let mut ide = IdeSetup::new().size(size.0, size.1).with("a.txt", "").start().await;
    ide.type_in("one").await;
    ide.advance(Duration::from_secs(90));
    ide.type_in(" two").await;
    ide.keys("Ctrl-z").await;
    ide.advance(Duration::from_hours(1));
    ide.type_in(" three").await;
    ide
}

#[tokio::test]
async fn undo_tree_previews_and_selects_branches() {
    let mut ide = ide_with_branches((120, 40)).await;
    assert_eq!(ide.text(), "one three");
    ide.keys("F4").await;
    ide.snap("undo-tree");
    ide.keys("Down").await;
    assert_eq!(ide.text(), "one two", "the text goes along");
    ide.keys("Down").await;
    assert_eq!(ide.text(), "one");
    ide.keys("Escape").await;
    assert_eq!(ide.text(), "one three", "leaving changes nothing");
    ide.keys("F4 Down Enter").await;
    assert_eq!(ide.text(), "one two");
    ide.keys("Ctrl-z Alt-z").await;
    assert_eq!(ide.text(), "one two", "redo follows the branch that was chosen");
    ide.keys("F4 End PageDown Enter").await;
    assert_eq!(ide.text(), "");
    assert!(!ide.picture().contains("a.txt ●"), "the text is as on disk again");
}

#[tokio::test]
async fn undo_tree_fits_small_windows_and_reports_empty() {
    let mut ide = ide_with_branches((40, 12)).await;
    ide.keys("F4").await;
    ide.snap("undo-tree-40x12");
    ide.headless.resize(20, 5);
    assert!(ide.picture().contains("Undo"), "{}", ide.picture());
    let mut ide = IdeSetup::new().with("a.txt", "").start().await;
    ide.keys("F4").await;
    assert_eq!(ide.status_message(), "No changes yet");
}

#[tokio::test]
async fn undo_earlier_goes_back_by_time_or_steps() {
    let mut ide = ide_with_branches((80, 24)).await;
    let earlier = |ide: &mut TestIde, answer: &str| {
        ide.headless.press("Alt-x");
        ide.type_without_settling("history.earlier");
        ide.headless.press("Enter");
        ide.type_without_settling(answer);
    };
    earlier(&mut ide, "30m");
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "one two", "half an hour ago that was the newest text");
    earlier(&mut ide, "2h");
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "");
    ide.keys("Alt-z").await;
    assert_eq!(ide.text(), "one", "redo leads forward again");
    earlier(&mut ide, "1");
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "");
    earlier(&mut ide, "5 weeks");
    ide.keys("Enter").await;
    assert!(ide.picture().contains("Unknown unit weeks: use s, m, h, d"), "{}", ide.picture());
}

async fn undo_agent(ide: &mut TestIde) {
    ide.keys("Alt-2 Alt-x").await;
    ide.type_in("history.undo-agent").await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn undo_agent_edit_keeps_later_edits() {
    let turns = [edit("c1", "two", "2"), edit("c2", "one", "1"), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").turns(turns).start().await;
    ide.prompt("digits").await;
    ide.keys("Alt-2 Ctrl-End").await;
    ide.type_in("mine").await;
    assert_eq!(ide.text(), "1\n2\nthree\nmine");
    undo_agent(&mut ide).await;
    assert_eq!(ide.text(), "one\n2\nthree\nmine");
    undo_agent(&mut ide).await;
    assert_eq!(ide.text(), "one\ntwo\nthree\nmine");
    undo_agent(&mut ide).await;
    assert_eq!(ide.status_message(), "No agent edit to undo; not saved: a.txt");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "1\n2\nthree\nmine", "taking back is an edit like any other");
}

fn edit_turn(id: &str, path: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
}

/// Two files in which the agent edited three places in its second turn, and one in its first.
async fn two_turns() -> TestIde {
    let turns = [
        edit("c1", "one", "1"),
        Turn::text("done"),
        edit("c2", "two", "2"),
        edit_turn("c3", "b.txt", "größe", "size"),
        edit("c4", "three", "3"),
        Turn::text("done"),
    ];
    let plan = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").with("b.txt", "größe\n").turns(turns);
    let mut ide = plan.start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.keys("Alt-2").await;
    ide
}

fn file_texts(ide: &mut TestIde) -> Vec<String> {
    ide.state().buffers.all().iter().map(|buffer| buffer.area.text().to_string()).collect()
}

#[tokio::test]
async fn undo_agent_turn_covers_all_files() {
    let mut ide = two_turns().await;
    assert_eq!(file_texts(&mut ide), ["1\n2\n3\n", "size\n"]);
    ide.keys("Alt-8 t").await;
    assert_eq!(file_texts(&mut ide), ["1\ntwo\nthree\n", "größe\n"]);
    assert_eq!(ide.status_message(), "Undid the agent's last turn in a.txt, b.txt (open files, not saved)");
    ide.keys("Alt-8 t").await;
    assert_eq!(file_texts(&mut ide), ["one\ntwo\nthree\n", "größe\n"], "the turn before it is the next");
    ide.keys("Alt-8 t").await;
    assert_eq!(ide.status_message(), "No agent edit to undo; not saved: a.txt, b.txt");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "1\n2\n3\n", "each is one step");
}

#[tokio::test]
async fn undo_agent_turn_reports_conflicting_files() {
    let mut ide = two_turns().await;
    ide.state().buffers.cycle(1);
    assert_eq!(ide.current_file_name(), "b.txt");
    ide.keys("Ctrl-Home Right").await;
    ide.type_in("X").await;
    ide.keys("Alt-8 t").await;
    assert_eq!(file_texts(&mut ide), ["1\ntwo\nthree\n", "sXize\n"]);
    let message = ide.status_message();
    assert!(message.contains("turn in a.txt (open files, not saved); not in b.txt"), "{message}");
    assert!(message.contains("changed again in line 1"), "{message}");
    ide.keys("Alt-8 t").await;
    assert!(ide.status_message().starts_with("Cannot undo in b.txt: "), "{}", ide.status_message());
    ide.keys("Ctrl-z Alt-8 t").await;
    assert_eq!(file_texts(&mut ide), ["1\ntwo\nthree\n", "größe\n"]);
}

#[tokio::test]
async fn undo_agent_turn_skips_edit_already_undone() {
    let mut ide = two_turns().await;
    assert_eq!(ide.text(), "1\n2\n3\n");
    ide.keys("Alt-8 e").await;
    assert_eq!(ide.text(), "1\n2\nthree\n");
    assert_eq!(
        ide.status_message(),
        "Undid the agent's edit; not saved: a.txt. 1 other file of that turn: Alt-, a t"
    );
    ide.keys("Alt-8 t").await;
    assert_eq!(file_texts(&mut ide), ["1\ntwo\nthree\n", "größe\n"]);
}

#[tokio::test]
async fn undo_agent_edit_changed_by_user_is_rejected() {
    let turns = [edit("c1", "two", "second"), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\n").turns(turns).start().await;
    ide.prompt("words").await;
    ide.keys("Alt-2 Ctrl-Home Down Right Right").await;
    ide.type_in("X").await;
    undo_agent(&mut ide).await;
    assert_eq!(ide.text(), "one\nseXcond\n");
    let message = ide.status_message();
    assert!(message.contains("changed again in line 2"), "{message}");
}

#[tokio::test]
async fn undo_tree_open_keeps_agent_edit() {
    with_task_orders(async || {
        let turns = [edit("c1", "one", "1"), Turn::text("done")];
        let mut ide = IdeSetup::new().with("a.txt", "one\n").turns(turns).start().await;
        ide.type_in("x").await;
        ide.keys("Alt-3").await;
        ide.type_in("go").await;
        ide.headless.press("Enter Alt-2 F4");
        let written = |state: &State| state.buffers.current().unwrap().area.text().to_string() == "x1\n";
        ide.wait_for("the agent's edit", written).await;
        ide.headless.idle().await;
        assert_eq!(ide.text(), "x1\n");
        ide.keys("Escape").await;
        assert_eq!(ide.text(), "x1\n");
        assert_eq!(ide.file_text("a.txt"), "x1\n");
    })
    .await;
}
