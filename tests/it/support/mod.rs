//! What several tests need.

#![allow(dead_code, reason = "a harness offers more than today's tests take")]

pub mod anthropic;
pub mod bench;
pub mod browser;
pub mod compacting;
pub mod desk;
pub mod dialect;
pub mod driven;
pub mod face;
pub mod family;
pub mod frames;
pub mod git;
pub mod keeping;
pub mod lines;
pub mod mock;
pub mod openai;
pub mod orders;
pub mod patches;
pub mod pdf;
pub mod place;
pub mod place_suite;
pub mod process;
pub mod pty;
pub mod recorded;
pub mod remote_place;
pub mod seeds;
pub mod server;
pub mod shell;
pub mod slow_place;
pub mod snaps;
pub mod sockets;
pub mod vim_lines;
pub mod vim_scripts;
pub mod wires;
