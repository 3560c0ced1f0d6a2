//! Shows a swatch before each color of what is seen. They move along with edits. Must not know how they are drawn.

use std::path::PathBuf;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::feature::SettingSpec;
use crate::ide::features::document_colors::state::DOCUMENT_COLORS;
use crate::ide::features::language_servers::questions::{Answers, ask_about, shown_texts};
use crate::ide::model::view::ask_when_still::Question;
use crate::lsp::answers::colors::DocumentColor;
use crate::lsp::client::Client;
use crate::lsp::client::annotations::Found;
use crate::lsp::table::Feature;
use crate::text::display::inlay::{Inlay, has_room_for_hints};
use crate::text::position::Byte;

/// Owner of the inlays.
const OWNER: &str = "document-colors";
/// Maximum number of swatches of what is seen: as many as VS Code shows.
const SWATCHES_MAX: usize = 500;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec::new("color-swatches", |cx, new| {
    cx.state.slots[DOCUMENT_COLORS].is_on = new.server_display.color_swatches;
    if !new.server_display.color_swatches {
        clear(cx);
    }
})];

/// Notes what is seen, so that it is asked about once it is still. A swatch says nothing to a screen reader.
pub fn note_shown(cx: &mut Cx<'_>) {
    let is_wanted = cx.state.slots[DOCUMENT_COLORS].is_on && !cx.state.is_accessible();
    if !is_wanted && !cx.state.slots[DOCUMENT_COLORS].texts.is_empty() {
        // Accessible mode was switched on.
        clear(cx);
    }
    let shown = if is_wanted { shown_texts(cx.state, Feature::DocumentColors) } else { Vec::new() };
    cx.state.slots[DOCUMENT_COLORS].texts.note(shown, cx.now);
}

/// Asks about the texts that have been still for a moment.
pub fn ask_when_still(cx: &mut Cx<'_>) {
    let now = cx.now;
    for question in cx.state.slots[DOCUMENT_COLORS].texts.take_due(now) {
        let parts = question.byte_parts();
        let ask = move |client: Client, path: PathBuf| {
            let parts = parts.clone();
            async move {
                let mut found = client.colors(&path).await?;
                let count = found.all.len();
                found.all.retain(|(range, _)| parts.iter().any(|part| part.contains(&range.start)));
                found.all.truncate(SWATCHES_MAX);
                let is_complete = found.all.len() == count;
                Ok((found, is_complete))
            }
        };
        let asked = question.clone();
        ask_about(cx, "document-colors.ask", Feature::DocumentColors, &asked, ask, move |cx, answers| {
            show(cx, &question, answers);
        });
    }
}

/// Shows an answer in place of the one before. What is about an earlier text is moved along with the edits since.
fn show(cx: &mut Cx<'_>, question: &Question, answers: Answers<(Found<DocumentColor>, bool)>) {
    let is_complete = answers.found.iter().all(|(_, (_, is_complete))| *is_complete);
    if !cx.state.slots[DOCUMENT_COLORS].texts.accept(question, (is_complete, answers.is_passing), cx.now) {
        return;
    }
    // Old swatches are better than none.
    if answers.has_failed && answers.found.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(question.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let mut inlays: Vec<Inlay> = Vec::new();
    for (_, (Found { version, all }, _)) in answers.found {
        let (ranges, colors): (Vec<_>, Vec<_>) =
            all.into_iter().map(|(range, color)| (Byte(range.start)..Byte(range.end), color.rgb)).unzip();
        // The edits since are not known: the text has another version, about which is asked next.
        let Some(moved) = buffer.servers.moved(version, ranges) else { return };
        for (range, color) in moved.into_iter().zip(colors) {
            // Two servers may know the same color.
            if inlays.iter().all(|known| known.at != range.start) {
                inlays.push(swatch(range.start, color));
            }
        }
    }
    let text = buffer.area.text();
    inlays.retain(|inlay| has_room_for_hints(text, inlay.at));
    buffer.area.per_view.inlays.set(OWNER, inlays);
    cx.state.damage.add(Part::Editor);
}

fn swatch(at: Byte, color: [u8; 3]) -> Inlay {
    Inlay { at, text: "■ ".to_string(), scope: "ui.inlay", color: Some(color), is_leading: true }
}

/// Takes all swatches away.
fn clear(cx: &mut Cx<'_>) {
    cx.state.slots[DOCUMENT_COLORS].texts.clear();
    for buffer in cx.state.buffers.all_mut() {
        buffer.area.per_view.inlays.set(OWNER, []);
    }
    cx.state.damage.add(Part::Editor);
}
