//! Translates a conversation to the current tools, so that the model sees one set of tools only. Calls of
//! other families' tools become calls of these, or text when no equivalent exists.
//!
//! Pure and incremental: later messages never change the translation of earlier ones, so the result is
//! stable. Messages that already use the current tools are unchanged.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use crate::llm::model::{
    AssistantMessage, KnownPart, Message, Part, StopReason, ToolCall, ToolResultMessage, UserMessage,
};
use crate::tools::contract::registry::RegisteredTool;
use crate::tools::{Registry, call::translate};

/// Dialect of a translated answer: it matches no model, so signed content of the provider is not sent back.
const TRANSLATED_API: &str = "retold";
/// Result of the additional calls that one call was translated to.
const MERGED_RESULT: &str = "Done together with the call before; its result tells of both.";

/// Returns the messages translated to the tools of `to`.
pub fn translate(history: Vec<Message>, to: &Registry) -> Vec<Message> {
    let mut teller = Translator { to, out: Vec::with_capacity(history.len()), open: None };
    for message in history {
        match message {
            Message::ToolResult(result) => teller.result(result),
            Message::User(_) => {
                teller.close();
                teller.out.push(message);
            }
            Message::Assistant(answer) => {
                teller.close();
                teller.answer(answer);
            }
        }
    }
    teller.out
}

/// How a call is translated.
#[derive(Debug, Clone, PartialEq)]
enum Translation {
    /// Unchanged.
    Unchanged,
    /// Replaced by other calls: names and arguments.
    Calls(Vec<(String, Value)>),
    /// Replaced by text.
    Text,
}

struct Translator<'a> {
    to: &'a Registry,
    out: Vec<Message>,
    /// The last answer, if it was changed and has calls without results yet.
    open: Option<OpenAnswer>,
}

/// An answer that was changed.
#[derive(Default)]
struct OpenAnswer {
    /// The translation of its calls, by original id; calls with the same id in their order.
    translated: HashMap<String, VecDeque<TranslatedCall>>,
    pending: usize,
    /// Results as text. They are held back, since nothing may stand between calls and results.
    held_results: Vec<Message>,
}

enum TranslatedCall {
    Unchanged,
    /// Ids and names.
    Calls(Vec<(String, String)>),
    Text,
}

impl Translator<'_> {
    fn answer(&mut self, answer: AssistantMessage) {
        let fates: Vec<Translation> = answer.tool_calls().map(|call| translate_call(call, self.to)).collect();
        if fates.iter().all(|fate| *fate == Translation::Unchanged) {
            return self.out.push(Message::Assistant(answer));
        }
        let mut ids: HashSet<String> = answer.tool_calls().map(|call| call.id.clone()).collect();
        let (mut open, mut fates) = (OpenAnswer::default(), fates.into_iter());
        let mut content = Vec::with_capacity(answer.content.len());
        for part in answer.content {
            match part {
                Part::Known(KnownPart::ToolCall(call)) => {
                    let fate = fates.next().unwrap_or(Translation::Unchanged);
                    open.pending += 1;
                    open.add_call(call, fate, &mut content, &mut ids);
                }
                part => content.extend(strip_signature(part)),
            }
        }
        let calls = content.iter().any(|part| part.as_tool_call().is_some());
        let stopped = answer.stop_reason == StopReason::ToolUse && !calls;
        let stop_reason = if stopped { StopReason::Stop } else { answer.stop_reason };
        let api = TRANSLATED_API.to_string();
        let translated = AssistantMessage { content, api, response_id: None, stop_reason, ..answer };
        self.out.push(Message::Assistant(translated));
        self.open = Some(open);
    }

    fn result(&mut self, result: ToolResultMessage) {
        let translated = self
            .open
            .as_mut()
            .and_then(|open| Some((open.translated.get_mut(&result.tool_call_id)?.pop_front()?, open)));
        let Some((translated, open)) = translated else { return self.out.push(Message::ToolResult(result)) };
        match translated {
            TranslatedCall::Unchanged => self.out.push(Message::ToolResult(result)),
            TranslatedCall::Calls(calls) => self.out.extend(split_result(result, calls)),
            TranslatedCall::Text => open.held_results.push(result_as_text(result)),
        }
        open.pending -= 1;
        if open.pending == 0 {
            self.close();
        }
    }

    fn close(&mut self) {
        self.out.extend(self.open.take().into_iter().flat_map(|open| open.held_results));
    }
}

