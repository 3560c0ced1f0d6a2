//! Import of Claude Code sessions: lines with `uuid` and `parentUuid`, one for each part of an answer.
//!
//! The lines of one answer (`message.id`) become one message, followed by the results of its calls in their
//! order: in the file results branch off at their calls, which no provider accepts. Subagents are stored
//! beside the conversation. Lines without a `uuid` follow the line before them. Messages that Claude Code
//! writes in place of an answer (API errors, the model `<synthetic>`) are kept, but not as answers.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::json::json;

use super::imported::{Chain, ImportedEntry, ImportedSession, preserved_entry};
use super::parts::{self, Line, field_text};
use crate::base::clock;
use crate::llm::model::message::KnownPart;
use crate::llm::model::{AssistantMessage, Message, Part, StopReason, Usage};
use crate::session::format::body::EntryBody;

/// Reads a session line by line. `name` is the file name without extension.
pub fn read(lines: impl IntoIterator<Item = Line>, name: &str) -> ImportedSession {
    let mut reader = Reader {
        session: ImportedSession::default(),
        chains: Vec::new(),
        nodes: HashMap::new(),
        ..Reader::default()
    };
    for (number, line) in lines {
        let Some(line) = line else {
            reader.session.add_problem(number, "not an entry; skipped");
            continue;
        };
        reader.read_metadata(&line);
        reader.read_line(number, &line);
    }
    reader.apply_early_summaries();
    let Reader { session: mut story, chains, .. } = reader;
    // Subagents have files of their own, which name the parent session.
    if name.starts_with("agent-") || story.id.is_empty() {
        story.id = name.to_string();
    }
    story.add_chains(chains);
    story
}

#[derive(Default)]
struct Reader {
    session: ImportedSession,
    chains: Vec<Chain>,
    /// Index of a line's chain, by its `uuid`.
    nodes: HashMap<String, usize>,
    /// Index of an answer's chain, by its message id.
    answers: HashMap<String, usize>,
    /// Tool names by call id.
    tools: HashMap<String, String>,
    /// The chain of the previous line.
    latest: Option<usize>,
    /// The latest chain of the main conversation, without subagents.
    main: Option<usize>,
    /// Whether the user has set a title.
    titled: bool,
    /// Summaries of lines that were not read yet: line number, time, text, and the last summarized line.
    early_summaries: Vec<(usize, String, String, String)>,
}

/// The model name that Claude Code uses for its own messages.
const SYNTHETIC: &str = "<synthetic>";

impl Reader {
    /// Takes the session's metadata from the first lines that have it.
    fn read_metadata(&mut self, line: &Value) {
        let story = &mut self.session;
        for (field, name) in
            [(&mut story.id, "sessionId"), (&mut story.started_at, "timestamp"), (&mut story.cwd, "cwd")]
        {
            if field.is_empty() {
                *field = field_text(line, name).to_string();
            }
        }
    }

    fn read_line(&mut self, number: usize, line: &Value) {
        let uuid = field_text(line, "uuid");
        let at = field_text(line, "timestamp").to_string();
        let stamp = clock::parse_iso8601(&at).unwrap_or(0);
        let draft = |body| ImportedEntry { id: uuid.to_string(), at: at.clone(), body };
        match field_text(line, "type") {
            "assistant" if !uuid.is_empty() && !is_synthetic(line) => self.add_answer(line, uuid, &at, stamp),
            "user" if !uuid.is_empty() => self.add_user_message(line, uuid, &at, stamp),
            "summary" => self.summary(number, line, &at),
            "custom-title" => {
                self.titled = true;
                let name = Some(field_text(line, "customTitle").to_string());
                self.append_to_main(format!("{number:08x}"), &at, EntryBody::SessionInfo { name });
            }
            _ if uuid.is_empty() => self.append(number, &at, preserved_entry("claude", line)),
            _ => {
                self.add_chain(line, uuid, vec![draft(preserved_entry("claude", line))]);
            }
        }
    }

