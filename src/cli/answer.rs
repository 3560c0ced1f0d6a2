//! What a command answers, in the form that the user wants.
//!
//! Must not know any command.

use serde_json::Value;

/// What a command prints: as text, and as JSON.
pub type Answer = (String, Value);

/// The form that the user wants of an answer.
pub fn written(answer: Answer, json: bool) -> String {
    if json { format!("{:#}", answer.1) } else { answer.0 }
}
