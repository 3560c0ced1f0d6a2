//! The agent loop: a pure step machine, the driver that performs its effects, prompts, queues.
//!
//! Layer 4. May import `tools`, `session`, `llm`, `base`; must not know terminals, settings
//! files or the wall clock.

pub mod abort;
pub mod driver;
pub mod event;
pub mod history;
pub mod loops;
pub mod prompt;
pub mod queue;
pub mod step;
pub mod work;

pub use event::AgentEvent;
