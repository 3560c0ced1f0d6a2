//! What the next request holds, and how a user changes it: through a live session, and on the command line.

use bowline::agent::compaction::Settings;
use bowline::llm::model::Thinking;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::runtime::context::report::{ContextItem, ContextReport, ItemReason};
use bowline::runtime::history::navigation::NavigationTarget;
use bowline::runtime::{Options, SessionChoice};
use serde_json::{Value, json};

use crate::support::compaction_session::{
    FULL, TestSession, WINDOW, request_messages, text_turn, with_context_tokens,
};

/// Some two thousand tokens.
fn long_text(word: &str) -> String {
    format!("{word} {}", "x".repeat(8000))
}

/// The entry of what somebody said, by how it begins.
async fn entry(rig: &TestSession, start: &str) -> String {
    let entries = rig.entries().await;
    let says = |entry: &&Value| {
        let parts = entry["message"]["content"].as_array().cloned().unwrap_or_default();
        parts.iter().any(|part| part["text"].as_str().is_some_and(|text| text.starts_with(start)))
    };
    entries.iter().find(says).unwrap()["id"].as_str().unwrap().to_string()
}

/// What it has of the conversation: what, tokens, why.
fn rows(contents: &ContextReport) -> Vec<String> {
    let said = contents.items.iter().filter(|item| item.entry.is_some());
    let row = |item: &ContextItem| {
        let pinned = if item.pinned { "*" } else { "" };
        format!("{pinned}{} {} {}", item.kind, item.tokens, item.reason.name())
    };
    said.map(row).collect()
}

#[tokio::test]
async fn context_edits_apply_to_next_request() {
    let call = Turn::call("c1", "bash", json!({"command": "echo sec''ret"}));
    let turns = vec![
        call,
        text_turn("done"),
        text_turn("two"),
        text_turn("three"),
        text_turn("four"),
        text_turn("five"),
        text_turn("six"),
    ];
    let mut rig = TestSession::with_options(turns, |options| Options {
        compaction: Settings { enabled: false, ..Settings::default() },
        ..options
    })
    .await;
    rig.run("one").await;
    let (result, answer) = (rig.last_entry_id("toolResult").await, entry(&rig, "done").await);
    assert!(rig.handle.exclude_from_context(result.clone()).await.unwrap().contains("excluded from context"));
    assert!(rig.handle.replace_in_context(answer.clone(), "finished".into()).await.is_ok());
    rig.run("second").await;
    let said = rig.script.requests().pop().unwrap();
    let whole = serde_json::to_string(&said.messages).unwrap();
    assert!(!whole.contains("secret") && whole.contains("(left out by the user)"), "{whole}");
    assert_eq!(request_messages(&said)[3..], ["assistant finished", "user second"]);
    // The answer with the call goes together with its result.
    let call = rig.entries().await.into_iter().find(|e| e["message"]["stopReason"] == "toolUse").unwrap();
    let call = call["id"].as_str().unwrap().to_string();
    rig.handle.exclude_from_context(call.clone()).await.unwrap();
    rig.run("third").await;
    let said = request_messages(&rig.script.requests().pop().unwrap());
    assert_eq!(said, ["user one", "assistant finished", "user second", "assistant two", "user third"]);
    // It comes back as it was told before: a result that went by itself comes back by itself.
    rig.handle.restore_original(call).await.unwrap();
    rig.run("again").await;
    let said = rig.script.requests().pop().unwrap();
    assert!(!serde_json::to_string(&said.messages).unwrap().contains("secret"));
    rig.handle.restore_original(result).await.unwrap();
    rig.handle.restore_original(answer).await.unwrap();
    rig.run("fourth").await;
    let said = rig.script.requests().pop().unwrap();
    assert!(serde_json::to_string(&said.messages).unwrap().contains("secret"));
    assert_eq!(request_messages(&said)[..4], ["user one", "assistant ", "result c1", "assistant done"]);
    // It holds after the session was closed, too.
    let second = entry(&rig, "second").await;
    rig.handle.exclude_from_context(second).await.unwrap();
    let mut rig = rig.reopen(vec![text_turn("seven")]).await;
    rig.run("fifth").await;
    assert!(!rig.nth_request(0).iter().any(|said| said == "user second"), "{:?}", rig.nth_request(0));
}

