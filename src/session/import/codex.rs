//! Import of codex sessions: lines with a type and a payload; older files have only the payload.
//!
//! The model's output between two tool results becomes one message. Only events that add to the items are
//! used: token counts, and rollbacks of turns, which start a branch.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::json::json;

use super::imported::{Chain, ImportedEntry, ImportedSession, preserved_entry};
use super::parts::{self, Line, field_text};
use crate::base::clock;
use crate::llm::model::{AssistantMessage, Message, Part, StopReason, Thinking, Usage};
use crate::session::format::body::EntryBody;
use crate::session::format::message::AgentMessage;

/// Events that duplicate items.
const DUPLICATE_EVENTS: [&str; 6] = [
    "user_message",
    "agent_message",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
];
/// Prefixes of messages that codex adds as the user.
const INJECTED_PREFIXES: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<turn_aborted>",
];

/// Reads a session line by line. `name` is the file name without extension.
pub fn read(lines: impl IntoIterator<Item = Line>, name: &str) -> ImportedSession {
    let mut reader =
        Reader { chains: vec![Chain::default()], provider: "openai".to_string(), ..Reader::default() };
    for (number, line) in lines {
        let Some(line) = line else {
            reader.session.add_problem(number, "not an entry; skipped");
            continue;
        };
        reader.read_line(number, &line);
    }
    let Reader { session: mut story, chains, .. } = reader;
    if story.id.is_empty() {
        // rollout-2025-11-20T23-30-11-UUID
        story.id = name.get(name.len().saturating_sub(36)..).unwrap_or(name).to_string();
    }
    story.add_chains(chains);
    story
}

#[derive(Default)]
struct Reader {
    session: ImportedSession,
    chains: Vec<Chain>,
    /// The current chain.
    current_chain: usize,
    /// For each user message, its chain and the chain's length before it.
    turns: Vec<(usize, usize)>,
    /// Whether the current answer is incomplete.
    open: bool,
    /// Tool names by call id.
    tools: HashMap<String, String>,
    provider: String,
    model: String,
    thinking: String,
}

impl Reader {
    fn read_line(&mut self, number: usize, line: &Value) {
        let at = field_text(line, "timestamp").to_string();
        // Older files have items without a wrapper.
        let payload = line.get("payload").unwrap_or(line);
        match field_text(line, "type") {
            "session_meta" => self.read_metadata(number, &at, payload),
            "compacted" => self.add_compaction(number, &at, payload),
            "turn_context" => self.read_turn(number, &at, payload),
            "event_msg" => self.read_event(number, &at, payload, line),
            "" if number == 1 => self.read_metadata(number, &at, line),
            "" => self.preserve_line(number, &at, line),
            kind if kind != "response_item" && line.get("payload").is_some() => {
                self.preserve_line(number, &at, line);
            }
            _ => self.read_item(number, &at, payload),
        }
    }

    fn push(&mut self, number: usize, at: &str, body: EntryBody) {
        self.open = false;
        self.chains[self.current_chain].entries.push(ImportedEntry {
            id: format!("{number:08x}"),
            at: at.to_string(),
            body,
        });
    }

    /// Preserves a line unchanged.
    fn preserve_line(&mut self, number: usize, at: &str, line: &Value) {
        let open = self.open;
        if open {
            // Added before the current answer, so as not to split it.
            let drafts = &mut self.chains[self.current_chain].entries;
            let index = drafts.len() - 1;
            drafts.insert(
                index,
                ImportedEntry {
                    id: format!("{number:08x}"),
                    at: at.to_string(),
                    body: preserved_entry("codex", line),
                },
            );
        } else {
            self.push(number, at, preserved_entry("codex", line));
        }
    }

    fn read_metadata(&mut self, number: usize, at: &str, meta: &Value) {
        if self.session.id.is_empty() {
            self.session.id = field_text(meta, "id").to_string();
            let began =
                if field_text(meta, "timestamp").is_empty() { at } else { field_text(meta, "timestamp") };
            self.session.started_at = began.to_string();
            self.session.cwd = field_text(meta, "cwd").to_string();
        }
        if let Some(provider) = meta["model_provider"].as_str().filter(|name| !name.is_empty()) {
            self.provider = provider.to_string();
        }
        self.preserve_line(number, at, &json!({"type": "session_meta", "payload": meta}));
    }

