//! Events of a live session in the kinds that the agent loop's specification (section 2.9) names, for
//! programs that embed bowline.
//!
//! Must not know who subscribes. Derived from the agent's events, as the wire's are.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;

use super::event::RuntimeEvent;
use crate::agent::event::AgentEvent;
use crate::agent::step::STEERING;
use crate::base::clock::SharedClock;
use crate::base::json::json;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{AssistantMessage, Message, Part, StreamEvent, ToolResultMessage, UserMessage};
use crate::tools::output::artifacts::Artifacts;

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// A subscription to a session starts.
    SessionStart,
    /// The session has ended: `state`. Without it only the event stream ended: a preceding error says why.
    SessionEnd,
    /// A user message: `content`.
    UserInput,
    /// The model starts to answer.
    AssistantTextStart,
    /// Text delta: `delta`.
    AssistantTextDelta,
    /// The answer is complete: `text`, `reasoning`, `usage`.
    AssistantTextEnd,
    /// A tool call starts: `tool_name`, `call_id`, `arguments`.
    ToolCallStart,
    /// Live output of a call: `call_id`, `delta`; with `restart` it is the tail of an output that is too long
    /// to send in full.
    ToolCallOutputDelta,
    /// A tool call ends: `call_id`, `tool_name`, and `output` or `error`. This is the full output, not what
    /// the model gets; when the model got only a part, `artifact` names the file that keeps it. Output above
    /// the storage limit (256 MiB) is as the model got it.
    ToolCallEnd,
    /// The tools work in another environment from now on: `root`. Not in the specification.
    EnvironmentChanged,
    /// A steering message enters the conversation: `content`.
    SteeringInjected,
    /// A limit was reached: `message`.
    TurnLimit,
    /// The calls repeat: `message`.
    LoopDetection,
    /// A warning for the user: `message`.
    Warning,
    /// An error: `message`.
    Error,
}

impl EventKind {
    /// Returns the specification's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SESSION_START",
            Self::SessionEnd => "SESSION_END",
            Self::UserInput => "USER_INPUT",
            Self::AssistantTextStart => "ASSISTANT_TEXT_START",
            Self::AssistantTextDelta => "ASSISTANT_TEXT_DELTA",
            Self::AssistantTextEnd => "ASSISTANT_TEXT_END",
            Self::ToolCallStart => "TOOL_CALL_START",
            Self::ToolCallOutputDelta => "TOOL_CALL_OUTPUT_DELTA",
            Self::ToolCallEnd => "TOOL_CALL_END",
            Self::EnvironmentChanged => "ENVIRONMENT_CHANGED",
            Self::SteeringInjected => "STEERING_INJECTED",
            Self::TurnLimit => "TURN_LIMIT",
            Self::LoopDetection => "LOOP_DETECTION",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionEvent {
    /// Its kind.
    pub kind: EventKind,
    /// When it was received, in milliseconds since 1970.
    pub timestamp: u64,
    /// The id of its session.
    pub session_id: String,
    /// Its fields, which depend on the kind.
    pub data: Map<String, Value>,
}

/// The events of a live session since the subscription. When another session replaces the current one, this
/// emits the end of the old and the start of the new.
pub struct Observer {
    session_id: String,
    clock: SharedClock,
    events: Receiver<RuntimeEvent>,
    ready: VecDeque<SessionEvent>,
    /// Live output of running calls, as far as it was emitted.
    emitted_output: HashMap<String, String>,
    /// Folder of stored outputs that are too long for events, and of this session's.
    outputs_root: PathBuf,
    outputs: Arc<Artifacts>,
    /// The event whose output is being read; later events wait for it.
    pending_read: Option<OutputRead>,
    ended: bool,
}

/// An event whose output is being read.
struct OutputRead {
    event: SessionEvent,
    field: &'static str,
    text: JoinHandle<Option<String>>,
}

impl Observer {
    pub(in crate::runtime) fn new(
        session_id: String,
        clock: SharedClock,
        kept: PathBuf,
        events: Receiver<RuntimeEvent>,
    ) -> Self {
        let (ready, live) = (VecDeque::new(), HashMap::new());
        let outputs = Arc::new(Artifacts::new(kept.join(&session_id)));
        let mut observer = Self {
            session_id,
            clock,
            events,
            ready,
            emitted_output: live,
            outputs_root: kept,
            outputs,
            pending_read: None,
            ended: false,
        };
        observer.push(EventKind::SessionStart, json!({}));
        observer
    }

    /// Returns the next event; `None` after the end of the live session. A caller that does not call for ten
    /// seconds while more than a thousand events are queued is dropped, and gets an error event.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        loop {
            if let Some(reading) = &mut self.pending_read {
                let text = (&mut reading.text).await.ok().flatten();
                self.ready.extend(self.pending_read.take().map(|reading| reading.into_event(text)));
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            match self.events.recv().await {
                Some(event) => self.handle_event(&event),
                None => self.stream_closed(),
            }
        }
    }

