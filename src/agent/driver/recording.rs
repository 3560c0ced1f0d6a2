//! Recording of messages in the driver: timestamp, store, then event.

use std::sync::Arc;

use serde_json::Map;

use super::{Driver, Listener};
use crate::agent::effect::{Event, FinishedCall};
use crate::agent::event::AgentEvent;
use crate::agent::work::ToolDone;
use crate::llm::model::{AssistantMessage, Message, ToolResultMessage};
use crate::tools::Outcome;

impl<L: Listener> Driver<L> {
    pub(super) async fn tool_done(&mut self, done: ToolDone) {
        let ToolDone { index, call, mut outcome, took } = done;
        let result = ToolResultMessage {
            tool_call_id: call.id,
            tool_name: call.name,
            content: std::mem::take(&mut outcome.content),
            details: outcome.details.take(),
            is_error: outcome.is_error,
            timestamp: self.services.clock.now_ms(),
            extra: Map::new(),
        };
        let Outcome { full_text, terminate, .. } = outcome;
        self.send(Event::ToolEnded { index, ended: FinishedCall { result, full_text, took, terminate } })
            .await;
    }

    pub(super) async fn record(&mut self, message: Message) {
        let message = stamp(message, self.services.clock.now_ms());
        // Loaded before the message is stored; otherwise it would be loaded with the others and added twice.
        self.load_history();
        self.listener.store(&message).await;
        if !matches!(&message, Message::Assistant(answer) if answer.is_replaced()) {
            self.setup.history.push(message.clone());
        }
        let announced = match &message {
            Message::Assistant(_) => self.answer.take().is_some_and(|answer| answer.began),
            _ => false,
        };
        if !announced {
            let start = match &message {
                Message::Assistant(whole) => Message::Assistant(without_content(whole)),
                other => other.clone(),
            };
            self.listener.on_event(AgentEvent::MessageStart(Arc::new(start))).await;
        }
        self.listener.on_event(AgentEvent::MessageEnd(Arc::new(message))).await;
    }
}

fn without_content(message: &AssistantMessage) -> AssistantMessage {
    AssistantMessage { content: Vec::new(), ..message.clone() }
}

/// Sets the time of a message: the machine has no clock.
fn stamp(mut message: Message, now_ms: u64) -> Message {
    let timestamp = match &mut message {
        Message::User(m) => &mut m.timestamp,
        Message::Assistant(m) => &mut m.timestamp,
        Message::ToolResult(m) => &mut m.timestamp,
    };
    if *timestamp == 0 {
        *timestamp = now_ms;
    }
    message
}
