//! Headers that `GitHub Copilot` requires for each request, in any dialect: initiator, purpose, and whether
//! there are images. Pure.
//!
//! The headers that identify an editor and its plugin belong to other programs: bowline sends none of them.

use crate::llm::model::{KnownPart, Message, Part, Request};

/// Returns the headers; empty for other providers.
pub fn headers(request: &Request) -> Vec<(String, String)> {
    if request.model.provider != "github-copilot" {
        return Vec::new();
    }
    // A request after tool results is initiated by the agent, and not counted as one of the user's.
    let begun =
        if matches!(request.messages.last(), Some(Message::User(_)) | None) { "user" } else { "agent" };
    let mut headers = vec![("x-initiator", begun), ("openai-intent", "conversation-edits")];
    if request.model.supports_images() && request.messages.iter().any(has_image) {
        headers.push(("copilot-vision-request", "true"));
    }
    headers.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// Whether a message contains an image.
fn has_image(message: &Message) -> bool {
    let content = match message {
        Message::User(user) => &user.content,
        Message::ToolResult(result) => &result.content,
        Message::Assistant(_) => return false,
    };
    content.iter().any(|part| matches!(part, Part::Known(KnownPart::Image { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Model, StreamEvent, ToolResultMessage, UserMessage};
    use crate::llm::stream_builder::StreamBuilder;

    fn of(provider: &str, messages: Vec<Message>, sees: bool) -> String {
        let mut model = Model::unknown(provider, "m", "a", "");
        if !sees {
            model.input = vec!["text".into()];
        }
        let headers = headers(&Request { model, messages, ..Request::default() });
        headers.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn copilot_headers_tell_initiator_and_vision() {
        let image = || Part::Known(KnownPart::Image { data: "aa".into(), mime_type: "image/png".into() });
        let hi = || Message::User(UserMessage::text("hi", 0));
        let shown = Message::User(UserMessage { content: vec![image()], ..UserMessage::text("", 0) });
        let answer = || match StreamBuilder::new(&Model::default(), 0).done() {
            StreamEvent::Done { message } => Message::Assistant(*message),
            other => panic!("{other:?}"),
        };
        let result = |content| {
            Message::ToolResult(ToolResultMessage {
                tool_call_id: "c".into(),
                tool_name: "read".into(),
                content,
                details: None,
                is_error: false,
                timestamp: 0,
                extra: serde_json::Map::new(),
            })
        };
        let copilot = "github-copilot";
        let (user, agent) = (
            "x-initiator=user openai-intent=conversation-edits",
            "x-initiator=agent openai-intent=conversation-edits",
        );
        let seeing = |who: &str| format!("{who} copilot-vision-request=true");
        assert_eq!(of(copilot, vec![hi()], true), user);
        assert_eq!(of(copilot, vec![], true), user);
        assert_eq!(of(copilot, vec![hi(), answer(), result(vec![])], true), agent);
        assert_eq!(of(copilot, vec![hi(), answer(), hi()], true), user);
        assert_eq!(of(copilot, vec![shown.clone()], true), seeing(user));
        assert_eq!(of(copilot, vec![hi(), answer(), result(vec![image()])], true), seeing(agent));
        assert_eq!(of(copilot, vec![shown.clone()], false), user, "images are left out for such a model");
        assert_eq!(of("openai", vec![shown], true), "");
    }
}
