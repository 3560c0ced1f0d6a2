//! Errors of a model call, by kind, so that a program can decide and a user can act.

use std::fmt;
use std::time::Duration;

/// Error kind, in the terms of the LLM contract.
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
    /// 408, or our own timeout.
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
    /// The stream broke off or was invalid.
    Stream,
    /// The user interrupted.
    Abort,
    /// The model called a tool in an unreadable form.
    InvalidToolCall,
    /// The provider does not support that tool choice.
    ToolChoice,
    /// The answer does not have the requested format.
    NoObject,
    /// The wire format does not support a document or audio in the request.
    Media,
    /// Our own limit was reached: a budget.
    Budget,
    /// bowline is misconfigured: no provider, unknown dialect.
    Configuration,
}

/// A failed model call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LlmError {
    /// The kind.
    pub kind: ErrorKind,
    /// The provider's id.
    pub provider: String,
    /// The message for the user: what failed and where.
    pub message: String,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The provider's error code or type.
    pub code: Option<String>,
    /// The delay that the provider requests.
    pub retry_after: Option<Duration>,
    /// The response's body, truncated to 8 KiB.
    pub raw: Option<String>,
}

impl LlmError {
    /// Creates an error of this kind without an HTTP response.
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
