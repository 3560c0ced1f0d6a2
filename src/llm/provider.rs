//! The provider contract: one trait, no logic. A dialect implements it in a folder of its own.

use std::pin::Pin;

use futures::Stream;

use super::model::{Request, StreamEvent};

/// A streamed answer. Dropping it closes the connection at once.
pub type EventStream = Pin<Box<dyn Stream<Item = StreamEvent> + Send>>;

/// Something that answers requests in one wire format.
pub trait Provider: Send + Sync {
    /// Provider id, such as `anthropic`.
    fn id(&self) -> &str;

    /// Starts an answer. Never fails and never panics: a failure is the stream's last event,
    /// and the stream ends with exactly one `Done` or `Error`.
    fn stream(&self, request: Request) -> EventStream;
}
