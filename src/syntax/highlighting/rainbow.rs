//! Rainbow brackets: bracket depth from the tree; brackets in strings and comments do not count. Must not
//! know colors.

use std::ops::Range;
use std::time::Instant;

use tree_sitter::Node;

use crate::syntax::highlighting::scopes;
use crate::syntax::highlighting::scopes::Paint;
use crate::syntax::tree::Syntax;

/// The scopes by depth, repeating.
const SCOPES: [&str; 6] = ["rainbow.1", "rainbow.2", "rainbow.3", "rainbow.4", "rainbow.5", "rainbow.6"];
/// Number of nodes between two checks of the time limit.
const CLOCK_STEP: usize = 512;
/// Number of a node's children that are searched for its opening bracket when the range starts inside.
const HEAD: u32 = 12;

/// Returns the paint of a bracket at a depth.
pub(in crate::syntax) fn paint(depth: usize) -> Paint {
    scopes::paint(SCOPES[depth % SCOPES.len()]).unwrap_or_default()
}

impl Syntax {
    /// The brackets of a range with the number of brackets around each, in order; as far as the
    /// time allows.
    pub(in crate::syntax) fn brackets(&self, range: &Range<usize>, deadline: Instant) -> Vec<(usize, usize)> {
        let mut at = self.tree.root_node().walk();
        let mut out = Vec::new();
        // The depths in the nodes on the path, and the current depth.
        let (mut around, mut depth) = (Vec::new(), 0usize);
        let mut parents: Vec<Node<'_>> = Vec::new();
        for count in 1.. {
            if count % CLOCK_STEP == 0 && Instant::now() > deadline {
                break;
            }
            let node = at.node();
            if node.start_byte() >= range.end {
                // No later node is in the range.
                break;
            }
            match bracket(node, parents.last().copied()) {
                Some(true) => {
                    out.extend((node.start_byte() >= range.start).then_some((node.start_byte(), depth)));
                    depth += 1;
                }
                Some(false) => {
                    depth = depth.saturating_sub(1).max(around.last().copied().unwrap_or(0));
                    out.extend((node.start_byte() >= range.start).then_some((node.start_byte(), depth)));
                }
                None if node.end_byte() > range.start => {
                    let opened = depth + opened_before(node, range.start);
                    if at.goto_first_child_for_byte(range.start).is_some() {
                        parents.push(node);
                        around.push(depth);
                        depth = opened;
                        continue;
                    }
                }
                None => {}
            }
            while !at.goto_next_sibling() {
                if !at.goto_parent() {
                    return out;
                }
                parents.pop();
                depth = around.pop().unwrap_or_default();
            }
        }
        out
    }
}

/// Whether a node is an opening bracket, a closing one, or neither.
fn bracket(node: Node<'_>, parent: Option<Node<'_>>) -> Option<bool> {
    let kind = node.kind();
    if kind.len() != 1 || node.is_named() || node.byte_range().len() != 1 {
        return None;
    }
    match kind {
        "(" | "[" | "{" => Some(true),
        ")" | "]" | "}" => Some(false),
        "<" | ">" if parent.is_some_and(|parent| holds_types(parent.kind())) => Some(kind == "<"),
        _ => None,
    }
}

fn holds_types(kind: &str) -> bool {
    (kind.starts_with("type_") || kind.starts_with("template_"))
        && ["arguments", "parameters", "list"].iter().any(|end| kind.ends_with(end))
}

/// Returns the number of a node's brackets that are open at a position inside it.
fn opened_before(node: Node<'_>, at: usize) -> usize {
    if node.start_byte() >= at {
        return 0;
    }
    let mut opened = 0usize;
    for child in (0..HEAD).map_while(|n| node.child(n)).take_while(|child| child.end_byte() <= at) {
        match bracket(child, Some(node)) {
            Some(true) => opened += 1,
            Some(false) => opened = opened.saturating_sub(1),
            None => {}
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::syntax::languages::detect::by_name;
    use crate::text::rope::Text;

    fn brackets(language: &str, code: &str, range: Range<usize>) -> String {
        let text = Text::from(code);
        let syntax = Syntax::parse(by_name(language).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        let found = syntax.brackets(&range, Instant::now() + Duration::from_mins(1));
        found.iter().map(|(at, depth)| format!("{}{depth}", &code[*at..=*at])).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rainbow_brackets_have_depth() {
        let code = "fn f(a: V<[u8; 1]>) { g((1), \"é(\"); /* { */ a < b }";
        let all = "(0 <1 [2 ]2 >1 )0 {0 (1 (2 )2 )1 }0";
        assert_eq!(brackets("rust", code, 0..code.len()), all);
        assert_eq!(brackets("json", "[{}, [1]]", 0..9), "[0 {1 }1 [1 ]1 ]0");
        assert_eq!(
            brackets("go", "func f() {\n\tswitch a {\n\tcase 1:\n\t\tg(1)\n\t}\n}", 0..48),
            "(0 )0 {0 {1 (2 )2 }1 }0"
        );
    }

    #[test]
    fn rainbow_brackets_of_part_equal_full_text() {
        let code = "fn f(a: u8) { if a { g([a, (1)], |x| { h(x) }) } }\nfn k() { (1) }\n";
        let text = Text::from(code);
        let syntax = Syntax::parse(by_name("rust").unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        let whole = syntax.brackets(&(0..code.len()), deadline);
        for start in 0..code.len() {
            let part = syntax.brackets(&(start..code.len()), deadline);
            let rest: Vec<_> = whole.iter().copied().filter(|(at, _)| *at >= start).collect();
            assert_eq!(part, rest, "from {start}");
        }
    }
}
