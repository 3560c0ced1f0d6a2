//! Undo that reaches beyond the program: trees that come back with their files, and trees that
//! do not fit any more.

use std::path::PathBuf;

use bowline::ide::features::undo_store::keep::found;
use bowline::text::diff::change;
use bowline::text::document::Document;
use bowline::text::format::Format;
use bowline::text::history::Revision;
use bowline::text::position::Byte;
use bowline::text::selection::Selection;
use bowline::text::transaction::{Author, Transaction};

use crate::support::desk::{Desk, Plan};

/// Where trees are kept.
fn shelf(desk: &Desk) -> Vec<PathBuf> {
    let folder = desk.path("../home/state/undo");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Ends the run as a user does, unsaved text given up.
async fn quit(mut desk: Desk) -> Plan {
    let end = desk.ide.app().end_keeping(true);
    tokio::task::spawn_blocking(end).await.unwrap();
    desk.again()
}

fn modified(desk: &mut Desk) -> bool {
    desk.state().buffers.current().unwrap().area.document.is_modified()
}

#[tokio::test]
async fn what_was_done_before_the_save_is_undone_in_the_next_run() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    desk.keys("End").await;
    desk.type_in("y").await;
    desk.keys("Ctrl-s").await;
    let mut again = quit(desk).await.open("a.txt").start().await;
    assert_eq!((again.text().as_str(), modified(&mut again)), ("xoney\n", false));
    again.keys("Ctrl-z").await;
    assert_eq!((again.text().as_str(), modified(&mut again)), ("xone\n", true));
    again.keys("Ctrl-z").await;
    assert_eq!((again.text().as_str(), again.cursor()), ("one\n", (1, 1)));
    again.keys("Alt-z Alt-z").await;
    assert_eq!((again.text().as_str(), modified(&mut again)), ("xoney\n", false));
    again.keys("Alt-x").await;
    again.type_in("history.tree").await;
    again.keys("Enter").await;
    assert!(again.picture().contains("undo tree"), "{}", again.picture());
}

#[tokio::test]
async fn what_was_given_up_at_the_end_can_be_redone() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    desk.type_in("lost").await;
    let mut again = quit(desk).await.open("a.txt").start().await;
    assert_eq!((again.text().as_str(), modified(&mut again)), ("xone\n", false));
    again.keys("Alt-z").await;
    assert_eq!(again.text(), "xlostone\n");
}

#[tokio::test]
async fn a_tree_is_kept_when_the_file_is_closed_and_taken_up_in_the_same_run() {
    let mut desk = Plan::new().with("a.txt", "one\n").with("b.txt", "b\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    desk.type_in("y").await;
    desk.keys("Ctrl-z").await;
    desk.keys("Alt-w").await;
    desk.keys("Ctrl-o").await;
    desk.type_in("a.txt").await;
    desk.keys("Enter").await;
    assert_eq!((desk.shown().as_str(), desk.text().as_str()), ("a.txt", "xone\n"));
    desk.keys("Alt-z").await;
    assert_eq!(desk.text(), "xyone\n", "what was taken back before the file was closed");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "one\n");
}

/// Delivers the tree of an earlier run, "zero" to "one", to the file that is shown.
fn deliver_tree(desk: &mut Desk) {
    let mut older = Document::new("zero\n", Format::default());
    for new in ["zer\n", "ze\n", "one\n"] {
        let changes = change(&older.text().to_string(), new);
        older.apply(Transaction::new(changes), &Selection::cursor(Byte(0)), 0).unwrap();
    }
    let buffer = desk.state().buffers.current().unwrap().id;
    let tree = Ok(older.history().clone());
    desk.ide.app().with_cx(|cx| found(cx, buffer, tree));
}

fn is_unsaved(desk: &mut Desk) -> bool {
    desk.state().buffers.current().unwrap().is_unsaved()
}

