//! The operators of Vim and Helix on the text covered by a motion or an object.

pub(in crate::text::modal) mod finish_edit;
pub mod operate;
pub mod paste;
pub mod replace;
pub(in crate::text::modal) mod shift_block;
pub mod spans;
