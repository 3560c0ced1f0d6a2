//! The list of places in files that was closed last, and the places that a list stands for. Must not know what its
//! rows represent.

use std::path::PathBuf;

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{
    Pick, Picker, PickerSpec, catch_up, on_query_change, open, show_selected,
};
use crate::ide::core::state::State;

/// A picker of places in files that was closed, to open it again.
pub struct LastPicker {
    spec: &'static PickerSpec,
    query: String,
    selected: u32,
}

/// Remembers a picker of places in files that is about to be closed.
pub fn remember(state: &mut State) {
    let Some(picker) = state.layers.top::<Picker>().filter(|picker| picker.spec.preview.is_some()) else {
        return;
    };
    state.last_picker = Some(LastPicker {
        spec: picker.spec,
        query: picker.query.text().to_string(),
        selected: picker.selected,
    });
}

/// Opens the last picker of places in files with its query and the same row selected.
pub fn resume(cx: &mut Cx<'_>) {
    let Some(LastPicker { spec, query, selected }) = cx.state.last_picker.take() else {
        return cx.state.set_status("No list to reopen");
    };
    open(cx, spec);
    let now_ms = cx.now_ms;
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    picker.query.set(&query, now_ms);
    on_query_change(cx);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.select(selected);
    }
    show_selected(cx);
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
