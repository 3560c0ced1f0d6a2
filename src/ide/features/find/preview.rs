//! Shows between the characters what matches would be replaced by, without changing the text. Must not know how matches
//! are found.

use std::ops::Range;

use crate::base::width::{truncate, visible};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::find::bar::FindBar;
use crate::ide::features::find::job::{Job, Outcome};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::find_state::ReplacePreview;
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::text::display::inlay::Inlay;
use crate::text::position::Byte;

/// Owner of the inlays.
const OWNER: &str = "find";
/// Maximum cells of a replacement.
const CELLS: usize = 60;

/// Returns the first visible position of each window that shows a file.
pub fn visible_positions(state: &State, buffer: BufferId) -> Vec<Byte> {
    windows_of(state, buffer).filter_map(|shown| shown.rows.first()).map(|row| row.start).collect()
}

fn windows_of(state: &State, buffer: BufferId) -> impl Iterator<Item = &VisibleRows> {
    let all = state.visible_rows.iter().chain(&state.other_visible_rows);
    all.filter(move |shown| shown.buffer == buffer)
}

/// Shows the replacements that a search has found, in place of those before.
pub fn show(state: &mut State, job: &Job, outcome: &Outcome) {
    let is_wanted = state.layers.all::<FindBar>().next().is_some_and(|bar| bar.previewed().is_some());
    let Some(around) = job.preview.as_ref().filter(|_| is_wanted) else { return clear(state) };
    if state.search.preview.as_ref().is_some_and(|shown| shown.buffer != job.buffer) {
        clear(state);
    }
    let is_same = |buffer: &&mut Buffer| buffer.area.document.version() == job.version;
    let Some(buffer) = state.buffers.get_mut(job.buffer).filter(is_same) else { return };
    let inlays = outcome.previews.iter().filter(|(_, new)| !new.is_empty()).map(|(range, new)| Inlay {
        at: range.end,
        // The arrow tells old from new also without colors.
        text: format!("→{}", truncate(&visible(new), CELLS)),
        scope: "diff.added",
        ..Inlay::default()
    });
    buffer.area.per_view.inlays.set(OWNER, inlays);
    let (around, regions) = (around.clone(), outcome.regions.clone());
    state.search.preview = Some(ReplacePreview { buffer: job.buffer, around, regions });
    state.damage.add(Part::Editor);
}

/// Takes the previews away.
pub fn clear(state: &mut State) {
    let Some(shown) = state.search.preview.take() else { return };
    if let Some(buffer) = state.buffers.get_mut(shown.buffer) {
        buffer.area.per_view.inlays.set(OWNER, []);
    }
    state.damage.add(Part::Editor);
}

/// Returns whether a window shows text whose replacements are not previewed although others are.
pub fn is_incomplete(state: &State) -> bool {
    let Some(shown) = &state.search.preview else { return false };
    let is_covered = |window: &VisibleRows| {
        let (Some(first), Some(last)) = (window.rows.first(), window.rows.last()) else { return true };
        let is_in = |region: &Range<Byte>| region.start <= first.start && last.start <= region.end;
        // One row may be longer than what is previewed.
        shown.regions.iter().any(is_in) || shown.around.contains(&first.start)
    };
    !windows_of(state, shown.buffer).all(is_covered)
}
