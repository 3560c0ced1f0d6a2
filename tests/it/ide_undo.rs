//! Everything that was ever written can be had back: the undo tree, times, the agent's edits alone.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::llm::providers::scripted::Turn;
use serde_json::json;

use crate::support::desk::{Desk, Plan};

fn edit(id: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}))
}

/// A file with two branches: `one two` and, from `one`, `one three`.
async fn branched(size: (u16, u16)) -> Desk {
    let mut desk = Plan::new().size(size.0, size.1).with("a.txt", "").start().await;
    desk.type_in("one").await;
    desk.wait(Duration::from_secs(90));
    desk.type_in(" two").await;
    desk.keys("Ctrl-z").await;
    desk.wait(Duration::from_hours(1));
    desk.type_in(" three").await;
    desk
}

#[tokio::test]
async fn the_tree_shows_every_branch_and_goes_there() {
    let mut desk = branched((120, 40)).await;
    assert_eq!(desk.text(), "one three");
    desk.keys("F4").await;
    desk.snap("undo-tree");
    desk.keys("Down").await;
    assert_eq!(desk.text(), "one two", "the text goes along");
    desk.keys("Down").await;
    assert_eq!(desk.text(), "one");
    desk.keys("Escape").await;
    assert_eq!(desk.text(), "one three", "leaving changes nothing");
    desk.keys("F4 Down Enter").await;
    assert_eq!(desk.text(), "one two");
    desk.keys("Ctrl-z Alt-z").await;
    assert_eq!(desk.text(), "one two", "redo follows the branch that was chosen");
    desk.keys("F4 End PageDown Enter").await;
    assert_eq!(desk.text(), "");
    assert!(!desk.picture().contains("a.txt ●"), "the text is as on disk again");
}

#[tokio::test]
async fn the_tree_fits_small_windows_and_tells_when_it_is_empty() {
    let mut desk = branched((40, 12)).await;
    desk.keys("F4").await;
    desk.snap("undo-tree-40x12");
    desk.ide.resize(20, 5);
    assert!(desk.picture().contains("undo"), "{}", desk.picture());
    let mut desk = Plan::new().with("a.txt", "").start().await;
    desk.keys("F4").await;
    assert_eq!(desk.message(), "No changes yet");
}

#[tokio::test]
async fn time_can_be_gone_back_by() {
    let mut desk = branched((80, 24)).await;
    let earlier = |desk: &mut Desk, answer: &str| {
        desk.ide.press("Alt-x");
        desk.type_now("history.earlier");
        desk.ide.press("Enter");
        desk.type_now(answer);
    };
    earlier(&mut desk, "30m");
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "one two", "half an hour ago that was the newest text");
    earlier(&mut desk, "2h");
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "");
    desk.keys("Alt-z").await;
    assert_eq!(desk.text(), "one", "redo leads forward again");
    earlier(&mut desk, "1");
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "");
    earlier(&mut desk, "5 weeks");
    desk.keys("Enter").await;
    assert!(desk.picture().contains("Unknown unit weeks: use s, m, h, d"), "{}", desk.picture());
}

async fn take_back(desk: &mut Desk) {
    desk.keys("Alt-2 Alt-x").await;
    desk.type_in("history.undo-agent").await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn the_agents_edit_goes_alone_and_what_came_after_stays() {
    let turns = [edit("c1", "two", "2"), edit("c2", "one", "1"), Turn::text("done")];
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree\n").turns(turns).start().await;
    desk.ask("digits").await;
    desk.keys("Alt-2 Ctrl-End").await;
    desk.type_in("mine").await;
    assert_eq!(desk.text(), "1\n2\nthree\nmine");
    take_back(&mut desk).await;
    assert_eq!(desk.text(), "one\n2\nthree\nmine");
    take_back(&mut desk).await;
    assert_eq!(desk.text(), "one\ntwo\nthree\nmine");
    take_back(&mut desk).await;
    assert_eq!(desk.message(), "No agent edit to undo");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "1\n2\nthree\nmine", "taking back is an edit like any other");
}

fn edit_of(id: &str, path: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
}

