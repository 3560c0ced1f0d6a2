//! Shows the titles of lenses behind the lines that are seen, if the setting wants that. They move along with edits. Must not
//! know how they are drawn.

use std::path::PathBuf;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::feature::SettingSpec;
use crate::ide::features::code_lens::resolve::{Lenses, lenses};
use crate::ide::features::code_lens::state::CODE_LENSES;
use crate::ide::features::language_servers::questions::{Answers, ask_about, shown_texts};
use crate::ide::model::line_notes::LineNotes;
use crate::ide::model::view::ask_when_still::Question;
use crate::lsp::answers::code_lenses::CodeLens;
use crate::lsp::client::Client;
use crate::lsp::table::Feature;
use crate::text::position::Byte;

/// Maximum cells of a title.
const CELLS: usize = 60;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec::new("code-lens", |cx, new| {
    cx.state.slots[CODE_LENSES].is_on = new.server_display.code_lens;
    if !new.server_display.code_lens {
        clear(cx);
    }
})];

/// Notes what is seen, so that it is asked about once it is still. A screen reader would read lenses as text of the file.
pub fn note_shown(cx: &mut Cx<'_>) {
    let is_wanted = cx.state.slots[CODE_LENSES].is_on && !cx.state.is_accessible();
    if !is_wanted && !cx.state.slots[CODE_LENSES].texts.is_empty() {
        // Accessible mode was switched on.
        clear(cx);
    }
    let shown = if is_wanted { shown_texts(cx.state, Feature::CodeLens) } else { Vec::new() };
    cx.state.slots[CODE_LENSES].texts.note(shown, cx.now);
}

/// Asks about the texts that have been still for a moment.
pub fn ask_when_still(cx: &mut Cx<'_>) {
    let now = cx.now;
    for question in cx.state.slots[CODE_LENSES].texts.take_due(now) {
        let parts = question.byte_parts();
        let ask = move |client: Client, path: PathBuf| {
            let parts = parts.clone();
            async move { lenses(&client, &path, Some(&parts)).await }
        };
        let asked = question.clone();
        ask_about(cx, "code-lens.ask", Feature::CodeLens, &asked, ask, move |cx, answers| {
            show(cx, &question, answers);
        });
    }
}

/// Shows an answer in place of the one before. What is about an earlier text is moved along with the edits since.
fn show(cx: &mut Cx<'_>, question: &Question, answers: Answers<Lenses>) {
    let is_complete = answers.found.iter().all(|(_, lenses)| lenses.is_complete);
    if !cx.state.slots[CODE_LENSES].texts.accept(question, (is_complete, answers.is_passing), cx.now) {
        return;
    }
    // Old lenses are better than none.
    if answers.has_failed && answers.found.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(question.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let mut notes = Vec::new();
    for (_, Lenses { found, .. }) in answers.found {
        let (ranges, titles): (Vec<_>, Vec<_>) = found
            .all
            .into_iter()
            .map(|(range, lens)| (Byte(range.start)..Byte(range.end), title(&lens)))
            .unzip();
        // The edits since are not known: the text has another version, about which is asked next.
        let Some(moved) = buffer.servers.moved(found.version, ranges) else { return };
        notes.extend(moved.into_iter().map(|range| range.start).zip(titles));
    }
    buffer.servers.lenses = LineNotes::new(notes);
    cx.state.damage.add(Part::Editor);
}

/// Returns what is shown of a lens, in one line.
fn title(lens: &CodeLens) -> String {
    let title = lens.command.as_ref().map_or("", |command| command.title.trim());
    truncate(&visible(title), CELLS).into_owned()
}

/// Takes all titles away.
fn clear(cx: &mut Cx<'_>) {
    cx.state.slots[CODE_LENSES].texts.clear();
    for buffer in cx.state.buffers.all_mut() {
        buffer.servers.lenses = LineNotes::default();
    }
    cx.state.damage.add(Part::Editor);
}
