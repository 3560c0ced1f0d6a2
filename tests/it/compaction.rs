//! Conversations that become too long, from the first request to what stands in the file.

use std::sync::{Arc, Mutex};

use bowline::agent::compaction::branch::BranchSummaryPlan;
use bowline::agent::compaction::budget::Override;
use bowline::agent::compaction::hook::{
    BeforeCompaction, CompactionFailure, CompactionHook, HookDecision, SuppliedSummary,
};
use bowline::agent::event::{Compacted, CompactionReason};
use bowline::llm::model::{CacheRetention, ErrorKind, StopReason, Usage};
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::runtime::{BranchSummaryChoice, Delivery, Options};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use crate::support::compaction_session::{
    FULL, RecordingHook, TestSession, WINDOW, text_turn, with_context_tokens,
};

/// Some two thousand tokens.
fn long_text(word: &str) -> String {
    format!("{word} {}", "x".repeat(8000))
}

fn too_long_turn() -> Turn {
    Turn::fail(ErrorKind::ContextLength, "prompt is too long")
}

fn gated_turn(text: &str) -> Turn {
    Turn::of(vec![Step::Gate, Step::Text(vec![text.to_string()])])
}

/// A session with one prompt and its answer, after which it is full.
pub async fn full_session(rest: Vec<Turn>) -> TestSession {
    full_session_with(rest, |options| options).await
}

pub async fn full_session_with(rest: Vec<Turn>, change: impl FnOnce(Options) -> Options) -> TestSession {
    let turns = [vec![with_context_tokens(text_turn("answer one"), FULL)], rest].concat();
    let mut rig = TestSession::with_options(turns, change).await;
    assert_eq!(rig.run(&long_text("one")).await, ["agent end"]);
    rig
}

#[tokio::test]
async fn compaction_runs_before_prompt_at_threshold() {
    let mut rig = full_session(vec![text_turn("## Goal\nall of it"), text_turn("answer two")]).await;
    assert_eq!(rig.run("two").await, ["start threshold", "end threshold done", "agent end"]);
    assert_eq!(rig.entry_kinds().await, ["user", "assistant", "user", "compaction", "assistant"]);
    let asked = &rig.script.requests()[1];
    assert!(asked.tools.is_empty() && asked.cache == CacheRetention::None, "it may call nothing");
    assert_ne!(asked.session_id, rig.script.requests()[0].session_id);
    assert_eq!(asked.max_tokens, Some(8000), "eight tenths of what stays free");
    let said = &rig.nth_request(1)[0];
    assert!(
        said.starts_with("user <conversation>\n[User]: one xxx") && said.contains("[Assistant]: answer one")
    );
    assert!(!said.contains("[User]: two"), "what is kept is not summed up");
    let next = rig.nth_request(2);
    assert!(next.len() == 2 && next[0].contains("<summary>\n## Goal\nall of it\n</summary>"), "{next:?}");
    assert_eq!(next[1], "user two");
    let entry = rig.entries().await.into_iter().find(|entry| entry["type"] == "compaction").unwrap();
    assert_eq!(entry["tokensBefore"], FULL + 1);
    assert_eq!(entry["details"], json!({"readFiles": [], "modifiedFiles": []}));
    assert_eq!(entry["usage"]["output"], 5);
    assert!(entry.get("fromHook").is_none());
}

#[tokio::test]
async fn compaction_runs_between_tool_result_and_next_request() {
    let call = with_context_tokens(Turn::call("c1", "bash", json!({"command": "echo hi"})), FULL);
    let mut rig = TestSession::new(vec![call, text_turn("prefix"), text_turn("done")]).await;
    assert_eq!(rig.run(&long_text("one")).await, ["start threshold", "end threshold done", "agent end"]);
    assert_eq!(rig.entry_kinds().await, ["user", "assistant", "toolResult", "compaction", "assistant"]);
    let next = rig.nth_request(2);
    assert!(next[0].contains("**Turn Context (split turn):**\n\nprefix"), "{next:?}");
    assert_eq!(next[1..], ["assistant ", "result c1"]);
}

