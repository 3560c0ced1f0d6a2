//! Uses of the name at a position within its file. Pure.

use gen_lsp_types as types;
use serde_json::Value;

use crate::lsp::answers::list::{as_list, items};
use crate::lsp::position::Range;

/// Maximum number of uses in an answer.
const HIGHLIGHTS_MAX: usize = 10_000;

/// One use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    /// The name.
    pub range: Range,
    /// Whether it gets another value there.
    pub is_write: bool,
}

/// Decodes the answer, in the server's order.
pub fn decode(answer: Value) -> Vec<Highlight> {
    let list = as_list(answer).into_iter().take(HIGHLIGHTS_MAX).collect();
    let decoded = items::<types::DocumentHighlight>(list, "highlight").into_iter();
    let one = |found: types::DocumentHighlight| Highlight {
        range: found.range.into(),
        is_write: found.kind == Some(types::DocumentHighlightKind::Write),
    };
    decoded.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn highlights_are_read_one_by_one() {
        let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 2 } });
        let found = decode(
            json!([{ "range": range, "kind": 3 }, { "kind": 1 }, { "range": range }, { "range": range, "kind": 77 }]),
        );
        assert_eq!(found.iter().map(|one| one.is_write).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(found[0].range.end.character, 2);
        assert_eq!(decode(Value::Null), []);
        let many = Value::Array(vec![json!({ "range": range }); HIGHLIGHTS_MAX + 1]);
        assert_eq!(decode(many).len(), HIGHLIGHTS_MAX);
    }
}
