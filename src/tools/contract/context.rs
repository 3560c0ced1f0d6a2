//! Context of all calls of a session.
//!
//! Must not know any tool, nor how a call runs.

use std::sync::Arc;

use super::shared::AgentToolState;
use crate::exec::Environment;
use crate::tools::permissions::approval::Approval;
use crate::tools::permissions::policy::SharedMode;
use crate::tools::permissions::rules::SharedRules;

/// The context that all calls of a session share.
#[derive(Clone)]
pub struct Context {
    /// The environment for files and commands.
    pub env: Arc<dyn Environment>,
    /// Approves calls that are not allowed automatically.
    pub approval: Arc<dyn Approval>,
    /// The approval mode.
    pub mode: SharedMode,
    /// The permission rules, which take precedence over the mode.
    pub rules: SharedRules,
    /// State of the tools between calls.
    pub shared: Arc<AgentToolState>,
}
