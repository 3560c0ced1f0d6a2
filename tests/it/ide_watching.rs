//! Open files that somebody else touches: the system tells, and what follows loses nothing.

use std::fs;
use std::os::unix::fs::symlink;

use bowline::ide::model::buffers::Disk;
use bowline::text::transaction::Author;

use crate::support::desk::{Desk, Plan};

async fn desk(text: &str) -> Desk {
    Plan::new().with("a.txt", text).start().await
}

fn is_unsaved(desk: &mut Desk) -> bool {
    desk.state().buffers.current().unwrap().is_unsaved()
}

fn on_disk(desk: &mut Desk) -> Disk {
    desk.state().buffers.current().unwrap().disk
}

/// Replaces a file as many editors do.
fn write_by_rename(desk: &Desk, path: &str, text: &str) {
    desk.write("written.tmp", text);
    fs::rename(desk.path("written.tmp"), desk.path(path)).unwrap();
}

#[tokio::test]
async fn an_unmodified_text_follows_its_file_and_the_cursor_stays_where_it_was() {
    for by_rename in [false, true] {
        let mut desk = desk("one\ntwo\nthree\n").await;
        desk.keys("Down Down Right").await;
        let new = "zero\none\ntwo\nthree\nfour\n";
        if by_rename {
            write_by_rename(&desk, "a.txt", new);
        } else {
            desk.write("a.txt", new);
        }
        desk.notices().await;
        assert_eq!((desk.text().as_str(), desk.cursor()), (new, (4, 2)));
        assert_eq!(desk.message(), "Reloaded a.txt. Undo restores the old text");
        assert!(!is_unsaved(&mut desk));
        let history = desk.state().buffers.current().unwrap().area.document.history().clone();
        assert_eq!(history.last().unwrap().author, Author::External);
        assert_eq!(history.len(), 2, "one step");
        desk.keys("Ctrl-z").await;
        assert_eq!(desk.text(), "one\ntwo\nthree\n");
        assert!(is_unsaved(&mut desk), "the file is another one now");
    }
}

#[tokio::test]
async fn our_own_saves_and_touches_without_a_change_are_nothing() {
    let mut desk = desk("one\n").await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    desk.notices().await;
    assert_eq!((desk.message().as_str(), on_disk(&mut desk)), ("Saved a.txt", Disk::Same));
    desk.write("a.txt", "xone\n");
    desk.notices().await;
    assert_eq!(desk.message(), "Saved a.txt");
    assert_eq!(desk.state().buffers.current().unwrap().area.document.history().len(), 2);
}

#[tokio::test]
async fn what_somebody_else_makes_equal_to_the_text_counts_as_saved() {
    let mut desk = desk("one\n").await;
    desk.type_in("x").await;
    desk.write("a.txt", "xone\n");
    desk.notices().await;
    assert!(!is_unsaved(&mut desk));
    assert!(desk.state().layers.is_empty());
}

/// A text that was edited here and elsewhere, and the question about it on screen.
async fn asked() -> Desk {
    let mut desk = desk("one\ntwo\nthree\n").await;
    desk.type_in("mine ").await;
    desk.write("a.txt", "one\n2\nthree\n");
    desk.notices().await;
    assert!(desk.picture().contains("k Keep yours"), "{}", desk.picture());
    desk
}

/// Silence, after which the question takes keys.
fn pause(desk: &mut Desk) {
    desk.wait(std::time::Duration::from_millis(500));
}

#[tokio::test]
async fn a_modified_text_is_asked_about_and_typing_goes_on() {
    let mut desk = asked().await;
    desk.snap("changed_on_disk");
    desk.type_in("rkd ").await;
    assert_eq!(desk.text(), "mine rkd one\ntwo\nthree\n", "keys of somebody who types answer nothing");
    assert!(desk.picture().contains("k Keep yours"));
    desk.write("a.txt", "one\n3\nthree\n");
    desk.notices().await;
    assert_eq!(desk.state().layers.len(), 1, "one question a file");
    pause(&mut desk);
    desk.keys("r").await;
    assert_eq!(desk.text(), "one\n3\nthree\n");
    assert!(desk.state().layers.is_empty());
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "mine rkd one\ntwo\nthree\n");
}

#[tokio::test]
async fn who_keeps_his_text_saves_it_without_another_question() {
    let mut desk = asked().await;
    pause(&mut desk);
    desk.keys("k").await;
    assert_eq!(desk.text(), "mine one\ntwo\nthree\n");
    assert_eq!((is_unsaved(&mut desk), on_disk(&mut desk)), (true, Disk::Same));
    desk.look_again().await;
    assert!(desk.state().layers.is_empty());
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "mine one\ntwo\nthree\n");
    assert!(desk.state().layers.is_empty());
}

#[tokio::test]
async fn what_is_kept_is_asked_about_again_when_the_file_changes_again() {
    let mut desk = asked().await;
    pause(&mut desk);
    desk.keys("k").await;
    desk.write("a.txt", "again\n");
    desk.notices().await;
    assert!(desk.picture().contains("k Keep yours"), "{}", desk.picture());
}

#[tokio::test]
async fn the_difference_is_shown_and_can_be_decided_on() {
    let mut desk = asked().await;
    pause(&mut desk);
    desk.keys("d").await;
    desk.snap("difference");
    desk.keys("k").await;
    assert!(desk.state().layers.is_empty());
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "mine one\ntwo\nthree\n");
}

