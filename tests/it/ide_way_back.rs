//! Files as the session knew them, brought back by a user at the keyboard.

use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;

use crate::support::desk::{Desk, Plan};

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

fn plan() -> Plan {
    Plan::new().size(120, 24).policy(Mode::Full).checkpoints()
}

async fn run(desk: &mut Desk, command: &str) {
    desk.keys("Alt-x").await;
    desk.type_in(command).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn a_turn_is_looked_at_and_taken_back() {
    let turns = [
        bash("c1", "sed -i s/1/one/ a.txt; echo theirs > b.txt; printf 'fn new() {}\\n' > new.rs"),
        Turn::text("done"),
    ];
    let files = plan().file("a.txt", "1\n2\n3\n4\n5\n").file("b.txt", "old\n");
    let mut desk = files.turns(turns).start().await;
    desk.ask("change it").await;
    desk.write("b.txt", "mine\n");
    run(&mut desk, "session.undo-turn").await;
    desk.shows("Undo file changes of turn").await;
    desk.keys("Down").await;
    desk.snap("way_back_conflict");
    desk.keys("Escape").await;
    assert_eq!(desk.disk("a.txt"), "one\n2\n3\n4\n5\n", "Nothing changed");
    run(&mut desk, "session.undo-turn").await;
    desk.shows("1 to decide").await;
    desk.keys("m").await;
    assert!(desk.message().contains("No conflict in this file"), "{}", desk.message());
    desk.keys("Down b Enter").await;
    desk.shows("Restored").await;
    assert_eq!((desk.disk("a.txt"), desk.disk("b.txt")), ("1\n2\n3\n4\n5\n".into(), "mine\n".into()));
    assert_eq!(desk.disk("b.txt.restored"), "old\n");
    assert!(!desk.path("new.rs").exists());
    run(&mut desk, "session.undo-restore").await;
    desk.shows("Restore files to here").await;
    desk.keys("Enter").await;
    desk.shows("Restored").await;
    assert_eq!(desk.disk("a.txt"), "one\n2\n3\n4\n5\n");
    assert!(desk.path("new.rs").exists() && !desk.path("b.txt.restored").exists());
    let session = desk.state().agent.session.clone();
    run(&mut desk, "session.new").await;
    desk.until("another session", |state| state.agent.session != session).await;
    run(&mut desk, "session.undo-restore").await;
    assert!(desk.message().contains("No restore to undo"), "that was another session: {}", desk.message());
}

#[tokio::test]
async fn an_open_file_comes_back_as_one_step_and_unsaved_words_stay() {
    let turns = [bash("c1", "sed -i s/1/one/ a.txt; echo x > open.txt"), Turn::text("done")];
    let files = plan().with("a.txt", "1\n2\n3\n4\n5\n").with("open.txt", "first\n");
    let mut desk = files.turns(turns).start().await;
    desk.ask("change it").await;
    desk.look_again().await;
    desk.keys("Alt-2").await;
    assert_eq!((desk.shown(), desk.text()), ("a.txt".into(), "one\n2\n3\n4\n5\n".into()));
    desk.keys("Ctrl-End").await;
    desk.type_in("typed").await;
    run(&mut desk, "session.undo-turn").await;
    desk.shows("Undo file changes of turn").await;
    desk.keys("Enter").await;
    desk.shows("Restored").await;
    assert_eq!(desk.text(), "1\n2\n3\n4\n5\ntyped", "merged with what was not saved");
    assert_eq!(desk.disk("a.txt"), "1\n2\n3\n4\n5\ntyped");
    assert_eq!(desk.disk("open.txt"), "first\n");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "one\n2\n3\n4\n5\ntyped", "one step of undo");
}

#[tokio::test]
async fn the_session_tree_brings_files_along() {
    let turns = [
        bash("c1", "echo 1 > a.txt"),
        Turn::text("first done"),
        bash("c2", "echo 2 > a.txt"),
        Turn::text("second done"),
    ];
    let mut desk = plan().turns(turns).start().await;
    desk.ask("first").await;
    desk.ask("second").await;
    assert_eq!(desk.disk("a.txt"), "2\n");
    desk.keys("Alt-g").await;
    desk.shows("second").await;
    desk.keys("Home").await;
    desk.keys("b").await;
    desk.shows("Restore files and conversation").await;
    desk.keys("Enter").await;
    desk.shows("Restored").await;
    assert!(!desk.path("a.txt").exists());
    let picture = desk.picture();
    assert!(!picture.contains("second done"), "{picture}");
    assert_eq!(
        desk.state().prompt.area.text().to_string(),
        "first",
        "the words are there to be said differently"
    );
}

#[tokio::test]
async fn where_nothing_was_recorded_it_is_said() {
    let mut desk = Plan::new().turns([Turn::text("hello")]).start().await;
    desk.ask("hi").await;
    run(&mut desk, "session.undo-turn").await;
    assert!(desk.message().contains("changed no files"), "{}", desk.message());
    run(&mut desk, "session.restore-code").await;
    assert!(desk.message().contains("no recorded state"), "{}", desk.message());
    run(&mut desk, "session.undo-restore").await;
    assert!(desk.message().contains("No restore to undo"), "{}", desk.message());
}

#[tokio::test]
async fn an_open_file_that_the_agent_removed_comes_back_but_not_over_unsaved_words() {
    let turns = [bash("c1", "rm a.txt b.txt"), Turn::text("done")];
    let files = plan().with("a.txt", "first\n").with("b.txt", "second\n");
    let mut desk = files.turns(turns).start().await;
    desk.ask("remove them").await;
    desk.look_again().await;
    desk.keys("Alt-2").await;
    assert_eq!((desk.shown(), desk.text()), ("a.txt".into(), "first\n".into()));
    desk.keys("Ctrl-End").await;
    desk.type_in("unsaved").await;
    run(&mut desk, "session.undo-turn").await;
    desk.shows("Undo file changes of turn").await;
    desk.shows("1 to decide").await;
    desk.keys("Enter").await;
    desk.shows("Restored").await;
    assert_eq!(desk.text(), "first\nunsaved", "the words stay");
    assert_eq!(desk.disk("b.txt"), "second\n", "what nobody had changed is there again");
}
