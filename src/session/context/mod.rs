//! Context of a session as it is sent to a model, and edits of it.
//!
//! `projection` is the one traversal of a path, `messages` makes the conversation of it; `editing` excludes
//! and replaces entries, `pins` keeps entries across compactions. Pure.

#[doc(hidden)]
pub mod editing;
#[doc(hidden)]
pub mod messages;
#[doc(hidden)]
pub mod pins;
#[doc(hidden)]
pub mod projection;
