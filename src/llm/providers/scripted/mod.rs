//! Answers from a script: for tests and for programs that embed bowline without a model.
//!
//! Goes through the same registry as any dialect. Must not know other dialects.

#[doc(hidden)]
pub mod script;

use super::setup::Dialect;

pub use script::{Scripted, Step, Turn};

/// The row: an adapter whose script is empty, until one is injected.
#[doc(hidden)]
pub const DIALECT: Dialect = Dialect { id: "scripted", build: script::build };
