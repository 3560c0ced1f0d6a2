//! The processes of language servers: found, started, restarted and ended, in the environment of the files. `session` has the
//! servers of a session without a screen.
//!
//! Must not know front ends, nor what an answer means.

pub mod find;
pub mod process;
pub mod search;
pub mod server;
pub mod session;
pub mod table_files;
