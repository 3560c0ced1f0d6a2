//! Colors and attributes by scope name, from TOML; how colors shrink to what a terminal has.
//!
//! May not know who draws or what a scope is used for.

pub mod color;
pub mod scheme;

pub use color::ColorDepth;
pub use scheme::{Theme, ThemeError};
