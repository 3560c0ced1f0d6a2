//! What a session tells of itself.

use crate::base::json::json;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::CountingIds;
use crate::llm::providers::scripted::{Scripted, Turn};
use crate::runtime::Builder;

fn session() -> Session {
    Session::in_memory(std::path::Path::new("/work"), ManualClock::new(1_000), CountingIds::shared())
}

fn message(value: Value) -> EntryBody {
    EntryBody::Message { message: serde_json::from_value(value).unwrap() }
}

fn answer(text: &str) -> EntryBody {
    message(json!({
        "role": "assistant", "content": [{"type": "text", "text": text},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {}}],
        "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse", "timestamp": 2,
        "usage": {"input": 10, "output": 5, "cacheRead": 3, "cacheWrite": 1, "totalTokens": 19,
            "cost": {"input": 0.1, "output": 0.2, "cacheRead": 0, "cacheWrite": 0, "total": 0.3}},
    }))
}

fn user(text: &str) -> EntryBody {
    message(json!({"role": "user", "content": text, "timestamp": 1}))
}

#[test]
fn tree_json_has_branches_and_labels() {
    let mut session = session();
    let first = session.append(user("one")).unwrap();
    let second = session.append(answer("two")).unwrap();
    session.branch(Some(&first)).unwrap();
    session.append(user("other")).unwrap();
    session.set_label(&second, Some("here")).unwrap();
    let told: Value = serde_json::from_str(&tree_json(&session).unwrap()).unwrap();
    let root = &told["tree"][0];
    assert_eq!((told["tree"].as_array().unwrap().len(), &root["entry"]["id"]), (1, &json!(first)));
    assert_eq!(root["children"].as_array().unwrap().len(), 2);
    assert_eq!(root["children"][0]["label"], "here");
    assert!(root["children"][0]["labelTimestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(told["leafId"], json!(session.leaf()));
    assert_eq!(tree_json(&self::session()).unwrap(), r#"{"tree":[],"leafId":null}"#);
}

#[test]
fn tree_json_of_deep_conversation() {
    let mut session = session();
    for n in 0..20_000 {
        session.append(user(&n.to_string())).unwrap();
    }
    let told = tree_json(&session).unwrap();
    assert_eq!(
        (told.matches("\"children\":[").count(), told.matches("]}").count() >= 20_000),
        (20_000, true)
    );
}

#[test]
fn statistics_count_usage_of_every_branch() {
    let mut session = session();
    let first = session.append(user("one")).unwrap();
    session.append(answer("two")).unwrap();
    session.branch(Some(&first)).unwrap();
    session.append(answer("three")).unwrap();
    let told = statistics_json(&session);
    let count = |name: &str| told[name].as_u64().unwrap();
    assert_eq!([count("userMessages"), count("assistantMessages"), count("toolCalls")], [1, 2, 2]);
    assert_eq!((count("toolResults"), count("totalMessages")), (0, 3));
    assert_eq!(
        told["tokens"],
        json!({"input": 20, "output": 10, "cacheRead": 6, "cacheWrite": 2, "total": 38})
    );
    assert_eq!((told["cost"].as_f64(), told.get("sessionFile")), (Some(0.6), None));
    assert_eq!(fork_points(&session), [ForkPoint { entry: first, text: "one".into() }]);
    assert_eq!(last_answer(&session).as_deref(), Some("three"));
}

#[test]
fn statistics_overflowing_counts_saturate() {
    let mut session = session();
    let all = u64::MAX;
    let message = message(json!({
        "role": "assistant", "content": [], "api": "a", "provider": "p", "model": "m", "stopReason": "stop",
        "timestamp": 2, "usage": {"input": all, "output": all, "cacheRead": all, "cacheWrite": all},
    }));
    session.append(message.clone()).unwrap();
    session.append(message).unwrap();
    assert_eq!(statistics_json(&session)["tokens"]["total"], json!(all));
    let mut sum =
        crate::session::usage::summary::UsageSummary { input: all, cache_read: 1, ..Default::default() };
    sum += crate::session::usage::summary::UsageSummary { input: 1, ..Default::default() };
    assert_eq!((sum.input, sum.prompt()), (all, all));
}

#[tokio::test]
async fn session_snapshot_keeps_its_moment_and_handle_is_live() {
    let folder = tempfile::tempdir().unwrap();
    let (_, script) = Scripted::injected(vec![Turn::text("two"), Turn::text("four")]);
    let session = Builder::new(folder.path()).inject(script).start().await.unwrap();
    session.submit("one").await.unwrap();
    let then = session.session_copy().await.unwrap();
    let (tree, entries) = (session.tree().await.unwrap(), session.entries(None).await.unwrap());
    session.submit("three").await.unwrap();
    assert_eq!((then.tree().unwrap(), then.entries(None).unwrap()), (tree, entries.clone()));
    let count = |told: &Value| told["totalMessages"].clone();
    assert_eq!(
        json!([count(&then.statistics()), count(&session.statistics().await.unwrap())]),
        json!([2, 4])
    );
    let said = |places: &[ForkPoint]| places.iter().map(|said| said.text.clone()).collect::<Vec<_>>();
    assert_eq!(said(&then.fork_points()), ["one"]);
    assert_eq!(said(&session.fork_points().await.unwrap()), ["one", "three"]);
    let since = session.entries(entries.leaf).await.unwrap();
    assert_eq!((since.lines.len(), session.status().await.unwrap().messages), (2, 4));
    session.shutdown().await;
}