#[tokio::test]
async fn compaction_after_run_sends_no_further_request() {
    let mut rig = TestSession::with_options(
        vec![
            with_context_tokens(text_turn("a"), 10),
            with_context_tokens(text_turn("answer two"), FULL),
            text_turn("history"),
            text_turn("prefix"),
        ],
        |mut options| {
            options.compaction.after_runs = true;
            options
        },
    )
    .await;
    assert_eq!(rig.run(&long_text("one")).await, ["agent end"]);
    assert_eq!(rig.run("two").await, ["agent end"]);
    assert_eq!(rig.wait_for("end").await, ["start threshold", "end threshold done"]);
    assert_eq!(rig.script.requests().len(), 4, "nothing goes on by itself");
    // Nobody has counted the context since, so what the last answer said of it holds no more.
    assert!(rig.snapshot().await.context_tokens < 1000);
    rig.script.push([text_turn("three")]);
    assert_eq!(rig.run("three").await, ["agent end"]);
}

#[tokio::test]
async fn compaction_on_overflow_retries_request() {
    let mut rig =
        TestSession::new(vec![text_turn("answer one"), too_long_turn(), text_turn("S"), text_turn("fine")])
            .await;
    rig.run(&long_text("one")).await;
    assert_eq!(rig.run("two").await, ["start overflow", "end overflow done retry", "agent end"]);
    let kinds = rig.entry_kinds().await;
    assert_eq!(kinds[2..], ["user", "assistant", "context_edit", "compaction", "assistant"]);
    let entries = rig.entries().await;
    let failed = entries.iter().find(|entry| entry["message"]["stopReason"] == "error").unwrap();
    let edit = entries.iter().find(|entry| entry["type"] == "context_edit").unwrap();
    assert_eq!((&edit["targetId"], &edit["replacement"]), (&failed["id"], &json!(null)));
    assert_eq!(rig.nth_request(3)[1..], ["user two"], "{:?}", rig.nth_request(3));
}

#[tokio::test]
async fn compaction_second_overflow_is_error() {
    let mut rig =
        TestSession::new(vec![text_turn("answer one"), too_long_turn(), text_turn("S"), too_long_turn()])
            .await;
    rig.run(&long_text("one")).await;
    let told = rig.run("two").await;
    assert_eq!(told[..2], ["start overflow", "end overflow done retry"]);
    assert!(told[2].contains("compacted once and still does not fit"), "{told:?}");
    assert_eq!(rig.script.requests().len(), 4, "nobody asks a third time");
}

#[tokio::test]
async fn compaction_retries_reply_cut_at_context_limit() {
    let cut = with_context_tokens(
        Turn::call("c1", "bash", json!({"command": "echo"})).stop(StopReason::Length),
        WINDOW - 100,
    );
    let mut rig =
        TestSession::new(vec![text_turn("answer one"), cut, text_turn("S"), text_turn("whole")]).await;
    rig.run(&long_text("one")).await;
    assert_eq!(rig.run("two").await, ["start overflow", "end overflow done retry", "agent end"]);
    assert_eq!(
        rig.entry_kinds().await[2..],
        ["user", "assistant", "toolResult", "context_edit", "context_edit", "compaction", "assistant"],
        "the call is left out with its answer"
    );
    assert_eq!(rig.nth_request(3)[1..], ["user two"]);
    // One that has the room that it wants is what it is.
    rig.script.push([with_context_tokens(text_turn("long").stop(StopReason::Length), 100)]);
    assert_eq!(rig.run("three").await, ["agent end"]);
}

#[tokio::test]
async fn compaction_complete_reply_over_window_is_not_retried() {
    let mut rig = TestSession::new(vec![
        with_context_tokens(text_turn("answer"), WINDOW + 1),
        text_turn("S"),
        text_turn("two"),
    ])
    .await;
    assert_eq!(rig.run(&long_text("one")).await, ["agent end"]);
    assert_eq!(rig.run("two").await, ["start overflow", "end overflow done", "agent end"]);
}

#[tokio::test]
async fn compaction_abort_writes_no_entry() {
    let mut rig = full_session(vec![Turn::of(vec![Step::Stall])]).await;
    rig.send_prompt("two");
    rig.wait_for("start threshold").await;
    rig.wait_for_requests(2).await;
    rig.handle.abort();
    assert_eq!(rig.wait_for("agent end").await, ["end threshold aborted", "agent end aborted"]);
    assert_eq!(rig.entry_kinds().await, ["user", "assistant", "user"]);
    // By hand, too, where no run is going on.
    rig.script.push([Turn::of(vec![Step::Stall])]);
    rig.handle.compact(None);
    rig.wait_for("start manual").await;
    rig.handle.abort();
    assert_eq!(rig.wait_for("end").await, ["end manual aborted"]);
    assert_eq!(rig.entry_kinds().await, ["user", "assistant", "user"]);
    // What is given up is not missed.
    rig.script.push([text_turn("S"), text_turn("two")]);
    rig.handle.continue_run();
    assert_eq!(rig.wait_for("agent end").await, ["start threshold", "end threshold done", "agent end"]);
}

