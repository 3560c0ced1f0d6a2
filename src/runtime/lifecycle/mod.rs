//! Start, run and end of a session.
//!
//! `options` is what it is started with, `builder` makes them for programs that embed bowline, `start`
//! assembles the parts, `owner` is the task that owns the session until it is shut down. `environment` opens
//! and closes the environment that the session works in, `workspace_change` swaps it between two runs. Must
//! not know who displays it.

#[doc(hidden)]
pub mod builder;
pub(super) mod environment;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod owner;
#[doc(hidden)]
pub mod start;
pub(super) mod workspace_change;
