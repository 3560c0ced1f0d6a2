//! Views and documents derived from a session.
//!
//! `outline` has its tree as rows, `comparison` two points of it, `recent` the conversation page by page from the end, `export` a document
//! of it, `fork` the entries of a new session that begins as a copy. Pure.

#[doc(hidden)]
pub mod comparison;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fork;
#[doc(hidden)]
pub mod outline;
#[doc(hidden)]
pub mod recent;
