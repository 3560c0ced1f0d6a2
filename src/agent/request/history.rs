//! Conversation as it is sent to a model: model messages unchanged, other session messages as text.

use serde_json::Value;

use crate::llm::model::{Message, Usage, UserMessage};
use crate::session::{AgentMessage, SessionContext};

/// Returns the conversation as a model gets it. Token counts of answers before a compaction are removed.
pub fn messages(context: &SessionContext) -> Vec<Message> {
    let to_message = |(index, message): (usize, &std::sync::Arc<AgentMessage>)| {
        let mut message = for_model(message)?;
        clear_outdated_usage(&mut message, index < context.kept);
        Some(message)
    };
    context.messages.iter().enumerate().filter_map(to_message).collect()
}

/// The same for an owned conversation: messages are moved instead of copied.
pub fn into_messages(context: SessionContext) -> Vec<Message> {
    let kept = context.kept;
    let sent = |(index, message): (usize, std::sync::Arc<AgentMessage>)| {
        let mut message = match std::sync::Arc::unwrap_or_clone(message) {
            AgentMessage::Llm(message) if !is_replaced(&message) => message,
            other => for_model(&other)?,
        };
        clear_outdated_usage(&mut message, index < kept);
        Some(message)
    };
    context.messages.into_iter().enumerate().filter_map(sent).collect()
}

/// Removes the context size from an answer when it is outdated.
fn clear_outdated_usage(message: &mut Message, is_past: bool) {
    if let Message::Assistant(answer) = message
        && is_past
    {
        answer.usage = Usage::default();
    }
}

fn is_replaced(message: &Message) -> bool {
    matches!(message, Message::Assistant(answer) if answer.is_replaced())
}

/// Returns the number of answers in a conversation.
pub fn count_answers(context: &SessionContext) -> u32 {
    let is_answer = |message: &&std::sync::Arc<AgentMessage>| match &***message {
        AgentMessage::Llm(Message::Assistant(answer)) => !answer.is_replaced(),
        _ => false,
    };
    context.messages.iter().filter(is_answer).count().try_into().unwrap_or(u32::MAX)
}

/// Returns the message for a model; `None` when it is for users only, or superseded by another answer.
pub fn for_model(message: &AgentMessage) -> Option<Message> {
    let value = match message {
        AgentMessage::Llm(message) if is_replaced(message) => return None,
        AgentMessage::Llm(message) => return Some(message.clone()),
        AgentMessage::Other(value) => value,
    };
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = match message.role() {
        "compactionSummary" => format!(
            "The conversation before this point was summarised:\n\n<summary>\n{}\n</summary>",
            field("summary")
        ),
        "branchSummary" => format!(
            "This is a summary of another branch of the conversation:\n\n<summary>\n{}\n</summary>",
            field("summary")
        ),
        "bashExecution" if value.get("excludeFromContext") != Some(&Value::Bool(true)) => {
            format!("The user ran `{}`:\n\n{}", field("command"), field("output"))
        }
        "custom" => return convert_custom(value),
        _ => return None,
    };
    let timestamp = value.get("timestamp").and_then(Value::as_u64).unwrap_or(0);
    Some(Message::User(UserMessage::text(text, timestamp)))
}

/// Converts an extension's message: its content is that of a user message.
fn convert_custom(value: &Value) -> Option<Message> {
    let mut value = value.as_object()?.clone();
    value.retain(|name, _| name == "content" || name == "timestamp");
    serde_json::from_value(Value::Object(value)).ok().map(Message::User)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::message::join_text;

    fn told(value: Value) -> Option<String> {
        match for_model(&AgentMessage::Other(value))? {
            Message::User(user) => Some(join_text(&user.content)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn history_answers_before_compaction_have_no_size() {
        let answer = json!({"role": "assistant", "content": [], "api": "a", "provider": "p", "model": "m",
            "stopReason": "stop", "usage": {"totalTokens": 9}});
        let message = std::sync::Arc::new(serde_json::from_value(answer).unwrap());
        let context = SessionContext { messages: vec![message; 2], kept: 1, ..SessionContext::default() };
        let sizes: Vec<u64> = messages(&context)
            .iter()
            .map(|message| match message {
                Message::Assistant(answer) => answer.usage.total_tokens,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(sizes, [0, 9]);
        let others = [
            json!({"role": "custom", "content": "note", "display": true}),
            json!({"role": "hologram"}),
            json!({"role": "assistant", "content": [], "api": "a", "provider": "p", "model": "m",
                "stopReason": "error", "replaced": true}),
        ];
        let others = others.map(|value| std::sync::Arc::new(serde_json::from_value(value).unwrap()));
        let context = SessionContext { messages: [&context.messages[..], &others].concat(), ..context };
        assert_eq!(messages(&context).len(), 3);
        assert_eq!(into_messages(context.clone()), messages(&context), "the same messages");
    }

    #[test]
    fn history_other_roles_become_text_or_nothing() {
        let summary = told(json!({"role": "compactionSummary", "summary": "S"})).unwrap();
        assert!(summary.contains("<summary>\nS\n</summary>"));
        assert!(
            told(json!({"role": "bashExecution", "command": "ls", "output": "a"})).unwrap().contains("`ls`")
        );
        let hidden = json!({"role": "bashExecution", "command": "ls", "excludeFromContext": true});
        assert_eq!(told(hidden), None);
        assert_eq!(
            told(json!({"role": "custom", "content": "note", "display": true})).as_deref(),
            Some("note")
        );
        assert_eq!(told(json!({"role": "hologram"})), None);
    }
}
