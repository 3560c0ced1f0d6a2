//! What a model is sent of a session, and edits of it.
//!
//! `projection` is the one walk over a path, `messages` makes the conversation of it; `editing` excludes and
//! replaces entries, `pins` keeps entries across compactions. Pure.

#[doc(hidden)]
pub mod editing;
#[doc(hidden)]
pub mod messages;
#[doc(hidden)]
pub mod pins;
#[doc(hidden)]
pub mod projection;
