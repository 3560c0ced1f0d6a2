//! The commands that only key maps with modes have: rows here, work in the engine beside.

pub mod edits;
pub mod helix;
pub mod modes;
pub mod moves;
pub mod objects;
