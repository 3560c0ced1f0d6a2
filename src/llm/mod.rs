//! Talking to language models: plain data, the provider contract, and one folder per dialect.
//!
//! Layer 2. May import `base` and `net`; must not know of agents, tools that run, sessions or
//! terminals.

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod accumulate;
#[doc(hidden)]
pub mod affinity;
#[doc(hidden)]
pub mod answer;
#[doc(hidden)]
pub mod attach;
#[doc(hidden)]
pub mod auth;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod channel;
#[doc(hidden)]
pub mod client;
#[doc(hidden)]
pub mod copilot;
#[doc(hidden)]
pub mod discover;
#[doc(hidden)]
pub mod endpoint;
#[doc(hidden)]
pub mod error_classification;
#[doc(hidden)]
pub mod error_codes;
#[doc(hidden)]
pub mod error_phrases;
#[doc(hidden)]
pub mod extra;
#[doc(hidden)]
pub mod gemini;
pub mod generate;
#[doc(hidden)]
pub mod headers;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod layer;
#[doc(hidden)]
pub mod layers;
#[doc(hidden)]
pub mod media;
pub mod model;
pub mod object;
#[doc(hidden)]
pub mod output_budget;
#[cfg(test)]
mod parsed_events;
#[doc(hidden)]
pub mod partial_json;
#[doc(hidden)]
pub mod pictures;
pub mod provider;
pub mod providers;
#[doc(hidden)]
pub mod raw_input;
#[doc(hidden)]
pub mod refresh;
#[doc(hidden)]
pub mod responses;
pub mod retry;
#[doc(hidden)]
pub mod sockets;
pub mod stream_builder;
#[doc(hidden)]
pub mod strict;
#[doc(hidden)]
pub mod token_counts;

pub use client::Client;
pub use provider::Injected;