#[tokio::test]
async fn compaction_interrupted_by_shutdown_writes_no_entry() {
    let mut rig = full_session(vec![Turn::of(vec![Step::Stall])]).await;
    rig.handle.compact(None);
    rig.wait_for("start manual").await;
    let rig = rig.reopen(vec![]).await;
    assert_eq!(rig.entry_kinds().await, ["user", "assistant"]);
}

#[tokio::test]
async fn compaction_failed_summary_still_sends_request() {
    let cut_off = text_turn("half").stop(StopReason::Length);
    for failure in [Turn::fail(ErrorKind::InvalidRequest, "no"), cut_off, text_turn("  ")] {
        let mut rig = full_session(vec![failure, text_turn("two")]).await;
        let told = rig.run("two").await;
        assert!(told[1].starts_with("end threshold: the conversation was not compacted: "), "{told:?}");
        assert_eq!(rig.entry_kinds().await, ["user", "assistant", "user", "assistant"]);
    }
}

#[tokio::test]
async fn compaction_split_parts_run_in_parallel_except_locally() {
    for (base_url, together) in [("https://far.example.com", true), ("http://127.0.0.1:9", false)] {
        let call = with_context_tokens(Turn::call("c1", "bash", json!({"command": "echo hi"})), FULL);
        let turns = vec![
            text_turn("answer one"),
            call,
            gated_turn("history"),
            gated_turn("prefix"),
            text_turn("done"),
        ];
        let mut rig = TestSession::with_options(turns, |mut options| {
            let model = Arc::make_mut(&mut options.providers[0].models[0]);
            model.base_url = base_url.to_string();
            options
        })
        .await;
        rig.run(&long_text("one")).await;
        rig.send_prompt(&long_text("two"));
        rig.wait_for("start").await;
        rig.wait_for_requests(if together { 4 } else { 3 }).await;
        if !together {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(rig.script.requests().len(), 3, "one thing at a time");
        }
        rig.script.gate.add_permits(2);
        assert_eq!(rig.wait_for("agent end").await, ["end threshold done", "agent end"]);
        let next = rig.nth_request(4);
        assert!(next[0].contains("history\n\n---\n\n**Turn Context (split turn):**\n\nprefix"), "{next:?}");
        assert_eq!(rig.script.requests()[3].max_tokens, Some(5000), "half of what stays free");
    }
}

#[tokio::test]
async fn compaction_instructions_reach_every_part() {
    let call = Turn::call("c1", "bash", json!({"command": "echo hi"}));
    let mut rig = TestSession::new(vec![
        text_turn("one"),
        call,
        text_turn("done"),
        text_turn("history"),
        text_turn("prefix"),
    ])
    .await;
    rig.run("one").await;
    rig.run("two").await;
    rig.handle.compact(Some("the tests".to_string()));
    assert_eq!(rig.wait_for("end").await, ["start manual", "end manual done"]);
    for nth in [3, 4] {
        assert!(rig.nth_request(nth)[0].ends_with("above all: the tests"), "{}", rig.nth_request(nth)[0]);
    }
}

#[tokio::test]
async fn compaction_updates_previous_summary_and_file_lists() {
    let read = Turn::call("c1", "read", json!({"path": "a.txt"}));
    let write = Turn::call("c2", "write", json!({"path": "b.txt", "content": "x"}));
    let mut rig = TestSession::new(vec![read, text_turn("one"), text_turn("S1"), text_turn("P1")]).await;
    rig.run("one").await;
    rig.handle.compact(None);
    rig.wait_for("end manual done").await;
    rig.script.push([write, text_turn("two"), text_turn("three"), text_turn("S2"), text_turn("P2")]);
    rig.run("two").await;
    rig.run("three").await;
    rig.handle.compact(None);
    rig.wait_for("end manual done").await;
    let before = rig.script.requests().len();
    let asked: Vec<String> = (before - 2..before).map(|nth| rig.nth_request(nth)[0].clone()).collect();
    let update =
        asked.iter().find(|text| text.contains("<previous-summary>")).expect("it is brought up to date");
    let previous =
        &update[update.find("<previous-summary>").unwrap()..update.find("</previous-summary>").unwrap()];
    assert!(previous.contains("S1") && !previous.contains("a.txt"), "without the lists: {previous}");
    let entry = rig.entries().await.pop().unwrap();
    assert_eq!(entry["details"], json!({"readFiles": ["a.txt"], "modifiedFiles": ["b.txt"]}));
    let summary = entry["summary"].as_str().unwrap();
    assert!(
        summary.ends_with("<read-files>\na.txt\n</read-files>\n\n<modified-files>\nb.txt\n</modified-files>")
    );
}

