//! Starts searches of the shown file and takes their results: the caret goes to the match, the bar shows the count.
//!
//! A short text is searched at once, so that keys typed next find the caret in its place. One task searches a long one;
//! what is wanted meanwhile begins when it has ended, so that typing never piles up searches.

use std::ops::Range;
use std::sync::Arc;

use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::state::State;
use crate::ide::features::find::bar::FindBar;
use crate::ide::features::find::job::{self, COUNT_MAX, Job, Outcome, Target};
use crate::ide::features::find::state::{FIND, Match, Searched, Step};
use crate::ide::features::find::{preview, replace};
use crate::ide::model::buffers::Buffer;
use crate::text::position::Byte;
use crate::text::selection::{self, Selection};

/// Maximum size in bytes of a text that is searched at once.
const SEARCH_INLINE_MAX: usize = 256 << 10;

/// Goes on from the match at the caret, or does so when the position is known.
pub fn step(cx: &mut Cx<'_>, step: Step) {
    if cx.state.slots[FIND].is_running() {
        return cx.state.slots[FIND].queue(step);
    }
    match step {
        Step::Next => start(cx, Target::Next),
        Step::Previous => start(cx, Target::Previous),
        Step::Replace => replace::one(cx),
    }
}

/// Searches from the match at the caret, or from the selection.
fn start(cx: &mut Cx<'_>, target: fn(Range<Byte>) -> Target) {
    if let Some(range) = position(cx.state) {
        search(cx, target(range));
    }
}

/// Returns the match at the caret, or the selection.
fn position(state: &State) -> Option<Range<Byte>> {
    let buffer = state.buffers.current()?;
    let selected = buffer.area.selection.primary().span();
    let current = match_at_caret(state).map(|current| current.range.clone());
    Some(current.unwrap_or(selected))
}

/// Returns the match at the caret, if the text is still the one that was searched and the caret is still there.
pub fn match_at_caret(state: &State) -> Option<&Match> {
    let (current, buffer) = (state.slots[FIND].current.as_ref()?, state.buffers.current()?);
    let primary = buffer.area.selection.primary();
    let is_there = primary.span() == current.range || primary.is_empty() && primary.head == current.range.end;
    let is_same = buffer.id == current.buffer && buffer.area.document.version() == current.version;
    (is_same && is_there).then_some(current)
}

/// Searches for what is typed from where the search began.
pub fn search_incrementally(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return };
    let is_empty = bar.query.text().end() == Byte(0);
    if is_empty {
        bar.note.clear();
        cx.state.slots[FIND].wanted = None;
        cx.state.slots[FIND].queued.clear();
        cx.state.slots[FIND].searched = None;
        return cancel(cx);
    }
    let (Some(buffer), Some(origin)) = (cx.state.buffers.current(), &cx.state.slots[FIND].origin) else {
        return;
    };
    // Another file may be shown than when the bar opened.
    let from = buffer.area.text().char_floor(origin.from.min(buffer.area.text().end()));
    search(cx, Target::First(from));
}

