//! Commands of this machine: how they start, run and end.
//!
//! `running` is a command as a value, whatever environment it runs in; `process` runs it here, `terminal` gives it
//! a terminal. `variables` filters what it inherits. `subprocess` runs this program again for work that may break,
//! `dumping` keeps other processes out of this one's memory.

pub mod dumpable;
pub mod process;
pub mod running;
pub mod subprocess;
pub mod terminal;
pub mod variables;