    fn read_turn(&mut self, number: usize, at: &str, turn: &Value) {
        if self.session.cwd.is_empty() {
            self.session.cwd = field_text(turn, "cwd").to_string();
        }
        let (model, effort) = (field_text(turn, "model"), field_text(turn, "effort"));
        if !model.is_empty() && model != self.model {
            self.model = model.to_string();
            let body =
                EntryBody::ModelChange { provider: self.provider.clone(), model_id: model.to_string() };
            self.push(number, at, body);
        }
        if effort != self.thinking && Thinking::parse(effort).is_some() {
            self.thinking = effort.to_string();
            self.open = false;
            let body = EntryBody::ThinkingLevelChange { thinking_level: effort.to_string() };
            let id = format!("{number:08x}-effort");
            self.chains[self.current_chain].entries.push(ImportedEntry { id, at: at.to_string(), body });
        }
    }

    fn read_item(&mut self, number: usize, at: &str, item: &Value) {
        let stamp = clock::parse_iso8601(at).unwrap_or(0);
        match field_text(item, "type") {
            "message" => self.read_message(number, at, item, stamp),
            "reasoning" => {
                let mut thought: Vec<Part> = parts::parts(&item["summary"]);
                thought.extend(parts::parts(&item["content"]));
                let thought: Vec<&str> = thought.iter().filter_map(Part::as_text).collect();
                let thinking = parts::thinking(&thought.join("\n\n"), None, false);
                self.append_to_answer(number, at, stamp, vec![Part::Known(thinking)]);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let call = tool_call(item);
                self.tools.extend(call.as_tool_call().map(|call| (call.id.clone(), call.name.clone())));
                self.append_to_answer(number, at, stamp, vec![call]);
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let call = field_text(item, "call_id");
                let (content, failed) = call_output(&item["output"]);
                let tool = self.tools.get(call).cloned().unwrap_or_default();
                let result = parts::result(call, &tool, content, failed, stamp);
                self.push(number, at, parts::message(Message::ToolResult(result)));
            }
            _ => self.preserve_line(number, at, &json!({"type": "response_item", "payload": item})),
        }
    }

    fn read_message(&mut self, number: usize, at: &str, item: &Value, stamp: u64) {
        let content = parts::parts(&item["content"]);
        let begins = content.first().and_then(Part::as_text).unwrap_or_default().trim_start();
        let added = INJECTED_PREFIXES.iter().any(|sign| begins.starts_with(sign));
        match field_text(item, "role") {
            "assistant" => self.append_to_answer(number, at, stamp, content),
            "user" if !added => {
                self.turns.push((self.current_chain, self.chains[self.current_chain].entries.len()));
                self.push(number, at, parts::user(content, stamp));
            }
            role => self.push(number, at, parts::program_text(&format!("codex.{role}"), &content, false)),
        }
    }

    /// Appends parts to the current answer, or starts one.
    fn append_to_answer(&mut self, number: usize, at: &str, stamp: u64, more: Vec<Part>) {
        if !self.open {
            let fresh = parts::answer("openai-responses", &self.provider, &self.model, stamp);
            self.push(number, at, parts::message(Message::Assistant(fresh)));
            self.open = true;
        }
        // Its id is that of its last line, so that an answer that has grown since is a new entry; the old one
        // was complete when it was imported.
        if let Some(draft) = self.chains[self.current_chain].entries.last_mut() {
            (draft.id, draft.at) = (format!("{number:08x}"), at.to_string());
        }
        if let Some(answer) = self.latest_answer() {
            answer.content.extend(more);
            let calls = answer.tool_calls().next().is_some();
            answer.stop_reason = if calls { StopReason::ToolUse } else { StopReason::Stop };
        }
    }

