//! What a model gets of a long text.
//!
//! `command_output` collects what a command prints, `ansi` makes it plain text, `limits` says how much of it a
//! model gets, `truncation` cuts it, `truncate` cuts a result and keeps the whole in `artifacts`, `defaults`
//! are the limits of a family. Must not know which tool made the text.

#[doc(hidden)]
pub mod ansi;
#[doc(hidden)]
pub mod artifacts;
#[doc(hidden)]
pub mod command_output;
#[doc(hidden)]
pub mod defaults;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod truncate;
#[doc(hidden)]
pub mod truncation;
