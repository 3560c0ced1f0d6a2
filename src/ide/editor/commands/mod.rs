//! Commands on the focused text: one file for each area, with its rows first.

pub mod change;
pub mod display;
pub mod edit;
pub mod fold;
pub mod indent;
pub mod lines;
pub mod locals;
pub mod locations;
pub mod macros;
pub mod motion;
pub mod panes;
pub mod registers;
pub mod search;
pub mod select;
pub mod syntax;
pub mod window;
