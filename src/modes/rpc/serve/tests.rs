//! Commands and what comes of them, against a session with a scripted model.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;

use futures::future;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::CountingIds;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::llm::providers::scripted::{Scripted, Step, Turn};
use crate::runtime::{self, Options, SessionChoice};
use crate::tools::Mode;

mod host;
mod order;

/// A mode at work, and the two ends of its streams.
struct Rig {
    input: Option<mpsc::Sender<Line>>,
    lines: mpsc::Receiver<Value>,
    over: tokio::task::JoinHandle<i32>,
    folder: tempfile::TempDir,
}

/// Hands whole lines on, as values.
struct Sink(mpsc::Sender<Value>, Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = self.1.lock();
        rest.extend_from_slice(bytes);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let value = serde_json::from_slice(&line).unwrap();
            self.0.blocking_send(value).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn live(folder: &Path, turns: Vec<Turn>, desk: &HostUi, policy: Mode) -> Handle {
    let (_, injected) = Scripted::injected(turns);
    let home = folder.join("home").display().to_string();
    let home = Home::find(|name| ["BOWLINE_HOME", "HOME"].contains(&name).then(|| home.clone())).unwrap();
    let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let env = Arc::new(LocalEnvironment::new(folder.to_path_buf(), vars));
    let options = Options::new(home, folder.to_path_buf(), env, Arc::new(desk.clone()));
    let (clock, ids) = (ManualClock::new(1_000), CountingIds::shared());
    let session = SessionChoice::New;
    let options =
        Options { approval_mode: policy, session, providers: vec![injected], clock, ids, ..options };
    runtime::start(options).await.unwrap()
}

impl Rig {
    async fn new(turns: Vec<Turn>) -> Self {
        Self::with(turns, Mode::Full).await
    }

    async fn with(turns: Vec<Turn>, policy: Mode) -> Self {
        Self::serving(turns, policy, |ports| ports).await
    }

    /// One whose ports are made complete by the test.
    async fn serving(turns: Vec<Turn>, policy: Mode, complete: impl FnOnce(Ports) -> Ports) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let desk = HostUi::new();
        let handle = live(folder.path(), turns, &desk, policy).await;
        let (input, incoming) = mpsc::channel(64);
        let (sender, lines) = mpsc::channel(64);
        let (out, _written) = LineWriter::start(Sink(sender, Arc::default()));
        let ports = Ports::from_streams(handle, desk, (incoming, CancellationToken::new()), out);
        let over = tokio::spawn(serve(complete(ports.settings(json!({"theme": "dark"})))));
        let mut rig = Self { input: Some(input), lines, over, folder };
        assert_eq!(rig.next().await["type"], "ready");
        rig
    }

    async fn say(&self, value: Value) {
        self.input.as_ref().unwrap().send(Line::Text(value.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let wait = tokio::time::timeout(Duration::from_secs(20), self.lines.recv());
        wait.await.expect("a line comes").expect("the mode is there")
    }

    /// Everything up to a line that fits, that one last.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = vec![self.next().await];
        while !fits(&all[all.len() - 1]) {
            all.push(self.next().await);
        }
        all
    }

    /// The answer to a command.
    async fn ask(&mut self, mut command: Value) -> Value {
        command["id"] = json!("asked");
        self.say(command).await;
        self.until(|line| line["type"] == "response" && line["id"] == "asked").await.pop().unwrap()
    }

    async fn data(&mut self, command: Value) -> Value {
        let answer = self.ask(command.clone()).await;
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["data"].clone()
    }

    async fn settle(&mut self) -> Vec<Value> {
        self.until(|line| line["type"] == "agent_settled").await
    }

    /// Standard input ends: the exit code and what was still written.
    async fn end(mut self) -> (i32, Vec<Value>) {
        self.input = None;
        let mut rest = Vec::new();
        while let Some(line) = self.lines.recv().await {
            rest.push(line);
        }
        (self.over.await.unwrap(), rest)
    }
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn rpc_prompt_is_acknowledged_before_events() {
    let mut rig = Rig::new(vec![Turn::text("done")]).await;
    rig.say(json!({"id": 1, "type": "prompt", "message": "go"})).await;
    let all = rig.settle().await;
    assert_eq!(
        all[0],
        json!({"id": 1, "type": "response", "command": "prompt", "success": true, "data": {"disposition": "started"}})
    );
    assert_eq!(kinds(&all)[1..3], ["agent_start", "turn_start"]);
    assert_eq!(rig.data(json!({"type": "get_last_assistant_text"})).await, json!({"text": "done"}));
    assert_eq!(rig.end().await.0, 0);
}

#[tokio::test]
async fn rpc_invalid_lines_get_error_responses() {
    let mut rig = Rig::new(vec![]).await;
    for (line, id, command, says) in [
        (Line::Text("{".into()), Value::Null, "parse", "not understood"),
        (Line::Text("5".into()), Value::Null, "parse", "JSON object"),
        (Line::Text("{\"id\":\"a\"}".into()), json!("a"), "parse", "`type`"),
        (Line::Text("{\"id\":\"b\",\"type\":\"no_such\"}".into()), json!("b"), "no_such", "no_such"),
        (Line::Text("{\"id\":[1],\"type\":\"prompt\"}".into()), json!([1]), "prompt", "message"),
        (
            Line::Text("{\"id\":\"c\",\"type\":\"set_thinking_level\",\"level\":\"huge\"}".into()),
            json!("c"),
            "set_thinking_level",
            "huge",
        ),
        (Line::Invalid("the line is not UTF-8".into()), Value::Null, "parse", "UTF-8"),
    ] {
        rig.input.as_ref().unwrap().send(line).await.unwrap();
        let answer = rig.next().await;
        assert_eq!(
            (&answer["id"], &answer["command"], &answer["success"]),
            (&id, &json!(command), &json!(false))
        );
        assert!(answer["error"].as_str().unwrap().contains(says), "{answer}");
    }
    assert_eq!(rig.data(json!({"type": "get_state"})).await["messageCount"], 0);
    // An answer to nothing is passed over.
    rig.say(json!({"type": "extension_ui_response", "id": "ui-99", "value": "x"})).await;
    assert_eq!(rig.data(json!({"type": "get_commands"})).await, json!({"commands": []}));
}

#[tokio::test]
async fn rpc_prompt_while_working_needs_streaming_behavior() {
    let mut rig = Rig::new(vec![Turn::of(vec![Step::Stall]), Turn::text("two")]).await;
    rig.data(json!({"type": "prompt", "message": "one"})).await;
    let refused = rig.ask(json!({"type": "prompt", "message": "two"})).await;
    assert!(refused["error"].as_str().unwrap().contains("the agent is working"), "{refused}");
    let queued = json!({"disposition": "queued"});
    for behavior in ["steer", "followUp"] {
        let command = json!({"type": "prompt", "message": behavior, "streamingBehavior": behavior});
        assert_eq!(rig.data(command).await, queued);
    }
    assert_eq!(rig.data(json!({"type": "steer", "message": "s"})).await, queued);
    assert_eq!(rig.data(json!({"type": "follow_up", "message": "f"})).await, queued);
    let state = rig.data(json!({"type": "get_state"})).await;
    assert_eq!((&state["isStreaming"], &state["pendingMessageCount"]), (&json!(true), &json!(4)));
    let cleared = rig.data(json!({"type": "clear_queue"})).await;
    assert_eq!(cleared, json!({"steering": ["steer", "s"], "followUp": ["followUp", "f"]}));
    assert_eq!(rig.data(json!({"type": "clear_queue"})).await, json!({"steering": [], "followUp": []}));
    rig.say(json!({"id": "x", "type": "abort"})).await;
    let all = rig.until(|line| line["id"] == "x").await;
    let settled = all.iter().find(|line| line["type"] == "agent_settled").unwrap();
    assert_eq!(settled["aborted"], true, "the answer comes when nothing goes on any more");
    assert_eq!(rig.data(json!({"type": "get_state"})).await["isStreaming"], false);
}

#[tokio::test]
async fn rpc_queued_messages_wait_for_next_prompt() {
    let mut rig = Rig::new(vec![Turn::text("one"), Turn::text("two")]).await;
    rig.data(json!({"type": "steer", "message": "waits"})).await;
    let state = rig.data(json!({"type": "get_state"})).await;
    assert_eq!((&state["isStreaming"], &state["pendingMessageCount"]), (&json!(false), &json!(1)));
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
    let messages = rig.data(json!({"type": "get_messages"})).await;
    let said = |n: usize| messages["messages"][n]["content"][0]["text"].clone();
    assert_eq!([said(0), said(1)], ["go", "waits"]);
}

#[tokio::test]
async fn rpc_bash_streams_records_and_aborts() {
    let mut rig = Rig::new(vec![Turn::text("ok")]).await;
    rig.say(json!({"id": "b", "type": "bash", "command": "printf 'a\\nb\\n'; exit 3"})).await;
    let all = rig.until(|line| line["id"] == "b" && line["type"] == "response").await;
    let printed: String = all
        .iter()
        .filter(|line| line["type"] == "bash_execution_update")
        .map(|line| line["delta"].as_str().unwrap())
        .collect();
    assert_eq!(printed, "a\nb\n");
    let wanted = json!({"output": "a\nb", "exitCode": 3, "cancelled": false, "truncated": false});
    assert_eq!(all[all.len() - 1]["data"], wanted);
    rig.data(json!({"type": "bash", "command": "echo hidden", "excludeFromContext": true})).await;
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
    let messages = rig.data(json!({"type": "get_messages"})).await;
    let roles: Vec<&str> =
        messages["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["bashExecution", "bashExecution", "user", "assistant"]);
    assert_eq!(messages["messages"][1]["excludeFromContext"], true);
    rig.say(json!({"id": "c", "type": "bash", "command": "echo on; sleep 1000"})).await;
    rig.until(|line| line["type"] == "bash_execution_update").await;
    rig.data(json!({"type": "abort_bash"})).await;
    let stopped = rig.until(|line| line["id"] == "c" && line["type"] == "response").await.pop().unwrap();
    assert_eq!(stopped["data"], json!({"output": "on", "cancelled": true, "truncated": false}));
}

#[tokio::test]
async fn rpc_fork_new_and_switch_session() {
    let mut rig = Rig::new(vec![Turn::text("one"), Turn::text("two"), Turn::text("three")]).await;
    rig.say(json!({"type": "prompt", "message": "first"})).await;
    rig.settle().await;
    let before = rig.data(json!({"type": "get_state"})).await;
    let places = rig.data(json!({"type": "get_fork_messages"})).await;
    assert_eq!(places["messages"][0]["text"], "first");
    let entry = places["messages"][0]["entryId"].clone();
    assert_eq!(
        rig.data(json!({"type": "fork", "entryId": entry})).await,
        json!({"text": "first", "cancelled": false})
    );
    let forked = rig.data(json!({"type": "get_state"})).await;
    assert_ne!(forked["sessionId"], before["sessionId"]);
    assert_eq!(forked["messageCount"], 0);
    rig.say(json!({"type": "prompt", "message": "second"})).await;
    let told = rig.settle().await;
    let whole = |text: &str| {
        told.iter()
            .filter(|l| l["type"] == "message_end" && l["message"]["content"][0]["text"] == text)
            .count()
    };
    assert_eq!((whole("second"), whole("two")), (1, 1));
    assert_eq!(rig.data(json!({"type": "clone"})).await, json!({"cancelled": false}));
    assert_eq!(rig.data(json!({"type": "get_state"})).await["messageCount"], 2);
    let new = json!({"type": "new_session", "parentSession": before["sessionFile"]});
    assert_eq!(rig.data(new).await, json!({"cancelled": false}));
    let back = json!({"type": "switch_session", "sessionPath": before["sessionFile"]});
    assert_eq!(rig.data(back).await, json!({"cancelled": false}));
    let state = rig.data(json!({"type": "get_state"})).await;
    assert_eq!((&state["sessionId"], &state["messageCount"]), (&before["sessionId"], &json!(2)));
    let gone = rig.ask(json!({"type": "switch_session", "sessionPath": "/nothing/there.jsonl"})).await;
    assert_eq!(gone["success"], false);
}

#[tokio::test]
async fn rpc_extensions_beyond_pi_work() {
    let call = Turn::call("c", "write", json!({"path": "made", "content": "x\n"}));
    let mut rig = Rig::new(vec![call, Turn::text("done")]).await;
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
    let tree = rig.data(json!({"type": "get_tree"})).await;
    let entries = rig.data(json!({"type": "get_entries"})).await;
    let all = entries["entries"].as_array().unwrap();
    assert_eq!(tree["leafId"], entries["leafId"]);
    let user = all.iter().find(|entry| entry["message"]["role"] == "user").unwrap()["id"].clone();
    let behind = rig.data(json!({"type": "get_entries", "since": user})).await;
    assert!(behind["entries"].as_array().unwrap().len() < all.len());
    assert_eq!(rig.ask(json!({"type": "get_entries", "since": "nope"})).await["success"], false);
    rig.data(json!({"type": "set_label", "entryId": user, "label": "start"})).await;
    assert!(rig.data(json!({"type": "get_tree"})).await.to_string().contains("\"label\":\"start\""));
    let context = rig.data(json!({"type": "get_context"})).await;
    assert!(context["items"].as_array().unwrap().iter().any(|item| item["kind"] == "user"), "{context}");
    let moved = rig.data(json!({"type": "navigate_tree", "targetId": user})).await;
    assert_eq!(moved, json!({"text": "go", "cancelled": false}));
    assert_eq!(rig.data(json!({"type": "get_state"})).await["messageCount"], 0);
    assert_eq!(rig.data(json!({"type": "get_settings"})).await["theme"], "dark");
    assert_eq!(rig.data(json!({"type": "get_permissions"})).await["mode"], "full");
    rig.data(json!({"type": "set_approval", "mode": "untrusted"})).await;
    assert_eq!(rig.data(json!({"type": "get_permissions"})).await["mode"], "untrusted");
    let logins = rig.data(json!({"type": "get_login_state"})).await;
    assert!(logins["providers"].as_array().unwrap().iter().any(|row| row["id"] == "anthropic"), "{logins}");
}

#[tokio::test]
async fn rpc_tool_approval_is_requested_from_client() {
    let call = |id: &str| Turn::call(id, "bash", json!({"command": "rm -f nothing"}));
    let mut rig = Rig::with(vec![call("a"), call("b"), Turn::text("done")], Mode::OnRequest).await;
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    for choice in [0, 2] {
        let asked = rig.until(|line| line["type"] == "extension_ui_request").await.pop().unwrap();
        assert_eq!(asked["method"], "select");
        let options = asked["options"].as_array().unwrap();
        let value = options[choice.min(options.len() - 1)].clone();
        rig.say(json!({"type": "extension_ui_response", "id": asked["id"], "value": value})).await;
    }
    let told = rig.settle().await;
    let ends: Vec<bool> = told
        .iter()
        .filter(|l| l["type"] == "tool_execution_end")
        .map(|l| l["isError"].as_bool().unwrap())
        .collect();
    assert_eq!(ends, [true], "the second call was refused");
}

#[tokio::test]
async fn rpc_end_of_stdin_answers_everything() {
    let rig = Rig::new(vec![Turn::of(vec![Step::Stall])]).await;
    for n in 0..5 {
        rig.say(json!({"id": n, "type": "get_state"})).await;
    }
    rig.say(json!({"id": "p", "type": "prompt", "message": "go"})).await;
    rig.say(json!({"id": "s", "type": "bash", "command": "sleep 1000"})).await;
    let (code, rest) = rig.end().await;
    let ids: Vec<&Value> =
        rest.iter().filter(|line| line["type"] == "response").map(|line| &line["id"]).collect();
    assert_eq!((code, ids.len()), (0, 7), "{ids:?}");
}

#[tokio::test]
async fn rpc_abort_works_while_client_does_not_read() {
    const DELTAS: usize = 20_000;
    let words = (0..DELTAS).map(|n| format!("word {n} ")).collect();
    let mut rig = Rig::new(vec![Turn::of(vec![Step::Text(words), Step::Stall])]).await;
    rig.say(json!({"id": "p", "type": "prompt", "message": "go"})).await;
    for n in 0..BACKGROUND_MAX {
        rig.say(json!({"id": n, "type": "bash", "command": "sleep 1000"})).await;
    }
    rig.say(json!({"id": "much", "type": "bash", "command": "true"})).await;
    rig.say(json!({"id": "a", "type": "abort"})).await;
    let taken = async {
        while rig.input.as_ref().unwrap().capacity() < 64 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), taken).await.expect("commands are taken");
    let all = rig.until(|line| line["id"] == "a").await;
    assert_eq!(all.last().unwrap()["success"], true);
    let refused = all.iter().find(|line| line["id"] == "much").unwrap();
    assert!(refused["error"].as_str().unwrap().contains("under way"), "{refused}");
    let told = all.iter().filter(|line| line["type"] == "message_update").count();
    assert!(told < DELTAS / 2, "{told} of {DELTAS} were still told");
    rig.data(json!({"type": "abort_bash"})).await;
    rig.until(|line| line["id"] == BACKGROUND_MAX - 1).await;
}

#[tokio::test]
async fn rpc_switch_session_refuses_non_session_files() {
    let mut rig = Rig::new(vec![Turn::text("one")]).await;
    let pipe = rig.folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    for path in [pipe, rig.folder.path().to_path_buf(), PathBuf::from("/dev/zero")] {
        let refused = rig.ask(json!({"type": "switch_session", "sessionPath": path})).await;
        assert_eq!(refused["success"], false, "{refused}");
    }
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
    let before = rig.data(json!({"type": "get_state"})).await;
    let link = rig.folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(before["sessionFile"].as_str().unwrap(), &link).unwrap();
    for path in [before["sessionFile"].clone(), json!(link)] {
        assert_eq!(
            rig.data(json!({"type": "switch_session", "sessionPath": path})).await,
            json!({"cancelled": false})
        );
        let state = rig.data(json!({"type": "get_state"})).await;
        assert_eq!((&state["sessionFile"], &state["messageCount"]), (&before["sessionFile"], &json!(2)));
    }
}

#[tokio::test]
async fn rpc_export_html_never_overwrites_session() {
    let mut rig = Rig::new(vec![Turn::text("one")]).await;
    rig.say(json!({"type": "prompt", "message": "go"})).await;
    rig.settle().await;
    let file = rig.data(json!({"type": "get_state"})).await["sessionFile"].clone();
    let before = std::fs::read(file.as_str().unwrap()).unwrap();
    let beside = Path::new(file.as_str().unwrap()).with_file_name("other.jsonl");
    let link = rig.folder.path().join("page.html");
    std::os::unix::fs::symlink(file.as_str().unwrap(), &link).unwrap();
    for path in [file.clone(), json!(beside), json!(link)] {
        let refused = rig.ask(json!({"type": "export_html", "outputPath": path})).await;
        assert!(refused["error"].as_str().unwrap().contains("sessions are kept there"), "{refused}");
    }
    assert_eq!(std::fs::read(file.as_str().unwrap()).unwrap(), before);
    let page = rig.data(json!({"type": "export_html", "outputPath": "page-of-it.html"})).await;
    assert!(Path::new(page["path"].as_str().unwrap()).is_file());
}

#[tokio::test]
async fn rpc_bash_result_stays_in_its_session() {
    let mut rig = Rig::new(vec![]).await;
    let wait = "while [ ! -e go ]; do sleep 0.01; done; echo FROM_A";
    rig.say(json!({"id": "b", "type": "bash", "command": wait})).await;
    rig.data(json!({"type": "new_session"})).await;
    std::fs::write(rig.folder.path().join("go"), "").unwrap();
    let ran = rig.until(|line| line["id"] == "b" && line["type"] == "response").await.pop().unwrap();
    assert_eq!(ran["data"]["output"], "FROM_A");
    assert_eq!(rig.data(json!({"type": "get_messages"})).await, json!({"messages": []}));
}