#[tokio::test]
async fn compaction_of_empty_session_reports_nothing_to_compact() {
    let mut rig = TestSession::new(vec![]).await;
    rig.handle.compact(None);
    let told = rig.wait_for("end").await;
    assert!(told[1].starts_with("end manual: nothing to compact"), "{told:?}");
    assert!(rig.script.requests().is_empty());
}

#[tokio::test]
async fn compaction_delays_queued_messages_in_order() {
    let mut rig =
        full_session(vec![gated_turn("S"), text_turn("to the first"), text_turn("to the second")]).await;
    rig.handle.compact(None);
    rig.wait_for("start").await;
    rig.wait_for_requests(2).await;
    // One goes on at a time.
    rig.handle.compact(None);
    rig.handle.prompt("later".to_string(), vec![], Delivery::FollowUp);
    rig.send_prompt("now");
    rig.script.gate.add_permits(1);
    assert_eq!(rig.wait_for("agent end").await, ["end manual done", "agent end"]);
    let last = rig.script.requests().len() - 1;
    assert_eq!(rig.nth_request(last - 1).last().unwrap(), "user now");
    assert_eq!(rig.nth_request(last).last().unwrap(), "user later");
    assert_eq!(last, 3);
}

#[tokio::test]
async fn compaction_is_undone_by_navigating_before_it() {
    let mut rig =
        full_session(vec![text_turn("S"), text_turn("answer two"), text_turn("answer three")]).await;
    let before = rig.last_entry_id("assistant").await;
    rig.handle.compact(None);
    rig.wait_for("end manual done").await;
    assert!(rig.handle.summary().await.unwrap().ends_with("**Turn Context (split turn):**\n\nS"));
    rig.run("two").await;
    assert!(rig.nth_request(2)[0].contains("<summary>"));
    let moved = rig.handle.navigate(&before, BranchSummaryChoice::None).await.unwrap();
    assert_eq!(moved.messages.iter().map(|m| m.role()).collect::<Vec<_>>(), ["user", "assistant"]);
    assert_eq!(rig.handle.summary().await, None);
    // What the branch has is as large as it was: it is compacted again, and the old one stays.
    rig.script.push([text_turn("answer three")]);
    rig.run("three").await;
    assert_eq!(rig.entry_kinds().await.iter().filter(|kind| *kind == "compaction").count(), 2);
}

#[tokio::test]
async fn compaction_summary_edit_can_be_undone() {
    let mut rig = full_session(vec![text_turn("S"), text_turn("two")]).await;
    assert!(rig.handle.edit_summary("x").await.unwrap_err().to_string().contains("no summary"));
    rig.run("two").await;
    let before = rig.last_entry_id("assistant").await;
    assert!(rig.handle.edit_summary("  ").await.is_err());
    rig.handle.edit_summary("mine").await.unwrap();
    let edited = rig.handle.snapshot().await.unwrap();
    assert_eq!(
        edited.messages.iter().map(|m| m.role()).collect::<Vec<_>>(),
        ["compactionSummary", "user", "assistant"],
        "what was kept is kept, and what came since"
    );
    assert_eq!(rig.handle.summary().await.as_deref(), Some("mine"));
    rig.script.push([text_turn("three")]);
    rig.run("three").await;
    assert!(rig.nth_request(3)[0].contains("<summary>\nmine\n</summary>"), "{:?}", rig.nth_request(3));
    assert_eq!(rig.nth_request(3)[1..], ["user two", "assistant two", "user three"]);
    rig.handle.navigate(&before, BranchSummaryChoice::None).await.unwrap();
    assert_eq!(rig.handle.summary().await.as_deref(), Some("S"));
    let entries = rig.entries().await;
    let sums: Vec<_> = entries.iter().filter(|entry| entry["type"] == "compaction").collect();
    assert_eq!(sums[0]["firstKeptEntryId"], sums[1]["firstKeptEntryId"]);
    assert_eq!(sums[1]["details"]["edited"], true);
}

