//! Conversations as append-only trees of entries, in pi's JSONL version 3.
//!
//! Layer 3. May import `base` and the plain data of `llm`; must not know the agent, tools that
//! run, or front ends. Input and output happen in `store` only.

pub mod message;

pub use message::AgentMessage;
