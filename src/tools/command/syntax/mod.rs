//! Shell syntax of command lines.
//!
//! `read` finds commands with the grammar of bash, `leaves` and `heredoc` check the tree against the shell's
//! own rules, `expand` unwraps nested commands, `script` is the result as data, `pieces` says
//! where the commands are in the text. Must not know any program.

pub(super) mod expand;
pub(super) mod heredoc;
pub(super) mod pieces;
pub(super) mod read;
pub(super) mod script;
pub(super) mod tokens;
