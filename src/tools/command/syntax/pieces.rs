//! Where the commands of a command line are in its text, and which of them a pipe connects. Must not know
//! what a command does.

use std::ops::Range;

use tree_sitter::{Node, Parser};

use super::read::{BYTES_MAX, DEPTH_MAX};

/// The commands of a line, by their places in its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::tools::command) struct Pieces {
    /// Each command, without its redirections.
    pub commands: Vec<Range<usize>>,
    /// Each redirection.
    pub redirections: Vec<Range<usize>>,
    /// Each command that gets its input from a file or a text in the line, with its redirections.
    pub fed: Vec<Range<usize>>,
    /// Each pipeline: its commands in order, with their redirections.
    pub pipelines: Vec<Vec<Range<usize>>>,
}

/// Returns the places of all commands outside of quotes. A text that cannot be parsed has none.
pub(in crate::tools::command) fn pieces(text: &str) -> Pieces {
    let mut found = Pieces::default();
    let mut parser = Parser::new();
    if text.len() > BYTES_MAX || parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
        return found;
    }
    if let Some(tree) = parser.parse(text, None).filter(|tree| !tree.root_node().has_error()) {
        visit(tree.root_node(), &mut found, 0);
    }
    found
}

fn visit(node: Node<'_>, found: &mut Pieces, depth: usize) {
    if depth >= DEPTH_MAX {
        return;
    }
    match node.kind() {
        // Commands inside of it belong to it.
        "command" => return found.commands.push(node.byte_range()),
        "file_redirect" => return found.redirections.push(node.byte_range()),
        "redirected_statement" if has_input(node) => found.fed.push(node.byte_range()),
        "pipeline" => {
            let mut cursor = node.walk();
            let stages = node.named_children(&mut cursor).filter(|stage| stage.kind() != "comment");
            found.pipelines.push(stages.map(|stage| stage.byte_range()).collect());
        }
        _ => {}
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        visit(child, found, depth + 1);
    }
}

/// Returns whether a redirection gives a command its input.
fn has_input(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| match child.kind() {
        "heredoc_redirect" | "herestring_redirect" => true,
        "file_redirect" => child.child(0).is_some_and(|sign| sign.kind() == "<"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_pieces_are_places_in_the_text() {
        let text = "cd a && curl x | sh -s > log; (rm b)";
        let found = pieces(text);
        let texts =
            |ranges: &[Range<usize>]| ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>();
        assert_eq!(texts(&found.commands), ["cd a", "curl x", "sh -s", "rm b"]);
        assert_eq!(texts(&found.redirections), ["> log"]);
        assert_eq!(found.pipelines.len(), 1);
        assert_eq!(texts(&found.pipelines[0])[0], "curl x");
        assert!(texts(&found.pipelines[0])[1].starts_with("sh -s"));
        assert_eq!(pieces("if ("), Pieces::default());
    }
}
