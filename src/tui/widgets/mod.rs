//! Things to put on a canvas that hold state of their own.
//!
//! May not know what they are used for.

pub mod line;
pub mod line_cache;
pub mod markdown;
pub mod plain;

pub use line::{Line, Span};
pub use markdown::Markdown;
pub use plain::PlainText;
