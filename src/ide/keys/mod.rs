//! From key presses to command ids: key maps as data, places, pending sequences.
//!
//! Must not know what a command does.

pub mod keymap;

pub use keymap::{Keymap, KeymapProblem, Lookup, Modes, Place};
