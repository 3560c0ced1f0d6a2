//! What several tests need.

#![allow(dead_code, reason = "a harness offers more than today's tests take")]

pub mod anthropic;
pub mod browser;
pub mod checkpoint_workspace;
pub mod client_process;
pub mod compaction_session;
pub mod dialect;
pub mod endless_environment;
pub mod environment_suite;
pub mod family;
pub mod frames;
pub mod git;
pub mod language_server;
pub mod mock_llm;
pub mod openai;
pub mod patches;
pub mod pdf;
pub mod piped_environment;
pub mod process;
pub mod pty;
pub mod public_api;
pub mod random_agent;
pub mod real_servers;
pub mod recorded_session;
pub mod replica;
pub mod seeds;
pub mod server;
pub mod shell;
pub mod shell_lines;
pub mod snaps;
pub mod sockets;
pub mod svg;
pub mod task_orders;
pub mod test_environment;
pub mod test_ide;
pub mod tool_fixture;
pub mod vim_lines;
pub mod vim_scripts;
pub mod wires;
pub mod written_by_agent;
