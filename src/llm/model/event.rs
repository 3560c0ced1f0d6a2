//! Events of a streaming answer. Must not know any wire format.

use super::error::LlmError;
use super::limits::RateLimit;
use super::message::{AssistantMessage, ToolCall};
use super::usage::Usage;

/// One event of a streaming answer. `index` is the part's index in the message's content; several parts may
/// be open at once. The deltas of a part since its last start, joined, are exactly its text. Every stream
/// ends with one `Done` or one `Error`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The provider accepted the request. After content it means that the answer starts over, and the content
    /// is void.
    Start,
    /// The provider's rate limit information; before `Start`.
    Limits(RateLimit),
    /// A raw event of the provider, if requested; before the events that it causes.
    Raw {
        /// Its name; empty if the wire format has none.
        name: String,
        /// Its JSON.
        data: String,
    },
    /// Part of the request was ignored, or the answer is unusual.
    Warning(String),
    /// The provider's usage so far, with prices. The final event has the total; many providers send nothing
    /// earlier.
    Usage(Box<Usage>),
    /// A text part starts; one that had already started starts over.
    TextStart { index: usize },
    /// More of it.
    TextDelta { index: usize, delta: String },
    /// It is complete.
    TextEnd { index: usize },
    /// A thinking part starts; one that had already started starts over.
    ThinkingStart { index: usize },
    /// More of it.
    ThinkingDelta { index: usize, delta: String },
    /// It is complete.
    ThinkingEnd { index: usize },
    /// A tool call starts; its arguments follow as JSON text.
    ToolCallStart { index: usize, id: String, name: String },
    /// Delta of the arguments' JSON text.
    ToolCallDelta { index: usize, delta: String },
    /// The call is complete.
    ToolCallEnd { index: usize, call: ToolCall },
    /// The answer is complete.
    Done { message: Box<AssistantMessage> },
    /// The answer broke off; `message` is the partial answer, with stop reason `error` or `aborted`.
    Error { error: LlmError, message: Box<AssistantMessage> },
}
