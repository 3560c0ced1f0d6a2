//! Items of a streaming Responses answer: their types and content so far. Pure; must not know the events'
//! names.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::StreamEvent;
use crate::llm::request::raw_input;
use crate::llm::request::raw_input::RawInput;
use crate::llm::stream_builder::StreamBuilder;

/// The items by their index in the stream.
#[derive(Debug, Default)]
pub struct Items {
    open: BTreeMap<u64, Item>,
    /// Reasoning whose encrypted content is still missing, by part: some servers send it only at the very
    /// end.
    unsigned: Vec<(usize, Value)>,
    calls: usize,
}

#[derive(Debug)]
enum Item {
    Text {
        part: usize,
        sent: usize,
    },
    Thinking {
        part: usize,
        sent: usize,
    },
    Call {
        part: usize,
        sent: usize,
        name: String,
    },
    Custom {
        part: usize,
        input: RawInput,
        closed: bool,
        name: String,
    },
    /// Complete, or of an unknown type.
    Ended,
}

/// The complete input of a call.
#[derive(Debug)]
pub enum FullInput {
    /// Arguments of a function.
    Json(String),
    /// Text of a free-text tool; `None` if only its end is reported.
    Text(Option<String>),
}

type Out = Vec<StreamEvent>;

impl Items {
    /// Number of calls so far.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Starts an item. One that has started does not start again.
    pub fn open(&mut self, index: u64, item: &Value, draft: &mut StreamBuilder, out: &mut Out) {
        if self.open.contains_key(&index) {
            return;
        }
        let opened = match item["type"].as_str() {
            Some("message") => {
                let (part, event) = draft.open_text();
                out.push(event);
                Item::Text { part, sent: 0 }
            }
            Some("reasoning") => {
                let (part, event) = draft.open_thinking();
                out.push(event);
                Item::Thinking { part, sent: 0 }
            }
            Some(kind @ ("function_call" | "custom_tool_call")) => {
                let name = item["name"].as_str().unwrap_or_default().to_string();
                let (part, event) = draft.open_call(call_id(item), name.clone());
                out.push(event);
                self.calls += 1;
                if kind == "function_call" {
                    Item::Call { part, sent: 0, name }
                } else {
                    Item::Custom { part, input: RawInput::default(), closed: false, name }
                }
            }
            _ => Item::Ended,
        };
        self.open.insert(index, opened);
        // Some servers include the beginning in the item.
        if let Some(begun) = item["arguments"].as_str().filter(|begun| !begun.is_empty()) {
            self.arguments(index, begun.to_string(), draft, out);
        }
        if let Some(begun) = item["input"].as_str().filter(|begun| !begun.is_empty()) {
            self.input(index, begun, draft, out);
        }
    }

    /// Adds a text delta; a server may omit the item's start.
    pub fn text(&mut self, index: u64, delta: String, draft: &mut StreamBuilder, out: &mut Out) {
        if !self.open.contains_key(&index) {
            self.open(index, &json!({"type": "message"}), draft, out);
        }
        if let Some(Item::Text { part, sent }) = self.open.get_mut(&index)
            && !delta.is_empty()
        {
            *sent += delta.len();
            out.push(draft.text(*part, delta));
        }
    }

    /// Adds a reasoning delta.
    pub fn thinking(&mut self, index: u64, delta: String, draft: &mut StreamBuilder, out: &mut Out) {
        if let Some(Item::Thinking { part, sent }) = self.open.get_mut(&index)
            && !delta.is_empty()
        {
            *sent += delta.len();
            out.push(draft.thinking(*part, delta));
        }
    }

    /// Starts another paragraph of a summary.
    pub fn paragraph(&mut self, index: u64, draft: &mut StreamBuilder, out: &mut Out) {
        if matches!(self.open.get(&index), Some(Item::Thinking { sent: 1.., .. })) {
            self.thinking(index, "\n\n".to_string(), draft, out);
        }
    }

    /// Adds a delta of a function's arguments.
    pub fn arguments(&mut self, index: u64, delta: String, draft: &mut StreamBuilder, out: &mut Out) {
        if let Some(Item::Call { part, sent, .. }) = self.open.get_mut(&index)
            && !delta.is_empty()
        {
            *sent += delta.len();
            out.push(draft.arguments(*part, delta));
        }
    }

    /// Adds a delta of a free-text tool's input.
    pub fn input(&mut self, index: u64, delta: &str, draft: &mut StreamBuilder, out: &mut Out) {
        if let Some(Item::Custom { part, input, closed: false, .. }) = self.open.get_mut(&index) {
            out.extend(input.push(delta).map(|json| draft.arguments(*part, json)));
        }
    }

    /// Handles a repeated complete input: the missing rest is added; if it differs, it replaces the input so
    /// far.
    pub fn set_full_input(
        &mut self,
        index: u64,
        whole: &FullInput,
        draft: &mut StreamBuilder,
        out: &mut Out,
    ) {
        match (self.open.get_mut(&index), whole) {
            (Some(Item::Call { part, .. }), FullInput::Json(whole)) if !whole.is_empty() => {
                arguments(*part, whole, draft, out);
            }
            (Some(Item::Custom { part, closed, .. }), FullInput::Text(Some(text))) if !*closed => {
                *closed = true;
                arguments(*part, &raw_input::arguments(text), draft, out);
            }
            (Some(Item::Custom { part, input, closed, .. }), FullInput::Text(None)) if !*closed => {
                *closed = true;
                out.push(draft.arguments(*part, input.close(None)));
            }
            _ => {}
        }
    }

