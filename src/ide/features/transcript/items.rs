//! Items of the conversation as shown: a list that grows at its end by the agent's events, and at its front
//! by earlier messages. Must not know widths or colors.

pub mod earlier_messages;
pub mod plan;
pub mod retry;
pub mod reveal;
pub mod subagents;
#[cfg(test)]
mod tests;
pub mod timing;
pub mod user_commands;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::agent::event::{AgentEvent, Compacted};
use crate::ide::core::slots::Slot;
use crate::ide::features::images::data::ImageData;
use crate::ide::model::agent::thousands;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{AssistantMessage, Message, Part, StopReason, StreamEvent, ToolResultMessage};
use crate::session::format::message::AgentMessage;
use crate::session::format::message::PagePosition;
use crate::tools::contract::registry::Registry;
use crate::tools::contract::view::{CallView, ResultView, exit_code};

/// One item of the conversation.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its id, unique while the session is shown.
    pub id: u64,
    /// Number of its changes, so that its layout can be cached.
    pub version: u64,
    /// How long the model wrote it, if that is known.
    pub took: Option<Duration>,
    /// Whether the model is still writing it.
    pub grows: bool,
    /// How many bytes a screen reader has got, while there is more or may be.
    pub revealed: Option<usize>,
    /// Its content.
    pub kind: ItemKind,
}

/// Content of an item.
#[derive(Debug, Clone)]
pub enum ItemKind {
    /// A message of the user.
    User(String),
    /// A message of the model: Markdown that grows while it streams.
    Answer(String),
    /// Thinking of the model.
    Thinking(String),
    /// A tool call.
    Tool(Box<Call>),
    /// An image of the user.
    Image(Arc<ImageData>),
    /// A summary that replaces a part of the conversation.
    Summary {
        /// Its description, in a line.
        title: String,
        /// Markdown.
        text: String,
    },
    /// A notice of the program.
    Notice {
        /// Whether it is an error.
        error: bool,
        /// The text.
        text: String,
    },
}

/// A tool call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The provider's id.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub view: CallView,
    /// Its status.
    pub status: CallStatus,
    /// Live output.
    pub live_output: String,
    /// Its result.
    pub result: Option<ResultView>,
    /// The exit code of a command that has ended.
    pub exit_code: Option<i64>,
    /// The time that it has run.
    pub timer: timing::CallTimer,
    /// The whole seconds of it that are shown.
    pub seconds: Option<u64>,
    /// The subagent that it started.
    pub agent: Option<Box<subagents::AgentProgress>>,
    /// The images of its result.
    pub images: Vec<Arc<ImageData>>,
}

impl Call {
    /// Returns a call that has just begun.
    pub(in crate::ide::features::transcript) fn new(
        call_id: String,
        tool: String,
        view: CallView,
        status: CallStatus,
    ) -> Self {
        Self {
            call_id,
            tool,
            view,
            status,
            live_output: String::new(),
            result: None,
            exit_code: None,
            timer: timing::CallTimer::default(),
            seconds: None,
            agent: None,
            images: Vec::new(),
        }
    }
}

/// Status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    /// Its arguments are still streaming.
    Streaming,
    /// It is running, or waits for permission.
    Running,
    /// It succeeded, after this time if that is known.
    Done(Option<Duration>),
    /// It failed.
    Failed(Option<Duration>),
}

/// Slot of the feature's state.
pub const TRANSCRIPT: Slot<Transcript> = Slot::new();

/// The conversation.
#[derive(Debug, Default)]
pub struct Transcript {
    items: VecDeque<Item>,
    next_id: u64,
    /// What precedes the items.
    earlier: earlier_messages::EarlierMessages,
    /// The item of each open part of the streaming message.
    streaming: Vec<(usize, usize)>,
    /// The failed model call that is retried.
    retry: Option<retry::Notice>,
    /// The task list in a line, while steps of it are unfinished.
    plan: Option<String>,
    /// The time of the current event, on the monotonic clock.
    now: Duration,
    /// Ids of the calls that run.
    running: Vec<u64>,
    /// The part in which the model thinks, and since when.
    thinking: Option<(usize, Duration)>,
    /// Whether texts appear in steps.
    is_paced: bool,
    /// Ids of the items of which not all is shown.
    revealing: Vec<u64>,
}

