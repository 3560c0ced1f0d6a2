//! Files and folders made, moved, deleted and taken back from the tree.

use crate::support::desk::{Desk, Plan};

async fn desk() -> Desk {
    let mut desk =
        Plan::new().file("src/lib.rs", "lib\n").with("notes.md", "notes\n").size(120, 24).start().await;
    desk.keys("Alt-f").await;
    desk.keys("Alt-1 Home").await;
    desk
}

/// Answers the question on top anew.
async fn answer(desk: &mut Desk, text: &str) {
    desk.keys("Ctrl-u").await;
    desk.type_in(text).await;
    desk.keys("Enter").await;
}

fn selected(desk: &mut Desk) -> String {
    let row = desk.state().files.current().unwrap().path.clone();
    desk.state().shown(&row)
}

#[tokio::test]
async fn files_and_folders_are_made() {
    let mut desk = desk().await;
    desk.keys("a").await;
    assert!(desk.picture().contains("src/"), "{}", desk.picture());
    desk.type_in("deep/é.rs").await;
    desk.keys("Enter").await;
    assert_eq!((desk.shown().as_str(), desk.disk("src/deep/é.rs").as_str()), ("é.rs", ""));
    assert_eq!(selected(&mut desk), "src/deep/é.rs");
    desk.snap("files-made");
    desk.keys("Alt-1 a").await;
    answer(&mut desk, "new/").await;
    assert!(desk.path("new").is_dir());
    assert_eq!(desk.message(), "Done: created folder new. Undo: u in the tree");
    desk.keys("a").await;
    answer(&mut desk, "notes.md").await;
    assert_eq!(desk.message(), "Not done: created notes.md: a file is there already");
    desk.keys("u").await;
    desk.keys("u").await;
    assert!(!desk.path("new").exists() && !desk.path("src/deep/é.rs").exists());
    assert_eq!(desk.shown(), "notes.md", "what is gone and has nothing unsaved is closed");
}

#[tokio::test]
async fn open_files_follow_what_is_moved() {
    let mut desk = desk().await;
    desk.keys("Right").await;
    desk.keys("Down Enter").await;
    assert_eq!(desk.shown(), "lib.rs");
    desk.type_in("my ").await;
    desk.keys("Alt-1 Home r").await;
    answer(&mut desk, "code/rust").await;
    assert_eq!(desk.message(), "Done: moved to code/rust. Undo: u in the tree");
    assert_eq!(selected(&mut desk), "code/rust");
    desk.keys("Alt-2 Ctrl-s").await;
    assert_eq!(desk.disk("code/rust/lib.rs"), "my lib\n", "unsaved text goes along");
    assert!(!desk.path("src").exists());
    desk.keys("Alt-1 u").await;
    assert_eq!(desk.disk("src/lib.rs"), "my lib\n");
    desk.keys("Alt-2").await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("src/lib.rs"), "my xlib\n");
    desk.keys("Alt-1 Home r").await;
    answer(&mut desk, "notes.md").await;
    assert_eq!(desk.message(), "Not done: moved to notes.md: a file is there already");
    desk.keys("Alt-2").await;
    desk.type_in("y").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("src/lib.rs"), "my xylib\n", "what could not be moved is saved as ever");
}

#[tokio::test]
async fn what_is_deleted_comes_back() {
    let mut desk = desk().await;
    desk.keys("End d").await;
    assert!(!desk.path("notes.md").exists());
    assert_eq!(desk.message(), "Done: deleted notes.md. Undo: u in the tree");
    assert!(desk.state().buffers.current().is_none());
    desk.keys("u").await;
    assert_eq!(desk.disk("notes.md"), "notes\n");
    desk.keys("Home d").await;
    assert!(desk.picture().contains("src and everything in it."), "{}", desk.picture());
    desk.keys("n").await;
    assert!(desk.path("src").exists());
    desk.keys("d").await;
    desk.keys("y").await;
    assert!(!desk.path("src").exists());
    desk.write("src", "in the way");
    desk.keys("u").await;
    assert_eq!(desk.message(), "Not done: moved to src: a file is there already");
    std::fs::remove_file(desk.path("src")).unwrap();
    desk.keys("u").await;
    assert_eq!(desk.disk("src/lib.rs"), "lib\n", "it can be tried again");
    desk.keys("u").await;
    assert_eq!(desk.message(), "No file operation to undo");
}

#[tokio::test]
async fn what_was_made_and_written_to_is_not_taken_back() {
    let mut desk = desk().await;
    desk.keys("a").await;
    answer(&mut desk, "one.md").await;
    desk.keys("Alt-1 a").await;
    answer(&mut desk, "two.md").await;
    desk.type_in("much").await;
    desk.keys("Ctrl-s").await;
    desk.keys("Alt-1 u").await;
    assert_eq!(desk.disk("two.md"), "much");
    assert_eq!(desk.message(), "Not done: deleted two.md: it is no longer empty; step skipped");
    desk.keys("u").await;
    assert!(!desk.path("one.md").exists(), "the step before can be taken back");
}

