//! What lands on standard output, in which order, and with which exit code.

use std::io;
use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future;
use parking_lot::Mutex;
use serde_json::Value;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::CountingIds;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::llm::model::ErrorKind;
use crate::llm::providers::scripted::{Scripted, Step, Turn};
use crate::runtime::{self, Options, SessionChoice};
use crate::tools::Mode;
use crate::tools::permissions::approval::{Approval, Ask, Decision};

struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        future::ready(Decision::Deny(ask.rule)).boxed()
    }
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn start(folder: &Path, turns: Vec<Turn>) -> Handle {
    let (_, injected) = Scripted::injected(turns);
    let home = folder.join("home").display().to_string();
    let home = Home::find(|name| ["BOWLINE_HOME", "HOME"].contains(&name).then(|| home.clone())).unwrap();
    let env = Arc::new(LocalEnvironment::new(folder.to_path_buf(), []));
    let options = Options::new(home, "/work".into(), env, Arc::new(Nobody));
    let session = SessionChoice::Memory;
    let (clock, ids) = (ManualClock::new(1_000), CountingIds::shared());
    let options =
        Options { approval_mode: Mode::AutoEdit, session, providers: vec![injected], clock, ids, ..options };
    runtime::start(options).await.unwrap()
}

/// Exit code, what was written, standard error.
async fn run(prompts: &[&str], input: Option<&str>, turns: Vec<Turn>) -> (i32, Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    let handle = start(folder.path(), turns).await;
    let prompts = prompts.iter().map(|text| Prompt { text: (*text).into(), images: vec![] }).collect();
    let input = input.map(|text| input::read(io::Cursor::new(text.as_bytes().to_vec())));
    let sink = Sink::default();
    let (out, written) = LineWriter::start(sink.clone());
    let mut err = Vec::new();
    let code = json_until(&handle, prompts, input, out, &mut err, future::pending().boxed()).await;
    written.finish(Duration::from_secs(20)).await.unwrap();
    let text = String::from_utf8(sink.0.lock().clone()).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (code, lines, String::from_utf8(err).unwrap())
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn json_header_comes_before_events() {
    let (code, lines, err) = run(&["go"], None, vec![Turn::text("done")]).await;
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!((lines[0]["version"].as_u64(), lines[0]["cwd"].as_str()), (Some(3), Some("/work")));
    let wanted = [
        "session",
        "agent_start",
        "turn_start",
        "entry_appended",
        "entry_appended",
        "entry_appended",
        "message_start",
        "message_end",
        "message_start",
        "message_update",
        "message_update",
        "message_update",
        "entry_appended",
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ];
    assert_eq!(kinds(&lines), wanted);
}

#[tokio::test]
async fn json_prompt_lines_run_one_after_another() {
    let input = "{\"type\":\"message\",\"content\":\"one\"}\n{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"two\"}]}\n";
    let (code, lines, _) = run(&[], Some(input), vec![Turn::text("first"), Turn::text("second")]).await;
    let said: Vec<&str> = lines
        .iter()
        .filter(|line| line["type"] == "message_end" && line["message"]["role"] == "user")
        .map(|line| line["message"]["content"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!((code, said), (0, vec!["one", "two"]));
    let ends = kinds(&lines).iter().filter(|kind| **kind == "agent_settled").count();
    assert_eq!(ends, 2, "the second one waits for the end of the first");
}

#[tokio::test]
async fn json_interrupt_ends_run_and_is_reported() {
    let input = "{\"type\":\"message\",\"content\":\"one\"}\n{\"type\":\"interrupt\"}\n{\"type\":\"message\",\"content\":\"two\"}\n";
    let turns = vec![Turn::of(vec![Step::Stall]), Turn::text("second")];
    let (code, lines, _) = run(&[], Some(input), turns).await;
    let kinds = kinds(&lines);
    let at = |kind: &str| kinds.iter().position(|known| *known == kind).unwrap();
    assert_eq!(code, 0, "the last one went well");
    assert_eq!(lines[at("agent_settled")]["aborted"], true);
    assert!(at("interrupted") > at("agent_settled"), "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == "interrupted").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| **kind == "agent_settled").count(), 2);
}

#[tokio::test]
async fn json_invalid_line_is_reported_and_next_is_read() {
    let input = "{\"type\":\"mesage\"}\nnonsense\n{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"x\"}]}\n{\"type\":\"interrupt\"}\n{\"type\":\"message\",\"content\":\"one\"}\n";
    let (code, lines, _) = run(&[], Some(input), vec![Turn::text("first")]).await;
    assert_eq!(kinds(&lines)[..5], ["session", "error", "error", "error", "interrupted"]);
    assert!(lines[3]["message"].as_str().unwrap().contains("`text` and `image`"), "{}", lines[3]);
    assert_eq!(code, 0, "the last run went well");
}

#[tokio::test]
async fn json_first_failure_ends_command_line_prompts() {
    let turns = vec![Turn::fail(ErrorKind::Authentication, "no key"), Turn::text("never")];
    let (code, lines, err) = run(&["one", "two"], None, turns).await;
    assert_eq!(code, 1);
    assert!(err.contains("no key"), "{err}");
    assert_eq!(kinds(&lines).iter().filter(|kind| **kind == "agent_start").count(), 1);
}

#[tokio::test]
async fn json_signal_ends_run_with_settled_event() {
    let folder = tempfile::tempdir().unwrap();
    let handle = start(folder.path(), vec![Turn::of(vec![Step::Stall])]).await;
    let sink = Sink::default();
    let (out, written) = LineWriter::start(sink.clone());
    let mut working = handle.watch_lifecycle();
    let signal = async move {
        working.wait_for(|now| *now != crate::agent::config::Lifecycle::Idle).await.unwrap();
    };
    let prompts = vec![Prompt { text: "go".into(), images: vec![] }];
    let code = json_until(&handle, prompts, None, out, &mut Vec::new(), signal.boxed()).await;
    written.finish(Duration::from_secs(20)).await.unwrap();
    let text = String::from_utf8(sink.0.lock().clone()).unwrap();
    assert_eq!(code, 130);
    assert!(text.trim_end().ends_with(r#"{"type":"agent_settled","aborted":true}"#), "{text}");
}

#[tokio::test]
async fn json_closed_pipe_fails() {
    struct Closed;
    impl io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let handle = start(folder.path(), vec![Turn::of(vec![Step::Stall])]).await;
    let (out, written) = LineWriter::start(Closed);
    let prompts = vec![Prompt { text: "go".into(), images: vec![] }];
    let mut err = Vec::new();
    let code = json_until(&handle, prompts, None, out, &mut err, future::pending().boxed()).await;
    assert_eq!((code, err.len()), (1, 0));
    let why = written.finish(Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(why.kind(), io::ErrorKind::BrokenPipe, "the caller learns why");
}

/// Says a line again and again while a run goes on that never ends by itself; how often it is taken, which is no more
/// than once too often.
async fn taken(line: &str, most: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let turns = vec![Turn::of(vec![Step::Stall]), Turn::text("second")];
    let handle = start(folder.path(), turns).await;
    let (sender, input) = tokio::sync::mpsc::channel(1);
    let (out, _written) = LineWriter::start(Sink::default());
    let (signal, interruption) = tokio::sync::oneshot::channel::<()>();
    let mut working = handle.watch_lifecycle();
    let lines = async {
        let said = |text: &str| Input::Line(Line::Text(text.to_string()));
        sender.send(said(r#"{"type":"message","content":"one"}"#)).await.unwrap();
        working.wait_for(|now| *now != crate::agent::config::Lifecycle::Idle).await.unwrap();
        let (mut count, mut turns) = (0, 0);
        // Whoever takes lines is asked at each turn.
        while turns < 100 && count <= most {
            turns += 1;
            if sender.try_send(said(line)).is_ok() {
                (count, turns) = (count + 1, 0);
            }
            tokio::task::yield_now().await;
        }
        signal.send(()).unwrap();
        count
    };
    let mut err = Vec::new();
    let interruption = interruption.map(drop).boxed();
    let (code, count) =
        tokio::join!(json_until(&handle, vec![], Some(input), out, &mut err, interruption), lines);
    assert_eq!(code, INTERRUPTED);
    count
}

#[tokio::test]
async fn json_waiting_input_is_bounded() {
    let long = json!({"type": "message", "content": "x".repeat(10 << 20)}).to_string();
    // Seven are more than the bound, and one is on its way.
    assert_eq!(taken(&long, 8).await, 8);
    let picture = json!({"type": "image", "data": format!("iVBORw0KGgoA{}", "AAAA".repeat(4 << 20)), "mimeType": "image/png"});
    let picture = json!({"type": "message", "content": [picture]}).to_string();
    assert_eq!(taken(&picture, 5).await, 5);
    assert_eq!(taken(r#"{"type":"message","content":"x"}"#, QUEUE_MAX + 1).await, QUEUE_MAX + 1);
}
