//! Figures of the built binary in a pseudo terminal.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::{Effort, percentile, report};

/// A program in a terminal, its output time-stamped on a thread of its own.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    /// What is typed goes here.
    pub writer: Box<dyn Write + Send>,
    output: mpsc::Receiver<(Instant, Vec<u8>)>,
    _master: Box<dyn MasterPty + Send>,
    /// Of the test: below it are `work`, where the program runs, and `home`.
    pub folder: tempfile::TempDir,
    /// When it was started.
    pub started: Instant,
    received: Vec<u8>,
    last_output: Instant,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn run(program: &str, args: &[&str], text: &str) -> Program {
    run_with(program, args, text, &[])
}

fn run_with(program: &str, args: &[&str], text: &str, vars: &[(&str, &str)]) -> Program {
    run_on(program, args, vars, |path| std::fs::write(path, text).unwrap())
}

/// A program in a folder with a file `text.rs` that somebody else writes.
pub fn run_on(program: &str, args: &[&str], vars: &[(&str, &str)], fill: impl FnOnce(&Path)) -> Program {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    fill(&folder.path().join("work/text.rs"));
    let pty = native_pty_system();
    let pair = pty.openpty(PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("BOWLINE_OFFLINE", "1");
    command.env("HOME", folder.path());
    command.env("BOWLINE_HOME", folder.path().join("home"));
    for (name, value) in vars {
        command.env(name, value);
    }
    command.cwd(folder.path().join("work"));
    let mut reader = pair.master.try_clone_reader().unwrap();
    let writer = pair.master.take_writer().unwrap();
    let (send, output) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if send.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                return;
            }
        }
    });
    let started = Instant::now();
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    Program {
        child,
        writer,
        output,
        _master: pair.master,
        folder,
        started,
        received: Vec::new(),
        last_output: started,
    }
}

fn bowline(args: &[&str], text: &str) -> Program {
    run(env!("CARGO_BIN_EXE_bowline"), args, text)
}

/// The program with a file open that somebody else writes.
pub fn bowline_on(fill: impl FnOnce(&Path)) -> Program {
    run_on(env!("CARGO_BIN_EXE_bowline"), &["text.rs"], &[], fill)
}

impl Program {
    /// Waits until the output, from the start on or since the last [`Self::settle`], holds a
    /// text; when the piece came that completes it, or the last piece.
    pub fn wait_for(&mut self, text: &str) -> Instant {
        let limit = Instant::now() + Duration::from_secs(20);
        while !self.received.windows(text.len()).any(|window| window == text.as_bytes()) {
            assert!(Instant::now() < limit, "no {text:?} in {:?}", String::from_utf8_lossy(&self.received));
            let next = self.output.recv_timeout(Duration::from_secs(20));
            let (at, bytes) = next
                .unwrap_or_else(|_| panic!("no {text:?} in {:?}", String::from_utf8_lossy(&self.received)));
            self.received.extend(bytes);
            self.last_output = at;
        }
        self.last_output
    }

    /// Everything that comes until nothing has come for a while: bytes, and when the first came.
    pub fn read_until_quiet(&mut self, quiet: Duration) -> (usize, Option<Instant>) {
        let (mut bytes, mut first) = (0, None);
        self.received.clear();
        let limit = Instant::now() + Duration::from_secs(30);
        while Instant::now() < limit
            && let Ok((at, chunk)) = self.output.recv_timeout(quiet)
        {
            first.get_or_insert(at);
            bytes += chunk.len();
        }
        (bytes, first)
    }

    /// User and system time, threads included, in milliseconds; and resident memory in MB.
    pub fn usage(&self) -> (f64, f64) {
        let pid = self.child.process_id().unwrap();
        let schedstat = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let nanos: f64 = schedstat
            .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
            .filter_map(|text| text.split(' ').next().and_then(|n| n.parse::<f64>().ok()))
            .sum();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        (nanos / 1e6, rss.trim().split(' ').next().unwrap().parse::<f64>().unwrap() / 1024.0)
    }

