//! Complete answers with a tool loop, retries and timeouts, for programs that want a result.
//!
//! The agent has its own loop and does not use this. Must not know any provider. All work happens while the
//! stream is polled: dropping it closes the connection and ends the tools. A forced tool choice applies to
//! the first answer only.
//!
//! ```
//! # use std::sync::Arc;
//! # use bowline::llm::generate::{self, Options};
//! # use bowline::llm::client::Client;
//! # use bowline::llm::model::{Message, Request, UserMessage};
//! # use bowline::llm::providers::scripted::script::{Scripted, Turn};
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let (_script, injected) = Scripted::injected(vec![Turn::text("a bowline")]);
//! let mut client = Client::new();
//! client.register(injected.provider, injected.models);
//! let request = Request {
//!     model: (*client.models()[0]).clone(),
//!     messages: vec![Message::User(UserMessage::text("Which knot holds and unties?", 0))],
//!     ..Request::default()
//! };
//! let outcome = generate::generate(&client, request, Options::default()).await.unwrap();
//! assert_eq!(outcome.message.text(), "a bowline");
//! # });
//! ```

mod run;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;

use super::client::Client;
use super::model::{
    AssistantMessage, ErrorKind, LlmError, Message, Part, RateLimit, Request, StreamEvent, ToolCall,
    ToolResultMessage, ToolSpec, Usage,
};
use crate::base::clock::{SharedClock, SystemClock};
use crate::base::ids::{RandomIds, SharedIds};
use crate::llm::retry::Policy;

/// A tool that the loop runs.
pub trait Callable: Send + Sync {
    /// Returns the definition for the model.
    fn spec(&self) -> ToolSpec;

    /// Runs with arguments that match the schema. An error is sent to the model.
    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>>;
}

/// Called for each retry with its cause and delay.
pub type OnRetry = Arc<dyn Fn(&LlmError, Duration) + Send + Sync>;
/// Gets one chance to fix arguments that do not match the schema; the text describes the problem.
pub type Repair = Arc<dyn Fn(&ToolCall, &str) -> Option<Value> + Send + Sync>;

/// Options of a generation.
#[derive(Clone)]
pub struct Options {
    /// Tools that the loop runs, added after those of the request. A call of another tool of the request ends
    /// the loop: the caller must handle it.
    pub tools: Vec<Arc<dyn Callable>>,
    /// Maximum number of model calls, not counting retries.
    pub max_steps: usize,
    /// Retry policy of failed model calls.
    pub policy: Policy,
    /// Timeout of one model call with its retries.
    pub step_limit: Option<Duration>,
    /// Timeout of the whole generation.
    pub total_limit: Option<Duration>,
    /// Called for each retry.
    pub on_retry: Option<OnRetry>,
    /// Fixes invalid arguments.
    pub repair: Option<Repair>,
    /// For time stamps.
    pub clock: SharedClock,
    /// The source of random numbers for delays.
    pub ids: SharedIds,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            max_steps: 20,
            policy: Policy::default(),
            step_limit: None,
            total_limit: None,
            on_retry: None,
            repair: None,
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
        }
    }
}

/// The result of a generation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The last answer.
    pub message: AssistantMessage,
    /// All messages added to the conversation, the last answer included.
    pub added: Vec<Message>,
    /// Usage of all model calls, including those that failed and were retried.
    pub usage: Usage,
    /// Warnings about dropped or unusual content.
    pub warnings: Vec<String>,
    /// The provider's last rate limit information.
    pub limits: Option<RateLimit>,
}

/// A progress item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// An event of the streaming answer.
    Event(StreamEvent),
    /// A model call failed and is retried after a delay: its partial answer is void, and the next
    /// `StreamEvent::Start` starts the replacement.
    Retrying {
        /// Why.
        error: LlmError,
        /// The delay.
        wait: Duration,
    },
    /// A tool has run.
    Result(ToolResultMessage),
    /// The final result.
    Done(Box<Outcome>),
    /// The final error; messages added before are preserved.
    Failed {
        /// Why.
        error: LlmError,
        /// The messages added before.
        added: Vec<Message>,
    },
}

/// Streams answers and tool results until the model is done. The last item is `Done` or `Failed`.
pub fn stream(client: &Client, request: Request, options: Options) -> BoxStream<'static, Progress> {
    run::stream(client.clone(), request, options)
}

/// Waits for the end.
pub async fn generate(client: &Client, request: Request, options: Options) -> Result<Outcome, LlmError> {
    let provider = request.model.provider.clone();
    let mut progress = stream(client, request, options);
    while let Some(step) = progress.next().await {
        match step {
            Progress::Done(outcome) => return Ok(*outcome),
            Progress::Failed { error, .. } => return Err(error),
            Progress::Event(_) | Progress::Retrying { .. } | Progress::Result(_) => {}
        }
    }
    let text = format!("{provider}: the answer ended without an end");
    Err(LlmError::new(ErrorKind::Stream, provider, text))
}
