//! Registry of tools, in a stable order.
//!
//! Must not know how a call runs, nor permissions.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::intent::Kind;
use super::tool::Tool;
use crate::base::schema::Schema;
use crate::llm::model::ToolSpec;
use crate::tools::builtin;

/// A list of tools with unique names.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<RegisteredTool>,
}

/// A tool with its schema, compiled once.
#[derive(Clone)]
pub struct RegisteredTool {
    /// The definition for models.
    pub spec: Arc<ToolSpec>,
    /// The schema of its arguments.
    pub schema: Arc<Schema>,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Whether it is built in.
    builtin: bool,
}

impl RegisteredTool {
    fn new(tool: Arc<dyn Tool>, builtin: bool) -> Self {
        let spec = tool.spec();
        Self { schema: Arc::new(Schema::new(&spec.parameters)), spec: Arc::new(spec), tool, builtin }
    }

    /// Returns the normalized arguments if they match its schema and have no unknown fields; otherwise
    /// `None`.
    pub fn accepts(&self, args: &Value) -> Option<Value> {
        let args = self.tool.prepare(args.clone());
        let known = self.spec.parameters.get("properties").and_then(Value::as_object);
        let own = |name: &String| known.is_none_or(|known| known.contains_key(name));
        if !args.as_object()?.keys().all(own) {
            return None;
        }
        self.schema.check(args).ok()
    }
}

