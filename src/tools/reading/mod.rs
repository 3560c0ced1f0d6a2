//! Showing files to models: text by ranges, notebooks by cells, documents by pages, pictures within
//! what providers take.
//!
//! Must not know tools of any family.

pub mod document;
pub mod look;
pub mod notebook;
pub mod pdf;
pub mod picture;
pub mod show;
pub mod sniff;
pub mod style;
pub mod window;
