//! Kills, signals, hang-ups and servers that fail, on the built binary: nothing finished is
//! lost, the terminal is given back, and the program says what to do.

use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde_json::json;

use crate::support::anthropic as wire;
use crate::support::client_process::wait_until;
use crate::support::language_server;
use crate::support::process::is_running;
use crate::support::pty::{Launch, Pty};
use crate::support::server::{Piece, Reply, Server};

const TERMINAL_RESTORED: &str = "\x1b[?1049l";
const QUIT: &str = "\x11";
const UNDO: &str = "\x1a";
const ESCAPE: &str = "\x1b";

fn start_pty(url: &str, args: &[&str]) -> Pty {
    let mut pty = Launch::bowline(args).env("ANTHROPIC_BASE_URL", url).size(160, 30).start();
    pty.wait_text("Ask anything");
    pty
}

fn relaunch(pty: &mut Pty, url: &str) -> Pty {
    let mut pty = pty.relaunch(&["--continue"]).env("ANTHROPIC_BASE_URL", url).start();
    pty.wait_text("Ask anything");
    pty
}

/// A stream that begins with these words and then waits.
fn gated_reply(words: &str) -> Reply {
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}});
    Reply::Stream([wire::open(), vec![Piece::Event(block), Piece::Event(delta), Piece::Gate]].concat())
}

#[track_caller]
fn assert_session_continues(pty: &mut Pty) {
    pty.send("again\r");
    pty.wait_text("All is well.");
    // The last words of an answer come before its end.
    pty.wait_for("the end of the work", |screen| !screen.contents().contains(['◐', '◓', '◑', '◒']));
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
}

