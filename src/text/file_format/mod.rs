//! From the bytes of a file to a text and back: encodings, line endings, loading in pieces, cleanup before saving.

pub mod encoding;
pub mod format;
pub mod loading;
pub mod tidy;
