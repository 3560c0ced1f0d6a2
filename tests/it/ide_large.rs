//! Files that are shown while they are read, and lines that are too long to be walked.

use std::sync::mpsc;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// Lines of a file that takes several pieces.
const LINES: usize = 120_000;

fn long_text() -> String {
    let lines: Vec<String> = (1..=LINES).map(|n| format!("line {n} of many é")).collect();
    lines.join("\n") + "\n"
}

/// A ide that opens a file of which only the first piece is read, and what lets it go on.
async fn ide_with_gated_file(content: impl AsRef<[u8]>, name: &str) -> (TestIde, mpsc::Sender<()>) {
    let mut ide = IdeSetup::new().file("long.txt", content).file("b.txt", "b\n").open("b.txt").start().await;
    let (go_on, hold) = mpsc::channel();
    *ide.faults.read_gate.lock().unwrap() = Some(hold);
    ide.keys("Ctrl-o").await;
    ide.type_without_settling(name);
    ide.headless.press("Enter");
    ide.wait_for("the first piece", |state| {
        state.buffers.current().is_some_and(|buffer| buffer.loading.is_some())
    })
    .await;
    (ide, go_on)
}

async fn finish_loading(ide: &mut TestIde, go_on: &mpsc::Sender<()>) {
    go_on.send(()).unwrap();
    ide.headless.idle().await;
    assert!(ide.state().buffers.all().iter().all(|buffer| buffer.loading.is_none()));
}

#[tokio::test]
async fn large_file_shows_first_screen_while_loading() {
    let (mut ide, go_on) = ide_with_gated_file(long_text(), "long.txt").await;
    let picture = ide.picture();
    assert!(picture.contains("line 1 of many é") && picture.contains("reading: 2 %"), "{picture}");
    ide.type_without_settling("x");
    assert!(ide.status_message().contains("still loading"), "{}", ide.status_message());
    ide.headless.press("Ctrl-s");
    assert_eq!(ide.status_message(), "Not saved: file is still loading");
    ide.headless.press("Down Down");
    assert_eq!(ide.cursor(), (3, 1), "one can look around");
    finish_loading(&mut ide, &go_on).await;
    assert_eq!((ide.text(), ide.cursor()), (long_text(), (3, 1)));
    ide.keys("Ctrl-End").await;
    ide.type_in("end").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("long.txt"), long_text() + "end");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), long_text());
}

#[tokio::test]
async fn large_file_open_at_line_sets_cursor() {
    let mut ide = IdeSetup::new().file("long.txt", long_text()).open_at("long.txt", 100_000, 6).start().await;
    assert_eq!(ide.cursor(), (100_000, 6));
    assert!(ide.picture().contains("line 100000"), "{}", ide.picture());
}

#[tokio::test]
async fn large_file_closed_while_loading_stays_closed() {
    with_task_orders(async || {
        let (mut ide, go_on) = ide_with_gated_file(long_text(), "long.txt").await;
        ide.headless.press("Alt-w");
        finish_loading(&mut ide, &go_on).await;
        assert_eq!(ide.current_file_name(), "b.txt");
        assert_eq!(ide.state().buffers.all().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn large_file_with_late_invalid_utf8_keeps_bytes() {
    let mut bytes = long_text().into_bytes();
    bytes.extend(b"caf\xe9 \xff\n");
    let (mut ide, go_on) = ide_with_gated_file(&bytes, "long.txt").await;
    finish_loading(&mut ide, &go_on).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("long.txt"), [b"x", &*bytes].concat());
}

#[tokio::test]
async fn large_file_opened_twice_while_loading_loads_once() {
    with_task_orders(async || {
        let (mut ide, go_on) = ide_with_gated_file(long_text(), "long.txt").await;
        ide.headless.press("Ctrl-o");
        ide.type_without_settling("long.txt:70");
        ide.headless.press("Escape Ctrl-o");
        ide.type_without_settling("long.txt");
        ide.headless.press("Enter");
        finish_loading(&mut ide, &go_on).await;
        assert_eq!((ide.state().buffers.all().len(), ide.text()), (2, long_text()));
    })
    .await;
}

#[tokio::test]
async fn large_file_changed_while_loading_is_reloaded() {
    with_task_orders(async || {
        let (mut ide, go_on) = ide_with_gated_file(long_text(), "long.txt").await;
        ide.write_file("long.txt", "short now\n");
        finish_loading(&mut ide, &go_on).await;
        assert_eq!(ide.text(), "short now\n");
    })
    .await;
}

#[tokio::test]
async fn long_line_can_be_edited_saved_and_undone() {
    let line = "col\té漢,\"x\"; ".repeat(40_000);
    let mut ide = IdeSetup::new().with("long.json", format!("{line}\nshort\n")).start().await;
    assert!(ide.picture().contains("long line, tabs are one cell"), "{}", ide.picture());
    ide.keys("End").await;
    ide.type_in("|").await;
    assert_eq!(ide.cursor(), (1, 40_000 * 13 + 2));
    ide.keys("Left Left Backspace").await;
    ide.type_in("é").await;
    ide.keys("Home Right Right Right Right Delete").await;
    let mut expected = line.clone();
    expected.truncate(line.len() - 2);
    expected.push_str("é |");
    expected.remove(4);
    assert_eq!(ide.text(), format!("{expected}\nshort\n"));
    assert!(ide.picture().contains("col 漢,\"x\"; col é漢"), "{}", ide.picture());
    ide.keys("Down Up End Ctrl-s").await;
    assert_eq!(ide.file_text("long.json"), ide.text());
    for _ in 0..8 {
        ide.keys("Ctrl-z").await;
    }
    assert_eq!(ide.text(), format!("{line}\nshort\n"));
}