#[test]
fn kill_during_reply_keeps_finished_messages() {
    let server = Server::start(vec![
        wire::text_reply("First answer."),
        gated_reply("Second ans"),
        wire::text_reply("All is well."),
    ]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("first question\r");
    pty.wait_text("First answer.");
    pty.send("second question\r");
    pty.wait_text("Second ans");
    pty.signal(Signal::KILL);
    pty.wait_exit();
    let mut pty = relaunch(&mut pty, &server.url);
    for text in ["first question", "First answer.", "second question"] {
        pty.wait_text(text);
    }
    assert_session_continues(&mut pty);
}

#[test]
fn kill_during_command_keeps_finished_messages() {
    // The command ends by itself when the test's file goes: nobody can end it after a kill.
    let script = "touch running; while [ -e running ]; do sleep 0.05; done";
    let call = wire::tool_call_reply("t1", "bash", &json!({"command": script}));
    let server = Server::start(vec![call, wire::text_reply("All is well.")]);
    let mut pty = start_pty(&server.url, &["--approval", "full"]);
    pty.send("run it\r");
    let file = pty.work().join("running");
    while !file.exists() {
        pty.raw_for(Duration::from_millis(5));
    }
    pty.signal(Signal::KILL);
    pty.wait_exit();
    std::fs::remove_file(file).unwrap();
    let mut pty = relaunch(&mut pty, &server.url);
    pty.wait_text("run it");
    pty.wait_text("touch running");
    assert_session_continues(&mut pty);
    let messages = server.requests()[1].body["messages"].clone();
    assert_eq!(
        messages[2]["content"][0]["tool_use_id"], "t1",
        "a call without a result gets one: {messages}"
    );
}

#[test]
fn escape_aborts_reply_and_closes_connection() {
    let server = Server::start(vec![gated_reply("Half an ans"), wire::text_reply("All is well.")]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("talk\r");
    pty.wait_text("Half an ans");
    pty.send(ESCAPE);
    server.wait_for_hang_up();
    pty.wait_text("Ask anything");
    assert_session_continues(&mut pty);
}

/// Starts a command that ignores every request to end; its process group.
fn start_stubborn_command(pty: &mut Pty) -> Pid {
    pty.send("run it\r");
    let file = pty.work().join("pid");
    let pid = loop {
        match std::fs::read_to_string(&file) {
            Ok(text) if text.ends_with('\n') => break text.trim().parse().unwrap(),
            _ => pty.raw_for(Duration::from_millis(5)),
        };
    };
    Pid::from_raw(pid).unwrap()
}

/// Waits until a process has ended. One that nobody asks about stays a zombie, which is no life.
#[track_caller]
fn assert_ends(pty: &mut Pty, process: Pid) {
    let stat = format!("/proc/{}/stat", process.as_raw_nonzero());
    for _ in 0..400 {
        match std::fs::read_to_string(&stat) {
            Ok(text) if !text.contains(") Z ") => pty.raw_for(Duration::from_millis(5)),
            _ => return,
        };
    }
    panic!("it still runs: {}", std::fs::read_to_string(&stat).unwrap_or_default());
}

fn stubborn_server() -> Server {
    let script = "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done";
    Server::start(vec![wire::tool_call_reply("t1", "bash", &json!({"command": script}))])
}

#[test]
fn quit_or_sigterm_kills_running_commands() {
    let server = stubborn_server();
    let mut pty = start_pty(&server.url, &["--approval", "full"]);
    let group = start_stubborn_command(&mut pty);
    pty.send(QUIT);
    pty.wait_text("Quitting interrupts it");
    pty.send("y");
    assert!(pty.wait_exit().success());
    assert_ends(&mut pty, group);
    let server = stubborn_server();
    let mut pty = start_pty(&server.url, &["--approval", "full"]);
    let group = start_stubborn_command(&mut pty);
    pty.signal(Signal::TERM);
    pty.wait_exit();
    assert_ends(&mut pty, group);
}

#[test]
fn sigterm_restores_terminal_and_aborts_reply() {
    let server = Server::start(vec![gated_reply("Half an ans")]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("talk\r");
    pty.wait_text("Half an ans");
    pty.take_raw();
    pty.signal(Signal::TERM);
    let status = pty.wait_exit();
    assert_eq!(status.exit_code(), 143);
    assert!(String::from_utf8_lossy(&pty.take_raw()).contains(TERMINAL_RESTORED));
    assert!(pty.is_cooked());
    server.wait_for_hang_up();
}

#[test]
fn sigterm_during_key_flood_exits() {
    let launch = Launch::bowline(&["a.txt"]);
    std::fs::write(launch.work().join("a.txt"), "some text\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("Ask anything");
    pty.flood(&[b'x'; 1024]);
    pty.wait_text("xxxxxxxx");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_exit().exit_code(), 143);
}

#[test]
fn language_server_ends_with_the_program_however_that_ends() {
    for (signal, code) in [(Signal::KILL, None), (Signal::TERM, Some(143)), (Signal::HUP, Some(129))] {
        let launch = Launch::bowline(&["a.toy"]);
        let (work, home) = (launch.work().canonicalize().unwrap(), launch.home());
        std::fs::write(work.join("a.toy"), "BAD\n").unwrap();
        let script = work.parent().unwrap().join("script.json");
        std::fs::write(&script, json!({ "capabilities": { "textDocumentSync": 2 } }).to_string()).unwrap();
        language_server::configure(&home, &script);
        language_server::trust_folder(&home, &work);
        let mut pty = launch.start();
        pty.wait_text("BAD is not allowed here");
        let pid = std::fs::read_to_string(script.with_extension("json.processes")).unwrap();
        let pid: u32 = pid.trim().parse().unwrap();
        assert!(is_running(pid));
        pty.signal(signal);
        let exit = pty.wait_exit();
        assert!(code.is_none_or(|code| exit.exit_code() == code), "{exit:?}");
        wait_until("the server ends", || !is_running(pid));
    }
}

#[test]
fn suspend_and_continue_redraws_screen() {
    let launch = Launch::bowline(&["a.txt"]);
    std::fs::write(launch.work().join("a.txt"), "some text\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("some text");
    pty.wait_text("Ask anything");
    pty.take_raw();
    pty.signal(Signal::TSTP);
    pty.wait_stopped();
    pty.wait_raw(TERMINAL_RESTORED);
    assert!(pty.is_cooked());
    pty.take_raw();
    pty.signal(Signal::CONT);
    pty.wait_raw("\x1b[?1049h");
    pty.wait_text("some text");
    pty.send("x");
    pty.wait_text("xsome text");
    pty.send(UNDO);
    pty.wait_for("the undone text", |screen| !screen.contents().contains("xsome"));
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
}

#[test]
fn terminal_hang_up_exits() {
    let server = Server::start(vec![gated_reply("Half an ans")]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("talk\r");
    pty.wait_text("Half an ans");
    pty.hang_up();
    pty.wait_exit();
    server.wait_for_hang_up();
}

#[test]
fn auth_error_names_api_key_variable() {
    let refused = wire::error_reply(401, "authentication_error", "invalid x-api-key");
    let server = Server::start(vec![refused, wire::text_reply("All is well.")]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("hello\r");
    pty.wait_text("x-api-key");
    pty.wait_text("ANTHROPIC_API_KEY");
    assert_session_continues(&mut pty);
}

#[test]
fn retry_after_interrupted_reply_shows_both() {
    let pieces = [wire::open(), wire::text(0, &["Half an ans"]), vec![Piece::Cut]].concat();
    let server = Server::start(vec![
        Reply::Stream(pieces),
        wire::text_reply("Whole again."),
        wire::text_reply("All is well."),
    ]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("hello\r");
    pty.wait_text("was cut off");
    pty.wait_text("Half an ans");
    pty.wait_text("Whole again.");
    assert_session_continues(&mut pty);
}

#[test]
fn escape_aborts_stalled_request() {
    let server = Server::start(vec![Reply::Stream(vec![Piece::Gate]), wire::text_reply("All is well.")]);
    let mut pty = start_pty(&server.url, &[]);
    pty.send("hello\r");
    server.wait_for_requests(1);
    pty.send(ESCAPE);
    server.wait_for_hang_up();
    pty.wait_text("Ask anything");
    assert_session_continues(&mut pty);
}

#[test]
fn connection_refused_is_reported_and_can_be_canceled() {
    // A port that was just free: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut pty = start_pty(&format!("http://127.0.0.1:{port}"), &[]);
    pty.send("hello\r");
    pty.wait_text("no answer from");
    pty.send(ESCAPE);
    pty.wait_text("Ask anything");
    pty.send("typed");
    pty.wait_text("typed");
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
}
