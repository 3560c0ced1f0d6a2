//! What a set of tools is. Must not know any.

use super::shape::ToolShape;

/// The tools of one family of models.
#[derive(Debug)]
pub struct Set {
    /// The profile that they belong to.
    pub id: &'static str,
    /// The tools in the order in which models see them, those that the user has to switch on included.
    pub tools: &'static [ToolShape],
}

impl Set {
    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&'static ToolShape> {
        self.tools.iter().find(|shape| shape.name == name)
    }
}
