//! What front ends show of a call that runs a command.
//!
//! Must not know any tool.

use serde_json::Value;

use crate::tools::contract::view::CallView;

/// A command by its first line, with all of it when it has more.
pub fn call(command: Option<&Value>) -> CallView {
    let command = command.and_then(Value::as_str).unwrap_or_default();
    let mut lines = command.lines();
    let title = lines.next().unwrap_or_default().to_string();
    CallView { title, body: lines.next().map(|_| command.to_string()) }
}

/// What is judged where a command is fed: that it is, which no rule takes for a command that only
/// looks, and what it is fed, which a shell would run. Nothing where nothing is written, or where it
/// is only stopped.
pub fn fed(job: &str, text: &str) -> Vec<String> {
    if text.is_empty() || text == "\u{3}" {
        return Vec::new();
    }
    vec![format!("stdin of command {job}:"), text.to_string()]
}
