//! What a frame leaves to do: colours for what it showed, and taking in what was found. Must not
//! parse anything.

use std::time::Duration;

use super::commands::command::Cx;
use super::effect::Effect;
use super::state::State;
use super::state::buffers::BufferId;
use super::state::code_blocks::CodeJob;
use super::state::coloring::Colored;
use super::state::damage::Part;

/// Begins the searches that are due.
pub fn settle(cx: &mut Cx<'_>) {
    let blocks = cx.state.transcript_view.borrow_mut().take_blocks();
    let jobs = blocks.into_iter().filter_map(|(item, block)| CodeJob::new(item, block));
    cx.effects.extend(jobs.map(|job| Effect::ColorCode(Box::new(job))));
    let rows = cx.state.areas.editor.map(|area| usize::from(area.height));
    let Some((rows, buffer)) = rows.zip(cx.state.buffers.current_mut()) else { return };
    let (id, before) = (buffer.id, buffer.coloring.trouble());
    let job = buffer.color(rows, cx.now);
    if buffer.coloring.trouble() != before {
        cx.state.damage.add(Part::Status);
    }
    cx.effects.extend(job.map(|job| Effect::Color(id, Box::new(job))));
}

/// When time alone makes the next search due.
pub fn due(state: &State) -> Option<Duration> {
    state.areas.editor?;
    let buffer = state.buffers.current()?;
    buffer.coloring.due(buffer.area.text())
}

/// The colours of a part of a file were found, or there are none.
pub fn colored(cx: &mut Cx<'_>, id: BufferId, colored: Colored) {
    let shown = cx.state.buffers.current().is_some_and(|buffer| buffer.id == id);
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.coloring.hear(&mut buffer.area.document);
    if buffer.coloring.arrived(colored) && shown {
        cx.state.damage.add(Part::Editor);
    }
}
