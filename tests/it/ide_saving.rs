//! What is typed, saved, renamed and read again at the same time: nothing is lost, and nothing
//! is written to the wrong file.

use bowline::exec::Stamp;
use bowline::ide::features::files::disk::{ReloadResult, on_reloaded};
use bowline::ide::features::files::save::{AfterSave, SaveResult, on_saved};
use bowline::text::changes::ChangeSet;
use bowline::text::file_format::format::Format;
use bowline::text::undo::history::RevisionId;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(text: &str) -> TestIde {
    IdeSetup::new().with("a.txt", text).start().await
}

#[tokio::test]
async fn save_keeps_text_typed_meanwhile_unsaved() {
    with_task_orders(async || {
        let mut ide = ide("\n").await;
        ide.type_without_settling("a");
        ide.headless.press("Ctrl-s");
        // The save is under way; the burst of typing goes on.
        ide.type_without_settling("b");
        ide.headless.idle().await;
        assert_eq!(ide.file_text("a.txt"), "a\n");
        assert_eq!(ide.text(), "ab\n");
        assert!(ide.headless.app().state.buffers.current().unwrap().is_unsaved());
        ide.keys("Ctrl-z").await;
        assert!(
            !ide.headless.app().state.buffers.current().unwrap().is_unsaved(),
            "undo goes back to what was saved"
        );
    })
    .await;
}

#[tokio::test]
async fn save_and_close_with_new_edit_stays_open() {
    with_task_orders(async || {
        let mut ide = ide("\n").await;
        ide.type_without_settling("a");
        let buffer = ide.headless.app().state.buffers.current().unwrap();
        let (id, path) = (buffer.id, buffer.path.clone().unwrap());
        ide.headless.press("Alt-w s");
        ide.type_without_settling("b");
        ide.headless.idle().await;
        assert_eq!(ide.text(), "ab\n", "it is still open");
        let written = SaveResult {
            buffer: id,
            path: path.clone(),
            real: path,
            revision: RevisionId::default(),
            format: Format::default(),
            is_created: false,
            result: Ok(Stamp::of(b"")),
            then: AfterSave::Close,
        };
        ide.headless.app().with_cx(|cx| on_saved(cx, written));
        assert!(ide.headless.app().state.buffers.current().is_some());
    })
    .await;
}

#[tokio::test]
async fn save_as_changes_path_only_after_write() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().with("a.txt", "text\n").file("taken.txt", "other\n").start().await;
        ide.keys("Alt-x").await;
        ide.type_in("file.save-as").await;
        ide.keys("Enter").await;
        ide.type_in("taken.txt").await;
        ide.keys("Enter").await;
        assert!(ide.picture().contains("exists already"), "{}", ide.picture());
        let path =
            |ide: &mut TestIde| ide.headless.app().state.buffers.current().unwrap().path.clone().unwrap();
        assert!(path(&mut ide).ends_with("a.txt"));
        ide.keys("n").await;
        assert_eq!(ide.file_text("taken.txt"), "other\n");
        ide.keys("Alt-x").await;
        ide.type_in("file.save-as").await;
        ide.keys("Enter").await;
        ide.type_in("new.txt").await;
        ide.keys("Enter").await;
        assert_eq!(ide.file_text("new.txt"), "text\n");
        assert!(path(&mut ide).ends_with("new.txt"));
        // The old name is no longer this buffer's: an edit of that file must not reach it.
        let old = ide.path("a.txt");
        assert!(ide.headless.app().state.buffers.by_path(&old).is_none());
    })
    .await;
}

#[tokio::test]
async fn reload_adopts_line_endings_and_encoding() {
    let mut ide = ide("é\n").await;
    std::fs::write(ide.path("a.txt"), b"\xff\r\n\xfe\r\n").unwrap();
    ide.keys("Alt-x").await;
    ide.type_in("file.reload").await;
    ide.keys("Enter").await;
    ide.type_in("x").await;
    ide.keys("Enter Ctrl-s").await;
    assert_eq!(std::fs::read(ide.path("a.txt")).unwrap(), b"x\r\n\xff\r\n\xfe\r\n");
}

#[tokio::test]
async fn reload_does_not_overwrite_typed_text() {
    with_task_orders(async || {
        let mut ide = ide("one\n").await;
        let buffer = ide.headless.app().state.buffers.current().unwrap();
        let (id, version) = (buffer.id, buffer.area.document.version());
        ide.type_without_settling("typed ");
        let changes = ChangeSet::identity(4);
        let read = ReloadResult {
            buffer: id,
            version,
            forced: false,
            encoding: None,
            result: Ok(Some((changes, Format::default(), Stamp::of(b"two\n")))),
        };
        ide.headless.app().with_cx(|cx| on_reloaded(cx, read));
        assert_eq!(ide.text(), "typed one\n");
        assert!(ide.picture().contains("Changed on disk: a.txt"), "{}", ide.picture());
    })
    .await;
}

#[tokio::test]
async fn yank_pop_does_not_undo_reload() {
    let mut ide = ide("one\n").await;
    ide.keys("Ctrl-k Ctrl-y").await;
    std::fs::write(ide.path("a.txt"), "other\n").unwrap();
    ide.keys("Ctrl-s").await;
    ide.keys("r").await;
    assert_eq!(ide.text(), "other\n");
    ide.keys("Alt-y").await;
    assert_eq!(ide.text(), "other\n");
}
