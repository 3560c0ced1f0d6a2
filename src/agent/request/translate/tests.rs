//! Conversations in other tools: single cases, and histories of all families in the tools of any.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::agent::profiles::PROFILES;
use crate::base::json::json;
use crate::llm::model::Model;
use crate::llm::model::message::join_text;
use crate::llm::stream::accumulate::Accumulator;
use crate::tools::builtin::SETS;
use crate::tools::contract::intent::{Intent, TextReplacement};

fn call(id: &str, name: &str, arguments: Value) -> Part {
    let thought_signature = Some("signed".to_string());
    let (id, name) = (id.to_string(), name.to_string());
    Part::Known(KnownPart::ToolCall(ToolCall { id, name, arguments, thought_signature }))
}

fn answer(mut content: Vec<Part>) -> Message {
    let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
    let thinking_signature = Some("signed".to_string());
    let thought = KnownPart::Thinking { thinking: "hm".into(), thinking_signature, redacted: false };
    content.insert(0, Part::Known(thought));
    message.stop_reason = StopReason::ToolUse;
    Message::Assistant(AssistantMessage { content, ..message })
}

fn result(id: &str, name: &str, text: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: name.into(),
        content: vec![Part::text(text)],
        details: None,
        is_error: false,
        timestamp: 3,
        extra: Map::new(),
    })
}

fn user(text: &str) -> Message {
    Message::User(UserMessage::text(text, 1))
}

/// One line for each message.
fn words(history: &[Message]) -> Vec<String> {
    let part = |part: &Part| match part {
        Part::Known(KnownPart::ToolCall(call)) => format!("<{} {}{}>", call.id, call.name, call.arguments),
        Part::Known(KnownPart::Thinking { thinking_signature, .. }) => {
            format!("~{}", thinking_signature.as_deref().unwrap_or_default())
        }
        other => other.as_text().unwrap_or_default().to_string(),
    };
    let words = |message: &Message| match message {
        Message::User(user) => format!("user {}", join_text(&user.content)),
        Message::Assistant(answer) => answer.content.iter().map(part).collect::<Vec<_>>().join(" "),
        Message::ToolResult(result) => {
            format!("{} {}: {}", result.tool_call_id, result.tool_name, join_text(&result.content))
        }
    };
    history.iter().map(words).collect()
}

fn tools(profile: &str) -> Registry {
    crate::agent::profile::find(profile).unwrap().tools(&[])
}

#[test]
fn translate_patch_becomes_calls_with_first_result() {
    let patch = "*** Begin Patch\n*** Add File: n\n+1\n*** Update File: u\n@@\n-a\n+b\n*** End Patch";
    let history = vec![
        user("go"),
        answer(vec![Part::text("Now."), call("c|i", "apply_patch", json!({"input": patch}))]),
        result("c|i", "apply_patch", "Applied."),
        answer(vec![Part::text("Done.")]),
    ];
    let told = translate(history.clone(), &tools("pi"));
    assert_eq!(
        words(&told),
        [
            "user go",
            r#"~ Now. <c|i write{"path":"n","content":"1\n"}> <c-2 edit{"path":"u","edits":[{"oldText":"a","newText":"b"}]}>"#,
            "c|i write: Applied.",
            &format!("c-2 edit: {MERGED_RESULT}"),
            "~signed Done.",
        ]
    );
    let Message::Assistant(changed) = &told[1] else { panic!() };
    assert_eq!((changed.api.as_str(), changed.stop_reason), (TRANSLATED_API, StopReason::ToolUse));
    assert!(changed.tool_calls().all(|call| call.thought_signature.is_none()));
    assert_eq!((&told[0], &told[4]), (&history[0], &history[3]), "what was right stays");
    assert_eq!(translate(history.clone(), &tools("openai")), history);
}

#[test]
fn translate_unsayable_call_becomes_text_after_results() {
    let history = vec![
        user("go"),
        answer(vec![
            call("a", "KillShell", json!({"shell_id": "3"})),
            call("b", "read", json!({"path": "x"})),
            call("c", "read", json!("{\"path")),
        ]),
        result("a", "KillShell", "seen"),
        result("b", "read", "text of x"),
        result("c", "read", "not JSON"),
        user("and?"),
    ];
    assert_eq!(
        words(&translate(history, &tools("pi"))),
        [
            "user go",
            r#"~ (A call of the tool KillShell, with {"shell_id":"3"}) <b read{"path":"x"}> <c read"{\"path">"#,
            "b read: text of x",
            "c read: not JSON",
            "user (The call of the tool KillShell gave:)\nseen",
            "user and?",
        ]
    );
    let alone = vec![answer(vec![call("a", "KillShell", json!({}))]), result("a", "KillShell", "seen")];
    let told = translate(alone, &tools("pi"));
    let Message::Assistant(told) = &told[0] else { panic!() };
    assert_eq!(told.stop_reason, StopReason::Stop, "nothing is called any more");
}

