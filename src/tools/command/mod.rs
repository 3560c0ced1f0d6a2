//! Command lines, judged before they run: everything that the shell would start, what it would
//! write, and whether all of that only looks.
//!
//! Pure. Must not know policies, tools or front ends. What cannot be told is a doubt, and whoever
//! finds a doubt asks: a reader that guesses is worse than one that asks.

mod expand;
mod files;
mod find;
mod git;
mod heredoc;
mod host;
mod known;
mod leaves;
mod looks;
mod made;
mod maybe;
mod memory;
mod options;
mod programs;
mod reach;
mod read;
mod script;
mod sed;
mod wrapped;

pub use expand::parse;
pub use files::{
    Depth, Named, depth, derived, may_contain, named, names_every_file, pattern, read_by, shows_contents,
};
pub use git::git_options;
pub use host::{Host, Hosts};
pub use looks::{is_in_table, is_read_only, looks_elsewhere, part_is_read_only};
pub use made::{Made, made_names};
pub use reach::{Reach, reach, reach_of_writes};
pub use script::{Part, Script, Word};

#[cfg(test)]
mod tests;
