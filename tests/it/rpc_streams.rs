//! JSON and RPC mode of the built binary as a neighbour in a pipe: readers that go, readers that stop for a while,
//! and everything else that would like to write there.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::{TestHome, parse_line, wait_until};
use crate::support::process::is_running;
use crate::support::server::Reply;

/// A run whose command prints until it is stopped, and says in a file which process it is.
fn endless_reply() -> Reply {
    wire::tool_call_reply(
        "t1",
        "Bash",
        &json!({"command": "echo $$ > pid; while :; do echo tick; sleep 0.02; done"}),
    )
}

/// The command's process, once it has begun.
fn process(ground: &TestHome) -> Option<u32> {
    std::fs::read_to_string(ground.work().join("pid")).ok()?.strip_suffix('\n')?.parse().ok()
}

/// No command runs any more, if one did.
#[track_caller]
fn wait_until_command_ends(ground: &TestHome) {
    wait_until("the command ends", || process(ground).is_none_or(|pid| !is_running(pid)));
}

fn prompt() -> Value {
    json!({"type": "prompt", "message": "go"})
}

/// How a mode ends whose reader has closed the pipe: a host ends RPC so, JSON has lost events.
#[track_caller]
fn assert_closed_pipe(mode: &str, code: i32, told: &str) {
    if mode == "rpc" {
        assert_eq!((code, told), (0, ""));
    } else {
        assert_eq!(code, 1, "{told}");
        assert!(told.contains("cannot write the events: Broken pipe"), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

const FULL: [&str; 4] = ["--mode", "rpc", "--approval", "full"];

#[test]
fn stdout_piped_to_head_ends_process() {
    let says =
        "{\"type\":\"get_state\"}\n{\"type\":\"prompt\",\"message\":\"go\"}\n{\"type\":\"get_tree\"}\n";
    for (args, input) in
        [(["--mode", "json", "--approval", "full", "go"].as_slice(), ""), (FULL.as_slice(), says)]
    {
        let ground = TestHome::new(vec![endless_reply(), wire::text_reply("never")]);
        std::fs::write(ground.dir.path().join("input"), input).unwrap();
        let mut sh = ground.command("sh", &["-c", "{ \"$0\" \"$@\" < ../input; echo $? > code; } | head -1"]);
        let done = sh.arg(env!("CARGO_BIN_EXE_bowline")).args(args).output().unwrap();
        let lines = String::from_utf8(done.stdout).unwrap();
        assert_eq!(lines.lines().count(), 1, "{lines}");
        parse_line(&lines);
        let code = std::fs::read_to_string(ground.work().join("code")).unwrap();
        assert_closed_pipe(args[1], code.trim().parse().unwrap(), &String::from_utf8_lossy(&done.stderr));
        wait_until_command_ends(&ground);
    }
}

#[test]
fn stdout_closed_at_any_line_ends_process() {
    for mode in ["json", "rpc"] {
        for lines in [0, 1, 2, 4, 7, 12, 19, 30, 40] {
            let ground = TestHome::new(vec![endless_reply(), wire::text_reply("never")]);
            let mut args = vec!["--mode", mode, "--approval", "full"];
            if mode == "json" {
                args.push("go");
            }
            let mut program = ground.start_unread(&args);
            if mode == "rpc" {
                program.send(&prompt());
            } else {
                drop(program.stdin.take());
            }
            for line in program.first_lines(lines) {
                parse_line(&line);
            }
            program.close_stdout();
            // In RPC mode standard input is still open: it is the reader alone who has gone.
            let (code, told) = program.wait_exit();
            assert_closed_pipe(mode, code, &told);
            wait_until_command_ends(&ground);
        }
    }
}

#[test]
fn rpc_stdout_closed_while_idle_ends_at_next_line() {
    let ground = TestHome::new(Vec::new());
    let mut program = ground.start_unread(&["--mode", "rpc"]);
    assert_eq!(parse_line(&program.first_lines(1)[0])["type"], "ready");
    program.close_stdout();
    // A process that another test starts in this moment holds the pipe until it has become its program: the first
    // answers may still find a reader.
    wait_until("the program ends", || {
        // It may have ended.
        writeln!(program.stdin.as_mut().unwrap(), "{}", json!({"type": "get_state"})).ok();
        program.has_exited()
    });
    assert_eq!(program.wait_exit(), (0, String::new()));
}

/// Pieces of a long answer, and its length in bytes.
const PIECES: usize = 30_000;
const PIECE: usize = 1_000;

fn piece(n: usize) -> String {
    format!("{n:-<PIECE$}")
}

fn long_reply() -> Reply {
    let all: Vec<String> = (0..PIECES).map(piece).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    Reply::Stream([wire::open(), wire::text(0, &all), wire::close("end_turn")].concat())
}

/// Bytes that a process has taken from files and sockets.
fn bytes_read(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    text.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap()
}

/// Waits until a process takes nothing more, though there would be more to take.
fn wait_until_stalled(pid: u32) {
    let (mut last, mut since) = (bytes_read(pid), Instant::now());
    wait_until("the program waits for its reader", || {
        let now = bytes_read(pid);
        if now != last {
            (last, since) = (now, Instant::now());
        }
        since.elapsed() > Duration::from_secs(1)
    });
}

/// Memory with all that may pile up: queues of lines, events and bytes of the network, and the words so far.
const MEMORY_MAX: f64 = 120.0;

#[test]
fn stdout_stalled_reader_gets_all_with_bounded_memory() {
    for mode in ["json", "rpc"] {
        let ground = TestHome::new(vec![long_reply()]);
        let mut args = vec!["--mode", mode];
        if mode == "json" {
            args.push("go");
        }
        let mut program = ground.start_unread(&args);
        if mode == "rpc" {
            program.send(&prompt());
        } else {
            drop(program.stdin.take());
        }
        ground.server.wait_for_requests(1);
        wait_until_stalled(program.id());
        let held = program.memory_mb("VmHWM");
        assert!(held < MEMORY_MAX, "{mode}: {held} MB");
        program.read();
        let mut next = 0;
        let mut whole = 0;
        loop {
            let line = program.next().unwrap();
            let event = &line["assistantMessageEvent"];
            if event["type"] == "text_delta" {
                // What comes faster than it is taken may come together.
                for part in event["delta"].as_str().unwrap().as_bytes().chunks(PIECE) {
                    assert_eq!(std::str::from_utf8(part).unwrap(), piece(next), "{mode}");
                    next += 1;
                }
            }
            if line["type"] == "message_end" && line["message"]["role"] == "assistant" {
                whole = line["message"]["content"][0]["text"].as_str().unwrap().len();
            }
            if line["type"] == "agent_settled" {
                break;
            }
        }
        assert_eq!((next, whole), (PIECES, PIECES * PIECE), "{mode}");
        let (code, rest, told) = program.finish();
        assert_eq!((code, rest.len(), told.as_str()), (0, 0, ""), "{mode}");
    }
}

#[test]
fn signal_or_stdin_end_exits_despite_stalled_stdout() {
    for (mode, signal) in [("json", Some(Signal::TERM)), ("rpc", Some(Signal::INT)), ("rpc", None)] {
        let ground = TestHome::new(vec![long_reply()]);
        let args: &[&str] = if mode == "json" { &["--mode", "json", "go"] } else { &["--mode", "rpc"] };
        let mut program = ground.start_unread(args);
        if mode == "rpc" {
            program.send(&prompt());
        } else {
            drop(program.stdin.take());
        }
        ground.server.wait_for_requests(1);
        wait_until_stalled(program.id());
        let code = if let Some(signal) = signal {
            let pid = Pid::from_raw(i32::try_from(program.id()).unwrap()).unwrap();
            kill_process(pid, signal).unwrap();
            130
        } else {
            drop(program.stdin.take());
            0
        };
        assert_eq!(program.wait_exit(), (code, String::new()), "{mode} {signal:?}");
    }
}

/// So many that they wait in a pipe when a few hundred answers and a few lines wait already.
const UNREAD: usize = 1_500;

#[test]
fn rpc_stdin_end_exits_with_many_unread_answers() {
    let ground = TestHome::new(vec![endless_reply()]);
    let mut program = ground.start_unread(&FULL);
    program.send(&prompt());
    wait_until("the command runs", || process(&ground).is_some());
    for _ in 0..UNREAD {
        program.send(&json!({"type": "get_available_models"}));
    }
    drop(program.stdin.take());
    assert_eq!(program.wait_exit(), (0, String::new()));
    wait_until_command_ends(&ground);
}

#[test]
fn rpc_stdin_end_cancels_and_answers_running_command() {
    let ground = TestHome::new(Vec::new());
    let mut program = ground.start(&FULL);
    program.send(&json!({"type": "bash", "command": "echo $$ > pid; echo begun; sleep 600", "id": 1}));
    program.next_event("bash_execution_update");
    let (code, rest, told) = program.finish();
    assert_eq!((code, told.as_str()), (0, ""));
    let answer = rest.iter().find(|line| line["type"] == "response").unwrap();
    assert_eq!(json!([answer["id"], answer["data"]["cancelled"]]), json!([1, true]), "{answer}");
    assert!(process(&ground).is_some());
    wait_until_command_ends(&ground);
}

/// Tries each way to standard output that a command has, and prints more than is kept.
const NOISY_COMMAND: &str = "echo loud > /dev/stdout; echo loud > /proc/self/fd/1; echo loud >&2; \
                    echo loud > /proc/$PPID/fd/1; echo loud > /proc/$PPID/fd/0; seq 1 60000";

fn run_noisy_command(mode: &str, ground: &TestHome) -> (Vec<Value>, String) {
    let mut program = match mode {
        "json" => ground.start(&["--mode", "json", "--approval", "full", "go"]),
        _ => ground.start(&FULL),
    };
    if mode == "rpc" {
        program.send(&prompt());
        program.next_event("agent_settled");
        let ran = program.ask_data(json!({"type": "bash", "command": NOISY_COMMAND}));
        assert!(ran["truncated"] == true && ran["output"].as_str().unwrap().ends_with("60000"), "{ran}");
    }
    let mut heard = std::mem::take(&mut program.skipped_lines);
    let (code, rest, told) = program.finish();
    assert_eq!(code, 0, "{told}");
    heard.extend(rest);
    (heard, told)
}

/// Every line is looked at where it is read: whatever else gets there is a failure.
#[test]
fn stdout_has_only_protocol_lines() {
    let noise = "echo noise; echo noise > /proc/$PPID/fd/1; echo noise >&2";
    for mode in ["json", "rpc"] {
        let ground = TestHome::new(vec![
            wire::tool_call_reply("t1", "Bash", &json!({"command": NOISY_COMMAND})),
            wire::text_reply("Heard."),
        ]);
        let keys = json!({"anthropic": {"type": "api_key", "key": format!("!{noise}")}});
        std::fs::create_dir_all(ground.dir.path().join("home/data")).unwrap();
        std::fs::write(ground.dir.path().join("home/data/auth.json"), keys.to_string()).unwrap();
        let models = json!({"providers": {"anthropic": {"headers": {"x-told": format!("!{noise}")}}}});
        ground.write_config("models.json", &models.to_string());
        let (heard, told) = run_noisy_command(mode, &ground);
        let seen = ground.server.requests();
        assert_eq!(seen.len(), 2, "{told}");
        assert!(seen[0].headers["x-told"].contains("noise"), "the command was run: {:?}", seen[0].headers);
        assert!(seen[1].text.contains("loud") && seen[1].text.contains("60000"), "{}", seen[1].text);
        assert!(heard.iter().any(|line| line["type"] == "tool_execution_update"), "{mode}: it was told");
    }
}

/// What it says of wrong usage goes to standard error alone.
#[test]
fn usage_errors_go_to_stderr() {
    let ground = TestHome::new(Vec::new());
    for (args, why) in [
        (["--mode", "rpc", "words"], "RPC mode takes no prompts"),
        (["--mode", "json", "--resume"], "--resume needs a terminal"),
    ] {
        let mut command: Command = ground.command(env!("CARGO_BIN_EXE_bowline"), &args);
        let done = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!((done.status.code(), done.stdout.len()), (Some(2), 0));
        assert!(String::from_utf8_lossy(&done.stderr).contains(why), "{:?}", done.stderr);
    }
}
