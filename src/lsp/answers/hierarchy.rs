//! Items of call and type hierarchies: functions with what calls them, types with what they are derived from. Pure.

use std::path::PathBuf;

use gen_lsp_types as types;
use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::label::cut;
use crate::lsp::answers::list::{as_list, items};
use crate::lsp::answers::symbols::kind_name;
use crate::lsp::position::Range;
use crate::lsp::uri;

/// Maximum number of items of an answer.
const ITEMS_MAX: usize = 1_000;

/// A function or type. Texts may contain control characters.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyItem {
    /// Its name.
    pub name: String,
    /// Its kind, such as `function`; empty if it is not known.
    pub kind: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// Its name in the file.
    pub range: Range,
    /// The item as sent, to ask what is related to it.
    pub sent: Value,
}

/// An item that is related to another one.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedItem {
    /// The item.
    pub item: HierarchyItem,
    /// Where it calls, or is called, in the file of the caller; empty for types.
    pub calls: Vec<Range>,
}

/// The fields that are read: those of `CallHierarchyItem` and `TypeHierarchyItem`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    name: String,
    kind: types::SymbolKind,
    uri: String,
    selection_range: types::Range,
}

#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct WithSent(HierarchyItem);

impl TryFrom<Value> for WithSent {
    type Error = String;

    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        let fields = Fields::deserialize(&sent).map_err(|error| error.to_string())?;
        let path = uri::to_path(&fields.uri).ok_or_else(|| format!("{} is not a file", fields.uri))?;
        let (kind, range) = (kind_name(fields.kind), fields.selection_range.into());
        Ok(Self(HierarchyItem { name: cut(fields.name), kind, path, range, sent }))
    }
}

/// A call: `CallHierarchyIncomingCall` and `CallHierarchyOutgoingCall`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    #[serde(alias = "to")]
    from: WithSent,
    #[serde(default)]
    from_ranges: Vec<Value>,
}

/// Decodes items: what is at a position, or types that are related to another one.
pub fn decode_items(answer: Value) -> Vec<HierarchyItem> {
    let list = as_list(answer).into_iter().take(ITEMS_MAX).collect();
    items::<WithSent>(list, "item of a hierarchy").into_iter().map(|WithSent(item)| item).collect()
}

/// Decodes the calls of an item, incoming or outgoing.
pub fn decode_calls(answer: Value) -> Vec<RelatedItem> {
    let list = as_list(answer).into_iter().take(ITEMS_MAX).collect();
    let decoded = items::<Call>(list, "call").into_iter();
    let one = |Call { from: WithSent(item), mut from_ranges }: Call| {
        from_ranges.truncate(ITEMS_MAX);
        let calls = items::<types::Range>(from_ranges, "range of a call").into_iter().map(Range::from);
        RelatedItem { item, calls: calls.collect() }
    };
    decoded.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 2 } })
    }

    fn item(name: &str, address: &str) -> Value {
        json!({ "name": name, "kind": 12, "uri": address, "range": range(1), "selectionRange": range(2), "data": 7 })
    }

    #[test]
    fn hierarchy_items_are_read_one_by_one_with_what_was_sent() {
        let answer = json!([item("a", "file:///a.rs"), item("b", "jdt://b"), { "name": "c" }, 5]);
        let found = decode_items(answer);
        assert_eq!(found.len(), 1);
        let first = &found[0];
        assert_eq!((first.name.as_str(), first.kind, first.range.start.line), ("a", "function", 2));
        assert_eq!(first.sent["data"], 7);
        assert_eq!(decode_items(Value::Null), []);
        assert_eq!(decode_items(Value::Array(vec![item("a", "file:///a"); 1_001])).len(), ITEMS_MAX);
    }

    #[test]
    fn hierarchy_calls_are_read_in_both_directions() {
        let incoming = json!([{ "from": item("a", "file:///a.rs"), "fromRanges": [range(4), 5, range(6)] }]);
        let found = decode_calls(incoming);
        let lines: Vec<_> = found[0].calls.iter().map(|range| range.start.line).collect();
        assert_eq!((found[0].item.name.as_str(), lines), ("a", vec![4, 6]));
        let found = decode_calls(json!([{ "to": item("b", "file:///b.rs") }, { "fromRanges": [] }]));
        assert_eq!((found.len(), found[0].item.name.as_str(), found[0].calls.len()), (1, "b", 0));
    }
}
