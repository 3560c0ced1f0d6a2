//! What an answer may come over instead of the body of a response: a connection of the dialect's own
//! that is asked first, and that lives on after the answer.
//!
//! Must not know any wire format.

use futures::future::BoxFuture;

use crate::llm::errors::error_classification::Refusal;
use crate::llm::model::AssistantMessage;
use crate::net::error::NetError;
use crate::net::sse::Event;

/// The next event, or why none comes.
pub type Received = Result<Event, Broken>;

/// Why an answer goes no further.
#[derive(Debug)]
pub enum Broken {
    /// The connection failed.
    Net(NetError),
    /// The server refused, as it would have with a status.
    Refused(Refusal),
}

/// A connection that may answer one request. Dropping it closes the connection at once.
pub trait Channel: Send {
    /// Asks, and waits for the first event; `None` when the request has to be made by HTTP.
    fn open(&mut self) -> BoxFuture<'_, Option<Received>>;

    /// The next event.
    fn next(&mut self) -> BoxFuture<'_, Received>;

    /// The answer came whole: the connection may be kept for the request after it.
    fn keep(self: Box<Self>, message: &AssistantMessage);
}
