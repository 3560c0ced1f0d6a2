//! The only sockets: the HTTP client and the decoders of streams of events.
//!
//! Layer 1. May import `base`; must not know what is sent or to whom.

pub mod callback;
pub mod error;
pub mod frames;
pub mod http;
pub mod probe;
pub mod response;
pub mod sse;
pub mod tape;
