//! Images on a terminal: how it can show them, what is sent for one, which cells show it. Must not know what an image
//! is of.
//!
//! Images do not come from `ratatui-image`: it puts whole sequences into the text of cells and remembers by itself that
//! they were sent, so that neither a difference of frames nor a repaint is right.

pub mod decode;
pub mod encoded;
pub(super) mod half_blocks;
mod inline_file;
mod kitty;
pub mod placeholder;
pub mod plane;
pub mod protocol;
mod sixel;
