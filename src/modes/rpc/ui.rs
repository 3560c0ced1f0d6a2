//! UI requests to the client and their answers: pi's extension UI requests with pi's names, and its event for
//! a failed command. The JSON Schema in `docs/rpc.schema.json` is generated from these types.
//!
//! Must not know who asks, nor who answers.

use serde::Serialize;
use serde_json::{Map, Value};

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NotifyType {
    /// Good to know; what a client takes where nothing is said.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is.
    Error,
}

/// Where the lines of a widget stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Placement {
    /// What a client takes where nothing is said.
    AboveEditor,
    /// Under what the user writes in.
    BelowEditor,
}

/// What the user sees or is asked. The first four want an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "method", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Method {
    /// Choose one; answered by its `value`.
    Select {
        /// What is asked.
        title: String,
        /// What can be chosen.
        options: Vec<String>,
        /// Milliseconds until nobody waits for the answer any more.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Yes or no; answered by `confirmed`.
    Confirm {
        /// What is asked.
        title: String,
        /// What there is to know about it.
        message: String,
        /// Milliseconds until nobody waits for the answer any more.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Write a line; answered by its `value`.
    Input {
        /// What is asked.
        title: String,
        /// Shown where nothing is written yet.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
        /// Milliseconds until nobody waits for the answer any more.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Write a text of several lines; answered by its `value`.
    Editor {
        /// What it is for.
        title: String,
        /// The text to begin with.
        #[serde(skip_serializing_if = "Option::is_none")]
        prefill: Option<String>,
    },
    /// Something to know.
    Notify {
        /// The words.
        message: String,
        /// How much it matters; `info` where nothing is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        notify_type: Option<NotifyType>,
    },
    /// A word in the status line.
    SetStatus {
        /// Whose word it is.
        status_key: String,
        /// The word; none takes it away.
        #[serde(skip_serializing_if = "Option::is_none")]
        status_text: Option<String>,
    },
    /// Lines beside what the user writes in.
    SetWidget {
        /// Whose lines they are.
        widget_key: String,
        /// The lines; none takes them away.
        #[serde(skip_serializing_if = "Option::is_none")]
        widget_lines: Option<Vec<String>>,
        /// Where they stand; above where nothing is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        widget_placement: Option<Placement>,
    },
    /// The title of the window.
    SetTitle {
        /// The words.
        title: String,
    },
    /// What the user is about to say.
    #[serde(rename = "set_editor_text")]
    SetEditorText {
        /// The text, in place of what stands there.
        text: String,
    },
}

/// A line that is neither an answer nor an event of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum HostMessage {
    /// For the user behind the client.
    ExtensionUiRequest {
        /// Comes back with the answer.
        id: String,
        /// What it is.
        #[serde(flatten)]
        method: Method,
    },
    /// A command of the host failed; the session goes on.
    ExtensionError {
        /// What failed: `command:` and its name.
        extension_path: String,
        /// What it was doing: `command`.
        event: &'static str,
        /// What is wrong.
        error: String,
    },
}

impl HostMessage {
    /// The line for it.
    pub fn line(&self) -> String {
        crate::base::json::json!(self).to_string()
    }
}

/// What is answered to a request that wants an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(untagged))]
pub enum HostReply {
    /// To `select`, `input` and `editor`.
    Value {
        /// What was chosen or written.
        value: String,
    },
    /// To `confirm`.
    Confirmed {
        /// Whether.
        confirmed: bool,
    },
    /// To any of them: the user does not want to.
    Cancelled {
        /// True.
        cancelled: bool,
    },
}

// For the schema; a line is read by `HostReply::read`.
/// A line with an answer of the user.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub enum Response {
    /// To a request that wants an answer.
    ExtensionUiResponse {
        /// That of the request.
        id: String,
        /// What the user said.
        #[schemars(flatten)]
        said: HostReply,
    },
}

impl HostReply {
    /// Parses the fields of an answer. Anything malformed is a refusal.
    pub fn parse(fields: &Map<String, Value>) -> Self {
        let is_open = matches!(fields.get("cancelled"), None | Some(Value::Null | Value::Bool(false)));
        match (fields.get("value"), fields.get("confirmed")) {
            (Some(Value::String(value)), _) if is_open => Self::Value { value: value.clone() },
            (None | Some(Value::Null), Some(Value::Bool(confirmed))) if is_open => {
                Self::Confirmed { confirmed: *confirmed }
            }
            _ => Self::Cancelled { cancelled: true },
        }
    }
}

#[cfg(test)]
mod tests;
