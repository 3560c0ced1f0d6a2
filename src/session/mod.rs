//! Conversations as append-only trees of entries, in pi's JSONL version 3.
//!
//! Layer 3. May import `base` and the plain data of `llm`; must not know the agent, tools that
//! run, or front ends. Input and output happen in `store` only.

pub mod body;
pub mod checkpoints;
pub mod context;
pub mod conversation;
pub mod editing;
pub mod entry;
pub mod error;
pub mod export;
pub mod fork;
pub mod head;
pub mod header;
pub mod import;
pub mod legs;
pub mod message;
pub mod migrate;
pub mod outline;
pub mod pins;
pub mod projection;
pub mod role;
pub mod search;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod sums;
pub mod tree;

pub use body::EntryBody;
pub use context::SessionContext;
pub use conversation::Session;
pub use entry::Entry;
pub use error::{Problem, SessionError};
pub use header::Header;
pub use message::AgentMessage;
pub use role::Role;
pub use tree::Tree;
