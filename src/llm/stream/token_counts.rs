//! Token counts in responses, which are usually numbers. An invalid count is ignored and never fails the
//! answer.
//!
//! Must not know what is counted.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Parses a count: negative becomes 0, fractions are truncated, digits in a string are accepted; otherwise
/// `None`.
pub fn parse_count(value: &Value) -> Option<u64> {
    let number = |number: f64| number.is_finite().then_some(number.max(0.0) as u64);
    match value {
        Value::Number(n) => n.as_u64().or_else(|| n.as_f64().and_then(number)),
        Value::String(text) => text.trim().parse::<f64>().ok().and_then(number),
        _ => None,
    }
}

/// The same for a field.
pub fn count<'de, D: Deserializer<'de>>(field: D) -> Result<Option<u64>, D::Error> {
    Ok(parse_count(&Value::deserialize(field)?))
}

/// Parses a group of counts; `None` for another type.
pub fn group<'de, D: Deserializer<'de>, T: DeserializeOwned>(field: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(field)?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn token_counts_read_odd_values() {
        for (value, count) in [
            (json!(7), Some(7)),
            (json!(7.9), Some(7)),
            (json!(-7), Some(0)),
            (json!(-0.5), Some(0)),
            (json!("7"), Some(7)),
            (json!(1e300), Some(u64::MAX)),
            (json!("many"), None),
            (json!(null), None),
            (json!([7]), None),
        ] {
            assert_eq!(parse_count(&value), count, "{value}");
        }
    }
}
