//! Answers, events and what is still being made: which comes before which.

use tokio::sync::oneshot;

use super::*;
use crate::llm::model::StreamEvent;

const RESPONSE: &str = r#"{"type":"response"}"#;

fn face(handle: Handle, desk: HostUi, out: LineWriter, jobs: Jobs) -> RpcServer {
    let (settings, wire, stop) = (Value::Null, Wire::default(), CancellationToken::new());
    let (commands, outbox) = (HostCommands::default(), Outbox::default());
    RpcServer { handle, ui: desk, out, settings, commands, wire, jobs, outbox, stop }
}

#[tokio::test]
async fn rpc_snapshot_response_does_not_block_deltas() {
    let folder = tempfile::tempdir().unwrap();
    let desk = HostUi::new();
    let handle = live(folder.path(), Vec::new(), &desk, Mode::Full).await;
    let (sender, mut lines) = mpsc::channel(8);
    let (out, _written) = LineWriter::start(Sink(sender, Arc::default()));
    let (made, making) = oneshot::channel();
    let making = async { making.await.unwrap() };
    let seen = future::ready(JobProgress::Rendering(Box::pin(making)));
    let current = Some(CurrentJob { job: Box::pin(seen), order: AnswerOrder::BeforePending });
    let mut face = face(handle, desk, out, Jobs { current, ..Jobs::default() });
    let (tell, events) = mpsc::channel(2);
    let words = StreamEvent::TextDelta { index: 0, delta: "so".into() };
    for event in [AgentEvent::MessageUpdate(Arc::new(words)), AgentEvent::TurnStart] {
        tell.send(RuntimeEvent::Agent(event)).await.unwrap();
    }
    drop(tell);
    let (_, nothing) = mpsc::channel(1);
    let following = tokio::spawn(async move { face.run_loop(events, nothing).await });
    assert_eq!(lines.recv().await.unwrap()["type"], "message_update", "while the answer is made");
    made.send(RESPONSE.to_string()).unwrap();
    assert_eq!(lines.recv().await.unwrap()["type"], "response");
    assert_eq!(lines.recv().await.unwrap()["type"], "turn_start");
    following.await.unwrap();
}

/// A command that is done when it is looked at for the second time.
fn slow(place: AnswerOrder) -> Jobs {
    let mut looks = 0;
    let job = future::poll_fn(move |_| {
        looks += 1;
        if looks == 1 { Poll::Pending } else { Poll::Ready(JobProgress::Line(RESPONSE.to_string())) }
    });
    Jobs { current: Some(CurrentJob { job: Box::pin(job), order: place }), ..Jobs::default() }
}

#[tokio::test]
async fn rpc_response_order_among_events() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            AnswerOrder::BeforePending,
            ["response", "agent_end", "agent_settled", "conversation_replaced", "agent_start"],
        ),
        (
            AnswerOrder::AfterReplaced,
            ["agent_end", "agent_settled", "conversation_replaced", "response", "agent_start"],
        ),
        (
            AnswerOrder::BeforeRun,
            ["agent_end", "agent_settled", "conversation_replaced", "response", "agent_start"],
        ),
    ];
    for (place, wanted) in cases {
        let desk = HostUi::new();
        let (sender, mut lines) = mpsc::channel(8);
        let (out, _written) = LineWriter::start(Sink(sender, Arc::default()));
        let handle = live(folder.path(), Vec::new(), &desk, Mode::Full).await;
        let mut face = face(handle, desk, out, slow(place));
        let snapshot = face.handle.snapshot().await.unwrap();
        let (tell, events) = mpsc::channel(8);
        for event in [
            RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted: false, error: None }),
            RuntimeEvent::Settled,
            RuntimeEvent::Replaced(Box::new(snapshot)),
            RuntimeEvent::Agent(AgentEvent::AgentStart),
        ] {
            tell.send(event).await.unwrap();
        }
        // Open until everything is told.
        let (input, incoming) = mpsc::channel(1);
        let following = async { face.run_loop(events, incoming).await };
        let looking = async {
            let mut told = Vec::new();
            while told.len() < wanted.len() {
                told.push(lines.recv().await.unwrap()["type"].as_str().unwrap().to_string());
            }
            drop(input);
            told
        };
        let (code, told) = tokio::join!(following, looking);
        assert_eq!((code, told), (OK, wanted.map(str::to_string).to_vec()));
    }
}

#[tokio::test]
async fn rpc_response_follows_replacement_that_it_caused() {
    let folder = tempfile::tempdir().unwrap();
    for polls in 1..6 {
        let desk = HostUi::new();
        let handle = live(folder.path(), Vec::new(), &desk, Mode::Full).await;
        let snapshot = handle.snapshot().await.unwrap();
        let (tell, events) = mpsc::channel(8);
        let first = AgentEvent::AgentEnd { aborted: false, error: None };
        tell.send(RuntimeEvent::Agent(first)).await.unwrap();
        let mut count = 0;
        let job = future::poll_fn(move |cx| {
            count += 1;
            if count < polls {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            tell.try_send(RuntimeEvent::Replaced(Box::new(snapshot.clone()))).unwrap();
            Poll::Ready(JobProgress::Line(RESPONSE.to_string()))
        });
        let current = Some(CurrentJob { job: Box::pin(job), order: AnswerOrder::AfterReplaced });
        let (sender, mut lines) = mpsc::channel(8);
        let (out, _written) = LineWriter::start(Sink(sender, Arc::default()));
        let mut face = face(handle, desk, out, Jobs { current, ..Jobs::default() });
        let (_input, incoming) = mpsc::channel(1);
        let following = tokio::spawn(async move { face.run_loop(events, incoming).await });
        let mut kinds = Vec::new();
        while kinds.last().is_none_or(|kind| kind != "response") {
            kinds.push(lines.recv().await.unwrap()["type"].as_str().unwrap().to_string());
        }
        assert_eq!(kinds[..], ["agent_end", "conversation_replaced", "response"], "after {polls} polls");
        following.abort();
    }
}