#[tokio::test]
async fn context_edits_invalid_or_while_working_are_rejected() {
    let gated = Turn::of(vec![Step::Gate, Step::Text(vec!["one".into()])]);
    let mut rig = TestSession::new(vec![gated, text_turn("two")]).await;
    rig.send_prompt("first");
    rig.wait_for_requests(1).await;
    let first = entry(&rig, "first").await;
    let refused = rig.handle.exclude_from_context(first.clone()).await.unwrap_err();
    assert!(refused.to_string().contains("the agent is working"), "{refused}");
    rig.handle.pin(first.clone(), true).await.unwrap();
    rig.script.gate.add_permits(1);
    rig.wait_for("agent end").await;
    assert_eq!(request_messages(&rig.script.requests()[0]), ["user first"]);
    let refused = rig.handle.exclude_from_context("nobody".into()).await.unwrap_err();
    assert!(refused.to_string().contains("no entry nobody"), "{refused}");
    let refused = rig.handle.replace_in_context(first.clone(), " ".into()).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be empty"), "{refused}");
    assert!(rig.handle.pin("nobody".into(), true).await.is_err());
    assert!(rig.handle.context_report().await.unwrap().items.iter().any(|item| item.pinned));
    // What was pinned twice is so once.
    rig.handle.pin(first.clone(), true).await.unwrap();
    assert_eq!(rig.entry_kinds().await.iter().filter(|kind| *kind == "custom").count(), 1);
}

#[tokio::test]
async fn context_report_matches_next_request() {
    let mut rig =
        TestSession::new(vec![with_context_tokens(text_turn("answer one"), 500), text_turn("two")]).await;
    rig.run("first thing").await;
    let first = entry(&rig, "first thing").await;
    let contents = rig.handle.context_report().await.unwrap();
    assert_eq!(rows(&contents), ["user 3 path", "assistant 3 path"]);
    assert_eq!((contents.window(), contents.provider_count), (Some(WINDOW), Some((500, 0))));
    let before: Vec<&str> = contents.items.iter().filter(|i| i.entry.is_none()).map(|i| &*i.kind).collect();
    assert_eq!(before[0], "system: base");
    assert!(before.contains(&"tool bash") && before.contains(&"system: place"), "{before:?}");
    let request = &rig.script.requests()[0];
    let tools = before.iter().filter(|what| what.starts_with("tool ")).count();
    assert_eq!(tools, request.tools.len());
    let texts: Vec<String> = contents
        .items
        .iter()
        .filter(|item| item.kind.starts_with("system: "))
        .filter_map(|item| item.text.clone())
        .collect();
    assert_eq!(texts, request.system);
    rig.handle.exclude_from_context(first.clone()).await.unwrap();
    let contents = rig.handle.context_report().await.unwrap();
    assert_eq!(rows(&contents), ["user 6 edited", "assistant 3 path"], "a note stands before the answer");
    assert_eq!(contents.provider_count, None, "that was counted before");
    let told = rig.handle.sent_message(first.clone()).await.unwrap().unwrap();
    assert_eq!(
        (told.text.as_str(), told.editable_text.as_str()),
        ("(left out by the user)", "(left out by the user)")
    );
    rig.handle.restore_original(first.clone()).await.unwrap();
    let contents = rig.handle.context_report().await.unwrap();
    assert_eq!(rows(&contents)[0], "user 3 path", "as it was");
    assert!(
        contents.total_sentence().contains(" of 20000 tokens of scripted/script"),
        "{}",
        contents.total_sentence()
    );
    let by = contents.items.iter().find(|item| item.entry.as_ref() == Some(&first)).unwrap();
    assert_eq!((by.reason.clone(), by.editable, by.pin.as_ref()), (ItemReason::OnPath, true, Some(&first)));
}

#[tokio::test]
async fn pinned_entry_is_kept_verbatim_after_compaction() {
    let turns = vec![
        with_context_tokens(text_turn("answer one"), 500),
        with_context_tokens(text_turn("answer two"), FULL),
        text_turn("summary one"),
        with_context_tokens(text_turn("answer three"), FULL),
        text_turn("summary two"),
        with_context_tokens(text_turn("answer four"), FULL),
        text_turn("summary three"),
        text_turn("answer five"),
    ];
    let mut rig = TestSession::new(turns).await;
    rig.run("never push to main").await;
    let rule = entry(&rig, "never push").await;
    rig.handle.pin(rule.clone(), true).await.unwrap();
    rig.run(&long_text("second")).await;
    assert_eq!(rig.run(&long_text("third")).await, ["start threshold", "end threshold done", "agent end"]);
    let rule_in =
        |request: Vec<String>| request.iter().filter(|said| said.contains("never push to main")).count();
    let request = rig.nth_request(3);
    assert_eq!(rule_in(request.clone()), 1, "{request:?}");
    assert!(request[0].contains("summary one") && request[1].starts_with("user third"), "{request:?}");
    assert!(
        request[2].starts_with("user [From the conversation before, kept word for word: what the user said]")
    );
    let contents = rig.handle.context_report().await.unwrap();
    let copy = contents.items.iter().find(|item| matches!(item.reason, ItemReason::PinnedCopy(_))).unwrap();
    assert_eq!((copy.reason.source(), copy.pin.as_ref(), copy.pinned), (Some(&*rule), Some(&rule), true));
    assert!(contents.summarized >= 4, "{}", contents.summarized);
    // The second time it is not summed up any more, and stands there once.
    assert_eq!(rig.run(&long_text("fourth")).await, ["start threshold", "end threshold done", "agent end"]);
    assert!(!rig.nth_request(4)[0].contains("never push to main"), "{:?}", rig.nth_request(4));
    let request = rig.nth_request(5);
    assert_eq!((rule_in(request.clone()), request.len()), (1, 3), "{request:?}");
    // Without its pin it is summed up like everything else.
    rig.handle.pin(rule, false).await.unwrap();
    assert_eq!(rig.run("fifth").await, ["start threshold", "end threshold done", "agent end"]);
    assert!(rig.nth_request(6)[0].contains("never push to main"), "{:?}", rig.nth_request(6));
    assert_eq!(rule_in(rig.nth_request(7)), 0, "{:?}", rig.nth_request(7));
}

