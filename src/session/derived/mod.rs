//! What is made of a session for others.
//!
//! `outline` has its tree as rows, `recent` the conversation in pieces with the last one first, `export` a
//! document of it, `fork` the entries of a new session that begins as a copy. Pure.

#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fork;
#[doc(hidden)]
pub mod outline;
#[doc(hidden)]
pub mod recent;
