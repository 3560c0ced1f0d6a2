//! Files as the session knew them, brought back by a user at the keyboard.

use bowline::ide::core::state::State;
use bowline::ide::features::restore::view::RestoreView;
use bowline::ide::features::transcript::items::{Item, ItemKind, TRANSCRIPT};
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn bash_turn(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

fn setup() -> IdeSetup {
    IdeSetup::new().size(120, 24).policy(Mode::Full).checkpoints()
}

/// A session of two turns, each of which writes its number to `a.txt`.
async fn after_two_turns() -> TestIde {
    let turns = [
        bash_turn("c1", "echo 1 > a.txt"),
        Turn::text("first done"),
        bash_turn("c2", "echo 2 > a.txt"),
        Turn::text("second done"),
    ];
    let mut ide = setup().turns(turns).start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide
}

async fn run_command(ide: &mut TestIde, command: &str) {
    ide.keys("Alt-x").await;
    ide.type_in(command).await;
    ide.keys("Enter").await;
}

/// Waits until it is shown what undoing a restore would do.
async fn wait_for_preview(ide: &mut TestIde) {
    ide.wait_for("the preview", |state| state.layers.top::<RestoreView>().is_some()).await;
    assert!(ide.picture().contains("─ Undo last restore ─"), "{}", ide.picture());
}

/// How many restores the conversation reports.
fn restores_said(state: &State) -> usize {
    let items = state.slots[TRANSCRIPT].items().iter();
    let is_restore = |item: &&Item| matches!(&item.kind, ItemKind::Notice { error: false, text } if text.starts_with("Restored ") || text.starts_with("Undid the last restore"));
    items.filter(is_restore).count()
}

#[tokio::test]
async fn restore_view_undoes_turn_with_conflict() {
    let turns = [
        bash_turn("c1", "sed -i s/1/one/ a.txt; echo theirs > b.txt; printf 'fn new() {}\\n' > new.rs"),
        Turn::text("done"),
    ];
    let files = setup().file("a.txt", "1\n2\n3\n4\n5\n").file("b.txt", "old\n");
    let mut ide = files.turns(turns).start().await;
    ide.prompt("change it").await;
    ide.write_file("b.txt", "mine\n");
    run_command(&mut ide, "session.undo-turn").await;
    ide.wait_for_text("Undo file changes of turn").await;
    ide.keys("Down").await;
    ide.snap("restore_conflict");
    ide.keys("Escape").await;
    assert_eq!(ide.file_text("a.txt"), "one\n2\n3\n4\n5\n", "Nothing changed");
    run_command(&mut ide, "session.undo-turn").await;
    ide.wait_for_text("1 to decide").await;
    ide.keys("m").await;
    assert!(ide.status_message().contains("No conflict in this file"), "{}", ide.status_message());
    ide.keys("Down b Enter").await;
    ide.wait_for_text("Restored").await;
    assert_eq!((ide.file_text("a.txt"), ide.file_text("b.txt")), ("1\n2\n3\n4\n5\n".into(), "mine\n".into()));
    assert_eq!(ide.file_text("b.txt.restored"), "old\n");
    assert!(!ide.path("new.rs").exists());
    run_command(&mut ide, "session.undo-restore").await;
    wait_for_preview(&mut ide).await;
    assert_eq!(restores_said(ide.state()), 1);
    ide.keys("Enter").await;
    ide.wait_for("the second restore", |state| restores_said(state) == 2).await;
    assert_eq!(ide.file_text("a.txt"), "one\n2\n3\n4\n5\n");
    assert!(ide.path("new.rs").exists() && !ide.path("b.txt.restored").exists());
    let session = ide.state().agent.session.clone();
    run_command(&mut ide, "session.new").await;
    ide.wait_for("another session", |state| state.agent.session != session).await;
    run_command(&mut ide, "session.undo-restore").await;
    assert!(
        ide.status_message().contains("No restore to undo"),
        "that was another session: {}",
        ide.status_message()
    );
}

#[tokio::test]
async fn restore_of_open_file_merges_unsaved_edits() {
    let turns = [bash_turn("c1", "sed -i s/1/one/ a.txt; echo x > open.txt"), Turn::text("done")];
    let files = setup().with("a.txt", "1\n2\n3\n4\n5\n").with("open.txt", "first\n");
    let mut ide = files.turns(turns).start().await;
    ide.prompt("change it").await;
    ide.focus_window().await;
    ide.keys("Alt-2").await;
    assert_eq!((ide.current_file_name(), ide.text()), ("a.txt".into(), "one\n2\n3\n4\n5\n".into()));
    ide.keys("Ctrl-End").await;
    ide.type_in("typed").await;
    run_command(&mut ide, "session.undo-turn").await;
    ide.wait_for_text("Undo file changes of turn").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Restored").await;
    assert_eq!(ide.text(), "1\n2\n3\n4\n5\ntyped", "merged with what was not saved");
    assert_eq!(ide.file_text("a.txt"), "1\n2\n3\n4\n5\ntyped");
    assert_eq!(ide.file_text("open.txt"), "first\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\n2\n3\n4\n5\ntyped", "one step of undo");
}

#[tokio::test]
async fn session_tree_restores_files_and_conversation() {
    let mut ide = after_two_turns().await;
    assert_eq!(ide.file_text("a.txt"), "2\n");
    ide.keys("Alt-g").await;
    ide.wait_for_text("second").await;
    ide.keys("Home").await;
    ide.keys("b").await;
    ide.wait_for_text("Restore files and conversation").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Restored").await;
    assert!(!ide.path("a.txt").exists());
    let picture = ide.picture();
    assert!(!picture.contains("second done"), "{picture}");
    assert_eq!(
        ide.state().prompt.area.text().to_string(),
        "first",
        "the words are there to be said differently"
    );
    run_command(&mut ide, "session.undo-restore").await;
    wait_for_preview(&mut ide).await;
    ide.keys("Enter").await;
    ide.wait_for_text("Undid the last restore").await;
    assert_eq!(ide.file_text("a.txt"), "2\n");
    let picture = ide.picture();
    assert!(picture.contains("second done"), "the conversation is back, too: {picture}");
    assert_eq!(ide.state().prompt.area.text().to_string(), "", "nothing was said differently");
}

#[tokio::test]
async fn session_tree_restores_files_as_after_any_answer_also_the_last() {
    let mut ide = after_two_turns().await;
    ide.keys("Alt-g").await;
    let steps = [("Home", None), ("End", Some("2\n")), ("Home Down", Some("1\n")), ("End", Some("2\n"))];
    for (before, (keys, content)) in steps.into_iter().enumerate() {
        ide.keys(keys).await;
        ide.keys("c").await;
        ide.wait_for_text("Restore files to here").await;
        ide.keys("Enter").await;
        ide.wait_for("the restore", |state| restores_said(state) == before + 1).await;
        assert_eq!(std::fs::read_to_string(ide.path("a.txt")).ok().as_deref(), content, "{keys}");
    }
    ide.keys("c").await;
    assert!(ide.status_message().contains("No file has to be restored"), "{}", ide.status_message());
}

#[tokio::test]
async fn restore_without_checkpoints_reports_it() {
    let mut ide = IdeSetup::new().turns([Turn::text("hello")]).start().await;
    ide.prompt("hi").await;
    run_command(&mut ide, "session.undo-turn").await;
    assert!(ide.status_message().contains("changed no files"), "{}", ide.status_message());
    run_command(&mut ide, "session.restore-code").await;
    assert!(ide.status_message().contains("no recorded state"), "{}", ide.status_message());
    run_command(&mut ide, "session.undo-restore").await;
    assert!(ide.status_message().contains("No restore to undo"), "{}", ide.status_message());
}

#[tokio::test]
async fn restore_of_deleted_file_keeps_unsaved_edits() {
    let turns = [bash_turn("c1", "rm a.txt b.txt"), Turn::text("done")];
    let files = setup().with("a.txt", "first\n").with("b.txt", "second\n");
    let mut ide = files.turns(turns).start().await;
    ide.prompt("remove them").await;
    ide.focus_window().await;
    ide.keys("Alt-2").await;
    assert_eq!((ide.current_file_name(), ide.text()), ("a.txt".into(), "first\n".into()));
    ide.keys("Ctrl-End").await;
    ide.type_in("unsaved").await;
    run_command(&mut ide, "session.undo-turn").await;
    ide.wait_for_text("Undo file changes of turn").await;
    ide.wait_for_text("1 to decide").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Restored").await;
    assert_eq!(ide.text(), "first\nunsaved", "the words stay");
    assert_eq!(ide.file_text("b.txt"), "second\n", "what nobody had changed is there again");
}

#[tokio::test]
async fn undo_agent_turn_says_which_file_of_an_undone_edit_is_not_saved() {
    let edit = |id: &str, path: &str, old: &str, new: &str| {
        Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
    };
    let turns =
        [edit("c1", "open.txt", "one", "1"), edit("c2", "closed.txt", "größe", "size"), Turn::text("done")];
    let files = setup().with("open.txt", "one\n").file("closed.txt", "größe\n");
    let mut ide = files.turns(turns).start().await;
    ide.prompt("go").await;
    ide.keys("Alt-2 Alt-, a e").await;
    let said = ide.status_message();
    assert!(
        said.starts_with("Undid the agent's edit; not saved: open.txt. 1 other file of that turn: "),
        "{said}"
    );
    assert_eq!((ide.text().as_str(), ide.file_text("open.txt").as_str()), ("one\n", "1\n"));
    ide.keys("Alt-8 t").await;
    assert_eq!(ide.file_text("closed.txt"), "größe\n");
    let said = ide.status_message();
    assert!(
        said.starts_with("Undid the agent's last turn in closed.txt; not saved: open.txt. Undo: "),
        "{said}"
    );
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("open.txt"), "one\n");
}

