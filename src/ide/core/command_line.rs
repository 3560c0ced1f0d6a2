//! What a command of a command line is (`:write`, `:substitute`), and what it is given. Must not know any of them.

use crate::ide::core::context::Cx;
use crate::text::position::Line;

/// What a command is given.
#[derive(Debug, Clone, Copy)]
pub struct LineArgs<'a> {
    /// The lines before it: first, last, and how many addresses there were.
    pub lines: (Line, Line, usize),
    /// Whether `!` stands behind its name.
    pub bang: bool,
    /// What follows.
    pub rest: &'a str,
}

/// A command line's command.
pub struct LineCommand {
    /// Its shortest name.
    pub short: &'static str,
    /// Its whole name.
    pub long: &'static str,
    /// What it does, for help.
    pub title: &'static str,
    /// Does it, or says why not.
    pub run: fn(&mut Cx<'_>, &LineArgs<'_>) -> Result<(), String>,
}

/// A row of a table.
pub const fn line_command(
    short: &'static str,
    long: &'static str,
    title: &'static str,
    run: fn(&mut Cx<'_>, &LineArgs<'_>) -> Result<(), String>,
) -> LineCommand {
    LineCommand { short, long, title, run }
}
