//! What a set of tools is. Must not know any.

use std::sync::Arc;

use crate::tools::contract::tool::Tool;

/// Makes one tool.
pub type Make = fn() -> Arc<dyn Tool>;

/// The tools of one family of models.
#[derive(Debug)]
pub struct Set {
    /// The profile that they belong to.
    pub id: &'static str,
    /// The tools, those that are on offer only when asked for included.
    pub tools: &'static [Make],
}