impl Transcript {
    /// All items that are here, oldest first.
    pub fn items(&self) -> &VecDeque<Item> {
        &self.items
    }

    /// Returns the task list in a line, while steps of it are unfinished.
    pub fn active_plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// Returns an item by its id.
    pub fn item(&self, id: u64) -> Option<&Item> {
        // A part that begins again has a higher id than what follows it.
        self.items.iter().rev().find(|item| item.id == id)
    }

    /// Loads the end of a stored conversation; `earlier` is the position of the rest.
    pub fn load(&mut self, messages: &[Arc<AgentMessage>], earlier: Option<&PagePosition>, tools: &Registry) {
        self.set_earlier(earlier);
        self.add_all(messages, tools);
        self.close_calls();
        if let Some(ItemKind::User(_)) = self.items.back().map(|item| &item.kind) {
            self.notice(false, "Not answered. Resend: Up, Enter".to_string());
        }
    }

    /// Adds stored messages. Calls without results stay open.
    fn add_all(&mut self, messages: &[Arc<AgentMessage>], tools: &Registry) {
        for message in messages {
            match &**message {
                AgentMessage::Llm(Message::User(user)) => self.add_user(&user.content),
                AgentMessage::Llm(Message::Assistant(answer)) => self.add_answer(answer, tools),
                AgentMessage::Llm(Message::ToolResult(result)) => {
                    if !self.end_call(result, None, None, tools) {
                        self.keep_result(result);
                    }
                }
                AgentMessage::Other(value) if message.role() == user_commands::ROLE => {
                    self.add_user_command(value);
                }
                AgentMessage::Other(value) if value.get("summary").is_some() => self.add_summary(value),
                AgentMessage::Other(value) => {
                    let text = value.get("content").and_then(Value::as_str);
                    if let Some(text) = text.filter(|_| message.role() != "system") {
                        self.notice(false, text.to_string());
                    }
                }
            }
        }
    }

    /// Marks open calls as interrupted, as after the program was killed.
    fn close_calls(&mut self) {
        for item in &mut self.items {
            if let ItemKind::Tool(call) = &mut item.kind
                && call.status == CallStatus::Streaming
            {
                call.status = CallStatus::Failed(None);
                call.result = Some(ResultView::Text("bowline ended before this call finished".to_string()));
            }
        }
        self.items.shrink_to_fit();
    }

    /// Adds a notice of the program.
    pub fn notice(&mut self, error: bool, text: String) {
        self.add(ItemKind::Notice { error, text });
    }

    /// Says in a quiet line that a setting changed, such as `Model: X`; of several changes in a row only the last.
    /// Says nothing before the first message.
    pub fn setting_changed(&mut self, name: &str, value: &str) {
        let start = format!("{name}: ");
        let new = format!("{start}{value}");
        match self.items.back_mut() {
            None => {}
            Some(Item { kind: ItemKind::Notice { error: false, text }, version, .. })
                if text.starts_with(&start) =>
            {
                *text = new;
                *version += 1;
            }
            Some(_) => self.notice(false, new),
        }
    }

    /// A summary that is in the session.
    fn add_summary(&mut self, value: &Value) {
        let text = value.get("summary").and_then(Value::as_str).unwrap_or_default().to_string();
        let title = match value.get("tokensBefore").and_then(Value::as_u64) {
            Some(before) => format!("compacted from {} tokens", thousands(before)),
            None => "summary of the other branch".to_string(),
        };
        self.add(ItemKind::Summary { title, text });
    }

