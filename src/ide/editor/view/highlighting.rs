//! Syntax colors of the shown files: computed after a frame, applied when they are ready. Parse trees of
//! hidden files are freed when they use too much memory.

use std::ops::Range;

use std::time::Duration;

use crate::ide::core::context::{Cx, TaskError, Tasks};
use crate::ide::core::damage::{Damage, Part};
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::core::tasks::work_thread::WorkThread;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::view::highlighting::{HighlightChange, HighlightJob, HighlightResult};
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::text::position::Byte;

/// Texts up to this size are parsed on any thread, not after longer ones: their trees are small.
const PARSE_INLINE_MAX: usize = 64 << 10;

/// Computes the colors of everything shown; a file in several windows is processed once.
pub fn start_jobs(cx: &mut Cx<'_>) {
    let Some(active) = &cx.state.visible_rows else { return };
    let views: Vec<&VisibleRows> = std::iter::once(active).chain(&cx.state.other_visible_rows).collect();
    let mut files: Vec<BufferId> = views.iter().map(|view| view.buffer).collect();
    files.sort_unstable();
    files.dedup();
    for id in files {
        let of = views.iter().filter(|view| view.buffer == id);
        let mut parts: Vec<Range<Byte>> = of.flat_map(|view| view.visible_ranges()).collect();
        parts.sort_by_key(|part| part.start);
        let Some(buffer) = cx.state.buffers.get_mut(id) else { continue };
        let (before, had_colors) = (buffer.highlighting.trouble(), buffer.highlighting.has_colors());
        buffer.highlighting.want_rainbow(cx.state.display.rainbow);
        let job = buffer.next_highlight_job(&parts, cx.now);
        let overdue = buffer.highlighting.take_overdue(buffer.area.text(), cx.now);
        if buffer.highlighting.trouble() != before {
            cx.state.damage.add(Part::Status);
        }
        if had_colors && !buffer.highlighting.has_colors() {
            // A file that was renamed may be in another language, or in none.
            cx.state.damage.add(Part::Editor);
        }
        if let Some(job) = job {
            start(cx.tasks, &cx.state.parse_thread, id, job);
        }
        mark_damage(&mut cx.state.damage, buffer, overdue);
    }
}

/// Starts computing colors; for a long text on the thread that makes large trees.
fn start(tasks: &Tasks, parsing: &WorkThread, id: BufferId, job: HighlightJob) {
    let (broken, small) = (job.failed_result(), job.bytes() < PARSE_INLINE_MAX);
    let done = move |cx: &mut Cx<'_>, found: Result<HighlightResult, TaskError>| {
        on_highlighted(cx, id, found.unwrap_or(broken));
    };
    if small {
        return tasks.spawn_blocking("colors.find", move || job.run(), done);
    }
    let parsing = parsing.clone();
    tasks.spawn("colors.find", async move { parsing.run(move || job.run()).await }, done);
}

/// Applies the computed colors of a part of a file, if there are any.
fn on_highlighted(cx: &mut Cx<'_>, id: BufferId, colored: HighlightResult) {
    let shown =
        cx.state.visible_rows.iter().chain(&cx.state.other_visible_rows).any(|view| view.buffer == id);
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.highlighting.apply_changes(&mut buffer.area.document);
    let differs = buffer.highlighting.apply_result(colored);
    let differs = buffer.highlighting.defer(differs, buffer.area.text(), cx.now);
    if shown {
        mark_damage(&mut cx.state.damage, buffer, differs);
    }
    free_trees(cx);
}

/// Frees the parse trees of hidden files, least recently shown first, until all together are within the
/// memory limit.
fn free_trees(cx: &mut Cx<'_>) {
    let shown: Vec<BufferId> =
        cx.state.visible_rows.iter().chain(&cx.state.other_visible_rows).map(|view| view.buffer).collect();
    let mut taken: usize = cx.state.buffers.all().iter().map(|buffer| buffer.highlighting.memory()).sum();
    let most = cx.state.display.syntax_memory;
    let buffers = cx.state.buffers.all_mut().iter_mut();
    let mut hidden: Vec<_> =
        buffers.filter(|buffer| !shown.contains(&buffer.id)).map(|buffer| &mut buffer.highlighting).collect();
    hidden.sort_by_key(|coloring| coloring.shown());
    let mut freed = Vec::new();
    for coloring in hidden {
        if taken <= most {
            break;
        }
        taken -= coloring.memory();
        freed.extend(coloring.take_tree());
    }
    if !freed.is_empty() {
        // Freeing trees takes time.
        cx.tasks.detach(on_thread(move || drop(freed)));
    }
}

/// Marks the differences in a shown file to be drawn with the next frame.
pub fn mark_damage(damage: &mut Damage, buffer: &Buffer, differs: HighlightChange) {
    let text = buffer.area.text();
    match differs {
        HighlightChange::Nothing => {}
        HighlightChange::Colors(range) => {
            let lines = text.line_of(range.start)..text.line_of(range.end);
            damage.add_recolored(buffer.id, lines);
        }
        HighlightChange::Everything => damage.add(Part::Editor),
    }
}

/// Returns when the colors on the screen are computed again.
pub fn deadline(state: &State) -> Option<Duration> {
    let shown = state.visible_rows.iter().chain(&state.other_visible_rows).map(|view| view.buffer);
    let all = state.buffers.all().iter().filter(|buffer| shown.clone().any(|id| id == buffer.id));
    all.filter_map(|buffer| buffer.highlighting.deadline(buffer.area.text())).min()
}
