//! Symbols of a file, as a tree or as a list, and those of all files. Pure.

use gen_lsp_types as types;
use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::label::cut;
use crate::lsp::answers::list::{as_list, items};
use crate::lsp::position::Range;
use crate::lsp::uri;

/// Maximum number of symbols of a file.
pub const FILE_SYMBOLS_MAX: usize = 20_000;
/// Maximum number of symbols of all files in one answer.
pub const PROJECT_SYMBOLS_MAX: usize = 200;
/// Maximum depth that is shown; what is nested deeper is shown there.
const DEPTH_MAX: usize = 64;

/// A symbol of a file. Texts may contain control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSymbol {
    /// Its name.
    pub name: String,
    /// Its kind, such as `function`; empty if it is not known.
    pub kind: &'static str,
    /// The symbol that contains it, of a server that sends no tree; may be empty.
    pub container: String,
    /// Its depth in the tree, from 0.
    pub depth: usize,
    /// What to select: its name, or all of it where no tree is sent.
    pub range: Range,
}

/// A symbol of any file. Texts may contain control characters.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectSymbol {
    /// Its name.
    pub name: String,
    /// Its kind; empty if it is not known.
    pub kind: &'static str,
    /// The symbol that contains it; may be empty.
    pub container: String,
    /// Its file.
    pub path: std::path::PathBuf,
    /// Where it is in the file; `None` if the server says so only when it is asked again.
    pub range: Option<Range>,
    /// The symbol as sent, for that question; null if it is not needed.
    pub sent: Value,
}

/// Decodes the symbols of a file: parents before children, a list by position.
pub fn decode_file(answer: Value) -> Vec<FileSymbol> {
    let mut found = Vec::new();
    let mut is_list = false;
    let mut waiting: Vec<(Value, usize)> = as_list(answer).into_iter().rev().map(|item| (item, 0)).collect();
    while let Some((mut item, depth)) = waiting.pop() {
        if found.len() == FILE_SYMBOLS_MAX {
            break;
        }
        let children = item.get_mut("children").map(Value::take).unwrap_or_default();
        let decoded = if item.get("location").is_some() {
            is_list = true;
            serde_json::from_value(item).map(Listed::file_symbol)
        } else {
            serde_json::from_value(item).map(|symbol: types::DocumentSymbol| of_tree(symbol, depth))
        };
        // What an odd symbol contains takes its place.
        let mut below = depth;
        match decoded {
            Ok(symbol) => {
                found.push(symbol);
                below = (depth + 1).min(DEPTH_MAX);
            }
            Err(error) => tracing::debug!(%error, "a symbol of a file is skipped"),
        }
        waiting.extend(as_list(children).into_iter().rev().map(|child| (child, below)));
    }
    if is_list {
        found.sort_by_key(|symbol| symbol.range.start);
    }
    found
}

fn of_tree(symbol: types::DocumentSymbol, depth: usize) -> FileSymbol {
    FileSymbol {
        name: cut(symbol.name),
        kind: kind_name(symbol.kind),
        container: String::new(),
        depth,
        range: symbol.selection_range.into(),
    }
}

/// Decodes symbols of all files; those of what is no file are left out.
pub fn decode_project(answer: Value, root: &str) -> Vec<ProjectSymbol> {
    let mut list = as_list(answer);
    let is_below = |symbol: &Value| {
        let rest = symbol["location"]["uri"].as_str().and_then(|uri| uri.strip_prefix(root));
        rest.is_some_and(|rest| root.ends_with('/') || rest.starts_with('/'))
    };
    list.sort_by_key(|symbol| !is_below(symbol));
    list.truncate(PROJECT_SYMBOLS_MAX);
    let decoded = items::<WithSent>(list, "symbol").into_iter();
    decoded.filter_map(|WithSent(symbol, sent)| symbol.project_symbol(sent)).collect()
}

/// Returns where a symbol is that was asked for again; `None` if the answer does not say so.
pub fn resolved_range(answer: Value) -> Option<Range> {
    let symbol = serde_json::from_value::<Listed>(answer);
    let symbol = symbol.inspect_err(|error| tracing::debug!(%error, "a symbol cannot be completed"));
    symbol.ok()?.location.range.map(Range::from)
}

/// A symbol with its location: `SymbolInformation` and `WorkspaceSymbol`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    kind: types::SymbolKind,
    location: ListedLocation,
    container_name: Option<String>,
}

#[derive(Deserialize)]
struct ListedLocation {
    uri: String,
    range: Option<types::Range>,
}

/// A symbol with the value that it was read from.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct WithSent(Listed, Value);

impl TryFrom<Value> for WithSent {
    type Error = serde_json::Error;

    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        Ok(Self(Listed::deserialize(&sent)?, sent))
    }
}

impl Listed {
    fn file_symbol(self) -> FileSymbol {
        FileSymbol {
            name: cut(self.name),
            kind: kind_name(self.kind),
            container: cut(self.container_name.unwrap_or_default()),
            depth: 0,
            range: self.location.range.map(Range::from).unwrap_or_default(),
        }
    }

    fn project_symbol(self, sent: Value) -> Option<ProjectSymbol> {
        let path = uri::to_path(&self.location.uri)?;
        let range = self.location.range.map(Range::from);
        Some(ProjectSymbol {
            name: cut(self.name),
            kind: kind_name(self.kind),
            container: cut(self.container_name.unwrap_or_default()),
            path,
            range,
            sent: if range.is_some() { Value::Null } else { sent },
        })
    }
}

