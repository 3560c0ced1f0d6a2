//! Live session with its controls and event stream: the API for every front end and for embedding.
//!
//! A session starts, runs and ends in [`lifecycle`]; front ends and programs send requests through
//! [`controls`] and receive [`events`]. [`agent_setup`], [`models`] and [`login`] decide what the agent works
//! with; [`context`], [`restore`] and [`history`] act on the stored conversation and files.
//!
//! Layer 6. May import layers 0 to 5 except `tui` and `text`; must not know who displays it.

#[doc(hidden)]
pub mod agent_setup;
#[doc(hidden)]
pub mod context;
pub mod controls;
pub mod events;
pub mod history;
#[doc(hidden)]
pub mod language_servers;
#[doc(hidden)]
pub mod lifecycle;
pub mod login;
pub mod models;
pub mod restore;

pub use agent_setup::prompt_report::PromptReport;
pub use agent_setup::toolset::ActiveTools;
pub use controls::handle::Handle;
pub use events::event::{BranchSummaryChoice, Delivery, QueuedMessage, RuntimeEvent, Snapshot};
pub use lifecycle::builder::Builder;
pub use lifecycle::options::{Options, SessionChoice};
pub use lifecycle::start::start;
#[doc(hidden)]
pub use lifecycle::start::{continued_session_prompt, new_session_prompt};
