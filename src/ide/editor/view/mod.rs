//! How texts are shown: `layout` finds the visible rows, `pane` draws them.

pub mod layout;
pub mod pane;
