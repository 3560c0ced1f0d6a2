//! Sessions: conversations as append-only trees of entries, in pi's JSONL version 3.
//!
//! [`format`] has the lines of a file, [`tree`] their tree, [`conversation`] one session that keeps both in
//! sync, [`store`] the files. [`context`] is what a model gets, [`usage`] the cost, [`restore`] the recorded
//! checkpoints of the workspace, [`position`] the branch to go on at, [`derived`] views and exports; [`search`] and [`import`] read other
//! sessions.
//!
//! Layer 3. May import `base` and the plain data of `llm`; must not know the agent, tools that run, or front
//! ends. I/O happens in `store` only.

#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod conversation;
pub mod derived;
pub mod format;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod position;
#[doc(hidden)]
pub mod restore;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod tree;
#[doc(hidden)]
pub mod usage;

#[doc(hidden)]
pub use context::messages::SessionContext;
#[doc(hidden)]
pub use conversation::Session;
#[doc(hidden)]
pub use format::body::EntryBody;
#[doc(hidden)]
pub use format::entry::Entry;
#[doc(hidden)]
pub use format::error::{Problem, SessionError};
#[doc(hidden)]
pub use format::header::Header;
pub use format::message::AgentMessage;
#[doc(hidden)]
pub use format::role::Role;
#[doc(hidden)]
pub use tree::Tree;
