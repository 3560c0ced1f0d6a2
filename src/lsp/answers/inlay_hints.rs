//! Hints that are shown within lines: types, names of parameters. Pure.

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::list::{as_list, items};
use crate::lsp::position::Position;

/// Maximum number of hints of an answer.
const HINTS_MAX: usize = 10_000;
/// Maximum bytes of a hint.
const LABEL_MAX: usize = 1 << 10;
/// `InlayHintKind` of the name of a parameter.
const PARAMETER: u64 = 2;

/// A hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// Where it is shown.
    pub position: Position,
    /// Its text with the blanks around it. May contain control characters.
    pub label: String,
    /// Whether it is about what follows, as the name of a parameter is.
    pub is_leading: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    position: Position,
    label: Label,
    kind: Option<Value>,
    padding_left: Option<bool>,
    padding_right: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    value: String,
}

/// Decodes the answer; hints without a text are left out.
pub fn decode(answer: Value) -> Vec<InlayHint> {
    let list = as_list(answer).into_iter().take(HINTS_MAX).collect();
    items::<Fields>(list, "inlay hint").into_iter().filter_map(one).collect()
}

fn one(fields: Fields) -> Option<InlayHint> {
    let mut text = match fields.label {
        Label::Text(text) => text,
        Label::Parts(parts) => parts.into_iter().map(|part| part.value).collect(),
    };
    text.truncate(text.floor_char_boundary(LABEL_MAX));
    if text.trim().is_empty() {
        return None;
    }
    let blank = |is_wanted: Option<bool>| if is_wanted == Some(true) { " " } else { "" };
    let label = format!("{}{text}{}", blank(fields.padding_left), blank(fields.padding_right));
    let is_leading = fields.kind.and_then(|kind| kind.as_u64()) == Some(PARAMETER);
    Some(InlayHint { position: fields.position, label, is_leading })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn inlay_hints_are_read_in_both_forms_and_odd_ones_cost_themselves() {
        let at = json!({ "line": 1, "character": 2 });
        let found = decode(json!([
            { "position": at, "label": ": u8", "kind": 1, "paddingLeft": true },
            { "position": at, "label": [{ "value": "na" }, { "value": "me:", "tooltip": 5 }], "kind": 2,
              "paddingRight": true },
            { "position": at, "label": " " },
            { "position": 5, "label": "x" },
            { "position": at, "label": "odd kind", "kind": "7" },
        ]));
        let short: Vec<_> = found.iter().map(|hint| (hint.label.as_str(), hint.is_leading)).collect();
        assert_eq!(short, [(" : u8", false), ("name: ", true), ("odd kind", false)]);
        assert_eq!(found[0].position, Position::new(1, 2));
        assert_eq!(decode(Value::Null), []);
    }

    #[test]
    fn inlay_hints_of_a_flood_are_cut() {
        let hint = json!({ "position": { "line": 0, "character": 0 }, "label": "é".repeat(2_000) });
        let found = decode(Value::Array(vec![hint; HINTS_MAX + 5]));
        assert_eq!((found.len(), found[0].label.len()), (HINTS_MAX, LABEL_MAX));
    }
}