#[test]
fn translate_custom_tools_stay_unchanged() {
    let history = vec![answer(vec![call("a", "read", json!({"path": "x"}))]), result("a", "read", "t")];
    let mut own = Registry::new();
    own.add(Registry::of("pi").get("read").unwrap().clone());
    assert_eq!(translate(history.clone(), &own), history);
}

/// Things to want, of every kind.
fn intents() -> Vec<Intent> {
    let swap = |old: &str, new: &str| TextReplacement { old: old.into(), new: new.into() };
    let edit = |swaps: Vec<TextReplacement>, everywhere| Intent::Edit {
        path: "/w/src/a.rs".into(),
        swaps,
        everywhere,
    };
    let text = String::from;
    let patch = |sections: &str| Intent::Patch { patch: format!("*** Begin Patch\n{sections}*** End Patch") };
    vec![
        Intent::Read { path: text("/w/a b"), first: None, lines: None },
        Intent::Read { path: text("/w/a"), first: Some(3), lines: Some(20) },
        Intent::ReadMany { paths: vec![text("/w/a"), text("/w/b")] },
        Intent::ReadMany { paths: vec![text("src/**/*.rs")] },
        Intent::Write { path: text("/w/n"), content: text("one\n\ntwo") },
        edit(vec![swap("a", "b")], false),
        edit(vec![swap("fn a() {}\n", "fn b() {}\n"), swap("x\ny", "x\nz")], false),
        edit(vec![swap("a", "b")], true),
        patch("*** Add File: n\n+1\n*** Update File: u\n@@\n k\n-a\n+b\n@@\n-c\n*** Delete File: d\n"),
        patch("*** Update File: u\n*** Move to: v\n@@\n-a\n+b\n"),
        patch("*** Update File: u\n@@\n+only more\n"),
        Intent::Run { command: text("make 'a b'"), folder: None, timeout: None, background: false },
        Intent::Run {
            command: text("make"),
            folder: Some(text("/w/sub dir")),
            timeout: Some(Duration::from_secs(20)),
            background: true,
        },
        Intent::Grep { pattern: text("-it's"), path: Some(text("/w")), glob: Some(text("*.rs")) },
        Intent::Find { pattern: text("**/*.rs"), path: None },
        Intent::Ls { path: Some(text("/w")) },
        Intent::Ls { path: None },
    ]
}

/// Calls as every family makes them, and some that nobody makes: names and arguments. `Some(set)`: only
/// those that are a set's own.
fn calls(set: Option<&str>) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for known in SETS.iter().filter(|known| set.is_none_or(|set| known.id == set)) {
        let all = Registry::of(known.id);
        for row in all.entries() {
            let args = intents().into_iter().filter_map(|intent| row.tool.args_for(&intent));
            calls.extend(
                args.filter(|args| row.accepts(args).is_some()).map(|args| (row.spec.name.clone(), args)),
            );
        }
    }
    if set.is_none() {
        let names = SETS.iter().flat_map(|set| set.tools).map(|shape| shape.name.to_string());
        calls.extend(names.map(|name| (name, json!({"unheard": [1, null]}))));
        calls.push(("hologram".into(), json!({"depth": 3})));
        calls.push(("bash".into(), json!("{\"comm")));
    }
    calls
}

/// A history of such calls. Each answer has some, by number; results come in any order.
fn history(calls: &[(String, Value)], turns: &[(Vec<usize>, bool, u8)]) -> Vec<Message> {
    let mut history = vec![user("begin")];
    for (at, (picks, backwards, said)) in turns.iter().enumerate() {
        let picked: Vec<_> = picks.iter().map(|n| &calls[n % calls.len()]).collect();
        let id = |n: usize| format!("call-{at}.{n}|item");
        let mut content = vec![Part::text(format!("text {at}"))];
        content.extend(picked.iter().enumerate().map(|(n, (name, args))| call(&id(n), name, args.clone())));
        history.push(answer(content));
        let results = picked.iter().enumerate();
        let mut results: Vec<_> =
            results.map(|(n, (name, _))| result(&id(n), name, &format!("result {at}.{n}"))).collect();
        if *backwards {
            results.reverse();
        }
        history.extend(results);
        if *said == 0 {
            history.push(user(&format!("more {at}")));
        }
    }
    history
}

