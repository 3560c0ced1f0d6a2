//! Files that the summarized part of a conversation read or modified: pi's lists, carried over from one
//! summary to the next. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::base::json::json;

use crate::base::width::visible;
use crate::llm::model::Message;
use crate::session::AgentMessage;
use crate::tools::permissions::modified_paths::modified_paths;

/// Tags around the list of files that were only read.
const READ: (&str, &str) = ("<read-files>", "</read-files>");
/// Tags around the list of modified files.
const CHANGED: (&str, &str) = ("<modified-files>", "</modified-files>");

/// The sorted lists of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    read: BTreeSet<String>,
    changed: BTreeSet<String>,
}

impl Files {
    /// Adds the files in an earlier summary's `details`.
    pub fn add_details(&mut self, details: Option<&Value>) {
        let list = |name: &str| {
            let list = details.and_then(|details| details.get(name)?.as_array());
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_string)
        };
        self.read.extend(list("readFiles"));
        self.changed.extend(list("modifiedFiles"));
    }

    /// Adds the files of a message's calls.
    pub fn add_message(&mut self, message: &AgentMessage) {
        let AgentMessage::Llm(Message::Assistant(answer)) = message else { return };
        for call in answer.tool_calls() {
            let files = modified_paths(&call.name, &call.arguments);
            self.read.extend(files.read);
            self.changed.extend(files.changed);
        }
    }

    /// Returns the files that were read and not modified.
    pub fn read(&self) -> Vec<&str> {
        self.read.difference(&self.changed).map(String::as_str).collect()
    }

    /// Returns the modified files.
    pub fn changed(&self) -> Vec<&str> {
        self.changed.iter().map(String::as_str).collect()
    }

    /// Returns the lists as JSON, for front ends and the next summary.
    pub fn details(&self) -> Value {
        json!({"readFiles": self.read(), "modifiedFiles": self.changed()})
    }

    /// Returns the lists as text to append to a summary; empty when there are no files.
    pub fn to_text(&self) -> String {
        let list = |(begins, ends): (&str, &str), files: Vec<&str>| {
            // A name with line breaks would be read as several names.
            let names: Vec<_> = files.into_iter().map(visible).collect();
            if names.is_empty() {
                String::new()
            } else {
                format!("\n\n{begins}\n{}\n{ends}", names.join("\n"))
            }
        };
        list(READ, self.read()) + &list(CHANGED, self.changed())
    }
}

/// Returns a summary without the appended lists.
pub fn strip_lists(summary: &str) -> &str {
    let mut rest = summary.trim_end();
    for (begins, ends) in [CHANGED, READ] {
        if let Some(at) = rest.strip_suffix(ends).and_then(|inner| inner.rfind(begins)) {
            rest = rest[..at].trim_end();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(calls: &[(&str, &str)]) -> AgentMessage {
        let call = |(name, path): &(&str, &str)| json!({"type": "toolCall", "id": "i", "name": name, "arguments": {"path": path, "content": ""}});
        let content: Vec<Value> = calls.iter().map(call).collect();
        serde_json::from_value(json!({"role": "assistant", "content": content, "api": "a", "provider": "p",
            "model": "m", "stopReason": "toolUse"}))
        .unwrap()
    }

    #[test]
    fn compaction_files_changed_replaces_read() {
        let mut files = Files::default();
        files.add_details(Some(&json!({"readFiles": ["old", "b"], "modifiedFiles": ["z"]})));
        files.add_details(Some(&json!({"readFiles": "nonsense"})));
        files.add_message(&calls(&[("read", "a"), ("read", "c"), ("write", "b"), ("bash", "x")]));
        assert_eq!(files.details(), json!({"readFiles": ["a", "c", "old"], "modifiedFiles": ["b", "z"]}));
        assert_eq!(
            files.to_text(),
            "\n\n<read-files>\na\nc\nold\n</read-files>\n\n<modified-files>\nb\nz\n</modified-files>"
        );
        assert_eq!(Files::default().to_text(), "");
    }

    #[test]
    fn compaction_files_lists_are_stripped_from_summary() {
        let mut files = Files::default();
        files.add_message(&calls(&[("read", "a\nb"), ("write", "c")]));
        let summary = format!("## Goal\nx{}", files.to_text());
        assert!(summary.contains("a␊b"), "{summary}");
        assert_eq!(strip_lists(&summary), "## Goal\nx");
        assert_eq!(strip_lists("about <read-files> as such\n"), "about <read-files> as such");
    }
}
