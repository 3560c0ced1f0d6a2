//! Results lists on the event loop: starting a search, adding lines, ending it, and going through the
//! results. Must not know how lists change files.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::project_search;
use crate::ide::features::project_search::job::{Batch, OpenText};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{Query, RunningSearch, SearchResults};
use crate::text::changes::ChangeSet;
use crate::text::display::columns;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;
use crate::workspace::grep::GrepSummary;

/// Returns the open files, for a task.
pub fn open_texts(state: &State) -> Vec<OpenText> {
    let whole = state.buffers.all().iter().filter(|buffer| buffer.loading.is_none());
    let open = |buffer: &crate::ide::model::buffers::Buffer| {
        Some(OpenText {
            id: buffer.id,
            path: buffer.path.clone()?,
            real: buffer.real.clone(),
            text: buffer.area.text().clone(),
            version: buffer.area.document.version(),
            is_new: buffer.stamp.is_none(),
            is_unsaved: buffer.is_unsaved(),
            ending: buffer.area.document.format().ending.text(),
            read_only: buffer.read_only(),
        })
    };
    whole.filter_map(open).collect()
}

/// Opens a list and starts the search.
pub fn start(cx: &mut Cx<'_>, query: Query) {
    let open = open_texts(cx.state);
    let (list, cancel) = open_list(cx, query.clone());
    if query.replacement.is_none() {
        cx.state.search.last = Some(query.pattern.clone());
        // The expression was already validated when it was accepted.
        cx.state.search.highlight = Needle::new(&query.pattern, query.options).ok().flatten();
    }
    cx.state.set_status("Searching … Escape ends it");
    project_search::tasks::search_for_list(cx, list, query, open, cancel);
}

/// Shows an empty list to which results are added until the token is canceled.
pub fn open_list(cx: &mut Cx<'_>, query: Query) -> (BufferId, CancellationToken) {
    cx.state.note_jump();
    // Unedited lists are closed when there is a new one.
    let old = cx
        .state
        .buffers
        .all()
        .iter()
        .filter(|buffer| buffer.results.is_some() && !buffer.has_unapplied_edits());
    let old: Vec<BufferId> = old.map(|buffer| buffer.id).collect();
    let cancel = CancellationToken::new();
    let list = cx.state.buffers.open_results(SearchResults::new(query, RunningSearch(cancel.clone())));
    for id in old {
        cx.state.close_buffer(id);
    }
    cx.state.buffers.show(list);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.add_all();
    (list, cancel)
}

/// Searches for the query of the topmost picker, replacing its previous search.
pub fn search_picker(cx: &mut Cx<'_>) {
    let (options, open) = (cx.state.search.options, open_texts(cx.state));
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let injector = picker.restart();
    let pattern = picker.query.text().to_string();
    let problem = Needle::new(&pattern, options).err();
    picker.is_filling = !pattern.is_empty() && problem.is_none();
    let cancel = CancellationToken::new();
    picker.search = picker.is_filling.then(|| cancel.clone().drop_guard());
    let (is_wanted, number) = (picker.is_filling, picker.number);
    cx.state.damage.add(Part::Overlay);
    if let Some(problem) = problem {
        cx.state.set_error(problem.to_string());
    }
    if is_wanted {
        let query = Query { pattern, options, replacement: None };
        project_search::tasks::search_for_picker(cx, number, query, open, injector, cancel);
    }
}

/// More was found.
pub fn on_found(cx: &mut Cx<'_>, list: BufferId, batch: Batch) {
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let Some(results) = buffer.results_mut() else { return };
    Arc::make_mut(&mut results.known).add(batch.files, batch.rows);
    let mut text = buffer.area.text().clone();
    let end = text.end();
    ChangeSet::replace(end.0, [(end..end, batch.text)]).apply(&mut text);
    buffer.area.document.extend_loaded(text);
    cx.state.damage.add_all();
}