    fn latest_answer(&mut self) -> Option<&mut AssistantMessage> {
        self.chains[self.current_chain].entries.iter_mut().rev().find_map(|draft| match &mut draft.body {
            EntryBody::Message { message: AgentMessage::Llm(Message::Assistant(answer)) } => Some(answer),
            _ => None,
        })
    }

    fn add_compaction(&mut self, number: usize, at: &str, payload: &Value) {
        let mut summary = field_text(payload, "message").to_string();
        if summary.is_empty() {
            let last = payload["replacement_history"].as_array().and_then(|items| items.last());
            let last = last.map_or_else(Vec::new, |item| parts::parts(&item["content"]));
            summary = last.iter().filter_map(Part::as_text).collect();
        }
        let body = EntryBody::Compaction {
            summary,
            first_kept_entry_id: format!("{number:08x}"),
            tokens_before: 0,
            usage: None,
            details: Some(json!({"from": "codex"})),
            from_hook: None,
            system_message: None,
        };
        self.push(number, at, body);
    }

    fn read_event(&mut self, number: usize, at: &str, event: &Value, line: &Value) {
        match field_text(event, "type") {
            "token_count" => {
                let used = &event["info"]["last_token_usage"];
                let usage = used.is_object().then(|| usage(used));
                if let (Some(usage), Some(answer)) = (usage, self.latest_answer()) {
                    answer.usage = usage;
                }
            }
            "thread_rolled_back" => self.roll_back(event["num_turns"].as_u64().unwrap_or(0)),
            kind if DUPLICATE_EVENTS.contains(&kind) => {}
            _ => self.preserve_line(number, at, line),
        }
    }

    /// Continues before the last user messages; the removed part stays as a branch.
    fn roll_back(&mut self, turns: u64) {
        let mut index = None;
        for _ in 0..turns.min(self.turns.len() as u64) {
            index = self.turns.pop().or(index);
        }
        let Some((chain, length)) = index else { return };
        self.open = false;
        // The chain is split there: the rest becomes a sibling of the chain that follows now.
        let rest = self.chains[chain].entries.split_off(length);
        let end = self.chains.len();
        for other in self.chains.iter_mut().filter(|other| other.parent == Some(chain)) {
            other.parent = Some(end);
        }
        self.chains.push(Chain { parent: Some(chain), entries: rest, is_subagent: false });
        self.chains.push(Chain { parent: Some(chain), entries: Vec::new(), is_subagent: false });
        self.current_chain = end + 1;
    }
}

fn tool_call(item: &Value) -> Part {
    let id = if field_text(item, "call_id").is_empty() {
        field_text(item, "id")
    } else {
        field_text(item, "call_id")
    };
    Part::Known(match field_text(item, "type") {
        "function_call" => {
            let raw = field_text(item, "arguments");
            let arguments = serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_string()));
            parts::call(id, field_text(item, "name"), arguments)
        }
        "custom_tool_call" => parts::call(id, field_text(item, "name"), item["input"].clone()),
        _ => parts::call(id, "local_shell", item["action"].clone()),
    })
}

/// Returns the output of a call, and whether it failed: the field is a text, parts, or JSON text with both.
fn call_output(output: &Value) -> (Vec<Part>, bool) {
    let parsed: Option<Value> = output.as_str().and_then(|text| serde_json::from_str(text).ok());
    let output = parsed.as_ref().filter(|value| value.get("output").is_some()).unwrap_or(output);
    let failed =
        output["success"] == false || output["metadata"]["exit_code"].as_i64().is_some_and(|code| code != 0);
    let content = output.get("output").or_else(|| output.get("content")).unwrap_or(output);
    (parts::parts(content), failed)
}

fn usage(used: &Value) -> Usage {
    let count = |name: &str| used[name].as_u64().unwrap_or(0);
    let cached = count("cached_input_tokens");
    Usage {
        input: count("input_tokens").saturating_sub(cached),
        output: count("output_tokens"),
        cache_read: cached,
        reasoning: used["reasoning_output_tokens"].as_u64(),
        total_tokens: count("total_tokens"),
        ..Usage::default()
    }
}
