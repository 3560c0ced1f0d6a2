//! The terminal pane, with shells that a test plays.

use std::sync::atomic::Ordering;

use bowline::ide::core::panes::Focus;
use bowline::ide::features::terminal::state::ShellState as State;
use bowline::ide::features::terminal::state::TERMINALS;
use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::shell::ScriptedShell;
use crate::support::test_ide::{IdeSetup, TestIde};

/// The shell that was started last, once it runs.
async fn shell(ide: &mut TestIde) -> ScriptedShell {
    ide.wait_for("a shell", |state| {
        state.slots[TERMINALS].active().is_some_and(|one| one.shell == State::Running)
    })
    .await;
    ide.faults.shells.lock().unwrap().pop().expect("a shell was started")
}

async fn open_on(plan: IdeSetup) -> (TestIde, ScriptedShell) {
    let mut ide = plan.start().await;
    ide.keys("Alt-4").await;
    let mut shell = shell(&mut ide).await;
    shell.print("$ ").await;
    ide.wait_for_text("$ ").await;
    (ide, shell)
}

/// A wide screen with an open file and a terminal that has the keys.
async fn open_wide() -> (TestIde, ScriptedShell) {
    open_on(IdeSetup::new().size(120, 24).with("a.txt", "one\ntwo\n").file("src/b.rs", "fn b() {}\n\nx\n"))
        .await
}

fn press(ide: &mut TestIde, kind: MouseKind, (col, row): (u16, u16), mods: Mods) {
    ide.headless.input(Input::Mouse(Mouse { kind, col, row, mods }));
}

#[tokio::test]
async fn terminal_pane_opens_and_receives_keys() {
    let (mut ide, mut shell) = open_wide().await;
    assert_eq!(shell.calls().size, (50, 7));
    ide.type_in("ls é").await;
    ide.keys("Enter Ctrl-c Escape Alt-x Shift-Tab Ctrl-q F2").await;
    shell.reads("ls é\r\u{3}\u{1b}\u{1b}x\u{1b}[Z\u{11}\u{1b}OQ").await;
    shell
        .print("ls é\r\n\x1b[1;32msrc\x1b[m  漢字 \x1b[7m a.txt \x1b[m\r\n\x1b]2;a \x1b[31mtitle\x07$ .")
        .await;
    ide.wait_for_text("$ .").await;
    ide.snap("terminal");
    ide.keys("Alt-4").await;
    assert_eq!(ide.state().panes.focus, Focus::Editor);
    ide.type_in("x").await;
    assert_eq!(ide.text(), "xone\ntwo\n");
    ide.keys("F6 F6").await;
    assert_eq!(ide.state().panes.focus, Focus::Terminal);
    ide.keys("Alt-9 h").await;
    assert!(!ide.picture().contains("1 shell"), "{}", ide.picture());
    assert_eq!(ide.state().panes.focus, Focus::Editor);
}

#[tokio::test]
async fn terminal_leader_reaches_commands_of_every_group() {
    let (mut ide, mut shell) = open_wide().await;
    ide.keys("Alt-, h i").await;
    assert!(ide.picture().contains("What a key does"), "{}", ide.picture());
    ide.keys("Escape Alt-, t h").await;
    assert_eq!(ide.state().panes.focus, Focus::Editor);
    ide.keys("Alt-4").await;
    ide.type_in("x").await;
    shell.reads("x").await;
}

#[tokio::test]
async fn terminal_pane_fills_small_window() {
    let (mut ide, mut shell) = open_on(IdeSetup::new().size(60, 12).with("a.txt", "one\n")).await;
    assert_eq!(shell.calls().size, (60, 10));
    ide.snap("terminal-60x12");
    ide.headless.resize(20, 5);
    ide.wait_for("a size", |state| state.slots[TERMINALS].size == (20, 3)).await;
    shell.print("\r\na line that goes on in the next row.").await;
    ide.wait_for_text("row.").await;
    ide.snap("terminal-20x5");
    ide.keys("Alt-2").await;
    assert!(ide.picture().contains("one"), "{}", ide.picture());
    ide.keys("Alt-4").await;
    assert!(ide.picture().contains("row."), "{}", ide.picture());
    assert_eq!(shell.calls().size, (20, 3));
}