#[tokio::test]
async fn undo_tree_that_arrives_during_a_save_leaves_the_saved_revision_right() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_now("x");
    desk.ide.press("Ctrl-s");
    deliver_tree(&mut desk);
    desk.ide.idle().await;
    assert_eq!((desk.disk("a.txt").as_str(), is_unsaved(&mut desk)), ("xone\n", false));
    for text in ["one\n", "ze\n", "zer\n", "zero\n"] {
        desk.keys("Ctrl-z").await;
        assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), (text, true));
    }
    desk.keys("Alt-z Alt-z Alt-z Alt-z").await;
    assert_eq!((desk.text().as_str(), is_unsaved(&mut desk)), ("xone\n", false));
    // The tree that was kept with the save did not have the older steps.
    let mut again = quit(desk).await.open("a.txt").start().await;
    again.keys("Ctrl-z Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(again.text(), "zero\n");
}

#[tokio::test]
async fn undo_tree_that_arrives_while_the_tree_is_shown_adds_rows_and_escape_goes_back() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("F4").await;
    desk.keys("Down").await;
    assert_eq!(desk.text(), "one\n");
    deliver_tree(&mut desk);
    desk.keys("Down").await;
    assert_eq!(desk.text(), "ze\n", "one step further, into the older tree");
    desk.keys("Escape").await;
    assert_eq!(desk.text(), "xone\n", "where the text was when the tree was opened");
}

#[tokio::test]
async fn authors_and_times_come_back() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.write("a.txt", "two\n");
    desk.look_again().await;
    desk.clock.advance(std::time::Duration::from_hours(1));
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    let seen = |desk: &mut Desk| {
        let history = desk.state().buffers.current().unwrap().area.document.history().clone();
        let of = |known: &Revision| (known.author.clone(), known.time_ms);
        history.path().map(of).collect::<Vec<_>>()
    };
    let before = seen(&mut desk);
    assert_eq!(before.last().unwrap().0, Author::External);
    let mut again = quit(desk).await.open("a.txt").start().await;
    assert_eq!(seen(&mut again), before);
}

#[tokio::test]
async fn a_file_that_was_changed_meanwhile_drops_its_tree_and_says_so_once() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(shelf(&desk).len(), 1);
    let mut again = quit(desk).await.file("a.txt", "from elsewhere\n").open("a.txt").start().await;
    assert_eq!(again.message(), "Changed since: a.txt. Older undo steps are dropped");
    again.keys("Ctrl-z").await;
    assert_eq!((again.text().as_str(), again.message().as_str()), ("from elsewhere\n", "Nothing to undo"));
    assert_eq!(shelf(&again), Vec::<PathBuf>::new());
    let mut third = quit(again).await.open("a.txt").start().await;
    assert_eq!(third.message(), "");
}

#[tokio::test]
async fn a_damaged_tree_is_dropped_and_the_file_is_as_ever() {
    for damage in ["", "{}\n", "\u{0}", "{\"undo_tree\":1"] {
        let mut desk = Plan::new().with("a.txt", "one\n").start().await;
        desk.type_in("x").await;
        desk.keys("Ctrl-s").await;
        let kept = shelf(&desk).remove(0);
        let plan = quit(desk).await;
        std::fs::write(&kept, damage).unwrap();
        let mut again = plan.open("a.txt").start().await;
        assert_eq!(again.message(), "Cannot load older undo steps of a.txt: it is damaged");
        again.keys("Ctrl-z").await;
        assert_eq!(again.text(), "xone\n");
    }
}

#[tokio::test]
async fn who_does_not_want_trees_kept_has_none() {
    let mut desk = Plan::new().with("a.txt", "one\n").forgetful().start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert!(shelf(&desk).is_empty());
    let mut again = quit(desk).await.open("a.txt").start().await;
    assert!(shelf(&again).is_empty());
    again.keys("Ctrl-z").await;
    assert_eq!(again.text(), "xone\n");
}

#[tokio::test]
async fn a_file_that_was_only_looked_at_keeps_the_tree_that_it_had() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    let looked = quit(desk).await.open("a.txt").start().await;
    let mut third = quit(looked).await.open("a.txt").start().await;
    third.keys("Ctrl-z").await;
    assert_eq!(third.text(), "one\n");
}
