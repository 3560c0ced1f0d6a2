//! `bowline -p` as a process, against a server on loopback: streams, exit codes, sessions that
//! survive whatever happens.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use bowline::exec::storage::trust::Trust;
use bowline::runtime::agent_setup::trust_requests::TrustRequests;
use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::anthropic as wire;
use crate::support::pty::Launch;
use crate::support::server::{Piece, Reply, Server};

/// A home and a workspace of their own, and a server.
pub struct TestHome {
    pub dir: TempDir,
    pub server: Server,
}

impl TestHome {
    pub fn new(replies: Vec<Reply>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir, server: Server::start(replies) }
    }

    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.args(args).current_dir(self.work()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path()).env("BOWLINE_HOME", self.dir.path().join("home"));
        command.env("ANTHROPIC_BASE_URL", &self.server.url);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        output_texts(&self.command(args).output().unwrap())
    }

    fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// The entries of the only session.
    pub fn entries(&self) -> Vec<Value> {
        let mut files = Vec::new();
        collect(&self.dir.path().join("home/data/sessions"), &mut files);
        assert_eq!(files.len(), 1, "{files:?}");
        let text = std::fs::read_to_string(&files[0]).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, out) } else { out.push(path) }
    }
}

/// Ends what a killed program has left running: the process group of one shell, and only if
/// that shell leads a group of its own.
fn end_group(shell: i32) {
    let pid = Pid::from_raw(shell).unwrap();
    if shell > 1 && getpgid(Some(pid)) == Ok(pid) {
        kill_process_group(pid, Signal::KILL).unwrap();
    }
}

fn output_texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The texts of the user messages in a request.
fn user_texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let users = messages.iter().filter(|m| m["role"] == "user");
    let blocks = users.flat_map(|m| m["content"].as_array().unwrap());
    blocks.filter_map(|b| b["text"].as_str()).map(String::from).collect()
}

#[test]
fn print_mode_runs_tools_and_continues_session() {
    let place = TestHome::new(vec![
        wire::tool_call_reply("t1", "read", &json!({"path": "hello.txt"})),
        wire::tool_call_reply(
            "t2",
            "edit",
            &json!({"path": "hello.txt", "edits": [{"oldText": "hello", "newText": "goodbye"}]}),
        ),
        wire::text_reply("Done."),
        wire::text_reply("Still here."),
    ]);
    std::fs::write(place.work().join("hello.txt"), "hello\n").unwrap();
    assert_eq!(place.run(&["-p", "say goodbye"]), (0, "Done.\n".into(), String::new()));
    assert_eq!(std::fs::read_to_string(place.work().join("hello.txt")).unwrap(), "goodbye\n");
    let (code, out, _) = place.run(&["-p", "--continue", "and now"]);
    assert_eq!((code, out.as_str()), (0, "Still here.\n"));
    let seen = place.server.requests();
    assert_eq!(user_texts(&seen[3].body), ["say goodbye", "and now"]);
    for pair in seen.windows(2) {
        assert_eq!(pair[0].body["system"], pair[1].body["system"], "the prompt stays the same to the byte");
        assert_eq!(pair[0].body["tools"], pair[1].body["tools"]);
    }
}

#[test]
fn print_mode_project_rules_need_trust() {
    let call = || wire::tool_call_reply("t1", "bash", &json!({"command": "mkdir made"}));
    let place = TestHome::new(vec![call(), wire::text_reply("No."), call(), wire::text_reply("Yes.")]);
    let (made, off) = (
        place.work().join("made"),
        "Project rules are off: not trusted. Details: “Show project trust” in the palette",
    );
    let rules = "[[rule]]\ndecision = \"allow\"\ncommand = \"mkdir\"\n";
    std::fs::create_dir(place.work().join(".bowline")).unwrap();
    std::fs::write(place.work().join(".bowline/permissions.toml"), rules).unwrap();
    let (code, out, err) = place.run(&["-p", "go"]);
    assert_eq!((code, out.as_str(), made.exists()), (0, "No.\n", false), "{err}");
    assert_eq!(err.matches(off).count(), 1, "{err}");
    let wishes = TrustRequests::read(&place.work(), place.dir.path());
    let trust = Trust::new(&place.dir.path().join("home/state"));
    trust.answer(&place.work(), &wishes.digest.unwrap(), true).unwrap();
    let (code, out, err) = place.run(&["-p", "go"]);
    assert_eq!((code, out.as_str(), made.exists()), (0, "Yes.\n", true), "{err}");
    assert!(!err.contains(off), "{err}");
}

