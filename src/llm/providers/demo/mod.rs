//! The demo provider: a scripted guide for a bowline without a model, named as such.
//!
//! Uses the real tools, but only to read. Must not pretend to be a model.

pub mod guide;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "demo", build: guide::build };
