//! Shared parts of the dialects for reading an answer: connections, events, partial JSON, token counts.

#[doc(hidden)]
pub mod accumulate;
#[doc(hidden)]
pub mod answer;
#[doc(hidden)]
pub mod channel;
#[cfg(test)]
pub(in crate::llm) mod parsed_events;
#[doc(hidden)]
pub mod partial_json;
#[doc(hidden)]
pub mod socket_pool;
#[doc(hidden)]
pub mod token_counts;