/// Every call is answered once, by a result with its name, before anything else is said.
fn check(told: &[Message], to: &Registry) {
    let mut waiting: Vec<(String, String)> = Vec::new();
    for message in told {
        match message {
            Message::ToolResult(result) => {
                let key = (result.tool_call_id.clone(), result.tool_name.clone());
                let at = waiting.iter().position(|call| *call == key);
                waiting.remove(at.unwrap_or_else(|| panic!("{key:?} was not called: {:#?}", words(told))));
            }
            Message::User(_) => assert_eq!(waiting, [], "{:#?}", words(told)),
            Message::Assistant(answer) => {
                assert_eq!(waiting, [], "{:#?}", words(told));
                waiting = answer.tool_calls().map(|call| (call.id.clone(), call.name.clone())).collect();
                let ids: HashSet<&str> = waiting.iter().map(|(id, _)| id.as_str()).collect();
                assert_eq!(ids.len(), waiting.len(), "an id twice");
                let fits = |name: &str| to.entry(name).is_some() || Registry::in_any_set(name).is_empty();
                assert!(waiting.iter().all(|(_, name)| fits(name)), "{waiting:?}");
            }
        }
    }
    assert_eq!(waiting, []);
}

/// What was said and heard, without calls, in order.
fn said(history: &[Message]) -> Vec<String> {
    let own = |text: &str| ["begin", "more ", "text "].iter().any(|start| text.starts_with(start));
    let texts = history.iter().flat_map(|message| match message {
        Message::User(user) => user.content.iter(),
        Message::Assistant(answer) => answer.content.iter(),
        Message::ToolResult(_) => [].iter(),
    });
    texts.filter_map(Part::as_text).filter(|text| own(text)).map(str::to_string).collect()
}

fn turns() -> impl Strategy<Value = Vec<(Vec<usize>, bool, u8)>> {
    let picks = prop::collection::vec(0usize..1000, 0..5);
    prop::collection::vec((picks, any::<bool>(), 0u8..3), 0..6)
}

#[test]
fn translate_every_family_has_call_intents() {
    let count = calls(None).len();
    assert!(count > 20, "{count} kinds of calls: the tools say too little of what they want");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(48))]

    #[test]
    fn translate_any_history_is_valid_and_idempotent(turns in turns(), first in 0..4usize, then in 0..4usize) {
        let (first, then) = (PROFILES[first].tools(&[]), PROFILES[then].tools(&[]));
        let history = history(&calls(None), &turns);
        let told = translate(history.clone(), &first);
        check(&told, &first);
        prop_assert_eq!(said(&told), said(&history));
        prop_assert_eq!(translate(told.clone(), &first), told.clone(), "twice is once");
        for at in 0..=history.len() {
            let part = translate(history[..at].to_vec(), &first);
            prop_assert!(told.starts_with(&part), "{:#?}\n{:#?}", words(&told), words(&part));
        }
        let other = translate(told, &then);
        check(&other, &then);
        prop_assert_eq!(said(&other), said(&history));
        let back = translate(other, &first);
        check(&back, &first);
        prop_assert_eq!(said(&back), said(&history));
    }

    #[test]
    fn translate_own_calls_stay_byte_for_byte(turns in turns(), at in 0..4usize) {
        let own = calls(Some(PROFILES[at].id));
        prop_assume!(!own.is_empty());
        let history = history(&own, &turns);
        prop_assert_eq!(translate(history.clone(), &PROFILES[at].tools(&[])), history);
    }
}

#[test]
fn translate_unknown_tool_keeps_refusal() {
    let history = vec![
        user("go"),
        answer(vec![call("a", "hologram", json!({"depth": 3}))]),
        result("a", "hologram", "There is no tool named \"hologram\"."),
    ];
    for set in ["pi", "openai", "anthropic", "gemini"] {
        assert_eq!(translate(history.clone(), &tools(set)), history, "{set}");
    }
}
