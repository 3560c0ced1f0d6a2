//! Scripted answers, for tests and for programs that embed bowline without a model.
//!
//! Uses the same registry as any dialect. Must not know other dialects.

#[doc(hidden)]
pub mod script;

use super::setup::Dialect;

pub use script::{Scripted, Step, Turn};

/// The dialect's row: an adapter with an empty script, unless one is injected.
#[doc(hidden)]
pub const DIALECT: Dialect = Dialect { id: "scripted", build: script::build };