#[tokio::test]
async fn compaction_summary_counts_in_token_usage() {
    let mut costly = text_turn("S");
    costly.usage = Usage { input: 700, output: 30, ..Usage::default() };
    let mut rig = full_session(vec![costly, text_turn("two")]).await;
    rig.run("two").await;
    let spent = rig.snapshot().await.usage;
    assert_eq!((spent.input, spent.output), (FULL + 700 + 10, 35));
    let rig = rig.reopen(vec![]).await;
    let again = rig.snapshot().await.usage;
    assert_eq!((again.input, again.output), (spent.input, spent.output), "and after a new start");
}

#[tokio::test]
async fn compaction_settings_apply_per_model() {
    for (reserve, compacts) in [(None, true), (Some(4000), false)] {
        let own = Override { reserve, keep: None };
        let mut rig = full_session_with(vec![text_turn("S"), text_turn("two")], |mut options| {
            options.compaction.models.insert("scripted/script".to_string(), own);
            options
        })
        .await;
        assert_eq!(rig.run("two").await.len() == 3, compacts);
    }
    let mut off = full_session_with(vec![text_turn("two")], |mut options| {
        options.compaction.enabled = false;
        options
    })
    .await;
    assert_eq!(off.run("two").await, ["agent end"]);
}

impl CompactionHook for RecordingHook {
    fn before_compaction(&self, about: BeforeCompaction) -> BoxFuture<'static, HookDecision> {
        let words =
            format!("before {} {:?} {}", about.reason.name(), about.instructions, about.plan.history.len());
        self.calls.lock().unwrap().push(words);
        let verdict = self.decision.lock().unwrap().clone();
        async move { verdict }.boxed()
    }

    fn before_branch_summary(&self, about: Arc<BranchSummaryPlan>) -> BoxFuture<'static, HookDecision> {
        self.calls.lock().unwrap().push(format!("leaving {}", about.messages.len()));
        let verdict = self.decision.lock().unwrap().clone();
        async move { verdict }.boxed()
    }

    fn after_compaction(&self, reason: CompactionReason, done: Arc<Compacted>) -> BoxFuture<'static, ()> {
        let words = format!("compacted {} {} {}", reason.name(), done.summary, done.from_hook);
        self.calls.lock().unwrap().push(words);
        async {}.boxed()
    }

    fn compaction_failed(&self, failure: CompactionFailure) -> BoxFuture<'static, ()> {
        let words = format!("failed {} {} {:?}", failure.reason.name(), failure.aborted, failure.error);
        self.calls.lock().unwrap().push(words);
        async {}.boxed()
    }
}

async fn session_with_hook(verdict: HookDecision, rest: Vec<Turn>) -> (TestSession, Arc<RecordingHook>) {
    let witness = Arc::new(RecordingHook { decision: Mutex::new(verdict), calls: Mutex::default() });
    let hook = witness.clone();
    let rig = full_session_with(rest, |options| Options { hook: Some(hook), ..options }).await;
    (rig, witness)
}

#[tokio::test]
async fn compaction_hook_can_cancel_or_supply_summary() {
    let (mut rig, witness) = session_with_hook(HookDecision::Cancel, vec![text_turn("two")]).await;
    assert_eq!(rig.run("two").await, ["start threshold", "end threshold aborted", "agent end"]);
    let told = witness.calls.lock().unwrap().clone();
    assert_eq!(told, ["before threshold None 2", "failed threshold true None"]);

    let supplied = SuppliedSummary {
        summary: "theirs".into(),
        details: Some(json!({"mine": 1})),
        ..SuppliedSummary::default()
    };
    let (mut rig, witness) =
        session_with_hook(HookDecision::Supply(Box::new(supplied)), vec![text_turn("two")]).await;
    assert_eq!(rig.run("two").await, ["start threshold", "end threshold done", "agent end"]);
    assert_eq!(witness.calls.lock().unwrap()[1], "compacted threshold theirs true");
    let entry = rig.entries().await.into_iter().find(|entry| entry["type"] == "compaction").unwrap();
    assert_eq!((&entry["fromHook"], &entry["details"]), (&json!(true), &json!({"mine": 1})));
    assert_eq!(rig.script.requests().len(), 2, "no model was asked");

    let wrong = SuppliedSummary {
        summary: "theirs".into(),
        first_kept: Some("nowhere".into()),
        ..SuppliedSummary::default()
    };
    let (mut rig, witness) =
        session_with_hook(HookDecision::Supply(Box::new(wrong)), vec![text_turn("two")]).await;
    let told = rig.run("two").await;
    assert!(told[1].contains("nothing can be kept from the entry `nowhere` on"), "{told:?}");
    assert!(witness.calls.lock().unwrap()[1].starts_with("failed threshold false Some"));

    let (mut rig, witness) =
        session_with_hook(HookDecision::Proceed, vec![text_turn("S"), text_turn("two")]).await;
    rig.run("two").await;
    assert_eq!(witness.calls.lock().unwrap()[1], "compacted threshold S false");
}

