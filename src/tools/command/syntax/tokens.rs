//! Checks the tokens of a syntax tree against the shell's rules: the grammar is more lenient than a shell,
//! and text that both could parse differently is ambiguous, and left unresolved.

use tree_sitter::Node;

/// Reason when there is text other than blanks between two tokens.
const GAP: &str = "a text that shells read differently";
/// Pieces that are texts of their own.
const OPAQUE: [&str; 5] = ["raw_string", "heredoc_body", "heredoc_content", "heredoc_start", "heredoc_end"];

/// Returns the reason if the tokens of a tree are ambiguous.
pub(super) fn find_problem(text: &str, root: Node<'_>) -> Option<&'static str> {
    let mut cursor = root.walk();
    let mut end = 0;
    loop {
        let node = cursor.node();
        // Text between substitutions of a here-document is checked with the document.
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

/// Whether the text is blanks and continued lines; `\` before another character is not blank for a shell.
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
        // With an escape inside, shells disagree on where such a text ends.
        "ansi_c_string" => !piece.contains('\\'),
        "string_content" => {
            !unescaped(piece).contains(['`', '$', '"']) && history_is_quiet(piece, text, start)
        }
        "$" if node.parent().is_some_and(|parent| parent.kind() == "simple_expansion") => true,
        // Before a quoted text, unless that is inside another, `$` is not part of the word.
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

/// Whether `!` cannot be history expansion in a shell that supports it.
fn history_is_quiet(piece: &str, text: &str, start: usize) -> bool {
    piece.match_indices('!').all(|(at, _)| {
        let next_char = text[start + at + 1..].chars().next();
        matches!(next_char, None | Some(' ' | '\t' | '\n' | '=' | '(' | ')' | '"' | ']' | ';'))
    })
}

/// Returns the text without characters escaped by a backslash.
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
