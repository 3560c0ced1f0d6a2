//! Message parts in other programs' formats. Must not know sessions.

use serde_json::{Map, Value};

use crate::base::json::json;
use crate::base::lenient::replace_lone_surrogates;
use crate::llm::model::message::{KnownPart, ToolCall};
use crate::llm::model::{AssistantMessage, Message, Part, StopReason, ToolResultMessage, Usage, UserMessage};
use crate::session::format::body::EntryBody;
use crate::session::format::message::AgentMessage;

/// Returns the string in a field, or an empty one.
pub(super) fn field_text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Returns the parts of a content: a string, or a list of parts in Anthropic's or `OpenAI`'s format.
pub(super) fn parts(content: &Value) -> Vec<Part> {
    match content {
        Value::String(text) => vec![Part::text(text.clone())],
        Value::Array(items) => items.iter().map(part).collect(),
        Value::Null => Vec::new(),
        other => vec![Part::Unknown(other.clone())],
    }
}

fn part(item: &Value) -> Part {
    let known = match field_text(item, "type") {
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
            return Part::text(field_text(item, "text"));
        }
        "thinking" => Some(thinking(field_text(item, "thinking"), item["signature"].as_str(), false)),
        "redacted_thinking" => Some(thinking("", item["data"].as_str(), true)),
        "tool_use" | "server_tool_use" => {
            Some(call(field_text(item, "id"), field_text(item, "name"), item["input"].clone()))
        }
        "image" => media(&item["source"]).map(|(data, mime_type)| KnownPart::Image { data, mime_type }),
        "document" => media(&item["source"]).map(|(data, mime_type)| {
            let name = item["title"].as_str().map(str::to_string);
            KnownPart::Document { data, mime_type, name }
        }),
        "input_image" => decode_data_url(field_text(item, "image_url"))
            .map(|(data, mime_type)| KnownPart::Image { data, mime_type }),
        _ => None,
    };
    known.map_or_else(|| Part::Unknown(item.clone()), Part::Known)
}

pub(super) fn thinking(text: &str, signature: Option<&str>, redacted: bool) -> KnownPart {
    let thinking_signature = signature.filter(|text| !text.is_empty()).map(str::to_string);
    KnownPart::Thinking { thinking: text.to_string(), thinking_signature, redacted }
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> KnownPart {
    KnownPart::ToolCall(ToolCall {
        id: id.to_string(),
        name: name.to_string(),
        arguments,
        thought_signature: None,
    })
}

fn media(source: &Value) -> Option<(String, String)> {
    let (data, mime) = (source["data"].as_str()?, source["media_type"].as_str()?);
    Some((data.to_string(), mime.to_string()))
}

/// Returns data and type of a `data:` URL.
fn decode_data_url(url: &str) -> Option<(String, String)> {
    let (mime, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some((data.to_string(), mime.to_string()))
}

/// Returns a user message.
pub(super) fn user(content: Vec<Part>, timestamp: u64) -> EntryBody {
    message(Message::User(UserMessage { content, timestamp, extra: Map::new() }))
}

/// Returns the result of one call.
pub(super) fn result(
    call: &str,
    tool: &str,
    content: Vec<Part>,
    is_error: bool,
    timestamp: u64,
) -> ToolResultMessage {
    ToolResultMessage {
        tool_call_id: call.to_string(),
        tool_name: tool.to_string(),
        content,
        details: None,
        is_error,
        timestamp,
        extra: Map::new(),
    }
}

/// Returns an empty answer of a model.
pub(super) fn answer(api: &str, provider: &str, model: &str, timestamp: u64) -> AssistantMessage {
    AssistantMessage {
        content: Vec::new(),
        api: api.to_string(),
        provider: provider.to_string(),
        model: model.to_string(),
        response_model: None,
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        raw_stop_reason: None,
        error_message: None,
        timestamp,
        extra: Map::new(),
    }
}

pub(super) fn message(message: Message) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(message) }
}

/// Returns an entry for text that the program adds as the user.
pub(super) fn program_text(kind: &str, content: &[Part], display: bool) -> EntryBody {
    let content = json!(content);
    EntryBody::CustomMessage { custom_type: kind.to_string(), content, display, details: None }
}

/// A line's number from 1 and its object; `None` if it is not an object.
pub type Line = (usize, Option<Value>);

/// Returns the non-empty lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = Line> {
    text.lines().enumerate().filter_map(|(at, line)| parse_line(at, line))
}

/// Returns the line after `at` others; `None` for an empty one.
pub fn parse_line(at: usize, line: &str) -> Option<Line> {
    let line = if at == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
    let read = || serde_json::from_str(&replace_lone_surrogates(line)).ok().filter(Value::is_object);
    (!line.trim().is_empty()).then(|| (at + 1, read()))
}
