//! Tools of the model: the tool contract, built-in tools, permissions, and execution of calls.
//!
//! [`contract`] is the interface of every tool; [`builtin`] has the families of tools. A call is executed by
//! [`call`], which queries [`permissions`]; command lines are analyzed by [`command`]. Shared parts of
//! built-in tools are in [`files`], [`reading`], [`editing`], [`search`], [`running`], [`language_servers`] and
//! [`interaction`];
//! [`output`] truncates long texts.
//!
//! Layer 3. May import `exec`, `net`, `workspace`, `patch`, `lsp`, `base` and the plain data of `llm`; must not know
//! the agent, sessions or front ends.

#[doc(hidden)]
pub mod builtin;
#[doc(hidden)]
pub mod call;
#[doc(hidden)]
pub mod command;
pub mod contract;
#[doc(hidden)]
pub mod editing;
pub mod files;
pub mod interaction;
#[doc(hidden)]
pub mod language_servers;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod permissions;
#[doc(hidden)]
pub mod reading;
#[doc(hidden)]
pub mod running;
#[doc(hidden)]
pub mod search;

#[doc(hidden)]
pub use call::before_change_hook::BeforeChangeHook;
#[doc(hidden)]
pub use call::pipeline::{execute, foresee, truncate_progress};
#[doc(hidden)]
pub use contract::context::Context;
pub use contract::from_fn::FromFn;
#[doc(hidden)]
pub use contract::intent::Intent;
pub use contract::intent::Kind;
#[doc(hidden)]
pub use contract::registry::Registry;
#[doc(hidden)]
pub use contract::shared::AgentToolState;
pub use contract::tool::{Invocation, Outcome, Progress, Tool, ToolClass};
pub use contract::tool_selection::ToolFlags;
#[doc(hidden)]
pub use contract::tool_selection::{SharedToolSelection, ToolSelection};
pub use contract::view::{CallKind, CallView, DiffLine, FileDiff, Hit, ResultView};
pub use files::state::ReadFirst;
pub use language_servers::errors_left::ErrorsLeft;
pub use output::limits::{Keep, Limit, Limits};
pub use output::truncation::{LimitOverride, LimitOverrides};
pub use permissions::approval::{Approval, Ask, Decision};
#[doc(hidden)]
pub use permissions::approve::Judgement;
pub use permissions::policy::Mode;
pub use permissions::proposal::RuleProposal;
#[doc(hidden)]
pub use permissions::rules::{Rules, SharedRules};
pub use permissions::warnings::Warning;
