//! Questions that the model asks the user.

pub mod draw;
pub mod events;
pub mod layer;
pub mod view;
