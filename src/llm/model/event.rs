//! What happens while an answer streams in. Must not know any wire format.

use super::error::LlmError;
use super::limits::RateLimit;
use super::message::{AssistantMessage, ToolCall};
use super::usage::Usage;

/// One step of a streamed answer. `index` is the place of the part in the message's content;
/// several parts may be open at once. The deltas of a part since it began last, joined, are its text exactly.
/// Every stream ends with one `Done` or one `Error`, and nothing follows it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The provider has accepted the request. Behind parts of an answer: the answer begins anew, they are void.
    Start,
    /// What the provider says about its limits; before `Start`.
    Limits(RateLimit),
    /// One of the provider's own events, where they are wanted; before what follows from it.
    Raw {
        /// Its name; empty where the wire has none.
        name: String,
        /// Its JSON.
        data: String,
    },
    /// Something that the request asked for was left out, or the answer has an oddity.
    Warning(String),
    /// What the provider has counted so far, priced. The last event has the whole of it; many providers tell
    /// nothing before.
    Usage(Box<Usage>),
    /// A text part begins; one that began before begins anew.
    TextStart { index: usize },
    /// More of it.
    TextDelta { index: usize, delta: String },
    /// It is complete.
    TextEnd { index: usize },
    /// A thinking part begins; one that began before begins anew.
    ThinkingStart { index: usize },
    /// More of it.
    ThinkingDelta { index: usize, delta: String },
    /// It is complete.
    ThinkingEnd { index: usize },
    /// A tool call begins; its arguments follow as JSON text.
    ToolCallStart { index: usize, id: String, name: String },
    /// More of the arguments' JSON text.
    ToolCallDelta { index: usize, delta: String },
    /// The call is complete.
    ToolCallEnd { index: usize, call: ToolCall },
    /// The answer is complete.
    Done { message: Box<AssistantMessage> },
    /// The answer broke off; `message` holds what had come, with stop reason `error` or
    /// `aborted`.
    Error { error: LlmError, message: Box<AssistantMessage> },
}
