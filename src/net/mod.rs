//! The only sockets: the HTTP client and the decoders of streams of events.
//!
//! Layer 1. May import `base`; must not know what is sent or to whom.

pub mod callback;
mod client;
pub mod error;
pub mod frames;
pub mod http;
pub mod probe;
pub mod response;
pub mod roots;
pub mod socket;
pub mod sse;
pub mod tape;
