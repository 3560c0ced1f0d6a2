//! Symbols of a whole text, for navigation: functions, types, headings and similar. Must not know who
//! displays them.

use tree_sitter::Node;

use crate::syntax::query::cursor::TextChunks;
use crate::syntax::structure::outline::name_of;
use crate::syntax::tree::Syntax;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a name.
const NAME_MAX: usize = 200;
/// Maximum number of nodes that are visited.
const NODES_MAX: usize = 4_000_000;
/// Maximum number of symbols.
const FOUND_MAX: usize = 20_000;

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, on one line.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// The start of its name.
    pub at: Byte,
    /// Its nesting depth.
    pub depth: usize,
}

/// Substrings of node kinds, with the symbol kind; the first match applies.
const KINDS: &[(&str, &str)] = &[
    ("constructor", "constructor"),
    ("method", "method"),
    ("function", "function"),
    ("macro", "macro"),
    ("class", "class"),
    ("interface", "interface"),
    ("protocol", "protocol"),
    ("trait", "trait"),
    ("record", "record"),
    ("struct", "struct"),
    ("union", "union"),
    ("enum_variant", ""),
    ("enum_entry", ""),
    ("enum_constant", ""),
    ("enum_member", ""),
    ("enum_case", ""),
    ("enum", "enum"),
    ("impl", "impl"),
    ("namespace", "namespace"),
    ("module", "module"),
    ("mod_item", "module"),
    ("object_definition", "object"),
    ("const_item", "constant"),
    ("static_item", "constant"),
    ("type", "type"),
];

/// Suffixes of the kinds of nodes that are definitions.
const ENDS: [&str; 6] = ["_item", "_definition", "_declaration", "_specifier", "_spec", "_statement"];
/// Complete kinds of such nodes.
const WHOLE: [&str; 6] =
    ["method", "singleton_method", "class", "module", "singleton_class", "macro_definition"];

impl Syntax {
    /// Returns all symbols in order, parents before children. Slow.
    pub fn symbols(&self, text: &Text) -> Vec<Symbol> {
        let mut found: Vec<Symbol> = Vec::new();
        // Ends of the definitions around the current node.
        let mut around: Vec<usize> = Vec::new();
        let mut at = self.tree.root_node().walk();
        for _ in 0..NODES_MAX {
            let node = at.node();
            while around.pop_if(|end| *end <= node.start_byte()).is_some() {}
            if let Some((kind, name)) = symbol_of(node) {
                let depth = heading(node).unwrap_or(around.len());
                if let Some(name_text) = read(text, name) {
                    found.push(Symbol { name: name_text, kind, at: Byte(name.start_byte()), depth });
                    around.push(node.end_byte());
                }
            }
            if found.len() == FOUND_MAX {
                break;
            }
            if at.goto_first_child() {
                continue;
            }
            while !at.goto_next_sibling() {
                if !at.goto_parent() {
                    return found;
                }
            }
        }
        found
    }
}

/// Returns the kind and the name node, if the node is a symbol.
fn symbol_of(node: Node<'_>) -> Option<(&'static str, Node<'_>)> {
    if !node.is_named() {
        return None;
    }
    let kind = node.kind();
    if let Some(name) = node.child_by_field_name("heading_content").filter(|_| kind == "atx_heading") {
        return Some(("heading", name));
    }
    if kind == "variable_declarator" {
        let value = node.child_by_field_name("value")?;
        let is_function = matches!(value.kind(), "arrow_function" | "function_expression" | "class");
        return is_function.then(|| Some(("function", node.child_by_field_name("name")?)))?;
    }
    let makes = WHOLE.contains(&kind) || ENDS.iter().any(|end| kind.ends_with(end));
    let word = KINDS.iter().find(|(word, _)| makes && kind.contains(word))?.1;
    // A type that is only referenced, as in C, is not a definition.
    let used = kind.ends_with("_specifier") && node.child_by_field_name("body").is_none();
    (!word.is_empty() && !used).then(|| Some((word, name_of(node)?)))?
}

/// Returns the level of a heading, from its markers.
fn heading(node: Node<'_>) -> Option<usize> {
    let marker = node.child(0).filter(|_| node.kind() == "atx_heading")?.kind();
    let level = marker.chars().find_map(|c| c.to_digit(10))?;
    Some(level.saturating_sub(1) as usize)
}

fn read(text: &Text, name: Node<'_>) -> Option<String> {
    let range = name.byte_range();
    if range.is_empty() || range.len() > NAME_MAX {
        return None;
    }
    let bytes: Vec<u8> = TextChunks(text).bytes(range).flatten().copied().collect();
    Some(String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::syntax::languages::detect::by_name;

    fn symbols(language: &str, code: &str) -> Vec<String> {
        let text = Text::from(code);
        let syntax = Syntax::parse(by_name(language).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        let show = |s: &Symbol| format!("{}{} {}", "-".repeat(s.depth), s.kind, s.name);
        syntax.symbols(&text).iter().map(show).collect()
    }

    #[test]
    fn symbols_are_nested_and_named() {
        let rust = "mod é { struct A; impl A { fn b(x: T) { fn c() {} } } }\nconst D: u8 = 1;\nenum E { F }\ntype G = u8;\n";
        let found = [
            "module é",
            "-struct A",
            "-impl A",
            "--function b",
            "---function c",
            "constant D",
            "enum E",
            "type G",
        ];
        assert_eq!(symbols("rust", rust), found);
        assert_eq!(symbols("python", "class Ä:\n  def f(self): pass\n"), ["class Ä", "-function f"]);
        assert_eq!(
            symbols("javascript", "class A { b() {} }\nconst f = () => 1;\nfunction g() {}\n"),
            ["class A", "-method b", "function f", "function g"]
        );
        assert_eq!(
            symbols("c", "struct s { int a; };\nstruct s *f(int x) { return 0; }\n"),
            ["struct s", "function f"]
        );
        assert_eq!(
            symbols("go", "type T struct{}\nfunc (t T) F() {}\nfunc g() {}\n"),
            ["type T", "method F", "function g"]
        );
        assert_eq!(
            symbols("java", "class A { A() {} int f() { return 1; } }"),
            ["class A", "-constructor A", "-method f"]
        );
        assert_eq!(
            symbols("ruby", "module A\n  class B\n    def c; end\n  end\nend\n"),
            ["module A", "-class B", "--method c"]
        );
        assert_eq!(
            symbols("markdown", "# A\n\ntext\n\n## É b\n\n# C\n"),
            ["heading A", "-heading É b", "heading C"]
        );
        assert_eq!(symbols("json", "{\"a\": 1}"), [""; 0]);
    }
}
