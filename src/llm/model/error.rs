//! The failures of a model call, by kind, so that a program can decide and a user can act.

use std::fmt;
use std::time::Duration;

/// What went wrong, in the terms of the LLM contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// 401: no key, or a wrong one.
    Authentication,
    /// 403.
    AccessDenied,
    /// 404: no such model or path.
    NotFound,
    /// 400, 422.
    InvalidRequest,
    /// 408, or our own time-out.
    Timeout,
    /// The conversation does not fit the model.
    ContextLength,
    /// 429.
    RateLimit,
    /// 5xx.
    Server,
    /// The provider refuses the content.
    ContentFilter,
    /// Out of credit.
    Quota,
    /// No connection.
    Network,
    /// The stream broke off or made no sense.
    Stream,
    /// The user interrupted.
    Abort,
    /// The model called a tool in a way that nobody could read.
    InvalidToolCall,
    /// The provider cannot be told to choose tools that way.
    ToolChoice,
    /// The answer has not the form that was asked for.
    NoObject,
    /// The wire has no place for a document or a sound of the request.
    Media,
    /// A limit of our own was reached: a budget of money.
    Budget,
    /// bowline is set up wrong: no provider, no such dialect.
    Configuration,
}

/// A failed model call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LlmError {
    /// By kind.
    pub kind: ErrorKind,
    /// Provider id.
    pub provider: String,
    /// For a user: what failed, on what.
    pub message: String,
    /// The HTTP status, when there was an answer.
    pub status: Option<u16>,
    /// The provider's own code or type of the error.
    pub code: Option<String>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The body of the answer, cut to 8 KiB.
    pub raw: Option<String>,
}

impl LlmError {
    /// An error of this kind without an HTTP answer.
    pub fn new(kind: ErrorKind, provider: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            provider: provider.into(),
            message: message.into(),
            status: None,
            code: None,
            retry_after: None,
            raw: None,
        }
    }

    /// Whether the same request may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::RateLimit
                | ErrorKind::Server
                | ErrorKind::Network
                | ErrorKind::Stream
                | ErrorKind::Timeout
        )
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LlmError {}