#[tokio::test]
async fn undo_agent_turn_covers_closed_files_and_saves() {
    let edit = |id: &str, path: &str, old: &str, new: &str| {
        Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
    };
    let turns = [
        edit("c1", "open.txt", "one", "1"),
        Turn::text("done"),
        edit("c2", "open.txt", "two", "2"),
        edit("c3", "closed.txt", "größe", "size"),
        bash_turn("c4", "echo x > made.txt"),
        Turn::text("done"),
    ];
    let files = setup().with("open.txt", "one\ntwo\n").file("closed.txt", "größe\n");
    let mut ide = files.turns(turns).start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.keys("Alt-2 Alt-8 t").await;
    assert_eq!((ide.file_text("open.txt").as_str(), ide.text().as_str()), ("1\ntwo\n", "1\ntwo\n"));
    assert_eq!(ide.file_text("closed.txt"), "größe\n");
    assert!(!ide.path("made.txt").exists());
    assert!(!ide.state().buffers.current().unwrap().is_unsaved());
    let marks = |ide: &mut TestIde| {
        let document = &ide.state().buffers.current().unwrap().area.document;
        document.marks().all().iter().map(|mark| mark.range.start.0).collect::<Vec<_>>()
    };
    assert_eq!(marks(&mut ide), [0], "what is undone needs no review, the turn before still does");
    assert_eq!(
        ide.status_message(),
        "Undid the agent's last turn in closed.txt, made.txt, open.txt. Undo: “Undo last restore” (F1)"
    );
    run_command(&mut ide, "session.undo-restore").await;
    wait_for_preview(&mut ide).await;
    ide.keys("Enter").await;
    ide.wait_for_text("Undid the last restore").await;
    assert_eq!(
        (ide.file_text("open.txt").as_str(), ide.file_text("closed.txt").as_str()),
        ("1\n2\n", "size\n")
    );
    ide.write_file("closed.txt", "mine\n");
    ide.keys("Alt-2 Alt-8 t").await;
    ide.wait_for_text("1 to decide").await;
    ide.keys("Escape").await;
    assert_eq!(ide.file_text("closed.txt"), "mine\n", "a conflict is decided by the user");
}
