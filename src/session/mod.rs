//! Sessions: conversations as append-only trees of entries, in pi's JSONL version 3.
//!
//! [`format`] is the lines of a file, [`tree`] the tree that they make, [`conversation`] one session with both kept
//! equal, [`store`] the files. [`context`] is what a model is sent, [`usage`] what was spent, [`restore`] which states
//! of the workspace are recorded, [`derived`] what others are shown; [`search`] and [`import`] read other sessions.
//!
//! Layer 3. May import `base` and the plain data of `llm`; must not know the agent, tools that
//! run, or front ends. Input and output happen in `store` only.

#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod conversation;
pub mod derived;
pub mod format;
#[doc(hidden)]
pub mod import;
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
