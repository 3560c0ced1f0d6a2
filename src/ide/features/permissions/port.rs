//! The approval port answered by a person: a question becomes an event, a dialog, an answer.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::ide::core::event::Event;
use crate::tools::approval::{Approval, Ask, Decision};

/// Sends every question to the loop.
#[derive(Debug)]
pub struct AskPerson {
    events: mpsc::Sender<Event>,
}

impl AskPerson {
    /// Questions go to this loop.
    pub fn new(events: mpsc::Sender<Event>) -> Self {
        Self { events }
    }
}

impl Approval for AskPerson {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        let events = self.events.clone();
        async move {
            let (reply, answer) = oneshot::channel();
            let gone = || Decision::Deny("bowline is closing; nobody can answer".to_string());
            if events.send(Event::Ask(ask, reply)).await.is_err() {
                return gone();
            }
            answer.await.unwrap_or_else(|_| gone())
        }
        .boxed()
    }
}