/// Two files in which the agent edited three places in its second turn, and one in its first.
async fn two_turns() -> Desk {
    let turns = [
        edit("c1", "one", "1"),
        Turn::text("done"),
        edit("c2", "two", "2"),
        edit_of("c3", "b.txt", "größe", "size"),
        edit("c4", "three", "3"),
        Turn::text("done"),
    ];
    let plan = Plan::new().with("a.txt", "one\ntwo\nthree\n").with("b.txt", "größe\n").turns(turns);
    let mut desk = plan.start().await;
    desk.ask("first").await;
    desk.ask("second").await;
    desk.keys("Alt-2").await;
    desk
}

fn texts(desk: &mut Desk) -> Vec<String> {
    desk.state().buffers.all().iter().map(|buffer| buffer.area.text().to_string()).collect()
}

#[tokio::test]
async fn the_agents_turn_goes_as_a_whole_over_all_its_files() {
    let mut desk = two_turns().await;
    assert_eq!(texts(&mut desk), ["1\n2\n3\n", "size\n"]);
    desk.keys("Alt-8 t").await;
    assert_eq!(texts(&mut desk), ["1\ntwo\nthree\n", "größe\n"]);
    assert_eq!(desk.message(), "Undid the agent's last turn in a.txt, b.txt");
    desk.keys("Alt-8 t").await;
    assert_eq!(texts(&mut desk), ["one\ntwo\nthree\n", "größe\n"], "the turn before it is the next");
    desk.keys("Alt-8 t").await;
    assert_eq!(desk.message(), "No agent edit to undo");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "1\n2\n3\n", "each is one step");
}

#[tokio::test]
async fn files_in_which_a_turn_cannot_be_taken_back_are_named() {
    let mut desk = two_turns().await;
    desk.state().buffers.cycle(1);
    assert_eq!(desk.shown(), "b.txt");
    desk.keys("Ctrl-Home Right").await;
    desk.type_in("X").await;
    desk.keys("Alt-8 t").await;
    assert_eq!(texts(&mut desk), ["1\ntwo\nthree\n", "sXize\n"]);
    let message = desk.message();
    assert!(message.contains("turn in a.txt; not in b.txt"), "{message}");
    assert!(message.contains("changed again in line 1"), "{message}");
    desk.keys("Alt-8 t").await;
    assert!(desk.message().starts_with("Cannot undo in b.txt: "), "{}", desk.message());
    desk.keys("Ctrl-z Alt-8 t").await;
    assert_eq!(texts(&mut desk), ["1\ntwo\nthree\n", "größe\n"]);
}

#[tokio::test]
async fn one_edit_of_a_turn_taken_back_alone_stays_away() {
    let mut desk = two_turns().await;
    assert_eq!(desk.text(), "1\n2\n3\n");
    desk.keys("Alt-8 e").await;
    assert_eq!(desk.text(), "1\n2\nthree\n");
    desk.keys("Alt-8 t").await;
    assert_eq!(texts(&mut desk), ["1\ntwo\nthree\n", "größe\n"]);
}

#[tokio::test]
async fn what_was_written_over_the_agents_edit_is_never_lost() {
    let turns = [edit("c1", "two", "second"), Turn::text("done")];
    let mut desk = Plan::new().with("a.txt", "one\ntwo\n").turns(turns).start().await;
    desk.ask("words").await;
    desk.keys("Alt-2 Ctrl-Home Down Right Right").await;
    desk.type_in("X").await;
    take_back(&mut desk).await;
    assert_eq!(desk.text(), "one\nseXcond\n");
    let message = desk.message();
    assert!(message.contains("changed again in line 2"), "{message}");
}

#[tokio::test]
async fn an_edit_of_the_agents_while_the_tree_is_open_is_kept() {
    let turns = [edit("c1", "one", "1"), Turn::text("done")];
    let mut desk = Plan::new().with("a.txt", "one\n").turns(turns).start().await;
    desk.type_in("x").await;
    desk.keys("Alt-3").await;
    desk.type_in("go").await;
    desk.ide.press("Enter Alt-2 F4");
    let written = |state: &State| state.buffers.current().unwrap().area.text().to_string() == "x1\n";
    desk.until("the agent's edit", written).await;
    desk.ide.idle().await;
    assert_eq!(desk.text(), "x1\n");
    desk.keys("Escape").await;
    assert_eq!(desk.text(), "x1\n");
    assert_eq!(desk.disk("a.txt"), "x1\n");
}
