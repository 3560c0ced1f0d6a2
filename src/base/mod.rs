//! Facts about computers, not about editors or agents: time, identity, widths, errors, paths.
//!
//! Layer 0. May import nothing of the crate; must not know the domain.

pub mod clock;
pub mod counted;
pub mod error;
pub mod hidden;
pub mod ids;
pub mod json;
pub mod log;
pub mod paths;
pub mod schema;
pub mod secrets;
pub mod shares;
pub mod width;
