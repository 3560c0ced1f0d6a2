//! What a model can do: the tool contract, the built-in tools, truncation, approval.
//!
//! Layer 3. May import `exec`, `net`, `workspace`, `patch`, `base` and the plain data of `llm`;
//! must not know the agent, sessions or front ends.

#[doc(hidden)]
pub mod act;
#[doc(hidden)]
pub mod ansi;
#[doc(hidden)]
pub mod approval;
#[doc(hidden)]
pub mod args;
#[doc(hidden)]
pub mod artifacts;
#[doc(hidden)]
pub mod asking;
#[doc(hidden)]
pub mod builtin;
#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod command;
pub mod config;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod defaults;
#[doc(hidden)]
pub mod delegate;
#[doc(hidden)]
pub mod delegation;
#[doc(hidden)]
pub mod editing;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod fitting;
#[doc(hidden)]
pub mod folder;
#[doc(hidden)]
pub mod from_fn;
#[doc(hidden)]
pub mod git_programs;
#[doc(hidden)]
pub mod jobs;
mod leave;
#[doc(hidden)]
pub mod limits;
mod links;
mod named;
mod operands;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod pipeline;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod policy;
mod preview;
#[doc(hidden)]
pub mod proposal;
pub mod questions;
#[doc(hidden)]
pub mod reading;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod restate;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod running;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod shared;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod touched;
mod touching;
#[doc(hidden)]
pub mod truncation;
pub mod view;
#[doc(hidden)]
pub mod witness;

#[doc(hidden)]
pub use act::Act;
pub use act::Kind;
pub use approval::{Approval, Ask, Decision};
pub use choice::Flags;
#[doc(hidden)]
pub use choice::{Choice, SharedChoice};
#[doc(hidden)]
pub use context::Context;
pub use files::ReadFirst;
pub use from_fn::FromFn;
pub use limits::{Keep, Limit, Limits};
#[doc(hidden)]
pub use pipeline::{cut, execute};
pub use policy::Mode;
pub use proposal::Proposal;
#[doc(hidden)]
pub use registry::Registry;
#[doc(hidden)]
pub use rules::{Rules, SharedRules};
#[doc(hidden)]
pub use shared::Shared;
pub use tool::{Invocation, Outcome, Progress, Tool, ToolClass};
pub use truncation::{Override, Overrides};
pub use view::{CallView, DiffLine, FileDiff, ResultView};
#[doc(hidden)]
pub use witness::Witness;
