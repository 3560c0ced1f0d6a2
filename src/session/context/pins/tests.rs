//! Pins through compactions.

use super::*;
use crate::session::{Tree, context::messages};

/// A tree to which things are added one behind the other.
#[derive(Default)]
struct Path(Tree);

impl Path {
    fn add(&mut self, body: &EntryBody) -> String {
        let (id, parent) =
            (format!("e{}", self.0.entries().len()), self.0.leaf().map(|leaf| leaf.id().to_string()));
        self.0.push(Entry::new(id.clone(), parent, "t".into(), body).unwrap()).unwrap();
        id
    }

    fn say(&mut self, message: Value) -> String {
        self.add(&EntryBody::Message { message: serde_json::from_value(message).unwrap() })
    }

    fn user(&mut self, text: &str) -> String {
        self.say(json!({"role": "user", "content": text}))
    }

    fn pin(&mut self, target: &str, pinned: bool) {
        self.add(&pin_entry(target, pinned));
    }

    /// Compacts as a session does: keeps from this entry on.
    fn compact(&mut self, first_kept: &str) {
        let copies = pinned_copies(&self.0.path(), first_kept);
        self.add(&EntryBody::Compaction {
            summary: "S".into(),
            first_kept_entry_id: first_kept.into(),
            tokens_before: 1,
            usage: None,
            details: None,
            from_hook: None,
            system_message: None,
        });
        for copy in copies {
            self.add(&copy);
        }
    }

    /// The texts of what is told, without what stands before them.
    fn told(&self) -> Vec<String> {
        let words = |message: &std::sync::Arc<AgentMessage>| {
            let value = serde_json::to_value(&**message).unwrap();
            let parts = value["content"].as_array().cloned().unwrap_or_default();
            let last = parts.last().and_then(|part| part["text"].as_str()).map(str::to_string);
            last.unwrap_or_else(|| value["summary"].as_str().unwrap_or_default().to_string())
        };
        messages::build(&self.0.path()).messages.iter().map(words).collect()
    }
}

#[test]
fn pin_survives_compactions_until_unpinned() {
    let mut path = Path::default();
    let rule = path.user("never touch main");
    path.pin(&rule, true);
    let second = path.user("two");
    path.compact(&second);
    assert_eq!(path.told(), ["S", "two", "never touch main"]);
    let third = path.user("three");
    path.compact(&third);
    assert_eq!(path.told(), ["S", "three", "never touch main"], "once");
    path.pin(&rule, false);
    let fourth = path.user("four");
    path.compact(&fourth);
    assert_eq!(path.told(), ["S", "four"]);
    path.pin(&rule, true);
    let fifth = path.user("five");
    path.compact(&fifth);
    assert_eq!(path.told(), ["S", "five", "never touch main"], "it can be pinned again");
}

#[test]
fn pin_kept_by_compaction_is_not_copied() {
    let mut path = Path::default();
    path.user("one");
    let kept = path.user("kept");
    path.pin(&kept, true);
    path.compact(&kept);
    assert_eq!(path.told(), ["S", "kept"]);
    let next = path.user("next");
    path.compact(&next);
    let later = path.user("later");
    // The copy stands behind what is kept from.
    path.compact(&next);
    assert_eq!(path.told(), ["S", "next", "kept", "later"]);
    path.compact(&later);
    assert_eq!(path.told(), ["S", "later", "kept"]);
}

#[test]
fn pin_copy_has_edited_content() {
    let mut path = Path::default();
    let (gone, other) = (path.user("gone"), path.user("as it was"));
    path.pin(&gone, true);
    path.pin(&other, true);
    path.add(&EntryBody::ContextEdit { target_id: gone, replacement: None });
    path.add(&EntryBody::ContextEdit {
        target_id: other,
        replacement: Some(json!({"content": "otherwise"})),
    });
    let last = path.user("last");
    path.compact(&last);
    assert_eq!(path.told(), ["S", "last", "otherwise"]);
}

#[test]
fn pin_text_names_kind_of_message() {
    let mut path = Path::default();
    let call = json!({"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "a"}});
    let answer = path
        .say(json!({"role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}, call]}));
    let picture = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let result = path.say(json!({"role": "toolResult", "toolCallId": "1", "toolName": "read",
        "content": [{"type": "text", "text": "found"}, picture]}));
    let ran = path.say(json!({"role": "bashExecution", "command": "ls", "output": "a b"}));
    let hidden = path
        .say(json!({"role": "bashExecution", "command": "ls", "output": "c", "excludeFromContext": true}));
    let note = path.add(&EntryBody::CustomMessage {
        custom_type: "note".into(),
        content: json!("mind"),
        display: true,
        details: None,
    });
    let all = [&answer, &result, &ran, &hidden, &note];
    for id in all {
        path.pin(id, true);
    }
    let last = path.user("last");
    let copies: Vec<Value> = pinned_copies(&path.0.path(), &last)
        .into_iter()
        .map(|body| match body {
            EntryBody::CustomMessage { custom_type, content, display: false, details: Some(_) } => {
                assert_eq!(custom_type, PINNED_COPY_TYPE);
                content
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let texts: Vec<Vec<&str>> = copies
        .iter()
        .map(|parts| {
            parts.as_array().unwrap().iter().map(|part| part["text"].as_str().unwrap_or("-")).collect()
        })
        .collect();
    let from = |what: &str| format!("[From the conversation before, kept word for word: {what}]\n");
    assert_eq!(
        texts,
        [
            vec![
                &*from("what the assistant said"),
                "I look.",
                "[It called the tool read with {\"path\":\"a\"}]"
            ],
            vec![&*from("the result of the tool read"), "found", "-"],
            vec![&*from("what the command `ls` of the user printed"), "a b"],
            vec![&*from("a note"), "mind"],
        ]
    );
    let can: Vec<bool> = path.0.entries().map(is_pinnable).collect();
    assert_eq!(can[..5], [true, true, true, false, true]);
    assert!(!can[5], "a pin itself is none");
}