    /// Handles the end of a compaction; returns whether anything visible changed.
    fn end_compaction(&mut self, result: Option<&Compacted>, aborted: bool, error: Option<&str>) -> bool {
        match (result, error) {
            (Some(done), _) => {
                let (before, after) = (thousands(done.tokens_before), thousands(done.tokens_after));
                let title = format!("compacted: {before} → {after} tokens");
                self.add(ItemKind::Summary { title, text: done.summary.clone() });
            }
            (None, Some(error)) => self.notice(true, error.to_string()),
            (None, None) if aborted => self.notice(false, "compaction canceled".to_string()),
            (None, None) => return false,
        }
        true
    }

    fn add(&mut self, kind: ItemKind) {
        self.next_id += 1;
        self.items.push_back(Item {
            id: self.next_id,
            version: 0,
            took: None,
            grows: false,
            revealed: None,
            kind,
        });
    }

    fn add_user(&mut self, parts: &[Part]) {
        self.add(ItemKind::User(join_text(parts)));
        for image in ImageData::of_parts(parts) {
            self.add(ItemKind::Image(image));
        }
    }

    fn add_answer(&mut self, answer: &AssistantMessage, tools: &Registry) {
        for part in &answer.content {
            match part {
                Part::Known(KnownPart::Text { text, .. }) => self.add(ItemKind::Answer(text.clone())),
                Part::Known(KnownPart::Thinking { thinking, .. }) => {
                    self.add(ItemKind::Thinking(thinking.clone()));
                }
                Part::Known(KnownPart::ToolCall(call)) => {
                    self.start_call(&call.id, &call.name, &call.arguments, tools, CallStatus::Streaming);
                }
                Part::Known(
                    KnownPart::Image { .. } | KnownPart::Document { .. } | KnownPart::Audio { .. },
                )
                | Part::Unknown(_) => {}
            }
        }
        self.add_failure(answer);
    }

    /// Keeps an interrupted answer readable; its calls are not run. The notice of the retry explains it.
    fn replace(&mut self, answer: &AssistantMessage) {
        for call in answer.tool_calls() {
            self.change_call(&call.id, |call| call.status = CallStatus::Failed(None));
        }
        self.notice(false, "The answer was interrupted and retried".to_string());
    }

    fn add_failure(&mut self, answer: &AssistantMessage) {
        if answer.is_replaced() {
            return self.replace(answer);
        }
        match answer.stop_reason {
            StopReason::Error => {
                let text =
                    answer.error_message.clone().unwrap_or_else(|| "the answer was interrupted".to_string());
                self.notice(true, text);
            }
            StopReason::Aborted => self.notice(false, "interrupted".to_string()),
            StopReason::Length => {
                self.notice(true, "The answer reached the model's output limit".to_string());
            }
            StopReason::Stop | StopReason::ToolUse => {}
        }
    }

