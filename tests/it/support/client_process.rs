//! The built binary driven over its standard streams, as other programs drive it: JSON and RPC mode.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::server::{Reply, Server};

/// How long a test waits for what must happen.
const DEADLINE: Duration = Duration::from_mins(1);
/// Lines that are read before somebody looks at them.
const READ_AHEAD: usize = 16;

/// Every `type` that a line may have.
const TYPES: &[&str] = &[
    "agent_end",
    "agent_settled",
    "agent_start",
    "auto_retry_end",
    "auto_retry_start",
    "bash_execution_update",
    "compaction_end",
    "compaction_start",
    "conversation_replaced",
    "entry_appended",
    "error",
    "extension_ui_request",
    "interrupted",
    "message_end",
    "message_start",
    "message_update",
    "queue_update",
    "ready",
    "response",
    "session",
    "session_info_changed",
    "thinking_level_changed",
    "tool_execution_end",
    "tool_execution_start",
    "tool_execution_update",
    "turn_end",
    "turn_start",
];

/// An answer without its data, whose depth would be too much to read it as a value: a tree.
#[derive(Deserialize, Serialize)]
struct ShallowResponse {
    r#type: String,
    #[serde(default = "missing_id", skip_serializing_if = "is_missing_id")]
    id: Value,
    command: String,
    success: bool,
}

/// What no id is.
fn missing_id() -> Value {
    json!({"no": "id"})
}

fn is_missing_id(id: &Value) -> bool {
    *id == missing_id()
}

/// A line as JSON, which it must be, and of a known type.
#[track_caller]
pub fn parse_line(line: &str) -> Value {
    let shallow = || serde_json::from_str::<ShallowResponse>(line).map(|answer| json!(answer));
    let value = serde_json::from_str::<Value>(line).or_else(|_| shallow());
    let value = value.unwrap_or_else(|why| panic!("{why} in {line:?}"));
    assert!(value.is_object() && TYPES.iter().any(|name| value["type"] == *name), "{line}");
    value
}

/// A home and a workspace of their own, and a server.
pub struct TestHome {
    pub dir: TempDir,
    pub server: Server,
}

impl TestHome {
    pub fn new(replies: Vec<Reply>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("work")).unwrap();
        std::fs::create_dir_all(dir.path().join("home/config")).unwrap();
        Self { dir, server: Server::start(replies) }
    }

    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn write_config(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join("home/config").join(name), text).unwrap();
    }

    /// What the program is started with, whoever starts it.
    pub fn env_vars(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let dir = self.dir.path();
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", dir.into()),
            ("BOWLINE_HOME", dir.join("home").into()),
            ("ANTHROPIC_BASE_URL", self.server.url.clone().into()),
        ]
    }

    pub fn command(&self, program: impl AsRef<Path>, args: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(args).current_dir(self.work()).env_clear().envs(self.env_vars());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The program, whose lines are read.
    pub fn start(&self, args: &[&str]) -> TestProcess {
        let mut driven = self.start_unread(args);
        driven.read();
        driven
    }

    /// The program, of which nothing is read yet.
    pub fn start_unread(&self, args: &[&str]) -> TestProcess {
        TestProcess::spawn(self.command(env!("CARGO_BIN_EXE_bowline"), args))
    }
}

/// A running program. It ends with this value.
pub struct TestProcess {
    child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    lines: Option<Receiver<String>>,
    stderr: Option<JoinHandle<String>>,
    request_count: usize,
    /// What was heard before an answer that was waited for.
    pub skipped_lines: Vec<Value>,
}

impl TestProcess {
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let told = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Self {
            child,
            stdin,
            stdout,
            lines: None,
            stderr: Some(told),
            request_count: 0,
            skipped_lines: Vec::new(),
        }
    }

    /// Begins to read.
    pub fn read(&mut self) {
        let stdout = self.stdout.take().unwrap();
        let (sender, lines) = sync_channel(READ_AHEAD);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        self.lines = Some(lines);
    }

    /// Nobody reads any more.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// So many lines, read without reading ahead of them.
    pub fn first_lines(&mut self, count: usize) -> Vec<String> {
        let stdout = self.stdout.as_mut().unwrap();
        let (mut lines, mut line, mut byte) = (Vec::new(), Vec::new(), [0]);
        while lines.len() < count && stdout.read(&mut byte).unwrap() > 0 {
            if byte[0] == b'\n' {
                lines.push(String::from_utf8(std::mem::take(&mut line)).unwrap());
            } else {
                line.push(byte[0]);
            }
        }
        lines
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says a line.
    pub fn send(&mut self, line: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> Option<Value> {
        match self.lines.as_ref().unwrap().recv_timeout(DEADLINE) {
            Ok(line) => Some(parse_line(&line)),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(why) => panic!("a line in time: {why}"),
        }
    }

    /// Waits for a line; gives it, and notes those before it.
    #[track_caller]
    pub fn wait_for(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.next().expect("a line before the end");
            if holds(&line) {
                return line;
            }
            self.skipped_lines.push(line);
        }
    }

    /// Waits for an event.
    #[track_caller]
    pub fn next_event(&mut self, name: &str) -> Value {
        self.wait_for(|line| line["type"] == name)
    }

    /// Says a command; gives its answer.
    #[track_caller]
    pub fn request(&mut self, mut command: Value) -> Value {
        self.request_count += 1;
        let id = json!(format!("ask-{}", self.request_count));
        command["id"] = id.clone();
        self.send(&command);
        self.wait_for(|line| line["type"] == "response" && line["id"] == id)
    }

    /// The data of the answer to a command that must succeed.
    #[track_caller]
    pub fn ask_data(&mut self, command: Value) -> Value {
        let mut answer = self.request(command);
        assert_eq!(answer["success"], true, "{answer}");
        answer["data"].take()
    }

    /// Whether it has ended.
    pub fn has_exited(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Says nothing more and waits for its end: the exit code, the lines that were left, standard error.
    #[track_caller]
    pub fn finish(mut self) -> (i32, Vec<Value>, String) {
        drop(self.stdin.take());
        let mut lines = Vec::new();
        if self.lines.is_some() {
            while let Some(line) = self.next() {
                lines.push(line);
            }
        }
        let (code, told) = self.wait_exit();
        (code, lines, told)
    }

    /// Waits for its end by itself: the exit code, standard error.
    #[track_caller]
    pub fn wait_exit(&mut self) -> (i32, String) {
        wait_until("the program ends", || self.has_exited());
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, self.stderr.take().unwrap().join().unwrap())
    }

    /// A figure of its memory in MB, such as `VmRSS`.
    pub fn memory_mb(&self, name: &str) -> f64 {
        memory_mb(self.child.id(), name)
    }
}

impl Drop for TestProcess {
    fn drop(&mut self) {
        if !self.has_exited() {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

/// A figure of a process's memory in MB, such as `VmRSS`.
pub fn memory_mb(pid: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().split(' ').next().unwrap().parse::<f64>().unwrap() / 1024.0
}

/// Waits until something holds. Blocks.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < end, "in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
