//! UI requests to the client and their answers: pi's extension UI requests with pi's names, and its event for
//! a failed command. The JSON Schema in `docs/rpc.schema.json` is generated from these types.
//!
//! Must not know who asks, nor who answers.

use serde::Serialize;
use serde_json::{Map, Value};

/// Severity of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NotifyType {
    /// Information; the default.
    Info,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// Placement of a widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Placement {
    /// Above the input field; the default.
    AboveEditor,
    /// Below the input field.
    BelowEditor,
}

/// What the user is shown or asked. The first four need an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "method", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Method {
    /// Choose one option; answered with its `value`.
    Select {
        /// The question.
        title: String,
        /// The options.
        options: Vec<String>,
        /// Timeout in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Yes or no; answered with `confirmed`.
    Confirm {
        /// The question.
        title: String,
        /// Details.
        message: String,
        /// Timeout in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Enter a line; answered with its `value`.
    Input {
        /// The question.
        title: String,
        /// Placeholder.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
        /// Timeout in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Edit a text of several lines; answered with its `value`.
    Editor {
        /// Title.
        title: String,
        /// Initial text.
        #[serde(skip_serializing_if = "Option::is_none")]
        prefill: Option<String>,
    },
    /// A notice.
    Notify {
        /// The text.
        message: String,
        /// Severity; default `info`.
        #[serde(skip_serializing_if = "Option::is_none")]
        notify_type: Option<NotifyType>,
    },
    /// A segment of the status line.
    SetStatus {
        /// Key of the segment.
        status_key: String,
        /// The text; none removes the segment.
        #[serde(skip_serializing_if = "Option::is_none")]
        status_text: Option<String>,
    },
    /// Lines above or below the input field.
    SetWidget {
        /// Key of the widget.
        widget_key: String,
        /// The lines; none removes the widget.
        #[serde(skip_serializing_if = "Option::is_none")]
        widget_lines: Option<Vec<String>>,
        /// Placement; default above.
        #[serde(skip_serializing_if = "Option::is_none")]
        widget_placement: Option<Placement>,
    },
    /// The window title.
    SetTitle {
        /// The text.
        title: String,
    },
    /// The text of the input field.
    #[serde(rename = "set_editor_text")]
    SetEditorText {
        /// The new text, which replaces the current one.
        text: String,
    },
}

/// A line that is neither a response nor an event of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum HostMessage {
    /// A request to the user of the client.
    ExtensionUiRequest {
        /// Id, repeated in the answer.
        id: String,
        /// The request.
        #[serde(flatten)]
        method: Method,
    },
    /// A command of the host failed; the session continues.
    ExtensionError {
        /// What failed: `command:` and its name.
        extension_path: String,
        /// What was running: `command`.
        event: &'static str,
        /// The error message.
        error: String,
    },
}

impl HostMessage {
    /// The line for it.
    pub fn line(&self) -> String {
        crate::base::json::json!(self).to_string()
    }
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(untagged))]
pub enum HostReply {
    /// To `select`, `input` and `editor`.
    Value {
        /// The chosen or entered text.
        value: String,
    },
    /// To `confirm`.
    Confirmed {
        /// Whether.
        confirmed: bool,
    },
    /// To any of them: cancelled by the user.
    Cancelled {
        /// True.
        cancelled: bool,
    },
}

// For the schema; a line is read by `HostReply::read`.
/// A line with the answer of the user.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub enum Response {
    /// An answer to a request.
    ExtensionUiResponse {
        /// Id of the request.
        id: String,
        /// The answer.
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
