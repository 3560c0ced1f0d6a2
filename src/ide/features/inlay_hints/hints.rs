//! Asks for the hints of what is seen, and shows them until others come. They move along with edits. Must not know how they
//! are drawn.

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::inlay_hints::state::INLAY_HINTS;
use crate::ide::features::language_servers::questions::{Answers, ask_about, shown_texts};
use crate::ide::model::view::ask_when_still::Question;
use crate::lsp::answers::inlay_hints::InlayHint;
use crate::lsp::client::annotations::Found;
use crate::lsp::table::Feature;
use crate::text::display::inlay::{Inlay, has_room_for_hints};
use crate::text::position::Byte;

/// Owner of the inlays.
const OWNER: &str = "inlay-hints";
/// Maximum cells of a hint: as many as VS Code shows.
const CELLS: usize = 43;
/// Maximum number of hints of what is seen.
const HINTS_MAX: usize = 2_000;

/// Notes what is seen, so that it is asked about once it is still. A screen reader would read hints as text of the file.
pub fn note_shown(cx: &mut Cx<'_>) {
    let is_wanted = cx.state.slots[INLAY_HINTS].is_on && !cx.state.is_accessible();
    if !is_wanted && !cx.state.slots[INLAY_HINTS].texts.is_empty() {
        // Accessible mode was switched on.
        clear(cx);
    }
    let shown = if is_wanted { shown_texts(cx.state, Feature::InlayHints) } else { Vec::new() };
    cx.state.slots[INLAY_HINTS].texts.note(shown, cx.now);
}

/// Asks about the texts that have been still for a moment.
pub fn ask_when_still(cx: &mut Cx<'_>) {
    let now = cx.now;
    for question in cx.state.slots[INLAY_HINTS].texts.take_due(now) {
        let parts = question.byte_parts();
        let ask = move |client: crate::lsp::client::Client, path: std::path::PathBuf| {
            let parts = parts.clone();
            async move {
                let mut answers = Vec::with_capacity(parts.len());
                for part in parts {
                    answers.push(client.inlay_hints(&path, part).await?);
                }
                Ok(answers)
            }
        };
        let asked = question.clone();
        ask_about(cx, "inlay-hints.ask", Feature::InlayHints, &asked, ask, move |cx, answers| {
            show(cx, &question, answers);
        });
    }
}

/// Shows an answer in place of the one before. What is about an earlier text is moved along with the edits since.
fn show(cx: &mut Cx<'_>, question: &Question, answers: Answers<Vec<Found<InlayHint>>>) {
    if !cx.state.slots[INLAY_HINTS].texts.accept(question, (false, answers.is_passing), cx.now) {
        return;
    }
    // Old hints are better than none.
    if answers.has_failed && answers.found.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(question.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let mut inlays = Vec::new();
    for Found { version, all } in answers.found.into_iter().flat_map(|(_, found)| found) {
        let (ranges, hints): (Vec<_>, Vec<_>) =
            all.into_iter().map(|(range, hint)| (Byte(range.start)..Byte(range.end), hint)).unzip();
        // The edits since are not known: the text has another version, about which is asked next.
        let Some(moved) = buffer.servers.moved(version, ranges) else { return };
        inlays.extend(moved.into_iter().zip(hints).map(|(range, hint)| inlay(range.start, &hint)));
    }
    let text = buffer.area.text();
    inlays.retain(|inlay| has_room_for_hints(text, inlay.at));
    inlays.truncate(HINTS_MAX);
    buffer.area.per_view.inlays.set(OWNER, inlays);
    cx.state.damage.add(Part::Editor);
}

fn inlay(at: Byte, hint: &InlayHint) -> Inlay {
    let text = truncate(&visible(&hint.label), CELLS).to_string();
    Inlay { at, text, scope: "ui.inlay", is_leading: hint.is_leading, ..Inlay::default() }
}

/// Takes all hints away.
pub fn clear(cx: &mut Cx<'_>) {
    cx.state.slots[INLAY_HINTS].texts.clear();
    for buffer in cx.state.buffers.all_mut() {
        buffer.area.per_view.inlays.set(OWNER, []);
    }
    cx.state.damage.add(Part::Editor);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::position::Position;

    #[test]
    fn inlay_hint_is_one_line_of_limited_width_without_control_characters() {
        let hint = |label: &str| InlayHint {
            position: Position::default(),
            label: label.to_string(),
            is_leading: true,
        };
        let shown = inlay(Byte(3), &hint("\u{1b}[31mname\n: "));
        assert!(!shown.text.contains(['\u{1b}', '\n']) && shown.is_leading, "{shown:?}");
        assert!(inlay(Byte(3), &hint(&"漢".repeat(99))).width() <= CELLS);
    }
}
