//! Conversations as append-only trees of entries, in pi's JSONL version 3.
//!
//! Layer 3. May import `base` and the plain data of `llm`; must not know the agent, tools that
//! run, or front ends. Input and output happen in `store` only.

#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod checkpoints;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod conversation;
#[doc(hidden)]
pub mod counted;
#[doc(hidden)]
pub mod editing;
#[doc(hidden)]
pub mod entry;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fork;
#[doc(hidden)]
pub mod head;
#[doc(hidden)]
pub mod header;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod legs;
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod migrate;
#[doc(hidden)]
pub mod outline;
#[doc(hidden)]
pub mod pins;
#[doc(hidden)]
pub mod projection;
#[doc(hidden)]
pub mod recent;
#[doc(hidden)]
pub mod role;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod statistics;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod sums;
#[doc(hidden)]
pub mod tree;

#[doc(hidden)]
pub use body::EntryBody;
#[doc(hidden)]
pub use context::SessionContext;
#[doc(hidden)]
pub use conversation::Session;
#[doc(hidden)]
pub use entry::Entry;
#[doc(hidden)]
pub use error::{Problem, SessionError};
#[doc(hidden)]
pub use header::Header;
pub use message::AgentMessage;
#[doc(hidden)]
pub use role::Role;
#[doc(hidden)]
pub use tree::Tree;
