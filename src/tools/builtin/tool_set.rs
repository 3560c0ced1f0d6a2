//! Type of a tool set. Must not know any.

use super::builtin_tool::BuiltinTool;

/// The tools of one family of models.
#[derive(Debug)]
pub struct ToolSet {
    /// The id, also of the profile.
    pub id: &'static str,
    /// The tools in the order in which models see them, including those that are off by default.
    pub tools: &'static [BuiltinTool],
}

impl ToolSet {
    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&'static BuiltinTool> {
        self.tools.iter().find(|shape| shape.name == name)
    }
}