    /// Handles an event; returns whether anything visible changed.
    pub fn apply(&mut self, event: &AgentEvent, tools: &Registry) -> bool {
        match event {
            AgentEvent::MessageStart(message) => match &**message {
                Message::User(user) => self.add_user(&user.content),
                Message::Assistant(_) => self.streaming.clear(),
                Message::ToolResult(_) => return false,
            },
            AgentEvent::MessageUpdate(update) => return self.stream(update, tools),
            AgentEvent::MessageEnd(message) => match &**message {
                Message::Assistant(answer) if self.streaming.is_empty() => self.add_answer(answer, tools),
                Message::Assistant(answer) => {
                    self.end_streaming();
                    self.add_failure(answer);
                }
                _ => return false,
            },
            AgentEvent::ToolStart { call_id, tool, args } => {
                self.start_call(call_id, tool, args, tools, CallStatus::Running);
                self.add_running(call_id);
            }
            AgentEvent::ToolUpdate { call_id, text } => {
                self.change_call(call_id, |call| call.live_output.clone_from(text));
            }
            AgentEvent::ToolEnd { result, full_text, took, .. } => {
                self.end_call(result, full_text.as_deref(), Some(*took), tools);
            }
            AgentEvent::CompactionEnd { result, aborted, error, .. } => {
                return self.end_compaction(result.as_deref(), *aborted, error.as_deref());
            }
            AgentEvent::LimitReached(text) => self.notice(true, text.clone()),
            AgentEvent::LoopDetected => {
                self.notice(false, "Repeated calls: the model was notified".to_string());
            }
            AgentEvent::ContextWarning { tokens, window } => {
                let percent = tokens.saturating_mul(100) / (*window).max(1);
                self.notice(
                    true,
                    format!("the conversation fills about {percent} % of what the model can hold"),
                );
            }
            AgentEvent::AgentStart
            | AgentEvent::SteeringInjected(_)
            | AgentEvent::TurnStart
            | AgentEvent::TurnEnd { .. }
            | AgentEvent::QueueUpdate { .. }
            // `Self::begin_retry` and `Self::end_retry` handle these: they need the time.
            | AgentEvent::RetryStart { .. }
            | AgentEvent::RetryEnd { .. }
            | AgentEvent::SummaryRetryStart { .. }
            | AgentEvent::SummaryRetry { .. }
            | AgentEvent::SummaryRetryEnd
            | AgentEvent::CompactionStart { .. }
            | AgentEvent::BranchSummaryStart
            // The user who moved the conversation gets a message.
            | AgentEvent::BranchSummaryEnd { .. }
            | AgentEvent::AgentEnd { .. } => return false,
        }
        true
    }

    fn stream(&mut self, event: &StreamEvent, tools: &Registry) -> bool {
        match event {
            StreamEvent::Start => return self.restart_streaming(),
            StreamEvent::TextStart { index } => {
                self.end_thinking();
                self.open_part(*index, ItemKind::Answer(String::new()));
            }
            StreamEvent::ThinkingStart { index } => {
                self.end_thinking();
                self.open_part(*index, ItemKind::Thinking(String::new()));
                self.begin_thinking(*index);
            }
            StreamEvent::ThinkingEnd { index, .. } => {
                self.end_thinking();
                self.end_part(*index);
            }
            StreamEvent::TextEnd { index, .. } => self.end_part(*index),
            StreamEvent::TextDelta { index, delta } | StreamEvent::ThinkingDelta { index, delta } => {
                let Some(item) = self.part(*index) else { return false };
                if let ItemKind::Answer(text) | ItemKind::Thinking(text) = &mut item.kind {
                    text.push_str(delta);
                    item.version += 1;
                }
            }
            StreamEvent::ToolCallStart { index, id, name } => {
                self.end_thinking();
                self.start_call(id, name, &Value::Null, tools, CallStatus::Streaming);
                self.streaming.push((*index, self.items.len() - 1));
            }
            StreamEvent::ToolCallEnd { call, .. } => {
                self.start_call(&call.id, &call.name, &call.arguments, tools, CallStatus::Streaming);
            }
            _ => return false,
        }
        true
    }

    /// Restarts the streaming answer; returns whether any of it was shown.
    fn restart_streaming(&mut self) -> bool {
        self.thinking = None;
        let mut shown: Vec<usize> = self.streaming.drain(..).map(|(_, at)| at).collect();
        shown.sort_unstable();
        for at in shown.iter().rev() {
            self.items.remove(*at);
        }
        !shown.is_empty()
    }

    /// Handles the end of streaming: frees spare capacity.
    fn end_streaming(&mut self) {
        self.end_thinking();
        for (_, at) in self.streaming.drain(..) {
            if let Some(item) = self.items.get_mut(at)
                && std::mem::take(&mut item.grows)
            {
                item.version += 1;
            }
            if let Some(ItemKind::Answer(text) | ItemKind::Thinking(text)) =
                self.items.get_mut(at).map(|item| &mut item.kind)
            {
                text.shrink_to_fit();
            }
        }
    }

