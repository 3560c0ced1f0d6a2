//! Views of calls that run commands, for front ends.
//!
//! Must not know any tool.

use serde_json::Value;

use crate::tools::contract::view::CallView;

/// Returns a command by its first line, with the full text as body if it has more.
pub fn call_view(command: Option<&Value>) -> CallView {
    let command = command.and_then(Value::as_str).unwrap_or_default();
    let mut lines = command.lines();
    let title = lines.next().unwrap_or_default().to_string();
    CallView { title, body: lines.next().map(|_| command.to_string()), ..CallView::default() }
}

/// Returns the targets of a call that writes to a command: the fact itself, which no rule takes for a
/// read-only command, and the input, which a shell would run. Empty if nothing is written, or if the command
/// is only stopped.
pub fn stdin_targets(job: &str, text: &str) -> Vec<String> {
    if text.is_empty() || text == "\u{3}" {
        return Vec::new();
    }
    vec![format!("stdin of command {job}:"), text.to_string()]
}
