//! Checking a tool call's arguments, or any JSON, against a JSON Schema, in words a model can act on.
//!
//! Must not know any tool. What is only written in the wrong type (`"5"` for 5, null for
//! nothing) is put right first; models do that often, and refusing it costs a turn.

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

use boon::{
    CompileError, Compiler, ErrorKind, InstanceToken, SchemaIndex, Schemas, UrlLoader, ValidationError,
};
use serde_json::{Number, Value};

/// Errors that are listed; a model needs a few, not hundreds.
const ERRORS_MAX: usize = 10;
/// Patterns of one schema that are given up, see [`without_pattern`].
const PATTERNS_MAX: usize = 64;
/// Where a schema is, for its own references. The name can lead nowhere.
const PLACE: &str = "https://schema.invalid/";

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    /// Compiled at the first call: compiling all of them would be a good part of the program's
    /// start. Or why the schema itself is wrong: a tool of somebody else must not hurt the others.
    validator: OnceLock<Result<Validator, String>>,
}

/// What a schema was compiled to.
struct Validator {
    schemas: Schemas,
    root: SchemaIndex,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").finish_non_exhaustive()
    }
}

/// What a schema names elsewhere is not looked up: neither files nor servers are a schema's business.
struct Nowhere;

impl UrlLoader for Nowhere {
    fn load(&self, _url: &str) -> Result<Value, Box<dyn Error>> {
        Err("a schema has to be whole".into())
    }
}

impl Schema {
    /// A schema; one that is wrong refuses every call.
    pub fn new(source: &Value) -> Self {
        Self { source: source.clone(), validator: OnceLock::new() }
    }

    fn validator(&self) -> &Result<Validator, String> {
        self.validator.get_or_init(|| compile(self.source.clone()))
    }

    /// The arguments in the schema's types, or a list of what is wrong, one `- path: what` each.
    pub fn check(&self, mut args: Value) -> Result<Value, String> {
        let validator = self
            .validator()
            .as_ref()
            .map_err(|error| format!("- the tool's own schema is invalid: {error}"))?;
        coerce(&self.source, &mut args);
        let mut errors = Vec::new();
        if let Err(error) = validator.schemas.validate(&args, validator.root) {
            describe(&error, &mut errors);
        }
        errors.truncate(ERRORS_MAX);
        if errors.is_empty() { Ok(args) } else { Err(errors.join("\n")) }
    }
}

/// Compiles a schema. Expressions that look around are legal there but cannot be told to ours: such a pattern is
/// not checked here, the tool itself looks at its arguments anyway.
fn compile(mut source: Value) -> Result<Validator, String> {
    for _ in 0..=PATTERNS_MAX {
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(Nowhere));
        compiler.add_resource(PLACE, source.clone()).map_err(|error| format!("{error:#}"))?;
        let mut schemas = Schemas::new();
        let refused = match compiler.compile(PLACE, &mut schemas) {
            Ok(root) => return Ok(Validator { schemas, root }),
            Err(CompileError::InvalidRegex { regex, .. }) => Some(regex),
            Err(CompileError::ValidationError { src, .. }) if refused_pattern(&src).is_some() => {
                refused_pattern(&src)
            }
            Err(error) => return Err(format!("{error:#}")),
        };
        if let Some(pattern) = refused {
            without_pattern(&mut source, &pattern);
        }
    }
    Err("too many of its patterns are no expressions".to_string())
}

/// The pattern that a schema of schemas takes for no expression.
fn refused_pattern(error: &ValidationError<'_, '_>) -> Option<String> {
    match &error.kind {
        ErrorKind::Format { got, want: "regex", .. } => got.as_str().map(str::to_string),
        _ => error.causes.iter().find_map(refused_pattern),
    }
}

/// Takes a pattern out, wherever it stands.
fn without_pattern(schema: &mut Value, pattern: &str) {
    match schema {
        Value::Object(fields) => {
            if fields.get("pattern").is_some_and(|one| one == pattern) {
                fields.shift_remove("pattern");
            }
            if let Some(Value::Object(patterns)) = fields.get_mut("patternProperties") {
                patterns.shift_remove(pattern);
            }
            fields.values_mut().for_each(|field| without_pattern(field, pattern));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without_pattern(item, pattern)),
        _ => {}
    }
}

/// One line for each thing that an error names.
fn describe(error: &ValidationError<'_, '_>, lines: &mut Vec<String>) {
    let tokens = error.instance_location.tokens.iter().map(|token| match token {
        InstanceToken::Prop(name) => name.to_string(),
        InstanceToken::Item(at) => at.to_string(),
    });
    let base = tokens.collect::<Vec<_>>().join(".");
    let at = |name: &str| if base.is_empty() { name.to_string() } else { format!("{base}.{name}") };
    let here = if base.is_empty() { "arguments" } else { &base };
    match &error.kind {
        ErrorKind::Required { want } => {
            lines.extend(want.iter().map(|name| format!("- {}: missing", at(name))));
        }
        ErrorKind::Type { got, want } => {
            let want: Vec<String> = want.iter().map(|kind| kind.to_string()).collect();
            lines.push(format!("- {here}: expected {}, got {got}", want.join(" or ")));
        }
        ErrorKind::AdditionalProperties { got } => {
            lines.extend(got.iter().map(|name| format!("- {}: no such parameter", at(name))));
        }
        ErrorKind::FalseSchema => lines.push(format!("- {here}: nothing is allowed here")),
        ErrorKind::Not => lines.push(format!("- {here}: this is just what is not allowed")),
        ErrorKind::AnyOf | ErrorKind::OneOf(None) => {
            lines.push(format!("- {here}: fits none of the forms that are allowed"));
        }
        ErrorKind::OneOf(Some(_)) => {
            lines.push(format!("- {here}: fits several of the forms of which it has to be one"));
        }
        // Those that only hold others together.
        kind if error.causes.is_empty() => lines.push(format!("- {here}: {kind}")),
        _ => error.causes.iter().for_each(|cause| describe(cause, lines)),
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
        assert_eq!(check(json!({"path": "a", "limit": 0})), "- limit: must be >=1, but got 0");
    }

    #[test]
    fn forms_and_references_are_looked_through() {
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
            "- size.w: missing\n- either: fits none of the forms that are allowed\n- unit: value must be one of 'px', 'em'"
        );
    }

    #[test]
    fn patterns_that_look_around_are_not_checked_and_nothing_is_looked_up() {
        let around = json!({"properties": {"a": {"pattern": "^(?!x)"}, "b": {"pattern": "^b+$"}}});
        let schema = Schema::new(&around);
        assert!(schema.check(json!({"a": "x", "b": "bb"})).is_ok());
        assert!(schema.check(json!({"b": "c"})).unwrap_err().starts_with("- b: "));
        let elsewhere = Schema::new(&json!({"$ref": "file:///etc/hostname"}));
        let error = elsewhere.check(json!({})).unwrap_err();
        assert!(error.contains("a schema has to be whole"), "{error}");
    }

    #[test]
    fn a_broken_schema_refuses_in_words() {
        let broken = Schema::new(&json!({"type": "banana"}));
        assert!(broken.check(json!({})).unwrap_err().contains("schema is invalid"));
    }
}