    /// The queue was closed without an end event of the session.
    fn stream_closed(&mut self) {
        self.ended = true;
        let message = "events were lost: they were not read in time, or the session ended";
        self.push(EventKind::Error, json!({"message": message}));
        self.push(EventKind::SessionEnd, json!({}));
    }

    fn push(&mut self, kind: EventKind, data: Value) {
        let event = self.make_event(kind, data);
        self.ready.extend(event);
    }

    fn make_event(&self, kind: EventKind, data: Value) -> Option<SessionEvent> {
        let Value::Object(data) = data else { return None };
        let (timestamp, session_id) = (self.clock.now_ms(), self.session_id.clone());
        Some(SessionEvent { kind, timestamp, session_id, data })
    }

    /// Emits the end of a call. Output that is too long for events is read from its file first.
    fn call_ended(&mut self, data: Value, is_whole: bool) {
        let kept = data["artifact"].as_str().filter(|_| !is_whole).map(str::to_string);
        let field = if data.get("error").is_some() { "error" } else { "output" };
        let event = self.make_event(EventKind::ToolCallEnd, data);
        match (event, kept) {
            (Some(event), Some(name)) => {
                let outputs = Arc::clone(&self.outputs);
                let text = tokio::spawn(async move { outputs.read_whole(&name).await });
                self.pending_read = Some(OutputRead { event, field, text });
            }
            (event, _) => self.ready.extend(event),
        }
    }

    fn handle_event(&mut self, event: &RuntimeEvent) {
        match event {
            RuntimeEvent::Agent(event) => self.handle_agent_event(event),
            RuntimeEvent::Failed(report) => {
                self.push(EventKind::Error, json!({"message": report.to_string()}));
            }
            RuntimeEvent::EnvironmentChanged { root } => {
                self.push(EventKind::EnvironmentChanged, json!({"root": root.to_string_lossy()}));
            }
            RuntimeEvent::Ended => {
                self.ended = true;
                self.push(EventKind::SessionEnd, json!({"state": "CLOSED"}));
            }
            RuntimeEvent::Replaced(snapshot) if snapshot.session_id != self.session_id => {
                self.switch_session(&snapshot.session_id);
            }
            _ => {}
        }
    }

    /// Switches to a session that replaces the current one.
    fn switch_session(&mut self, session_id: &str) {
        self.push(EventKind::SessionEnd, json!({"state": "CLOSED"}));
        self.session_id = session_id.to_string();
        self.outputs = Arc::new(Artifacts::new(self.outputs_root.join(session_id)));
        self.emitted_output.clear();
        self.push(EventKind::SessionStart, json!({}));
    }

    fn handle_agent_event(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::MessageStart(message) => match &**message {
                Message::User(user) => self.push_user_message(user),
                Message::Assistant(_) => self.push(EventKind::AssistantTextStart, json!({})),
                Message::ToolResult(_) => {}
            },
            AgentEvent::MessageUpdate(update) => self.push_update(update),
            AgentEvent::MessageEnd(message) => {
                if let Message::Assistant(answer) = &**message {
                    self.push_answer(answer);
                }
            }
            AgentEvent::ToolStart { call_id, tool, args } => {
                let data = json!({"call_id": call_id, "tool_name": tool, "arguments": args});
                self.push(EventKind::ToolCallStart, data);
            }
            AgentEvent::ToolUpdate { call_id, text } => self.push_output(call_id, text),
            AgentEvent::ToolEnd { call_id, tool, result, full_text, took } => {
                self.emitted_output.remove(call_id);
                let mut data = call_end_data(result, full_text.as_deref());
                data["call_id"] = json!(call_id);
                data["tool_name"] = json!(tool);
                data["duration_ms"] = json!(took.as_millis() as u64);
                self.call_ended(data, full_text.is_some());
            }
            AgentEvent::SteeringInjected(text) => {
                self.push(EventKind::SteeringInjected, json!({"content": text}));
            }
            AgentEvent::LimitReached(text) => self.push(EventKind::TurnLimit, json!({"message": text})),
            AgentEvent::LoopDetected => {
                let message = "the last tool calls follow a repeating pattern; the model was told";
                self.push(EventKind::LoopDetection, json!({"message": message}));
            }
            AgentEvent::ContextWarning { tokens, window } => {
                let percent = (*tokens as f64 / (*window).max(1) as f64 * 100.0).round();
                let message = format!("Context usage at ~{percent}% of context window");
                self.push(EventKind::Warning, json!({"message": message}));
            }
            AgentEvent::CompactionEnd { result: Some(done), .. } => {
                let (before, after) = (done.tokens_before, done.tokens_after);
                let message = format!("Context compacted: ~{before} tokens became ~{after}");
                self.push(EventKind::Warning, json!({"message": message}));
            }
            AgentEvent::CompactionEnd { error: Some(error), .. }
            | AgentEvent::BranchSummaryEnd { error: Some(error), .. }
            | AgentEvent::RetryStart { error, .. }
            | AgentEvent::SummaryRetryStart { error, .. } => {
                self.push(EventKind::Warning, json!({"message": error}));
            }
            AgentEvent::AgentEnd { error: Some(error), .. } => {
                self.push(EventKind::Error, json!({"message": error}));
            }
            _ => {}
        }
    }

    /// Emits a user message, unless it was already emitted as steering.
    fn push_user_message(&mut self, user: &UserMessage) {
        if !user.extra.contains_key(STEERING) {
            self.push(EventKind::UserInput, json!({"content": join_text(&user.content)}));
        }
    }

    fn push_update(&mut self, update: &StreamEvent) {
        match update {
            // The answer starts over.
            StreamEvent::Start => self.push(EventKind::AssistantTextStart, json!({})),
            StreamEvent::TextDelta { delta, .. } => {
                self.push(EventKind::AssistantTextDelta, json!({"delta": delta}));
            }
            _ => {}
        }
    }

    fn push_answer(&mut self, answer: &AssistantMessage) {
        let thinking = |part: &Part| match part {
            Part::Known(KnownPart::Thinking { thinking, .. }) => Some(thinking.clone()),
            _ => None,
        };
        let reasoning: Vec<String> = answer.content.iter().filter_map(thinking).collect();
        let reasoning = (!reasoning.is_empty()).then(|| reasoning.join("\n"));
        let data = json!({"text": answer.text(), "reasoning": reasoning, "usage": answer.usage});
        self.push(EventKind::AssistantTextEnd, data);
    }

    /// Emits only what is new: each live output is the full text.
    fn push_output(&mut self, call_id: &str, text: &str) {
        let before = self.emitted_output.insert(call_id.to_string(), text.to_string()).unwrap_or_default();
        let data = match text.strip_prefix(before.as_str()) {
            Some("") => return,
            Some(new) => json!({"call_id": call_id, "delta": new}),
            None => json!({"call_id": call_id, "delta": text, "restart": true}),
        };
        self.push(EventKind::ToolCallOutputDelta, data);
    }
}

