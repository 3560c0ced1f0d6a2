//! What every tool is, gets and gives.
//!
//! `tool` is the trait, `registry` the tools in a stable order, `choice` which of them a model is offered,
//! `intent` what a call wants done whichever tool makes it, and `view` what front ends show of a call. `args`
//! reads arguments, `context` and `shared` are what calls work with, `config` what the settings say, `from_fn`
//! a tool made of a function. Must not know any built-in tool.

#[doc(hidden)]
pub mod args;
#[doc(hidden)]
pub mod choice;
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
pub mod view;
