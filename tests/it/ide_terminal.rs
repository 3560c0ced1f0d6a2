//! The terminal pane, with shells that a test plays.

use std::sync::atomic::Ordering;

use bowline::ide::core::panes::Focus;
use bowline::ide::features::terminal::state::Shell as State;
use bowline::ide::features::terminal::state::TERMINALS;
use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::desk::{Desk, Plan};
use crate::support::shell::Shell;

/// The shell that was started last, once it runs.
async fn shell(desk: &mut Desk) -> Shell {
    desk.until("a shell", |state| {
        state.slots[TERMINALS].active().is_some_and(|one| one.shell == State::Runs)
    })
    .await;
    desk.refused.shells.lock().unwrap().pop().expect("a shell was started")
}

async fn open_on(plan: Plan) -> (Desk, Shell) {
    let mut desk = plan.start().await;
    desk.keys("Alt-4").await;
    let mut shell = shell(&mut desk).await;
    shell.print("$ ").await;
    desk.shows("$ ").await;
    (desk, shell)
}

/// A wide screen with an open file and a terminal that has the keys.
async fn open() -> (Desk, Shell) {
    open_on(Plan::new().size(120, 24).with("a.txt", "one\ntwo\n").file("src/b.rs", "fn b() {}\n\nx\n")).await
}

fn press(desk: &mut Desk, kind: MouseKind, (col, row): (u16, u16), mods: Mods) {
    desk.ide.input(Input::Mouse(Mouse { kind, col, row, mods }));
}

#[tokio::test]
async fn it_opens_below_the_editor_and_keys_go_into_it() {
    let (mut desk, mut shell) = open().await;
    assert_eq!(shell.told().size, (60, 7));
    desk.type_in("ls é").await;
    desk.keys("Enter Ctrl-c Escape Alt-x Shift-Tab Ctrl-q F2").await;
    shell.reads("ls é\r\u{3}\u{1b}\u{1b}x\u{1b}[Z\u{11}\u{1b}OQ").await;
    shell
        .print("ls é\r\n\x1b[1;32msrc\x1b[m  漢字 \x1b[7m a.txt \x1b[m\r\n\x1b]2;a \x1b[31mtitle\x07$ .")
        .await;
    desk.shows("$ .").await;
    desk.snap("terminal");
    desk.keys("Alt-4").await;
    assert_eq!(desk.state().panes.focus, Focus::Editor);
    desk.type_in("x").await;
    assert_eq!(desk.text(), "xone\ntwo\n");
    desk.keys("F6 F6").await;
    assert_eq!(desk.state().panes.focus, Focus::Terminal);
    desk.keys("Alt-9 h").await;
    assert!(!desk.picture().contains("1 shell"), "{}", desk.picture());
    assert_eq!(desk.state().panes.focus, Focus::Editor);
}

#[tokio::test]
async fn small_windows_show_it_alone() {
    let (mut desk, mut shell) = open_on(Plan::new().size(60, 12).with("a.txt", "one\n")).await;
    assert_eq!(shell.told().size, (60, 10));
    desk.snap("terminal-60x12");
    desk.ide.resize(20, 5);
    desk.until("a size", |state| state.slots[TERMINALS].size == (20, 3)).await;
    shell.print("\r\na line that goes on in the next row.").await;
    desk.shows("row.").await;
    desk.snap("terminal-20x5");
    desk.keys("Alt-2").await;
    assert!(desk.picture().contains("one"), "{}", desk.picture());
    desk.keys("Alt-4").await;
    assert!(desk.picture().contains("row."), "{}", desk.picture());
    assert_eq!(shell.told().size, (20, 3));
}

#[tokio::test]
async fn several_are_a_list_and_programs_that_run_are_asked_about() {
    let (mut desk, first) = open().await;
    desk.keys("Alt-9 n").await;
    let mut second = shell(&mut desk).await;
    second.print("second").await;
    desk.shows("second").await;
    desk.keys("Alt-9 Left").await;
    desk.shows("$ ").await;
    let (col, row) = desk.find("2 shell");
    desk.click(col, row);
    desk.shows("second").await;
    second.told().busy = Some("sleep".to_string());
    desk.keys("Alt-9 x").await;
    assert!(desk.picture().contains("sleep is running"), "{}", desk.picture());
    desk.keys("n").await;
    desk.keys("Alt-9 q").await;
    assert!(desk.picture().contains("Running in a terminal: sleep. Quitting ends it."), "{}", desk.picture());
    desk.keys("n").await;
    desk.keys("Alt-9 x").await;
    desk.keys("y").await;
    desk.shows("$ ").await;
    second.told().busy = None;
    let facts = second.facts();
    drop(second);
    desk.until("the end", move |_| facts.lock().unwrap().killed).await;
    desk.keys("Alt-9 x").await;
    assert_eq!((desk.state().slots[TERMINALS].all().len(), desk.state().panes.terminal), (0, false));
    let facts = first.facts();
    first.end(0);
    desk.until("the end", move |_| facts.lock().unwrap().hung_up).await;
    desk.keys("Ctrl-q").await;
    assert!(desk.state().quit, "nothing runs any more");
}