impl OutputRead {
    /// Returns the event with the output, if there is one.
    fn into_event(mut self, text: Option<String>) -> SessionEvent {
        if let Some(text) = text {
            self.event.data.insert(self.field.to_string(), text.into());
        }
        self.event
    }
}

fn call_end_data(result: &ToolResultMessage, full_text: Option<&str>) -> Value {
    let text = join_text(&result.content);
    let output = full_text.unwrap_or(&text);
    let mut data = if result.is_error { json!({"error": output}) } else { json!({"output": output}) };
    let details = result.details.as_ref();
    let kept = |name: &str| details.and_then(|details| details.get(name));
    if let Some(name) = kept("artifact").or_else(|| kept("fullOutputPath")) {
        data["artifact"] = name.clone();
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;

    #[tokio::test]
    async fn observer_session_start_always_has_end() {
        use EventKind::{Error, SessionEnd, SessionStart};
        let ended = [(SessionStart, json!(null)), (SessionEnd, json!("CLOSED"))];
        let lost = [(SessionStart, json!(null)), (Error, json!(null)), (SessionEnd, json!(null))];
        for (says_so, wanted) in [(true, &ended[..]), (false, &lost[..])] {
            let (sender, events) = tokio::sync::mpsc::channel(1);
            let mut observer = Observer::new("s".into(), ManualClock::new(7), "/nowhere".into(), events);
            if says_so {
                sender.send(RuntimeEvent::Ended).await.unwrap();
            }
            drop(sender);
            let mut told = Vec::new();
            while let Some(event) = observer.next().await {
                told.push((event.kind, event.data.get("state").cloned().unwrap_or_default()));
            }
            assert_eq!(told, wanted);
            assert!(observer.next().await.is_none());
        }
    }

    #[test]
    fn observer_tool_output_is_sent_as_deltas() {
        let (_, events) = tokio::sync::mpsc::channel(1);
        let mut observer = Observer::new("s".into(), ManualClock::new(7), "outputs".into(), events);
        let update = |text: &str| {
            RuntimeEvent::Agent(AgentEvent::ToolUpdate { call_id: "c".into(), text: text.into() })
        };
        for text in ["one", "one", "one two", "wo three"] {
            observer.handle_event(&update(text));
        }
        let told: Vec<(String, bool)> = observer
            .ready
            .iter()
            .skip(1)
            .map(|event| {
                let data = |name: &str| event.data.get(name).cloned().unwrap_or_default();
                (data("delta").as_str().unwrap_or_default().to_string(), data("restart") == json!(true))
            })
            .collect();
        assert_eq!(told, [("one".into(), false), (" two".into(), false), ("wo three".into(), true)]);
        let first = &observer.ready[0];
        assert_eq!(
            (first.kind, first.timestamp, first.session_id.as_str()),
            (EventKind::SessionStart, 7, "s")
        );
    }
}
