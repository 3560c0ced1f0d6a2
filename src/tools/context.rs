//! What all calls of a session work with.
//!
//! Must not know any tool, nor how a call runs.

use std::sync::Arc;

use super::approval::Approval;
use super::policy::SharedMode;
use super::rules::SharedRules;
use super::shared::Shared;
use crate::exec::Environment;

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
