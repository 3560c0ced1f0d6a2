//! Which hosts a command talks to.
//!
//! `targets` finds them, `programs` is the table of programs that talk to hosts, `host` brings a host into one
//! form. Must not know what is allowed.

pub(super) mod host;
pub(super) mod programs;
pub(super) mod targets;
