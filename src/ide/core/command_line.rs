//! A command of a command line (`:write`, `:substitute`) and its arguments. Must not know any concrete one.

use crate::ide::core::context::Cx;
use crate::text::position::Line;

/// Arguments of a command.
#[derive(Debug, Clone, Copy)]
pub struct LineArgs<'a> {
    /// The line range: first, last, and the number of addresses given.
    pub lines: (Line, Line, usize),
    /// Whether `!` follows its name.
    pub bang: bool,
    /// The rest of the line.
    pub rest: &'a str,
}

/// A command line's command.
pub struct LineCommand {
    /// Its shortest abbreviation.
    pub short: &'static str,
    /// Its full name.
    pub long: &'static str,
    /// Description for help.
    pub title: &'static str,
    /// Runs it; fails with a message for the user.
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