/// Counts and previews again when the text, its file or what is visible of it has changed; takes the previews away
/// when the bar is gone.
pub fn follow_text(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.all::<FindBar>().next() else { return preview::clear(cx.state) };
    let find = &cx.state.slots[FIND];
    if find.is_running() || bar.query.text().end() == Byte(0) {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let is_known = find.searched.as_ref() == Some(&searched(cx.state, buffer, bar));
    if (!is_known || preview::is_incomplete(cx.state))
        && let Some(range) = position(cx.state)
    {
        search(cx, Target::At(range));
    }
}

fn searched(state: &State, buffer: &Buffer, bar: &FindBar) -> Searched {
    Searched {
        buffer: buffer.id,
        version: buffer.area.document.version(),
        pattern: bar.query.text().to_string(),
        options: state.search.options,
        replacement: bar.previewed(),
    }
}

/// Searches the shown file; [`on_found`] gets the result.
pub fn search(cx: &mut Cx<'_>, target: Target) {
    if cx.state.slots[FIND].is_running() {
        cx.state.slots[FIND].wanted = Some(target);
        return;
    }
    let Some(job) = new_job(cx, target) else { return };
    if job.text.end().0 <= SEARCH_INLINE_MAX {
        let outcome = job::run(&job);
        return on_found(cx, &job, outcome);
    }
    cx.state.slots[FIND].running = Some(job.target.clone());
    let job = Arc::new(job);
    let work = {
        let job = job.clone();
        move || job::run(&job)
    };
    cx.tasks.spawn_blocking("search.find", work, move |cx, outcome| {
        let lost = |error: TaskError| Outcome { problem: Some(error.to_string()), ..Outcome::default() };
        cx.state.slots[FIND].running = None;
        on_found(cx, &job, outcome.unwrap_or_else(lost));
    });
}

/// Returns the search for what the bar says, or for the last query without a bar.
fn new_job(cx: &mut Cx<'_>, target: Target) -> Option<Job> {
    let bar = cx.state.layers.all::<FindBar>().next();
    let buffer = cx.state.buffers.current()?;
    let last = cx.state.search.last.as_deref().unwrap_or_default();
    let job = Job {
        buffer: buffer.id,
        text: buffer.area.text().clone(),
        version: buffer.area.document.version(),
        pattern: bar.map_or_else(|| last.to_string(), |bar| bar.query.text().to_string()),
        options: cx.state.search.options,
        replacement: bar.map(FindBar::replacement_text).unwrap_or_default(),
        preview: bar.and_then(FindBar::previewed).map(|_| preview::visible_positions(cx.state, buffer.id)),
        target,
        counts: bar.is_some(),
    };
    let searched = bar.map(|bar| searched(cx.state, buffer, bar));
    cx.state.slots[FIND].searched = searched;
    Some(job)
}

/// A text was searched.
fn on_found(cx: &mut Cx<'_>, job: &Job, outcome: Outcome) {
    if let Some(target) = cx.state.slots[FIND].wanted.take() {
        // Something else was typed meanwhile.
        return search(cx, target);
    }
    if let Some(needle) = &outcome.needle {
        cx.state.search.highlight = Some(needle.clone());
        cx.state.damage.add(Part::Editor);
    }
    preview::show(cx.state, job, &outcome);
    let is_same = cx
        .state
        .buffers
        .get_mut(job.buffer)
        .is_some_and(|buffer| buffer.area.document.version() == job.version);
    if !is_same {
        cx.state.slots[FIND].queued.clear();
        return cx.state.set_error("Text changed during search: search again");
    }
    if job.target == Target::All {
        replace::all(cx, job, outcome);
    } else {
        show_outcome(cx, job, outcome);
    }
    while !cx.state.slots[FIND].is_running()
        && let Some(next) = cx.state.slots[FIND].queued.pop_front()
    {
        step(cx, next);
    }
    if !cx.state.slots[FIND].is_running() {
        cx.state.slots[FIND].is_closed_early = false;
    }
}

/// Shows the count and goes to the match.
fn show_outcome(cx: &mut Cx<'_>, job: &Job, outcome: Outcome) {
    let is_typing = matches!(job.target, Target::First(_));
    let note = note(&outcome);
    let is_closed_early = cx.state.slots[FIND].is_closed_early;
    let has_bar = match cx.state.layers.all_mut::<FindBar>().next() {
        Some(bar) => {
            bar.note = note;
            true
        }
        None => false,
    };
    cx.state.damage.add(Part::Overlay);
    let found = outcome.range.map(|range| Match {
        buffer: job.buffer,
        version: job.version,
        range,
        replacement: outcome.replacement,
    });
    cx.state.slots[FIND].current.clone_from(&found);
    match (outcome.problem, found) {
        _ if matches!(job.target, Target::At(_)) => {}
        (_, Some(found)) => {
            go_to(cx, &found.range, is_closed_early && !has_bar);
            if let Some(origin) = cx.state.slots[FIND].origin.as_mut().filter(|_| !is_typing) {
                // Typing on goes on from here.
                origin.from = found.range.start;
            }
        }
        (problem, None) if has_bar => {
            cx.state.slots[FIND].queued.clear();
            if is_typing || problem.is_some() {
                cancel(cx);
            }
        }
        (Some(problem), None) => cx.state.set_error(format!("Invalid search `{}`: {problem}", job.pattern)),
        (None, None) => cx.state.set_status("No match"),
    }
}

/// Selects a match. Where the bar has closed in the meantime, only the caret goes there.
fn go_to(cx: &mut Cx<'_>, range: &Range<Byte>, is_caret_only: bool) {
    let start = if is_caret_only && !keeps_selection(cx.state) { range.end } else { range.start };
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.select(Selection::single(selection::Range::new(start, range.end)));
    }
    cx.state.damage.add(Part::Editor);
}

/// Returns whether a selected match is harmless: in a key map whose keys are commands, typing replaces no selection.
pub fn keeps_selection(state: &State) -> bool {
    state.keymap.modal_style() == ModalStyle::Helix
}

/// Restores the selection from before the bar, as far as the current text has it.
pub fn cancel(cx: &mut Cx<'_>) {
    cx.state.search.highlight = None;
    cx.state.slots[FIND].current = None;
    preview::clear(cx.state);
    if let (Some(origin), Some(buffer)) = (&cx.state.slots[FIND].origin, cx.state.buffers.current_mut())
        && origin.buffer == buffer.id
    {
        buffer.area.selection = origin.selection.clamp(buffer.area.text());
        buffer.area.document.seal();
    }
    cx.state.damage.add(Part::Editor);
    cx.state.damage.add(Part::Overlay);
}

/// Returns what the bar says of a result.
fn note(outcome: &Outcome) -> String {
    match (&outcome.problem, outcome.count) {
        (Some(problem), _) => problem.clone(),
        (None, (0, _)) => "No match".to_string(),
        (None, (COUNT_MAX, 0 | COUNT_MAX)) => format!("{COUNT_MAX} matches or more"),
        (None, (COUNT_MAX, nth)) => format!("{nth} of {COUNT_MAX} or more"),
        (None, (1, 0)) => "1 match".to_string(),
        (None, (count, 0)) => format!("{count} matches"),
        (None, (count, nth)) => format!("{nth} of {count}"),
    }
}

/// Previews again after the replacement has changed.
pub fn preview_again(cx: &mut Cx<'_>) {
    let find = &mut cx.state.slots[FIND];
    if find.is_running() {
        // The same match is wanted, with another replacement.
        find.wanted = find.wanted.take().or_else(|| find.running.clone());
    } else if let Some(range) = position(cx.state) {
        search(cx, Target::At(range));
    }
}
