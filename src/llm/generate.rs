//! Whole answers with a tool loop, retries and limits of time: for programs that want a result.
//!
//! The agent has a loop of its own and does not use this. Must not know any provider. Everything
//! happens while the stream is polled: dropping it closes the connection and ends the tools. A choice
//! that forces a call holds for the first answer.
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

/// Something that the model may call and the loop runs.
pub trait Callable: Send + Sync {
    /// As the model sees it.
    fn spec(&self) -> ToolSpec;

    /// Runs with arguments that fit the schema. What fails is told to the model.
    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>>;
}

/// Told of each repetition: why, and after how long.
pub type OnRetry = Arc<dyn Fn(&LlmError, Duration) + Send + Sync>;
/// Gets one try to put right arguments that do not fit, with what is wrong with them.
pub type Repair = Arc<dyn Fn(&ToolCall, &str) -> Option<Value> + Send + Sync>;

/// How to go about it.
#[derive(Clone)]
pub struct Options {
    /// Tools that are run here, offered after those of the request. A call of any other tool of
    /// the request ends the loop: it is the caller's.
    pub tools: Vec<Arc<dyn Callable>>,
    /// Model calls, retries not counted.
    pub max_steps: usize,
    /// When a failed model call is repeated.
    pub policy: Policy,
    /// For one model call with its repetitions.
    pub step_limit: Option<Duration>,
    /// For everything.
    pub total_limit: Option<Duration>,
    /// Hears of repetitions.
    pub on_retry: Option<OnRetry>,
    /// Puts arguments right.
    pub repair: Option<Repair>,
    /// For time stamps.
    pub clock: SharedClock,
    /// The source of chance in delays.
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

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The last answer.
    pub message: AssistantMessage,
    /// Everything that was added to the conversation, the last answer included.
    pub added: Vec<Message>,
    /// Of all model calls together, those included that broke off and were retried.
    pub usage: Usage,
    /// What was left out or odd.
    pub warnings: Vec<String>,
    /// What the provider said last about its limits.
    pub limits: Option<RateLimit>,
}

/// One step on the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Of the answer that is streaming in.
    Event(StreamEvent),
    /// A model call failed and is retried after a while: what came of its answer is void, and the next
    /// `StreamEvent::Start` begins the answer that replaces it.
    Retrying {
        /// Why.
        error: LlmError,
        /// After how long.
        wait: Duration,
    },
    /// A tool has run.
    Result(ToolResultMessage),
    /// The end.
    Done(Box<Outcome>),
    /// The end, with an error; what had been added to the conversation before is there.
    Failed {
        /// Why.
        error: LlmError,
        /// As far as it got.
        added: Vec<Message>,
    },
}

/// Streams answers and tool runs until the model is done. The last item is `Done` or `Failed`.
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
