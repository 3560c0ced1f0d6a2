//! The terminal pane of the built binary, with a real shell.

use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

use crate::support::pty::{Launch, Pty};

const TERMINAL: &str = "\x1b4";
const EDITOR: &str = "\x1b2";
const PREFIX: &str = "\x1b9";
const QUIT: &str = "\x11";

/// The binary with a file, and a shell that says little.
fn start() -> Pty {
    let launch = Launch::bowline(&["a.txt"]).size(120, 30).env("SHELL", "/bin/sh").env("PS1", "% ");
    std::fs::write(launch.work().join("a.txt"), "some text\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("some text");
    pty.send(TERMINAL);
    pty.wait_text("% ");
    pty
}

fn read_pid(pty: &mut Pty, mark: &str) -> Pid {
    let text = pty.screen().contents();
    let after = text.rsplit(&format!("{mark}:")).next().unwrap();
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    Pid::from_raw(digits.parse().unwrap()).unwrap()
}

/// Waits until a process is gone, or has ended and nobody asks for its status.
fn wait_gone(pid: Pid) {
    let start = std::time::Instant::now();
    let facts = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let dead = |text: String| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X']));
    while test_kill_process(pid).is_ok() && !std::fs::read_to_string(&facts).is_ok_and(dead) {
        assert!(start.elapsed() < Duration::from_secs(20), "{pid:?} lives on");
        std::thread::yield_now();
    }
}

#[test]
fn terminal_shell_runs_in_workspace_with_window_size() {
    let mut pty = start();
    pty.send("echo in-$(basename $PWD)-$TERM; stty size\r");
    pty.wait_text("in-work-xterm-256color");
    pty.wait_text("9 50");
    pty.resize(140, 40);
    // What is typed sooner could be there before the signal that tells of the new size.
    pty.wait_for("the larger screen, drawn", |screen| {
        screen.rows(0, 140).any(|row| row.trim_end().chars().count() > 130)
    });
    pty.send("clear; stty size\r");
    pty.wait_text("12 57");
    pty.send("printf '\\033[?1049h\\033[2J\\033[Hfull-%s-screen' a\r");
    pty.wait_for("the other screen", |screen| {
        screen.contents().contains("full-a-screen") && !screen.contents().contains("stty")
    });
    pty.send("printf '\\033[?1049l'\r");
    pty.wait_for("the first screen", |screen| {
        screen.contents().contains("12 57") && !screen.contents().contains("full-a")
    });
    pty.send("exit 5\r");
    pty.wait_text("Shell ended with 5. Restart: Enter");
    pty.send("\r");
    pty.wait_for("another shell", |screen| !screen.contents().contains("Shell ended"));
    pty.send(EDITOR);
    pty.wait_text("a.txt 1:1");
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
    assert!(pty.is_cooked());
}

#[test]
fn terminal_running_program_asks_and_is_killed_on_quit() {
    let mut pty = start();
    pty.send("sh -c 'trap \"\" HUP TERM; echo pi\"\"d:$$.; while :; do sleep 1; done'\r");
    pty.wait_for("a number", |screen| screen.contents().contains("pid:"));
    let pid = read_pid(&mut pty, "pid");
    pty.send(format!("{PREFIX}q"));
    pty.wait_text("Quitting ends it");
    assert!(test_kill_process(pid).is_ok());
    pty.send("y");
    assert!(pty.wait_exit().success());
    wait_gone(pid);
}

#[test]
fn terminal_close_kills_running_programs() {
    let mut pty = start();
    pty.send("sleep 1000 & echo pi\"\"d:$!.\r");
    pty.wait_for("a number", |screen| screen.contents().contains("pid:"));
    let pid = read_pid(&mut pty, "pid");
    pty.send(format!("{PREFIX}x"));
    wait_gone(pid);
    pty.wait_for("the editor alone", |screen| !screen.contents().contains("1 sh"));
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
}

#[test]
fn terminal_output_flood_does_not_delay_editor_keys() {
    let mut pty = start();
    pty.send("yes flood\r");
    pty.wait_for("a flood", |screen| screen.contents().matches("flood").count() > 5);
    pty.send(EDITOR);
    pty.send("typed ");
    pty.wait_text("typed some text");
    pty.send(TERMINAL);
    pty.send("\x03");
    pty.send("echo st''opped\r");
    pty.wait_text("stopped");
    pty.send(EDITOR);
    pty.send("\x1a");
    pty.wait_text(" some text");
    pty.send(QUIT);
    pty.wait_exit();
}

#[test]
fn terminal_idle_writes_no_output_and_causes_no_wakeups() {
    let mut pty = start();
    pty.send("echo re''ady\r");
    pty.wait_text("ready");
    // What follows the last key, such as keeping what is open, is done by then.
    pty.raw_for(Duration::from_secs(3));
    let before = pty.context_switches();
    assert_eq!(String::from_utf8_lossy(&pty.raw_for(Duration::from_secs(2))), "");
    assert_eq!(pty.context_switches(), before);
}