    /// Creates a chain after the one that the line refers to.
    fn add_chain(&mut self, line: &Value, uuid: &str, drafts: Vec<ImportedEntry>) -> usize {
        let parent = ["parentUuid", "logicalParentUuid"]
            .iter()
            .find_map(|name| self.nodes.get(field_text(line, name)));
        let chain =
            Chain { parent: parent.copied(), entries: drafts, is_subagent: line["isSidechain"] == true };
        self.chains.push(chain);
        let at = self.chains.len() - 1;
        self.nodes.insert(uuid.to_string(), at);
        self.set_latest(at);
        at
    }

    /// Makes this chain the parent of following lines.
    fn set_latest(&mut self, chain: usize) {
        self.latest = Some(chain);
        if !self.chains[chain].is_subagent {
            self.main = Some(chain);
        }
    }

    /// A summary becomes the title if it ends with the main conversation, not with a subagent's.
    fn summary(&mut self, number: usize, line: &Value, at: &str) {
        let (words, leaf) = (field_text(line, "summary").to_string(), field_text(line, "leafUuid"));
        match self.nodes.get(leaf) {
            Some(chain) if !self.chains[*chain].is_subagent && !self.titled => {
                let body = EntryBody::SessionInfo { name: Some(words) };
                self.append_to_main(format!("{number:08x}"), at, body);
            }
            known => {
                if known.is_none() {
                    self.early_summaries.push((number, at.to_string(), words, leaf.to_string()));
                }
                self.append(number, at, preserved_entry("claude", line));
            }
        }
    }

    /// Applies summaries that precede the lines that they summarize.
    fn apply_early_summaries(&mut self) {
        for (number, at, words, leaf) in std::mem::take(&mut self.early_summaries) {
            let is_main = self.nodes.get(&leaf).is_some_and(|chain| !self.chains[*chain].is_subagent);
            if is_main && !self.titled {
                let body = EntryBody::SessionInfo { name: Some(words) };
                self.append_to_main(format!("{number:08x}-name"), &at, body);
            }
        }
    }

    /// Adds an entry for a line that concerns the main conversation.
    fn append_to_main(&mut self, id: String, at: &str, body: EntryBody) {
        let draft = ImportedEntry { id, at: at.to_string(), body };
        match self.main {
            Some(chain) => self.chains[chain].entries.push(draft),
            None => self.chains.push(Chain { entries: vec![draft], ..Chain::default() }),
        }
    }

    /// Adds an entry for a line without a position of its own.
    fn append(&mut self, number: usize, at: &str, body: EntryBody) {
        let draft = ImportedEntry { id: format!("{number:08x}"), at: at.to_string(), body };
        match self.latest {
            Some(chain) => self.chains[chain].entries.push(draft),
            None => {
                self.chains.push(Chain { entries: vec![draft], ..Chain::default() });
            }
        }
    }

    fn add_answer(&mut self, line: &Value, uuid: &str, at: &str, stamp: u64) {
        let message = &line["message"];
        let id = field_text(message, "id");
        let content = parts::parts(&message["content"]);
        for call in content.iter().filter_map(Part::as_tool_call) {
            self.tools.insert(call.id.clone(), call.name.clone());
        }
        let known = self.answers.get(id).copied().filter(|_| !id.is_empty());
        let node = known.unwrap_or_else(|| {
            let fresh = parts::answer("anthropic-messages", "anthropic", field_text(message, "model"), stamp);
            let body = parts::message(Message::Assistant(fresh));
            self.add_chain(line, uuid, vec![ImportedEntry { id: uuid.to_string(), at: at.to_string(), body }])
        });
        self.answers.insert(id.to_string(), node);
        self.nodes.insert(uuid.to_string(), node);
        self.set_latest(node);
        let Some(draft) = self.chains[node].entries.first_mut() else { return };
        // Its id is that of its last line, so that an answer that has grown since is a new entry; the old one
        // was complete when it was imported.
        (draft.id, draft.at) = (uuid.to_string(), at.to_string());
        if let EntryBody::Message { message: crate::session::AgentMessage::Llm(Message::Assistant(answer)) } =
            &mut draft.body
        {
            answer.content.extend(content);
            apply_final_fields(answer, line);
        }
    }

