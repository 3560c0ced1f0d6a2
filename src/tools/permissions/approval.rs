//! The approval port: front ends answer whether a call may run. Must not know who asks whom.

use futures::future::BoxFuture;

use super::proposal::Proposal;
use crate::tools::contract::tool::ToolClass;
use crate::tools::contract::view::ResultView;

/// A question to the user, or to the host that approves calls.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ask {
    /// The provider's id of the call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// What it may do.
    pub class: ToolClass,
    /// The command, or the path and what will happen to it.
    pub target: String,
    /// The rule that makes us ask, such as `command not known to be read-only`.
    pub rule: String,
    /// The workspace, in which commands run.
    pub workspace: String,
    /// The argument that the user may change: the one that is the whole `target`.
    pub editable: Option<String>,
    /// A rule that would let this call run and those like it.
    pub proposal: Option<Proposal>,
    /// What an edit would change.
    pub preview: Option<ResultView>,
    /// The call's checked arguments as JSON. Only a call with the same tool, target and arguments is the same.
    pub arguments: String,
    /// Whether approval may hold for later calls that are the same. Not where the file belongs to the set-up of
    /// a repository, of bowline or of the user: each of those is asked about.
    pub repeatable: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Run it.
    Allow,
    /// Run it with this text in place of the editable argument, and tell the model.
    AllowEdited(String),
    /// Run it, and for the rest of the session what this rule allows.
    AllowLike(Proposal),
    /// Do not, and tell the model why.
    Deny(String),
}

/// Answers questions. Dropping the future withdraws the question.
pub trait Approval: Send + Sync {
    /// Decides one question; may wait for a user.
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision>;
}

/// A function is one, too: who embeds bowline often needs no more.
impl<F, D> Approval for F
where
    F: Fn(Ask) -> D + Send + Sync,
    D: Future<Output = Decision> + Send + 'static,
{
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        Box::pin(self(ask))
    }
}
