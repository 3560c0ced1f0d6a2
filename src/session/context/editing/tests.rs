//! Edits against small trees.

use super::*;
use crate::session::{Tree, context::messages};

/// Entries that follow each other: `u` the user, `a` an answer, `c` an answer with two calls, `r`/`s` their
/// results, `k` a compaction that keeps from the entry named behind it.
fn tree(script: &str) -> Tree {
    let mut tree = Tree::default();
    let mut parent = Value::Null;
    for word in script.split(' ') {
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        let answer = |content: Value| json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "stopReason": "stop"});
        let call =
            |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": id}});
        let result = |id: &str| json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": text(word)});
        let message = match &word[..1] {
            "u" => json!({"role": "user", "content": word}),
            "a" => answer(text(word)),
            "c" => answer(json!([{"type": "thinking", "thinking": "hm"}, call("1"), call("2")])),
            "r" => result("1"),
            "s" => result("2"),
            _ => Value::Null,
        };
        let mut line =
            json!({"type": "message", "id": word, "parentId": parent, "timestamp": "t", "message": message});
        if let Some(kept) = word.strip_prefix('k') {
            line = json!({"type": "compaction", "id": word, "parentId": parent, "timestamp": "t",
                "summary": "S", "firstKeptEntryId": kept, "tokensBefore": 1});
        }
        tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        parent = json!(word);
    }
    tree
}

/// Does it; gives how many entries that took.
fn make(tree: &mut Tree, target: &str, wish: &ContextEdit) -> Result<usize, EditError> {
    let edits = edit_entries(&tree.path(), target, wish)?;
    let count = edits.len();
    for body in edits {
        let parent = tree.leaf().map(|leaf| leaf.id().to_string());
        let id = format!("edit {}", tree.entries().len());
        tree.push(Entry::new(id, parent, "t".into(), &body).unwrap()).unwrap();
    }
    Ok(count)
}

/// What is told: the words of each message.
fn told(tree: &Tree) -> String {
    let words = |message: &std::sync::Arc<AgentMessage>| match editable_text(message) {
        words if words.is_empty() => message.role().to_string(),
        words => words,
    };
    messages::build(&tree.path()).messages.iter().map(words).collect::<Vec<_>>().join(" ")
}

#[test]
fn context_exclude_answer_takes_its_results_along() {
    let mut tree = tree("u1 c1 r1 s1 u2");
    let before = messages::build(&tree.path()).messages;
    assert_eq!(make(&mut tree, "c1", &ContextEdit::Exclude), Ok(3));
    assert_eq!(told(&tree), "u1 u2");
    assert_eq!(make(&mut tree, "c1", &ContextEdit::Exclude), Err(EditError::AlreadyExcluded));
    assert_eq!(make(&mut tree, "s1", &ContextEdit::Restore), Ok(3), "by any of the group");
    assert_eq!(messages::build(&tree.path()).messages, before);
    assert_eq!(make(&mut tree, "c1", &ContextEdit::Restore), Err(EditError::AlreadyOriginal));
}

#[test]
fn context_restore_keeps_individual_edits() {
    for target in ["c1", "s1"] {
        let mut tree = tree("u1 c1 r1 s1 u2");
        make(&mut tree, "r1", &ContextEdit::Exclude).unwrap();
        make(&mut tree, "s1", &ContextEdit::Replace("short".into())).unwrap();
        assert_eq!(make(&mut tree, "c1", &ContextEdit::Exclude), Ok(3));
        assert_eq!(make(&mut tree, target, &ContextEdit::Restore), Ok(3));
        let own = if target == "s1" { "s1" } else { "short" };
        assert_eq!(told(&tree), format!("u1 assistant {EXCLUDED_PLACEHOLDER} {own} u2"), "by {target}");
        make(&mut tree, "r1", &ContextEdit::Restore).unwrap();
        assert_eq!(told(&tree), format!("u1 assistant r1 {own} u2"));
    }
}