impl OpenAnswer {
    /// Adds the translation of a call to the answer.
    fn add_call(
        &mut self,
        call: ToolCall,
        fate: Translation,
        content: &mut Vec<Part>,
        ids: &mut HashSet<String>,
    ) {
        let translated = match fate {
            Translation::Unchanged => {
                let id = call.id.clone();
                content.push(Part::Known(KnownPart::ToolCall(ToolCall { thought_signature: None, ..call })));
                self.translated.entry(id).or_default().push_back(TranslatedCall::Unchanged);
                return;
            }
            Translation::Text => {
                content
                    .push(Part::text(format!("(A call of the tool {}, with {})", call.name, call.arguments)));
                TranslatedCall::Text
            }
            Translation::Calls(calls) => {
                let mut named = Vec::with_capacity(calls.len());
                for (nth, (name, arguments)) in calls.into_iter().enumerate() {
                    let id = if nth == 0 { call.id.clone() } else { unique_id(&call.id, nth + 1, ids) };
                    named.push((id.clone(), name.clone()));
                    let call = ToolCall { id, name, arguments, thought_signature: None };
                    content.push(Part::Known(KnownPart::ToolCall(call)));
                }
                TranslatedCall::Calls(named)
            }
        };
        self.translated.entry(call.id).or_default().push_back(translated);
    }
}

/// Returns an id for an additional call that is unique in the answer.
fn unique_id(id: &str, nth: usize, ids: &mut HashSet<String>) -> String {
    // Some protocols append the item's id after a bar.
    let head = id.split('|').next().unwrap_or_default();
    let mut further = format!("{head}-{nth}");
    while !ids.insert(further.clone()) {
        further.push('x');
    }
    further
}

/// Returns a part without its provider signature; `None` if nothing remains.
fn strip_signature(part: Part) -> Option<Part> {
    match part {
        Part::Known(KnownPart::Text { text, .. }) => (!text.is_empty()).then(|| Part::text(text)),
        Part::Known(KnownPart::Thinking { redacted: true, .. }) => None,
        Part::Known(KnownPart::Thinking { thinking, .. }) => {
            Some(Part::Known(KnownPart::Thinking { thinking, thinking_signature: None, redacted: false }))
        }
        part => Some(part),
    }
}

/// Returns the results for the calls that a call was translated to.
fn split_result(result: ToolResultMessage, calls: Vec<(String, String)>) -> Vec<Message> {
    let mut calls = calls.into_iter();
    let Some((id, name)) = calls.next() else { return vec![Message::ToolResult(result)] };
    let (timestamp, is_error) = (result.timestamp, result.is_error);
    let first = ToolResultMessage { tool_call_id: id, tool_name: name, ..result };
    let further = calls.map(|(tool_call_id, tool_name)| ToolResultMessage {
        tool_call_id,
        tool_name,
        content: vec![Part::text(MERGED_RESULT)],
        details: None,
        is_error,
        timestamp,
        extra: Map::new(),
    });
    std::iter::once(first).chain(further).map(Message::ToolResult).collect()
}

fn result_as_text(result: ToolResultMessage) -> Message {
    let ToolResultMessage { tool_name, mut content, is_error, timestamp, .. } = result;
    let verb = if is_error { "failed" } else { "gave" };
    content.insert(0, Part::text(format!("(The call of the tool {tool_name} {verb}:)\n")));
    Message::User(UserMessage { content, timestamp, extra: Map::new() })
}

fn translate_call(call: &ToolCall, to: &Registry) -> Translation {
    let families = Registry::in_any_set(&call.name);
    if let Some(own) = to.entry(&call.name) {
        // Usually no other family has a tool of that name, and no check is needed.
        let only = to.is_builtin(&call.name) && families.len() == 1;
        if only || own.accepts(&call.arguments).is_some() {
            return Translation::Unchanged;
        }
        // Arguments that no tool of that name accepts are an invalid call of the current tool.
        let intents = families.iter().filter_map(|row| row.tool.intent(&row.accepts(&call.arguments)?));
        return intents
            .into_iter()
            .find_map(|intent| translate::translate(&intent, to))
            .map_or(Translation::Unchanged, Translation::Calls);
    }
    if families.is_empty() {
        // A name that the model invented; its result is the error that says so.
        return Translation::Unchanged;
    }
    let exact = |row: &RegisteredTool| row.tool.intent(&row.accepts(&call.arguments)?);
    let about = |row: &RegisteredTool| {
        row.tool.intent(&row.schema.check(row.tool.prepare(call.arguments.clone())).ok()?)
    };
    let mut intents = families.iter().filter_map(exact).chain(families.iter().filter_map(about));
    intents.find_map(|intent| translate::translate(&intent, to)).map_or(Translation::Text, Translation::Calls)
}

#[cfg(test)]
mod tests;