#[tokio::test]
async fn a_step_that_has_to_wait_is_not_forgotten() {
    let mut desk = desk().await;
    desk.keys("End r").await;
    answer(&mut desk, "moved.md").await;
    desk.keys("Alt-2").await;
    desk.type_in("my ").await;
    desk.ide.press("Ctrl-s");
    desk.ide.press("Alt-1");
    desk.ide.press("u");
    assert_eq!(desk.message(), "moved.md is being saved; try again");
    desk.ide.idle().await;
    desk.keys("u").await;
    assert_eq!(desk.disk("notes.md"), "my notes\n");
}

#[tokio::test]
async fn leaving_with_unsaved_text_while_files_are_changed_asks_and_waits() {
    let mut desk = desk().await;
    desk.keys("Alt-2").await;
    desk.type_in("my ").await;
    desk.keys("Alt-1 End r Ctrl-u").await;
    desk.type_now("moved.md");
    for key in ["Enter", "Ctrl-q"] {
        desk.ide.press(key);
    }
    assert!(desk.picture().contains("Quitting waits for them"), "{}", desk.picture());
    desk.ide.press("d");
    assert!(!desk.state().quit);
    desk.ide.idle().await;
    assert!(desk.state().quit && desk.path("moved.md").exists());
}

#[tokio::test]
async fn unsaved_text_is_kept_under_the_name_that_its_file_was_given() {
    let mut desk = desk().await;
    desk.keys("Alt-2").await;
    desk.type_in("my ").await;
    desk.wait(std::time::Duration::from_secs(1));
    desk.ide.idle().await;
    desk.keys("Alt-1 End r").await;
    answer(&mut desk, "moved.md").await;
    desk.wait(std::time::Duration::from_secs(1));
    desk.ide.idle().await;
    let mut desk = desk.again().open("moved.md").start().await;
    assert!(desk.picture().contains("bowline ended before moved.md was saved."), "{}", desk.picture());
}

#[tokio::test]
async fn unsaved_text_of_a_deleted_file_stays() {
    let mut desk = desk().await;
    desk.keys("Alt-2").await;
    desk.type_in("mine ").await;
    desk.keys("Alt-1 End d").await;
    assert!(desk.picture().contains("1 unsaved"), "{}", desk.picture());
    desk.keys("y").await;
    assert_eq!(desk.text(), "mine notes\n");
    desk.keys("u").await;
    assert_eq!(desk.disk("notes.md"), "notes\n");
    assert_eq!(desk.text(), "mine notes\n");
}

#[tokio::test]
async fn a_step_that_cannot_be_taken_back_is_not_in_the_way_of_those_before() {
    for gone in [true, false] {
        let mut desk = desk().await;
        desk.keys("a").await;
        answer(&mut desk, "new/").await;
        desk.keys("End r").await;
        answer(&mut desk, "moved.md").await;
        if gone {
            std::fs::remove_file(desk.path("moved.md")).unwrap();
        } else {
            desk.write("notes.md", "in the way");
            desk.keys("u").await;
            assert_eq!(desk.message(), "Not done: moved to notes.md: a file is there already");
        }
        desk.keys("u").await;
        assert!(desk.message().ends_with("; step skipped"), "{}", desk.message());
        assert!(desk.path("new").exists());
        desk.keys("u").await;
        assert!(!desk.path("new").exists(), "the step before: {}", desk.message());
    }
}

#[tokio::test]
async fn nothing_is_moved_onto_the_path_of_an_open_text() {
    let plan = Plan::new().file("a/é.md", "one\n").open("new.md").open("b/é.md").open("a/é.md");
    let mut desk = plan.size(120, 24).start().await;
    desk.type_in("my ").await;
    desk.keys("Alt-f Alt-1 Home r").await;
    answer(&mut desk, "b").await;
    assert_eq!(desk.message(), "é.md is open at that path: close it or save it elsewhere");
    assert!(desk.path("a/é.md").exists() && !desk.path("b").exists());
    desk.keys("Right").await;
    desk.keys("Down r").await;
    answer(&mut desk, "new.md").await;
    assert_eq!(desk.message(), "new.md is open at that path: close it or save it elsewhere");
    assert_eq!(desk.disk("a/é.md"), "one\n");
    desk.keys("r").await;
    answer(&mut desk, "c.md").await;
    assert_eq!(desk.disk("c.md"), "one\n", "{}", desk.message());
}

#[tokio::test]
async fn leaving_waits_for_what_is_being_done_to_files() {
    for again in [false, true] {
        let mut desk = desk().await;
        desk.keys("End r Ctrl-u").await;
        desk.type_now("moved.md");
        desk.ide.press("Enter");
        desk.ide.press("Ctrl-q");
        assert!(
            !desk.state().quit && desk.message().contains("Quitting when file changes finish"),
            "{}",
            desk.message()
        );
        if again {
            desk.ide.press("Ctrl-q");
            assert!(desk.state().quit, "a person can always leave");
            continue;
        }
        desk.ide.idle().await;
        assert!(desk.state().quit && desk.path("moved.md").exists());
    }
}

#[tokio::test]
async fn escape_stays() {
    let mut desk = desk().await;
    desk.keys("End r Ctrl-u").await;
    desk.type_now("moved.md");
    desk.ide.press("Enter");
    desk.ide.press("Ctrl-q");
    desk.ide.press("Escape");
    assert_eq!(desk.message(), "Quit canceled");
    desk.ide.idle().await;
    assert!(!desk.state().quit && desk.path("moved.md").exists());
}
