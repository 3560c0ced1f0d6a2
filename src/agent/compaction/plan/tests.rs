//! Plans on paths as sessions have them.

use super::*;
use crate::base::json::json;
use crate::llm::model::Model;
use crate::session::Tree;
use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

/// Entries that follow each other, with the fields of their bodies.
fn tree(bodies: &[(&str, Value)]) -> Tree {
    let mut tree = Tree::default();
    let mut parent = Value::Null;
    for (id, body) in bodies {
        let mut line = json!({"id": id, "parentId": parent, "timestamp": "1970-01-01T00:00:00.005Z"});
        line.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        parent = json!(id);
    }
    tree
}

fn user(chars: usize) -> Value {
    json!({"type": "message", "message": {"role": "user", "content": "u".repeat(chars)}})
}

fn answer(chars: usize, calls: &[(&str, &str)]) -> Value {
    let calls = calls
        .iter()
        .map(|(id, path)| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": path}}));
    let content: Vec<Value> =
        [json!({"type": "text", "text": "a".repeat(chars)})].into_iter().chain(calls).collect();
    json!({"type": "message", "message": {"role": "assistant", "content": content, "api": "a", "provider": "p",
        "model": "m", "stopReason": "stop"}})
}

fn result(id: &str, chars: usize) -> Value {
    json!({"type": "message", "message": {"role": "toolResult", "toolCallId": id, "toolName": "read",
        "content": "r".repeat(chars)}})
}

fn compaction(first_kept: &str, summary: &str) -> Value {
    json!({"type": "compaction", "summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 9,
        "details": {"readFiles": ["old"], "modifiedFiles": []}})
}

fn planned(bodies: &[(&str, Value)], keep: u64) -> Option<CompactionPlan> {
    let budget = super::super::Settings { keep, ..super::super::Settings::default() };
    plan_compaction(&tree(bodies).path(), budget.budget(&Model::unknown("p", "m", "a", "")), 77)
}

fn roles(messages: &[Arc<AgentMessage>]) -> String {
    messages.iter().map(|message| &message.role()[..1]).collect()
}

#[test]
fn compaction_plan_summarizes_complete_turns() {
    let bodies = [
        ("1", user(400)),
        ("2", answer(400, &[("c", "src/a")])),
        ("3", result("c", 400)),
        ("4", user(400)),
        ("5", answer(400, &[])),
    ];
    let plan = planned(&bodies, 200).unwrap();
    assert_eq!(
        (plan.first_kept.as_str(), roles(&plan.history), roles(&plan.prefix)),
        ("4", "uat".into(), String::new())
    );
    assert_eq!((plan.tokens_before, plan.previous), (77, None));
    assert_eq!(plan.files.read(), ["src/a"]);
    assert_eq!(plan.cut_points, ["1", "2", "4", "5"]);
    assert_eq!(planned(&bodies, 2000), None, "all of it is kept anyway");
    assert_eq!(planned(&[], 0), None);
}

#[test]
fn compaction_plan_splits_long_turn() {
    let bodies = [
        ("1", user(40)),
        ("2", answer(40, &[])),
        ("3", user(40)),
        ("4", answer(400, &[("c", "a")])),
        ("5", result("c", 400)),
        ("6", answer(400, &[("d", "b")])),
        ("7", result("d", 400)),
    ];
    let plan = planned(&bodies, 150).unwrap();
    assert_eq!(
        (plan.first_kept.as_str(), roles(&plan.history), roles(&plan.prefix)),
        ("6", "ua".into(), "uat".into())
    );
    assert_eq!(plan.files.read(), ["a"], "not those of what is kept");
}

#[test]
fn compaction_plan_continues_previous_summary() {
    let before = [("1", user(400)), ("2", answer(400, &[])), ("3", user(400)), ("4", answer(400, &[]))];
    let mut bodies = before.to_vec();
    bodies.push(("5", compaction("3", "S\n\n<read-files>\nold\n</read-files>")));
    assert_eq!(planned(&bodies, 0), None, "nothing was said since");
    bodies.extend([("6", json!({"type": "model_change", "provider": "p", "modelId": "n"}))]);
    assert_eq!(planned(&bodies, 0), None);
    bodies.extend([("7", user(400)), ("8", answer(400, &[]))]);
    let plan = planned(&bodies, 200).unwrap();
    assert_eq!(
        (plan.first_kept.as_str(), roles(&plan.history)),
        ("6", "ua".into()),
        "what was kept, and no more"
    );
    assert_eq!((plan.previous.as_deref(), plan.files.read()), (Some("S"), vec!["old"]));
    bodies[4] = ("5", compaction("5", "S"));
    assert_eq!(planned(&bodies, 200), None, "nothing was kept, and the rest fits");
    assert_eq!(roles(&planned(&bodies, 100).unwrap().prefix), "u");
}

#[test]
fn compaction_plan_skips_removed_messages() {
    let bodies = [
        ("1", user(400)),
        ("2", answer(400, &[])),
        ("3", user(400)),
        ("4", answer(400, &[])),
        ("5", json!({"type": "context_edit", "targetId": "2", "replacement": null})),
        (
            "6",
            json!({"type": "custom_message", "customType": "x", "content": "n".repeat(400), "display": true}),
        ),
        ("7", json!({"type": "branch_summary", "fromId": "1", "summary": "b".repeat(400)})),
    ];
    let plan = planned(&bodies, 200).unwrap();
    assert_eq!((plan.first_kept.as_str(), roles(&plan.history)), ("5", "uua".into()));
}

/// What a model is told on a path beside summaries, as texts that differ.
fn told(tree: &Tree) -> Vec<String> {
    let context = messages::build(&tree.path());
    let plain = context.messages.iter().filter(|message| message.role() != "compactionSummary");
    plain.map(|message| serde_json::to_string(&**message).unwrap()).collect()
}

fn texts(messages: &[Arc<AgentMessage>]) -> Vec<String> {
    messages.iter().map(|message| serde_json::to_string(&**message).unwrap()).collect()
}

/// Puts an entry behind the leaf.
fn push(tree: &mut Tree, mut body: Value) {
    let id = format!("{:08x}", tree.entries().len());
    let parent = tree.leaf().map(|leaf| leaf.id().to_string());
    let head = json!({"id": id, "parentId": parent, "timestamp": "1970-01-01T00:00:00.005Z"});
    body.as_object_mut().unwrap().extend(head.as_object().unwrap().clone());
    tree.push(Entry::parse(&body.to_string()).unwrap()).unwrap();
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(128))]

    /// However often a conversation is compacted: everything is summed up once or kept as it is, in its
    /// order, and no result is kept without its call.
    #[test]
    fn compaction_plan_loses_nothing(
        rounds in prop::collection::vec(
            (prop::collection::vec((1..300usize, prop::collection::vec((1..300usize, 0..3usize), 0..4)), 1..4), 0..600u64),
            1..5,
        ),
    ) {
        let mut tree = Tree::default();
        let mut count = 0;
        for (turns, keep) in rounds {
            for (words, steps) in turns {
                push(&mut tree, user(words));
                for (words, calls) in steps {
                    let ids: Vec<String> = (0..calls).map(|call| format!("c{count}-{call}")).collect();
                    count += 1;
                    let calls: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "a")).collect();
                    push(&mut tree, answer(words, &calls));
                    for id in ids {
                        push(&mut tree, result(&id, words));
                    }
                }
            }
            let before = told(&tree);
            let budget = Budget { window: 1000, reserve: 10, keep };
            let Some(plan) = plan_compaction(&tree.path(), budget, 1) else { continue };
            let mut again = compaction(&plan.first_kept, "S");
            again["details"] = plan.files.details();
            push(&mut tree, again);
            let kept = told(&tree);
            let all = [texts(&plan.history), texts(&plan.prefix), kept.clone()].concat();
            prop_assert_eq!(all, before);
            let calls = kept.iter().map(|text| text.matches("\"toolCall\"").count()).sum::<usize>();
            let results = kept.iter().filter(|text| text.contains("\"toolResult\"")).count();
            prop_assert_eq!(calls, results);
            prop_assert!(plan.cut_points.contains(&plan.first_kept));
        }
    }
}

