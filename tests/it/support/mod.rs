//! What several tests need.

#![allow(dead_code, reason = "a harness offers more than today's tests take")]

pub mod anthropic;
pub mod bench;
pub mod browser;
pub mod checkpoint_workspace;
pub mod client_process;
pub mod compacting;
pub mod dialect;
pub mod endless_environment;
pub mod environment_suite;
pub mod face;
pub mod family;
pub mod frames;
pub mod git;
pub mod lines;
pub mod mock;
pub mod openai;
pub mod orders;
pub mod patches;
pub mod pdf;
pub mod piped_environment;
pub mod process;
pub mod pty;
pub mod recorded;
pub mod seeds;
pub mod server;
pub mod shell;
pub mod snaps;
pub mod sockets;
pub mod test_environment;
pub mod test_ide;
pub mod vim_lines;
pub mod vim_scripts;
pub mod wires;
