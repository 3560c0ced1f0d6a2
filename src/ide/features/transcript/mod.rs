//! The conversation on the screen: its items, how they are laid out, colors of code in them.

pub mod code_blocks;
pub mod earlier;
pub mod items;
pub mod layout;
pub mod lines;
pub mod pane;
pub mod retry;
pub mod view;
