//! What servers answer, in our own words. Lists are decoded item by item, so that one odd item costs itself. Pure.

pub mod code_actions;
pub mod completion;
pub mod diagnostics;
pub mod edits;
pub mod hierarchy;
pub mod highlights;
pub mod hover;
pub mod label;
pub mod list;
pub mod locations;
pub mod selection;
pub mod signature;
pub mod symbols;
