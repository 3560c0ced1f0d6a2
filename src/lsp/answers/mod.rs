//! What servers answer, in our own words. Lists are decoded item by item, so that one odd item costs itself. Pure.

pub mod code_actions;
pub mod completion;
pub mod diagnostics;
pub mod edits;
pub mod hover;
pub mod list;
pub mod locations;
pub mod signature;