    /// How often each thread gave up or lost the processor: each wake-up is one.
    fn context_switches(&self) -> HashMap<OsString, u64> {
        let pid = self.child.process_id().unwrap();
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let count = |text: String| -> u64 {
            let lines = text.lines().filter(|line| line.contains("voluntary_ctxt_switches"));
            lines.filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum()
        };
        tasks
            .filter_map(|task| {
                Some((task.file_name(), std::fs::read_to_string(task.path().join("status")).ok()?))
            })
            .map(|(thread, text)| (thread, count(text)))
            .collect()
    }
}

pub fn to_ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What the machine needs to start a process that prints one line.
fn floor_start(times: usize) -> f64 {
    let mut samples: Vec<f64> = (0..times)
        .map(|_| {
            let mut program = run("/bin/sh", &["-c", "echo floor; exec cat"], "");
            let started = program.started;
            to_ms(program.wait_for("floor") - started)
        })
        .collect();
    percentile(&mut samples, 0.5)
}

/// From the start of the process to the first frame, and to the file's text.
pub fn start(effort: Effort) {
    let times = effort.times(20);
    let (mut paint, mut text, mut cpu, mut memory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..times {
        let mut program = bowline(&["text.rs"], "the text of the file\n");
        let started = program.started;
        paint.push(to_ms(program.wait_for("palette") - started));
        text.push(to_ms(program.wait_for("the text of the file") - started));
        program.read_until_quiet(Duration::from_millis(300));
        let (time, rss) = program.usage();
        cpu.push(time);
        memory.push(rss);
    }
    let floor = floor_start(times);
    report("start to first paint", percentile(&mut paint, 0.5), "ms", Some(floor), "<= 6x floor");
    report("start to the file's text", percentile(&mut text, 0.5), "ms", Some(floor), "");
    report("CPU of a start", percentile(&mut cpu, 0.5), "ms", None, "<= 20 ms");
    report("resident memory after start", percentile(&mut memory, 0.5), "MB", None, "<= 45 MB");
}

/// How long a key may take before the benchmark gives up.
pub const KEY_TIMEOUT: Duration = Duration::from_secs(5);

/// A source of a megabyte.
pub fn megabyte() -> String {
    let line = "    let value = compute(&self.state, 42)?;\n";
    line.repeat((1 << 20) / line.len())
}

/// What typed characters take.
pub struct Typed {
    /// Milliseconds from writing each key to the first byte of its frame.
    pub times: Vec<f64>,
    /// Bytes of output for each.
    pub bytes: Vec<f64>,
    /// Milliseconds of processor time per character.
    pub cpu: f64,
}

/// Types into a program that is still.
pub fn type_keys(program: &mut Program, count: usize) -> Typed {
    program.read_until_quiet(Duration::from_millis(300));
    let before = program.usage().0;
    let mut bytes = Vec::new();
    let times: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            program.writer.write_all(b"x").unwrap();
            let (mut n, mut first) = program.read_until_quiet(Duration::from_millis(15));
            // A busy machine may take longer; that is a figure, not a failure.
            while first.is_none() && start.elapsed() < KEY_TIMEOUT {
                (n, first) = program.read_until_quiet(Duration::from_millis(15));
            }
            bytes.push(n as f64);
            to_ms(first.expect("every key is seen") - start)
        })
        .collect();
    let cpu = (program.usage().0 - before) / times.len() as f64;
    Typed { times, bytes, cpu }
}

/// From writing a key to the first byte of its frame.
pub fn key(effort: Effort) {
    let mut program = bowline(&["text.rs"], &megabyte());
    program.wait_for("compute");
    let Typed { mut times, mut bytes, cpu } = type_keys(&mut program, effort.times(300));
    let mut cat = run("/bin/cat", &[], "");
    cat.read_until_quiet(Duration::from_millis(100));
    let mut floor: Vec<f64> = (0..effort.times(300))
        .map(|_| {
            let start = Instant::now();
            cat.writer.write_all(b"x").unwrap();
            let mut first = cat.read_until_quiet(Duration::from_millis(5)).1;
            while first.is_none() && start.elapsed() < KEY_TIMEOUT {
                first = cat.read_until_quiet(Duration::from_millis(5)).1;
            }
            to_ms(first.expect("the terminal echoes") - start)
        })
        .collect();
    let floors = [percentile(&mut floor, 0.5), percentile(&mut floor, 0.99)];
    report(
        "key to first byte, 1 MB source, p50",
        percentile(&mut times, 0.5),
        "ms",
        Some(floors[0]),
        "<= 0.5 ms",
    );
    report("key to first byte, 1 MB source, p99", percentile(&mut times, 0.99), "ms", Some(floors[1]), "");
    report("bytes per typed character, median", percentile(&mut bytes, 0.5), "B", None, "<= 60 B");
    report("CPU per typed character", cpu, "ms", None, "<= 0.6 ms");
}

