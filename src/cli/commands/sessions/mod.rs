//! `bowline sessions`: the commands on stored sessions.
//!
//! `list` shows what is stored, `context` what the next request of a session holds, `restore` and `prune` work
//! on the states of workspaces. Must not know how sessions are stored.

pub mod context;
pub mod list;
pub mod prune;
pub mod restore;
