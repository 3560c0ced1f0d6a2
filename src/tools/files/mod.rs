//! File state of a session's tools.
//!
//! `state` tracks which version of a file the model has read and locks files for changes, `paths` resolves
//! paths as models write them, `folder` tracks the folder of commands, `changes` represents a file change in
//! a result. Must not know any tool.

#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod folder;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod state;