/// As in the background of a script, or behind `nohup`.
#[test]
fn print_mode_commands_do_not_inherit_ignored_signals() {
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    let look = json!({"command": "grep ^SigIgn: /proc/self/status"});
    let place = TestHome::new(vec![wire::tool_call_reply("t1", "Bash", &look), wire::text_reply("Seen.")]);
    let own = place.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT QUIT; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bowline"), "-p", "look"]);
    shell.args(["--approval", "full"]).current_dir(place.work()).env_clear();
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let (code, _, told) = output_texts(&shell.stdin(Stdio::null()).output().unwrap());
    assert_eq!(code, 0, "{told}");
    let body = place.server.requests()[1].text.clone();
    let told = body.split("SigIgn:\\t").nth(1).expect("the command's answer");
    let mask = u64::from_str_radix(&told[..16], 16).unwrap();
    assert_eq!(mask & 0b110, 0, "INT and QUIT are 2 and 3: {mask:x}");
}

#[test]
fn sessions_commands_list_show_export_and_fork() {
    let place = TestHome::new(vec![
        wire::text_reply("one\ttwo"),
        wire::text_reply("again"),
        wire::text_reply("forked"),
    ]);
    assert_eq!(place.run(&["-p", "say it"]).0, 0);
    let (code, list, _) = place.run(&["sessions"]);
    let id = list.split(' ').next().unwrap().to_string();
    assert!(code == 0 && list.contains("1 prompt ") && list.ends_with("say it\n"), "{list}");
    assert_eq!(place.run(&["-p", "--session", &id, "more"]).1, "again\n");
    let (_, context, _) = place.run(&["sessions", "context", &id, "--json"]);
    let context: Value = serde_json::from_str(&context).unwrap();
    let said = context["messages"].as_array().unwrap().iter().map(|m| m["content"][0]["text"].as_str());
    assert_eq!(said.flatten().collect::<Vec<_>>(), ["say it", "one\ttwo", "more", "again"]);
    let (code, text, _) = place.run(&["export", &id]);
    assert!(code == 0 && text.contains("one\ttwo"), "a pipe gets it as it is: {text}");
    assert_eq!(place.run(&["export", &id, "page.html"]).0, 0);
    assert!(std::fs::read_to_string(place.work().join("page.html")).unwrap().contains("one\ttwo"));
    assert_eq!(place.run(&["-p", "--fork", &id, "--name", "the copy", "go"]).1, "forked\n");
    let (_, all, _) = place.run(&["sessions", "--json"]);
    let all: Value = serde_json::from_str(&all).unwrap();
    let found = all.as_array().unwrap().iter().find(|one| one["name"] == "the copy").unwrap();
    assert!(
        found["prompts"] == 3 && found["parent"].as_str().is_some_and(|file| file.contains(&id)),
        "{found}"
    );
    let (code, _, told) = place.run(&["-p", "--session", "nope", "x"]);
    assert!(code == 2 && told.contains("no such session: nope"), "{told}");
}

