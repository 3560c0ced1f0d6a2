//! Reads the arguments of a call, which its schema has validated, and fixes known deviations of models.
//!
//! Must not know any tool.

use serde_json::Value;

/// Returns a string; empty when it is missing.
pub fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns an optional string; an empty one counts as missing.
pub fn optional_text(args: &Value, name: &str) -> Option<String> {
    args.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(String::from)
}

/// A folder that may be missing: the working folder, then.
pub fn folder(args: &Value, name: &str) -> String {
    optional_text(args, name).unwrap_or_else(|| ".".to_string())
}

/// A number from 1 on; models send 0 and fractions too.
pub fn positive(args: &Value, name: &str) -> Option<usize> {
    args.get(name).and_then(Value::as_f64).map(|n| if n < 1.0 { 1 } else { n as usize })
}

/// A number from 0 on.
pub fn number(args: &Value, name: &str) -> Option<usize> {
    args.get(name).and_then(Value::as_f64).map(|n| if n < 0.0 { 0 } else { n as usize })
}

/// Returns a boolean; false when it is missing.
pub fn flag(args: &Value, name: &str) -> bool {
    args.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A list of texts.
pub fn texts(args: &Value, name: &str) -> Vec<String> {
    let list = args.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(String::from).collect()
}

/// Returns an object of the given fields without nulls.
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}

/// Renames fields if the correct name is missing: `(what models send, the correct name)`.
#[must_use]
pub fn rename_args(mut args: Value, names: &[(&str, &str)]) -> Value {
    if let Some(fields) = args.as_object_mut() {
        for (sent, meant) in names {
            if !fields.contains_key(*meant)
                && let Some(value) = fields.remove(*sent)
            {
                fields.insert((*meant).to_string(), value);
            }
        }
    }
    args
}

/// Converts a field that was sent as JSON text or as a single value to a list.
#[must_use]
pub fn wrap_in_list(mut args: Value, name: &str) -> Value {
    if let Some(value) = args.get_mut(name) {
        let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
        if let Some(parsed @ (Value::Array(_) | Value::Object(_))) = parsed {
            *value = parsed;
        }
        if !value.is_array() && !value.is_null() {
            *value = Value::Array(vec![value.take()]);
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn tool_args_accept_model_variants() {
        let args = json!({"n": 0, "f": 2.7, "minus": -3, "t": "", "list": ["a", 1]});
        assert_eq!(
            (positive(&args, "n"), positive(&args, "f"), positive(&args, "x")),
            (Some(1), Some(2), None)
        );
        assert_eq!((number(&args, "n"), number(&args, "minus")), (Some(0), Some(0)));
        assert_eq!((text(&args, "x"), optional_text(&args, "t"), flag(&args, "x")), ("", None, false));
        assert_eq!(texts(&args, "list"), ["a"]);
        assert_eq!(rename_args(json!({"path": "a"}), &[("path", "file_path")]), json!({"file_path": "a"}));
        let both = json!({"path": "a", "file_path": "b"});
        assert_eq!(rename_args(both.clone(), &[("path", "file_path")]), both);
        assert_eq!(wrap_in_list(json!({"a": "[1]"}), "a"), json!({"a": [1]}));
        assert_eq!(wrap_in_list(json!({"a": "x"}), "a"), json!({"a": ["x"]}));
        assert_eq!(wrap_in_list(json!({"a": {"b": 1}}), "a"), json!({"a": [{"b": 1}]}));
        assert_eq!(wrap_in_list(json!(["x"]), "a"), json!(["x"]));
    }
}
