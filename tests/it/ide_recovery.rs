//! Unsaved text outlives the program and is offered on the next start.

use std::time::Duration;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};
use bowline::ide::core::layers::dialog::Dialog;

/// Longer than a question that came by itself ignores keys.
const GUARD: Duration = Duration::from_millis(500);

/// The recovery files in the state folder, locks left out.
fn recovery_files(ide: &TestIde) -> Vec<String> {
    let folder = ide.path("../home/state/swap");
    let names = std::fs::read_dir(folder).into_iter().flatten();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with("lock")).collect()
}

/// Lets the time pass after which an edit is kept, and waits until it is.
async fn wait_for_recovery_write(ide: &mut TestIde) {
    ide.advance(Duration::from_secs(1));
    ide.headless.idle().await;
}

fn has_dialog(ide: &mut TestIde) -> bool {
    ide.state().layers.top::<Dialog>().is_some()
}

/// A ide at which a run ended while `a.txt` had unsaved text.
async fn crashed_setup(before: &str, typed: &str) -> IdeSetup {
    let mut ide = IdeSetup::new().with("a.txt", before).start().await;
    ide.type_in(typed).await;
    wait_for_recovery_write(&mut ide).await;
    assert_eq!(recovery_files(&ide).len(), 1);
    ide.restart().open("a.txt")
}

#[tokio::test]
async fn recovery_is_one_undo_step_and_unsaved() {
    let mut ide = crashed_setup("one\r\ntwo\r\n", "é漢").await.start().await;
    assert_eq!(ide.text(), "one\r\ntwo\r\n", "the file is shown as it is until the person decides");
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), "é漢one\r\ntwo\r\n");
    assert!(ide.state().buffers.current().unwrap().is_unsaved());
    wait_for_recovery_write(&mut ide).await;
    assert_eq!(recovery_files(&ide).len(), 1, "kept by this run now, no more by the one before");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\r\ntwo\r\n");
    assert_eq!(recovery_files(&ide).len(), 0, "nothing is unsaved");
    ide.keys("Alt-z Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "é漢one\r\ntwo\r\n");
    wait_for_recovery_write(&mut ide).await;
    assert_eq!(recovery_files(&ide).len(), 0);
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(!has_dialog(&mut ide));
}

#[tokio::test]
async fn recovery_survives_second_crash() {
    let mut ide = crashed_setup("\n", "one").await.start().await;
    ide.advance(GUARD);
    ide.keys("r").await;
    let mut ide = ide.restart().open("a.txt").start().await;
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), "one\n", "it had not been kept anew, so the old one was still there");
}

#[tokio::test]
async fn recovery_discard_deletes_and_keep_asks_again() {
    let mut ide = crashed_setup("\n", "x").await.start().await;
    ide.advance(GUARD);
    ide.keys("k").await;
    assert!(!has_dialog(&mut ide));
    let mut ide = ide.restart().open("a.txt").start().await;
    ide.advance(GUARD);
    ide.keys("d").await;
    assert_eq!((ide.text(), recovery_files(&ide).len()), ("\n".to_string(), 0));
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(!has_dialog(&mut ide));
}

#[tokio::test]
async fn recovery_dialog_ignores_keys_while_typing() {
    let mut ide = crashed_setup("\n", "x").await.start().await;
    ide.type_in("ddd").await;
    assert!(has_dialog(&mut ide));
    assert_eq!((ide.text(), recovery_files(&ide).len()), ("ddd\n".to_string(), 1));
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), "x\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "ddd\n", "what was typed meanwhile is one step back");
}

#[tokio::test]
async fn recovery_of_externally_changed_file_warns() {
    with_task_orders(async || {
        let plan = crashed_setup("one\n", "x").await.file("a.txt", "other\n");
        let mut ide = plan.start().await;
        assert!(ide.picture().contains("has been changed since"), "{}", ide.picture());
        ide.snap("recovery-changed");
        ide.advance(GUARD);
        ide.keys("r").await;
        ide.keys("Ctrl-s").await;
        assert!(has_dialog(&mut ide), "the file is newer than what the text was made from");
        assert_eq!(ide.file_text("a.txt"), "other\n");
        ide.advance(GUARD);
        ide.keys("n").await;
        ide.focus_window().await;
        ide.keys("Ctrl-s").await;
        assert!(has_dialog(&mut ide));
        ide.advance(GUARD);
        ide.keys("o").await;
        assert_eq!(ide.file_text("a.txt"), "xone\n");
        ide.type_in("y").await;
        ide.keys("Ctrl-s").await;
        assert_eq!(ide.file_text("a.txt"), "yxone\n", "asked once");
    })
    .await;
}

#[tokio::test]
async fn recovery_of_externally_created_file_asks_before_save() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().open("a.txt").start().await;
        ide.type_in("mine").await;
        wait_for_recovery_write(&mut ide).await;
        let mut ide = ide.restart().with("a.txt", "theirs\n").start().await;
        ide.advance(GUARD);
        ide.keys("r").await;
        assert_eq!(ide.text(), "mine");
        ide.keys("Ctrl-s").await;
        assert!(has_dialog(&mut ide));
        assert_eq!(ide.file_text("a.txt"), "theirs\n");
    })
    .await;
}

