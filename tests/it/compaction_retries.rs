//! Summaries whose requests fail or break off: they are asked for again, and nothing of a broken one is kept.

use std::time::Duration;

use bowline::llm::model::{ErrorKind, LlmError};
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::llm::retry::Policy;
use bowline::runtime::{BranchSummaryChoice, Options};

use crate::compaction::{full_session, full_session_with};
use crate::support::compaction_session::{TestSession, text_turn};

/// A turn that breaks off after its first words.
fn broken_turn() -> Turn {
    let error = LlmError::new(ErrorKind::Stream, "scripted", "broke off");
    Turn::of(vec![Step::Text(vec!["half a summ".to_string()]), Step::Fail(error)])
}

/// Retries come soon.
fn with_fast_retries(options: Options) -> Options {
    Options { retry: Policy { base: Duration::from_millis(1), ..Policy::default() }, ..options }
}

#[tokio::test]
async fn compaction_retry_is_reported() {
    let mut rig =
        full_session(vec![Turn::fail(ErrorKind::Server, "busy"), text_turn("summary"), text_turn("two")])
            .await;
    let told = rig.run("two").await;
    // Whether the wait is over before the answer is there is a race that nobody loses anything by.
    let told: Vec<_> = told.iter().filter(|words| *words != "again threshold").collect();
    let wanted = ["start threshold", "fails 1 of 5: busy", "again over", "end threshold done", "agent end"];
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn compaction_retries_interrupted_summary() {
    let mut rig =
        full_session_with(vec![broken_turn(), text_turn("summary"), text_turn("two")], with_fast_retries)
            .await;
    let told = rig.run("two").await;
    // Whether the wait is over before the answer is there is a race that nobody loses anything by.
    let told: Vec<_> = told.iter().filter(|words| *words != "again threshold").collect();
    assert_eq!(told[1..], ["fails 1 of 5: broke off", "again over", "end threshold done", "agent end"]);
    let next = rig.nth_request(3);
    assert!(next[0].contains("summary") && !next[0].contains("half"), "{next:?}");
}

#[tokio::test]
async fn branch_summary_retries_interrupted_reply() {
    let mut rig = TestSession::with_options(
        vec![text_turn("one"), text_turn("two"), broken_turn(), text_turn("what came of it")],
        with_fast_retries,
    )
    .await;
    rig.run("first").await;
    let fork = rig.last_entry_id("assistant").await;
    rig.run("second").await;
    let moved = rig.handle.navigate(&fork, BranchSummaryChoice::Written).await.unwrap();
    assert_eq!(moved.messages.last().unwrap().role(), "branchSummary");
    let entry = rig.entries().await.into_iter().find(|entry| entry["type"] == "branch_summary").unwrap();
    let text = entry["summary"].as_str().unwrap().to_string();
    assert!(text.contains("what came of it") && !text.contains("half"), "{text}");
    let told = rig.wait_for("branch end").await;
    assert!(told.contains(&"fails 1 of 5: broke off".to_string()), "{told:?}");
}
