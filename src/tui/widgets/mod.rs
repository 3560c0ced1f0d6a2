//! Widgets: reusable pieces for a canvas that hold their own state.
//!
//! Must not know what they are used for.

pub mod copied;
pub mod line;
pub mod line_cache;
pub mod markdown;
pub mod plain;

pub use line::{Line, Span};
pub use markdown::Markdown;
pub use plain::PlainText;