#[tokio::test]
async fn terminal_close_with_running_program_asks() {
    let (mut ide, first) = open_wide().await;
    ide.keys("Alt-9 n").await;
    let mut second = shell(&mut ide).await;
    second.print("second").await;
    ide.wait_for_text("second").await;
    ide.keys("Alt-9 Left").await;
    ide.wait_for_text("$ ").await;
    let (col, row) = ide.find("2 shell");
    ide.click(col, row);
    ide.wait_for_text("second").await;
    second.calls().busy = Some("sleep".to_string());
    ide.keys("Alt-9 x").await;
    assert!(ide.picture().contains("sleep is running"), "{}", ide.picture());
    ide.keys("n").await;
    ide.keys("Alt-9 q").await;
    assert!(ide.picture().contains("Running in a terminal: sleep. Quitting ends it."), "{}", ide.picture());
    ide.keys("n").await;
    ide.keys("Alt-9 x").await;
    ide.keys("y").await;
    ide.wait_for_text("$ ").await;
    second.calls().busy = None;
    let facts = second.calls_handle();
    drop(second);
    ide.wait_for("the end", move |_| facts.lock().unwrap().killed).await;
    ide.keys("Alt-9 x").await;
    assert_eq!((ide.state().slots[TERMINALS].all().len(), ide.state().panes.terminal), (0, false));
    let facts = first.calls_handle();
    first.exit(0);
    ide.wait_for("the end", move |_| facts.lock().unwrap().hung_up).await;
    ide.keys("Ctrl-q").await;
    assert!(ide.state().quit, "nothing runs any more");
}

#[tokio::test]
async fn terminal_programs_are_killed_on_exit() {
    let (mut ide, shell) = open_wide().await;
    let facts = shell.calls_handle();
    ide.headless.app().end_terminals().await;
    let told = facts.lock().unwrap();
    assert!(told.hung_up && told.killed, "{told:?}");
}

#[tokio::test]
async fn terminal_ended_shell_restarts_on_enter() {
    let (mut ide, shell_one) = open_wide().await;
    shell_one.exit(3);
    ide.wait_for_text("Shell ended with 3. Restart: Enter").await;
    ide.keys("x").await;
    ide.keys("Enter").await;
    let mut again = shell(&mut ide).await;
    again.print("again").await;
    ide.wait_for_text("again").await;
    assert!(!ide.picture().contains("ended with"), "{}", ide.picture());
    ide.faults.no_shells.store(true, Ordering::SeqCst);
    again.exit(0);
    ide.wait_for_text("Shell ended with 0").await;
    ide.keys("Enter").await;
    ide.wait_for_text("No shell: /bin/sh: permission denied.").await;
    ide.keys("Alt-9 x").await;
    assert!(!ide.state().panes.terminal);
}

#[tokio::test]
async fn terminal_scrollback_scrolls_and_typing_returns() {
    let (mut ide, mut shell) = open_wide().await;
    let lines: String = (1..=60).map(|n| format!("line {n}\r\n")).collect::<Vec<_>>().concat();
    shell.print(lines).await;
    ide.wait_for_text("line 60").await;
    ide.keys("Shift-PageUp").await;
    ide.wait_for_text("↑ 6 rows back").await;
    let at = ide.find("line 54");
    press(&mut ide, MouseKind::ScrollUp, at, Mods::NONE);
    ide.wait_for_text("↑ 9 rows back").await;
    shell.print("moreover\r\n").await;
    ide.wait_for_text("↑ 10 rows back").await;
    ide.type_in("x").await;
    ide.wait_for_text("moreover").await;
    assert!(!ide.picture().contains("rows back"), "{}", ide.picture());
    ide.keys("Alt-9 Home").await;
    ide.wait_for_text("line 1 ").await;
    ide.keys("Alt-9 End").await;
    ide.wait_for_text("moreover").await;
    shell.reads("x").await;
}

