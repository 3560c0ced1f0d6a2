//! Lists that are decoded item by item, so that one odd item costs itself. Pure.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// Decodes the items of a list that are as the protocol promises; the others are logged. `what` names an item.
pub fn items<T: DeserializeOwned>(list: Vec<Value>, what: &str) -> Vec<T> {
    let decoded = list.into_iter().filter_map(|item| match serde_json::from_value(item) {
        Ok(item) => Some(item),
        Err(error) => {
            tracing::debug!(%error, "language server: invalid {what} is left out");
            None
        }
    });
    decoded.collect()
}

/// Takes a field out of a value; null where the value has none, or is no object.
pub fn take_field(value: &mut Value, field: &str) -> Value {
    value.get_mut(field).map(Value::take).unwrap_or_default()
}

/// Returns the items of a list, each as it was written, so that a long list is never in memory as values; that of a single
/// item, or none for null.
pub fn raw_list(list: &RawValue) -> Vec<&RawValue> {
    match list.get() {
        "null" => Vec::new(),
        text if text.starts_with('[') => serde_json::from_str(text).unwrap_or_else(|error| {
            tracing::debug!(%error, "language server: a list cannot be read");
            Vec::new()
        }),
        _ => vec![list],
    }
}

/// Returns a value as a list: that of a single item, or none for null.
pub fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        one => vec![one],
    }
}
