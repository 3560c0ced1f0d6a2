//! Searchable text of an entry, read from its line. Pure.
//!
//! Must not know the index. Images, documents, signatures and data that only the program reads are excluded.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::hit::Role;
use crate::base::clock;
use crate::base::lenient::replace_lone_surrogates;
use crate::session::context::pins::PINNED_COPY_TYPE;

/// Bytes of an entry's text that are indexed.
const TEXT_MAX: usize = 256 << 10;
/// Argument names for files.
const FILE_FIELDS: [&str; 9] =
    ["path", "file_path", "filePath", "notebook_path", "absolute_path", "dir_path", "file", "paths", "files"];
/// Argument names for command lines.
const COMMAND_FIELDS: [&str; 3] = ["command", "cmd", "script"];
/// Prefixes of file names in a patch.
const PATCH_PREFIXES: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The searchable text of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedEntry {
    /// Its id; `None` in format 1, which has none.
    pub id: Option<String>,
    /// The target entry of a label.
    pub target: Option<String>,
    /// Milliseconds since the epoch; 0 when the line has no time.
    pub at_ms: u64,
    /// Its role.
    pub role: Role,
    /// Message text.
    pub message_text: String,
    /// Thinking of the model.
    pub thinking: String,
    /// Commands.
    pub command: String,
    /// File names.
    pub file: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    timestamp: Option<&'a str>,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    target_id: Option<String>,
    #[serde(default)]
    custom_type: Option<&'a str>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
}

/// Returns the searchable text of a line; `None` for lines without text.
pub fn parse_line(line: &str) -> Option<IndexedEntry> {
    let line = replace_lone_surrogates(line);
    let line: Line = serde_json::from_str(&line).ok()?;
    let mut found = IndexedEntry {
        id: line.id,
        target: None,
        at_ms: line.timestamp.and_then(clock::parse_iso8601).unwrap_or(0),
        role: Role::Note,
        message_text: String::new(),
        thinking: String::new(),
        command: String::new(),
        file: String::new(),
    };
    match line.kind {
        "message" => found.add_message(&serde_json::from_str(line.message?.get()).ok()?),
        "compaction" | "branch_summary" => {
            found.role = Role::Summary;
            found.add_text(&line.summary?);
        }
        "session_info" => {
            found.role = Role::Name;
            found.add_text(&line.name?);
        }
        "label" => {
            found.role = Role::Label;
            found.target = Some(line.target_id?);
            found.add_text(&line.label?);
        }
        // A copy of a message that is indexed at its original.
        "custom_message" if line.custom_type == Some(PINNED_COPY_TYPE) => return None,
        "custom_message" => found.add_content(&serde_json::from_str(line.content?.get()).ok()?),
        _ => {}
    }
    let IndexedEntry { message_text, thinking: thought, command, file, .. } = &found;
    [message_text, thought, command, file].iter().any(|text| !text.is_empty()).then_some(found)
}

/// Whether a line is an entry at all. In format 1 an entry's id is its index among them.
pub fn is_object(line: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, Value>>(&replace_lone_surrogates(line)).is_ok()
}

impl IndexedEntry {
    fn add_text(&mut self, text: &str) {
        append_text(&mut self.message_text, text);
    }

    fn add_message(&mut self, message: &Value) {
        let field = |name: &str| message[name].as_str().unwrap_or_default();
        self.role = match field("role") {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "toolResult" => Role::Tool,
            "bashExecution" => {
                append_text(&mut self.command, field("command"));
                self.add_text(field("output"));
                Role::User
            }
            _ => Role::Note,
        };
        self.add_text(field("summary"));
        self.add_text(field("errorMessage"));
        // The system prompt is the same in every session.
        if field("role") != "system" {
            self.add_content(&message["content"]);
        }
    }

