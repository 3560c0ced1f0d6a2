//! Approval port: front ends decide whether a call may run. Must not know the requester.

use futures::future::BoxFuture;

use super::proposal::RuleProposal;
use super::warnings::Warning;
use crate::tools::contract::tool::ToolClass;
use crate::tools::contract::view::ResultView;

/// A permission request to the user, or to the host that approves calls.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ask {
    /// The provider's id of the call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// Its permission class.
    pub class: ToolClass,
    /// The command, or the path and the change.
    pub target: String,
    /// What parts of a command do that is easily overlooked, in the order of the target's text.
    pub warnings: Vec<Warning>,
    /// The reason for the request, such as `command not known to be read-only`.
    pub rule: String,
    /// The workspace, in which commands run.
    pub workspace: String,
    /// The argument that the user may edit: the one that is the whole `target`.
    pub editable: Option<String>,
    /// A rule that would allow this call and similar ones.
    pub proposal: Option<RuleProposal>,
    /// A preview of the edit.
    pub preview: Option<ResultView>,
    /// The call's validated arguments as JSON. Calls are the same only if tool, target and arguments are.
    pub arguments: String,
    /// Whether an approval may cover later identical calls. Not for configuration files of a repository, of
    /// bowline or of the user: each change of those needs approval.
    pub repeatable: bool,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Run it.
    Allow,
    /// Run it with this text as the editable argument, and inform the model.
    AllowEdited(String),
    /// Run it, and allow what this rule covers for the rest of the session.
    AllowLike(RuleProposal),
    /// Refuse it, and give the model the reason.
    Deny(String),
}

/// Decides permission requests. Dropping the future withdraws the request.
pub trait Approval: Send + Sync {
    /// Decides one request; may wait for a user.
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision>;
}

/// Functions implement it, too, as a simple form for hosts.
impl<F, D> Approval for F
where
    F: Fn(Ask) -> D + Send + Sync,
    D: Future<Output = Decision> + Send + 'static,
{
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        Box::pin(self(ask))
    }
}
