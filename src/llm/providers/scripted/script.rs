//! Scripted adapter: each request plays the next turn.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::{StreamExt, future, stream};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::llm::model::{ErrorKind, LlmError, Model, Request, StopReason, StreamEvent, Usage};
use crate::llm::provider::Injected;
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::llm::stream_builder::StreamBuilder;

/// A step of an answer.
#[derive(Debug, Clone)]
pub enum Step {
    /// Text, one delta each.
    Text(Vec<String>),
    /// Thinking in one delta.
    Thinking(String),
    /// A tool call with complete arguments.
    Call { id: String, name: String, arguments: Value },
    /// A tool call with raw arguments.
    RawCall { id: String, name: String, arguments: String },
    /// Waits for a permit of [`Scripted::gate`].
    Gate,
    /// Never completes.
    Stall,
    /// Ends with this error.
    Fail(LlmError),
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The stop reason; `None` means `ToolUse` if a call is among the steps.
    pub stop: Option<StopReason>,
    /// The usage.
    pub usage: Usage,
}

impl Turn {
    /// Creates a turn of these steps.
    pub fn of(steps: Vec<Step>) -> Self {
        Self { steps, stop: None, usage: Usage { input: 10, output: 5, ..Usage::default() } }
    }

    /// Creates a turn of plain text.
    pub fn text(text: &str) -> Self {
        Self::of(vec![Step::Text(vec![text.to_string()])])
    }

    /// Creates a turn of one tool call.
    pub fn call(id: &str, name: &str, arguments: Value) -> Self {
        Self::of(vec![Step::Call { id: id.into(), name: name.into(), arguments }])
    }

    /// Creates a turn that fails.
    pub fn fail(kind: ErrorKind, message: &str) -> Self {
        Self::of(vec![Step::Fail(LlmError::new(kind, "scripted", message))])
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn stop(mut self, reason: StopReason) -> Self {
        self.stop = Some(reason);
        self
    }
}

/// The adapter; records its requests.
#[derive(Debug)]
pub struct Scripted {
    id: String,
    turns: Mutex<VecDeque<Turn>>,
    requests: Mutex<Vec<Request>>,
    /// Each permit lets one [`Step::Gate`] pass.
    pub gate: Arc<Semaphore>,
}

/// Constructor for the dialect's row.
#[expect(clippy::needless_pass_by_value, reason = "every row's constructor has this form")]
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Scripted::new(&setup.provider, Vec::new()))
}

impl Scripted {
    /// Creates an adapter for this provider id.
    pub fn new(id: &str, turns: Vec<Turn>) -> Self {
        let (turns, requests) = (Mutex::new(turns.into()), Mutex::default());
        Self { id: id.to_string(), turns, requests, gate: Arc::new(Semaphore::new(0)) }
    }

    /// Creates an adapter with one model, `scripted/script`, ready to be injected.
    pub fn injected(turns: Vec<Turn>) -> (Arc<Self>, Injected) {
        let provider = Arc::new(Self::new("scripted", turns));
        let model = Model { reasoning: true, ..Model::unknown("scripted", "script", "scripted", "") };
        (provider.clone(), Injected { provider, models: vec![Arc::new(model)] })
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }

    /// Drops the turns that are left: further requests fail.
    pub fn end(&self) {
        self.turns.lock().clear();
    }

    /// Appends turns to the script.
    pub fn push(&self, turns: impl IntoIterator<Item = Turn>) {
        self.turns.lock().extend(turns);
    }
}

impl Provider for Scripted {
    fn id(&self) -> &str {
        &self.id
    }

    fn stream(&self, request: Request) -> EventStream {
        let draft = StreamBuilder::new(&request.model, 0);
        let turn = self.turns.lock().pop_front();
        self.requests.lock().push(request);
        let turn = turn.unwrap_or_else(|| Turn::fail(ErrorKind::Configuration, "the script is over"));
        let gate = self.gate.clone();
        let items = play(draft, turn);
        let waiting = stream::iter(items).then(move |item| {
            let gate = gate.clone();
            async move {
                match item {
                    Item::Event(event) => Some(*event),
                    Item::Gate => {
                        // A closed semaphore counts as open: the script continues.
                        if let Ok(permit) = gate.acquire().await {
                            permit.forget();
                        }
                        None
                    }
                    Item::Stall => future::pending().await,
                }
            }
        });
        waiting.filter_map(future::ready).boxed()
    }
}

