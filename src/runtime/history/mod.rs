//! Stored conversation of a session, and other sessions.
//!
//! `recorder` writes messages as they are finished, `pages` loads older messages page by page, `statistics`
//! reports the tree, usage and cost. `navigation` is the plain data of moves between branches and sessions,
//! `branch_navigation` carries them out, `search` finds earlier prompts and text in all sessions, `session_trees` reads the
//! trees of others, `previews` their last messages. Must not know who displays it.

pub(super) mod branch_navigation;
pub mod navigation;
#[doc(hidden)]
pub mod pages;
#[doc(hidden)]
pub mod previews;
#[doc(hidden)]
pub mod recorder;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod session_trees;
#[doc(hidden)]
pub mod statistics;
