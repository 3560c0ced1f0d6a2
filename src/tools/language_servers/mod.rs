//! What the tools do with language servers: find a name in a file, show places and diagnostics as text, and turn an edit of a
//! server into a change of files.
//!
//! Must not know who starts servers, nor front ends.

pub mod diagnostic_line;
pub mod draft;
pub mod errors_left;
pub mod places;
pub mod planned_edit;
pub mod symbol;
