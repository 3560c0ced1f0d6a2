//! Talking to language models: plain data, the provider contract, and one folder per dialect.
//!
//! Layer 2. May import `base` and `net`; must not know of agents, tools that run, sessions or
//! terminals.

pub mod access;
pub mod accumulate;
pub mod affinity;
pub mod answer;
pub mod attach;
pub mod auth;
pub mod catalog;
pub mod channel;
pub mod client;
pub mod copilot;
pub mod discover;
pub mod draft;
pub mod endpoint;
pub mod error_codes;
pub mod extra;
pub mod failure;
pub mod gemini;
pub mod generate;
pub mod headers;
#[cfg(test)]
mod heard;
pub mod history;
pub mod layer;
pub mod layers;
pub mod media;
pub mod model;
pub mod object;
pub mod partial_json;
pub mod pictures;
pub mod provider;
pub mod providers;
pub mod raw_input;
pub mod refresh;
pub mod responses;
pub mod retry;
pub mod room;
pub mod sockets;
pub mod strict;
pub mod wording;
