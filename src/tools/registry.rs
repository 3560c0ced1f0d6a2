//! The tools on offer, in a stable order.
//!
//! Must not know how a call runs or who may run it.

use std::sync::Arc;

use super::builtin;
use super::tool::Tool;
use crate::base::schema::Schema;
use crate::llm::model::ToolSpec;

/// A list of tools with unique names.
#[derive(Clone, Default)]
pub struct Registry {
    rows: Vec<Row>,
}

#[derive(Clone)]
struct Row {
    spec: Arc<ToolSpec>,
    schema: Arc<Schema>,
    tool: Arc<dyn Tool>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Registry {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The built-in tools in the order of their table.
    pub fn builtin() -> Self {
        let mut registry = Self::new();
        for make in builtin::TOOLS {
            registry.add(make());
        }
        registry
    }

    /// Adds a tool at the end, or in the place of the one that has its name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        let spec = tool.spec();
        let row = Row { schema: Arc::new(Schema::new(&spec.parameters)), spec: Arc::new(spec), tool };
        match self.rows.iter_mut().find(|old| old.spec.name == row.spec.name) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }

    /// The names of the tools that are on offer before anybody asks for others.
    pub fn default_names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter(|row| row.tool.by_default()).map(|row| row.spec.name.as_str())
    }

    /// Keeps the tools whose names pass.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.rows.retain(|row| keep(&row.spec.name));
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.row(name).map(|row| &row.tool)
    }

    /// The tool's schema, compiled once.
    pub(super) fn schema(&self, name: &str) -> Option<&Schema> {
        self.row(name).map(|row| &*row.schema)
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.spec.name == name)
    }

    /// The tools as a model sees them.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.rows.iter().map(|row| (*row.spec).clone()).collect()
    }

    /// Names and one-line descriptions for the system prompt.
    pub fn snippets(&self) -> Vec<(&str, &'static str)> {
        self.rows.iter().map(|row| (row.spec.name.as_str(), row.tool.snippet())).collect()
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.spec.name.as_str())
    }

    /// The tools.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.rows.iter().map(|row| &row.tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_tools_stand_in_a_stable_order() {
        let mut registry = Registry::builtin();
        assert_eq!(registry.default_names().collect::<Vec<_>>(), ["read", "bash", "edit", "write"]);
        let before = registry.specs();
        registry.add(builtin::TOOLS[1]());
        assert_eq!(registry.specs(), before);
        registry.retain(|name| name != "bash");
        assert!(registry.get("bash").is_none() && registry.get("read").is_some());
    }
}
