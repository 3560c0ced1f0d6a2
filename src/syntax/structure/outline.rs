//! Outline: named definitions of a text that span several lines, such as functions and classes, with their
//! ranges. Must not know who displays it.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use crate::syntax::query::cursor::TextChunks;
use crate::syntax::tree::Syntax;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a name.
const NAME_MAX: usize = 80;
/// Maximum number of nodes that are visited.
const NODES_MAX: usize = 200_000;
/// Maximum number of definitions.
const FOUND_MAX: usize = 2_000;

/// A named definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineItem {
    /// Its whole range.
    pub range: Range<Byte>,
    /// The start of its name, in its first line.
    pub head: Byte,
    /// Its name.
    pub name: String,
}

impl OutlineItem {
    /// Maps it through a change of the text.
    pub fn map(&mut self, changes: &ChangeSet) {
        let start = changes.map(self.range.start, Side::After);
        self.range = start..changes.map(self.range.end, Side::Before).max(start);
        self.head = changes.map(self.head, Side::Before);
    }
}

impl Syntax {
    /// Returns the definitions that touch a range and span several lines, parents before children.
    pub fn outline(&self, text: &Text, range: &Range<Byte>) -> Vec<OutlineItem> {
        let mut found = Vec::new();
        let mut cursor = self.tree.root_node().walk();
        let mut left = NODES_MAX;
        loop {
            let node = cursor.node();
            left -= 1;
            let touches = node.start_byte() <= range.end.0 && node.end_byte() >= range.start.0;
            if touches {
                found.extend(outline_item(&node, text));
            }
            if left == 0 || found.len() >= FOUND_MAX {
                return found;
            }
            // A node within one line contains none that spans several.
            let is_deep = touches && node.start_position().row < node.end_position().row;
            let went = is_deep && first_child(&mut cursor, range) || next(&mut cursor, range);
            if !went {
                return found;
            }
        }
    }
}

/// Moves to the first child that touches a range or follows its start.
fn first_child(cursor: &mut TreeCursor<'_>, range: &Range<Byte>) -> bool {
    cursor.goto_first_child_for_byte(range.start.0).is_some()
}

/// Moves to the next node that is not a descendant; `false` when there is none before the range's end.
fn next(cursor: &mut TreeCursor<'_>, range: &Range<Byte>) -> bool {
    loop {
        if cursor.goto_next_sibling() && cursor.node().start_byte() <= range.end.0 {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

fn outline_item(node: &Node<'_>, text: &Text) -> Option<OutlineItem> {
    if node.start_position().row == node.end_position().row {
        return None;
    }
    let name = name_of(*node)?.byte_range();
    if name.is_empty() || name.len() > NAME_MAX {
        return None;
    }
    let range = Byte(node.start_byte())..Byte(node.end_byte());
    let bytes: Vec<u8> = TextChunks(text).bytes(name.clone()).flatten().copied().collect();
    let name_text = String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(OutlineItem { range, head: Byte(name.start), name: name_text })
}

/// Returns the name node of a definition: a field in most grammars, hidden in others.
pub(in crate::syntax) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    match node.kind() {
        "impl_item" => node.child_by_field_name("type"),
        // C-like grammars wrap the name in a declarator.
        "function_definition" => {
            let mut inner = node.child_by_field_name("declarator")?;
            while let Some(deeper) = inner.child_by_field_name("declarator") {
                inner = deeper;
            }
            Some(inner)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::syntax::languages::detect::by_name;
    use crate::text::position::Line;

    fn outline(language: &str, code: &str, lines: Range<usize>) -> Vec<(String, usize, usize)> {
        let text = Text::from(code);
        let syntax = Syntax::parse(by_name(language).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        let range = text.line_start(Line(lines.start))..text.line_end(Line(lines.end));
        let found = syntax.outline(&text, &range).into_iter();
        found.map(|named| (named.name, text.line_of(named.head).0, text.line_of(named.range.end).0)).collect()
    }

    #[test]
    fn outline_sticky_functions_in_rust() {
        let code = "mod é {\n    impl A {\n        fn b() {\n            c();\n        }\n        fn d() {}\n    }\n}\nfn e() {\n}\n";
        let names =
            |lines| outline("rust", code, lines).into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
        assert_eq!(names(3..3), ["é", "A", "b"]);
        assert_eq!(names(6..6), ["é", "A"]);
        assert_eq!(names(8..8), ["e"]);
        assert_eq!(names(0..9), ["é", "A", "b", "e"]);
    }

    #[test]
    fn outline_sticky_functions_in_other_languages() {
        assert_eq!(outline("c", "static int *f(int x)\n{\n  return 1;\n}\n", 2..2), [("f".into(), 0, 3)]);
        let python = "class Ä:\n    @x\n    def f(self):\n        pass\n";
        assert_eq!(outline("python", python, 3..3), [("Ä".into(), 0, 3), ("f".into(), 2, 3)]);
        let js = "const f = () => {\n  return 1;\n};\n";
        assert_eq!(outline("javascript", js, 1..1), [("f".into(), 0, 2)]);
    }
}
