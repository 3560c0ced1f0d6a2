//! What a frame leaves to do: colors for what it showed, matches for the scrollbar, what features must look up. Must
//! not do it: each of them starts its own tasks.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::overlay::Overlay;
use crate::ide::core::state::State;
use crate::ide::editor::view::{colors, scan};
use crate::ide::features::context::events as contents;
use crate::ide::features::diff;
use crate::ide::features::git;
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::transcript;
use crate::ide::model::buffers::{Buffer, BufferId};

/// Asks for what the last frame had to do without.
pub fn settle(cx: &mut Cx<'_>) {
    transcript::code_blocks::after_frame(cx);
    transcript::earlier::settle(cx);
    editor(cx);
}

fn editor(cx: &mut Cx<'_>) {
    colors::find(cx);
    scan::find(cx);
    git::events::settle(cx);
    diff::events::settle(cx);
    sessions::settle(cx);
    contents::settle(cx);
}

/// When time alone makes the next search for colors due, or the next comparison with git.
pub fn due(state: &State) -> Option<Duration> {
    let views = state.shown.iter().chain(&state.beside);
    let shown = |id: BufferId| state.buffers.all().iter().find(|buffer| buffer.id == id);
    let due = |buffer: &Buffer| {
        let text = buffer.area.text();
        [buffer.coloring.due(text), buffer.area.riders.hunks.due(text)]
    };
    let compared = state.overlays.iter().find_map(|overlay| match overlay {
        Overlay::Diff(view) => view.due(shown(view.buffer)?.area.text().end().0),
        _ => None,
    });
    views.filter_map(|view| shown(view.buffer)).flat_map(due).flatten().chain(compared).min()
}
