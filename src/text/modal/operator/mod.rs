//! What the operators of Vim and Helix do to the text that a motion or an object covers.

pub(in crate::text::modal) mod finish_edit;
pub mod operate;
pub mod paste;
pub mod replace;
pub(in crate::text::modal) mod shift_block;
pub mod spans;
