//! What all calls of a session work with.
//!
//! Must not know any tool, nor how a call runs.

use std::sync::Arc;

use super::shared::Shared;
use crate::exec::Environment;
use crate::tools::permissions::approval::Approval;
use crate::tools::permissions::policy::SharedMode;
use crate::tools::permissions::rules::SharedRules;

/// What all calls of a session share.
#[derive(Clone)]
pub struct Context {
    /// Where files and commands are.
    pub env: Arc<dyn Environment>,
    /// Who answers when a call is not allowed by itself.
    pub approval: Arc<dyn Approval>,
    /// Which calls those are.
    pub mode: SharedMode,
    /// What is allowed, asked about and forbidden whatever the mode says.
    pub rules: SharedRules,
    /// What the tools keep between calls.
    pub shared: Arc<Shared>,
}
