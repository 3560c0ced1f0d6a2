//! Basics independent of editors and agents: time, ids, text widths, errors, paths.
//!
//! Layer 0. May import nothing of the crate; must not know the domain.

pub mod clock;
#[doc(hidden)]
pub mod code_fence;
pub mod error;
#[doc(hidden)]
pub mod framed;
pub mod ids;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod lenient;
#[doc(hidden)]
pub mod log;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod panics;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod partial_toml;
pub mod paths;
#[doc(hidden)]
pub mod plural;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod secret;
#[doc(hidden)]
pub mod secrets;
#[cfg(test)]
#[path = "../../tests/it/support/seeds.rs"]
pub(crate) mod seeds;
#[doc(hidden)]
pub mod width;

pub use secret::Secret;
