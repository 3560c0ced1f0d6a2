//! Input messages of JSON mode, one per line.
//!
//! Must not know how they are handled.

use serde_json::Value;

use crate::base::lenient;
use crate::llm::model::Part;

/// An input message.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonInput {
    /// A prompt, sent when the agent has answered all earlier ones; text and images.
    Message(String, Vec<Part>),
    /// Interrupts the run.
    Interrupt,
}

impl JsonInput {
    /// Parses a line; the error describes the problem.
    pub fn parse(line: &str) -> Result<Self, String> {
        let usage_error = || "a line is a JSON object whose `type` is `message` or `interrupt`".to_string();
        let mut fields = lenient::fields(line)?.ok_or_else(usage_error)?;
        match fields.all.get("type").and_then(Value::as_str) {
            Some("interrupt") => Ok(Self::Interrupt),
            Some("message") => match fields.all.get_mut("content").map(Value::take) {
                Some(Value::String(text)) => Ok(Self::Message(text, Vec::new())),
                Some(Value::Array(parts)) => Self::from_parts(parts),
                _ => Err(fields.describe_invalid("a message has `content`: a text, or parts".to_string())),
            },
            _ => Err(usage_error()),
        }
    }

    fn from_parts(parts: Vec<Value>) -> Result<Self, String> {
        let parts: Result<Vec<Part>, _> = parts.into_iter().map(serde_json::from_value).collect();
        let parts = parts.map_err(|error| error.to_string())?;
        let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
        let text = texts.join("\n");
        if !parts.iter().all(|part| part.is_image() || part.as_text().is_some()) {
            return Err("the parts of a message are `text` and `image`".to_string());
        }
        let images = parts.into_iter().filter(Part::is_image).collect();
        Ok(Self::Message(text, images))
    }
}

/// Whether a line is a message for this mode, valid or not, and not prompt text: an object with a `type`.
pub fn is_mode_message(line: &str) -> bool {
    let fields = lenient::fields(line).ok().flatten();
    fields.is_some_and(|fields| fields.all.get("type").is_some_and(Value::is_string))
}
