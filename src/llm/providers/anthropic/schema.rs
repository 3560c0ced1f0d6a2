//! JSON Schema for Anthropic: tool schemas unchanged except for what is rejected at the root, output schemas
//! in a closed form. Pure.

use serde_json::{Map, Value};

use crate::base::json::json;

/// Size keywords: the server cannot enforce them on output, and rejects the request.
const LIMIT_KEYWORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
];

/// String formats that the server can enforce.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// Keywords whose keys are user-defined names.
const NAMES: &[&str] = &["properties", "$defs", "definitions"];

/// Returns the schema of a tool's input: choices at its root are rejected.
pub fn input_schema(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return json!({"type": "object"}) };
    let kept = map.iter().filter(|(key, _)| !["anyOf", "oneOf", "allOf"].contains(&key.as_str()));
    let mut out: Map<String, Value> = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
    out.insert("type".into(), "object".into());
    Value::Object(out)
}

/// Returns the schema in a form that the server can enforce: objects allow only named properties; what cannot
/// be enforced is left to the validation of the output.
pub fn close_objects(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut out = Map::new();
            for (key, value) in map {
                let format = |value: &Value| value.as_str().is_some_and(|word| FORMATS.contains(&word));
                match key.as_str() {
                    key if LIMIT_KEYWORDS.contains(&key) => {}
                    "minItems" if value != 0 && value != 1 => {}
                    "format" if !format(value) => {}
                    "enum" | "const" | "default" | "examples" => {
                        out.insert(key.clone(), value.clone());
                    }
                    key if NAMES.contains(&key) => {
                        let named = value.as_object().into_iter().flatten();
                        let named: Map<_, _> =
                            named.map(|(name, v)| (name.clone(), close_objects(v))).collect();
                        out.insert(key.into(), Value::Object(named));
                    }
                    _ => {
                        out.insert(key.clone(), close_objects(value));
                    }
                }
            }
            if out.get("type").is_some_and(|kind| kind == "object") || out.contains_key("properties") {
                out.insert("additionalProperties".into(), false.into());
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(close_objects).collect(),
        other => other.clone(),
    }
}

/// Whether closing a schema preserves its meaning: objects with arbitrary names cannot be closed.
pub fn is_closable(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let open = map.get("additionalProperties").is_some_and(|more| *more != false);
            let nameless = map.get("type").is_some_and(|kind| kind == "object")
                && !map.contains_key("properties")
                && !map.contains_key("$ref");
            !open && !nameless && map.values().all(is_closable)
        }
        Value::Array(items) => items.iter().all(is_closable),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anthropic_schema_root_choices_are_dropped() {
        let schema = json!({"anyOf": [1], "$defs": {"a": {}}, "properties": {"anyOf": {"type": "string"}}});
        let expected =
            json!({"$defs": {"a": {}}, "properties": {"anyOf": {"type": "string"}}, "type": "object"});
        assert_eq!(input_schema(&schema), expected);
    }

    #[test]
    fn anthropic_closed_schema_drops_unsupported_keywords() {
        let schema = json!({"type": "object", "properties": {
            "minimum": {"type": "integer", "minimum": 1},
            "when": {"type": "string", "format": "date"},
            "which": {"type": "string", "format": "regex", "enum": [{"maximum": 1}]},
            "list": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {}}}}});
        let expected = json!({"type": "object", "properties": {
            "minimum": {"type": "integer"},
            "when": {"type": "string", "format": "date"},
            "which": {"type": "string", "enum": [{"maximum": 1}]},
            "list": {"type": "array",
                "items": {"type": "object", "properties": {}, "additionalProperties": false}}},
            "additionalProperties": false});
        assert_eq!(close_objects(&schema), expected);
        assert!(is_closable(&schema));
        assert!(!is_closable(&json!({"type": "object", "properties": {"map": {"type": "object"}}})));
        assert!(!is_closable(&json!({"properties": {}, "additionalProperties": {"type": "string"}})));
    }
}
