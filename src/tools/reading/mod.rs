//! Reads files for models: text by ranges, notebooks by cells, documents by pages, images within providers'
//! limits.
//!
//! Must not know tools of any family.

pub mod document;
pub mod file_contents;
pub mod notebook;
pub mod pdf;
pub mod picture;
pub mod show;
pub mod sniff;
pub mod style;
pub mod window;
