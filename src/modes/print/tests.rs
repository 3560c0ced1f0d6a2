//! What lands on which stream, and with which exit code.

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future;

use super::*;
use crate::base::json::json;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::llm::model::ErrorKind;
use crate::llm::providers::scripted::{Scripted, Step, Turn};
use crate::runtime::{self, Options, SessionChoice};
use crate::tools::{Approval, Ask, Decision, Mode};

struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        future::ready(Decision::Deny(ask.rule)).boxed()
    }
}

async fn start(folder: &Path, turns: Vec<Turn>) -> Handle {
    let (_, injected) = Scripted::injected(turns);
    let home = folder.join("home").display().to_string();
    let home = Home::find(|name| ["BOWLINE_HOME", "HOME"].contains(&name).then(|| home.clone())).unwrap();
    let env = Arc::new(LocalEnvironment::new(folder.to_path_buf(), []));
    let options = Options::new(home, folder.to_path_buf(), env, Arc::new(Nobody));
    let session = SessionChoice::Memory;
    let options = Options { approval_mode: Mode::AutoEdit, session, providers: vec![injected], ..options };
    runtime::start(options).await.unwrap()
}

/// Exit code, standard output, standard error.
async fn run(prompts: &[&str], turns: Vec<Turn>) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let handle = start(folder.path(), turns).await;
    let prompts = prompts.iter().map(|text| Prompt { text: (*text).into(), images: vec![] }).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = print_until(&handle, prompts, false, (&mut out, &mut err), future::pending().boxed()).await;
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[tokio::test]
async fn print_writes_only_last_answer() {
    let turns = vec![Turn::text("one"), Turn::text("two\n")];
    assert_eq!(run(&["a", "b"], turns).await, (0, "two\n".into(), String::new()));
}

#[tokio::test]
async fn print_refused_call_names_rule_and_flag() {
    let turns = vec![Turn::call("c", "bash", json!({"command": "rm x"})), Turn::text("could not")];
    let (code, out, err) = run(&["go"], turns).await;
    assert_eq!((code, out.as_str()), (0, "could not\n"));
    assert!(err.contains("not known to be read-only") && err.contains("--approval full"), "{err}");
}

#[tokio::test]
async fn print_failure_ends_with_reason() {
    let turns = vec![Turn::fail(ErrorKind::Authentication, "wrong \u{1b}[31mkey"), Turn::text("never")];
    let (code, out, err) = run(&["a", "b"], turns).await;
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(err, "bowline: wrong ␛[31mkey\n");
}

#[tokio::test]
async fn print_truncated_answer_fails() {
    let (code, out, err) = run(&["a"], vec![Turn::text("half").stop(StopReason::Length)]).await;
    assert_eq!((code, out.as_str()), (1, "half\n"));
    assert!(err.contains("cut off"), "{err}");
}

#[tokio::test]
async fn print_interrupt_exit_code_is_130() {
    let folder = tempfile::tempdir().unwrap();
    let stalled = Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall]);
    let handle = start(folder.path(), vec![stalled]).await;
    let (_, mut events) = handle.subscribe().await.unwrap();
    let interruption = async move {
        while let Some(event) = events.recv().await {
            if matches!(event, RuntimeEvent::Agent(AgentEvent::MessageUpdate(_))) {
                return;
            }
        }
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let prompts = vec![Prompt { text: "go".into(), images: vec![] }];
    let code = print_until(&handle, prompts, false, (&mut out, &mut err), interruption.boxed()).await;
    assert_eq!((code, out.len()), (130, 0));
}

struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn print_closed_pipe_fails_with_message() {
    let folder = tempfile::tempdir().unwrap();
    let handle = start(folder.path(), vec![Turn::text("x")]).await;
    let mut err = Vec::new();
    let prompts = vec![Prompt { text: "go".into(), images: vec![] }];
    let code = print_until(&handle, prompts, false, (&mut Closed, &mut err), future::pending().boxed()).await;
    let err = String::from_utf8(err).unwrap();
    assert!(code == 1 && err.contains("the answer cannot be written"), "{code} {err}");
}

#[tokio::test]
async fn print_streaming_shows_every_answer() {
    let folder = tempfile::tempdir().unwrap();
    let call = Step::Call { id: "c".into(), name: "read".into(), arguments: json!({"path": "nothing"}) };
    let looks = Turn::of(vec![Step::Text(vec!["I ".into(), "look.".into()]), call]);
    let handle = start(folder.path(), vec![looks, Turn::text("one\ntwo\n")]).await;
    let prompts = vec![Prompt { text: "go".into(), images: vec![] }];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = print_until(&handle, prompts, true, (&mut out, &mut err), future::pending().boxed()).await;
    assert_eq!((code, String::from_utf8(out).unwrap().as_str()), (0, "I look.\none\ntwo\n"));
}
