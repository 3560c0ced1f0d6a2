//! Usage and cost of sessions.
//!
//! `line` reads the usage of one line, `totals` adds it up along a path, `summary` gathers what a list of
//! sessions shows of one, `statistics` adds sessions up by day, model, project or tool. Pure.

#[doc(hidden)]
pub mod line;
#[doc(hidden)]
pub mod statistics;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod totals;
