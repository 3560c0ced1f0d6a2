//! Colors and attributes by scope name, from TOML, and their reduction to the terminal's color depth.
//!
//! Must not know who draws or what a scope is used for.

pub mod choice;
pub mod color;
pub mod contrast;
pub mod import;
pub mod scheme;

pub use choice::ThemeChoice;
pub use color::ColorDepth;
pub use scheme::{Theme, ThemeError};
