//! Long sessions: a start reads their end, and readers get as much of the conversation as they want.

use super::*;
use crate::runtime::events::hub::Reader;
use crate::runtime::history::navigation::NavigationTarget;
use crate::session::format::message::MessagePage;

/// A session file of so many messages.
fn session(place: &Place, messages: usize) -> PathBuf {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "019a0000-0000-7000-8000-000000000000",
            "timestamp": "2025-11-20T10:00:00.000Z", "cwd": place.work()})
        .to_string(),
    ];
    for n in 0..messages {
        let message = if n % 2 == 0 {
            json!({"role": "user", "content": format!("said {n}"), "timestamp": 1})
        } else {
            json!({"role": "assistant", "content": [{"type": "text", "text": format!("answer {n}")}], "api": "a",
                "provider": "scripted", "model": "m", "usage": {"totalTokens": n}, "stopReason": "stop"})
        };
        let parent = n.checked_sub(1).map(|parent| format!("{parent:08x}"));
        lines.push(
            json!({"type": "message", "id": format!("{n:08x}"), "parentId": parent,
                "timestamp": "2025-11-20T10:00:00.000Z", "message": message})
            .to_string(),
        );
    }
    let path = place.dir.path().join(format!("{messages}.jsonl"));
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

async fn open(place: &Place, path: PathBuf) -> Handle {
    let (_, injected) = Scripted::injected(Vec::new());
    let session = SessionChoice::Open(path);
    start(Options { providers: vec![injected], session, ..place.options() }).await.unwrap()
}

#[tokio::test]
async fn session_start_makes_few_entries_of_any_conversation() {
    let place = Place::new();
    for messages in [600, 5_000] {
        let handle = open(&place, session(&place, messages)).await;
        let (snapshot, _events) = handle.subscribe_as(Reader::Recent).await.unwrap();
        assert_eq!((snapshot.messages.len(), snapshot.context_tokens), (200, messages as u64 - 1));
        let answer = handle.last_answer().await.unwrap();
        assert_eq!(answer, Some(format!("answer {}", messages - 1)));
        let made = handle.with_session(|session| session.tree().created_count()).await.unwrap();
        assert!(made <= 210, "{made} entries of {messages} are made");
        handle.shutdown().await;
    }
}

#[tokio::test]
async fn session_pieces_add_up_to_conversation() {
    let place = Place::new();
    let handle = open(&place, session(&place, 3_000)).await;
    let (whole, _events) = handle.subscribe().await.unwrap();
    assert!(whole.messages.len() == 3_000 && whole.earlier.is_none());
    let (recent, _events) = handle.subscribe_as(Reader::Recent).await.unwrap();
    let said = handle.earlier_user_messages(recent.earlier.clone().unwrap()).await.unwrap();
    let mut pieces = vec![MessagePage { messages: recent.messages, earlier: recent.earlier }];
    while let Some(earlier) = pieces.last().and_then(|piece| piece.earlier.clone()) {
        pieces.push(handle.earlier_messages(earlier).await.unwrap());
    }
    assert_eq!(pieces.len(), 4);
    let all: Vec<String> = pieces.iter().rev().flat_map(|piece| &piece.messages).map(|m| words(m)).collect();
    assert_eq!(all, whole.messages.iter().map(|m| words(m)).collect::<Vec<_>>());
    let before: Vec<String> =
        all[..2_800].iter().filter(|words| words.starts_with("user")).cloned().collect();
    assert_eq!(said.iter().map(|m| words(m)).collect::<Vec<_>>(), before);
    handle.shutdown().await;
}

#[tokio::test]
async fn session_branch_switch_snapshot_size_depends_on_reader() {
    let place = Place::new();
    let handle = open(&place, session(&place, 1_000)).await;
    let (_, mut events) = handle.subscribe_as(Reader::Recent).await.unwrap();
    let mut lively = None;
    for (wanted, leaf) in [(200, 899), (700, 699)] {
        handle.go(NavigationTarget::After(format!("{leaf:08x}"))).await.unwrap();
        let replaced = loop {
            if let RuntimeEvent::Replaced(snapshot) = events.recv().await.unwrap() {
                break snapshot;
            }
        };
        assert_eq!((replaced.messages.len(), replaced.earlier.is_some()), (wanted, wanted == 200));
        assert_eq!(words(replaced.messages.last().unwrap()), format!("Stop answer {leaf}"));
        lively = lively.or(handle.subscribe().await);
    }
    handle.shutdown().await;
}

#[tokio::test]
async fn session_messages_are_held_in_memory_once() {
    let place = Place::new();
    let path = session(&place, 300);
    let mut rig = place
        .start_with(vec![Turn::text("on it goes")], |options| Options {
            session: SessionChoice::Open(path),
            ..options
        })
        .await;
    let decoded = |session: &Session| session.entries().filter(|entry| entry.is_decoded()).count();
    assert_eq!(rig.snapshot.messages.len(), 300);
    assert_eq!(rig.handle.with_session(decoded).await.unwrap(), 0, "those of the reader are the only ones");
    rig.run("and now").await;
    assert_eq!(rig.script.requests()[0].messages.len(), 301);
    assert_eq!(rig.handle.with_session(decoded).await.unwrap(), 0, "those of the agent are the only ones");
    assert_eq!(rig.handle.status().await.unwrap().messages, 302);
    rig.handle.shutdown().await;
}
