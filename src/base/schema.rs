//! Validates JSON, such as a tool call's arguments, against a JSON Schema, with errors that a model can act
//! on.
//!
//! Must not know any tool. Values of a wrong but convertible type (`"5"` for 5, null for a missing value) are
//! converted first; models often send these, and rejecting them costs a turn.

use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Number, Value};

/// Maximum number of errors listed; a model needs only a few.
const ERRORS_MAX: usize = 10;
/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    /// Compiled on first use: compiling all schemas would be a large part of the program's start. Or the
    /// error in the schema itself: one invalid tool must not affect others.
    validator: OnceLock<Result<Validator, String>>,
}

impl Schema {
    /// Creates a schema; an invalid one rejects every call.
    pub fn new(source: &Value) -> Self {
        Self { source: source.clone(), validator: OnceLock::new() }
    }

    fn validator(&self) -> &Result<Validator, String> {
        self.validator.get_or_init(|| {
            let wrong = |error: ValidationError<'_>| format!("{}: {error}", error.instance_path());
            jsonschema::validator_for(&self.source).map_err(wrong)
        })
    }

    /// Returns the arguments in the schema's types, or a list of errors, one `- path: what` each.
    pub fn check(&self, mut args: Value) -> Result<Value, String> {
        let validator = self
            .validator()
            .as_ref()
            .map_err(|error| format!("- the tool's own schema is invalid: {error}"))?;
        coerce(&self.source, &mut args);
        let mut errors: Vec<String> =
            validator.iter_errors(&args).flat_map(|error| describe(&error)).collect();
        errors.truncate(ERRORS_MAX);
        if errors.is_empty() { Ok(args) } else { Err(errors.join("\n")) }
    }
}

/// Returns one line for each problem of an error.
fn describe(error: &ValidationError<'_>) -> Vec<String> {
    let segments = error.instance_path().segments().map(|segment| match segment {
        LocationSegment::Property(name) => name.into_owned(),
        LocationSegment::Index(at) => at.to_string(),
    });
    let base = segments.collect::<Vec<_>>().join(".");
    let at = |name: &str| if base.is_empty() { name.to_string() } else { format!("{base}.{name}") };
    let here = if base.is_empty() { "arguments" } else { &base };
    let line = |what: &str| vec![format!("- {here}: {what}")];
    match error.kind() {
        Kind::Required { property } => {
            vec![format!("- {}: missing", at(property.as_str().unwrap_or_default()))]
        }
        Kind::Type { kind } => {
            let want = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(many) => {
                    many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            line(&format!("expected {want}, got {}", JsonType::from(error.instance().as_ref())))
        }
        Kind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| format!("- {}: no such parameter", at(name))).collect()
        }
        Kind::FalseSchema => line("nothing is allowed here"),
        Kind::Not { .. } => line("this is just what is not allowed"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => line("fits none of the forms that are allowed"),
        Kind::OneOfMultipleValid { .. } => line("fits several of the forms of which it has to be one"),
        // The value may be a whole file, so it is masked.
        _ => line(&error.masked_with("value").to_string()),
    }
}

/// Converts values of a wrong but convertible type, recursively.
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
    use crate::base::json::json;

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
    fn schema_coerces_values_of_wrong_type() {
        let args = json!({"path": 7, "limit": "5", "all": "true", "maybe": null});
        assert_eq!(
            schema().check(args).unwrap(),
            json!({"path": "7", "limit": 5, "all": true, "maybe": null})
        );
        assert_eq!(schema().check(json!({"path": "a", "limit": null})).unwrap(), json!({"path": "a"}));
    }

    #[test]
    fn schema_errors_name_path_and_type() {
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
        assert_eq!(check(json!({"path": "a", "limit": 0})), "- limit: value is less than the minimum of 1");
    }

    #[test]
    fn schema_alternatives_and_references_are_checked() {
        let schema = Schema::new(&json!({
            "$defs": {"size": {"type": "object", "properties": {"w": {"type": "integer"}}, "required": ["w"]}},
            "properties": {
                "size": {"$ref": "#/$defs/size"},
                "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                "unit": {"enum": ["px", "em"]},
            },
        }));
        assert!(schema.check(json!({"size": {"w": 2}, "either": 1, "unit": "em"})).is_ok());
        assert_eq!(
            schema.check(json!({"size": {}, "either": [], "unit": "pt"})).unwrap_err(),
            "- size.w: missing\n- either: fits none of the forms that are allowed\n- unit: value is not one of \"px\" or \"em\""
        );
    }

    #[test]
    fn schema_lookaround_patterns_are_checked() {
        let schema =
            Schema::new(&json!({"properties": {"a": {"pattern": "^(?!x)"}, "b": {"pattern": "^b+$"}}}));
        assert!(schema.check(json!({"a": "y", "b": "bb"})).is_ok());
        assert_eq!(schema.check(json!({"a": "x"})).unwrap_err(), "- a: value does not match \"^(?!x)\"");
        assert!(schema.check(json!({"b": "c"})).unwrap_err().starts_with("- b: "));
    }

    #[test]
    fn schema_large_integers_are_compared_exactly() {
        let schema = Schema::new(
            &json!({"properties": {"n": {"type": "integer", "maximum": 9_007_199_254_740_992_u64}}}),
        );
        assert!(schema.check(json!({"n": 9_007_199_254_740_992_u64})).is_ok());
        let error = schema.check(json!({"n": 9_007_199_254_740_993_u64})).unwrap_err();
        assert_eq!(error, "- n: value is greater than the maximum of 9007199254740992");
    }

    #[test]
    fn schema_external_references_are_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("schema.json");
        std::fs::write(&file, "true").unwrap();
        let elsewhere = Schema::new(&json!({"$ref": format!("file://{}", file.display())}));
        let error = elsewhere.check(json!({})).unwrap_err();
        assert!(error.contains("the tool's own schema is invalid"), "{error}");
    }

    #[test]
    fn schema_invalid_is_reported() {
        let broken = Schema::new(&json!({"type": "banana"}));
        assert!(broken.check(json!({})).unwrap_err().contains("schema is invalid"));
    }
}
