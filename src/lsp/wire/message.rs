//! Messages of JSON-RPC 2.0, as the language server protocol 3.18 uses them. Values are left as they were written, so
//! that the module that knows their type decodes them. Pure.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::base::lenient::replace_lone_surrogates;

/// What identifies a request of a peer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Why a peer refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}", self.words())]
pub struct RpcError {
    /// Its number: JSON-RPC's are below -32000, the protocol's below -32800.
    pub code: i64,
    /// What is shown.
    #[serde(default)]
    pub message: String,
}

impl RpcError {
    /// Returns what is shown: the peer's own words, where it has some that a user understands.
    fn words(&self) -> &str {
        match (self.code, self.message.as_str()) {
            (Self::CONTENT_MODIFIED, _) => "the text has changed meanwhile; try again",
            (_, "") => "no reason is given",
            (_, message) => message,
        }
    }

    /// The method is not known.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The request was cancelled.
    pub const REQUEST_CANCELLED: i64 = -32800;
    /// The text changed while the server worked on it.
    pub const CONTENT_MODIFIED: i64 = -32801;
    /// The server gave up and may be asked again.
    pub const SERVER_CANCELLED: i64 = -32802;
}

/// A message that was read.
#[derive(Debug)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// What the answer names.
        id: Id,
        /// Which one.
        method: String,
        /// Its parameters.
        params: Option<Box<RawValue>>,
    },
    /// Wants none.
    Notification {
        /// Which one.
        method: String,
        /// Its parameters.
        params: Option<Box<RawValue>>,
    },
    /// The answer to a request.
    Answer {
        /// That of the request; `None` if the peer could not read it.
        id: Option<Id>,
        /// The result, or why there is none.
        result: Result<Box<RawValue>, RpcError>,
    },
}

/// All fields that a message may have.
#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// Reads a message. Bytes that are not UTF-8 are replaced.
///
/// # Errors
///
/// Text that is no JSON object, or one without a method and without an answer.
pub fn parse(bytes: &[u8]) -> Result<Message, String> {
    let text = String::from_utf8_lossy(bytes);
    let text = replace_lone_surrogates(&text);
    let fields: Fields = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(match fields {
        Fields { method: Some(method), id: Some(id), params, .. } => Message::Request { id, method, params },
        Fields { method: Some(method), params, .. } => Message::Notification { method, params },
        Fields { id, error: Some(error), .. } => Message::Answer { id, result: Err(error) },
        // A result of null is left out by some, and cannot be told from one that is missing.
        Fields { id: Some(id), result, .. } => {
            Message::Answer { id: Some(id), result: Ok(result.unwrap_or_else(null)) }
        }
        _ => return Err("neither a method nor an answer".to_string()),
    })
}

/// Returns the JSON `null`.
fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

/// A message to write.
#[derive(Serialize)]
#[serde(untagged)]
enum Written<'a, P> {
    Call {
        jsonrpc: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Id>,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<P>,
    },
    Result {
        jsonrpc: &'a str,
        id: &'a Id,
        result: P,
    },
    Error {
        jsonrpc: &'a str,
        id: &'a Id,
        error: &'a RpcError,
    },
}

const VERSION: &str = "2.0";

/// Returns a request, or a notification without an id.
///
/// # Errors
///
/// Parameters that cannot be written as JSON, such as a map with keys that are no text.
pub fn call(id: Option<&Id>, method: &str, params: Option<impl Serialize>) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Written::Call { jsonrpc: VERSION, id, method, params })
}

/// Returns an answer.
///
/// # Errors
///
/// A result that cannot be written as JSON.
pub fn answer(id: &Id, result: Result<impl Serialize, &RpcError>) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&match result {
        Ok(result) => Written::Result { jsonrpc: VERSION, id, result },
        Err(error) => Written::Error { jsonrpc: VERSION, id, error },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match parse(text.as_bytes()) {
            Ok(Message::Request { id, method, params }) => {
                format!(
                    "request {id} {method} {}",
                    params.map_or("-".to_string(), |params| params.to_string())
                )
            }
            Ok(Message::Notification { method, params }) => {
                format!(
                    "notification {method} {}",
                    params.map_or("-".to_string(), |params| params.to_string())
                )
            }
            Ok(Message::Answer { id, result }) => {
                let id = id.map_or("-".to_string(), |id| id.to_string());
                match result {
                    Ok(result) => format!("result {id} {result}"),
                    Err(error) => format!("error {id} {error}"),
                }
            }
            Err(error) => error,
        }
    }

    #[test]
    fn message_of_each_kind_is_read() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":[1]}}"#, r#"request 1 a/b {"x":[1]}"#),
            (r#"{"id":"k","method":"m"}"#, "request k m -"),
            (r#"{"method":"m","params":null}"#, "notification m -"),
            (r#"{"id":1,"result":null}"#, "result 1 null"),
            (r#"{"id":1}"#, "result 1 null"),
            (r#"{"id":1,"result":{"a":2},"error":null}"#, r#"result 1 {"a":2}"#),
            (r#"{"id":null,"error":{"code":-32700,"message":"parse"}}"#, "error - parse"),
            (r#"{"id":3,"error":{"code":-32601,"message":"no","data":{"a":1}}}"#, "error 3 no"),
            (r#"{"id":1,"result":"\ud800"}"#, r#"result 1 "\ufffd""#),
        ];
        for (text, wanted) in cases {
            assert_eq!(told(text), wanted, "{text}");
        }
    }

    #[test]
    fn message_that_is_none_is_an_error() {
        for text in
            ["", "[]", "1", "{}", r#"{"id":{},"method":"m"}"#, r#"{"id":1,"error":{}}"#, "{\"method\":"]
        {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(told("{\"method\":\"a\u{fffd}\"}"), "notification a\u{fffd} -");
        assert!(
            matches!(parse(b"{\"method\":\"\xff\"}"), Ok(Message::Notification { method, .. }) if method == "\u{fffd}")
        );
    }

    #[test]
    fn message_written_has_the_fields_of_its_kind() {
        let text = |bytes: serde_json::Result<Vec<u8>>| String::from_utf8(bytes.unwrap()).unwrap();
        let id = Id::Number(7);
        assert_eq!(
            text(call(Some(&id), "m", Some([1]))),
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":[1]}"#
        );
        assert_eq!(text(call(None, "exit", None::<()>)), r#"{"jsonrpc":"2.0","method":"exit"}"#);
        assert_eq!(text(answer(&id, Ok(()))), r#"{"jsonrpc":"2.0","id":7,"result":null}"#);
        let error = RpcError { code: RpcError::METHOD_NOT_FOUND, message: "no".to_string() };
        assert_eq!(
            text(answer(&id, Err::<(), _>(&error))),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}"#
        );
    }
}
