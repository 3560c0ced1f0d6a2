//! What is typed, saved, renamed and read again at the same time: nothing is lost, and nothing
//! is written to the wrong file.

use bowline::exec::Stamp;
use bowline::ide::features::files::disk::{Reread, reloaded};
use bowline::ide::features::files::save::{AfterSave, Saved, saved};
use bowline::text::changes::ChangeSet;
use bowline::text::format::Format;
use bowline::text::history::RevisionId;

use crate::support::desk::{Desk, Plan};

async fn desk(text: &str) -> Desk {
    Plan::new().with("a.txt", text).start().await
}

#[tokio::test]
async fn what_is_typed_while_a_file_is_saved_is_unsaved() {
    let mut desk = desk("\n").await;
    desk.type_now("a");
    desk.ide.press("Ctrl-s");
    // The save is under way; the burst of typing goes on.
    desk.type_now("b");
    desk.ide.idle().await;
    assert_eq!(desk.disk("a.txt"), "a\n");
    assert_eq!(desk.text(), "ab\n");
    assert!(desk.ide.app().state.buffers.current().unwrap().is_unsaved());
    desk.keys("Ctrl-z").await;
    assert!(
        !desk.ide.app().state.buffers.current().unwrap().is_unsaved(),
        "undo goes back to what was saved"
    );
}

#[tokio::test]
async fn a_file_that_changed_while_it_was_saved_is_not_closed() {
    let mut desk = desk("\n").await;
    desk.type_now("a");
    let buffer = desk.ide.app().state.buffers.current().unwrap();
    let (id, path) = (buffer.id, buffer.path.clone().unwrap());
    desk.ide.press("Alt-w s");
    desk.type_now("b");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "ab\n", "it is still open");
    let written = Saved {
        buffer: id,
        path: path.clone(),
        real: path,
        revision: RevisionId::default(),
        format: Format::default(),
        result: Ok(Stamp::of(b"")),
        then: AfterSave::Close,
    };
    desk.ide.app().with_cx(|cx| saved(cx, written));
    assert!(desk.ide.app().state.buffers.current().is_some());
}

#[tokio::test]
async fn save_as_takes_the_new_name_only_once_it_is_written() {
    let mut desk = Plan::new().with("a.txt", "text\n").file("taken.txt", "other\n").start().await;
    desk.keys("Alt-x").await;
    desk.type_in("file.save-as").await;
    desk.keys("Enter").await;
    desk.type_in("taken.txt").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("exists already"), "{}", desk.picture());
    let path = |desk: &mut Desk| desk.ide.app().state.buffers.current().unwrap().path.clone().unwrap();
    assert!(path(&mut desk).ends_with("a.txt"));
    desk.keys("n").await;
    assert_eq!(desk.disk("taken.txt"), "other\n");
    desk.keys("Alt-x").await;
    desk.type_in("file.save-as").await;
    desk.keys("Enter").await;
    desk.type_in("new.txt").await;
    desk.keys("Enter").await;
    assert_eq!(desk.disk("new.txt"), "text\n");
    assert!(path(&mut desk).ends_with("new.txt"));
    // The old name is no longer this buffer's: an edit of that file must not reach it.
    let old = desk.path("a.txt");
    assert!(desk.ide.app().state.buffers.by_path(&old).is_none());
}

#[tokio::test]
async fn a_file_read_again_brings_its_format_along() {
    let mut desk = desk("é\n").await;
    std::fs::write(desk.path("a.txt"), b"\xff\r\n\xfe\r\n").unwrap();
    desk.keys("Alt-x").await;
    desk.type_in("file.reload").await;
    desk.keys("Enter").await;
    desk.type_in("x").await;
    desk.keys("Enter Ctrl-s").await;
    assert_eq!(std::fs::read(desk.path("a.txt")).unwrap(), b"x\r\n\xff\r\n\xfe\r\n");
}

#[tokio::test]
async fn a_reload_that_nobody_asked_for_never_overwrites_what_was_typed() {
    let mut desk = desk("one\n").await;
    let buffer = desk.ide.app().state.buffers.current().unwrap();
    let (id, version) = (buffer.id, buffer.area.document.version());
    desk.type_now("typed ");
    let changes = ChangeSet::identity(4);
    let read = Reread {
        buffer: id,
        version,
        forced: false,
        encoding: None,
        result: Ok(Some((changes, Format::default(), Stamp::of(b"two\n")))),
    };
    desk.ide.app().with_cx(|cx| reloaded(cx, read));
    assert_eq!(desk.text(), "typed one\n");
    assert!(desk.picture().contains("Changed on disk: a.txt"), "{}", desk.picture());
}

#[tokio::test]
async fn yank_pop_never_takes_back_somebody_elses_edit() {
    let mut desk = desk("one\n").await;
    desk.keys("Ctrl-k Ctrl-y").await;
    std::fs::write(desk.path("a.txt"), "other\n").unwrap();
    desk.keys("Ctrl-s").await;
    desk.keys("r").await;
    assert_eq!(desk.text(), "other\n");
    desk.keys("Alt-y").await;
    assert_eq!(desk.text(), "other\n");
}
