//! Undo reaches beyond the program: the trees of files are kept and found again.

pub mod keep;
pub mod store;
