//! Colors that a text names, and the other ways to write them. Pure.

use gen_lsp_types as types;
use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::edits::TextEdit;
use crate::lsp::answers::list::{as_list, items};
use crate::lsp::position::Range;

/// Maximum number of colors of an answer.
const COLORS_MAX: usize = 10_000;
/// Maximum number of ways to write one.
const PRESENTATIONS_MAX: usize = 100;

/// A color in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentColor {
    /// The text that names it.
    pub range: Range,
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// As sent, to be given back to the server.
    pub sent: Value,
}

/// A way to write a color.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColorPresentation {
    /// What is shown. May contain control characters.
    pub label: String,
    /// What changes.
    pub edits: Vec<TextEdit>,
}

/// Decodes the colors of a text.
pub fn decode(answer: Value) -> Vec<DocumentColor> {
    #[derive(Deserialize)]
    struct Fields {
        range: Range,
        color: Value,
    }
    let list = as_list(answer).into_iter().take(COLORS_MAX).collect();
    let found = items::<Fields>(list, "color").into_iter().filter_map(|Fields { range, color }| {
        let part = |name: &str| color[name].as_f64().map(byte);
        let rgb = [part("red")?, part("green")?, part("blue")?];
        Some(DocumentColor { range, rgb, sent: color })
    });
    found.collect()
}

/// Returns a part between 0 and 1 in 8 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped before")]
fn byte(part: f64) -> u8 {
    (part.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Decodes the ways to write the color of a range.
pub fn presentations(answer: Value, range: Range) -> Vec<ColorPresentation> {
    let list = as_list(answer).into_iter().take(PRESENTATIONS_MAX).collect();
    let found = items::<types::ColorPresentation>(list, "way to write a color").into_iter();
    let one = |found: types::ColorPresentation| {
        let edit = |edit: types::TextEdit| TextEdit { range: edit.range.into(), text: edit.new_text };
        let own = found.text_edit.map(edit);
        let own = own.unwrap_or_else(|| TextEdit { range, text: found.label.clone() });
        let further = found.additional_text_edits.unwrap_or_default().into_iter();
        let edits = std::iter::once(own).chain(further.map(edit));
        ColorPresentation { label: found.label, edits: edits.collect() }
    };
    found.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range() -> Value {
        json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 3 } })
    }

    #[test]
    fn document_colors_are_clamped_and_odd_ones_cost_themselves() {
        let color = |red: Value| json!({ "red": red, "green": 0.5, "blue": 0, "alpha": 1 });
        let found = decode(json!([{ "range": range(), "color": color(json!(1)) },
            { "range": range(), "color": color(json!(-7.5)) }, { "range": range(), "color": color(json!("x")) },
            { "color": color(json!(1)) }]));
        let colors: Vec<_> = found.iter().map(|found| found.rgb).collect();
        assert_eq!(colors, [[255, 128, 0], [0, 128, 0]]);
        assert_eq!(found[0].sent["alpha"], 1);
    }

    #[test]
    fn color_presentation_without_an_edit_replaces_the_range_by_its_label() {
        let range = serde_json::from_value::<Range>(range()).unwrap();
        let new = json!({ "range": range, "newText": "new" });
        let found = presentations(
            json!([{ "label": "red" }, { "label": "x", "textEdit": new, "additionalTextEdits": [new] }, {}]),
            range,
        );
        let edit = |text: &str| TextEdit { range, text: text.to_string() };
        assert_eq!(found[0].edits, [edit("red")]);
        assert_eq!(found[1].edits, [edit("new"), edit("new")]);
        assert_eq!(found.len(), 2);
    }
}