/// What a program does in ten seconds in which nothing happens.
pub struct Idle {
    pub bytes: usize,
    pub wakeups: u64,
    /// Milliseconds of processor time.
    pub cpu: f64,
}

/// Waits until a program is still, and watches it.
pub fn watch_idle(program: &mut Program, effort: Effort) -> Idle {
    program.read_until_quiet(Duration::from_secs(if effort.quick { 1 } else { 12 }));
    let (switches, cpu) = (program.context_switches(), program.usage().0);
    let (bytes, _) = program.read_until_quiet(Duration::from_secs(if effort.quick { 1 } else { 10 }));
    // A thread that ends meanwhile wakes for that, once; those that stay must not wake at all.
    let after = program.context_switches();
    let wakeups = switches.iter().filter_map(|(thread, n)| Some(after.get(thread)? - n)).sum();
    Idle { bytes, wakeups, cpu: (program.usage().0 - cpu).max(0.0) }
}

/// Ten seconds of nothing: bytes, wake-ups, CPU.
pub fn idle(effort: Effort) {
    let mut program = bowline(&["text.rs"], "text\n");
    program.wait_for("palette");
    let Idle { bytes, wakeups, cpu } = watch_idle(&mut program, effort);
    report("idle 10 s: bytes", bytes as f64, "B", None, "0");
    report("idle 10 s: wake-ups", wakeups as f64, "", None, "0");
    report("idle 10 s: CPU", cpu, "ms", None, "0");
    assert!(program.folder.path().join("home").exists(), "the program keeps its files where it was told");
}

/// A model on loopback that answers every request by one call of bash with this command.
fn model_that_runs(command: &str) -> String {
    let events = [
        serde_json::json!({"type": "message_start", "message": {"id": "m", "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        serde_json::json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "bash", "input": {}}}),
        serde_json::json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": serde_json::json!({"command": command}).to_string()}}),
        serde_json::json!({"type": "content_block_stop", "index": 0}),
        serde_json::json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}),
        serde_json::json!({"type": "message_stop"}),
    ];
    let sent = |e: &serde_json::Value| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().unwrap());
    let body = events.iter().map(sent).collect::<Vec<_>>().concat();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = vec![0; 1 << 16];
            // The answer does not depend on the question; the whole of it need not be read.
            if stream.read(&mut request).is_ok_and(|n| n > 0) {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok();
            }
        }
    });
    url
}

/// From pressing Escape to the word that the run is interrupted, while a command runs that ends
/// when it is asked to, and one that does not.
pub fn interrupt(effort: Effort) {
    for (what, command) in [
        ("a command", "sleep 60"),
        ("a stubborn command", "trap '' TERM; for _ in $(seq 60); do sleep 1; done"),
    ] {
        let url = model_that_runs(command);
        let mut times: Vec<f64> = (0..effort.times(10))
            .map(|_| {
                let vars = [("ANTHROPIC_BASE_URL", url.as_str())];
                let args = ["--approval", "full", "run it now"];
                let mut program = run_with(env!("CARGO_BIN_EXE_bowline"), &args, "", &vars);
                program.wait_for("◦");
                let start = Instant::now();
                program.writer.write_all(b"\x1b").unwrap();
                to_ms(program.wait_for("interrupted") - start)
            })
            .collect();
        report(
            &format!("Escape to interrupted, {what}"),
            percentile(&mut times, 0.5),
            "ms",
            None,
            "<= 100 ms",
        );
    }
}
