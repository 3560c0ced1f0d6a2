//! Analysis of command lines before they run: all commands that the shell would start, all files that it
//! would write, and whether everything is read-only.
//!
//! `syntax` parses a line, `wrapped` finds nested commands, `read_only` has the programs that change nothing,
//! `operands` finds the files and `network` the hosts that a command names, `effects` what people should not
//! overlook. Pure. Must not know policies,
//! tools or front ends. Anything that cannot be resolved is reported as such, and the caller asks the user: a
//! guess would be unsafe.

mod effects;
mod network;
mod operands;
mod read_only;
mod syntax;
mod wrappers;

pub use effects::{Effect, EffectKind, effects};
pub use network::host::{Host, HostPattern};
pub use network::targets::{NetworkTargets, network_targets, network_targets_of_writes};
pub use operands::derived::{DerivedNames, derived_names};
pub use operands::files::{
    Depth, FileOperand, depth, file_operands, may_contain, names_files_exactly, pattern, redirected_reads,
    saved_names, shows_contents,
};
pub use read_only::git::git_options;
pub use read_only::judge::{is_in_table, is_read_only, part_is_read_only, runs_git_elsewhere};
pub use syntax::expand::parse;
pub use syntax::script::{Script, SimpleCommand, Word};

#[cfg(test)]
mod tests;
