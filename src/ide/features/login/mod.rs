//! Logging in to providers and out, and refreshing lists of models.

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod login_picker;
pub mod logout_picker;
pub mod view;
