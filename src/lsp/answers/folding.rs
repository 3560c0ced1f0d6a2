//! Parts of a text that can be folded. Pure.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::list::{as_list, items};

/// Maximum number of parts of an answer: as many as VS Code folds.
pub const RANGES_MAX: usize = 5_000;

/// Decodes the answer: first and last lines, from 0.
pub fn decode(answer: Value) -> Vec<Range<usize>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Fields {
        start_line: u32,
        end_line: u32,
    }
    let list = as_list(answer).into_iter().take(RANGES_MAX).collect();
    let found = items::<Fields>(list, "folding range").into_iter();
    let found = found.filter(|part| part.end_line > part.start_line);
    found.map(|part| part.start_line as usize..part.end_line as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn folding_ranges_of_one_line_are_left_out() {
        let found = decode(
            json!([{ "startLine": 1, "endLine": 4, "kind": "region" }, { "startLine": 2, "endLine": 2 },
            { "startLine": 5 }, { "startLine": 7, "endLine": 8 }]),
        );
        assert_eq!(found, [1..4, 7..8]);
        assert!(decode(Value::Null).is_empty());
    }
}
