//! Schemas in the subset that providers can enforce during generation. Pure; must not know any wire format.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::base::json::json;

use crate::llm::model::{Strictness, ToolSpec};

/// Keywords outside of the subset.
const UNSUPPORTED_KEYWORDS: &[&str] = &[
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "oneOf",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "not",
    "if",
    "then",
    "else",
];

/// Returns a tool's parameters as they are sent, and whether the schema is to be enforced; `supported` is
/// whether the server can do that.
pub fn parameters(spec: &ToolSpec, supported: bool) -> (Cow<'_, Value>, bool) {
    let is_strict = match spec.strict {
        Strictness::Free => false,
        Strictness::Prefer => supported,
        Strictness::Require => true,
    };
    match schema(&spec.parameters).filter(|_| is_strict) {
        Some(strict) => (Cow::Owned(strict), true),
        // A required enforcement is sent anyway; the provider reports why it is impossible.
        None => (Cow::Borrowed(&spec.parameters), spec.strict == Strictness::Require),
    }
}

/// Returns a schema in the subset: every property is required, optional ones may be null, and no others are
/// allowed. `None` if the subset cannot express the schema.
pub fn schema(schema: &Value) -> Option<Value> {
    let object =
        schema.as_object().filter(|object| object.get("type").is_some_and(|kind| kind == "object"))?;
    node(object).map(Value::Object)
}

fn node(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    if UNSUPPORTED_KEYWORDS.iter().any(|key| schema.contains_key(*key)) {
        return None;
    }
    let mut strict = schema.clone();
    if let Some(variants) = schema.get("anyOf") {
        let variants = variants.as_array().filter(|variants| !variants.is_empty())?;
        // Of unions with objects or lists, only "this or null" is possible.
        let optional = variants.len() == 2 && variants.iter().any(|variant| variant["type"] == "null");
        let variants = variants.iter().map(|variant| {
            let variant = variant.as_object().filter(|variant| optional || !is_structured(variant))?;
            node(variant).map(Value::Object)
        });
        strict.insert("anyOf".into(), Value::Array(variants.collect::<Option<_>>()?));
    }
    if let Some(items) = schema.get("items") {
        strict.insert("items".into(), Value::Object(node(items.as_object()?)?));
    }
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return (!schema.contains_key("properties")).then_some(strict);
    }
    if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    let none = Map::new();
    let properties = schema.get("properties").map_or(Some(&none), Value::as_object)?;
    let required: Vec<&str> = match schema.get("required") {
        Some(names) => names.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?,
        None => Vec::new(),
    };
    if required.iter().any(|name| !properties.contains_key(*name)) {
        return None;
    }
    let all = properties.iter().map(|(name, property)| {
        let inner = Value::Object(node(property.as_object()?)?);
        let open = required.contains(&name.as_str()) || nullable(property);
        Some((name.clone(), if open { inner } else { json!({"anyOf": [inner, {"type": "null"}]}) }))
    });
    strict.insert("properties".into(), Value::Object(all.collect::<Option<_>>()?));
    strict.insert("required".into(), properties.keys().cloned().collect());
    strict.insert("additionalProperties".into(), Value::Bool(false));
    Some(strict)
}

fn is_structured(schema: &Map<String, Value>) -> bool {
    let is = |kind: &Value| kind == "object" || kind == "array";
    let kinds = schema.get("type");
    let by_kind = kinds.is_some_and(|kind| is(kind) || kind.as_array().is_some_and(|all| all.iter().any(is)));
    by_kind || schema.contains_key("properties") || schema.contains_key("items")
}

fn nullable(schema: &Value) -> bool {
    let kind = &schema["type"];
    let has_null = |list: &Value, null: &Value| list.as_array().is_some_and(|all| all.contains(null));
    kind == "null"
        || has_null(kind, &"null".into())
        || schema.get("const").is_some_and(Value::is_null)
        || has_null(&schema["enum"], &Value::Null)
        || schema["anyOf"].as_array().is_some_and(|all| all.iter().any(nullable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_schema_optional_fields_become_nullable() {
        let given = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer"},
            "mode": {"type": ["string", "null"]},
            "edits": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        }});
        let nothing = json!({"type": "null"});
        let item = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, nothing]}},
            "required": ["a"], "additionalProperties": false});
        let expected = json!({"type": "object", "required": ["path", "limit", "mode", "edits"], "properties": {
            "path": {"type": "string"},
            "limit": {"anyOf": [{"type": "integer"}, nothing]},
            "mode": {"type": ["string", "null"]},
            "edits": {"anyOf": [{"type": "array", "items": item}, nothing]},
        }, "additionalProperties": false});
        assert_eq!(schema(&given), Some(expected.clone()));
        assert_eq!(schema(&expected), Some(expected), "the subset is left as it is");
    }

    #[test]
    fn strict_schema_rejects_unsupported_keywords() {
        let with = |name: &str, value: &Value| schema(&json!({"type": "object", name: value}));
        for (name, value) in [
            ("$ref", json!("#/$defs/x")),
            ("oneOf", json!([])),
            ("anyOf", json!([])),
            ("anyOf", json!([{"type": "object"}])),
            ("additionalProperties", json!(true)),
            ("properties", json!({"a": true})),
            ("properties", json!({"a": {"not": {}}})),
            ("required", json!(["who"])),
            ("items", json!([])),
        ] {
            assert_eq!(with(name, &value), None, "{name} {value}");
        }
        assert_eq!(schema(&json!({"type": "string"})), None);
        assert_eq!(schema(&json!(true)), None);
    }

    #[test]
    fn strict_tools_by_strictness_and_server_support() {
        let of = |strict, supported, parameters: Value| {
            let spec = ToolSpec { parameters, strict, ..ToolSpec::default() };
            let (sent, held) = super::parameters(&spec, supported);
            (sent["additionalProperties"] == false, held)
        };
        let (fits, not) = (json!({"type": "object"}), json!({"type": "object", "oneOf": []}));
        assert_eq!(of(Strictness::Free, true, fits.clone()), (false, false));
        assert_eq!(of(Strictness::Prefer, true, fits.clone()), (true, true));
        assert_eq!(of(Strictness::Prefer, false, fits.clone()), (false, false));
        assert_eq!(of(Strictness::Prefer, true, not.clone()), (false, false));
        assert_eq!(of(Strictness::Require, false, fits), (true, true));
        assert_eq!(of(Strictness::Require, true, not), (false, true));
    }
}
