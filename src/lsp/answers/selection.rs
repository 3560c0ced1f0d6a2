//! Ranges around a position, each within the next one. Pure.

use gen_lsp_types as types;
use serde_json::Value;

use crate::lsp::answers::list::as_list;
use crate::lsp::position::Range;

/// Maximum number of ranges around a position.
const RANGES_MAX: usize = 1_000;

/// Decodes the answer: for each position that was asked about its ranges, the innermost one first. The ranges of a position
/// end where one is not as the protocol promises.
pub fn decode(answer: Value) -> Vec<Vec<Range>> {
    as_list(answer).into_iter().map(around).collect()
}

fn around(mut item: Value) -> Vec<Range> {
    let mut found = Vec::new();
    while let Some(range) = item.get_mut("range").filter(|_| found.len() < RANGES_MAX) {
        match serde_json::from_value::<types::Range>(range.take()) {
            Ok(range) => found.push(range.into()),
            Err(error) => {
                tracing::debug!(%error, "a selection range is skipped");
                break;
            }
        }
        item = item.get_mut("parent").map(Value::take).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(to: u32) -> Value {
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": to } })
    }

    fn ends(answer: Value) -> Vec<Vec<u32>> {
        let of_position = |ranges: Vec<Range>| ranges.iter().map(|range| range.end.character).collect();
        decode(answer).into_iter().map(of_position).collect()
    }

    #[test]
    fn selection_ranges_are_read_from_the_innermost_to_the_outermost() {
        let parent = json!({ "range": range(5), "parent": { "range": range(9) } });
        let odd = json!({ "range": range(1), "parent": { "range": 3, "parent": { "range": range(9) } } });
        let answer =
            json!([{ "range": range(2), "parent": parent }, { "range": range(4), "parent": null }, odd, 5]);
        assert_eq!(ends(answer), [vec![2, 5, 9], vec![4], vec![1], vec![]]);
        assert_eq!(decode(Value::Null), Vec::<Vec<Range>>::new());
        let deep = (0..1_100).fold(Value::Null, |inner, _| json!({ "range": range(1), "parent": inner }));
        assert_eq!(decode(json!([deep]))[0].len(), RANGES_MAX);
    }
}
