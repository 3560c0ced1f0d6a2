//! Command lines, judged before they run: every command that the shell would start, what it would write, and
//! whether all of that is read-only.
//!
//! `syntax` reads a line, `wrapped` finds the commands that others run, `read_only` knows the programs that change
//! nothing, `operands` the files and `network` the hosts that a command names. Pure. Must not know policies, tools or
//! front ends. What cannot be resolved is reported as such, and the caller asks: a guess would be worse.

mod network;
mod operands;
mod read_only;
mod syntax;
mod wrapped;

pub use network::host::{Host, Hosts};
pub use network::targets::{NetworkTargets, network_targets, network_targets_of_writes};
pub use operands::derived::{Made, made_names};
pub use operands::files::{
    Depth, Named, depth, derived, may_contain, named, names_every_file, pattern, read_by, shows_contents,
};
pub use read_only::git::git_options;
pub use read_only::judge::{is_in_table, is_read_only, part_is_read_only, runs_git_elsewhere};
pub use syntax::expand::parse;
pub use syntax::script::{Part, Script, Word};

#[cfg(test)]
mod tests;