#[test]
fn compaction_plan_pinned_messages_are_not_summarized() {
    let pin = |target: &str| json!({"type": "custom", "customType": pins::PIN_TYPE, "data": {"targetId": target, "pinned": true}});
    let copy = |of: &str| {
        json!({"type": "custom_message", "customType": pins::PINNED_COPY_TYPE, "content": "u".repeat(400), "display": false,
            "details": {"targetId": of}})
    };
    let first = [("1", user(400)), ("p", pin("1")), ("2", answer(400, &[])), ("3", user(400))];
    let plan = planned(&first, 100).unwrap();
    assert_eq!((roles(&plan.history), plan.pinned, plan.removed_tokens()), ("ua".into(), 100, 100));
    let mut later = first.to_vec();
    later.extend([("4", compaction("3", "S")), ("5", copy("1"))]);
    assert_eq!(planned(&later, 100), None, "nothing was said since");
    later.extend([("6", answer(400, &[])), ("7", user(400))]);
    let plan = planned(&later, 100).unwrap();
    assert_eq!((roles(&plan.history), plan.pinned), ("ua".into(), 0), "the copy begins no turn and stays");
    later.insert(
        7,
        ("q", json!({"type": "custom", "customType": pins::PIN_TYPE, "data": {"targetId": "1", "pinned": false}})),
    );
    let plan = planned(&later, 100).unwrap();
    assert_eq!(roles(&plan.history), "uca", "without its pin it is summed up");
}
