//! What servers answer, in our own words. Lists are decoded item by item, so that one odd item costs itself. Pure.

pub mod code_actions;
pub mod code_lenses;
pub mod colors;
pub mod completion;
pub mod diagnostics;
pub mod edits;
pub mod folding;
pub mod hierarchy;
pub mod highlights;
pub mod hover;
pub mod inlay_hints;
pub mod label;
pub mod linked_editing;
pub mod links;
pub mod list;
pub mod locations;
pub mod selection;
pub mod semantic_tokens;
pub mod signature;
pub mod symbols;
