//! Terminal toolkit on ratatui's buffer: terminal, input, component tree, themes, widgets.
//!
//! Layer 2. May import `base`; must not know editors, agents or sessions. Only `term` does input and output.

pub mod canvas;
pub mod caps;
pub mod headless;
pub mod images;
pub mod input;
pub mod links;
pub mod plain_signs;
pub mod screen;
pub mod term;
pub mod theme;
pub mod tree;
pub mod widgets;
pub mod writer;
