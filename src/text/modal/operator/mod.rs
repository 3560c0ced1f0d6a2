//! What the operators of Vim and Helix do to the text that a motion or an object covers.

pub mod operate;
pub(in crate::text::modal) mod outcome;
pub mod put;
pub mod replace;
pub(in crate::text::modal) mod shift_block;
pub mod spans;