#[tokio::test]
async fn recovery_of_identical_text_is_dropped() {
    let plan = crashed_setup("\n", "x").await.file("a.txt", "x\n");
    let mut ide = plan.start().await;
    assert!(!has_dialog(&mut ide));
    assert_eq!(recovery_files(&ide).len(), 0);
}

#[tokio::test]
async fn recovery_restores_scratch_buffer() {
    let mut ide = IdeSetup::new().with("a.txt", "\n").start().await;
    ide.keys("Alt-w").await;
    ide.keys("Alt-x").await;
    ide.type_in("file.new").await;
    ide.keys("Enter").await;
    ide.type_in("a thought").await;
    wait_for_recovery_write(&mut ide).await;
    let mut ide = ide.restart().open("a.txt").start().await;
    assert!(ide.picture().contains("It begins: a thought"), "{}", ide.picture());
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!((ide.text().as_str(), ide.current_file_name().as_str()), ("a thought", "scratch"));
    assert!(ide.state().buffers.current().unwrap().is_unsaved());
}

#[tokio::test]
async fn recovery_names_unopened_files_at_startup() {
    let mut ide = crashed_setup("\n", "x").await.with("b.txt", "\n").start().await;
    ide.advance(GUARD);
    ide.keys("k").await;
    let mut ide = ide.restart().open("b.txt").start().await;
    assert!(ide.status_message().contains("Unsaved text of a.txt"), "{}", ide.status_message());
}

#[tokio::test]
async fn recovery_journal_removed_after_discard_save_or_quit() {
    let mut ide = IdeSetup::new().with("a.txt", "\n").with("b.txt", "\n").start().await;
    ide.type_in("x").await;
    wait_for_recovery_write(&mut ide).await;
    assert_eq!(recovery_files(&ide).len(), 1);
    ide.type_in("y").await;
    assert_eq!(recovery_files(&ide).len(), 1);
    ide.keys("Alt-w d").await;
    assert_eq!(recovery_files(&ide).len(), 0, "closed by choice");
    ide.type_in("z").await;
    wait_for_recovery_write(&mut ide).await;
    ide.keys("Ctrl-s").await;
    assert_eq!(recovery_files(&ide).len(), 0, "saved");
    ide.type_in("z").await;
    wait_for_recovery_write(&mut ide).await;
    ide.headless.app().final_writes(true)();
    assert_eq!(recovery_files(&ide).len(), 0, "left by choice");
}

#[tokio::test]
async fn recovery_journal_written_on_unexpected_end() {
    let mut ide = IdeSetup::new().with("a.txt", "\n").start().await;
    ide.type_in("x").await;
    assert_eq!(recovery_files(&ide).len(), 0);
    ide.headless.app().final_writes(false)();
    let mut ide = ide.restart().open("a.txt").start().await;
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), "x\n");
}

#[tokio::test]
async fn recovery_damaged_journal_is_ignored_and_kept() {
    let plan = crashed_setup("\n", "x").await;
    let ide = plan.start().await;
    let name = ide.path("../home/state/swap").join(&recovery_files(&ide)[0]);
    let plan = ide.restart();
    std::fs::write(&name, "{\"bowline\":1,\"length\":9").unwrap();
    let mut ide = plan.open("a.txt").start().await;
    assert!(!has_dialog(&mut ide));
    assert!(name.exists());
}

#[tokio::test]
async fn recovery_journal_appends_edits() {
    let long = "漢字\n".repeat(1000);
    let mut ide = IdeSetup::new().with("a.txt", &long).start().await;
    let file = |ide: &TestIde| {
        let names = recovery_files(ide);
        assert_eq!(names.len(), 1);
        std::fs::read(ide.path("../home/state/swap").join(&names[0])).unwrap()
    };
    ide.type_in("one é").await;
    wait_for_recovery_write(&mut ide).await;
    let first = file(&ide);
    ide.type_in(" two").await;
    ide.keys("Ctrl-End").await;
    ide.type_in("end").await;
    wait_for_recovery_write(&mut ide).await;
    ide.keys("Ctrl-z").await;
    wait_for_recovery_write(&mut ide).await;
    let last = file(&ide);
    assert!(last.starts_with(&first), "the text itself is not written again");
    assert!(last.len() < first.len() + 1000, "but what is new: {} bytes", last.len() - first.len());
    let text = ide.text();
    assert!(text.starts_with("one é two漢字\n") && text.ends_with("漢字\n"));
    let mut ide = ide.restart().open("a.txt").start().await;
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), text);
}

#[tokio::test]
async fn recovery_journal_restarts_after_save() {
    let mut ide = IdeSetup::new().with("a.txt", "\n").start().await;
    ide.type_in("one").await;
    wait_for_recovery_write(&mut ide).await;
    ide.keys("Ctrl-s").await;
    wait_for_recovery_write(&mut ide).await;
    ide.type_in("two").await;
    wait_for_recovery_write(&mut ide).await;
    let mut ide = ide.restart().open("a.txt").start().await;
    assert_eq!(ide.text(), "one\n");
    ide.advance(GUARD);
    ide.keys("r").await;
    assert_eq!(ide.text(), "onetwo\n");
}
