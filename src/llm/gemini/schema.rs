//! Converts JSON Schema to Gemini's subset: without references, schema metadata and `additionalProperties`;
//! `const` becomes an `enum` with one value.
//!
//! Pure. The output is finite for any input: recursive definitions are cut off.

use serde_json::{Map, Value};

use crate::base::json::json;

/// Keywords that do not constrain a value, or that the services refuse.
const DROPPED: &[&str] = &[
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
];

/// Keywords whose keys are user-defined names.
const NAMES: &[&str] = &["properties", "dependentSchemas", "dependencies"];

/// Keywords that contain a schema, or a list of schemas.
const SCHEMAS: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Maximum number of subschemas: references multiply.
const SCHEMAS_MAX: usize = 20_000;

/// Returns the schema in the services' subset.
pub fn simplify(schema: &Value) -> Value {
    SchemaSimplifier { root: schema, open_references: Vec::new(), schema_count: 0 }.schema(schema)
}

struct SchemaSimplifier<'a> {
    root: &'a Value,
    /// The references that are being expanded.
    open_references: Vec<&'a str>,
    schema_count: usize,
}

impl<'a> SchemaSimplifier<'a> {
    fn schema(&mut self, schema: &'a Value) -> Value {
        self.schema_count += 1;
        match schema {
            Value::Object(map) if self.schema_count <= SCHEMAS_MAX => self.object(map),
            Value::Array(items) => items.iter().map(|item| self.schema(item)).collect(),
            // `true` allows anything; so does a schema beyond the limit.
            Value::Bool(true) | Value::Object(_) => json!({}),
            other => other.clone(),
        }
    }

    fn object(&mut self, map: &'a Map<String, Value>) -> Value {
        let mut out = match map.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.resolve_reference(reference),
            None => Map::new(),
        };
        for (key, value) in map {
            match key.as_str() {
                "$ref" => {}
                // The services ignore `const`, but support enums of strings and numbers.
                "const" if !map.contains_key("enum") && (value.is_string() || value.is_number()) => {
                    out.insert("enum".into(), json!([value]));
                }
                key if DROPPED.contains(&key) => {}
                key if NAMES.contains(&key) => {
                    let named = value.as_object().into_iter().flatten();
                    let named: Map<_, _> = named.map(|(name, v)| (name.clone(), self.schema(v))).collect();
                    out.insert(key.into(), Value::Object(named));
                }
                key if SCHEMAS.contains(&key) => {
                    let inner = self.schema(value);
                    out.insert(key.into(), inner);
                }
                key => {
                    out.insert(key.into(), value.clone());
                }
            }
        }
        Value::Object(out)
    }

    /// Expands a local reference; fields beside it take precedence.
    fn resolve_reference(&mut self, reference: &'a str) -> Map<String, Value> {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target else { return Map::new() };
        if self.open_references.contains(&reference) {
            // Of a recursive definition only the type is kept.
            let kind = target.get("type").map(|kind| ("type".to_string(), kind.clone()));
            return kind.into_iter().collect();
        }
        self.open_references.push(reference);
        let inner = self.schema(target);
        self.open_references.pop();
        match inner {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gemini_schema_inlines_references() {
        let schema = json!({
            "$schema": "x", "type": "object", "additionalProperties": false,
            "$defs": {"knot": {"type": "string", "description": "a knot"}},
            "properties": {
                "knot": {"$ref": "#/$defs/knot", "description": "which"},
                "kind": {"const": "bend"},
                "$ref": {"type": "string"},
                "many": {"type": "array", "items": {"$ref": "#/$defs/knot"}},
                "any": true},
            "required": ["knot"]});
        let expected = json!({
            "type": "object",
            "properties": {
                "knot": {"type": "string", "description": "which"},
                "kind": {"enum": ["bend"]},
                "$ref": {"type": "string"},
                "many": {"type": "array", "items": {"type": "string", "description": "a knot"}},
                "any": {}},
            "required": ["knot"]});
        assert_eq!(simplify(&schema), expected);
    }

    #[test]
    fn gemini_schema_recursive_definition_is_cut_off() {
        let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}});
        let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": node}});
        let expected = json!({"type": "object", "properties": {"next": {"type": "object"}}});
        assert_eq!(simplify(&schema), expected);
        assert_eq!(simplify(&json!({"$ref": "#"})), json!({}));
        assert_eq!(
            simplify(&json!({"$ref": "http://elsewhere/x", "type": "string"})),
            json!({"type": "string"})
        );
    }

    #[test]
    fn gemini_schema_multiplying_references_stay_bounded() {
        let mut defs = Map::new();
        for n in 0..30 {
            let next = format!("#/$defs/d{}", n + 1);
            defs.insert(format!("d{n}"), json!({"anyOf": [{"$ref": next}, {"$ref": next}, {"$ref": next}]}));
        }
        let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
        assert!(simplify(&schema).to_string().len() < 2_000_000);
    }

    fn schemas() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(true)),
            Just(json!(3)),
            Just(json!({"$ref": "#/properties/a"})),
            Just(json!({"$ref": "#/$defs/a"})),
            Just(json!({"const": 1})),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            let key = prop_oneof![
                Just("properties"),
                Just("a"),
                Just("items"),
                Just("anyOf"),
                Just("$defs"),
                Just("$ref")
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..4).prop_map(|pairs| {
                    Value::Object(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn gemini_schema_any_input_terminates(schema in schemas()) {
            let once = simplify(&schema);
            prop_assert!(once.to_string().len() < 20_000_000);
        }
    }
}