    fn add_content(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            return self.add_text(text);
        }
        for part in content.as_array().map(Vec::as_slice).unwrap_or_default() {
            let field = |name: &str| part[name].as_str().unwrap_or_default();
            match field("type") {
                "text" => self.add_text(field("text")),
                "thinking" => append_text(&mut self.thinking, field("thinking")),
                "toolCall" => {
                    self.add_text(field("name"));
                    self.add_arguments("", &part["arguments"]);
                }
                "document" => append_text(&mut self.file, field("name")),
                _ => {}
            }
        }
    }

    /// Collects the text of a call's arguments, by argument name.
    fn add_arguments(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) if FILE_FIELDS.contains(&name) => append_text(&mut self.file, text),
            Value::String(text) if COMMAND_FIELDS.contains(&name) => append_text(&mut self.command, text),
            Value::String(text) => {
                for line in text.lines() {
                    if let Some(file) = PATCH_PREFIXES.iter().find_map(|sign| line.strip_prefix(sign)) {
                        append_text(&mut self.file, file);
                    }
                }
                self.add_text(text);
            }
            Value::Array(items) if COMMAND_FIELDS.contains(&name) => {
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                append_text(&mut self.command, &words.join(" "));
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_arguments(name, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| self.add_arguments(name, field)),
            _ => {}
        }
    }

    /// Returns the text for a snippet, message text last.
    pub fn text(&self) -> String {
        let Self { message_text, thinking: thought, command, file, .. } = self;
        let texts = [command, file, message_text, thought].into_iter().filter(|text| !text.is_empty());
        texts.map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

fn append_text(to: &mut String, text: &str) {
    let room = TEXT_MAX.saturating_sub(to.len() + 1);
    if text.is_empty() || room == 0 {
        return;
    }
    if !to.is_empty() {
        to.push('\n');
    }
    to.push_str(&text[..text.floor_char_boundary(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(fields: &str) -> IndexedEntry {
        let line = format!(
            r#"{{"type":"message","id":"a","parentId":null,"timestamp":"1970-01-01T00:00:00.005Z","message":{{{fields}}}}}"#
        );
        parse_line(&line).unwrap()
    }

    #[test]
    fn entry_text_separates_speech_thinking_commands_files() {
        let found = message(
            r#""role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look"},
            {"type":"toolCall","id":"1","name":"bash","arguments":{"command":"cargo test","timeout":5}},
            {"type":"toolCall","id":"2","name":"edit","arguments":{"path":"src/a.rs","edits":[{"oldText":"x","newText":"y"}]}},
            {"type":"toolCall","id":"3","name":"shell","arguments":{"command":["ls","-l"]}},
            {"type":"toolCall","id":"4","name":"apply_patch","arguments":"*** Begin Patch\n*** Update File: b.rs\n+z"},
            {"type":"image","data":"AAAA","mimeType":"image/png"}]"#,
        );
        assert_eq!((found.role, found.at_ms, found.id.as_deref()), (Role::Assistant, 5, Some("a")));
        assert_eq!((found.thinking.as_str(), found.command.as_str()), ("hm", "cargo test\nls -l"));
        assert_eq!(found.file, "src/a.rs\nb.rs");
        assert!(
            found.message_text.starts_with("I look\nbash\nedit\nx\ny\nshell\n"),
            "{}",
            found.message_text
        );
        assert!(!found.text().contains("AAAA"));
    }

    #[test]
    fn entry_text_covers_every_entry_kind() {
        let run = message(r#""role":"bashExecution","command":"ls","output":"a.rs","exitCode":0"#);
        assert_eq!((run.role, run.command.as_str(), run.message_text.as_str()), (Role::User, "ls", "a.rs"));
        let result = message(r#""role":"toolResult","toolCallId":"1","toolName":"bash","content":"done""#);
        assert_eq!((result.role, result.message_text.as_str()), (Role::Tool, "done"));
        let label = parse_line(r#"{"type":"label","id":"b","targetId":"a","label":"start"}"#).unwrap();
        assert_eq!(
            (label.role, label.target.as_deref(), label.message_text.as_str()),
            (Role::Label, Some("a"), "start")
        );
        let name = parse_line(r#"{"type":"session_info","id":"c","name":"the loop"}"#).unwrap();
        assert_eq!((name.role, name.message_text.as_str()), (Role::Name, "the loop"));
        let summary =
            parse_line(r#"{"type":"compaction","id":"d","summary":"S","firstKeptEntryId":"a"}"#).unwrap();
        assert_eq!((summary.role, summary.message_text.as_str()), (Role::Summary, "S"));
        let note = |kind: &str| {
            parse_line(&format!(
                r#"{{"type":"custom_message","id":"e","customType":"{kind}","content":"hey"}}"#
            ))
        };
        assert_eq!(note("note").unwrap().message_text, "hey");
        assert_eq!(note(PINNED_COPY_TYPE), None, "what it is a copy of is found");
        let old = parse_line(r#"{"type":"message","message":{"role":"user","content":"hi"}}"#).unwrap();
        assert_eq!((old.id, old.at_ms), (None, 0));
    }

    #[test]
    fn entry_text_of_lines_without_text_is_none() {
        for line in [
            "",
            "{broken",
            r#"{"type":"label","id":"b","targetId":"a"}"#,
            r#"{"type":"model_change","id":"b","provider":"p","modelId":"m"}"#,
            r#"{"type":"custom","id":"b","customType":"bowline.x","data":{"text":"no"}}"#,
            r#"{"type":"message","id":"b","message":{"role":"system","content":"the whole prompt"}}"#,
            r#"{"type":"message","id":"b","message":7}"#,
        ] {
            assert_eq!(parse_line(line), None, "{line}");
        }
        let long = format!(r#"{{"type":"session_info","id":"c","name":"{}"}}"#, "ä".repeat(TEXT_MAX));
        assert!(parse_line(&long).unwrap().message_text.len() < TEXT_MAX);
    }
}
