//! What a command line gives to its command.

use crate::text::position::Line;

/// What a command is given.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The lines before it: first, last, and how many addresses there were.
    pub lines: (Line, Line, usize),
    /// Whether `!` stands behind its name.
    pub bang: bool,
    /// What follows.
    pub rest: &'a str,
}
