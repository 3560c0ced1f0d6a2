//! Truncation of long texts for models.
//!
//! `command_output` collects a command's output, `ansi` makes it plain text, `limits` are the limits,
//! `truncation` applies them, `truncate` truncates a result and stores the full text in `artifacts`,
//! `defaults` are the limits of a family. Must not know which tool produced the text.

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
