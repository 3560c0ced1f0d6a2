//! Kinds of the names in a text (`SemanticTokens`): five numbers for each, and the differences to an earlier answer. Pure.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::document::DocumentText;
use crate::lsp::position::{Encoding, Position};

/// Maximum number of tokens of a text; the rest keeps its other colors.
pub const TOKENS_MAX: usize = 200_000;

/// The names that numbers of an answer stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Legend {
    /// Names of the kinds.
    #[serde(default, rename = "tokenTypes")]
    pub kinds: Vec<String>,
    /// Names of the modifiers, from the lowest bit on.
    #[serde(default, rename = "tokenModifiers")]
    pub modifiers: Vec<String>,
}

/// A token in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its range in bytes.
    pub range: Range<usize>,
    /// The number of its kind in the legend.
    pub kind: u32,
    /// The bits of its modifiers.
    pub modifiers: u32,
}

/// An answer: all numbers, or what differs from an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Numbers {
    /// What differs.
    #[serde(rename_all = "camelCase")]
    Delta {
        /// Names this answer.
        result_id: Option<String>,
        /// Replacements in the numbers of the earlier answer.
        edits: Vec<NumbersEdit>,
    },
    /// All of them.
    #[serde(rename_all = "camelCase")]
    Full {
        /// Names this answer.
        result_id: Option<String>,
        /// The numbers.
        data: Vec<u32>,
    },
}

/// A replacement in the numbers of an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NumbersEdit {
    start: usize,
    delete_count: usize,
    #[serde(default)]
    data: Vec<u32>,
}

/// Returns the legend in the options with which a server offers tokens.
pub fn legend(options: &Value) -> Legend {
    serde_json::from_value(options["legend"].clone()).unwrap_or_else(|error| {
        tracing::debug!(%error, "language server: the legend of its tokens cannot be read");
        Legend::default()
    })
}

/// Applies replacements to the numbers of an earlier answer; `None` if they overlap or lie outside of it.
pub fn apply(numbers: &[u32], mut edits: Vec<NumbersEdit>) -> Option<Vec<u32>> {
    edits.sort_by_key(|edit| edit.start);
    let mut next = Vec::with_capacity(numbers.len());
    let mut at = 0;
    for edit in edits {
        next.extend_from_slice(numbers.get(at..edit.start)?);
        next.extend_from_slice(&edit.data);
        at = edit.start.checked_add(edit.delete_count)?;
    }
    next.extend_from_slice(numbers.get(at..)?);
    Some(next)
}

/// Decodes numbers: tokens by position, none of which overlap. Expensive in a long text.
pub fn decode(numbers: &[u32], text: &dyn DocumentText, encoding: Encoding) -> Vec<Token> {
    let (mut line, mut column, mut end) = (0_u32, 0_u32, 0_usize);
    let mut tokens = Vec::new();
    let (all, _) = numbers.as_chunks::<5>();
    for [lines, columns, len, kind, modifiers] in all.iter().take(TOKENS_MAX) {
        column = if *lines == 0 { column.saturating_add(*columns) } else { *columns };
        line = line.saturating_add(*lines);
        let from = text.offset(Position::new(line, column), encoding);
        let to = text.offset(Position::new(line, column.saturating_add(*len)), encoding);
        if from < end || to <= from {
            continue;
        }
        end = to;
        tokens.push(Token { range: from..to, kind: *kind, modifiers: *modifiers });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::lsp::document::PlainText;

    fn edit(start: usize, delete_count: usize, data: &[u32]) -> NumbersEdit {
        NumbersEdit { start, delete_count, data: data.to_vec() }
    }

    #[test]
    fn semantic_tokens_are_relative_to_the_one_before() {
        let text = PlainText::new("let 🐚 = é;\n\nfn a\n".to_string());
        let numbers = [0, 0, 3, 1, 0, 0, 4, 2, 0, 3, 2, 3, 1, 2, 0, 7];
        let found = decode(&numbers, &text, Encoding::Utf16);
        let token = |range: Range<usize>, kind, modifiers| Token { range, kind, modifiers };
        assert_eq!(found, [token(0..3, 1, 0), token(4..8, 0, 3), token(19..20, 2, 0)]);
    }

    #[test]
    fn semantic_tokens_that_overlap_or_lie_outside_are_left_out() {
        let text = PlainText::new("abcdef\n".to_string());
        let huge = u32::MAX;
        let numbers = [0, 2, 3, 0, 0, 0, 1, 2, 1, 0, 0, 1, huge, 2, 0, 0, huge, 1, 3, 0, huge, huge, 1, 4, 0];
        let found = decode(&numbers, &text, Encoding::Utf8);
        let short: Vec<_> = found.into_iter().map(|token| (token.range, token.kind)).collect();
        assert_eq!(short, [(2..5, 0)]);
        let numbers = [0, 2, 3, 0, 0, 0, 3, huge, 1, 0];
        let found = decode(&numbers, &text, Encoding::Utf8);
        assert_eq!(found[1].range, 5..6, "it ends with its line");
    }

    #[test]
    fn semantic_tokens_delta_replaces_numbers_in_any_order() {
        let numbers = [1, 2, 3, 4, 5, 6];
        let edits = vec![edit(4, 1, &[50]), edit(0, 0, &[0]), edit(1, 2, &[])];
        assert_eq!(apply(&numbers, edits), Some(vec![0, 1, 4, 50, 6]));
        assert_eq!(apply(&numbers, vec![edit(6, 0, &[7])]), Some(vec![1, 2, 3, 4, 5, 6, 7]));
        for wrong in [vec![edit(7, 0, &[])], vec![edit(2, 9, &[])], vec![edit(0, 3, &[]), edit(2, 1, &[])]] {
            assert_eq!(apply(&numbers, wrong), None);
        }
        assert_eq!(apply(&numbers, vec![edit(3, usize::MAX, &[])]), None);
    }

    #[test]
    fn semantic_tokens_answers_are_read_in_both_forms() {
        let read = |answer: Value| serde_json::from_value::<Option<Numbers>>(answer);
        let full = read(json!({ "resultId": "1", "data": [0, 1] })).unwrap().unwrap();
        assert_eq!(full, Numbers::Full { result_id: Some("1".into()), data: vec![0, 1] });
        let delta = read(json!({ "edits": [{ "start": 1, "deleteCount": 2 }] })).unwrap().unwrap();
        assert_eq!(delta, Numbers::Delta { result_id: None, edits: vec![edit(1, 2, &[])] });
        assert_eq!(read(Value::Null).unwrap(), None);
        assert!(read(json!({ "data": [-1] })).is_err());
        let options = json!({ "legend": { "tokenTypes": ["type"], "tokenModifiers": [] }, "full": true });
        assert_eq!(legend(&options).kinds, ["type"]);
        assert_eq!(legend(&json!({ "legend": 5 })), Legend::default());
    }
}
