//! Files that are shown while they are read, and lines that are too long to be walked.

use std::sync::mpsc;

use crate::support::desk::{Desk, Plan};

/// Lines of a file that takes several pieces.
const LINES: usize = 120_000;

fn lines() -> String {
    let lines: Vec<String> = (1..=LINES).map(|n| format!("line {n} of many é")).collect();
    lines.join("\n") + "\n"
}

/// A desk that opens a file of which only the first piece is read, and what lets it go on.
async fn held(content: impl AsRef<[u8]>, name: &str) -> (Desk, mpsc::Sender<()>) {
    let mut desk = Plan::new().file("long.txt", content).file("b.txt", "b\n").open("b.txt").start().await;
    let (go_on, hold) = mpsc::channel();
    *desk.refused.hold.lock().unwrap() = Some(hold);
    desk.keys("Ctrl-o").await;
    desk.type_now(name);
    desk.ide.press("Enter");
    desk.until("the first piece", |state| {
        state.buffers.current().is_some_and(|buffer| buffer.reading.is_some())
    })
    .await;
    (desk, go_on)
}

async fn whole(desk: &mut Desk, go_on: &mpsc::Sender<()>) {
    go_on.send(()).unwrap();
    desk.ide.idle().await;
    assert!(desk.state().buffers.all().iter().all(|buffer| buffer.reading.is_none()));
}

#[tokio::test]
async fn the_first_screen_is_there_before_the_file_is_read() {
    let (mut desk, go_on) = held(lines(), "long.txt").await;
    let picture = desk.picture();
    assert!(picture.contains("line 1 of many é") && picture.contains("reading: 2 %"), "{picture}");
    desk.type_now("x");
    assert!(desk.message().contains("still loading"), "{}", desk.message());
    desk.ide.press("Ctrl-s");
    assert_eq!(desk.message(), "Not saved: file is still loading");
    desk.ide.press("Down Down");
    assert_eq!(desk.cursor(), (3, 1), "one can look around");
    whole(&mut desk, &go_on).await;
    assert_eq!((desk.text(), desk.cursor()), (lines(), (3, 1)));
    desk.keys("Ctrl-End").await;
    desk.type_in("end").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("long.txt"), lines() + "end");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), lines());
}

#[tokio::test]
async fn the_cursor_goes_to_its_place_once_that_is_read() {
    let mut desk = Plan::new().file("long.txt", lines()).open_at("long.txt", 100_000, 6).start().await;
    assert_eq!(desk.cursor(), (100_000, 6));
    assert!(desk.picture().contains("line 100000"), "{}", desk.picture());
}

#[tokio::test]
async fn a_file_that_is_closed_while_it_is_read_stays_closed() {
    let (mut desk, go_on) = held(lines(), "long.txt").await;
    desk.ide.press("Alt-w");
    whole(&mut desk, &go_on).await;
    assert_eq!(desk.shown(), "b.txt");
    assert_eq!(desk.state().buffers.all().len(), 1);
}

#[tokio::test]
async fn what_turns_out_to_be_another_encoding_is_read_whole() {
    let mut bytes = lines().into_bytes();
    bytes.extend(b"caf\xe9 \xff\n");
    let (mut desk, go_on) = held(&bytes, "long.txt").await;
    whole(&mut desk, &go_on).await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.bytes("long.txt"), [b"x", &*bytes].concat());
}

#[tokio::test]
async fn opening_it_again_meanwhile_reads_it_once() {
    let (mut desk, go_on) = held(lines(), "long.txt").await;
    desk.ide.press("Ctrl-o");
    desk.type_now("long.txt:70");
    desk.ide.press("Escape Ctrl-o");
    desk.type_now("long.txt");
    desk.ide.press("Enter");
    whole(&mut desk, &go_on).await;
    assert_eq!((desk.state().buffers.all().len(), desk.text()), (2, lines()));
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_read_is_found_out() {
    let (mut desk, go_on) = held(lines(), "long.txt").await;
    desk.write("long.txt", "short now\n");
    whole(&mut desk, &go_on).await;
    assert_eq!(desk.text(), "short now\n");
}

#[tokio::test]
async fn a_long_line_is_edited_like_any_other_and_says_what_it_cannot() {
    let line = "col\té漢,\"x\"; ".repeat(40_000);
    let mut desk = Plan::new().with("long.json", format!("{line}\nshort\n")).start().await;
    assert!(desk.picture().contains("long line, tabs are one cell"), "{}", desk.picture());
    desk.keys("End").await;
    desk.type_in("|").await;
    assert_eq!(desk.cursor(), (1, 40_000 * 13 + 2));
    desk.keys("Left Left Backspace").await;
    desk.type_in("é").await;
    desk.keys("Home Right Right Right Right Delete").await;
    let mut expected = line.clone();
    expected.truncate(line.len() - 2);
    expected.push_str("é |");
    expected.remove(4);
    assert_eq!(desk.text(), format!("{expected}\nshort\n"));
    assert!(desk.picture().contains("col 漢,\"x\"; col é漢"), "{}", desk.picture());
    desk.keys("Down Up End Ctrl-s").await;
    assert_eq!(desk.disk("long.json"), desk.text());
    for _ in 0..8 {
        desk.keys("Ctrl-z").await;
    }
    assert_eq!(desk.text(), format!("{line}\nshort\n"));
}
