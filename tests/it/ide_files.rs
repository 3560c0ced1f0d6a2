//! Files and folders made, moved, deleted and taken back from the tree.

use crate::support::orders::in_several_orders;
use crate::support::test_ide::{Plan, TestIde};

async fn ide() -> TestIde {
    let mut ide =
        Plan::new().file("src/lib.rs", "lib\n").with("notes.md", "notes\n").size(120, 24).start().await;
    ide.keys("Alt-f").await;
    ide.keys("Alt-1 Home").await;
    ide
}

/// Answers the question on top anew.
async fn answer(ide: &mut TestIde, text: &str) {
    ide.keys("Ctrl-u").await;
    ide.type_in(text).await;
    ide.keys("Enter").await;
}

fn selected(ide: &mut TestIde) -> String {
    let row = ide.state().files.current().unwrap().path.clone();
    ide.state().display_path(&row)
}

#[tokio::test]
async fn file_tree_creates_files_and_folders() {
    let mut ide = ide().await;
    ide.keys("a").await;
    assert!(ide.picture().contains("src/"), "{}", ide.picture());
    ide.type_in("deep/é.rs").await;
    ide.keys("Enter").await;
    assert_eq!((ide.shown().as_str(), ide.disk("src/deep/é.rs").as_str()), ("é.rs", ""));
    assert_eq!(selected(&mut ide), "src/deep/é.rs");
    ide.snap("files-made");
    ide.keys("Alt-1 a").await;
    answer(&mut ide, "new/").await;
    assert!(ide.path("new").is_dir());
    assert_eq!(ide.message(), "Done: created folder new. Undo: u in the tree");
    ide.keys("a").await;
    answer(&mut ide, "notes.md").await;
    assert_eq!(ide.message(), "Not done: created notes.md: a file is there already");
    ide.keys("u").await;
    ide.keys("u").await;
    assert!(!ide.path("new").exists() && !ide.path("src/deep/é.rs").exists());
    assert_eq!(ide.shown(), "notes.md", "what is gone and has nothing unsaved is closed");
}

#[tokio::test]
async fn file_rename_updates_open_buffers() {
    let mut ide = ide().await;
    ide.keys("Right").await;
    ide.keys("Down Enter").await;
    assert_eq!(ide.shown(), "lib.rs");
    ide.type_in("my ").await;
    ide.keys("Alt-1 Home r").await;
    answer(&mut ide, "code/rust").await;
    assert_eq!(ide.message(), "Done: moved to code/rust. Undo: u in the tree");
    assert_eq!(selected(&mut ide), "code/rust");
    ide.keys("Alt-2 Ctrl-s").await;
    assert_eq!(ide.disk("code/rust/lib.rs"), "my lib\n", "unsaved text goes along");
    assert!(!ide.path("src").exists());
    ide.keys("Alt-1 u").await;
    assert_eq!(ide.disk("src/lib.rs"), "my lib\n");
    ide.keys("Alt-2").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.disk("src/lib.rs"), "my xlib\n");
    ide.keys("Alt-1 Home r").await;
    answer(&mut ide, "notes.md").await;
    assert_eq!(ide.message(), "Not done: moved to notes.md: a file is there already");
    ide.keys("Alt-2").await;
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.disk("src/lib.rs"), "my xylib\n", "what could not be moved is saved as ever");
}

#[tokio::test]
async fn file_delete_can_be_undone() {
    let mut ide = ide().await;
    ide.keys("End d").await;
    assert!(!ide.path("notes.md").exists());
    assert_eq!(ide.message(), "Done: deleted notes.md. Undo: u in the tree");
    assert!(ide.state().buffers.current().is_none());
    ide.keys("u").await;
    assert_eq!(ide.disk("notes.md"), "notes\n");
    ide.keys("Home d").await;
    assert!(ide.picture().contains("src and everything in it."), "{}", ide.picture());
    ide.keys("n").await;
    assert!(ide.path("src").exists());
    ide.keys("d").await;
    ide.keys("y").await;
    assert!(!ide.path("src").exists());
    ide.write("src", "in the way");
    ide.keys("u").await;
    assert_eq!(ide.message(), "Not done: moved to src: a file is there already");
    std::fs::remove_file(ide.path("src")).unwrap();
    ide.keys("u").await;
    assert_eq!(ide.disk("src/lib.rs"), "lib\n", "it can be tried again");
    ide.keys("u").await;
    assert_eq!(ide.message(), "No file operation to undo");
}

#[tokio::test]
async fn file_create_undo_skips_file_with_content() {
    let mut ide = ide().await;
    ide.keys("a").await;
    answer(&mut ide, "one.md").await;
    ide.keys("Alt-1 a").await;
    answer(&mut ide, "two.md").await;
    ide.type_in("much").await;
    ide.keys("Ctrl-s").await;
    ide.keys("Alt-1 u").await;
    assert_eq!(ide.disk("two.md"), "much");
    assert_eq!(ide.message(), "Not done: deleted two.md: it is no longer empty; step skipped");
    ide.keys("u").await;
    assert!(!ide.path("one.md").exists(), "the step before can be taken back");
}

