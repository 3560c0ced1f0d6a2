//! What differs between two texts, as a view over everything.

pub mod commands;
pub mod compare;
pub mod draw;
pub mod events;
pub mod view;
