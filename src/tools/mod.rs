//! What a model can do: the tool contract, the built-in tools, truncation, approval.
//!
//! Layer 3. May import `exec`, `net`, `workspace`, `patch`, `base` and the plain data of `llm`;
//! must not know the agent, sessions or front ends.

pub mod act;
pub mod ansi;
pub mod approval;
pub mod args;
pub mod artifacts;
pub mod asking;
pub mod builtin;
pub mod changes;
pub mod choice;
pub mod command;
pub mod config;
pub mod context;
pub mod defaults;
pub mod delegate;
pub mod delegation;
pub mod editing;
pub mod files;
pub mod fitting;
pub mod folder;
pub mod git_programs;
pub mod jobs;
mod leave;
pub mod limits;
mod named;
pub mod output;
pub mod paths;
pub mod pipeline;
pub mod plan;
pub mod policy;
mod preview;
pub mod proposal;
pub mod questions;
pub mod reading;
pub mod registry;
pub mod restate;
pub mod rules;
pub mod running;
pub mod search;
pub mod shared;
pub mod tool;
pub mod truncation;
pub mod view;

pub use act::{Act, Kind};
pub use approval::{Approval, Ask, Decision};
pub use choice::{Choice, SharedChoice};
pub use context::Context;
pub use pipeline::{cut, execute};
pub use policy::Mode;
pub use registry::Registry;
pub use rules::{Rules, SharedRules};
pub use shared::Shared;
pub use tool::{Invocation, Outcome, Progress, Tool, ToolClass};
pub use view::{CallView, DiffLine, FileDiff, ResultView};
