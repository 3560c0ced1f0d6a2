//! The agent loop: a pure step machine, the driver that performs its effects, prompts, queues.
//!
//! Layer 4. May import `tools`, `session`, `llm`, `base`; must not know terminals, settings
//! files or the wall clock.

pub mod event;

pub use event::AgentEvent;
