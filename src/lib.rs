//! bowline: a terminal IDE with a built-in coding agent.
//!
//! This is the code map. A module may import the modules of its row, and never a higher layer;
//! `tests/it/architecture.rs` has the table and enforces it.
//!
//! | layer | modules | may import |
//! |---|---|---|
//! | 8 | [`cli`] | everything |
//! | 7 | [`ide`] | runtime, tui, text, syntax, workspace, exec, config, base; plain data of llm, session, tools |
//! | 7 | [`modes`] | runtime, config, base; the same plain data |
//! | 6 | [`runtime`] | layers 0 to 5 except tui and text |
//! | 4 | [`agent`] | tools, session, llm, base |
//! | 3 | [`tools`] | exec, net, workspace, patch, base; plain data of llm |
//! | 3 | [`syntax`] | text, base |
//! | 3 | [`session`] | base; plain data of llm |
//! | 2 | [`text`], [`tui`], [`patch`], [`config`], [`lsp`] | base |
//! | 2 | [`llm`], [`workspace`] | base and net; base and exec |
//! | 1 | [`exec`], [`net`] | base |
//! | 0 | [`base`] | nothing |
//!
//! Ports let upper layers plug in below themselves: `exec::Environment` (files and commands of an environment),
//! `tools::Approval` (the front end decides about a tool call), `tools::interaction::delegation` (the agent runs
//! subagents). `docs/architecture.md` says what each module must not know, and why.
//!
//! Programs that embed bowline begin with [`runtime::Builder`]; `docs/embedding.md` shows how. The public API is
//! [`runtime`] with [`runtime::Handle`] and its events, the ports of [`tools`] ([`tools::Tool`],
//! [`tools::Approval`]), [`exec::Environment`], the providers of [`llm`], [`modes::rpc`] to serve a session to another
//! program, and the types of [`agent`], [`base`], [`net`] and [`session`] that these name. The documentation shows only
//! this API; it is versioned as `docs/embedding.md` says, and `tests/it/face.rs` checks it against a snapshot. Items
//! marked `#[doc(hidden)]` are public only because the program and its tests are separate crates; they may change in
//! any version.

pub mod agent;
pub mod base;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod config;
pub mod exec;
#[doc(hidden)]
pub mod ide;
pub mod llm;
#[doc(hidden)]
pub mod lsp;
pub mod modes;
pub mod net;
#[doc(hidden)]
pub mod patch;
pub mod runtime;
pub mod session;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod text;
pub mod tools;
#[doc(hidden)]
pub mod tui;
#[doc(hidden)]
pub mod workspace;

/// The page for programs that embed bowline: its examples are run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
pub struct Embedding;
