//! The context report: what the next request will hold, shown and changed by hand.

pub mod commands;
pub mod draw;
pub mod events;
pub mod view;