#[test]
fn json_output_keeps_control_characters() {
    let place = TestHome::new(vec![wire::text_reply("a\u{9b}31m\u{202e}b\u{7f}")]);
    let name = "a name\u{200b} with\u{7f} signs";
    std::fs::write(place.work().join("AGENTS.md"), "Use\u{200b} tabs.").unwrap();
    assert_eq!(place.run(&["-p", "--name", name, "say it"]).0, 0);
    let json = |args: &[&str]| {
        let (code, out, err) = place.run(&[args, &["--json"]].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let all = json(&["sessions", "list"]);
    let id = all[0]["id"].as_str().unwrap();
    assert_eq!((&all[0]["name"], &json(&["sessions", "show", id])["name"]), (&name.into(), &name.into()));
    let answer = "a\u{9b}31m\u{202e}b\u{7f}";
    let tree = json(&["sessions", "tree", id]);
    assert!(
        tree.as_array().unwrap().iter().any(|entry| entry["text"] == format!("assistant: {answer}")),
        "{tree}"
    );
    assert_eq!(json(&["sessions", "context", id])["messages"][1]["content"][0]["text"], answer);
    let found = json(&["sessions", "search", "31m"]);
    assert_eq!((&found[0]["session"], &found[0]["title"]), (&id.into(), &name.into()));
    let prompt = json(&["prompt", "--show"]);
    let parts = prompt["parts"].as_array().unwrap();
    assert!(
        parts.iter().any(|part| part["text"].as_str().unwrap().contains("Use\u{200b} tabs.")),
        "{prompt}"
    );
}

#[test]
fn sessions_context_command_reports_next_request() {
    let place = TestHome::new(vec![wire::text_reply("one\ttwo")]);
    assert!(place.run(&["sessions", "context"]).2.contains("no session in this folder"));
    std::fs::write(place.work().join("AGENTS.md"), "Use tabs, always.").unwrap();
    assert_eq!(place.run(&["-p", "say it"]).0, 0);
    let (code, table, err) = place.run(&["sessions", "context"]);
    assert_eq!((code, err.as_str()), (0, ""), "{table}");
    let row = |what: &str| {
        let found = table.lines().find(|line| line.contains(what));
        found.unwrap_or_else(|| panic!("no {what} in\n{table}")).to_string()
    };
    assert!(row("system: base").contains("  profile anthropic: You are"), "{table}");
    assert!(row("instructions").ends_with("/work/AGENTS.md: Use tabs, always."), "{table}");
    assert!(row("tool Bash").contains("available"), "{table}");
    assert!(
        row("say it").contains("       2  user") && row("say it").ends_with("  on the path: say it"),
        "{table}"
    );
    assert!(row("one two").contains("assistant"), "{table}");
    assert!(
        row("estimated").contains(" of 1000000 tokens of anthropic/")
            || row("estimated").contains(" of 200000 tokens of anthropic/"),
        "{table}"
    );
    assert!(row("estimated").contains("; the provider counted "), "{table}");
    let (_, json, _) = place.run(&["sessions", "context", "--json", "--all"]);
    let contents = &serde_json::from_str::<Value>(&json).unwrap()["contents"];
    let items = contents["items"].as_array().unwrap();
    let sum: u64 = items.iter().filter_map(|item| item["tokens"].as_u64()).sum();
    assert_eq!(contents["tokens"], sum);
    let last = items.last().unwrap();
    assert_eq!(
        (&last["kind"], &last["reason"], &last["sent"]),
        (&"assistant".into(), &"path".into(), &true.into())
    );
    let entry = items[items.len() - 2]["entry"].as_str().unwrap();
    let (_, before, _) = place.run(&["sessions", "context", "--leaf", entry]);
    assert!(before.contains("say it") && !before.contains("one two"), "{before}");
    let (code, _, err) = place.run(&["sessions", "context", "--leaf", "nobody"]);
    assert!(code == 1 && err.contains("no entry nobody"), "{err}");
}

#[test]
fn print_mode_auth_error_exits_1() {
    let place = TestHome::new(vec![wire::error_reply(401, "authentication_error", "invalid x-api-key")]);
    let (code, out, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("401") && err.contains("ANTHROPIC_API_KEY"), "{err}");
}

#[test]
fn print_mode_retries_rate_limit() {
    let again = Reply::Status { code: 429, headers: vec![("retry-after", "0".into())], body: String::new() };
    let place = TestHome::new(vec![again, wire::text_reply("fine")]);
    let (code, out, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, out.as_str()), (0, "fine\n"));
    assert!(err.contains("try 1 of 5"), "{err}");
}

#[test]
fn print_mode_killed_mid_stream_keeps_finished_entries() {
    let half = [wire::open(), wire::text(0, &["half"]), vec![Piece::Gate]].concat();
    let place = TestHome::new(vec![
        wire::tool_call_reply("t1", "bash", &json!({"command": "echo one"})),
        Reply::Stream(half),
        wire::text_reply("Back."),
    ]);
    let mut child = place.spawn(&["-p", "first", "--approval", "full"]);
    place.server.wait_for_requests(2);
    child.kill().unwrap();
    child.wait().unwrap();
    place.server.wait_for_hang_up();
    let roles: Vec<_> =
        place.entries().iter().filter_map(|e| e["message"]["role"].as_str().map(String::from)).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult"]);
    let (code, out, err) = place.run(&["-p", "--continue", "second"]);
    assert_eq!((code, out.as_str()), (0, "Back.\n"), "{err}");
    assert_eq!(user_texts(&place.server.requests()[2].body), ["first", "second"]);
}

#[test]
fn print_mode_killed_during_tool_restores_files() {
    let command = "echo theirs > a.txt; echo new > n.txt; echo $$ > started; sleep 60";
    let place = TestHome::new(vec![wire::tool_call_reply("t1", "bash", &json!({"command": command}))]);
    std::fs::write(place.work().join("a.txt"), "mine\n").unwrap();
    let mut child = place.spawn(&["-p", "first", "--approval", "full"]);
    place.server.wait_for_requests(1);
    while !std::fs::read_to_string(place.work().join("started")).is_ok_and(|text| text.ends_with('\n')) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let shell = std::fs::read_to_string(place.work().join("started")).unwrap();
    end_group(shell.trim().parse().unwrap());
    let entries = place.entries();
    let session = entries[0]["id"].as_str().unwrap();
    let prompt =
        entries.iter().find(|entry| entry["message"]["role"] == "user").unwrap()["id"].as_str().unwrap();
    let (code, out, err) = place.run(&["sessions", "diff", session, prompt]);
    assert!(code == 0 && out.contains("M a.txt") && out.contains("D n.txt"), "{out}{err}");
    let (code, out, err) = place.run(&["sessions", "restore", session, prompt]);
    assert_eq!(code, 0, "{out}{err}");
    let text = |name: &str| std::fs::read_to_string(place.work().join(name)).ok();
    assert_eq!((text("a.txt").as_deref(), text("n.txt")), (Some("mine\n"), None));
}

#[test]
fn print_mode_killed_during_tool_continues_with_error_result() {
    let place = TestHome::new(vec![
        wire::tool_call_reply("t1", "bash", &json!({"command": "echo $$ > started; sleep 60"})),
        wire::text_reply("Back."),
    ]);
    let mut child = place.spawn(&["-p", "first", "--approval", "full"]);
    place.server.wait_for_requests(1);
    while !std::fs::read_to_string(place.work().join("started")).is_ok_and(|text| text.ends_with('\n')) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let shell = std::fs::read_to_string(place.work().join("started")).unwrap();
    end_group(shell.trim().parse().unwrap());
    let (code, out, _) = place.run(&["-p", "--continue", "second"]);
    assert_eq!((code, out.as_str()), (0, "Back.\n"));
    let messages = place.server.requests()[1].body["messages"].clone();
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "t1");
    assert_eq!(messages[2]["content"][0]["is_error"], true);
}