#[tokio::test]
async fn the_end_of_the_program_ends_what_runs_inside() {
    let (mut desk, shell) = open().await;
    let facts = shell.facts();
    desk.ide.app().end_terminals().await;
    let told = facts.lock().unwrap();
    assert!(told.hung_up && told.killed, "{told:?}");
}

#[tokio::test]
async fn an_end_is_said_and_enter_begins_anew() {
    let (mut desk, shell_one) = open().await;
    shell_one.end(3);
    desk.shows("Shell ended with 3. Restart: Enter").await;
    desk.keys("x").await;
    desk.keys("Enter").await;
    let mut again = shell(&mut desk).await;
    again.print("again").await;
    desk.shows("again").await;
    assert!(!desk.picture().contains("ended with"), "{}", desk.picture());
    desk.refused.no_shells.store(true, Ordering::SeqCst);
    again.end(0);
    desk.shows("Shell ended with 0").await;
    desk.keys("Enter").await;
    desk.shows("No shell: /bin/sh: permission denied. Retry: Enter").await;
    desk.keys("Alt-9 x").await;
    assert!(!desk.state().panes.terminal);
}

#[tokio::test]
async fn rows_come_back_and_typing_goes_to_the_bottom() {
    let (mut desk, mut shell) = open().await;
    let lines: String = (1..=60).map(|n| format!("line {n}\r\n")).collect::<Vec<_>>().concat();
    shell.print(lines).await;
    desk.shows("line 60").await;
    desk.keys("Shift-PageUp").await;
    desk.shows("↑ 6 rows back").await;
    let at = desk.find("line 54");
    press(&mut desk, MouseKind::ScrollUp, at, Mods::NONE);
    desk.shows("↑ 9 rows back").await;
    shell.print("moreover\r\n").await;
    desk.shows("↑ 10 rows back").await;
    desk.type_in("x").await;
    desk.shows("moreover").await;
    assert!(!desk.picture().contains("rows back"), "{}", desk.picture());
    desk.keys("Alt-9 Home").await;
    desk.shows("line 1 ").await;
    desk.keys("Alt-9 End").await;
    desk.shows("moreover").await;
    shell.reads("x").await;
}

