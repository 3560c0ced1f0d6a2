//! The provider contract: a trait and plain data, no logic. A dialect implements it in a folder of its own.

use std::pin::Pin;
use std::sync::Arc;

use futures::Stream;

use super::model::{Model, Request, StreamEvent};

/// A streamed answer. Dropping it closes the connection at once.
pub type EventStream = Pin<Box<dyn Stream<Item = StreamEvent> + Send>>;

/// Something that answers requests in one wire format.
///
/// ```
/// use bowline::llm::stream_builder::StreamBuilder;
/// use bowline::llm::model::{Request, StopReason, StreamEvent};
/// use bowline::llm::provider::{EventStream, Provider};
/// use futures::StreamExt;
///
/// /// Agrees with everything.
/// struct Yes;
///
/// impl Provider for Yes {
///     fn id(&self) -> &str {
///         "yes"
///     }
///
///     fn stream(&self, request: Request) -> EventStream {
///         let mut draft = StreamBuilder::new(&request.model, 0);
///         let (index, open) = draft.open_text();
///         let text = draft.text(index, "Yes.".to_string());
///         draft.stop(StopReason::Stop, None);
///         let events = [StreamEvent::Start, open, text, StreamEvent::TextEnd { index }, draft.done()];
///         Box::pin(futures::stream::iter(events))
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() {
/// let last = Yes.stream(Request::default()).collect::<Vec<_>>().await.pop();
/// let Some(StreamEvent::Done { message }) = last else { panic!("an answer") };
/// assert_eq!(message.text(), "Yes.");
/// # }
/// ```
///
/// [`Builder::provider`](crate::runtime::Builder::provider) gives it to a session.
pub trait Provider: Send + Sync {
    /// The provider's id, such as `anthropic`.
    fn id(&self) -> &str;

    /// Starts an answer. Never fails and never panics: an error is the stream's last event, and the stream
    /// ends with exactly one `Done` or `Error`.
    fn stream(&self, request: Request) -> EventStream;
}

/// A provider outside of the catalog, with its models.
#[derive(Clone)]
pub struct Injected {
    /// The adapter.
    pub provider: Arc<dyn Provider>,
    /// Its models, the default first.
    pub models: Vec<Arc<Model>>,
}