#[tokio::test]
async fn terminal_selection_copies_and_pastes() {
    let (mut ide, mut shell) = open_wide().await;
    shell.print("one 漢字 deux\r\n\x1b[?2004h$ ").await;
    ide.wait_for_text("deux").await;
    let (col, row) = ide.find("one 漢字");
    press(&mut ide, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
    press(&mut ide, MouseKind::Drag(Button::Left), (col + 7, row), Mods::NONE);
    press(&mut ide, MouseKind::Up(Button::Left), (col + 7, row), Mods::NONE);
    ide.keys("Alt-9 c").await;
    ide.wait_for("a copy", |state| state.status.message == "Copied").await;
    assert_eq!(ide.state().kill_ring.yank().unwrap(), ["one 漢字"]);
    ide.keys("Alt-9 v").await;
    ide.headless.input(Input::Paste("a\nb\u{1b}".to_string()));
    shell.reads("\u{1b}[200~one 漢字\u{1b}[201~\u{1b}[200~a\rb\u{1b}[201~").await;
    press(&mut ide, MouseKind::Down(Button::Left), (col + 10, row), Mods::NONE);
    press(&mut ide, MouseKind::Up(Button::Left), (col + 10, row), Mods::NONE);
    ide.keys("Alt-9 c").await;
    ide.wait_for("a word", |state| state.status.message.starts_with("Nothing selected")).await;
    for _ in 0..2 {
        press(&mut ide, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
        press(&mut ide, MouseKind::Up(Button::Left), (col, row), Mods::NONE);
    }
    ide.keys("Alt-9 c").await;
    ide.wait_for("a word", |state| state.status.message == "Copied").await;
    assert_eq!(ide.state().kill_ring.yank().unwrap(), ["one"]);
}

#[tokio::test]
async fn terminal_receives_selection_or_line_from_editor() {
    let mut ide = IdeSetup::new().size(120, 24).with("a.txt", "echo é\nls\npwd").start().await;
    ide.keys("Alt-9 s").await;
    let mut first = shell(&mut ide).await;
    first.reads("echo é\r").await;
    assert_eq!(ide.state().panes.focus, Focus::Editor);
    first.print("\x1b[?2004h$ ").await;
    ide.wait_for_text("$ ").await;
    ide.keys("Down Shift-Down Shift-End Alt-9 s").await;
    first.reads("\u{1b}[200~ls\rpwd\u{1b}[201~\r").await;
    first.exit(0);
    ide.wait_for_text("Shell ended with 0").await;
    ide.keys("Alt-9 s").await;
    assert_eq!(ide.status_message(), "Terminal shell ended. Restart: Enter there");
}

#[tokio::test]
async fn terminal_strips_control_characters_sent_first() {
    let mut ide = IdeSetup::new().size(120, 24).with("a.txt", "a\u{3}b\u{1b}[A\u{15}c").start().await;
    ide.keys("Alt-9 s").await;
    shell(&mut ide).await.reads("ab[Ac\r").await;
}

#[tokio::test]
async fn terminal_forwards_mouse_and_focus_on_request() {
    let (mut ide, mut shell) = open_wide().await;
    shell.print("\x1b[?1002h\x1b[?1006h\x1b[?1004hready").await;
    ide.wait_for_text("ready").await;
    let (col, row) = ide.find("ready");
    let x = col - 20 + 1;
    press(&mut ide, MouseKind::Down(Button::Left), (col, row), Mods::NONE);
    press(&mut ide, MouseKind::Drag(Button::Left), (col + 1, row), Mods::NONE);
    press(&mut ide, MouseKind::Up(Button::Left), (col + 1, 0), Mods::NONE);
    press(&mut ide, MouseKind::ScrollUp, (col, row), Mods::NONE);
    let (y, end) = (1, x + 1);
    shell.reads(&format!("\x1b[<0;{x};{y}M\x1b[<32;{end};{y}M\x1b[<0;{end};1m\x1b[<64;{x};{y}M")).await;
    ide.keys("Alt-2").await;
    ide.keys("Alt-4").await;
    shell.reads("\x1b[O\x1b[I").await;
    press(&mut ide, MouseKind::ScrollUp, (col, row), Mods::SHIFT);
    ide.keys("a").await;
    shell.reads("a").await;
    shell.print("\x1b[?1002l\x1b[?1049h\x1b[?1hfull").await;
    ide.wait_for_text("full").await;
    press(&mut ide, MouseKind::ScrollDown, (col, row), Mods::NONE);
    shell.reads("\x1bOB\x1bOB\x1bOB").await;
}

#[tokio::test]
async fn terminal_sends_next_key_literally() {
    let (mut ide, mut shell) = open_wide().await;
    ide.keys("Alt-9 k F6 Alt-9 k Alt-9 Alt-9 z a").await;
    shell.reads("\x1b[17~\x1b9a").await;
    ide.keys("Alt-9 z").await;
    assert_eq!(ide.status_message(), "No command: Alt-9 z");
}

#[tokio::test]
async fn terminal_ctrl_click_opens_file() {
    let (mut ide, mut shell) = open_wide().await;
    shell.print("error in src/b.rs:3:1: no; see (none.rs:2)\r\n").await;
    ide.wait_for_text("none.rs").await;
    let at = ide.find("none.rs");
    press(&mut ide, MouseKind::Down(Button::Left), at, Mods::CTRL);
    ide.wait_for("a word", |state| state.status.message == "No such file: none.rs:2").await;
    let at = ide.find("b.rs:3");
    press(&mut ide, MouseKind::Down(Button::Left), at, Mods::CTRL);
    ide.wait_for("a file", |state| state.buffers.current().is_some_and(|file| file.name() == "b.rs")).await;
    ide.headless.idle().await;
    assert_eq!((ide.cursor(), ide.state().panes.focus), ((3, 1), Focus::Editor));
}

#[tokio::test]
async fn terminal_output_cannot_escape_pane() {
    let (mut ide, mut shell) = open_wide().await;
    shell.print("\x1b]52;c;aGFsbG8=\x07\x1b[6n\x1b[?1049h\x1b[99;99H\u{202e}\u{9b}end").await;
    ide.wait_for("a word", |state| state.status.message.starts_with("Refused: terminal program")).await;
    assert_eq!(ide.headless.app().ui.clipboard, None);
    shell.reads("\x1b[1;3R").await;
    ide.keys("x").await;
    shell.print("\x1b]52;c;aGFsbG8=\x07\x1b[Hlater").await;
    ide.wait_for_text("later").await;
    let refused = ide.state().status.log().filter(|logged| logged.text.starts_with("Refused")).count();
    assert_eq!(refused, 1, "it is said once");
    let picture = ide.picture();
    assert!(picture.contains("one") && !picture.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{picture}");
}

#[tokio::test]
async fn terminal_output_flood_does_not_block_event_loop() {
    let (mut ide, mut shell) = open_wide().await;
    let flood = tokio::spawn(async move {
        for n in 0..2000 {
            shell.print(format!("flood {n} {}\r\n", "x".repeat(40))).await;
        }
        shell.print("the end").await;
        shell
    });
    // Nobody takes events in meanwhile: the terminal goes on reading.
    let _shell = flood.await.unwrap();
    ide.keys("Alt-4 z").await;
    assert_eq!(ide.text(), "zone\ntwo\n");
    ide.wait_for_text("the end").await;
}

#[tokio::test]
async fn terminal_pane_height_can_be_changed() {
    let (mut ide, shell) = open_wide().await;
    ide.keys("Alt-9 + Alt-9 +").await;
    let told = shell.calls_handle();
    ide.headless.until("a size", move |_| told.lock().unwrap().size.1 == 9).await;
    let (col, row) = ide.find("1 shell");
    press(&mut ide, MouseKind::Down(Button::Left), (col + 30, row), Mods::NONE);
    press(&mut ide, MouseKind::Drag(Button::Left), (col + 30, row + 4), Mods::NONE);
    press(&mut ide, MouseKind::Up(Button::Left), (col + 30, row + 4), Mods::NONE);
    assert_eq!(ide.find("1 shell"), (col, row + 4));
    ide.keys("Alt-9 k").await;
    assert!(ide.status_message().contains("Next key"));
}

/// What a shell with integration prints for a command.
fn marked(line: &str, output: &str) -> String {
    format!("\x1b]133;A\x07$ \x1b]133;B\x07{line}\r\n\x1b]133;C\x07{output}\x1b]133;D;0\x07")
}

#[tokio::test]
async fn terminal_selection_opens_the_file_it_names() {
    let (mut ide, mut shell) = open_wide().await;
    shell.print("\x1b[2J\x1b[Hsrc/b.rs:3:1\r\n").await;
    ide.wait_for_text("b.rs:3").await;
    let (x, y) = ide.find("src/b.rs:3");
    for _ in 0..3 {
        press(&mut ide, MouseKind::Down(Button::Left), (x, y), Mods::NONE);
        press(&mut ide, MouseKind::Up(Button::Left), (x, y), Mods::NONE);
    }
    ide.keys("Alt-9 o").await;
    ide.wait_for("a file", |state| state.buffers.current().is_some_and(|file| file.name() == "b.rs")).await;
    ide.headless.idle().await;
    assert_eq!((ide.cursor(), ide.state().panes.focus), ((3, 1), Focus::Editor));
}

#[tokio::test]
async fn terminal_output_as_text_is_selected_with_keys_and_goes_to_the_prompt() {
    let (mut ide, mut shell) = open_wide().await;
    let lines = (1..=60).map(|n| format!("line {n}\r\n")).collect::<Vec<_>>().concat();
    shell.print(&lines).await;
    shell.print(&format!("{}\r\nlast.", "w".repeat(70))).await;
    ide.wait_for_text("last.").await;
    ide.keys("Alt-, t t").await;
    ide.wait_for("the text", |state| state.buffers.current().is_some_and(|text| text.builtin.is_some()))
        .await;
    let text = ide.text();
    assert!(text.starts_with("$ line 1\nline 2\n"), "with what has scrolled out: {text}");
    assert!(text.ends_with(&format!("{}\nlast.", "w".repeat(70))), "wrapped rows are one line: {text}");
    assert_eq!(ide.state().panes.focus, Focus::Editor);
    ide.type_in("x").await;
    assert_eq!(ide.text(), text, "it is read-only");
    ide.keys("Up Up Home Shift-End Alt-, a s").await;
    let prompt = ide.state().prompt.area.text().to_string();
    assert_eq!(prompt, "\nterminal output, line 60:\n```\nline 60\n```\n");
}

#[tokio::test]
async fn terminal_last_command_and_selection_go_to_the_agents_prompt() {
    let (mut ide, mut shell) = open_wide().await;
    ide.keys("Alt-9 a").await;
    ide.wait_for("an answer", |state| state.status.message.contains("no marked command")).await;
    shell.print(&marked("cargo test", "error[E0308]: `x`\r\n  --> src/b.rs:3:1\r\n")).await;
    shell.print("\x1b]133;A\x07$ \x1b]133;B\x07.").await;
    ide.wait_for_text("$ .").await;
    ide.keys("Alt-9 a").await;
    ide.wait_for("text", |state| state.prompt.area.text().to_string().contains("E0308")).await;
    let text = ide.state().prompt.area.text().to_string();
    assert!(
        text.contains("```\n$ cargo test\nerror[E0308]: `x`\n  --> src/b.rs:3:1\n```\n")
            && !text.contains("$ ."),
        "{text}"
    );
    assert_eq!(ide.state().panes.focus, Focus::Agent, "to ask about it");
    ide.keys("Ctrl-a Ctrl-u").await;
    ide.state().prompt.area.set("", 0);
    let (x, y) = ide.find("--> src");
    for _ in 0..3 {
        press(&mut ide, MouseKind::Down(Button::Left), (x, y), Mods::NONE);
        press(&mut ide, MouseKind::Up(Button::Left), (x, y), Mods::NONE);
    }
    ide.keys("Alt-9 a").await;
    ide.wait_for("text", |state| state.prompt.area.text().to_string().contains("-->")).await;
    let text = ide.state().prompt.area.text().to_string();
    assert!(text.contains("--> src/b.rs:3:1") && !text.contains("E0308"), "{text}");
}

#[tokio::test]
async fn terminal_goes_to_the_previous_and_the_next_command() {
    let (mut ide, mut shell) = open_wide().await;
    for n in 1..=3 {
        shell.print(&marked(&format!("command-{n}"), &"out\r\n".repeat(12))).await;
    }
    shell.print("\x1b]133;A\x07$ \x1b]133;B\x07now").await;
    ide.wait_for_text("$ now").await;
    for expected in ["$ command-3", "$ command-2"] {
        ide.keys("Alt-9 Up").await;
        ide.wait_for_text(expected).await;
    }
    ide.keys("Alt-9 Down").await;
    ide.wait_for_text("$ command-3").await;
    ide.keys("Alt-9 Down").await;
    ide.wait_for_text("$ now").await;
    ide.keys("Alt-9 Down").await;
    ide.wait_for("a message", |state| state.status.message.starts_with("No other command")).await;
}
