//! A place of a host's own from the session's side: made ready before anything else, given back after everything
//! else, whatever becomes of the session, and what observers hear of a move.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::base::error::Report;
use bowline::exec::wrap::{Counted, Layer, Operation, ReadOnly, Rooted, Wrapped};
use bowline::exec::{EnvError, Environment, LocalEnvironment};
use bowline::llm::provider::Injected;
use bowline::llm::providers::scripted::{Scripted, Step, Turn};
use bowline::runtime::events::observe::{EventKind, Observer};
use bowline::runtime::{Builder, Delivery, RuntimeEvent};
use bowline::tools::{FromFn, Outcome};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::json;

async fn with_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("in time")
}

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what is asked of a place, under a name, and fails where it is told to.
#[derive(Debug)]
struct RecordingLayer {
    name: &'static str,
    log: Log,
    failing_step: &'static str,
}

impl RecordingLayer {
    fn record(&self, what: &str) -> BoxFuture<'static, Result<(), EnvError>> {
        self.log.lock().unwrap().push(format!("{} {what}", self.name));
        let source = std::io::Error::other("out of order");
        let failed = Err(EnvError::Io { path: "/".into(), source });
        ready(if self.failing_step == what { failed } else { Ok(()) }).boxed()
    }
}

impl Layer for RecordingLayer {
    fn admit<'a>(
        &'a self,
        _: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        self.record(operation.name())
    }

    fn initialize<'a>(&'a self, _: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        self.record("ready")
    }

    fn cleanup<'a>(&'a self, _: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        self.record("back")
    }
}

fn failing_environment(
    name: &'static str,
    folder: &Path,
    log: &Log,
    fails: &'static str,
) -> Arc<dyn Environment> {
    let path = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let machine = Arc::new(LocalEnvironment::new(folder.to_path_buf(), path));
    Arc::new(Wrapped::new(machine, RecordingLayer { name, log: Arc::clone(log), failing_step: fails }))
}

fn recording_environment(name: &'static str, folder: &Path, log: &Log) -> Arc<dyn Environment> {
    failing_environment(name, folder, log, "")
}

/// What was written down of beginnings and ends.
fn lifecycle_lines(log: &Log) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter().filter(|line| line.ends_with(" ready") || line.ends_with(" back")).cloned().collect()
}

