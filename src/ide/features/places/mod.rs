//! Pickers of marks, jumps and registers.

pub mod jumps;
pub mod marks;
pub mod registers;
