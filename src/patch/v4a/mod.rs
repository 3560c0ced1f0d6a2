//! Patches in v4a format, which many models write: files are added, deleted, moved, or updated by chunks that
//! are located by their lines, not by line numbers.
//!
//! Pure: contents come from the caller. Parsing and results match codex byte for byte, because models are
//! trained on that; fixtures generated with its binary verify this.

pub mod outline;
pub mod parse;
mod reader;
mod seek;
pub mod update;

pub use outline::Outline;
pub use parse::{Chunk, Line, Section};
pub use reader::{Kind, PatchError, Sign};
pub use update::UpdateError;

#[cfg(test)]
mod tests;
