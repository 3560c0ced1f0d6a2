//! Several front ends watch one live session while another session takes its place.

use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::llm::providers::scripted::{Scripted, Step, Turn};
use bowline::runtime::events::observe::{EventKind, Observer};
use bowline::runtime::history::navigation::SessionSwitch;
use bowline::runtime::{Builder, Delivery, Handle, RuntimeEvent, Snapshot};
use tokio::sync::mpsc::Receiver;

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("in time")
}

/// What a front end has on its screen: the session, and the ends of messages, each as often as it was told.
struct Watcher {
    session: String,
    shown: Vec<String>,
    heard: Vec<String>,
    events: Receiver<RuntimeEvent>,
}

fn texts(snapshot: &Snapshot) -> Vec<String> {
    let messages = snapshot.messages.iter();
    messages.map(|message| serde_json::to_value(&**message).unwrap()["content"].to_string()).collect()
}

impl Watcher {
    async fn join(session: &Handle) -> Self {
        let (snapshot, events) = session.subscribe().await.unwrap();
        let (session, shown) = (snapshot.session_id.clone(), texts(&snapshot));
        Self { session, shown, heard: Vec::new(), events }
    }

    /// Hears everything up to the end.
    async fn listen(mut self) -> Self {
        loop {
            match soon(self.events.recv()).await.expect("an end before the silence") {
                RuntimeEvent::Agent(AgentEvent::MessageEnd(message)) => {
                    let text = serde_json::to_value(&*message).unwrap()["content"].to_string();
                    self.heard.push(format!("{} {text}", self.session));
                    self.shown.push(text);
                }
                RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted, .. }) => {
                    self.heard.push(format!("{} end {aborted}", self.session));
                }
                RuntimeEvent::Replaced(snapshot) => {
                    self.session.clone_from(&snapshot.session_id);
                    self.shown = texts(&snapshot);
                    self.heard.push(format!("{} begins", self.session));
                }
                RuntimeEvent::Ended => return self,
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_replace_is_followed_by_all_front_ends() {
    let dir = tempfile::tempdir().unwrap();
    let stalls = Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall]);
    let (script, provider) =
        Scripted::injected(vec![Turn::text("one"), stalls, Turn::text("three"), Turn::text("four")]);
    let session = Builder::new(dir.path()).inject(provider).start().await.unwrap();
    let first = Watcher::join(&session).await;
    let observer = session.observe().await.unwrap();
    let old = first.session.clone();
    let first = tokio::spawn(first.listen());
    soon(session.submit("1")).await.unwrap();
    let second = Watcher::join(&session).await;
    assert_eq!(second.shown.len(), 2, "what was said before is in the snapshot");
    let second = tokio::spawn(second.listen());
    session.prompt("2".into(), vec![], Delivery::Steer);
    soon(async {
        while script.requests().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // In the middle of an answer.
    soon(session.replace(SessionSwitch::New(None))).await.unwrap();
    let new = session.status().await.unwrap().session_id;
    assert_ne!(old, new);
    soon(session.submit("3")).await.unwrap();
    let late = Watcher::join(&session).await;
    assert_eq!((&late.session, late.shown.len()), (&new, 2));
    let late = tokio::spawn(late.listen());
    soon(session.submit("4")).await.unwrap();
    let there = texts(&session.snapshot().await.unwrap());
    session.shutdown().await;
    let [first, second, late] =
        [soon(first).await.unwrap(), soon(second).await.unwrap(), soon(late).await.unwrap()];
    for watcher in [&first, &second, &late] {
        assert_eq!(watcher.shown, there, "what is shown is what there is");
    }
    assert_eq!(there.len(), 4);
    let at = |heard: &[String]| heard.iter().position(|line| *line == format!("{new} begins")).unwrap();
    let (before, after) = first.heard.split_at(at(&first.heard));
    assert!(before.iter().all(|line| line.starts_with(&old)), "{before:?}");
    assert!(before.contains(&format!("{old} end true")), "the run's end belongs to its session: {before:?}");
    assert!(after.iter().all(|line| line.starts_with(&new)), "{after:?}");
    assert_eq!(after.len(), 1 + 4 + 2, "once each: {after:?}");
    assert!(first.heard.ends_with(&second.heard), "both heard the same, {:?}", second.heard);
    assert_events_stay_in_session(observer, &new).await;
}

/// The specification's events: the one session ends before the new one starts.
async fn assert_events_stay_in_session(mut observer: Observer, new: &str) {
    let mut told = Vec::new();
    while let Some(event) = soon(observer.next()).await {
        told.push((event.kind, event.session_id == new));
    }
    let edges =
        told.iter().filter(|(kind, _)| matches!(kind, EventKind::SessionStart | EventKind::SessionEnd));
    let (start, end) = (EventKind::SessionStart, EventKind::SessionEnd);
    assert_eq!(
        edges.copied().collect::<Vec<_>>(),
        [(start, false), (end, false), (start, true), (end, true)]
    );
    let inputs = told.iter().filter(|(kind, _)| *kind == EventKind::UserInput).map(|(_, new)| *new);
    assert_eq!(inputs.collect::<Vec<_>>(), [false, false, true, true]);
    assert!(told.is_sorted_by_key(|(_, new)| *new), "nothing of the one in the other: {told:?}");
}