    /// Begins a part. A part that began before restarts in its place.
    fn open_part(&mut self, index: usize, kind: ItemKind) {
        let known = self.streaming.iter().find(|(part, _)| *part == index).map(|(_, at)| *at);
        if let Some(item) = known.and_then(|at| self.items.get_mut(at)) {
            self.next_id += 1;
            let revealed = self.is_paced.then_some(0);
            *item = Item { id: self.next_id, version: 0, took: None, grows: true, revealed, kind };
            self.revealing.extend(revealed.map(|_| self.next_id));
            return;
        }
        self.add(kind);
        if let Some(item) = self.items.back_mut() {
            (item.grows, item.revealed) = (true, self.is_paced.then_some(0));
            self.revealing.extend(item.revealed.map(|_| item.id));
        }
        self.streaming.push((index, self.items.len() - 1));
    }

    /// Records that a part is complete.
    fn end_part(&mut self, index: usize) {
        if let Some(item) = self.part(index) {
            item.grows = false;
            item.version += 1;
        }
    }

    fn part(&mut self, index: usize) -> Option<&mut Item> {
        let (_, at) = *self.streaming.iter().rev().find(|(part, _)| *part == index)?;
        self.items.get_mut(at)
    }

    /// Adds a call, or updates the status of a known one.
    fn start_call(&mut self, call_id: &str, tool: &str, args: &Value, tools: &Registry, status: CallStatus) {
        let view = tools.find_for_display(tool).map(|tool| tool.call_view(args)).unwrap_or_default();
        let changed = self.change_call(call_id, |call| {
            call.view = view.clone();
            call.status = status;
        });
        if !changed {
            let (call_id, tool) = (call_id.to_string(), tool.to_string());
            self.add(ItemKind::Tool(Box::new(Call::new(call_id, tool, view, status))));
        }
    }

    /// Records that a call runs.
    fn add_running(&mut self, call_id: &str) {
        let is_meant = |item: &&Item| matches!(&item.kind, ItemKind::Tool(call) if call.call_id == call_id);
        let id = self.items.iter().rev().find(is_meant).map(|item| item.id);
        self.running.extend(id.filter(|id| !self.running.contains(id)));
    }

    /// Stores the result of a call; returns whether the call is loaded.
    fn end_call(
        &mut self,
        result: &ToolResultMessage,
        full: Option<&str>,
        took: Option<Duration>,
        tools: &Registry,
    ) -> bool {
        let text = full.map_or_else(|| join_text(&result.content), String::from);
        let view = match tools.find_for_display(&result.tool_name) {
            Some(known) if !result.is_error => known.result_view(&text, result.details.as_ref()),
            _ => ResultView::Text(text),
        };
        if let ResultView::Plan(steps) = &view {
            self.plan = plan::active_line(steps);
        }
        let status = if result.is_error { CallStatus::Failed(took) } else { CallStatus::Done(took) };
        let images = ImageData::of_parts(&result.content);
        self.change_call(&result.tool_call_id, |call| {
            call.result = Some(view);
            call.images = images;
            call.status = status;
            call.exit_code = exit_code(result.details.as_ref());
            call.live_output.clear();
        })
    }

    /// Changes the newest call with an id: providers may reuse an id in a later message.
    fn change_call(&mut self, call_id: &str, change: impl FnOnce(&mut Call)) -> bool {
        for item in self.items.iter_mut().rev() {
            match &mut item.kind {
                ItemKind::Tool(call) if call.call_id == call_id => {
                    change(call);
                    item.version += 1;
                    return true;
                }
                // Calls and their results are between two messages of the user.
                ItemKind::User(_) => return false,
                _ => {}
            }
        }
        false
    }
}
