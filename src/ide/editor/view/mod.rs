//! How texts are shown: `layout` finds the visible rows, `pane` draws them, `colors` and `scan` find what a frame had to
//! do without.

pub mod highlighting;
pub mod layout;
pub mod pane;
pub mod scan;