/// All built-in tools of all sets by name, in the order of the sets.
static ALL_BUILTIN: LazyLock<HashMap<String, Vec<RegisteredTool>>> = LazyLock::new(|| {
    let mut rows: HashMap<String, Vec<RegisteredTool>> = HashMap::new();
    for shape in builtin::SETS.iter().flat_map(|set| set.tools) {
        let row = RegisteredTool::new(Arc::new(*shape), true);
        rows.entry(row.spec.name.clone()).or_default().push(row);
    }
    rows
});

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

    /// Returns the built-in tools of a set in the order of its table; empty when there is no such set.
    pub fn of(set: &str) -> Self {
        let mut registry = Self::new();
        for shape in builtin::SETS.iter().filter(|known| known.id == set).flat_map(|set| set.tools) {
            registry.insert(RegisteredTool::new(Arc::new(*shape), true));
        }
        registry
    }

    /// Returns the tools with that name in all sets, since families may use one name for different tools.
    pub fn in_any_set(name: &str) -> &'static [RegisteredTool] {
        ALL_BUILTIN.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names of the tools that pass, here and in every set.
    pub fn names_in_any_set(&self, keep: impl Fn(&dyn Tool) -> bool) -> BTreeSet<String> {
        let rows = self.entries.iter().chain(ALL_BUILTIN.values().flatten());
        rows.filter(|row| keep(&*row.tool)).map(|row| row.spec.name.clone()).collect()
    }

    /// Adds a tool at the end, or replaces the one with its name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        self.insert(RegisteredTool::new(tool, false));
    }

    /// Adds a built-in tool of any set at the end, unless its name is taken.
    pub fn add_builtin(&mut self, name: &str) {
        let known = Self::in_any_set(name).first().filter(|_| self.entry(name).is_none());
        self.entries.extend(known.cloned());
    }

    fn insert(&mut self, row: RegisteredTool) {
        match self.entries.iter_mut().find(|old| old.spec.name == row.spec.name) {
            Some(old) => *old = row,
            None => self.entries.push(row),
        }
    }

    /// Returns the names of the tools that are available by default.
    pub fn default_names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|row| row.tool.by_default()).map(|row| row.spec.name.as_str())
    }

    /// Keeps the tools whose names pass.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.entries.retain(|row| keep(&row.spec.name));
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|row| &row.tool)
    }

    /// Returns the tool with that name and its schema.
    pub fn entry(&self, name: &str) -> Option<&RegisteredTool> {
        self.entries.iter().find(|row| row.spec.name == name)
    }

    /// All tools with their schemas.
    pub fn entries(&self) -> &[RegisteredTool] {
        &self.entries
    }

    /// Returns the tool that a call means: the one with its name, else one of the same kind as another
    /// family's tool with that name. Of several, the one that accepts the arguments.
    pub fn resolve(&self, name: &str, args: &Value) -> Option<&RegisteredTool> {
        if let Some(row) = self.entry(name) {
            return Some(row);
        }
        let here = |row: &&RegisteredTool| {
            let does = row.tool.intent(args).map_or(row.tool.kind(), |intent| intent.kind());
            let kind = row.tool.kind();
            kind != Kind::Other && self.has_kind(kind) && (does == kind || self.has_kind(does))
        };
        let others = || Self::in_any_set(name).iter().filter(here);
        others().find(|row| row.accepts(args).is_some()).or_else(|| others().next())
    }

    /// The tool of that name here or in any set, for showing calls.
    pub fn find_for_display(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).or_else(|| Self::in_any_set(name).first()).map(|row| &row.tool)
    }

    /// Whether there is a tool of this kind.
    pub fn has_kind(&self, kind: Kind) -> bool {
        self.entries.iter().any(|row| row.tool.kind() == kind)
    }

    /// Whether the tool with that name is built in.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|row| row.builtin)
    }

    /// Returns the names of the tools that a user means by a word: a tool's own name, else the name of a
    /// kind, else that of another family's tool. `*` is a wildcard.
    pub fn by_alias(&self, word: &str) -> BTreeSet<String> {
        let some = |fits: &dyn Fn(&RegisteredTool) -> bool| -> BTreeSet<String> {
            self.entries.iter().filter(|row| fits(row)).map(|row| row.spec.name.clone()).collect()
        };
        let own = some(&|row| matches(word, &row.spec.name));
        if !own.is_empty() {
            return own;
        }
        let kind = some(&|row| row.tool.kind() != Kind::Other && matches(word, row.tool.kind().name()));
        if !kind.is_empty() {
            return kind;
        }
        let meant = Self::in_any_set(word).iter().map(|row| row.tool.kind()).collect::<BTreeSet<Kind>>();
        some(&|row| row.tool.kind() != Kind::Other && meant.contains(&row.tool.kind()))
    }

    /// Returns the definitions for models.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.entries.iter().map(|row| (*row.spec).clone()).collect()
    }

    /// Returns names and one-line descriptions for the system prompt.
    pub fn snippets(&self) -> Vec<(&str, &'static str)> {
        self.entries.iter().map(|row| (row.spec.name.as_str(), row.tool.snippet())).collect()
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|row| row.spec.name.as_str())
    }

    /// The tools.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.entries.iter().map(|row| &row.tool)
    }
}

/// Whether a name matches a word with `*` as wildcard.
fn matches(word: &str, name: &str) -> bool {
    match word.split_once('*') {
        None => word == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|remainder| {
            remainder
                .char_indices()
                .map(|(at, _)| at)
                .chain([remainder.len()])
                .any(|at| matches(rest, &remainder[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_builtin_order_is_stable() {
        let mut registry = Registry::of("pi");
        assert_eq!(registry.default_names().collect::<Vec<_>>(), ["read", "bash", "edit", "write"]);
        let before = registry.specs();
        registry.add(Arc::new(builtin::families::pi::SET.tools[1]));
        assert!(registry.is_builtin("read") && !registry.is_builtin("bash"));
        assert_eq!(registry.specs(), before);
        registry.retain(|name| name != "bash");
        assert!(registry.get("bash").is_none() && registry.get("read").is_some());
    }

    #[test]
    fn registry_wildcards_match_names() {
        for (word, name, fits) in [
            ("read", "read", true),
            ("read", "reads", false),
            ("*", "", true),
            ("r*d", "read", true),
            ("r*d", "rea", false),
            ("*é*", "aéb", true),
            ("mcp__*__x", "mcp__a__b__x", true),
        ] {
            assert_eq!(matches(word, name), fits, "{word} {name}");
        }
    }
}
