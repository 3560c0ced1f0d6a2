//! The motions of Vim and Helix that need nothing but the text.

pub mod find;
pub mod landing;
pub mod motions;
pub mod page;
pub mod paragraphs;
pub mod sentences;
pub mod undone;
pub mod walk;
pub mod words;
