//! Several front ends watch one live session while another session takes its place.

use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::llm::providers::scripted::{Scripted, Step, Turn};
use bowline::runtime::events::observe::{EventKind, Observer};
use bowline::runtime::history::navigation::SessionSwitch;
use bowline::runtime::{Builder, Delivery, Handle, RuntimeEvent, Snapshot};
use tokio::sync::mpsc::Receiver;

async fn with_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("in time")
}

/// What a front end has on its screen: the session, and the ends of messages, each as often as it was told.
struct FrontEnd {
    session: String,
    snapshot_texts: Vec<String>,
    event_texts: Vec<String>,
    events: Receiver<RuntimeEvent>,
}

fn snapshot_texts(snapshot: &Snapshot) -> Vec<String> {
    let messages = snapshot.messages.iter();
    messages.map(|message| serde_json::to_value(&**message).unwrap()["content"].to_string()).collect()
}

impl FrontEnd {
    async fn subscribe(session: &Handle) -> Self {
        let (snapshot, events) = session.subscribe().await.unwrap();
        let (session, shown) = (snapshot.session_id.clone(), snapshot_texts(&snapshot));
        Self { session, snapshot_texts: shown, event_texts: Vec::new(), events }
    }

    /// Hears everything up to the end.
    async fn collect_events(mut self) -> Self {
        loop {
            match with_timeout(self.events.recv()).await.expect("an end before the silence") {
                RuntimeEvent::Agent(AgentEvent::MessageEnd(message)) => {
                    let text = serde_json::to_value(&*message).unwrap()["content"].to_string();
                    self.event_texts.push(format!("{} {text}", self.session));
                    self.snapshot_texts.push(text);
                }
                RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted, .. }) => {
                    self.event_texts.push(format!("{} end {aborted}", self.session));
                }
                RuntimeEvent::Replaced(snapshot) => {
                    self.session.clone_from(&snapshot.session_id);
                    self.snapshot_texts = snapshot_texts(&snapshot);
                    self.event_texts.push(format!("{} begins", self.session));
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
    let first = FrontEnd::subscribe(&session).await;
    let observer = session.observe().await.unwrap();
    let old = first.session.clone();
    let first = tokio::spawn(first.collect_events());
    with_timeout(session.submit("1")).await.unwrap();
    let second = FrontEnd::subscribe(&session).await;
    assert_eq!(second.snapshot_texts.len(), 2, "what was said before is in the snapshot");
    let second = tokio::spawn(second.collect_events());
    session.prompt("2".into(), vec![], Delivery::Steer);
    with_timeout(async {
        while script.requests().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // In the middle of an answer.
    with_timeout(session.replace(SessionSwitch::New(None))).await.unwrap();
    let new = session.status().await.unwrap().session_id;
    assert_ne!(old, new);
    with_timeout(session.submit("3")).await.unwrap();
    let late = FrontEnd::subscribe(&session).await;
    assert_eq!((&late.session, late.snapshot_texts.len()), (&new, 2));
    let late = tokio::spawn(late.collect_events());
    with_timeout(session.submit("4")).await.unwrap();
    let there = snapshot_texts(&session.snapshot().await.unwrap());
    session.shutdown().await;
    let [first, second, late] = [
        with_timeout(first).await.unwrap(),
        with_timeout(second).await.unwrap(),
        with_timeout(late).await.unwrap(),
    ];
    for watcher in [&first, &second, &late] {
        assert_eq!(watcher.snapshot_texts, there, "what is shown is what there is");
    }
    assert_eq!(there.len(), 4);
    let at = |heard: &[String]| heard.iter().position(|line| *line == format!("{new} begins")).unwrap();
    let (before, after) = first.event_texts.split_at(at(&first.event_texts));
    assert!(before.iter().all(|line| line.starts_with(&old)), "{before:?}");
    assert!(before.contains(&format!("{old} end true")), "the run's end belongs to its session: {before:?}");
    assert!(after.iter().all(|line| line.starts_with(&new)), "{after:?}");
    assert_eq!(after.len(), 1 + 4 + 2, "once each: {after:?}");
    assert!(
        first.event_texts.ends_with(&second.event_texts),
        "both heard the same, {:?}",
        second.event_texts
    );
    assert_events_stay_in_session(observer, &new).await;
}

/// The specification's events: the one session ends before the new one starts.
async fn assert_events_stay_in_session(mut observer: Observer, new: &str) {
    let mut told = Vec::new();
    while let Some(event) = with_timeout(observer.next()).await {
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
