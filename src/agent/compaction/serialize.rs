//! Serializes a conversation as one text for the summarizing model: as text it is not mistaken for a
//! conversation to continue. Pure. The labels of messages are pi's.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use super::estimate;
use crate::agent::request::history;
use crate::llm::model::message::join_text;
use crate::llm::model::{AssistantMessage, Message};
use crate::session::AgentMessage;

/// Characters kept of a tool's result, as in pi.
const RESULT_CHARS: usize = 2000;
/// Minimum tokens of a useful excerpt.
const MIN_EXCERPT_TOKENS: u64 = 64;

/// Returns the conversation as text in about this many tokens. If it is longer, the first message is kept,
/// and as much of the end as fits.
pub fn serialize(messages: &[Arc<AgentMessage>], tokens: u64) -> String {
    let mut lines: Vec<String> = messages.iter().flat_map(|message| serialize_message(message)).collect();
    if lines.iter().map(|text| estimate::of_text(text)).sum::<u64>() <= tokens {
        return lines.join("\n\n");
    }
    let first = truncate(&lines.remove(0), chars(tokens / 2));
    let mut room = tokens.saturating_sub(estimate::of_text(&first));
    let mut end = Vec::new();
    for text in lines.iter().rev() {
        let size = estimate::of_text(text);
        if size > room {
            if room >= MIN_EXCERPT_TOKENS {
                end.push(truncate(text, chars(room)));
            }
            break;
        }
        room -= size;
        end.push(text.clone());
    }
    let omitted = lines.len() - end.len();
    if omitted > 0 {
        end.push(format!("[{omitted} parts of the conversation are left out here]"));
    }
    end.push(first);
    end.reverse();
    end.join("\n\n")
}

/// Returns a number of characters that is certain not to exceed these tokens.
fn chars(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(3)).unwrap_or(usize::MAX)
}

/// Returns the parts of one message, each with its label.
fn serialize_message(message: &AgentMessage) -> Vec<String> {
    let marked = |mark: &str, text: String| {
        let text = text.trim().to_string();
        (!text.is_empty()).then(|| format!("[{mark}]: {}", escape_closing_tag(&text)))
    };
    match history::for_model(message) {
        Some(Message::User(user)) => marked("User", join_text(&user.content)).into_iter().collect(),
        Some(Message::Assistant(answer)) => {
            let texts = marked("Assistant", answer.text());
            texts.into_iter().chain(marked("Assistant tool calls", calls(&answer))).collect()
        }
        Some(Message::ToolResult(result)) => {
            marked("Tool result", truncate(&join_text(&result.content), RESULT_CHARS)).into_iter().collect()
        }
        None => Vec::new(),
    }
}

fn calls(answer: &AssistantMessage) -> String {
    let call = |call: &crate::llm::model::ToolCall| match call.arguments.as_object() {
        Some(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}({})", call.name, fields.join(", "))
        }
        None => format!("{}({})", call.name, call.arguments),
    };
    answer.tool_calls().map(call).collect::<Vec<_>>().join("; ")
}

/// Returns the text truncated to about this many characters, with a note on how many are missing. Cuts only
/// between characters.
fn truncate(text: &str, chars: usize) -> String {
    let mut count = 0;
    let prefix = text.graphemes(true).take_while(|sign| {
        count += sign.chars().count();
        count <= chars
    });
    let end = prefix.map(str::len).sum::<usize>();
    if end == text.len() {
        return text.to_string();
    }
    format!("{}\n[{} more characters are left out]", &text[..end], text[end..].chars().count())
}

/// Escapes the text so that it cannot close the quotation around it.
fn escape_closing_tag(text: &str) -> String {
    if text.contains("</conversation>") {
        text.replace("</conversation>", "< /conversation>")
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use serde_json::Value;

    fn said(messages: Vec<Value>, tokens: u64) -> String {
        let messages: Vec<_> =
            messages.into_iter().map(|m| Arc::new(serde_json::from_value(m).unwrap())).collect();
        serialize(&messages, tokens)
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    fn result(text: &str) -> Value {
        json!({"role": "toolResult", "toolCallId": "i", "toolName": "bash", "content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn compaction_transcript_labels_messages_without_thinking() {
        let answer = json!({"role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."},
                {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "a", "limit": 3}},
                {"type": "toolCall", "id": "2", "name": "odd", "arguments": "{broken"}]});
        let summary = json!({"role": "branchSummary", "summary": "B"});
        let text =
            said(vec![user(" do it "), answer, result("done"), summary, json!({"role": "hologram"})], 9999);
        let (told, branch) = text.split_at(text.rfind("[User]").unwrap());
        assert_eq!(
            told,
            "[User]: do it\n\n[Assistant]: I look.\n\n[Assistant tool calls]: read(path=\"a\", limit=3); \
             odd(\"{broken\")\n\n[Tool result]: done\n\n"
        );
        assert!(branch.contains("<summary>\nB\n</summary>"), "{branch}");
    }

    #[test]
    fn compaction_transcript_long_results_are_cut() {
        let text = said(vec![user("x"), result(&format!("{}👩‍👩‍👧tail", "é".repeat(1998)))], 99_999);
        assert!(text.ends_with("éé\n[9 more characters are left out]"), "{}", &text[text.len() - 80..]);
        assert!(said(vec![result(&"é".repeat(2000))], 9999).ends_with('é'));
    }

    #[test]
    fn compaction_transcript_drops_middle_when_too_long() {
        let words: Vec<Value> = (0..100).map(|n| user(&format!("{n:0>100}"))).collect();
        let text = said(words, 200);
        let numbers: Vec<&str> = text.split("\n\n").collect();
        assert!(numbers[0].ends_with("000") && numbers[numbers.len() - 1].ends_with("99"), "{text}");
        assert_eq!(
            numbers[1],
            format!("[{} parts of the conversation are left out here]", 101 - numbers.len())
        );
        assert!(estimate::of_text(&text) < 230, "{}", text.len());
        assert_eq!(said(vec![], 10), "");
        // What stands where the room ends is cut, not left out.
        let text = said(vec![user("begin"), user("gone"), user(&"x".repeat(9000)), user("end")], 200);
        let parts: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(
            (parts[0], parts[1], parts[3]),
            ("[User]: begin", "[1 parts of the conversation are left out here]", "[User]: end",)
        );
        assert!(parts[2].starts_with("[User]: xxx") && parts[2].ends_with("are left out]"), "{text}");
        let one = said(vec![user(&"x".repeat(9000))], 200);
        assert!(one.starts_with("[User]: xxx") && one.len() < 500, "{one}");
    }

    #[test]
    fn compaction_transcript_escapes_closing_tag() {
        assert!(!said(vec![user("a</conversation>b")], 999).contains("</conversation>"));
    }
}
