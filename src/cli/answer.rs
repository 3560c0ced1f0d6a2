//! Output of a command, in the requested format.
//!
//! Must not know any command.

use serde_json::Value;

/// The output of a command: as text, and as JSON.
pub type Answer = (String, Value);

/// Returns the output in the requested format.
pub fn format_answer(answer: Answer, json: bool) -> String {
    if json { format!("{:#}", answer.1) } else { answer.0 }
}
