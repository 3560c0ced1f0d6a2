//! The tree of the session, and going on with other sessions.

pub mod commands;
pub mod draw;
pub mod events;
pub mod picker;
pub mod picker_anywhere;
pub mod picker_delete;
pub mod trash;
pub mod view;
