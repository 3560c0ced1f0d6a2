//! Patches in the v4a form, which many models write: whole files added, deleted, moved or updated
//! by chunks that are found by their lines, not by line numbers.
//!
//! Pure: contents come from the caller. What is a patch and what it does to a text is to the byte
//! what codex does, because models are trained on that; fixtures made with its binary say so.

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
