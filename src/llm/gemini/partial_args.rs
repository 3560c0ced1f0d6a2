//! Arguments of a call that arrive as pieces with JSON paths (`$.edits[0].text`). Pure.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

/// Maximum steps of a path; no tool schema is as deep.
const DEPTH_MAX: usize = 32;
/// Integers up to this are exact in a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A piece of a value.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    #[serde(default)]
    json_path: String,
    string_value: Option<String>,
    number_value: Option<f64>,
    bool_value: Option<bool>,
    null_value: Option<Value>,
    #[serde(default)]
    will_continue: bool,
}

/// Partial arguments.
#[derive(Debug)]
pub struct PartialArgs {
    all: Value,
    /// The path whose string continues.
    open: Option<String>,
}

/// A step of a path.
#[derive(Debug, PartialEq)]
enum Step {
    Name(String),
    At(usize),
}

impl PartialArgs {
    /// Creates arguments, optionally from a complete value.
    pub fn new(begun: Option<Value>) -> Self {
        let all = begun.filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()));
        Self { all, open: None }
    }

    /// Adds a piece; fails if its path is invalid.
    pub fn push(&mut self, piece: Piece) -> Result<(), String> {
        let Piece { json_path: path, string_value, number_value, bool_value, null_value, will_continue } =
            piece;
        let goes_on = self.open.take().is_some_and(|open| open == path);
        let value = string_value
            .map(Value::String)
            .or(number_value.map(number))
            .or(bool_value.map(Value::Bool))
            .or(null_value.map(|_| Value::Null));
        if let Some(value) = value {
            let wrong = || format!("an argument came for `{path}`, which is no place");
            let slot = steps(&path).and_then(|steps| find(&mut self.all, steps)).ok_or_else(wrong)?;
            match (slot, value) {
                (Value::String(text), Value::String(more)) if goes_on => text.push_str(&more),
                (slot, value) => *slot = value,
            }
        }
        self.open = will_continue.then_some(path);
        Ok(())
    }

    /// Returns the arguments.
    pub fn finish(self) -> Value {
        self.all
    }
}

/// Returns a number; integral values are written without a fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() <= EXACT_MAX {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Parses the steps of `$.a.b[0]['c']`; `None` for other paths.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(inner) = rest.strip_prefix('[') {
            let quote = inner.chars().next().filter(|c| matches!(c, '\'' | '"'));
            if let Some(quote) = quote {
                let (name, after) = inner[1..].split_once(&format!("{quote}]"))?;
                (Step::Name(name.to_string()), after)
            } else {
                let (at, after) = inner.split_once(']')?;
                (Step::At(at.parse().ok()?), after)
            }
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            (Step::Name(name[..end].to_string()), &name[end..])
        };
        if step == Step::Name(String::new()) || steps.len() == DEPTH_MAX {
            return None;
        }
        steps.push(step);
        rest = after;
    }
    (!steps.is_empty()).then_some(steps)
}

/// Returns the value at a path, creating it on the way; lists grow by one element at a time.
fn find(from: &mut Value, steps: Vec<Step>) -> Option<&mut Value> {
    let mut at = from;
    for step in steps {
        match step {
            Step::Name(name) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at = at.as_object_mut()?.entry(name).or_insert(Value::Null);
            }
            Step::At(index) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut()?;
                if index == list.len() {
                    list.push(Value::Null);
                }
                at = list.get_mut(index)?;
            }
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn put(pieces: &[Value]) -> Result<Value, String> {
        let mut args = PartialArgs::new(None);
        for piece in pieces {
            args.push(serde_json::from_value(piece.clone()).unwrap())?;
        }
        Ok(args.finish())
    }

    #[test]
    fn gemini_partial_args_are_merged_by_path() {
        let whole = put(&[
            json!({"jsonPath": "$.path", "stringValue": "a", "willContinue": true}),
            json!({"jsonPath": "$.path", "stringValue": ".rs", "willContinue": true}),
            json!({"jsonPath": "$.path"}),
            json!({"jsonPath": "$.edits[0].text", "stringValue": "x"}),
            json!({"jsonPath": "$.edits[0].line", "numberValue": 3.0}),
            json!({"jsonPath": "$.edits[1]['a b']", "numberValue": 0.5}),
            json!({"jsonPath": "$.all", "boolValue": true}),
            json!({"jsonPath": "$.none", "nullValue": "NULL_VALUE"}),
            json!({"jsonPath": "$.path2", "stringValue": "once"}),
            json!({"jsonPath": "$.path2", "stringValue": "again"}),
        ]);
        let edits = json!([{"text": "x", "line": 3}, {"a b": 0.5}]);
        let expected = json!({"path": "a.rs", "edits": edits, "all": true, "none": null, "path2": "again"});
        assert_eq!(whole.unwrap(), expected);
    }

    #[test]
    fn gemini_partial_args_invalid_paths_are_errors() {
        let deep = format!("${}", ".a".repeat(DEPTH_MAX + 1));
        for path in ["", "$", "$..a", "$.a[", "$.a[x]", "$.a[7]", "$['a", &deep] {
            assert!(put(&[json!({"jsonPath": path, "stringValue": "x"})]).is_err(), "{path}");
        }
        let through_a_text =
            [("$.a", "x"), ("$.a.b", "y")].map(|(p, v)| json!({"jsonPath": p, "stringValue": v}));
        assert!(put(&through_a_text).is_err());
    }
}
