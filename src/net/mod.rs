//! The only sockets: the HTTP client and the decoder of server-sent events.
//!
//! Layer 1. May import `base`; must not know what is sent or to whom.

pub mod http;
pub mod sse;
