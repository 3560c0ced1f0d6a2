//! A command line as the shell reads it.
//!
//! `read` finds commands by the grammar of bash, `leaves` and `heredoc` hold the tree against the shell's own
//! rules, `expand` takes wrappers and texts for other shells apart, `script` is the result as data. Must not
//! know any program.

pub(super) mod expand;
pub(super) mod heredoc;
pub(super) mod leaves;
pub(super) mod read;
pub(super) mod script;
