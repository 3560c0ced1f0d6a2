//! Plain data of a conversation: messages and their parts, requests, stream events, usage, models, errors.
//! Any layer may import it; it imports nothing but serde.
//!
//! Field names in JSON follow pi's version 3, because session files and JSON modes contain these values
//! unchanged.

#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod event;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod login;
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod request;
#[doc(hidden)]
pub mod usage;

pub use error::{ErrorKind, LlmError};
pub use event::StreamEvent;
pub use limits::{ImageLimits, InputLimits, PromptCache, RateLimit, Resize};
pub use login::{Notice, Question};
pub use message::{
    AssistantMessage, KnownPart, Message, Part, StopReason, ToolCall, ToolResultMessage, UserMessage,
    join_text,
};
pub use options::{CacheRetention, Grammar, GrammarSyntax, ResponseFormat, Strictness};
pub use request::{Model, Request, Thinking, ToolChoice, ToolSpec};
pub use usage::{Cost, Prices, Tier, Usage};
