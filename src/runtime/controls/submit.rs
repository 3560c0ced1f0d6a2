//! Words with the answer that comes of them, for programs that ask and wait: one call from words to answer.
//!
//! Must not know which program asks.

use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;

use super::client::{ClientRequest, Reply, answer, ended};
use super::handle::Handle;
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::llm::model::{AssistantMessage, Message, UserMessage};
use crate::runtime::events::event::{RuntimeEvent, said};
use crate::runtime::lifecycle::owner::Live;

impl Handle {
    /// Says something, waits for the end of the run that it begins, and gives the last answer. Refused while
    /// the agent works: use [`Handle::prompt`] to steer it. A run that is interrupted, or fails, is an error.
    /// Whoever drops this stops waiting; the run goes on, unless [`Handle::abort`] ends it.
    pub async fn submit(&self, text: impl Into<String>) -> Result<AssistantMessage, Report> {
        let message = said(text.into(), Vec::new());
        let events = self.drive(|reply| ClientRequest::Submit(message, reply)).await??;
        last_answer(events).await
    }
}

impl Live {
    pub(super) async fn submitted(&mut self, message: UserMessage, reply: Reply<Receiver<RuntimeEvent>>) {
        // Before the words are taken, so that nothing of another run is heard and nothing of this one missed.
        let events = self.hub.subscribe(crate::runtime::events::hub::Reader::Recent);
        let (taking, mut taken) = oneshot::channel();
        self.say(message, None, taking).await;
        let taken = taken.try_recv().unwrap_or_else(|_| Err(ended()));
        answer(reply, taken.map(|_| events));
    }
}

/// Hears a run to its end.
async fn last_answer(mut events: Receiver<RuntimeEvent>) -> Result<AssistantMessage, Report> {
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
            Some(RuntimeEvent::Ended) | None => return Err(ended()),
            Some(_) => {}
        }
    }
}