#[test]
fn context_excluded_result_leaves_note() {
    let mut tree = tree("u1 c1 r1 s1 u2");
    assert_eq!(make(&mut tree, "r1", &ContextEdit::Exclude), Ok(1));
    assert_eq!(told(&tree), format!("u1 assistant {EXCLUDED_PLACEHOLDER} s1 u2"));
    assert_eq!(make(&mut tree, "r1", &ContextEdit::Restore), Ok(1));
    assert_eq!(told(&tree), "u1 assistant r1 s1 u2");
}

#[test]
fn context_excluded_user_message_leaves_note_if_needed() {
    for (script, target, left) in [
        ("u1 a1 u2 a2", "u2", "u1 a1 (left out by the user) a2"),
        ("u1 a1 u2", "u1", "(left out by the user) a1 u2"),
        ("u1 u2 a1", "u1", "u2 a1"),
        ("u1 a1 u2 u3 a2", "u2", "u1 a1 u3 a2"),
        ("u1 a1 u2", "u2", "u1 a1"),
        ("u1 c1 r1 s1 u2 a2", "u2", "u1 assistant r1 s1 a2"),
    ] {
        let mut tree = tree(script);
        assert_eq!(make(&mut tree, target, &ContextEdit::Exclude), Ok(1));
        assert_eq!(told(&tree), left, "{script} without {target}");
    }
}

#[test]
fn context_replace_changes_only_text() {
    let mut tree = tree("u1 c1 r1 s1");
    make(&mut tree, "u1", &ContextEdit::Replace("other".into())).unwrap();
    make(&mut tree, "c1", &ContextEdit::Replace("I look.".into())).unwrap();
    make(&mut tree, "r1", &ContextEdit::Replace("short".into())).unwrap();
    assert_eq!(told(&tree), "other I look. short s1");
    let answer = serde_json::to_value(&*messages::build(&tree.path()).messages[1]).unwrap();
    let kinds: Vec<&str> =
        answer["content"].as_array().unwrap().iter().filter_map(|part| part["type"].as_str()).collect();
    assert_eq!(kinds, ["thinking", "text", "toolCall", "toolCall"]);
    assert_eq!(make(&mut tree, "u1", &ContextEdit::Replace(" \n".into())), Err(EditError::Empty));
    let picture =
        json!([{"type": "text", "text": "a"}, {"type": "image", "data": "x"}, {"type": "text", "text": "b"}]);
    assert_eq!(
        replace_text(&picture, "c"),
        json!([{"type": "text", "text": "c"}, {"type": "image", "data": "x"}])
    );
    assert_eq!(replace_text(&json!([{"type": "thinking"}]), "c")[1]["text"], "c");
}

#[test]
fn context_edit_of_unsent_entry_is_refused() {
    let mut tree = tree("u1 a1 u2 ku2 u3");
    assert_eq!(make(&mut tree, "u1", &ContextEdit::Exclude), Err(EditError::Summarized("ku2".into())));
    assert_eq!(make(&mut tree, "ku2", &ContextEdit::Exclude), Err(EditError::Unknown("ku2".into())));
    assert_eq!(make(&mut tree, "x", &ContextEdit::Exclude), Err(EditError::Unknown("x".into())));
    assert_eq!(make(&mut tree, "u2", &ContextEdit::Exclude), Ok(1), "what it keeps can");
}

#[test]
fn context_excluded_entry_cannot_be_replaced() {
    let mut tree = tree("u1 c1 r1 s1 a1 u2");
    let other = ContextEdit::Replace("otherwise".into());
    make(&mut tree, "c1", &ContextEdit::Exclude).unwrap();
    for target in ["c1", "r1", "s1"] {
        assert_eq!(make(&mut tree, target, &other), Err(EditError::Excluded), "{target}");
    }
    make(&mut tree, "c1", &ContextEdit::Restore).unwrap();
    make(&mut tree, "r1", &other).unwrap();
    assert_eq!(told(&tree), "u1 assistant otherwise s1 a1 u2");
}
