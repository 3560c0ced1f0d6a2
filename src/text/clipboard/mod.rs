//! Cut and copied texts: their shape (characters, lines, rectangle), the kill ring, and named registers.

pub mod content;
pub mod kill_ring;
pub mod registers;
