//! Builders for JSON Schemas of arguments, one line per field. Models see the result byte for byte: the order
//! of keys matters.
//!
//! Must not know any tool.

use serde_json::{Map, Value};

use crate::base::json::json;

/// An object with these properties, some of them required.
pub fn object(required: &[&str], properties: Value) -> Value {
    let mut schema = Map::from_iter([("type".to_string(), json!("object"))]);
    schema.insert("properties".to_string(), properties);
    if !required.is_empty() {
        schema.insert("required".to_string(), json!(required));
    }
    Value::Object(schema)
}

/// A text.
pub fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// An enum of strings.
pub fn one_of(texts: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": texts, "description": description})
}

/// A list of texts.
pub fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

/// A yes or no.
pub fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// A number.
pub fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

/// An integer.
pub fn integer(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}
