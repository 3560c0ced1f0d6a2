//! All events that can change the state of the IDE, as a closed list.

use futures::future::BoxFuture;
use tokio::sync::mpsc;

use crate::base::error::Report;
use crate::ide::core::context::{Completion, CompletionQueue};
use crate::runtime::{Handle, RuntimeEvent, Snapshot};
use crate::tui::input::Input;

/// An event.
pub enum Event {
    /// From the terminal.
    Input(Input),
    /// The screen was resized: columns, rows.
    Resize(u16, u16),
    /// The session is connected, or could not be started.
    Connected(Result<Box<(Handle, Snapshot)>, Report>),
    /// From the session.
    Runtime(RuntimeEvent),
    /// The session is over.
    SessionEnded,
    /// A task is done.
    Done(Completion),
}

/// What the event loop waited for.
pub enum NextEvent {
    /// An event.
    Event(Box<Event>),
    /// A picker has something new.
    Wake,
}

impl CompletionQueue for mpsc::Sender<Event> {
    fn put(&self, completion: Completion) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.send(Event::Done(completion)).await.is_err() {
                tracing::debug!("the loop has ended before a task's result");
            }
        })
    }

    fn put_blocking(&self, completion: Completion) {
        if self.blocking_send(Event::Done(completion)).is_err() {
            tracing::debug!("the loop has ended before a task's result");
        }
    }
}
