//! The built binary as another program drives it: start, commands, events.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::support::anthropic as wire;
use crate::support::client_process::{TestHome, TestProcess};
use crate::support::server::{Piece, Reply, bytes};
use crate::terminal::to_ms;
use crate::{Effort, percentile, report};

/// Bytes that the server sends at once.
const AT_ONCE: usize = 32 << 10;
/// Lines between two stops of the slow reader, and how long each is.
const STOP: (usize, u64) = (64, 1);

/// From the start of the process to its first line.
fn first_line(mut command: Command) -> f64 {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut program = TestProcess::spawn(command);
    assert_eq!(program.first_lines(1).len(), 1);
    to_ms(start.elapsed())
}

fn start(effort: Effort) {
    let ground = TestHome::new(Vec::new());
    let ours = || first_line(ground.command(env!("CARGO_BIN_EXE_bowline"), &["--mode", "rpc"]));
    let floor = || first_line(ground.command("/bin/sh", &["-c", "echo ready; read line"]));
    let mut figures: Vec<f64> = (0..effort.times(21)).map(|_| ours()).collect();
    let mut floors: Vec<f64> = (0..effort.times(21)).map(|_| floor()).collect();
    let floor = Some(percentile(&mut floors, 0.5));
    report("rpc: start to ready", percentile(&mut figures, 0.5), "ms", floor, "<= 10 ms");
}

/// Commands that are said without waiting for their answers.
fn commands(effort: Effort) {
    let count = if effort.quick { 200 } else { 50_000 };
    let ground = TestHome::new(Vec::new());
    let mut program = ground.start(&["--mode", "rpc"]);
    program.ask_data(json!({"type": "get_state"}));
    let mut stdin = program.stdin.take().unwrap();
    let start = Instant::now();
    let saying = std::thread::spawn(move || {
        for n in 0..count {
            writeln!(stdin, "{{\"type\":\"get_state\",\"id\":\"{n}\"}}").unwrap();
        }
        stdin
    });
    for n in 0..count {
        let line = program.next().unwrap();
        assert_eq!(line["id"], n.to_string());
    }
    let seconds = start.elapsed().as_secs_f64();
    drop(saying.join().unwrap());
    report("rpc: get_state, pipelined", f64::from(count) / seconds / 1e3, "k/s", None, ">= 10 k/s");
}

/// A long answer in small pieces, several of which come together.
fn answer(count: usize) -> Reply {
    let all: Vec<String> = (0..count).map(|n| format!("word {n} ")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let bytes = bytes(&[wire::open(), wire::text(0, &all), wire::close("end_turn")].concat());
    Reply::Stream(bytes.chunks(AT_ONCE).map(|part| Piece::Raw(part.to_vec())).collect())
}

fn events(effort: Effort, what: &str, stop: Option<(usize, u64)>, budget: &str) {
    let count = if effort.quick { 500 } else { 100_000 };
    let ground = TestHome::new(vec![answer(count)]);
    let mut program = ground.start_unread(&["--mode", "rpc"]);
    program.send(&json!({"type": "prompt", "message": "go"}));
    program.read();
    program.next_event("message_update");
    let start = Instant::now();
    let mut lines = 0;
    while program.next().is_some_and(|line| line["type"] != "agent_settled") {
        lines += 1;
        if let Some((every, pause)) = stop
            && lines % every == 0
        {
            std::thread::sleep(std::time::Duration::from_millis(pause));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(lines > count, "{lines}");
    report(&format!("rpc: events, {what}"), lines as f64 / seconds / 1e3, "k/s", None, budget);
    let memory = program.memory_mb("VmHWM");
    report(&format!("rpc: events, {what}: memory"), memory, "MB", None, "<= 50 MB");
}

/// All of it.
pub fn rpc(effort: Effort) {
    start(effort);
    commands(effort);
    events(effort, "fast reader", None, ">= 50 k/s");
    events(effort, "slow reader", Some(STOP), "as fast as it reads");
}