enum Item {
    Event(Box<StreamEvent>),
    Gate,
    Stall,
}

impl Item {
    fn event(event: StreamEvent) -> Self {
        Self::Event(Box::new(event))
    }
}

fn play(mut draft: StreamBuilder, turn: Turn) -> Vec<Item> {
    let mut items = Vec::new();
    items.push(Item::event(StreamEvent::Start));
    let mut stop = StopReason::Stop;
    for step in turn.steps {
        match step {
            Step::Text(deltas) => {
                let (index, event) = draft.open_text();
                items.push(Item::event(event));
                items.extend(deltas.into_iter().map(|delta| Item::event(draft.text(index, delta))));
                items.push(Item::event(StreamEvent::TextEnd { index }));
            }
            Step::Thinking(text) => {
                let (index, event) = draft.open_thinking();
                items.push(Item::event(event));
                items.push(Item::event(draft.thinking(index, text)));
                items.push(Item::event(StreamEvent::ThinkingEnd { index }));
            }
            Step::Call { id, name, arguments } => {
                stop = StopReason::ToolUse;
                add_call(&mut draft, id, name, arguments.to_string(), &mut items);
            }
            Step::RawCall { id, name, arguments } => {
                stop = StopReason::ToolUse;
                add_call(&mut draft, id, name, arguments, &mut items);
            }
            Step::Gate => {
                items.push(Item::Gate);
            }
            Step::Stall => {
                items.push(Item::Stall);
                return items;
            }
            Step::Fail(error) => {
                items.push(Item::event(draft.fail(error)));
                return items;
            }
        }
    }
    *draft.usage() = turn.usage;
    draft.stop(turn.stop.unwrap_or(stop), None);
    items.push(Item::event(draft.done()));
    items
}

fn add_call(draft: &mut StreamBuilder, id: String, name: String, raw: String, items: &mut Vec<Item>) {
    let (index, event) = draft.open_call(id, name);
    items.push(Item::event(event));
    items.push(Item::event(draft.arguments(index, raw)));
    if let Some(event) = draft.close_call(index) {
        items.push(Item::event(event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::{Thinking, ToolChoice};

    fn request() -> Request {
        Request {
            model: Model::unknown("scripted", "script", "scripted", ""),
            system: vec![],
            messages: vec![],
            tools: vec![],
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::Off,
            max_tokens: None,
            session_id: None,
            ..Request::default()
        }
    }

    #[tokio::test]
    async fn scripted_turns_play_in_order_then_fail() {
        let (script, _) = Scripted::injected(vec![Turn::text("a"), Turn::call("c", "read", json!({}))]);
        let mut ends = Vec::new();
        for _ in 0..3 {
            let events: Vec<_> = script.stream(request()).collect().await;
            ends.push(match events.last().unwrap() {
                StreamEvent::Done { message } => format!("{:?}", message.stop_reason),
                StreamEvent::Error { error, .. } => error.message.clone(),
                other => panic!("{other:?}"),
            });
        }
        assert_eq!(ends, ["Stop", "ToolUse", "the script is over"]);
        assert_eq!(script.requests().len(), 3);
    }

    #[tokio::test]
    async fn scripted_gate_blocks_until_opened() {
        let (script, _) = Scripted::injected(vec![Turn::of(vec![Step::Gate, Step::Text(vec!["x".into()])])]);
        let mut stream = script.stream(request());
        assert_eq!(stream.next().await, Some(StreamEvent::Start));
        assert!(futures::poll!(stream.next()).is_pending());
        script.gate.add_permits(1);
        assert_eq!(stream.count().await, 4);
    }
}
