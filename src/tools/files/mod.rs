//! Files as the tools of a session see them.
//!
//! `state` remembers which version of a file the model has read and who may change it, `paths` resolves paths
//! as models write them, `folder` follows the folder of commands, `changes` carries a file's change in a
//! result. Must not know any tool.

#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod folder;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod state;
