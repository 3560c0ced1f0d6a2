//! Demo provider: a scripted guide for using bowline without a model, labeled as such.
//!
//! Uses the real tools, read-only. Must not pretend to be a model.

pub mod guide;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "demo", build: guide::build };