/// A search is done.
pub fn on_searched(cx: &mut Cx<'_>, list: BufferId, done: Result<GrepSummary, String>) {
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let Some((results, came_from)) = &mut buffer.results else { return };
    results.running = None;
    let (came_from, is_empty) = (*came_from, results.known.is_empty());
    let was_shown = cx.state.buffers.current().is_some_and(|shown| shown.id == list);
    if is_empty {
        cx.state.close_buffer(list);
        if let Some(before) = came_from.filter(|_| was_shown) {
            cx.state.buffers.show(before);
        }
    }
    cx.state.damage.add_all();
    match done {
        Ok(done) => cx.state.set_status(project_search::search::summary(&done)),
        Err(problem) => cx.state.set_error(format!("Cannot search: {problem}")),
    }
}

/// Stops the search of the shown list; returns whether one was running.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    let list = cx.state.buffers.current().and_then(|buffer| buffer.results());
    let Some(RunningSearch(cancel)) = list.and_then(|list| list.running.as_ref()) else { return false };
    cancel.cancel();
    cx.state.set_status("Ending search …");
    true
}

/// Returns the list that commands apply to: the shown one, else the newest.
pub fn current(state: &State) -> Option<BufferId> {
    let shown = state.buffers.current().filter(|buffer| buffer.results.is_some());
    let newest = || state.buffers.all().iter().rev().find(|buffer| buffer.results.is_some());
    shown.or_else(newest).map(|buffer| buffer.id)
}

/// Goes to the location of the cursor's line.
pub fn go_to_location(cx: &mut Cx<'_>, list: BufferId) {
    let tab_width = cx.state.text_options.tab_width;
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let at = buffer.area.caret();
    let text = buffer.area.document.text();
    let Some((results, _)) = &mut buffer.results else { return };
    let Some((start, head)) = results.row_at(text, at) else {
        return cx.state.set_status("No result on this line");
    };
    results.is_visited = true;
    let file = &results.known.files[head.origin.file];
    let line = file.current_line(head.origin.first);
    let found = results.known.get(&head.origin);
    let before = found.map(|found| Text::from(&found.old[..found.at])).unwrap_or_default();
    let column = columns::column_of(&before, before.end(), tab_width).0 + 1;
    let path = file.path.clone();
    let number = row_position(results, text, start);
    cx.state.note_jump();
    cx.state.set_status(number);
    files::open::open(cx, path, Some((line, column)));
    panes::focus(cx, Focus::Editor);
}

/// Returns the description of a line's position in the list.
fn row_position(results: &SearchResults, text: &Text, start: Byte) -> String {
    let lines =
        text.line_count() - usize::from(text.end().0 == 0 || text.byte_at(text.end().back(1)) == Some(b'\n'));
    format!("line {} of {lines}: {}", text.line_of(start).0 + 1, results.query.pattern)
}

/// Goes to the location of the next or the previous line of the list.
pub fn go_to_next(cx: &mut Cx<'_>, forward: bool) {
    let Some(list) = current(cx.state) else {
        return cx.state.set_status("No search results: find in files first");
    };
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let text = buffer.area.document.text().clone();
    let Some(results) = buffer.results() else { return };
    let here = text.line_of(buffer.area.caret());
    let is_place = |line: &Line| {
        results.row_at(&text, text.line_start(*line)).is_some_and(|(at, _)| text.line_of(at) == *line)
    };
    let first = (!results.is_visited && forward).then_some(here).filter(is_place);
    let next = first.or_else(|| {
        if forward {
            (here.0 + 1..text.line_count()).map(Line).find(is_place)
        } else {
            (0..here.0).rev().map(Line).find(is_place)
        }
    });
    match next {
        Some(line) => {
            buffer.area.go_to(text.line_start(line));
            cx.state.damage.add(Part::Editor);
            go_to_location(cx, list);
        }
        None => cx.state.set_status(if forward { "At last result" } else { "At first result" }),
    }
}