    fn add_user_message(&mut self, line: &Value, uuid: &str, at: &str, stamp: u64) {
        let content = &line["message"]["content"];
        let draft = |id: String, body| ImportedEntry { id, at: at.to_string(), body };
        if line["isCompactSummary"] == true {
            let body = EntryBody::Compaction {
                summary: parts::parts(content).iter().filter_map(Part::as_text).collect(),
                first_kept_entry_id: uuid.to_string(),
                tokens_before: 0,
                usage: None,
                details: Some(json!({"from": "claude"})),
                from_hook: None,
                system_message: None,
            };
            self.add_chain(line, uuid, vec![draft(uuid.to_string(), body)]);
            return;
        }
        let items = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let (results, rest): (Vec<&Value>, Vec<&Value>) =
            items.iter().partition(|item| field_text(item, "type") == "tool_result");
        let mut drafts: Vec<ImportedEntry> = Vec::new();
        for (n, result) in results.iter().enumerate() {
            let id = if n == 0 { uuid.to_string() } else { format!("{uuid}-{n}") };
            drafts.push(draft(id, self.tool_result(line, result, results.len() == 1, stamp)));
        }
        let rest = if content.is_string() { parts::parts(content) } else { parts::parts(&json!(rest)) };
        if !rest.is_empty() || drafts.is_empty() {
            let id = if drafts.is_empty() { uuid.to_string() } else { format!("{uuid}-said") };
            let body = if line["isMeta"] == true {
                parts::program_text("claude.meta", &rest, false)
            } else {
                parts::user(rest, stamp)
            };
            drafts.push(draft(id, body));
        }
        let answered =
            self.nodes.get(field_text(line, "parentUuid")).copied().filter(|_| !results.is_empty());
        match answered {
            // After the results of the same answer that were already added.
            Some(node) => {
                self.chains[node].entries.extend(drafts);
                self.nodes.insert(uuid.to_string(), node);
                self.set_latest(node);
            }
            None => {
                self.add_chain(line, uuid, drafts);
            }
        }
    }

    fn tool_result(&self, line: &Value, result: &Value, alone: bool, stamp: u64) -> EntryBody {
        let call = field_text(result, "tool_use_id");
        let tool = self.tools.get(call).map_or("", String::as_str);
        let failed = result["is_error"] == true;
        let mut tool_message = parts::result(call, tool, parts::parts(&result["content"]), failed, stamp);
        tool_message.details = line.get("toolUseResult").filter(|_| alone).cloned();
        parts::message(Message::ToolResult(tool_message))
    }
}

/// Whether the message is from Claude Code itself, not from a model.
fn is_synthetic(line: &Value) -> bool {
    line["isApiErrorMessage"] == true || line["message"]["model"] == SYNTHETIC
}

/// Takes the fields that the last line of an answer has for the whole answer.
fn apply_final_fields(answer: &mut AssistantMessage, line: &Value) {
    let message = &line["message"];
    let usage = &message["usage"];
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    let hour = usage["cache_creation"]["ephemeral_1h_input_tokens"].as_u64().filter(|tokens| *tokens > 0);
    answer.usage = Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        cache_write_hour: hour,
        ..Usage::default()
    };
    let Usage { input, output, cache_read, cache_write, .. } = answer.usage;
    answer.usage.total_tokens =
        [input, output, cache_read, cache_write].into_iter().fold(0, u64::saturating_add);
    answer.usage.cost.total = line["costUSD"].as_f64().unwrap_or(0.0);
    answer.response_id = message["id"].as_str().map(str::to_string);
    let reason = message["stop_reason"].as_str();
    answer.raw_stop_reason = reason.map(str::to_string);
    let calls = answer.content.iter().any(|part| matches!(part, Part::Known(KnownPart::ToolCall(_))));
    answer.stop_reason = match reason {
        Some("max_tokens") => StopReason::Length,
        _ if calls => StopReason::ToolUse,
        _ => StopReason::Stop,
    };
}
