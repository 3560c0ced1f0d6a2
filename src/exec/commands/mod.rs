//! Commands of this machine: start, run and end.
//!
//! `running` is a handle of a command in any environment; `process` runs it here, `terminal` gives it a
//! terminal. `variables` filters what it inherits. `subprocess` runs this program again for isolated work,
//! `editor` runs the user's editor, `query` asks a program for one text, `tmux` asks tmux, `dumpable` protects this process's memory from others.

pub mod dumpable;
pub mod editor;
pub mod process;
pub mod query;
pub mod running;
pub mod subprocess;
pub mod terminal;
pub mod tmux;
pub mod variables;
