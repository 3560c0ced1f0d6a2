//! Commands that only modal key maps have: the rows are here, the engine is in the sibling modules.

pub mod edits;
pub mod helix;
pub mod modes;
pub mod moves;
pub mod objects;
