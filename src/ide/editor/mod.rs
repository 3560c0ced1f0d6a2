//! Editing operations, and how text is shown.
//!
//! `commands` work in every key map, `modal` is the engine of the modal key maps, `view` lays texts out and
//! draws them. Must not know features.

pub mod commands;
pub mod modal;
pub mod view;
pub mod windows;
