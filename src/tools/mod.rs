//! What a model can do: the tool contract, the built-in tools, truncation, approval.
//!
//! Layer 3. May import `exec`, `net`, `workspace`, `patch`, `base` and the plain data of `llm`;
//! must not know the agent, sessions or front ends.

pub mod ansi;
pub mod approval;
pub mod builtin;
pub mod changes;
pub mod command;
pub mod limits;
pub mod output;
pub mod paths;
pub mod pipeline;
pub mod policy;
pub mod registry;
pub mod rules;
pub mod tool;
pub mod view;

pub use approval::{Approval, Ask, Decision};
pub use pipeline::{Context, execute};
pub use policy::Mode;
pub use registry::Registry;
pub use rules::Rules;
pub use tool::{Invocation, Outcome, Progress, Tool, ToolClass};
pub use view::{CallView, DiffLine, FileDiff, ResultView};
