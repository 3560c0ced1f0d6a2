//! Undo that reaches beyond the program: trees that come back with their files, and trees that
//! do not fit any more.

use std::path::PathBuf;

use bowline::ide::features::undo_store::persist::on_found;
use bowline::text::diff::change;
use bowline::text::document::Document;
use bowline::text::file_format::format::Format;
use bowline::text::position::Byte;
use bowline::text::selection::Selection;
use bowline::text::transaction::{Author, Transaction};
use bowline::text::undo::history::Revision;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// Where trees are kept.
fn undo_store_files(ide: &TestIde) -> Vec<PathBuf> {
    let folder = ide.path("../home/state/undo");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Ends the run as a user does, unsaved text given up.
async fn quit(mut ide: TestIde) -> IdeSetup {
    let end = ide.headless.app().final_writes(true);
    tokio::task::spawn_blocking(end).await.unwrap();
    ide.restart()
}

fn modified(ide: &mut TestIde) -> bool {
    ide.state().buffers.current().unwrap().area.document.is_modified()
}

#[tokio::test]
async fn undo_store_undoes_steps_of_previous_run() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.keys("End").await;
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    let mut again = quit(ide).await.open("a.txt").start().await;
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
    assert!(again.picture().contains("Undo tree"), "{}", again.picture());
}

#[tokio::test]
async fn undo_store_redoes_text_discarded_on_quit() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.type_in("lost").await;
    let mut again = quit(ide).await.open("a.txt").start().await;
    assert_eq!((again.text().as_str(), modified(&mut again)), ("xone\n", false));
    again.keys("Alt-z").await;
    assert_eq!(again.text(), "xlostone\n");
}

#[tokio::test]
async fn undo_store_restores_tree_of_reopened_file() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").with("b.txt", "b\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.type_in("y").await;
    ide.keys("Ctrl-z").await;
    ide.keys("Alt-w").await;
    ide.keys("Ctrl-o").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter").await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("a.txt", "xone\n"));
    ide.keys("Alt-z").await;
    assert_eq!(ide.text(), "xyone\n", "what was taken back before the file was closed");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "one\n");
}

/// Delivers the tree of an earlier run, "zero" to "one", to the file that is shown.
fn deliver_tree(ide: &mut TestIde) {
    let mut older = Document::new("zero\n", Format::default());
    for new in ["zer\n", "ze\n", "one\n"] {
        let changes = change(&older.text().to_string(), new);
        older.apply(Transaction::new(changes), &Selection::cursor(Byte(0)), 0).unwrap();
    }
    let buffer = ide.state().buffers.current().unwrap().id;
    let tree = Ok(older.history().clone());
    ide.headless.app().with_cx(|cx| on_found(cx, buffer, tree));
}

fn is_unsaved(ide: &mut TestIde) -> bool {
    ide.state().buffers.current().unwrap().is_unsaved()
}

#[tokio::test]
async fn undo_store_load_during_save_keeps_saved_revision() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_without_settling("x");
    ide.headless.press("Ctrl-s");
    deliver_tree(&mut ide);
    ide.headless.idle().await;
    assert_eq!((ide.file_text("a.txt").as_str(), is_unsaved(&mut ide)), ("xone\n", false));
    for text in ["one\n", "ze\n", "zer\n", "zero\n"] {
        ide.keys("Ctrl-z").await;
        assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), (text, true));
    }
    ide.keys("Alt-z Alt-z Alt-z Alt-z").await;
    assert_eq!((ide.text().as_str(), is_unsaved(&mut ide)), ("xone\n", false));
    // The tree that was kept with the save did not have the older steps.
    let mut again = quit(ide).await.open("a.txt").start().await;
    again.keys("Ctrl-z Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(again.text(), "zero\n");
}

#[tokio::test]
async fn undo_store_load_while_tree_is_open_adds_rows() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
        ide.type_in("x").await;
        ide.keys("F4").await;
        ide.keys("Down").await;
        assert_eq!(ide.text(), "one\n");
        deliver_tree(&mut ide);
        ide.keys("Down").await;
        assert_eq!(ide.text(), "ze\n", "one step further, into the older tree");
        ide.keys("Escape").await;
        assert_eq!(ide.text(), "xone\n", "where the text was when the tree was opened");
    })
    .await;
}

#[tokio::test]
async fn undo_store_keeps_authors_and_times() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.write_file("a.txt", "two\n");
    ide.focus_window().await;
    ide.clock.advance(std::time::Duration::from_hours(1));
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    let seen = |ide: &mut TestIde| {
        let history = ide.state().buffers.current().unwrap().area.document.history().clone();
        let of = |known: &Revision| (known.author.clone(), known.time_ms);
        history.path().map(of).collect::<Vec<_>>()
    };
    let before = seen(&mut ide);
    assert_eq!(before.last().unwrap().0, Author::External);
    let mut again = quit(ide).await.open("a.txt").start().await;
    assert_eq!(seen(&mut again), before);
}

#[tokio::test]
async fn undo_store_drops_tree_of_externally_changed_file() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(undo_store_files(&ide).len(), 1);
    let mut again = quit(ide).await.file("a.txt", "from elsewhere\n").open("a.txt").start().await;
    assert_eq!(again.status_message(), "Changed since: a.txt. Older undo steps are dropped");
    again.keys("Ctrl-z").await;
    assert_eq!(
        (again.text().as_str(), again.status_message().as_str()),
        ("from elsewhere\n", "Nothing to undo")
    );
    assert_eq!(undo_store_files(&again), Vec::<PathBuf>::new());
    let mut third = quit(again).await.open("a.txt").start().await;
    assert_eq!(third.status_message(), "");
}

#[tokio::test]
async fn undo_store_damaged_tree_is_dropped() {
    for damage in ["", "{}\n", "\u{0}", "{\"undo_tree\":1"] {
        let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
        ide.type_in("x").await;
        ide.keys("Ctrl-s").await;
        let kept = undo_store_files(&ide).remove(0);
        let plan = quit(ide).await;
        std::fs::write(&kept, damage).unwrap();
        let mut again = plan.open("a.txt").start().await;
        assert_eq!(again.status_message(), "Cannot load older undo steps of a.txt: it is damaged");
        again.keys("Ctrl-z").await;
        assert_eq!(again.text(), "xone\n");
    }
}

#[tokio::test]
async fn undo_store_disabled_keeps_no_trees() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").without_undo_store().start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert!(undo_store_files(&ide).is_empty());
    let mut again = quit(ide).await.open("a.txt").start().await;
    assert!(undo_store_files(&again).is_empty());
    again.keys("Ctrl-z").await;
    assert_eq!(again.text(), "xone\n");
}

#[tokio::test]
async fn undo_store_keeps_tree_of_unmodified_file() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    let looked = quit(ide).await.open("a.txt").start().await;
    let mut third = quit(looked).await.open("a.txt").start().await;
    third.keys("Ctrl-z").await;
    assert_eq!(third.text(), "one\n");
}
