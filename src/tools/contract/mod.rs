//! The tool contract: interface, input and output of every tool.
//!
//! `tool` is the trait, `registry` the tools in a stable order, `choice` the selection of available tools,
//! `intent` the family-independent meaning of a call, and `view` its display data. `args` reads arguments,
//! `context` and `shared` are the input of calls, `config` the settings, `from_fn` a tool made from a
//! function. Must not know any built-in tool.

#[doc(hidden)]
pub mod args;
pub mod config;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod from_fn;
#[doc(hidden)]
pub mod intent;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod shared;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod tool_selection;
pub mod view;
