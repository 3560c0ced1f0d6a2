//! Answers of the demo guide. Pure except for the timestamp.

use std::sync::Arc;

use futures::{StreamExt, stream};

use crate::base::json::json;
use crate::llm::model::message::join_text;
use crate::llm::model::{Message, Request, StopReason, StreamEvent, ToolResultMessage};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::llm::stream_builder::StreamBuilder;

const WELCOME: &str = include_str!("../../../../assets/demo/welcome.md");
const KEYS: &str = include_str!("../../../../assets/demo/keys.md");
const CONNECT: &str = include_str!("../../../../assets/demo/connect.md");

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Guide { setup })
}

struct Guide {
    setup: Setup,
}

enum Reply {
    Say(String),
    Read(String),
}

impl Provider for Guide {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let mut draft = StreamBuilder::new(&request.model, self.setup.clock.now_ms());
        let mut events = vec![StreamEvent::Start];
        match reply(&request) {
            Reply::Say(text) => {
                let (index, event) = draft.open_text();
                events.push(event);
                // Word by word, to demonstrate streaming.
                events.extend(text.split_inclusive(' ').map(|word| draft.text(index, word.to_string())));
                events.push(StreamEvent::TextEnd { index });
            }
            Reply::Read(path) => {
                let id = format!("demo_{}", request.messages.len());
                let (index, event) = draft.open_call(id, "read".to_string());
                events.push(event);
                events.push(draft.arguments(index, json!({"path": path}).to_string()));
                events.extend(draft.close_call(index));
                draft.stop(StopReason::ToolUse, None);
            }
        }
        events.push(draft.done());
        stream::iter(events).boxed()
    }
}

fn reply(request: &Request) -> Reply {
    let prompt = match request.messages.last() {
        Some(Message::ToolResult(result)) => return Reply::Say(describe(result)),
        Some(Message::User(user)) => join_text(&user.content),
        _ => String::new(),
    };
    let can_read = request.tools.iter().any(|tool| tool.name == "read");
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut words = prompt.split_whitespace();
    let first = words.next().map(plain).unwrap_or_default();
    let mentions =
        |known: &[&str]| prompt.split_whitespace().any(|word| known.contains(&plain(word).as_str()));
    match (first.as_str(), words.next()) {
        ("read" | "show" | "open", Some(path)) if can_read => Reply::Read(path.to_string()),
        ("read" | "show" | "open", None) => {
            Reply::Say("Say which file, such as `read README.md`.".to_string())
        }
        // These words may be anywhere in a question.
        _ if mentions(&["keys", "key", "shortcuts"]) && !mentions(&["api"]) => {
            Reply::Say(KEYS.trim_end().to_string())
        }
        _ if mentions(&["connect", "model", "models", "login", "api"]) => {
            Reply::Say(CONNECT.trim_end().to_string())
        }
        _ => Reply::Say(WELCOME.trim_end().to_string()),
    }
}

/// Describes a tool result; the file itself is already displayed.
fn describe(result: &ToolResultMessage) -> String {
    let text = join_text(&result.content);
    if result.is_error {
        return format!("That did not work: {}", text.lines().next().unwrap_or("no reason was given"));
    }
    let lines = text.lines().count();
    format!(
        "The `read` tool gave {lines} {} of that file; expand the entry above to see them. \
         A model would go on from here; this guide only reads. Try `keys`, or `connect`.",
        if lines == 1 { "line" } else { "lines" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::{Model, Part, Thinking, ToolChoice, ToolSpec, UserMessage};
    use serde_json::Map;

    fn request(last: Message) -> Request {
        let read = ToolSpec {
            name: "read".into(),
            description: String::new(),
            parameters: json!({}),
            ..ToolSpec::default()
        };
        Request {
            model: Model::unknown("demo", "guide", "demo", ""),
            system: vec![],
            messages: vec![last],
            tools: vec![read],
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::Off,
            max_tokens: None,
            session_id: None,
            ..Request::default()
        }
    }

    fn says(words: &str) -> String {
        match reply(&request(Message::User(UserMessage::text(words, 0)))) {
            Reply::Say(text) => text,
            Reply::Read(path) => format!("READ {path}"),
        }
    }

    #[test]
    fn demo_guide_answers_known_words() {
        assert!(says("hello there").contains("not a model"));
        assert!(says("help").contains("not a model"));
        assert!(says("Keys?").contains("Ctrl-p"));
        for words in ["connect", "How do I connect a model?", "where does the API key go"] {
            assert!(says(words).contains("ANTHROPIC_API_KEY"), "{words}");
        }
        assert_eq!(says("read src/main.rs please"), "READ src/main.rs");
        assert!(says("read").contains("which file"));
    }

    #[test]
    fn demo_guide_counts_lines_of_result() {
        let result = ToolResultMessage {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            content: vec![Part::text("a\nb")],
            details: None,
            is_error: false,
            timestamp: 0,
            extra: Map::new(),
        };
        match reply(&request(Message::ToolResult(result))) {
            Reply::Say(text) => assert!(text.contains("2 lines"), "{text}"),
            Reply::Read(path) => panic!("{path}"),
        }
    }
}
