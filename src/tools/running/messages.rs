//! Texts about commands for models, the same in every family.
//!
//! Must not know any tool.

use std::time::Duration;

/// Returns the text for a command stopped on timeout; from the loop's specification.
pub fn timed_out(after: Duration) -> String {
    format!(
        "[ERROR: Command timed out after {}ms. Partial output is shown above.\nYou can retry with a longer \
         timeout by setting the timeout_ms parameter.]",
        after.as_millis()
    )
}

/// Returns the error for an unknown command.
pub fn unknown(name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("There is no command {name}; none runs on and none has news.");
    }
    format!("There is no command {name}. There are: {}.", known.join(", "))
}
