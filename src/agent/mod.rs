//! The agent loop: a pure step machine, the driver that performs its effects, prompts, queues, subagents.
//!
//! Layer 4. May import `tools`, `session`, `llm`, `base`; must not know terminals, settings files or the wall
//! clock. Start with [`step`] (the rules), then [`driver`] (what performs them); [`request`] and [`prompt`] make
//! what a model is sent, [`profiles`] decide per model family, [`subagents`] run other agents.

#[doc(hidden)]
pub mod abort;
pub mod compaction;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod driver;
#[doc(hidden)]
pub mod effect;
#[doc(hidden)]
pub mod event;
#[doc(hidden)]
pub mod fullness;
#[doc(hidden)]
pub mod loop_detection;
#[doc(hidden)]
pub mod profile;
#[doc(hidden)]
pub mod profiles;
pub mod prompt;
#[doc(hidden)]
pub mod queue;
#[doc(hidden)]
pub mod request;
#[doc(hidden)]
pub mod step;
#[doc(hidden)]
pub mod subagent_setup;
#[doc(hidden)]
pub mod subagents;
#[doc(hidden)]
pub mod work;

pub use config::Lifecycle;
pub use event::{AgentEvent, Compacted, CompactionReason};
pub use queue::QueueMode;