#[test]
fn print_mode_killed_during_compaction_writes_no_entry() {
    let gated = [wire::open(), wire::text(0, &["half a summary"]), vec![Piece::Gate]].concat();
    let place = TestHome::new(vec![
        wire::text_reply("answer one"),
        wire::error_reply(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
        Reply::Stream(gated),
        wire::text_reply("Back."),
    ]);
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), "compaction-keep-recent-tokens = 1\n").unwrap();
    assert_eq!(place.run(&["-p", "first"]).0, 0);
    let mut child = place.spawn(&["-p", "--continue", "second"]);
    place.server.wait_for_requests(3);
    child.kill().unwrap();
    child.wait().unwrap();
    place.server.wait_for_hang_up();
    let summary = &place.server.requests()[2].text;
    assert!(summary.contains("[Assistant]: answer one"), "it was summed up: {summary}");
    let kinds: Vec<Value> = place.entries().iter().map(|e| e["type"].clone()).collect();
    assert!(!kinds.contains(&json!("compaction")), "{kinds:?}");
    let (code, out, err) = place.run(&["-p", "--continue", "third"]);
    assert_eq!((code, out.as_str()), (0, "Back.\n"), "{err}");
    let body = &place.server.requests()[3].body;
    assert_eq!(user_texts(body), ["first", "second", "third"]);
    assert!(body["messages"].to_string().contains("answer one"));
}

#[test]
fn print_mode_sigint_exits_130_and_stores_abort() {
    let half = [wire::open(), wire::text(0, &["half"]), vec![Piece::Gate]].concat();
    let place = TestHome::new(vec![Reply::Stream(half)]);
    let child = place.spawn(&["-p", "go"]);
    place.server.wait_for_requests(1);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let (code, out, _) = output_texts(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (130, ""));
    place.server.wait_for_hang_up();
    assert_eq!(place.entries().last().unwrap()["message"]["stopReason"], "aborted");
}

#[test]
fn print_mode_broken_pipe_exits_1() {
    let place = TestHome::new(vec![Reply::Stream(
        [wire::open(), vec![Piece::Gate], wire::text(0, &["x"]), wire::close("end_turn")].concat(),
    )]);
    let mut child = place.spawn(&["-p", "go"]);
    place.server.wait_for_requests(1);
    drop(child.stdout.take());
    place.server.open_gate();
    let (code, _, err) = output_texts(&child.wait_with_output().unwrap());
    assert_eq!((code, err.lines().count()), (1, 1), "{err}");
    assert!(err.contains("the answer cannot be written: Broken pipe"), "{err}");
}

