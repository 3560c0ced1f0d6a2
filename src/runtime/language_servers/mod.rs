//! The processes of language servers: found, started, restarted and ended, in the environment of the files.
//!
//! Must not know who asks them, nor what an answer means.

pub mod find;
pub mod process;
pub mod server;
