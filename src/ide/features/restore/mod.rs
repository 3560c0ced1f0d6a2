//! Restoring files to how they were at an entry of the session.

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod view;