#[tokio::test]
async fn a_text_is_compared_with_its_file_by_a_key() {
    let mut desk = desk("one\ntwo\n").await;
    desk.keys("Alt-0 d").await;
    assert_eq!(desk.message(), "Unchanged on disk: a.txt");
    desk.type_in("x").await;
    desk.keys("Alt-0 d").await;
    let picture = desk.picture();
    assert!(picture.contains("-   1 one") && picture.contains("+   1 xone"), "{picture}");
    assert!(!picture.contains("Keep yours"), "nobody else has written: {picture}");
    desk.keys("Escape Alt-0 r").await;
    assert_eq!(desk.text(), "one\ntwo\n");
    desk.keys("Alt-0 r").await;
    assert_eq!(desk.message(), "Unchanged on disk: a.txt");
}

#[tokio::test]
async fn a_file_that_goes_is_kept_here_and_comes_back() {
    let mut desk = desk("one\n").await;
    fs::rename(desk.path("a.txt"), desk.path("b.txt")).unwrap();
    desk.notices().await;
    assert_eq!(desk.message(), "Deleted on disk: a.txt. Saving creates it again");
    assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), ("one\n", true));
    fs::rename(desk.path("b.txt"), desk.path("a.txt")).unwrap();
    desk.notices().await;
    assert_eq!((is_unsaved(&mut desk), on_disk(&mut desk)), (false, Disk::Same));
    fs::remove_file(desk.path("a.txt")).unwrap();
    desk.notices().await;
    desk.write("a.txt", "from another branch\n");
    desk.notices().await;
    assert_eq!(desk.text(), "from another branch\n", "nothing of the person's was in the way");
    fs::remove_file(desk.path("a.txt")).unwrap();
    desk.notices().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "xfrom another branch\n");
}

#[tokio::test]
async fn a_text_that_was_edited_after_its_file_went_is_asked_about_when_it_comes_back() {
    let mut desk = desk("one\n").await;
    fs::remove_file(desk.path("a.txt")).unwrap();
    desk.notices().await;
    desk.type_in("x").await;
    desk.write("a.txt", "other\n");
    desk.notices().await;
    assert_eq!(desk.text(), "xone\n");
    assert!(desk.picture().contains("k Keep yours"), "{}", desk.picture());
}

#[tokio::test]
async fn many_files_change_at_once_with_their_folder() {
    let mut plan = Plan::new();
    for n in 0..12 {
        plan = plan.with(&format!("src/{n}.txt"), format!("old {n}\n"));
    }
    let mut desk = plan.start().await;
    fs::remove_dir_all(desk.path("src")).unwrap();
    desk.notices().await;
    assert!(desk.state().buffers.all().iter().all(|buffer| buffer.disk == Disk::Gone));
    fs::create_dir(desk.path("src")).unwrap();
    for n in 0..12 {
        desk.write(&format!("src/{n}.txt"), format!("new {n}\n"));
    }
    let is_new = |(n, text): (usize, String)| text == format!("new {n}\n");
    while {
        let buffers = desk.state().buffers.all();
        !buffers.iter().map(|buffer| buffer.area.text().to_string()).enumerate().all(is_new)
    } {
        desk.notices().await;
    }
    assert!(desk.state().buffers.unsaved().next().is_none());
    assert!(desk.state().layers.is_empty());
}

#[tokio::test]
async fn a_folder_in_the_files_place_takes_nothing_away() {
    let mut desk = desk("one\n").await;
    fs::remove_file(desk.path("a.txt")).unwrap();
    fs::create_dir(desk.path("a.txt")).unwrap();
    desk.notices().await;
    assert_eq!(desk.message(), "Now a folder on disk: a.txt. Its text stays open, unsaved");
    assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), ("one\n", true));
    desk.keys("Ctrl-s").await;
    assert!(desk.message().starts_with("Not saved"), "{}", desk.message());
}

#[tokio::test]
async fn a_file_that_may_not_be_read_any_more_keeps_its_text_and_its_state() {
    let mut desk = desk("one\n").await;
    let path = desk.path("a.txt");
    desk.refused.reads.lock().unwrap().push(path);
    desk.write("a.txt", "two\n");
    desk.notices().await;
    assert_eq!(desk.message(), "No permission to read a.txt; its text stays open");
    assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), ("one\n", false));
    desk.refused.reads.lock().unwrap().clear();
    desk.look_again().await;
    assert_eq!(desk.text(), "two\n");
}

#[tokio::test]
async fn a_file_behind_a_link_is_watched_where_it_is_and_where_the_link_is() {
    let plan = Plan::new().file("real/a.txt", "one\n").file("real/b.txt", "other\n").open("link.txt");
    let mut desk = {
        let work = plan.path("");
        symlink("real/a.txt", work.join("link.txt")).unwrap();
        plan.start().await
    };
    desk.write("real/a.txt", "two\n");
    desk.notices().await;
    assert_eq!(desk.text(), "two\n");
    symlink("real/b.txt", desk.path("new-link")).unwrap();
    fs::rename(desk.path("new-link"), desk.path("link.txt")).unwrap();
    desk.notices().await;
    assert_eq!(desk.text(), "other\n");
}

#[tokio::test]
async fn a_new_file_that_somebody_else_makes_is_read() {
    let mut desk = Plan::new().open("sub/new.txt").start().await;
    fs::create_dir(desk.path("sub")).unwrap();
    desk.notices().await;
    desk.write("sub/new.txt", "made\n");
    desk.notices().await;
    assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), ("made\n", false));
}

#[tokio::test]
async fn a_file_that_is_not_open_any_more_is_not_watched() {
    let mut desk = Plan::new().with("a.txt", "one\n").with("b.txt", "b\n").start().await;
    desk.keys("Alt-w").await;
    desk.write("a.txt", "changed\n");
    desk.write("b.txt", "two\n");
    desk.notices().await;
    assert_eq!((desk.shown().as_str(), desk.text().as_str()), ("b.txt", "two\n"));
}
