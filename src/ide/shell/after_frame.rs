//! What a frame leaves to do: colours for what it showed, places for the scrollbar. Must not do
//! it: what is wanted is asked for as effects and tasks.

use std::ops::Range;
use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::{Damage, Part};
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::Overlay;
use crate::ide::core::state::State;
use crate::ide::features::context::events as contents;
use crate::ide::features::diff;
use crate::ide::features::git;
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::transcript;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::coloring::{Colored, Differs};
use crate::ide::model::scrollbar::{SURVEY_MAX, Survey, Surveyed};
use crate::ide::model::visible_rows::Shown;
use crate::text::position::Byte;

/// Asks for what the last frame had to do without.
pub fn settle(cx: &mut Cx<'_>) {
    transcript::code_blocks::after_frame(cx);
    transcript::earlier::settle(cx);
    editor(cx);
}

fn editor(cx: &mut Cx<'_>) {
    color(cx);
    survey(cx);
    git::events::settle(cx);
    diff::events::settle(cx);
    sessions::settle(cx);
    contents::settle(cx);
}

/// Asks for the colours of everything that is shown; a file in several windows is one question.
fn color(cx: &mut Cx<'_>) {
    let Some(active) = &cx.state.shown else { return };
    let views: Vec<&Shown> = std::iter::once(active).chain(&cx.state.beside).collect();
    let mut files: Vec<BufferId> = views.iter().map(|view| view.buffer).collect();
    files.sort_unstable();
    files.dedup();
    for id in files {
        let of = views.iter().filter(|view| view.buffer == id);
        let mut parts: Vec<Range<Byte>> = of.flat_map(|view| view.parts()).collect();
        parts.sort_by_key(|part| part.start);
        let Some(buffer) = cx.state.buffers.get_mut(id) else { continue };
        let before = buffer.coloring.trouble();
        buffer.coloring.want_rainbow(cx.state.look.rainbow);
        let job = buffer.color(&parts, cx.now);
        let overdue = buffer.coloring.overdue(buffer.area.text(), cx.now);
        if buffer.coloring.trouble() != before {
            cx.state.damage.add(Part::Status);
        }
        if let Some(job) = job {
            cx.effects.push(Effect::Color(id, Box::new(job)));
        }
        damage(&mut cx.state.damage, buffer, overdue);
    }
}

/// When time alone makes the next search for colours due, or the next comparison with git.
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

/// Asks where in the whole text stands what was looked for, one search at a time.
fn survey(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let Some(needle) = &state.highlight else {
        if state.survey.found.take().is_some() {
            state.damage.add(Part::Editor);
        }
        return;
    };
    let has_bar = state.shown.as_ref().is_some_and(|shown| !shown.bar.is_empty());
    let Some(buffer) = state.buffers.current().filter(|_| has_bar && !state.survey.running) else { return };
    let known = state.survey.found.as_ref().is_some_and(|found| found.is_of(buffer, needle));
    if known || buffer.area.text().end().0 > SURVEY_MAX {
        return;
    }
    state.survey.running = true;
    cx.effects.push(Effect::Survey(Box::new(Survey {
        buffer: buffer.id,
        version: buffer.area.document.version(),
        text: buffer.area.text().clone(),
        needle: needle.clone(),
    })));
}

/// A text was searched for the scrollbar.
pub fn surveyed(cx: &mut Cx<'_>, found: Surveyed) {
    cx.state.survey.running = false;
    // What was found in an older text still says more than nothing, until the next answer.
    cx.state.survey.found = Some(found);
    cx.state.damage.touch();
}

/// The colours of a part of a file were found, or there are none.
pub fn colored(cx: &mut Cx<'_>, id: BufferId, colored: Colored) {
    let shown = cx.state.shown.iter().chain(&cx.state.beside).any(|view| view.buffer == id);
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.coloring.hear(&mut buffer.area.document);
    let differs = buffer.coloring.arrived(colored);
    let differs = buffer.coloring.put_off(differs, buffer.area.text(), cx.now);
    if shown {
        damage(&mut cx.state.damage, buffer, differs);
    }
    free_trees(cx);
}

/// Gives up the parse trees of files that are not shown, least recently shown first, until all together take no
/// more memory than they may.
fn free_trees(cx: &mut Cx<'_>) {
    let shown: Vec<BufferId> =
        cx.state.shown.iter().chain(&cx.state.beside).map(|view| view.buffer).collect();
    let mut taken: usize = cx.state.buffers.all().iter().map(|buffer| buffer.coloring.memory()).sum();
    let most = cx.state.look.syntax_memory;
    let buffers = cx.state.buffers.all_mut().iter_mut();
    let mut hidden: Vec<_> =
        buffers.filter(|buffer| !shown.contains(&buffer.id)).map(|buffer| &mut buffer.coloring).collect();
    hidden.sort_by_key(|coloring| coloring.shown());
    let mut freed = Vec::new();
    for coloring in hidden {
        if taken <= most {
            break;
        }
        taken -= coloring.memory();
        freed.extend(coloring.give_up());
    }
    if !freed.is_empty() {
        cx.effects.push(Effect::Free(Box::new(freed)));
    }
}

/// What looks different in a file that is shown is drawn with the next frame.
pub fn damage(damage: &mut Damage, buffer: &Buffer, differs: Differs) {
    let text = buffer.area.text();
    match differs {
        Differs::Nothing => {}
        Differs::Colors(range) => {
            let lines = text.line_of(range.start)..text.line_of(range.end);
            damage.recolored(buffer.id, lines);
        }
        Differs::Everything => damage.add(Part::Editor),
    }
}