/// Returns the name of a kind; empty for one that is not known.
pub fn kind_name(kind: types::SymbolKind) -> &'static str {
    use types::SymbolKind as Kind;
    match kind {
        Kind::File => "file",
        Kind::Module => "module",
        Kind::Namespace => "namespace",
        Kind::Package => "package",
        Kind::Class => "class",
        Kind::Method => "method",
        Kind::Property => "property",
        Kind::Field => "field",
        Kind::Constructor => "constructor",
        Kind::Enum => "enum",
        Kind::Interface => "interface",
        Kind::Function => "function",
        Kind::Variable => "variable",
        Kind::Constant => "constant",
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
        Kind::Array => "array",
        Kind::Object => "object",
        Kind::Key => "key",
        Kind::Null => "null",
        Kind::EnumMember => "enum member",
        Kind::Struct => "struct",
        Kind::Event => "event",
        Kind::Operator => "operator",
        Kind::TypeParameter => "type parameter",
        Kind::Custom(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 9 } })
    }

    fn tree(name: &str, line: u32, children: &Value) -> Value {
        json!({ "name": name, "kind": 12, "range": range(line), "selectionRange": range(line), "children": children })
    }

    fn listed(name: &str, line: u32) -> Value {
        json!({ "name": name, "kind": 6, "containerName": "T",
            "location": { "uri": "file:///a.rs", "range": range(line) } })
    }

    fn short(found: &[FileSymbol]) -> Vec<(&str, usize, u32)> {
        found.iter().map(|symbol| (symbol.name.as_str(), symbol.depth, symbol.range.start.line)).collect()
    }

    #[test]
    fn file_symbols_of_a_tree_are_listed_with_their_depth() {
        let inner = json!([tree("b", 1, &json!([tree("c", 2, &Value::Null)])), tree("d", 3, &json!([]))]);
        let found = decode_file(json!([tree("a", 0, &inner), tree("e", 4, &Value::Null)]));
        assert_eq!(short(&found), [("a", 0, 0), ("b", 1, 1), ("c", 2, 2), ("d", 1, 3), ("e", 0, 4)]);
        assert_eq!(found[0].kind, "function");
        assert_eq!(decode_file(Value::Null), []);
    }

    #[test]
    fn file_symbols_of_a_list_are_ordered_and_have_containers() {
        let found = decode_file(json!([listed("b", 5), listed("a", 1)]));
        assert_eq!(short(&found), [("a", 0, 1), ("b", 0, 5)]);
        assert_eq!((found[0].kind, found[0].container.as_str()), ("method", "T"));
    }

    #[test]
    fn file_symbol_of_another_shape_costs_itself() {
        let odd = json!({ "name": 5, "children": [tree("child", 1, &Value::Null)] });
        let found = decode_file(json!([odd, 7, "x", tree("good", 2, &json!(3))]));
        assert_eq!(short(&found), [("child", 0, 1), ("good", 0, 2)]);
    }

    #[test]
    fn file_symbols_are_limited_in_number_and_depth() {
        let many: Vec<Value> = (0..FILE_SYMBOLS_MAX + 5).map(|_| listed("a", 1)).collect();
        assert_eq!(decode_file(Value::Array(many)).len(), FILE_SYMBOLS_MAX);
        let deep = (0..200).fold(Value::Null, |below, _| json!([tree("a", 1, &below)]));
        let found = decode_file(deep);
        assert_eq!((found.len(), found[199].depth), (200, DEPTH_MAX));
    }

    #[test]
    fn project_symbols_keep_what_was_sent_where_it_is_needed() {
        let later =
            json!({ "name": "later", "kind": 99, "location": { "uri": "file:///b.rs" }, "data": { "n": 1 } });
        let elsewhere = json!({ "name": "x", "kind": 5, "location": { "uri": "jdt://x" } });
        let found = decode_project(json!([listed("now", 3), later, elsewhere, 5]), "file:///none");
        let short: Vec<_> = found.iter().map(|symbol| (symbol.name.as_str(), symbol.kind)).collect();
        assert_eq!(short, [("now", "method"), ("later", "")]);
        assert_eq!((found[0].range.unwrap().start.line, &found[0].sent), (3, &Value::Null));
        assert_eq!((found[1].range, &found[1].sent["data"]["n"]), (None, &json!(1)));
        assert_eq!(resolved_range(listed("later", 4)).unwrap().start.line, 4);
        assert_eq!(resolved_range(json!({ "name": "later" })), None);
        let many: Vec<Value> = (0..300).map(|_| listed("a", 1)).collect();
        assert_eq!(decode_project(Value::Array(many), "file:///w").len(), PROJECT_SYMBOLS_MAX);
        let at = |uri: &str| {
            let range =
                json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
            json!({ "name": "n", "kind": 12, "location": { "uri": uri, "range": range } })
        };
        let mut libraries = vec![at("file:///wx/lib.rs"); PROJECT_SYMBOLS_MAX + 5];
        libraries.push(at("file:///w/own.rs"));
        let found = decode_project(Value::Array(libraries), "file:///w");
        assert_eq!(found[0].path.to_str(), Some("/w/own.rs"), "before those of libraries");
    }
}
