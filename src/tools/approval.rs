//! The approval port: front ends answer whether a call may run. Must not know who asks whom.

use futures::future::BoxFuture;

use super::tool::ToolClass;

/// A question to whoever may allow things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The provider's id of the call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// What it may do.
    pub class: ToolClass,
    /// The command, or the path and what will happen to it.
    pub subject: String,
    /// The rule that makes us ask, such as `command not known to be read-only`.
    pub rule: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Do not, and tell the model why.
    Deny(String),
}

/// Answers questions. Dropping the future withdraws the question.
pub trait Approval: Send + Sync {
    /// Decides one question; may wait for a person.
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision>;
}
