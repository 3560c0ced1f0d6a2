//! Lists of places in files: found by a search of the workspace, edited like any text, applied to
//! the files as one step that can be taken back.
//!
//! [`search`] and [`plan`] work away from the loop and know only texts; the rest is the loop's part. Nothing here touches a file: the worker reads and writes.

pub mod apply;
pub mod events;
pub mod job;
pub mod places;
pub mod plan;
pub mod search;
