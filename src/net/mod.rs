//! Network access: the HTTP client and decoders of event streams. No other module opens sockets.
//!
//! Layer 1. May import `base`; must not know what is sent or to whom.

#[doc(hidden)]
pub mod callback;
#[doc(hidden)]
pub mod cassette;
#[doc(hidden)]
pub mod certificates;
mod client;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod frames;
#[doc(hidden)]
pub mod http;
#[doc(hidden)]
pub mod probe;
#[doc(hidden)]
pub mod response;
#[doc(hidden)]
pub mod socket;
#[doc(hidden)]
pub mod sse;

pub use cassette::Cassette;
pub use certificates::Roots;
pub use http::Transport;
