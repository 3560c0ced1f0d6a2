//! Submits a message and waits for the answer, as one call, for programs that embed bowline.
//!
//! Must not know the caller.

use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;

use super::client::{ClientRequest, Reply, send_reply, session_ended};
use super::handle::Handle;
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::llm::model::{AssistantMessage, Message, UserMessage};
use crate::runtime::events::event::{RuntimeEvent, user_message};
use crate::runtime::lifecycle::owner::LiveSession;

impl Handle {
    /// Submits a message, waits for the end of the run that it starts, and returns the last answer. Refused
    /// while the agent works: use [`Handle::prompt`] to steer it. Fails when the run is interrupted or fails.
    /// Dropping the future stops the wait; the run continues unless [`Handle::abort`] ends it.
    pub async fn submit(&self, text: impl Into<String>) -> Result<AssistantMessage, Report> {
        let message = user_message(text.into(), Vec::new());
        let events = self.client_request(|reply| ClientRequest::Submit(message, reply)).await??;
        wait_for_answer(events).await
    }
}

impl LiveSession {
    pub(super) async fn handle_submit(&mut self, message: UserMessage, reply: Reply<Receiver<RuntimeEvent>>) {
        // Subscribed before the message is accepted, so that no event of this run is missed and none of
        // another run is seen.
        let events = self.hub.subscribe(crate::runtime::events::hub::Reader::Recent);
        let (taking, mut taken) = oneshot::channel();
        self.submit_message(message, None, taking).await;
        let taken = taken.try_recv().unwrap_or_else(|_| Err(session_ended()));
        send_reply(reply, taken.map(|_| events));
    }
}

/// Reads the events of a run to its end.
async fn wait_for_answer(mut events: Receiver<RuntimeEvent>) -> Result<AssistantMessage, Report> {
    let mut last = None;
    loop {
        match events.recv().await {
            Some(RuntimeEvent::Agent(AgentEvent::MessageEnd(message))) => {
                if let Message::Assistant(answer) = &*message {
                    last = Some(answer.clone());
                }
            }
            Some(RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted: true, .. })) => {
                return Err(Report::new("the run was interrupted"));
            }
            Some(RuntimeEvent::Agent(AgentEvent::AgentEnd { error: Some(error), .. })) => {
                return Err(Report::new(error));
            }
            Some(RuntimeEvent::Agent(AgentEvent::AgentEnd { .. })) => {
                let none = || Report::new("the agent gave no answer").hint("a limit was reached");
                return last.ok_or_else(none);
            }
            Some(RuntimeEvent::Ended) | None => return Err(session_ended()),
            Some(_) => {}
        }
    }
}
