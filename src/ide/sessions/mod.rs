//! The session's tree, and going on with other sessions.

pub mod ask;
pub mod events;
