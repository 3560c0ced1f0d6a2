//! A terminal that takes no output, as behind a dead connection or a paused window: the program goes on, hears
//! signals, and shows the newest state once the terminal takes bytes again.

use std::fmt::Write as _;

use rustix::process::Signal;
use serde_json::json;

use crate::support::anthropic as wire;
use crate::support::pty::{Launch, Pty};
use crate::support::server::Server;

/// A screen of it is more than the system holds back for a terminal.
const SIZE: (u16, u16) = (400, 180);
const LINES: usize = 2_000;
const PAGE_DOWN: &str = "\x1b[6~";
const END_OF_FILE: &str = "\x1b[1;5F";
const FOCUS_AGENT: &str = "\x1b3";
const TERMINAL_RESTORED: &str = "\x1b[?1049l\x1b[?25h";

/// The program with a file of full lines, each of them unlike the others.
fn start(args: &[&str], url: &str) -> Pty {
    let args = [args, &["long.log"]].concat();
    let launch = Launch::bowline(&args).env("ANTHROPIC_BASE_URL", url).size(SIZE.0, SIZE.1);
    let mut text = String::new();
    for line in 0..LINES {
        let word = format!("{:x}", line * 7919);
        writeln!(text, "line {line} {}", word.repeat(400 / word.len())).unwrap();
    }
    std::fs::write(launch.work().join("long.log"), text).unwrap();
    let mut pty = launch.start();
    pty.wait_text("line 100 ");
    pty
}

/// Pages of new text, until the program must have had to wait for the terminal.
fn stall(pty: &mut Pty) {
    for _ in 0..4 {
        pty.send(PAGE_DOWN);
    }
    pty.send(END_OF_FILE);
}

#[test]
fn stalled_terminal_exits_on_signal() {
    let mut pty = start(&[], "http://127.0.0.1:9");
    pty.take_raw();
    pty.stalled(|pty| {
        stall(pty);
        pty.signal(Signal::TERM);
        pty.wait_end();
        assert!(pty.is_cooked());
    });
    assert_eq!(pty.wait_exit().exit_code(), 143);
    let raw = pty.take_raw();
    let raw = String::from_utf8_lossy(&raw);
    let (_, after) = raw.rsplit_once(TERMINAL_RESTORED).expect("the terminal is restored");
    // Keys that came too late for the program are echoed by the terminal itself.
    assert!(!after.contains('\x1b'), "{after:?}");
}

#[test]
fn stalled_terminal_agent_continues_and_screen_catches_up() {
    let read = wire::tool_call_reply("t1", "read", &json!({"path": "long.log", "limit": 1}));
    let server = Server::start(vec![read, wire::text_reply("All is well.")]);
    let mut pty = start(&["--approval", "full"], &server.url);
    pty.stalled(|pty| {
        stall(pty);
        // The open file is read through the loop.
        pty.send(FOCUS_AGENT);
        pty.send("look\r");
        server.wait_for_requests(2);
    });
    pty.wait_text("All is well.");
    pty.wait_text("line 1999 ");
    pty.send("\x11");
    assert!(pty.wait_exit().success());
}
