//! What another program says to JSON mode, in a line.
//!
//! Must not know what is done about it.

use serde_json::Value;

use crate::base::lenient;
use crate::llm::model::Part;

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonInput {
    /// Words for the agent, which are said once it has answered everything before; text, and pictures.
    Message(String, Vec<Part>),
    /// Interrupts what goes on.
    Interrupt,
}

impl JsonInput {
    /// Reads a line; the error says what is wrong with it.
    pub fn read(line: &str) -> Result<Self, String> {
        let wanted = || "a line is a JSON object whose `type` is `message` or `interrupt`".to_string();
        let mut fields = lenient::fields(line)?.ok_or_else(wanted)?;
        match fields.all.get("type").and_then(Value::as_str) {
            Some("interrupt") => Ok(Self::Interrupt),
            Some("message") => match fields.all.get_mut("content").map(Value::take) {
                Some(Value::String(text)) => Ok(Self::Message(text, Vec::new())),
                Some(Value::Array(parts)) => Self::of_parts(parts),
                _ => Err(fields.why("a message has `content`: a text, or parts".to_string())),
            },
            _ => Err(wanted()),
        }
    }

    fn of_parts(parts: Vec<Value>) -> Result<Self, String> {
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

/// Whether a line is meant for this mode, be it right or wrong, and no words of a prompt: an object with a `type`.
pub fn is_meant(line: &str) -> bool {
    let fields = lenient::fields(line).ok().flatten();
    fields.is_some_and(|fields| fields.all.get("type").is_some_and(Value::is_string))
}
