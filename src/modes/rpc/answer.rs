//! Answers of RPC mode, one JSON line each, in pi's fields and their order.
//!
//! Must not know the commands.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::base::error::Report;

/// Data of an answer.
#[derive(Debug)]
pub enum Data {
    /// Nothing.
    None,
    /// A value.
    Json(Value),
    /// JSON text.
    Text(String),
}

impl From<Value> for Data {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

/// The result of a command.
pub type Answer = Result<Data, Report>;

/// Returns the `id` of a command verbatim: a number may be more precise than its parsed value.
pub fn id(line: &str, fields: &Map<String, Value>) -> Option<Box<RawValue>> {
    let read = fields.get("id")?;
    let is_exact = match read {
        Value::Number(number) => !number.is_f64(),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    };
    if is_exact {
        return to_raw_value(read).ok();
    }
    let written: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(line).ok()?;
    written.get("id").map(|id| (*id).to_owned())
}

/// Returns the answer's line. `id` is that of the command, of any JSON type.
pub fn line(id: Option<&RawValue>, command: &str, answer: &Answer) -> String {
    let mut line = String::from("{");
    if let Some(id) = id {
        line.push_str(&format!("\"id\":{id},"));
    }
    let command = Value::from(command);
    line.push_str(&format!("\"type\":\"response\",\"command\":{command},"));
    match answer {
        Ok(data) => {
            line.push_str("\"success\":true");
            match data {
                Data::None => {}
                Data::Json(value) => line.push_str(&format!(",\"data\":{value}")),
                // The text may be all of a long session.
                Data::Text(text) => {
                    line.reserve_exact(text.len() + 16);
                    line.extend([",\"data\":", text]);
                }
            }
        }
        Err(report) => {
            let error = Value::from(report.to_string());
            line.push_str(&format!("\"success\":false,\"error\":{error}"));
        }
    }
    line.push('}');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn rpc_response_repeats_request_id() {
        for written in [
            "-3e+23",
            "2.9999999999999997e+23",
            "[1, {\"a\":0.1234567890123456789}]",
            "7",
            "\"a\\tb\"",
            "null",
        ] {
            let text = format!("{{\"id\":0,\"type\":\"abort\",\"id\":{written}}}");
            let id = id(&text, &serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(
                line(Some(&*id), "abort", &Ok(Data::None)),
                format!(r#"{{"id":{written},"type":"response","command":"abort","success":true}}"#)
            );
        }
        let text = "{\"type\":\"abort\"}";
        assert!(id(text, &serde_json::from_str(text).unwrap()).is_none());
    }

    #[test]
    fn rpc_response_lines() {
        let id = to_raw_value("7").unwrap();
        assert_eq!(
            line(Some(&*id), "abort", &Ok(Data::None)),
            r#"{"id":"7","type":"response","command":"abort","success":true}"#
        );
        assert_eq!(
            line(None, "fork", &Ok(json!({"text": "a\nb", "cancelled": false}).into())),
            r#"{"type":"response","command":"fork","success":true,"data":{"text":"a\nb","cancelled":false}}"#
        );
        assert_eq!(
            line(None, "x\"", &Err(Report::new("no"))),
            r#"{"type":"response","command":"x\"","success":false,"error":"no"}"#
        );
        assert_eq!(
            line(None, "get_tree", &Ok(Data::Text("{\"tree\":[]}".into()))),
            r#"{"type":"response","command":"get_tree","success":true,"data":{"tree":[]}}"#
        );
    }
}
