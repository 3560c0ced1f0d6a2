//! Asks which lines can be folded, and keeps that for the commands that fold. It moves along with edits. Must not know these
//! commands.

use std::ops::Range;
use std::path::PathBuf;

use crate::ide::core::context::Cx;
use crate::ide::features::folding_ranges::state::FOLDING_RANGES;
use crate::ide::features::language_servers::questions::{Answers, ask_about, shown_texts};
use crate::ide::model::view::ask_when_still::Question;
use crate::lsp::client::Client;
use crate::lsp::table::Feature;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Notes what is seen, so that it is asked about once it is still. Where there is a grammar it says what can be folded, and
/// at once.
pub fn note_shown(cx: &mut Cx<'_>) {
    let mut shown = shown_texts(cx.state, Feature::Folding);
    shown.retain(|text| {
        let buffer = cx.state.buffers.all().iter().find(|buffer| buffer.id == text.buffer);
        buffer.is_some_and(|buffer| buffer.highlighting.language().is_none())
    });
    cx.state.slots[FOLDING_RANGES].texts.note(shown, cx.now);
}

/// Asks about the texts that have been still for a moment.
pub fn ask_when_still(cx: &mut Cx<'_>) {
    let now = cx.now;
    for question in cx.state.slots[FOLDING_RANGES].texts.take_due(now) {
        let ask = |client: Client, path: PathBuf| async move { client.folding_ranges(&path).await };
        let asked = question.clone();
        ask_about(cx, "folding-ranges.ask", Feature::Folding, &asked, ask, move |cx, answers| {
            take_in(cx, &question, answers);
        });
    }
}

fn take_in(cx: &mut Cx<'_>, question: &Question, answers: Answers<(u64, Vec<Range<usize>>)>) {
    if !cx.state.slots[FOLDING_RANGES].texts.accept(question, (true, answers.is_passing), cx.now) {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(question.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let version = buffer.area.document.version();
    let found = answers.found.into_iter().next().map(|(_, found)| found);
    // Lines of another text are other lines; that text is asked about next.
    let folds = match found {
        Some((answered, lines)) if answered == version => in_bytes(buffer.area.text(), &lines),
        None if !answers.has_failed => Vec::new(),
        _ => return,
    };
    buffer.servers.show_folds(version, folds);
}

/// Returns lines as ranges from the end of the first one to that of the last one.
fn in_bytes(text: &Text, lines: &[Range<usize>]) -> Vec<Range<Byte>> {
    let last = text.last_line().0;
    let inside = lines.iter().filter(|lines| lines.end <= last);
    inside.map(|lines| text.line_end(Line(lines.start))..text.line_end(Line(lines.end))).collect()
}
