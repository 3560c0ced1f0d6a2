//! Unsaved text outlives the program: a journal of it, and bringing it back.

pub mod journal;
pub mod recover;
pub mod unsaved;