#[tokio::test]
async fn branch_summary_is_added_at_navigation_target() {
    let mut rig =
        TestSession::new(vec![text_turn("one"), text_turn("two"), text_turn("what came of it")]).await;
    rig.run("first").await;
    let fork = rig.last_entry_id("assistant").await;
    rig.run("second").await;
    let left = rig.last_entry_id("assistant").await;
    let moved =
        rig.handle.navigate(&fork, BranchSummaryChoice::WithInstructions("the error".into())).await.unwrap();
    assert_eq!(moved.messages.last().unwrap().role(), "branchSummary");
    assert_eq!(rig.wait_for("branch end").await, ["branch", "branch end false"]);
    let asked = &rig.nth_request(2)[0];
    assert!(asked.contains("[User]: second") && !asked.contains("first"), "{asked}");
    assert!(asked.ends_with("above all: the error"), "{asked}");
    assert_eq!(rig.script.requests()[2].max_tokens, Some(4096));
    let entry = rig.entries().await.pop().unwrap();
    assert_eq!(
        (&entry["type"], &entry["parentId"], &entry["fromId"]),
        (&json!("branch_summary"), &json!(fork), &json!(left))
    );
    assert!(entry["summary"].as_str().unwrap().ends_with("what came of it") && entry["usage"]["output"] == 5);
    assert_eq!(rig.snapshot().await.usage.output, 10, "of this branch, with its summary");
    rig.script.push([text_turn("third")]);
    rig.run("go on").await;
    let next = rig.nth_request(3);
    assert!(next[2].contains("what came of it") && next[3] == "user go on", "{next:?}");
    // It can be changed where it was written, and the one before stays beside it.
    let summary = entry["id"].as_str().unwrap().to_string();
    rig.handle.navigate(&summary, BranchSummaryChoice::None).await.unwrap();
    rig.handle.edit_summary("shorter").await.unwrap();
    let edited = rig.entries().await.pop().unwrap();
    assert_eq!((&edited["parentId"], &edited["summary"]), (&json!(fork), &json!("shorter")));
}

#[tokio::test]
async fn branch_summary_abort_or_failure_writes_no_entry() {
    let stall = Turn::of(vec![Step::Stall]);
    let mut rig = TestSession::new(vec![
        text_turn("one"),
        text_turn("two"),
        stall,
        Turn::fail(ErrorKind::Quota, "no money"),
    ])
    .await;
    rig.run("first").await;
    let fork = rig.last_entry_id("assistant").await;
    rig.run("second").await;
    let before = rig.entries().await;
    let handle = rig.handle.clone();
    let to = fork.clone();
    let moving = tokio::spawn(async move { handle.navigate(&to, BranchSummaryChoice::Written).await });
    rig.wait_for_requests(3).await;
    assert!(rig.handle.navigate(&fork, BranchSummaryChoice::None).await.is_err(), "one thing at a time");
    rig.handle.abort();
    assert!(moving.await.unwrap().unwrap_err().to_string().contains("summary canceled"));
    let failed = rig.handle.navigate(&fork, BranchSummaryChoice::Written).await.unwrap_err().to_string();
    assert!(failed.contains("no money"), "{failed}");
    assert_eq!(rig.entries().await, before, "no trace of either");
    assert_eq!(rig.snapshot().await.messages.len(), 4);
    // Where nothing is left behind nobody is asked.
    let leaf = rig.last_entry_id("assistant").await;
    rig.handle.navigate(&leaf, BranchSummaryChoice::Written).await.unwrap();
    assert_eq!(rig.script.requests().len(), 4);
}