#[tokio::test]
async fn a_selection_is_copied_and_pasted() {
    let (mut desk, mut shell) = open().await;
    shell.print("one 漢字 deux\r\n\x1b[?2004h$ ").await;
    desk.shows("deux").await;
    let (col, row) = desk.find("one 漢字");
    press(&mut desk, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
    press(&mut desk, MouseKind::Drag(Button::Left), (col + 7, row), Mods::NONE);
    press(&mut desk, MouseKind::Up(Button::Left), (col + 7, row), Mods::NONE);
    desk.keys("Alt-9 c").await;
    desk.until("a copy", |state| state.status.message == "Copied").await;
    assert_eq!(desk.state().kill_ring.yank().unwrap(), ["one 漢字"]);
    desk.keys("Alt-9 v").await;
    desk.ide.input(Input::Paste("a\nb\u{1b}".to_string()));
    shell.reads("\u{1b}[200~one 漢字\u{1b}[201~\u{1b}[200~a\rb\u{1b}[201~").await;
    press(&mut desk, MouseKind::Down(Button::Left), (col + 10, row), Mods::NONE);
    press(&mut desk, MouseKind::Up(Button::Left), (col + 10, row), Mods::NONE);
    desk.keys("Alt-9 c").await;
    desk.until("a word", |state| state.status.message.starts_with("Nothing selected")).await;
    for _ in 0..2 {
        press(&mut desk, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
        press(&mut desk, MouseKind::Up(Button::Left), (col, row), Mods::NONE);
    }
    desk.keys("Alt-9 c").await;
    desk.until("a word", |state| state.status.message == "Copied").await;
    assert_eq!(desk.state().kill_ring.yank().unwrap(), ["one"]);
}

#[tokio::test]
async fn the_editor_sends_its_selection_or_line() {
    let mut desk = Plan::new().size(120, 24).with("a.txt", "echo é\nls\npwd").start().await;
    desk.keys("Alt-9 s").await;
    let mut first = shell(&mut desk).await;
    first.reads("echo é\r").await;
    assert_eq!(desk.state().panes.focus, Focus::Editor);
    first.print("\x1b[?2004h$ ").await;
    desk.shows("$ ").await;
    desk.keys("Down Shift-Down Shift-End Alt-9 s").await;
    first.reads("\u{1b}[200~ls\rpwd\u{1b}[201~\r").await;
    first.end(0);
    desk.shows("Shell ended with 0").await;
    desk.keys("Alt-9 s").await;
    assert_eq!(desk.message(), "Terminal shell ended. Restart: Enter there");
}

#[tokio::test]
async fn what_the_editor_sends_first_presses_no_keys_either() {
    let mut desk = Plan::new().size(120, 24).with("a.txt", "a\u{3}b\u{1b}[A\u{15}c").start().await;
    desk.keys("Alt-9 s").await;
    shell(&mut desk).await.reads("ab[Ac\r").await;
}

#[tokio::test]
async fn programs_get_the_mouse_and_the_focus_when_they_ask() {
    let (mut desk, mut shell) = open().await;
    shell.print("\x1b[?1002h\x1b[?1006h\x1b[?1004hready").await;
    desk.shows("ready").await;
    let (col, row) = desk.find("ready");
    let x = col - 20 + 1;
    press(&mut desk, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
    press(&mut desk, MouseKind::Drag(Button::Left), (col + 1, row), Mods::NONE);
    press(&mut desk, MouseKind::Up(Button::Left), (col + 1, 0), Mods::NONE);
    press(&mut desk, MouseKind::ScrollUp, (col, row), Mods::NONE);
    let (y, end) = (1, x + 1);
    shell.reads(&format!("\x1b[<0;{x};{y}M\x1b[<32;{end};{y}M\x1b[<0;{end};1m\x1b[<64;{x};{y}M")).await;
    desk.keys("Alt-2").await;
    desk.keys("Alt-4").await;
    shell.reads("\x1b[O\x1b[I").await;
    press(&mut desk, MouseKind::ScrollUp, (col, row), Mods::SHIFT);
    desk.keys("a").await;
    shell.reads("a").await;
    shell.print("\x1b[?1002l\x1b[?1049h\x1b[?1hfull").await;
    desk.shows("full").await;
    press(&mut desk, MouseKind::ScrollDown, (col, row), Mods::NONE);
    shell.reads("\x1bOB\x1bOB\x1bOB").await;
}

#[tokio::test]
async fn a_key_of_the_pane_can_be_sent_too() {
    let (mut desk, mut shell) = open().await;
    desk.keys("Alt-9 k F6 Alt-9 k Alt-9 Alt-9 z a").await;
    shell.reads("\x1b[17~\x1b9a").await;
    assert!(desk.state().status.message.is_empty(), "the last key has wiped it");
    desk.keys("Alt-9 z").await;
    assert_eq!(desk.message(), "No command: Alt-9 z");
}

#[tokio::test]
async fn a_file_that_is_named_opens() {
    let (mut desk, mut shell) = open().await;
    shell.print("error in src/b.rs:3:1: no; see (none.rs:2)\r\n").await;
    desk.shows("none.rs").await;
    let at = desk.find("none.rs");
    press(&mut desk, MouseKind::Down(Button::Left), at, Mods::CTRL);
    desk.until("a word", |state| state.status.message == "No such file: none.rs:2").await;
    let at = desk.find("b.rs:3");
    press(&mut desk, MouseKind::Down(Button::Left), at, Mods::CTRL);
    desk.until("a file", |state| state.buffers.current().is_some_and(|file| file.name() == "b.rs")).await;
    desk.ide.idle().await;
    assert_eq!((desk.cursor(), desk.state().panes.focus), ((3, 1), Focus::Editor));
}

#[tokio::test]
async fn what_is_printed_cannot_reach_beyond_the_pane() {
    let (mut desk, mut shell) = open().await;
    shell.print("\x1b]52;c;aGFsbG8=\x07\x1b[6n\x1b[?1049h\x1b[99;99H\u{202e}\u{9b}end").await;
    desk.until("a word", |state| state.status.message.starts_with("Refused: terminal program")).await;
    assert_eq!(desk.ide.app().copied, None);
    shell.reads("\x1b[1;3R").await;
    desk.keys("x").await;
    shell.print("\x1b]52;c;aGFsbG8=\x07\x1b[Hlater").await;
    desk.shows("later").await;
    assert_eq!(desk.message(), "", "it is said once");
    let picture = desk.picture();
    assert!(picture.contains("one") && !picture.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{picture}");
}

#[tokio::test]
async fn however_much_is_printed_the_loop_gets_one_grid_at_a_time() {
    let (mut desk, mut shell) = open().await;
    let flood = tokio::spawn(async move {
        for n in 0..2000 {
            shell.print(format!("flood {n} {}\r\n", "x".repeat(40))).await;
        }
        shell.print("the end").await;
        shell
    });
    // Nobody takes events in meanwhile: the terminal goes on reading.
    let _shell = flood.await.unwrap();
    desk.keys("Alt-4 z").await;
    assert_eq!(desk.text(), "zone\ntwo\n");
    desk.shows("the end").await;
}

#[tokio::test]
async fn the_pane_has_the_height_that_the_person_wants() {
    let (mut desk, shell) = open().await;
    desk.keys("Alt-9 + Alt-9 +").await;
    let told = shell.facts();
    desk.ide.until("a size", move |_| told.lock().unwrap().size.1 == 9).await;
    let (col, row) = desk.find("1 shell");
    press(&mut desk, MouseKind::Down(Button::Left), (col + 30, row), Mods::NONE);
    press(&mut desk, MouseKind::Drag(Button::Left), (col + 30, row + 4), Mods::NONE);
    press(&mut desk, MouseKind::Up(Button::Left), (col + 30, row + 4), Mods::NONE);
    assert_eq!(desk.find("1 shell"), (col, row + 4));
    desk.keys("Alt-9 k").await;
    assert!(desk.message().contains("Next key"));
}
