//! What two points of a session say after their common past, and the states of the files there. Pure.
//!
//! Must not know how checkpoints are stored, nor how a comparison is shown.

use serde_json::Value;

use crate::session::derived::export::blocks::{self, Author, Piece};
use crate::session::derived::outline::entry_line::main_argument;
use crate::session::derived::outline::turn::end_of_turn;
use crate::session::restore::checkpoints::{self, Checkpoint};
use crate::session::{Entry, Role, Tree};

/// Maximum bytes of the text of each side.
const TEXT_MAX: usize = 1 << 20;

/// Two points of a session, to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The conversation up to each of them, after their last common entry.
    pub texts: [String; 2],
    /// Number of user messages that both have.
    pub common_turns: usize,
    /// The recorded states of the files, if there are any.
    pub states: [Option<Checkpoint>; 2],
}

/// Returns two entries as points; a message of the user stands for its whole turn. `None` when one of them is
/// missing.
pub fn points(tree: &Tree, from: &str, to: &str) -> Option<Points> {
    let ends = [end_of_turn(tree, from)?, end_of_turn(tree, to)?];
    let path = |id: &str| {
        let mut path: Vec<u32> = tree.ancestors(tree.index_of(id)).collect();
        path.reverse();
        path
    };
    let [a, b] = [path(&ends[0]), path(&ends[1])];
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let text = |path: &[u32]| text_of(path[common..].iter().map(|at| tree.entry(*at)));
    Some(Points {
        texts: [text(&a), text(&b)],
        common_turns: a[..common].iter().filter(|at| tree.role(**at) == Role::User).count(),
        states: ends.map(|end| checkpoints::at_entry(tree, &end)),
    })
}

/// Returns what entries say, each under the name of its author: what was written, and the calls of tools in a line
/// each. Later text is left out when it is too long.
fn text_of<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    let mut out = String::new();
    let mut author = String::new();
    for block in entries.filter_map(blocks::of_entry).filter(|block| block.author != Author::Tool) {
        if out.len() > TEXT_MAX {
            out.push_str("(the rest is too long to compare)\n");
            break;
        }
        let title = block.title.replace('\n', " ");
        if title != author {
            out.push_str(&format!("{title}:\n"));
            author = title;
        }
        for line in block.pieces.into_iter().filter_map(piece_text) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn piece_text(piece: Piece) -> Option<String> {
    match piece {
        Piece::Text(text) | Piece::Note(text) | Piece::Output { text, .. } => Some(text),
        Piece::Call { name, arguments } => {
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            Some(format!("→ {name} {}", main_argument(&arguments)))
        }
        Piece::Image { mime, .. } => Some(format!("({mime})")),
        Piece::Thinking(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::session::restore::checkpoints::CHECKPOINT;

    fn tree(rows: &[(&str, &str, Value)]) -> Tree {
        let mut tree = Tree::default();
        for (id, parent, mut line) in rows.iter().cloned() {
            line["id"] = json!(id);
            line["parentId"] = if parent.is_empty() { Value::Null } else { json!(parent) };
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    fn said(role: &str, text: &str) -> Value {
        let mut message = json!({"role": role, "content": [{"type": "text", "text": text}]});
        if role == "assistant" {
            for (name, value) in [("api", "a"), ("provider", "p"), ("model", "m"), ("stopReason", "stop")] {
                message[name] = json!(value);
            }
        }
        json!({"type": "message", "message": message})
    }

    fn state(at: &str, tree: &str) -> Value {
        json!({"type": "custom", "customType": CHECKPOINT, "data": {"at": at, "tree": tree, "root": "/w"}})
    }

    fn two_branches() -> Tree {
        tree(&[
            ("a", "", said("user", "fix it")),
            ("b", "a", said("assistant", "how?")),
            ("c", "b", said("user", "fast")),
            ("c1", "c", state("before", "t0")),
            ("c2", "c1", said("assistant", "done fast")),
            ("c3", "c2", state("after", "t1")),
            ("d", "b", said("user", "slow")),
            ("d1", "d", state("before", "t0")),
            ("d2", "d1", said("assistant", "done slowly")),
            ("d3", "d2", state("after", "t2")),
        ])
    }

    #[test]
    fn comparison_of_turns_has_texts_after_common_past_and_states_after_the_turns() {
        let found = points(&two_branches(), "c", "d").unwrap();
        assert_eq!(found.common_turns, 1);
        assert_eq!(found.texts, ["You:\nfast\np/m:\ndone fast\n", "You:\nslow\np/m:\ndone slowly\n"]);
        assert_eq!(found.states.map(|state| state.unwrap().tree), ["t1", "t2"]);
    }

    #[test]
    fn comparison_with_an_ancestor_has_what_came_later() {
        let found = points(&two_branches(), "b", "d").unwrap();
        assert_eq!((&*found.texts[0], found.common_turns), ("", 1));
        assert!(found.texts[1].starts_with("You:\nslow"));
        let same = points(&two_branches(), "d", "d3").unwrap();
        assert_eq!(same.texts, ["", ""]);
        assert_eq!(points(&two_branches(), "d", "nowhere"), None);
    }

    #[test]
    fn comparison_text_is_bounded() {
        let long = "line\n".repeat(TEXT_MAX / 4);
        let tree = tree(&[
            ("a", "", said("user", "x")),
            ("b", "a", said("assistant", &long)),
            ("c", "b", said("assistant", "unseen")),
            ("d", "a", said("assistant", "other")),
        ]);
        let [text, _] = points(&tree, "c", "d").unwrap().texts;
        assert!(text.len() < TEXT_MAX * 3 / 2 && text.ends_with("too long to compare)\n"), "{}", text.len());
    }
}
