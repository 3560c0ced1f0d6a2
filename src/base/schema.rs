//! Checking a tool call's arguments, or any JSON, against a JSON Schema, in words a model can act on.
//!
//! Must not know any tool. What is only written in the wrong type (`"5"` for 5, null for
//! nothing) is put right first; models do that often, and refusing it costs a turn.

use std::sync::OnceLock;

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Number, Value};

/// Errors that are listed; a model needs a few, not hundreds.
const ERRORS_MAX: usize = 10;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    /// Compiled at the first call: compiling all of them would be a good part of the program's
    /// start. Or why the schema itself is wrong: a tool of somebody else must not hurt the others.
    validator: OnceLock<Result<Validator, String>>,
}

impl Schema {
    /// A schema; one that is wrong refuses every call.
    pub fn new(source: &Value) -> Self {
        Self { source: source.clone(), validator: OnceLock::new() }
    }

    fn validator(&self) -> &Result<Validator, String> {
        self.validator
            .get_or_init(|| jsonschema::validator_for(&self.source).map_err(|error| error.to_string()))
    }

    /// The arguments in the schema's types, or a list of what is wrong, one `- path: what` each.
    pub fn check(&self, mut args: Value) -> Result<Value, String> {
        let validator = self
            .validator()
            .as_ref()
            .map_err(|error| format!("- the tool's own schema is invalid: {error}"))?;
        coerce(&self.source, &mut args);
        let errors: Vec<String> =
            validator.iter_errors(&args).flat_map(|error| describe(&error)).take(ERRORS_MAX).collect();
        if errors.is_empty() { Ok(args) } else { Err(errors.join("\n")) }
    }
}

/// One line for each thing that an error names.
fn describe(error: &jsonschema::ValidationError<'_>) -> Vec<String> {
    let base = error.instance_path().to_string().trim_start_matches('/').replace('/', ".");
    let at = |name: &str| if base.is_empty() { name.to_string() } else { format!("{base}.{name}") };
    let here = if base.is_empty() { "arguments".to_string() } else { base.clone() };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![format!("- {}: missing", at(property.as_str().unwrap_or_default()))]
        }
        ValidationErrorKind::Type { kind } => {
            vec![format!("- {here}: expected {}, got {}", expected(kind), type_name(error.instance()))]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| format!("- {}: no such parameter", at(name))).collect()
        }
        _ => vec![format!("- {here}: {error}")],
    }
}

fn expected(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => {
            kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Puts values of a wrong but convertible type right, all the way down.
fn coerce(schema: &Value, value: &mut Value) {
    let allows = |name: &str| match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(many) => many.iter().any(|one| one == name),
        _ => false,
    };
    match value {
        Value::Object(fields) => {
            let required = |name: &str| {
                schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
            };
            let properties = &schema["properties"];
            fields.retain(|name, field| {
                !field.is_null()
                    || required(name)
                    || properties[name]["type"].is_null()
                    || nullable(&properties[name])
            });
            for (name, field) in fields {
                coerce(&properties[name], field);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| coerce(&schema["items"], item)),
        Value::String(text) if !allows("string") => {
            let converted = match text.trim() {
                "true" if allows("boolean") => Some(Value::Bool(true)),
                "false" if allows("boolean") => Some(Value::Bool(false)),
                number if allows("number") || allows("integer") => {
                    number.parse::<Number>().ok().map(Value::Number)
                }
                _ => None,
            };
            if let Some(converted) = converted {
                *value = converted;
            }
        }
        Value::Number(number) if allows("string") && !allows("number") && !allows("integer") => {
            *value = Value::String(number.to_string());
        }
        Value::Bool(flag) if allows("string") && !allows("boolean") => {
            *value = Value::String(flag.to_string());
        }
        _ => {}
    }
}

fn nullable(schema: &Value) -> bool {
    schema["type"] == "null"
        || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "null"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Schema {
        Schema::new(&json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "number", "minimum": 1},
                "all": {"type": "boolean"},
                "maybe": {"type": ["string", "null"]},
                "edits": {"type": "array", "items": {"type": "object",
                    "properties": {"old": {"type": "string"}}, "required": ["old"]}},
            },
            "required": ["path"],
            "additionalProperties": false,
        }))
    }

    #[test]
    fn values_in_the_wrong_type_are_put_right() {
        let args = json!({"path": 7, "limit": "5", "all": "true", "maybe": null});
        assert_eq!(
            schema().check(args).unwrap(),
            json!({"path": "7", "limit": 5, "all": true, "maybe": null})
        );
        assert_eq!(schema().check(json!({"path": "a", "limit": null})).unwrap(), json!({"path": "a"}));
    }

    #[test]
    fn errors_name_the_place_and_the_type() {
        let check = |args| schema().check(args).unwrap_err();
        assert_eq!(check(json!({})), "- path: missing");
        assert_eq!(check(json!({"path": null})), "- path: expected string, got null");
        assert_eq!(check(json!({"path": "a", "limit": "x"})), "- limit: expected number, got string");
        assert_eq!(check(json!({"path": "a", "edits": [{}]})), "- edits.0.old: missing");
        assert_eq!(
            check(json!({"path": "a", "b": 1, "c": 2})),
            "- b: no such parameter\n- c: no such parameter"
        );
        assert_eq!(check(json!([])), "- arguments: expected object, got array");
        assert!(check(json!({"path": "a", "limit": 0})).starts_with("- limit: "));
    }

    #[test]
    fn a_broken_schema_refuses_in_words() {
        let broken = Schema::new(&json!({"type": "banana"}));
        assert!(broken.check(json!({})).unwrap_err().contains("schema is invalid"));
    }
}
