//! Here-documents: compares their end by the shell's rules with their end in the grammar.

use tree_sitter::Node;

const UNLIKE: &str = "a here-document that shells read differently";
const HIDDEN: &str = "a substitution in a here-document";

/// Returns the reason if a here-document is ambiguous.
pub(super) fn find_problem(text: &str, node: Node<'_>) -> Option<&'static str> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let find = |kind: &str| children.iter().find(|child| child.kind() == kind);
    let (Some(start), Some(end)) = (find("heredoc_start"), find("heredoc_end")) else { return Some(UNLIKE) };
    // A continued line can hide the end, and two documents on a line follow one another.
    let line_begin = text[..start.start_byte()].rfind('\n').map_or(0, |at| at + 1);
    let Some(length) = text[start.end_byte()..].find('\n') else { return Some(UNLIKE) };
    let body_begin = start.end_byte() + length + 1;
    if text.contains("\\\n") || text[line_begin..body_begin].matches("<<").count() != 1 {
        return Some(UNLIKE);
    }
    let written = &text[start.byte_range()];
    let bare =
        written.strip_prefix(['\'', '"']).map_or(written, |rest| &rest[..rest.len().saturating_sub(1)]);
    let is_quoted = bare.len() != written.len();
    if bare.is_empty() || !bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some(UNLIKE);
    }
    let takes_tabs = find("<<-").is_some();
    let mut at = body_begin;
    for line in text[body_begin..].split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = if takes_tabs { content.trim_start_matches('\t') } else { content };
        if content == bare {
            let stop = at + line.trim_end_matches('\n').len();
            let same = end.end_byte() == stop && end.start_byte() >= at;
            return match same {
                false => Some(UNLIKE),
                true if is_quoted => None,
                true => children
                    .iter()
                    .filter(|child| child.kind() == "heredoc_body")
                    .find_map(|body| hidden_substitution(text, *body)),
            };
        }
        at += line.len();
    }
    Some(UNLIKE)
}

/// Substitutions that the grammar took for text.
fn hidden_substitution(text: &str, body: Node<'_>) -> Option<&'static str> {
    let mut cursor = body.walk();
    let holes = body.children(&mut cursor).filter(|child| child.kind() != "heredoc_content");
    let mut plain = String::new();
    let mut at = body.start_byte();
    for hole in holes {
        let Some(piece) = text.get(at..hole.start_byte()) else { return Some(UNLIKE) };
        plain.push_str(piece);
        at = hole.end_byte();
    }
    let Some(piece) = text.get(at..body.end_byte()) else { return Some(UNLIKE) };
    plain.push_str(piece);
    let substitutes = ["$(", "${", "$["].iter().any(|sign| plain.contains(sign));
    (substitutes || plain.contains('`')).then_some(HIDDEN)
}
