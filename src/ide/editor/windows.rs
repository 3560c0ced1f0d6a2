//! Coordinates windows and their views: a window that gets the focus activates its own view of its file, and
//! the previous one keeps its view. Must not know commands or drawing.

use std::mem::swap;

use crate::ide::core::state::State;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::view::view_state::{SavedView, View};
use crate::ide::model::window_id::WindowId;
use crate::ide::model::windows::WINDOWS_MAX;

/// Focuses a window of the editor.
pub fn activate(state: &mut State, window: WindowId) {
    if window == state.windows.active {
        return;
    }
    store_view(state);
    let shown = state.windows.other_buffers.remove(&window);
    state.windows.active = window;
    if let Some(id) = shown {
        state.buffers.show(id);
    }
    if let Some(buffer) = state.buffers.current_mut() {
        let per_view = &mut buffer.area.per_view;
        if let Some(n) = per_view.other_views.iter().position(|parked| parked.window == window) {
            let parked = per_view.other_views.swap_remove(n);
            per_view.view = parked.view;
            buffer.area.selection = parked.selection;
            buffer.area.document.seal();
        }
    }
    state.selecting = false;
    state.damage.add_all();
}

/// Saves the view of the active window.
fn store_view(state: &mut State) {
    let window = state.windows.active;
    let Some(buffer) = state.buffers.current_mut() else { return };
    let (selection, view) = (buffer.area.selection.clone(), buffer.area.per_view.view.clone());
    buffer.area.per_view.other_views.retain(|parked| parked.window != window);
    buffer.area.per_view.other_views.push(SavedView { window, selection, view });
    state.windows.other_buffers.insert(window, buffer.id);
}

/// Splits the active window; the new one shows the same and gets the focus. Returns whether there was room
/// for it.
pub fn split(state: &mut State, beside: bool) -> bool {
    if state.windows.count() >= WINDOWS_MAX || state.buffers.current().is_none() {
        return false;
    }
    let new = state.windows.split(beside);
    store_view(state);
    state.windows.active = new;
    state.damage.add_all();
    true
}

/// Closes the active window; its file stays open. Returns whether there is another window.
pub fn close(state: &mut State) -> bool {
    let closed = state.windows.active;
    let Some(heir) = state.windows.close(closed) else { return false };
    activate(state, heir);
    drop_views(state, closed);
    true
}

/// Closes all windows but the active one.
pub fn close_others(state: &mut State) {
    for window in state.windows.all() {
        if window != state.windows.active {
            state.windows.close(window);
            drop_views(state, window);
        }
    }
    state.damage.add_all();
}

/// Removes what is kept for a closed window.
fn drop_views(state: &mut State, window: WindowId) {
    state.windows.other_buffers.remove(&window);
    for buffer in state.buffers.all_mut() {
        buffer.area.per_view.other_views.retain(|parked| parked.window != window);
    }
}

/// Returns the buffer shown by a window without the focus. If its file was closed, that of the active window.
pub fn buffer_in(state: &mut State, window: WindowId) -> Option<BufferId> {
    let known = state.windows.other_buffers.get(&window).copied();
    let open = known.filter(|id| state.buffers.get_mut(*id).is_some());
    let id = open.or(state.buffers.current().map(|buffer| buffer.id))?;
    state.windows.other_buffers.insert(window, id);
    Some(id)
}

/// Runs a function on a file with the view of a window without the focus.
pub fn with_window_view<T>(buffer: &mut Buffer, window: WindowId, f: impl FnOnce(&mut Buffer) -> T) -> T {
    let known = buffer.area.per_view.other_views.iter().position(|parked| parked.window == window);
    let fresh = || SavedView {
        window,
        selection: buffer.area.selection.clone(),
        view: View { followed: None, ..buffer.area.per_view.view.clone() },
    };
    let mut parked = match known {
        Some(n) => buffer.area.per_view.other_views.swap_remove(n),
        None => fresh(),
    };
    swap(&mut buffer.area.selection, &mut parked.selection);
    swap(&mut buffer.area.per_view.view, &mut parked.view);
    let result = f(buffer);
    swap(&mut buffer.area.selection, &mut parked.selection);
    swap(&mut buffer.area.per_view.view, &mut parked.view);
    buffer.area.per_view.other_views.push(parked);
    result
}
