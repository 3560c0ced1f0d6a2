//! How texts are shown: `layout` computes the visible rows, `pane` draws them, `colors` and `scan` compute
//! what a frame had to omit.

pub mod highlighting;
pub mod layout;
pub mod line_message;
pub mod pane;
pub mod scan;
