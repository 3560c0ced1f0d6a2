//! Draws the signature of the call that is typed above the editor's caret.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::at_caret;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::ide::features::completion::pane;
use crate::ide::features::completion::state::{COMPLETIONS, ShownSignature};
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Signature, layer: 1, make: || Box::new(SignaturePane) };

/// Maximum columns.
const COLS_MAX: usize = 100;

struct SignaturePane;

/// Returns the parts of the signature before, within and behind the parameter that is typed, on one line.
fn parts(shown: &ShownSignature) -> [String; 3] {
    let flat = |text: &str| visible(&text.replace(['\n', '\r', '\t'], " ")).into_owned();
    let label = shown.label.as_str();
    match shown.parameter.clone().filter(|range| label.get(range.clone()).is_some()) {
        Some(range) => [flat(&label[..range.start]), flat(&label[range.clone()]), flat(&label[range.end..])],
        None => [flat(label), String::new(), String::new()],
    }
}

/// Returns what stands before the signature: which of several it is.
fn count(shown: &ShownSignature) -> String {
    let (at, count) = shown.place;
    if count > 1 { format!("{} of {count}  ", at + 1) } else { String::new() }
}

/// Returns where it is drawn: above the caret's row, else below it; `None` if it is not shown or only the list has room.
pub fn area(state: &State) -> Option<Rect> {
    let shown = state.slots[COMPLETIONS].signature.as_ref()?;
    let buffer = state.buffers.current().filter(|buffer| buffer.id == shown.buffer)?;
    if state.is_accessible() || !state.layers.is_empty() {
        return None;
    }
    let (x, y) = at_caret::cell(state, shown.start.min(buffer.area.text().end()))?;
    let label: usize = parts(shown).iter().map(|part| text_width(part)).sum();
    let wanted = (text_width(&count(shown)) + label).max(text_width(&shown.about)).min(COLS_MAX) + 2;
    let width = (wanted as u16).min(state.size.0);
    let rows = 1 + u16::from(!shown.about.is_empty());
    let bottom = state.areas.status.map_or(state.size.1, |status| status.y);
    let top = if y >= rows { y - rows } else { y + 1 };
    let found = Rect { x: x.min(state.size.0 - width), y: top, width, height: rows };
    let is_free = pane::area(state).is_none_or(|list| list.intersection(found).is_empty());
    (is_free && found.bottom() <= bottom).then_some(found)
}

impl Component<State> for SignaturePane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
        canvas.fill(Rect::new(0, 0, cols, rows), plain);
        let Some(shown) = &state.slots[COMPLETIONS].signature else { return };
        let [before, parameter, behind] = parts(shown);
        let start = canvas.text(1, 0, &count(shown), soft);
        let room = usize::from(cols.saturating_sub(start + 1));
        let marked = canvas.style("ui.overlay.title");
        // The parameter that is typed is seen, whatever is left out before it.
        let fits = text_width(&before) + text_width(&parameter) <= room;
        let before = if fits { before } else { "…".to_string() };
        let mut x = start;
        for (text, style) in [(before, plain), (parameter, marked), (behind, plain)] {
            let room = usize::from(cols.saturating_sub(x + 1));
            x = canvas.text(x, 0, &truncate(&text, room), style);
        }
        if rows > 1 {
            let about = visible(&shown.about);
            canvas.text(1, 1, &truncate(&about, usize::from(cols.saturating_sub(2))), soft);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::model::buffers::BufferId;
    use crate::text::position::Byte;

    #[test]
    fn signature_is_one_line_with_its_parameter_apart() {
        let shown = |parameter| ShownSignature {
            buffer: BufferId(1),
            start: Byte(0),
            label: "f(a: é,\n b)".to_string(),
            parameter,
            place: (1, 3),
            about: String::new(),
        };
        assert_eq!(parts(&shown(Some(2..7))), ["f(", "a: é", ",  b)"]);
        assert_eq!(parts(&shown(None))[0], "f(a: é,  b)");
        assert_eq!(parts(&shown(Some(2..99)))[0], "f(a: é,  b)", "a range beyond the end is none");
        assert_eq!(count(&shown(None)), "2 of 3  ");
    }
}