    /// Completes an item, which is repeated in full.
    pub fn close(&mut self, index: u64, item: Value, draft: &mut StreamBuilder, out: &mut Out) {
        if !self.open.contains_key(&index) {
            self.open(index, &item, draft, out);
        }
        match self.open.get(&index) {
            Some(Item::Text { part, .. }) => {
                let (part, whole) = (*part, joined_text(&item["content"], ""));
                match whole.strip_prefix(draft.so_far(part)) {
                    Some(rest) => self.text(index, rest.to_string(), draft, out),
                    None if whole.is_empty() => {}
                    None => out.extend(draft.replace_text(part, whole)),
                }
            }
            Some(Item::Thinking { part, .. }) => {
                let part = *part;
                let full_texts = ["summary", "content"].map(|name| joined_text(&item[name], "\n\n"));
                let full_texts = || full_texts.iter().filter(|whole| !whole.is_empty());
                let rest = full_texts().find_map(|whole| whole.strip_prefix(draft.so_far(part)));
                match (rest, full_texts().next()) {
                    (Some(rest), _) => self.thinking(index, rest.to_string(), draft, out),
                    (None, Some(whole)) => out.extend(draft.replace_thinking(part, whole.clone())),
                    (None, None) => {}
                }
            }
            Some(Item::Call { .. }) => {
                let whole = FullInput::Json(item["arguments"].as_str().unwrap_or_default().to_string());
                self.set_full_input(index, &whole, draft, out);
            }
            Some(Item::Custom { .. }) => {
                let whole = FullInput::Text(item["input"].as_str().map(str::to_string));
                self.set_full_input(index, &whole, draft, out);
            }
            _ => {}
        }
        match self.open.insert(index, Item::Ended) {
            Some(Item::Text { part, .. }) => {
                draft.attach(part, text_signature(&item));
                out.push(StreamEvent::TextEnd { index: part });
            }
            Some(Item::Thinking { part, .. }) => {
                out.push(StreamEvent::ThinkingEnd { index: part });
                if encrypted_content(&item).is_some() {
                    draft.sign(part, &item.to_string());
                } else if item.is_object() {
                    self.unsigned.push((part, item));
                }
            }
            Some(Item::Call { part, .. } | Item::Custom { part, .. }) => out.extend(draft.close_call(part)),
            Some(Item::Ended) | None => {}
        }
    }

    /// Handles the repeated complete answer: missing items are taken from it.
    pub fn complete(&mut self, output: Vec<Value>, draft: &mut StreamBuilder, out: &mut Out) {
        for (_, item) in &mut self.unsigned {
            let encrypted = output.iter().find(|other| other["id"] == item["id"]).and_then(encrypted_content);
            if let Some(encrypted) = encrypted {
                item["encrypted_content"] = encrypted.into();
            }
        }
        if self.open.is_empty() {
            for (index, item) in output.into_iter().enumerate() {
                self.close(index as u64, item, draft, out);
            }
        }
    }

    /// Ends the answer. An incomplete call is an error that names it, unless the output limit cut the answer
    /// off.
    pub fn end(&mut self, cut: bool, draft: &mut StreamBuilder, out: &mut Out) -> Result<(), String> {
        for (part, item) in self.unsigned.drain(..) {
            draft.sign(part, &item.to_string());
        }
        for item in std::mem::take(&mut self.open).into_values() {
            match item {
                Item::Text { part, .. } => out.push(StreamEvent::TextEnd { index: part }),
                Item::Thinking { part, .. } => out.push(StreamEvent::ThinkingEnd { index: part }),
                Item::Call { part, .. } | Item::Custom { part, .. } if cut => {
                    out.extend(draft.close_call(part));
                }
                Item::Call { name, .. } | Item::Custom { name, .. } => return Err(name),
                Item::Ended => {}
            }
        }
        Ok(())
    }
}

/// Sets a call's complete arguments: appends the rest, or replaces the arguments so far.
fn arguments(part: usize, whole: &str, draft: &mut StreamBuilder, out: &mut Out) {
    match whole.strip_prefix(draft.so_far(part)) {
        Some("") => {}
        Some(rest) => out.push(draft.arguments(part, rest.to_string())),
        None => draft.whole_arguments(part, whole.to_string()),
    }
}

/// Returns the ids of the call and its item, joined as pi does.
fn call_id(item: &Value) -> String {
    let word = |name: &str| item[name].as_str().filter(|word| !word.is_empty());
    match (word("call_id"), word("id")) {
        (Some(call), Some(item)) => format!("{call}|{item}"),
        (call, item) => call.or(item).unwrap_or("call").to_string(),
    }
}

/// Returns the signature of a text item, as pi stores it.
fn text_signature(item: &Value) -> String {
    let mut signature = json!({"v": 1, "id": item["id"].as_str().unwrap_or_default()});
    if let Some(phase) = item["phase"].as_str() {
        signature["phase"] = phase.into();
    }
    signature.to_string()
}

fn encrypted_content(item: &Value) -> Option<&str> {
    item["encrypted_content"].as_str().filter(|content| !content.is_empty())
}

/// Returns the text of an item's parts.
fn joined_text(parts: &Value, between: &str) -> String {
    let words = parts.as_array().into_iter().flatten();
    let words = words.filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()));
    words.collect::<Vec<_>>().join(between)
}
