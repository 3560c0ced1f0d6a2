//! Channel for answers other than an HTTP response: a dialect's own connection that is tried first, and that
//! outlives the answer.
//!
//! Must not know any wire format.

use futures::future::BoxFuture;

use crate::llm::errors::error_classification::ErrorAnswer;
use crate::llm::model::AssistantMessage;
use crate::net::error::NetError;
use crate::net::sse::Event;

/// The next event, or the error that ended the answer.
pub type Received = Result<Event, ChannelError>;

/// Why an answer ended prematurely.
#[derive(Debug)]
pub enum ChannelError {
    /// The connection failed.
    Net(NetError),
    /// The server refused, with an error as in an HTTP response.
    Refused(ErrorAnswer),
}

/// A connection that may answer one request. Dropping it closes the connection immediately.
pub trait Channel: Send {
    /// Sends the request and waits for the first event; `None` when HTTP must be used instead.
    fn open(&mut self) -> BoxFuture<'_, Option<Received>>;

    /// Returns the next event.
    fn next(&mut self) -> BoxFuture<'_, Received>;

    /// Called after a complete answer: the connection may be kept for the next request.
    fn release(self: Box<Self>, message: &AssistantMessage);
}
