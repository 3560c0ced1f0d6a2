//! Open files that somebody else touches: the system tells, and what follows loses nothing.

use std::fs;
use std::os::unix::fs::symlink;

use bowline::ide::model::buffers::DiskState;
use bowline::text::transaction::Author;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(text: &str) -> TestIde {
    IdeSetup::new().with("a.txt", text).start().await
}

fn is_unsaved(ide: &mut TestIde) -> bool {
    ide.state().buffers.current().unwrap().is_unsaved()
}

fn disk_state(ide: &mut TestIde) -> DiskState {
    ide.state().buffers.current().unwrap().disk
}

/// Replaces a file as many editors do.
fn write_by_rename(ide: &TestIde, path: &str, text: &str) {
    ide.write_file("written.tmp", text);
    fs::rename(ide.path("written.tmp"), ide.path(path)).unwrap();
}

#[tokio::test]
async fn watcher_reloads_unmodified_file_and_keeps_cursor() {
    for by_rename in [false, true] {
        let mut ide = ide("one\ntwo\nthree\n").await;
        ide.keys("Down Down Right").await;
        let new = "zero\none\ntwo\nthree\nfour\n";
        if by_rename {
            write_by_rename(&ide, "a.txt", new);
        } else {
            ide.write_file("a.txt", new);
        }
        ide.wait_for_file_watch().await;
        assert_eq!((ide.text().as_str(), ide.cursor()), (new, (4, 2)));
        assert_eq!(ide.status_message(), "Reloaded a.txt. Undo restores the old text");
        assert!(!is_unsaved(&mut ide));
        let history = ide.state().buffers.current().unwrap().area.document.history().clone();
        assert_eq!(history.last().unwrap().author, Author::External);
        assert_eq!(history.len(), 2, "one step");
        ide.keys("Ctrl-z").await;
        assert_eq!(ide.text(), "one\ntwo\nthree\n");
        assert!(is_unsaved(&mut ide), "the file is another one now");
    }
}

#[tokio::test]
async fn watcher_ignores_own_saves_and_equal_content() {
    let mut ide = ide("one\n").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.wait_for_file_watch().await;
    assert_eq!((ide.status_message().as_str(), disk_state(&mut ide)), ("Saved a.txt", DiskState::Same));
    ide.write_file("a.txt", "xone\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.status_message(), "Saved a.txt");
    assert_eq!(ide.state().buffers.current().unwrap().area.document.history().len(), 2);
}

#[tokio::test]
async fn watcher_equal_external_write_counts_as_saved() {
    let mut ide = ide("one\n").await;
    ide.type_in("x").await;
    ide.write_file("a.txt", "xone\n");
    ide.wait_for_file_watch().await;
    assert!(!is_unsaved(&mut ide));
    assert!(ide.state().layers.is_empty());
}

/// A text that was edited here and elsewhere, and the question about it on screen.
async fn ide_with_conflict_dialog() -> TestIde {
    let mut ide = ide("one\ntwo\nthree\n").await;
    ide.type_in("mine ").await;
    ide.write_file("a.txt", "one\n2\nthree\n");
    ide.wait_for_file_watch().await;
    assert!(ide.picture().contains("k Keep yours"), "{}", ide.picture());
    ide
}

/// Silence, after which the question takes keys.
fn wait_until_keys_count(ide: &mut TestIde) {
    ide.advance(std::time::Duration::from_millis(500));
}

#[tokio::test]
async fn watcher_conflict_asks_once_while_user_types() {
    let mut ide = ide_with_conflict_dialog().await;
    ide.snap("changed_on_disk");
    ide.type_in("rkd ").await;
    assert_eq!(ide.text(), "mine rkd one\ntwo\nthree\n", "keys of somebody who types answer nothing");
    assert!(ide.picture().contains("k Keep yours"));
    ide.write_file("a.txt", "one\n3\nthree\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.state().layers.len(), 1, "one question a file");
    wait_until_keys_count(&mut ide);
    ide.keys("r").await;
    assert_eq!(ide.text(), "one\n3\nthree\n");
    assert!(ide.state().layers.is_empty());
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "mine rkd one\ntwo\nthree\n");
}

#[tokio::test]
async fn watcher_conflict_keep_ours_saves_without_asking() {
    let mut ide = ide_with_conflict_dialog().await;
    wait_until_keys_count(&mut ide);
    ide.keys("k").await;
    assert_eq!(ide.text(), "mine one\ntwo\nthree\n");
    assert_eq!((is_unsaved(&mut ide), disk_state(&mut ide)), (true, DiskState::Same));
    ide.focus_window().await;
    assert!(ide.state().layers.is_empty());
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "mine one\ntwo\nthree\n");
    assert!(ide.state().layers.is_empty());
}

#[tokio::test]
async fn watcher_conflict_asks_again_after_new_change() {
    let mut ide = ide_with_conflict_dialog().await;
    wait_until_keys_count(&mut ide);
    ide.keys("k").await;
    ide.write_file("a.txt", "again\n");
    ide.wait_for_file_watch().await;
    assert!(ide.picture().contains("k Keep yours"), "{}", ide.picture());
}

#[tokio::test]
async fn watcher_conflict_diff_can_be_resolved() {
    let mut ide = ide_with_conflict_dialog().await;
    wait_until_keys_count(&mut ide);
    ide.keys("d").await;
    ide.snap("difference");
    ide.keys("k").await;
    assert!(ide.state().layers.is_empty());
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "mine one\ntwo\nthree\n");
}

