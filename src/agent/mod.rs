//! The agent loop: a pure step machine, the driver that performs its effects, prompts, queues.
//!
//! Layer 4. May import `tools`, `session`, `llm`, `base`; must not know terminals, settings
//! files or the wall clock.

pub mod abort;
pub mod compaction;
pub mod config;
pub mod driver;
pub mod effect;
pub mod equip;
pub mod event;
pub mod fullness;
pub mod history;
pub mod loops;
pub mod place;
pub mod profile;
pub mod profiles;
pub mod prompt;
pub mod queue;
pub mod retell;
pub mod step;
pub mod team;
pub mod work;

pub use event::AgentEvent;
