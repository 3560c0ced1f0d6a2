//! The palette, the keys of a place, key maps, and commands of the program itself.

pub mod commands;
pub mod keymaps;
pub mod keys;
pub mod picker;
pub mod run;