#[tokio::test]
async fn pinned_entry_follows_tool_results_within_run() {
    let call = with_context_tokens(Turn::call("c1", "bash", json!({"command": "echo hi"})), FULL);
    let turns = vec![
        with_context_tokens(text_turn("answer one"), 500),
        call,
        text_turn("prefix"),
        text_turn("history"),
        text_turn("done"),
    ];
    let mut rig = TestSession::new(turns).await;
    rig.run("never push to main").await;
    let rule = entry(&rig, "never push").await;
    rig.handle.pin(rule, true).await.unwrap();
    assert_eq!(rig.run(&long_text("go")).await, ["start threshold", "end threshold done", "agent end"]);
    let request = rig.nth_request(4);
    assert_eq!((request.len(), request[2].as_str()), (4, "result c1"), "{request:?}");
    assert!(request[3].ends_with("what the user said]\nnever push to main"), "{request:?}");
}

#[tokio::test]
async fn context_edit_is_undone_by_navigating_before_it() {
    let mut rig = TestSession::new(vec![text_turn("one"), text_turn("two"), text_turn("three")]).await;
    rig.run("first").await;
    rig.run("second").await;
    let (before, first) = (rig.last_entry_id("assistant").await, entry(&rig, "first").await);
    rig.handle.replace_in_context(first.clone(), "otherwise".into()).await.unwrap();
    rig.handle.go(NavigationTarget::After(before)).await.unwrap();
    assert_eq!(rig.handle.sent_message(first).await.unwrap().unwrap().editable_text, "first");
    rig.run("third").await;
    assert_eq!(rig.nth_request(2)[0], "user first");
}

#[tokio::test]
async fn context_edit_keeps_chosen_reasoning_effort() {
    let mut rig = TestSession::new(vec![text_turn("one")]).await;
    rig.run("first").await;
    let (first, file) = (entry(&rig, "first").await, rig.snapshot().await.file.unwrap());
    rig.handle.shutdown().await;
    let wished = |options| Options {
        session: SessionChoice::Open(file.clone()),
        thinking: Some(Thinking::High),
        ..options
    };
    let again = TestSession::with_options(vec![text_turn("two")], wished).await;
    assert_eq!(again.snapshot().await.thinking, Thinking::High);
    again.handle.replace_in_context(first, "otherwise".into()).await.unwrap();
    assert_eq!(again.snapshot().await.thinking, Thinking::High);
}

#[tokio::test]
async fn summary_edit_keeps_chosen_reasoning_effort() {
    let mut rig = TestSession::new(vec![text_turn("one"), text_turn("S")]).await;
    rig.run(&long_text("first")).await;
    rig.handle.compact(None);
    rig.wait_for("end manual").await;
    let file = rig.snapshot().await.file.unwrap();
    rig.handle.shutdown().await;
    let wished = |options| Options {
        session: SessionChoice::Open(file.clone()),
        thinking: Some(Thinking::High),
        ..options
    };
    let again = TestSession::with_options(vec![text_turn("two")], wished).await;
    again.handle.edit_summary("mine").await.unwrap();
    assert_eq!(again.snapshot().await.thinking, Thinking::High);
    assert_eq!(again.handle.summary().await.as_deref(), Some("mine"));
}

#[tokio::test]
async fn compaction_of_pins_only_reports_nothing_to_compact() {
    let mut rig =
        TestSession::new(vec![text_turn("one"), text_turn("two"), text_turn("S"), text_turn("T")]).await;
    rig.run(&long_text("first")).await;
    let first = entry(&rig, "first").await;
    rig.handle.pin(first, true).await.unwrap();
    rig.run("second").await;
    rig.handle.compact(None);
    let told = rig.wait_for("end manual").await;
    assert_eq!(told, ["start manual", "end manual done"]);
    rig.handle.compact(None);
    let told = rig.wait_for("end manual").await;
    assert!(told[1].contains("nothing to compact"), "{told:?}");
}