fn write_turns(turns: usize) -> Injected {
    let write = Turn::call("c", "write", json!({"path": "a.txt", "content": "one\n"}));
    let turns = (0..turns).flat_map(|_| [write.clone(), Turn::text("done")]);
    Scripted::injected(turns.collect::<Vec<_>>()).1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_initialized_before_session_cleaned_up_after() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let session = Builder::at(recording_environment("a", dir.path(), &log))
        .inject(write_turns(1))
        .start()
        .await
        .unwrap();
    assert_eq!(log.lock().unwrap()[0], "a ready", "nothing is asked of it before");
    with_timeout(session.submit("go")).await.unwrap();
    assert_eq!(lifecycle_lines(&log), ["a ready"]);
    with_timeout(session.shutdown()).await;
    let log = log.lock().unwrap();
    assert!(log.contains(&"a write".to_string()), "{log:?}");
    assert_eq!(log.last().unwrap(), "a back", "{log:?}");
    assert_eq!(log.iter().filter(|line| *line == "a back").count(), 1, "{log:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_cleaned_up_if_session_start_fails() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let unknown = Builder::at(recording_environment("a", dir.path(), &log))
        .inject(write_turns(1))
        .model("nobody/nothing")
        .start();
    assert!(unknown.await.is_err());
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back"]);

    log.lock().unwrap().clear();
    let broken = failing_environment("b", dir.path(), &log, "ready");
    let report =
        Builder::at(broken).inject(write_turns(1)).start().await.err().expect("no place, no session");
    assert!(report.to_string().contains("out of order"), "{report}");
    assert_eq!(*log.lock().unwrap(), ["b ready"], "what was never there is not given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_cleanup_failure_is_reported() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let broken = failing_environment("a", dir.path(), &log, "back");
    let session = Builder::at(broken).inject(write_turns(0)).start().await.unwrap();
    let (_, mut events) = session.subscribe().await.unwrap();
    with_timeout(session.shutdown()).await;
    let RuntimeEvent::Failed(report) = with_timeout(events.recv()).await.unwrap() else {
        panic!("it is not told")
    };
    assert!(report.message.contains("given back") && report.message.contains("out of order"), "{report}");
    let last = with_timeout(events.recv()).await.unwrap();
    assert!(matches!(last, RuntimeEvent::Ended), "{last:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_change_initializes_new_before_cleanup_of_old() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = Log::default();
    let session = Builder::at(recording_environment("a", here.path(), &log))
        .inject(write_turns(1))
        .start()
        .await
        .unwrap();
    with_timeout(session.set_environment(recording_environment("b", there.path(), &log))).await.unwrap();
    assert_eq!(lifecycle_lines(&log), ["a ready", "b ready", "a back"]);
    with_timeout(session.submit("go")).await.unwrap();
    assert!(there.path().join("a.txt").exists());
    with_timeout(session.shutdown()).await;
    assert_eq!(lifecycle_lines(&log), ["a ready", "b ready", "a back", "b back"]);
    let log = log.lock().unwrap();
    let left = log.iter().position(|line| line == "a back").unwrap();
    assert!(!log[left + 1..].iter().any(|line| line.starts_with("a ")), "{log:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_change_failure_keeps_old_environment() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = Log::default();
    let session = Builder::at(recording_environment("a", here.path(), &log))
        .inject(write_turns(1))
        .start()
        .await
        .unwrap();
    let report = with_timeout(session.set_environment(failing_environment("b", there.path(), &log, "ready")))
        .await
        .unwrap_err();
    assert!(report.message.contains("out of order"), "{report}");
    assert_eq!(lifecycle_lines(&log), ["a ready", "b ready"]);
    with_timeout(session.submit("go")).await.unwrap();
    assert!(here.path().join("a.txt").exists() && !there.path().join("a.txt").exists());
    with_timeout(session.shutdown()).await;
    assert_eq!(lifecycle_lines(&log), ["a ready", "b ready", "a back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_change_rejected_initializes_nothing() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let (script, provider) = Scripted::injected(vec![Turn::of(vec![Step::Stall])]);
    let session =
        Builder::at(recording_environment("a", dir.path(), &log)).inject(provider).start().await.unwrap();
    session.prompt("go".into(), vec![], Delivery::Steer);
    with_timeout(async {
        while script.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    with_timeout(session.set_environment(recording_environment("b", dir.path(), &log))).await.unwrap_err();
    with_timeout(session.shutdown()).await;
    with_timeout(session.set_environment(recording_environment("c", dir.path(), &log))).await.unwrap_err();
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_change_reports_failed_cleanup_of_old() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = Log::default();
    let broken = failing_environment("a", here.path(), &log, "back");
    let session = Builder::at(broken).inject(write_turns(0)).start().await.unwrap();
    let (_, mut events) = session.subscribe().await.unwrap();
    with_timeout(session.set_environment(recording_environment("b", there.path(), &log))).await.unwrap();
    let moved = with_timeout(events.recv()).await.unwrap();
    assert!(
        matches!(&moved, RuntimeEvent::EnvironmentChanged { root, .. } if root == there.path()),
        "{moved:?}"
    );
    let told = with_timeout(events.recv()).await.unwrap();
    assert!(
        matches!(&told, RuntimeEvent::Failed(Report { message, .. }) if message.contains("out of order"))
    );
    with_timeout(session.shutdown()).await;
}

async fn event_kinds(mut events: Observer) -> Vec<(EventKind, Option<String>)> {
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        let root = event.data.get("root").and_then(|root| root.as_str()).map(String::from);
        told.push((event.kind, root));
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_change_event_is_sent_only_on_success() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = Log::default();
    let session = Builder::at(recording_environment("a", here.path(), &log))
        .inject(write_turns(0))
        .start()
        .await
        .unwrap();
    let events = session.observe().await.unwrap();
    with_timeout(session.set_environment(failing_environment("b", there.path(), &log, "ready")))
        .await
        .unwrap_err();
    with_timeout(session.set_environment(recording_environment("c", there.path(), &log))).await.unwrap();
    with_timeout(session.shutdown()).await;
    let root = there.path().display().to_string();
    let wanted = [
        (EventKind::SessionStart, None),
        (EventKind::EnvironmentChanged, Some(root)),
        (EventKind::SessionEnd, None),
    ];
    assert_eq!(with_timeout(event_kinds(events)).await, wanted);
    assert_eq!(EventKind::EnvironmentChanged.name(), "ENVIRONMENT_CHANGED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_survives_session_started_by_tool() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    std::fs::create_dir(dir.path().join("below")).unwrap();
    let parameters = json!({"type": "object", "properties": {}});
    let review = FromFn::new("review", "Have it reviewed.", parameters, |call| async move {
        let below = call.env.root().join("below");
        let reviewer = Builder::at(Arc::new(Rooted::new(call.env, below))).inject(write_turns(1)).start();
        let reviewer = reviewer.await.unwrap();
        reviewer.submit("go").await.unwrap();
        reviewer.shutdown().await;
        Outcome::text("Reviewed.")
    })
    .reads_only();
    let write = Turn::call("w", "write", json!({"path": "b.txt", "content": "two\n"}));
    let turns = vec![Turn::call("r", "review", json!({})), write, Turn::text("done")];
    let (_, provider) = Scripted::injected(turns);
    let session =
        Builder::at(recording_environment("a", dir.path(), &log)).tool(review).inject(provider).start();
    let session = session.await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    assert!(dir.path().join("b.txt").exists() && dir.path().join("below/a.txt").exists());
    assert_eq!(lifecycle_lines(&log), ["a ready"]);
    with_timeout(session.shutdown()).await;
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_counted_is_cleaned_up_after_last_session() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let shared: Arc<dyn Environment> =
        Arc::new(Wrapped::new(recording_environment("a", dir.path(), &log), Counted::default()));
    let one = Builder::at(Arc::clone(&shared)).inject(write_turns(0)).start().await.unwrap();
    let other = Builder::at(Arc::clone(&shared)).inject(write_turns(1)).start().await.unwrap();
    // A layer over the place that the session is in.
    let guarded = Arc::new(Wrapped::new(Arc::clone(&shared), ReadOnly::new(|_| false)));
    with_timeout(one.set_environment(guarded)).await.unwrap();
    with_timeout(one.shutdown()).await;
    with_timeout(other.submit("go")).await.unwrap();
    assert_eq!(lifecycle_lines(&log), ["a ready"]);
    with_timeout(other.shutdown()).await;
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back"]);
    // Who was not there before is not there after one time too many, either.
    shared.cleanup().await.unwrap();
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back"]);
    shared.initialize().await.unwrap();
    assert_eq!(lifecycle_lines(&log), ["a ready", "a back", "a ready"]);
}

#[tokio::test]
async fn environment_counted_retries_failed_initialize() {
    let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
    let broken = Wrapped::new(failing_environment("a", dir.path(), &log, "ready"), Counted::default());
    for _ in 0..2 {
        broken.initialize().await.unwrap_err();
    }
    broken.cleanup().await.unwrap();
    assert_eq!(*log.lock().unwrap(), ["a ready", "a ready"]);
}
