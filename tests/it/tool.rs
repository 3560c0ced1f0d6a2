//! `bowline tool` as a process: what a model would get comes out, and exit codes say how it went.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use bowline::agent::profile;
use bowline::agent::profiles::PROFILES;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::is_running;
use crate::support::pty::Launch;

/// A home and a workspace of their own, and nobody who could answer.
struct TestHome {
    dir: TempDir,
}

impl TestHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    fn write_file(&self, name: &str, text: &str) {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.arg("tool").args(args).current_dir(self.work()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path()).env("BOWLINE_HOME", self.dir.path().join("home"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        output_texts(&self.command(args).output().unwrap())
    }

    /// The same with something piped in.
    fn run_with_stdin(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        output_texts(&child.wait_with_output().unwrap())
    }

    fn run_json(&self, args: &[&str]) -> (i32, Value) {
        let (code, out, err) = self.run(args);
        (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
    }

    /// The number that a command writes into a file, once it is there.
    fn read_pid(&self, name: &str, child: &mut Child) -> u32 {
        loop {
            let text = std::fs::read_to_string(self.work().join(name)).unwrap_or_default();
            if let Some(pid) = text.strip_suffix('\n') {
                return pid.parse().unwrap();
            }
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
    }
}

fn output_texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn tool_command_reads_and_edits_without_session() {
    let place = TestHome::new();
    place.write_file("work/a.txt", "one\ttwo\u{1b}\n");
    let read = place.run(&["read", r#"{"path": "a.txt"}"#]);
    assert_eq!(read, (0, "one\ttwo\u{1b}\n".into(), String::new()));
    let (code, told) = place.run_json(&["read", r#"{"path": "a.txt"}"#, "--json"]);
    assert_eq!((code, &told["tool"], &told["isError"]), (0, &json!("read"), &json!(false)));
    assert_eq!(told["content"], json!([{"type": "text", "text": "one\ttwo\u{1b}\n"}]));
    assert!(told["durationMs"].is_u64(), "{told}");
    let edit = r#"{"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}"#;
    let (code, told) = place.run_json(&["edit", edit, "--json"]);
    assert_eq!(
        (code, std::fs::read_to_string(place.work().join("a.txt")).unwrap().as_str()),
        (0, "1\ttwo\u{1b}\n")
    );
    assert!(told["details"].is_object(), "front ends get what they show: {told}");
    assert!(!place.dir.path().join("home/data/sessions").exists());
}

#[test]
fn tool_command_reads_arguments_from_stdin() {
    let place = TestHome::new();
    place.write_file("work/a.txt", "one\n");
    for args in [&["read", "-"][..], &["read"]] {
        assert_eq!(place.run_with_stdin(args, "{\"path\": \"a.txt\"}\n"), (0, "one\n".into(), String::new()));
    }
    let (code, out, _) = place.run(&["ls"]);
    assert_eq!((code, out.as_str()), (0, "a.txt\n"), "nothing is said, so it has no arguments");
    let (code, out, err) = place.run(&["read", "-"]);
    assert_eq!((code, out.as_str()), (2, ""), "nothing was to be read");
    assert!(err.contains("the arguments are not JSON: EOF"), "{err}");
}

#[test]
fn tool_command_error_result_exits_1() {
    let place = TestHome::new();
    let (code, out, err) = place.run(&["read", r#"{"path": "gone.txt"}"#]);
    assert!(code == 1 && out.contains("gone.txt") && err.is_empty(), "{code} {out}{err}");
    let (code, told) = place.run_json(&["read", "--json", r#"{"file": 3}"#]);
    assert_eq!((code, &told["isError"]), (1, &json!(true)));
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Invalid arguments for read:"), "{text}");
}

#[test]
fn tool_command_usage_error_exits_2_with_hint() {
    let place = TestHome::new();
    for (args, told) in [
        (
            &["read", r#"{"path": a.txt}"#][..],
            "the arguments are not JSON: expected value at line 1 column 10",
        ),
        (&["read", r#"["a.txt"]"#], "the arguments are not a JSON object"),
        (
            &["raed", "{}"],
            "no such tool in profile pi: raed\n         did you mean `read`? there are read, bash,",
        ),
        (&["apply_patch", "{}"], "--profile openai has it; there are read, bash,"),
        (&["read", "{}", "{}"], "unexpected argument '{}' found"),
        (&[], "bowline tool <NAME>"),
        (&["read", "{}", "--env", "moon"], "[possible values: local, read-only]"),
        (&["read", "{}", "--profile", "moon"], "[possible values: auto, pi, openai, anthropic, gemini]"),
    ] {
        let (code, out, err) = place.run(args);
        assert!((code, out.as_str()) == (2, "") && err.contains(told), "{args:?}: {code} {out}{err}");
    }
}

#[test]
fn tool_command_needs_approval_and_names_flag() {
    let place = TestHome::new();
    let (call, made) = (r#"{"command": "mkdir made"}"#, place.work().join("made"));
    let (code, out, err) = place.run(&["bash", call]);
    assert!(code == 1 && out.starts_with("Not run: ") && !made.exists(), "{code} {out}");
    assert!(err.contains("bash was not run: ") && err.contains("--approval full runs it unasked"), "{err}");
    assert_eq!(place.run(&["bash", call, "--approval", "full"]).0, 0);
    assert!(made.exists());
    let (write, beside) = (r#"{"path": "../b.txt", "content": "x"}"#, place.dir.path().join("b.txt"));
    let (code, out, _) = place.run(&["write", write]);
    assert!(code == 1 && out.starts_with("Not run: ") && !beside.exists(), "{code} {out}");
    place.write_file("home/config/permissions.toml", "[[rule]]\ndecision = \"deny\"\ntool = \"edit\"\n");
    place.write_file("work/a.txt", "one\n");
    let edit = r#"{"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}"#;
    let (code, out, _) = place.run(&["edit", edit, "--approval", "full"]);
    assert!(code == 1 && out.starts_with("Not run: forbidden by the rule"), "{code} {out}");
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "one\n");
}

#[test]
fn tool_command_read_only_environment_rejects_changes() {
    let place = TestHome::new();
    place.write_file("work/a.txt", "one\n");
    let there = ["--env", "read-only", "--approval", "full"];
    let run = |name: &str, args: &str| place.run(&[&[name, args], &there[..]].concat());
    assert_eq!(run("read", r#"{"path": "a.txt"}"#), (0, "one\n".into(), String::new()));
    assert_eq!(run("bash", r#"{"command": "cat a.txt"}"#).0, 0);
    let (code, out, _) = run("write", r#"{"path": "a.txt", "content": "two"}"#);
    assert!(code == 1 && out.contains("nothing may be changed here"), "{code} {out}");
    let (code, out, _) = run("bash", r#"{"command": "rm a.txt"}"#);
    assert!(code == 1 && out.contains("only commands that look may run here"), "{code} {out}");
    assert_eq!(place.run(&["write", r#"{"path": "a.txt", "content": "two"}"#, "--env", "local"]).0, 0);
}

#[test]
fn tool_command_list_matches_profile_tools() {
    let place = TestHome::new();
    for profile in PROFILES {
        let (code, told) = place.run_json(&["--list", "--json", "--profile", profile.id]);
        assert_eq!((code, &told["profile"]), (0, &json!(profile.id)));
        let all = profile::find(profile.id).unwrap().tools(&[]);
        let offered: Vec<&str> = all.default_names().collect();
        let tool = |spec: &bowline::llm::model::ToolSpec| {
            json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters,
                "available": offered.contains(&spec.name.as_str())})
        };
        assert_eq!(told["tools"], all.specs().iter().map(tool).collect::<Value>(), "{}", profile.id);
        let (code, lines, _) = place.run(&["--list", "--profile", profile.id]);
        assert_eq!((code, lines.lines().count()), (0, all.names().count()));
        for (line, name) in lines.lines().zip(all.names()) {
            assert_eq!(line.split(' ').next(), Some(name));
            assert_eq!(line.ends_with("(off by default)"), !offered.contains(&name), "{line}");
        }
    }
    let of_model =
        |args: &[&str]| place.run_json(&[&["--list", "--json"], args].concat()).1["profile"].clone();
    assert_eq!(of_model(&[]), "pi", "without a key the guide answers");
    assert_eq!(of_model(&["--model", "anthropic/claude-sonnet-5-5"]), "anthropic", "and it needs none");
    place.write_file("home/config/settings.toml", "profile = \"gemini\"\n");
    assert_eq!(of_model(&[]), "gemini");
}

#[test]
fn tool_command_signal_kills_process_tree() {
    if !is_running(std::process::id()) {
        return;
    }
    let place = TestHome::new();
    let script = "sleep 600 & echo $! > child; echo $$ > shell; wait";
    let args = json!({"command": script}).to_string();
    for signal in [Signal::INT, Signal::TERM] {
        let mut child = place.command(&["bash", &args, "--approval", "full"]).spawn().unwrap();
        let pids = ["child", "shell"].map(|name| place.read_pid(name, &mut child));
        kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
        let (code, out, err) = output_texts(&child.wait_with_output().unwrap());
        assert_eq!(code, 130, "{out}{err}");
        assert_eq!(pids.map(is_running), [false, false], "{out}");
        for name in ["child", "shell"] {
            std::fs::remove_file(place.work().join(name)).unwrap();
        }
    }
}

#[test]
fn tool_command_long_output_is_truncated_with_artifact() {
    let place = TestHome::new();
    let lines = (1..=9000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    place.write_file("work/a.txt", &lines);
    let (code, out, err) = place.run(&["bash", r#"{"command": "cat a.txt"}"#]);
    assert!(code == 0 && out.len() < lines.len() / 2, "{code} {} {err}", out.len());
    assert!(out.contains("line 9000\n") && !out.contains("line 1\n"), "{out}");
    assert!(out.contains("artifact://1"), "{out}");
    let (code, out, _) = place.run(&["read", r#"{"path": "artifact://1", "offset": 1, "limit": 2}"#]);
    assert!(code == 0 && out.starts_with("line 1\nline 2\n"), "{code} {out}");
    place.write_file("home/config/settings.toml", "tool-limits.bash.lines = 10\n");
    let (_, out, err) = place.run(&["bash", r#"{"command": "cat a.txt"}"#]);
    assert!(out.contains("line 8999\n") && !out.contains("line 8980\n"), "the settings hold: {out}{err}");
}

#[test]
fn tool_command_escapes_control_characters_on_terminal() {
    let launch = Launch::bowline(&["tool", "read", r#"{"path": "a.txt"}"#]);
    std::fs::write(launch.work().join("a.txt"), "a \u{1b}[2J\u{9b}31m\n").unwrap();
    let mut terminal = launch.start();
    terminal.wait_text("\u{241b}[2J<9B>31m");
    assert!(terminal.wait_exit().success());
    assert!(!terminal.take_raw().contains(&0x1b));
}
