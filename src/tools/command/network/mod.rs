//! Network targets: the hosts that a command connects to.
//!
//! `targets` finds them, `programs` is the table of network programs, `host` normalizes hosts. Must not know
//! what is allowed.

pub(super) mod host;
pub(super) mod programs;
pub(super) mod targets;
