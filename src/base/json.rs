//! The `json!` macro for JSON literals. The library's macro panics on a value that cannot be serialized, such
//! as a path that is not UTF-8; this one writes null instead and logs it.
//!
//! Must not know the content.

use serde::Serialize;
use serde_json::{Map, Value};

/// Inserts a field.
#[inline(never)]
pub fn put(fields: &mut Map<String, Value>, key: &str, value: Value) {
    fields.insert(key.to_string(), value);
}

/// Appends an item.
#[inline(never)]
pub fn push(items: &mut Vec<Value>, value: Value) {
    items.push(value);
}

/// Serializes a value; null, with a log message, if that is impossible, as with keys that are not strings.
#[inline(never)]
pub fn value<T: Serialize + ?Sized>(of: &T) -> Value {
    serde_json::to_value(of).unwrap_or_else(|error| {
        tracing::error!(%error, "a value cannot be told as JSON");
        Value::Null
    })
}

/// A JSON value: `json!({"name": name, "size": [1, 2], "none": null})`. A value may be any expression that
/// serde can serialize.
macro_rules! json {
    (@map $map:ident) => {};
    (@map $map:ident $key:tt : null $(, $($rest:tt)*)?) => {
        $crate::base::json::put(&mut $map, &*$key, serde_json::Value::Null);
        $( $crate::base::json::json!(@map $map $($rest)*); )?
    };
    (@map $map:ident $key:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::base::json::put(&mut $map, &*$key, $crate::base::json::json!([ $($inner)* ]));
        $( $crate::base::json::json!(@map $map $($rest)*); )?
    };
    (@map $map:ident $key:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::base::json::put(&mut $map, &*$key, $crate::base::json::json!({ $($inner)* }));
        $( $crate::base::json::json!(@map $map $($rest)*); )?
    };
    (@map $map:ident $key:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::base::json::put(&mut $map, &*$key, $crate::base::json::value(&$value));
        $( $crate::base::json::json!(@map $map $($rest)*); )?
    };
    (@list $list:ident) => {};
    (@list $list:ident null $(, $($rest:tt)*)?) => {
        $crate::base::json::push(&mut $list, serde_json::Value::Null);
        $( $crate::base::json::json!(@list $list $($rest)*); )?
    };
    (@list $list:ident [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::base::json::push(&mut $list, $crate::base::json::json!([ $($inner)* ]));
        $( $crate::base::json::json!(@list $list $($rest)*); )?
    };
    (@list $list:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::base::json::push(&mut $list, $crate::base::json::json!({ $($inner)* }));
        $( $crate::base::json::json!(@list $list $($rest)*); )?
    };
    (@list $list:ident $value:expr $(, $($rest:tt)*)?) => {
        $crate::base::json::push(&mut $list, $crate::base::json::value(&$value));
        $( $crate::base::json::json!(@list $list $($rest)*); )?
    };
    (null) => { serde_json::Value::Null };
    ([]) => { serde_json::Value::Array(Vec::new()) };
    ([ $($inner:tt)* ]) => {{
        let mut list = Vec::new();
        $crate::base::json::json!(@list list $($inner)*);
        serde_json::Value::Array(list)
    }};
    ({}) => { serde_json::Value::Object(serde_json::Map::new()) };
    ({ $($inner:tt)* }) => {{
        let mut map = serde_json::Map::new();
        $crate::base::json::json!(@map map $($inner)*);
        serde_json::Value::Object(map)
    }};
    ($value:expr) => { $crate::base::json::value(&$value) };
}
pub(crate) use json;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    #[test]
    fn json_macro_matches_serde_json() {
        let (name, nothing, list) = (String::from("n"), None::<u8>, [1, 2]);
        let ours = json!({
            "a": null, "b": [], "c": {}, "d": [null, [1, "x"], {"deep": {"er": true}}, name, -1.5],
            "e": name, (format!("k{}", 1)): list, name: nothing, "f": list.iter().map(|n| n * 2).collect::<Vec<_>>(),
            "g": if list.is_empty() { "none" } else { "some" }, "h": [1, 2].len(), "i": json!({"x": 1})["x"],
        });
        let theirs = serde_json::json!({
            "a": null, "b": [], "c": {}, "d": [null, [1, "x"], {"deep": {"er": true}}, name, -1.5],
            "e": name, (format!("k{}", 1)): list, name: nothing, "f": list.iter().map(|n| n * 2).collect::<Vec<_>>(),
            "g": if list.is_empty() { "none" } else { "some" }, "h": 2, "i": json!({"x": 1})["x"],
        });
        assert_eq!(ours.to_string(), theirs.to_string(), "to the byte: the order counts");
        assert_eq!((json!(null), json!([]), json!(3)), (().into(), Vec::<u8>::new().into(), 3.into()));
    }

    #[test]
    fn json_unserializable_value_becomes_null() {
        assert_eq!(json!({"a": HashMap::from([((1, 2), 3)])}), serde_json::json!({"a": null}));
    }
}
