//! What a model can do: the tool contract, the built-in tools, truncation, approval.
//!
//! Layer 3. May import `exec`, `net`, `workspace`, `patch`, `base` and the plain data of `llm`;
//! must not know the agent, sessions or front ends.

pub mod approval;
pub mod tool;
pub mod view;

pub use approval::{Approval, Ask, Decision};
pub use tool::{Invocation, Outcome, Progress, Tool, ToolClass};
pub use view::{CallView, DiffLine, ResultView};