#[tokio::test]
async fn watcher_compare_with_disk_shows_diff() {
    let mut ide = ide("one\ntwo\n").await;
    ide.keys("Alt-0 d").await;
    assert_eq!(ide.status_message(), "Unchanged on disk: a.txt");
    ide.type_in("x").await;
    ide.keys("Alt-0 d").await;
    let picture = ide.picture();
    assert!(picture.contains("-   1 one") && picture.contains("+   1 xone"), "{picture}");
    assert!(!picture.contains("Keep yours"), "nobody else has written: {picture}");
    ide.keys("Escape Alt-0 r").await;
    assert_eq!(ide.text(), "one\ntwo\n");
    ide.keys("Alt-0 r").await;
    assert_eq!(ide.status_message(), "Unchanged on disk: a.txt");
}

#[tokio::test]
async fn watcher_deleted_file_keeps_buffer_until_restored() {
    let mut ide = ide("one\n").await;
    fs::rename(ide.path("a.txt"), ide.path("b.txt")).unwrap();
    ide.wait_for_file_watch().await;
    assert_eq!(ide.status_message(), "Deleted on disk: a.txt. Saving creates it again");
    assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), ("one\n", true));
    fs::rename(ide.path("b.txt"), ide.path("a.txt")).unwrap();
    ide.wait_for_file_watch().await;
    assert_eq!((is_unsaved(&mut ide), disk_state(&mut ide)), (false, DiskState::Same));
    fs::remove_file(ide.path("a.txt")).unwrap();
    ide.wait_for_file_watch().await;
    ide.write_file("a.txt", "from another branch\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.text(), "from another branch\n", "nothing of the person's was in the way");
    fs::remove_file(ide.path("a.txt")).unwrap();
    ide.wait_for_file_watch().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "xfrom another branch\n");
}

#[tokio::test]
async fn watcher_recreated_file_conflicts_with_edited_buffer() {
    let mut ide = ide("one\n").await;
    fs::remove_file(ide.path("a.txt")).unwrap();
    ide.wait_for_file_watch().await;
    ide.type_in("x").await;
    ide.write_file("a.txt", "other\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.text(), "xone\n");
    assert!(ide.picture().contains("k Keep yours"), "{}", ide.picture());
}

#[tokio::test]
async fn watcher_reloads_many_files_of_replaced_folder() {
    with_task_orders(async || {
        let mut plan = IdeSetup::new();
        for n in 0..12 {
            plan = plan.with(&format!("src/{n}.txt"), format!("old {n}\n"));
        }
        let mut ide = plan.start().await;
        fs::remove_dir_all(ide.path("src")).unwrap();
        ide.wait_for_file_watch().await;
        assert!(ide.state().buffers.all().iter().all(|buffer| buffer.disk == DiskState::Deleted));
        fs::create_dir(ide.path("src")).unwrap();
        for n in 0..12 {
            ide.write_file(&format!("src/{n}.txt"), format!("new {n}\n"));
        }
        let is_new = |(n, text): (usize, String)| text == format!("new {n}\n");
        while {
            let buffers = ide.state().buffers.all();
            !buffers.iter().map(|buffer| buffer.area.text().to_string()).enumerate().all(is_new)
        } {
            ide.wait_for_file_watch().await;
        }
        assert!(ide.state().buffers.unsaved().next().is_none());
        assert!(ide.state().layers.is_empty());
    })
    .await;
}

#[tokio::test]
async fn watcher_file_replaced_by_folder_keeps_buffer() {
    let mut ide = ide("one\n").await;
    fs::remove_file(ide.path("a.txt")).unwrap();
    fs::create_dir(ide.path("a.txt")).unwrap();
    ide.wait_for_file_watch().await;
    assert_eq!(ide.status_message(), "Now a folder on disk: a.txt. Its text stays open, unsaved");
    assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), ("one\n", true));
    ide.keys("Ctrl-s").await;
    assert!(ide.status_message().starts_with("Not saved"), "{}", ide.status_message());
}

#[tokio::test]
async fn watcher_unreadable_file_keeps_buffer() {
    let mut ide = ide("one\n").await;
    let path = ide.path("a.txt");
    ide.faults.reads.lock().unwrap().push(path);
    ide.write_file("a.txt", "two\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.status_message(), "No permission to read a.txt; its text stays open");
    assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), ("one\n", false));
    ide.faults.reads.lock().unwrap().clear();
    ide.focus_window().await;
    assert_eq!(ide.text(), "two\n");
}

#[tokio::test]
async fn watcher_follows_symlink_and_its_target() {
    let plan = IdeSetup::new().file("real/a.txt", "one\n").file("real/b.txt", "other\n").open("link.txt");
    let mut ide = {
        let work = plan.path("");
        symlink("real/a.txt", work.join("link.txt")).unwrap();
        plan.start().await
    };
    ide.write_file("real/a.txt", "two\n");
    ide.wait_for_file_watch().await;
    assert_eq!(ide.text(), "two\n");
    symlink("real/b.txt", ide.path("new-link")).unwrap();
    fs::rename(ide.path("new-link"), ide.path("link.txt")).unwrap();
    ide.wait_for_file_watch().await;
    assert_eq!(ide.text(), "other\n");
}

#[tokio::test]
async fn watcher_loads_externally_created_file() {
    let mut ide = IdeSetup::new().open("sub/new.txt").start().await;
    fs::create_dir(ide.path("sub")).unwrap();
    ide.wait_for_file_watch().await;
    ide.write_file("sub/new.txt", "made\n");
    ide.wait_for_file_watch().await;
    assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), ("made\n", false));
}

#[tokio::test]
async fn watcher_ignores_closed_files() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").with("b.txt", "b\n").start().await;
    ide.keys("Alt-w").await;
    ide.write_file("a.txt", "changed\n");
    ide.write_file("b.txt", "two\n");
    ide.wait_for_file_watch().await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("b.txt", "two\n"));
}
