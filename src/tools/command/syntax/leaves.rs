//! The smallest pieces of a tree, held against the shell's own rules: the grammar is more lenient
//! than a shell, and where both could read a text differently it is ambiguous, and left unresolved.

use tree_sitter::Node;

/// Between two pieces there may be blanks only.
const GAP: &str = "a text that shells read differently";
/// Pieces that are texts of their own.
const OPAQUE: [&str; 5] = ["raw_string", "heredoc_body", "heredoc_content", "heredoc_start", "heredoc_end"];

/// What is wrong with the pieces of a tree, if anything.
pub(super) fn objection(text: &str, root: Node<'_>) -> Option<&'static str> {
    let mut cursor = root.walk();
    let mut end = 0;
    loop {
        let node = cursor.node();
        // What stands between the substitutions of a here-document is looked at with the document.
        let in_document = node.kind() == "heredoc_end"
            || node.parent().is_some_and(|parent| parent.kind() == "heredoc_body");
        if in_document {
            end = node.start_byte().max(end);
        } else if node.kind() == "heredoc_body" {
            if !text.get(end..node.start_byte()).is_some_and(is_blank) {
                return Some(GAP);
            }
            end = node.start_byte();
        }
        if cursor.goto_first_child() {
            continue;
        }
        let (start, stop) = (node.start_byte(), node.end_byte());
        let fine = text.get(end..start).is_some_and(is_blank)
            && text.get(start..stop).is_some_and(|piece| is_fine(text, node, piece));
        if !fine {
            return Some(GAP);
        }
        end = stop;
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (!is_blank(&text[end..])).then_some(GAP);
            }
        }
    }
}

/// Blanks and continued lines; `\` before anything else is no blank for a shell.
fn is_blank(gap: &str) -> bool {
    gap.replace("\\\n", "").chars().all(|c| matches!(c, ' ' | '\t' | '\n'))
}

fn is_fine(text: &str, node: Node<'_>, piece: &str) -> bool {
    let start = node.start_byte();
    let before = &text.as_bytes()[..start];
    let after_blank = matches!(before.last(), None | Some(b' ' | b'\t' | b'\n'));
    match node.kind() {
        "comment" => after_blank && !before.ends_with(b"\\ ") && !before.ends_with(b"\\\t"),
        kind if OPAQUE.contains(&kind) => true,
        // Where such a text ends is told differently as soon as something is escaped in it.
        "ansi_c_string" => !piece.contains('\\'),
        "string_content" => {
            !unescaped(piece).contains(['`', '$', '"']) && history_is_quiet(piece, text, start)
        }
        "$" if node.parent().is_some_and(|parent| parent.kind() == "simple_expansion") => true,
        // Before a quoted text outside of another one, the sign is no part of the word.
        "$" => !text[start + 1..].starts_with(|c: char| {
            let is_inside = node.parent().is_some_and(|parent| parent.kind() == "string");
            c.is_ascii_alphanumeric() || matches!(c, '(' | '{' | '[' | '\'' | '_') || (c == '"' && !is_inside)
        }),
        "word" | "number" | "variable_name" | "regex" | "extglob_pattern" | "file_descriptor"
        | "test_operator" => {
            let bare = unescaped(piece);
            let signs = ['`', '$', '"', '\'', '<', '>', '&', '|', ';', '(', ')', ' ', '\t', '\n'];
            let is_comment = bare.starts_with('#') && after_blank;
            !is_comment && !bare.contains(signs) && history_is_quiet(piece, text, start)
        }
        _ => true,
    }
}

/// `!` with something behind it is an earlier command in shells that remember them.
fn history_is_quiet(piece: &str, text: &str, start: usize) -> bool {
    piece.match_indices('!').all(|(at, _)| {
        let behind = text[start + at + 1..].chars().next();
        matches!(behind, None | Some(' ' | '\t' | '\n' | '=' | '(' | ')' | '"' | ']' | ';'))
    })
}

/// The text without what a backslash protects.
pub(super) fn unescaped(piece: &str) -> String {
    let mut bare = String::new();
    let mut chars = piece.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else {
            bare.push(c);
        }
    }
    bare
}
