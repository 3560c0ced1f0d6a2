//! The list that was closed last, and the places that a list stands for. Must not know what its rows represent.

use std::path::PathBuf;

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{
    Pick, Picker, PickerSpec, catch_up, on_query_change, open, show_selected,
};
use crate::ide::core::state::State;

/// A picker that was closed, to open it again.
pub struct LastPicker {
    spec: &'static PickerSpec,
    query: String,
    selected: u32,
    /// What the selected row stood for: it may be another one by then.
    pick: Option<Pick>,
    /// The rows marked to be accepted together.
    marked: Vec<Pick>,
    came_from: Option<&'static PickerSpec>,
    /// The one that was closed before it.
    before: Option<Box<LastPicker>>,
}

/// Remembers a picker that is about to be closed.
pub fn remember(state: &mut State) {
    let Some(picker) = state.layers.top::<Picker>() else { return };
    let marked = if picker.spec.accepts_many() { picker.marked.clone() } else { Vec::new() };
    let before = state.last_picker.take().map(|last| Box::new(LastPicker { before: None, ..last }));
    state.last_picker = Some(LastPicker {
        spec: picker.spec,
        query: picker.query.text().to_string(),
        selected: picker.selected,
        pick: picker.current().map(|row| row.pick.clone()),
        marked,
        came_from: picker.came_from,
        before,
    });
}

/// Forgets the picker that was closed last: it was only the way to a command.
pub fn forget(state: &mut State) {
    state.last_picker = state.last_picker.take().and_then(|last| last.before).map(|before| *before);
}

/// Opens the last picker with its query and its marks, and the same row selected.
pub fn resume(cx: &mut Cx<'_>) {
    let Some(LastPicker { spec, query, selected, pick, marked, came_from, .. }) = cx.state.last_picker.take()
    else {
        return cx.state.set_status("No list to reopen");
    };
    open(cx, spec);
    let now_ms = cx.now_ms;
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    picker.query.set(&query, now_ms);
    picker.came_from = came_from;
    if spec.accepts_many() {
        picker.marked = marked;
    }
    on_query_change(cx);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.select_again(selected, pick);
    }
    show_selected(cx);
}

/// Loads the rows of the topmost picker anew, with the same query, marks and selected row.
pub fn reload(cx: &mut Cx<'_>) {
    let before = cx.state.last_picker.take();
    remember(cx.state);
    drop(cx.state.layers.pop_as::<Picker>());
    resume(cx);
    cx.state.last_picker = before;
}

/// A path with a line from 1, if it is known.
pub type Place = (PathBuf, Option<usize>);

/// Returns the places in files that the marked rows of the topmost picker stand for, or else all that are listed;
/// `None` if its rows stand for none.
pub fn places(state: &mut State, max: u32) -> Option<Vec<(Place, Pick)>> {
    catch_up(state);
    let picker = state.layers.top::<Picker>()?;
    let preview = picker.spec.preview.filter(|_| picker.spec.has_places)?;
    let listed = || picker.rows(0, max).map(|row| row.pick.clone()).collect();
    let picks: Vec<Pick> = if picker.marked.is_empty() { listed() } else { picker.marked.clone() };
    let place = |pick: Pick| {
        let target = preview(state, &pick)?;
        Some(((target.path()?.to_path_buf(), target.line), pick))
    };
    Some(picks.into_iter().filter_map(place).collect())
}