#[tokio::test]
async fn file_rename_undo_during_save_can_be_retried() {
    let mut ide = ide().await;
    ide.keys("End r").await;
    answer(&mut ide, "moved.md").await;
    ide.keys("Alt-2").await;
    ide.type_in("my ").await;
    ide.headless.press("Ctrl-s");
    ide.headless.press("Alt-1");
    ide.headless.press("u");
    assert_eq!(ide.message(), "moved.md is being saved; try again");
    ide.headless.idle().await;
    ide.keys("u").await;
    assert_eq!(ide.disk("notes.md"), "my notes\n");
}

#[tokio::test]
async fn quit_with_unsaved_text_waits_for_file_operations() {
    in_several_orders(async || {
        let mut ide = ide().await;
        ide.keys("Alt-2").await;
        ide.type_in("my ").await;
        ide.keys("Alt-1 End r Ctrl-u").await;
        ide.type_now("moved.md");
        for key in ["Enter", "Ctrl-q"] {
            ide.headless.press(key);
        }
        assert!(ide.picture().contains("Quitting waits for them"), "{}", ide.picture());
        ide.headless.press("d");
        assert!(!ide.state().quit);
        ide.headless.idle().await;
        assert!(ide.state().quit && ide.path("moved.md").exists());
    })
    .await;
}

#[tokio::test]
async fn file_rename_moves_recovery_journal() {
    let mut ide = ide().await;
    ide.keys("Alt-2").await;
    ide.type_in("my ").await;
    ide.wait(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    ide.keys("Alt-1 End r").await;
    answer(&mut ide, "moved.md").await;
    ide.wait(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    let mut ide = ide.again().open("moved.md").start().await;
    assert!(ide.picture().contains("bowline ended before moved.md was saved."), "{}", ide.picture());
}

#[tokio::test]
async fn file_delete_keeps_unsaved_buffer() {
    let mut ide = ide().await;
    ide.keys("Alt-2").await;
    ide.type_in("mine ").await;
    ide.keys("Alt-1 End d").await;
    assert!(ide.picture().contains("1 unsaved"), "{}", ide.picture());
    ide.keys("y").await;
    assert_eq!(ide.text(), "mine notes\n");
    ide.keys("u").await;
    assert_eq!(ide.disk("notes.md"), "notes\n");
    assert_eq!(ide.text(), "mine notes\n");
}

#[tokio::test]
async fn file_undo_skips_step_that_fails() {
    for gone in [true, false] {
        let mut ide = ide().await;
        ide.keys("a").await;
        answer(&mut ide, "new/").await;
        ide.keys("End r").await;
        answer(&mut ide, "moved.md").await;
        if gone {
            std::fs::remove_file(ide.path("moved.md")).unwrap();
        } else {
            ide.write("notes.md", "in the way");
            ide.keys("u").await;
            assert_eq!(ide.message(), "Not done: moved to notes.md: a file is there already");
        }
        ide.keys("u").await;
        assert!(ide.message().ends_with("; step skipped"), "{}", ide.message());
        assert!(ide.path("new").exists());
        ide.keys("u").await;
        assert!(!ide.path("new").exists(), "the step before: {}", ide.message());
    }
}

#[tokio::test]
async fn file_rename_onto_open_buffer_is_rejected() {
    let plan = Plan::new().file("a/é.md", "one\n").open("new.md").open("b/é.md").open("a/é.md");
    let mut ide = plan.size(120, 24).start().await;
    ide.type_in("my ").await;
    ide.keys("Alt-f Alt-1 Home r").await;
    answer(&mut ide, "b").await;
    assert_eq!(ide.message(), "é.md is open at that path: close it or save it elsewhere");
    assert!(ide.path("a/é.md").exists() && !ide.path("b").exists());
    ide.keys("Right").await;
    ide.keys("Down r").await;
    answer(&mut ide, "new.md").await;
    assert_eq!(ide.message(), "new.md is open at that path: close it or save it elsewhere");
    assert_eq!(ide.disk("a/é.md"), "one\n");
    ide.keys("r").await;
    answer(&mut ide, "c.md").await;
    assert_eq!(ide.disk("c.md"), "one\n", "{}", ide.message());
}

#[tokio::test]
async fn quit_waits_for_file_operations_unless_repeated() {
    for again in [false, true] {
        let mut ide = ide().await;
        ide.keys("End r Ctrl-u").await;
        ide.type_now("moved.md");
        ide.headless.press("Enter");
        ide.headless.press("Ctrl-q");
        assert!(
            !ide.state().quit && ide.message().contains("Quitting when file changes finish"),
            "{}",
            ide.message()
        );
        if again {
            ide.headless.press("Ctrl-q");
            assert!(ide.state().quit, "a person can always leave");
            continue;
        }
        ide.headless.idle().await;
        assert!(ide.state().quit && ide.path("moved.md").exists());
    }
}

#[tokio::test]
async fn quit_waiting_for_file_operations_canceled_by_escape() {
    let mut ide = ide().await;
    ide.keys("End r Ctrl-u").await;
    ide.type_now("moved.md");
    ide.headless.press("Enter");
    ide.headless.press("Ctrl-q");
    ide.headless.press("Escape");
    assert_eq!(ide.message(), "Quit canceled");
    ide.headless.idle().await;
    assert!(!ide.state().quit && ide.path("moved.md").exists());
}