#[test]
fn print_mode_without_key_runs_demo_model() {
    let place = TestHome::new(Vec::new());
    let output = place.command(&["-p", "hello"]).env_remove("ANTHROPIC_BASE_URL").output().unwrap();
    let (code, out, err) = output_texts(&output);
    assert_eq!(code, 0);
    assert!(out.contains("not a model") && err.contains("no model is connected"), "{out}{err}");
}

#[test]
fn print_mode_escapes_control_characters_on_terminal_only() {
    let words = "a\tb \u{1b}[2J\u{9b}31m";
    let place = TestHome::new(vec![wire::text_reply(words), wire::text_reply(words)]);
    let (_, out, _) = place.run(&["-p", "hi"]);
    assert_eq!(out, format!("{words}\n"));
    let mut terminal = Launch::bowline(&["-p", "hi"]).env("ANTHROPIC_BASE_URL", &place.server.url).start();
    terminal.wait_text("\u{241b}[2J<9B>31m");
    assert!(terminal.wait_exit().success());
    assert!(!terminal.take_raw().contains(&0x1b));
}

#[test]
fn print_mode_invalid_api_key_flag_is_named() {
    let place = TestHome::new(vec![wire::error_reply(401, "authentication_error", "invalid x-api-key")]);
    let (code, _, err) = place.run(&["-p", "hi", "--provider", "anthropic", "--api-key", "wrong"]);
    assert_eq!(code, 1);
    assert!(err.trim_end().ends_with("(check --api-key)"), "{err}");
}

#[test]
fn print_mode_replays_recorded_cassette() {
    let place = TestHome::new(vec![
        wire::tool_call_reply("t1", "read", &json!({"path": "a.txt"})),
        wire::text_reply("One line."),
    ]);
    std::fs::write(place.work().join("a.txt"), "hello\n").unwrap();
    let keyed = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("ANTHROPIC_API_KEY", "hunter2-hunter2");
        output_texts(&command.output().unwrap())
    };
    assert_eq!(
        keyed(&["-p", "--record", "tape.jsonl", "how long"]),
        (0, "One line.\n".into(), String::new())
    );
    let tape = std::fs::read_to_string(place.work().join("tape.jsonl")).unwrap();
    assert_eq!((tape.lines().count(), tape.contains("hunter2")), (2, false));
    assert_eq!(
        keyed(&["-p", "--replay", "tape.jsonl", "how long"]),
        (0, "One line.\n".into(), String::new())
    );
    assert_eq!(place.server.requests().len(), 2, "nobody was asked again");
    let (code, _, err) = keyed(&["-p", "--replay", "none.jsonl", "how long"]);
    assert!(code == 2 && err.contains("cannot play none.jsonl"), "{code} {err}");
}

#[test]
fn print_mode_blank_prompt_exits_2() {
    let place = TestHome::new(Vec::new());
    for blank in ["", "   ", "\n\t"] {
        let (code, out, err) = place.run(&["-p", blank]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("no prompt"), "{err}");
    }
    assert_eq!(place.server.requests().len(), 0);
}

#[test]
fn print_mode_attaches_pdf_and_rejects_audio() {
    let place = TestHome::new(vec![wire::text_reply("A report.")]);
    std::fs::write(place.work().join("report.pdf"), b"%PDF-1.7").unwrap();
    std::fs::write(place.work().join("talk.wav"), b"RIFF\0\0\0\0WAVEfmt ").unwrap();
    assert_eq!(place.run(&["-p", "@report.pdf", "what is it?"]), (0, "A report.\n".into(), String::new()));
    let content = place.server.requests()[0].body["messages"][0]["content"].clone();
    let document = content.as_array().unwrap().iter().find(|block| block["type"] == "document").unwrap();
    assert_eq!(
        (&document["title"], &document["source"]["data"]),
        (&json!("report.pdf"), &json!("JVBERi0xLjc="))
    );
    let (code, _, err) = place.run(&["-p", "@talk.wav", "what is said?"]);
    assert!(code != 0 && err.contains("takes no sounds of the type audio/wav"), "{code} {err}");
    assert_eq!(place.server.requests().len(), 1, "nothing was asked");
}

#[test]
fn print_mode_budget_blocks_request() {
    let place = TestHome::new(vec![wire::text_reply("never")]);
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), "budget = 1\n").unwrap();
    let long = "word ".repeat(600_000);
    std::fs::write(place.work().join("long.txt"), &long).unwrap();
    let (code, _, err) = place.run(&["-p", "@long.txt", "what is it?"]);
    assert!(code != 0 && err.contains("the budget of $1.00"), "{code} {err}");
    assert_eq!(place.server.requests().len(), 0);
}
