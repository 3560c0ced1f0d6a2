//! Text of PDF documents: from bytes to the lines of each page, in a subprocess if possible.
//!
//! Must not know files nor tools of any family.

pub mod content;
pub mod encoding;
pub mod extract;
pub mod font;
pub mod lines;
pub mod matrix;
pub mod pages;
pub mod program;
pub mod subprocess;
