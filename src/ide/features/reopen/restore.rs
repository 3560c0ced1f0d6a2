//! Restores open files, cursors and windows at the next start in a folder. Written in a task some time after
//! they change and on exit; read before the first frame, which shows them. Must not know commands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::exec::storage::cache;
use crate::ide::core::context::Cx;
use crate::ide::core::options::OpenTarget;
use crate::ide::core::state::State;
use crate::ide::features::reopen::state::LastWritten;
use crate::ide::features::reopen::state::REOPEN;
use crate::ide::features::reopen::store::ReopenStore;
use crate::ide::features::tutor::commands::TUTOR_FOLDER;
use crate::ide::model::buffers::Buffer;
use crate::ide::model::pane_sizes::PaneSizes;
use crate::ide::model::saved_windows::{SavedWindows, View};
use crate::ide::model::view::view_state;
use crate::ide::model::view::view_state::SavedView;
use crate::ide::model::windows::{Shape, Windows};
use crate::text::display::columns;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::Selection;

/// Version of the stored form.
const VERSION: u32 = 1;
/// More files are not opened by themselves.
const FILES_MAX: usize = 100;
/// Changes within this time are written together.
const PAUSE: Duration = Duration::from_secs(1);

/// The stored layout of a folder.
#[derive(Serialize, Deserialize)]
struct SavedWorkspace {
    version: u32,
    /// Files in the order in which they were opened.
    files: Vec<SavedFile>,
    windows: Shape,
    /// The views of the windows, from the top left.
    views: Vec<View>,
    /// Index of the active window.
    active: usize,
    /// The chosen sizes of the panes.
    #[serde(default)]
    sizes: PaneSizes,
}

#[derive(Serialize, Deserialize)]
struct SavedFile {
    path: PathBuf,
    line: usize,
    column: usize,
}

/// Returns what was open in a folder: the files to open, and their layout. Blocking, but quick.
pub fn read_last(state: &Path, workspace: &Path) -> Option<(Vec<OpenTarget>, SavedWindows)> {
    let bytes = match ReopenStore::new(state, workspace).get() {
        Ok(bytes) => bytes?,
        Err(error) => {
            tracing::warn!(%error, "what was open here cannot be read");
            return None;
        }
    };
    let kept: SavedWorkspace = match serde_json::from_slice(&bytes) {
        Ok(kept) => kept,
        Err(error) => {
            tracing::info!("what was open here is dropped: {error}");
            return None;
        }
    };
    if kept.version != VERSION {
        return None;
    }
    let (there, missing): (Vec<SavedFile>, Vec<SavedFile>) =
        kept.files.into_iter().take(FILES_MAX).partition(|file| cache::is_file(&file.path));
    let order = there.iter().map(|file| file.path.clone()).collect();
    let shown = kept.views.get(kept.active).map(|view| view.path.clone());
    let mut open: Vec<OpenTarget> = there
        .into_iter()
        .map(|file| OpenTarget { path: file.path, at: Some((file.line, file.column)) })
        .collect();
    // The first opened file is the one shown in the first frame.
    if let Some(at) = open.iter().position(|target| Some(&target.path) == shown.as_ref()) {
        open[..=at].rotate_right(1);
    }
    let missing = missing.into_iter().map(|file| file.path).collect();
    let (windows, views, active, sizes) = (kept.windows, kept.views, kept.active, kept.sizes);
    Some((open, SavedWindows { windows, views, active, order, sizes, missing }))
}

/// Returns what is open now, to be stored; `None` if that is disabled or not known yet.
fn serialize_open(state: &State) -> Option<String> {
    if !state.slots[REOPEN].is_enabled || state.slots[REOPEN].restored.is_some() {
        return None;
    }
    let tab_width = state.text_options.tab_width;
    let named = |buffer: &&Buffer| buffer.path.as_ref().is_some_and(|path| is_kept(state, path));
    let files = state.buffers.all().iter().filter(named).take(FILES_MAX).filter_map(|buffer| {
        let (line, column) = cursor_position(buffer, &buffer.area.selection, tab_width);
        Some(SavedFile { path: buffer.path.clone()?, line, column })
    });
    let all = state.windows.all();
    let views: Option<Vec<View>> = all.iter().map(|window| saved_view(state, *window, tab_width)).collect();
    let active = all.iter().position(|window| *window == state.windows.active)?;
    let (windows, views, active) = match views {
        Some(views) => (state.windows.shape(), views, active),
        // If a window shows a text without a file, only the files are stored.
        None => (Shape::Window, Vec::new(), 0),
    };
    let (files, sizes) = (files.collect(), state.panes.sizes);
    let kept = SavedWorkspace { version: VERSION, files, windows, views, active, sizes };
    match serde_json::to_string(&kept) {
        Ok(text) => Some(text),
        Err(error) => {
            tracing::warn!(%error, "what is open cannot be kept");
            None
        }
    }
}

/// Returns whether a file is opened again at the next start.
fn is_kept(state: &State, path: &Path) -> bool {
    path.to_str().is_some() && !state.slots[TUTOR_FOLDER].is_visited(path, &state.workspace)
}

/// Returns the view of a window.
fn saved_view(
    state: &State,
    window: crate::ide::model::window_id::WindowId,
    tab_width: usize,
) -> Option<View> {
    let is_active = window == state.windows.active;
    let shown =
        if is_active { state.buffers.current()?.id } else { *state.windows.other_buffers.get(&window)? };
    let buffer = state.buffers.all().iter().find(|buffer| buffer.id == shown)?;
    let per_view = &buffer.area.per_view;
    let parked = per_view.other_views.iter().find(|parked| !is_active && parked.window == window);
    let (selection, top) = match parked {
        Some(parked) => (&parked.selection, parked.view.top),
        None => (&buffer.area.selection, per_view.view.top),
    };
    let (line, column) = cursor_position(buffer, selection, tab_width);
    let path = buffer.path.clone().filter(|path| is_kept(state, path))?;
    let text = buffer.area.text();
    Some(View { path, line, column, top: text.line_of(top.min(text.end())).0 })
}

/// Line and column of the main cursor, from 1.
fn cursor_position(buffer: &Buffer, selection: &Selection, tab_width: usize) -> (usize, usize) {
    let text = buffer.area.text();
    let at = text.grapheme_floor(selection.primary().head.min(text.end()));
    (text.line_of(at).0 + 1, columns::column_of(text, at, buffer.tab_width(tab_width)).0 + 1)
}

/// Handles the end of opening: restores the windows, and reports missing files.
pub fn restore_windows(cx: &mut Cx<'_>) {
    let Some(restored) = cx.state.slots[REOPEN].restored.take() else { return };
    if !restored.missing.is_empty() {
        let names: Vec<String> = restored.missing.iter().map(|path| cx.state.display_path(path)).collect();
        cx.state.set_status(format!("No longer there: {}", names.join(", ")));
    }
    // If the user has already split the screen, it stays.
    if cx.state.windows.count() == 1 {
        restore_layout(cx.state, &restored);
    }
    cx.state.buffers.sort_by_paths(&restored.order);
    cx.state.damage.add_all();
}

fn restore_layout(state: &mut State, restored: &SavedWindows) {
    let Some(mut windows) = Windows::of_shape(&restored.windows) else { return };
    let all = windows.all();
    if all.len() != restored.views.len() {
        return;
    }
    let tab_width = state.text_options.tab_width;
    let active = all.get(restored.active).copied();
    let mut has_keys = None;
    for (window, kept) in all.iter().zip(&restored.views) {
        let id = state.buffers.by_path(&kept.path).map(|buffer| buffer.id);
        let Some(buffer) = id.and_then(|id| state.buffers.get_mut(id)) else {
            windows.close(*window);
            continue;
        };
        let (selection, top) = restored_position(buffer.area.text(), kept, buffer.tab_width(tab_width));
        if active == Some(*window) {
            buffer.area.selection = selection;
            buffer.area.per_view.view.top = top;
            has_keys = Some((*window, buffer.id));
        } else {
            let view = view_state::View { top, ..view_state::View::default() };
            buffer.area.per_view.other_views.push(SavedView { window: *window, selection, view });
            windows.other_buffers.insert(*window, buffer.id);
        }
    }
    let Some((window, id)) = has_keys else {
        // The active file no longer exists: the first opened file is shown.
        for buffer in state.buffers.all_mut() {
            buffer.area.per_view.other_views.clear();
        }
        return;
    };
    windows.active = window;
    state.windows = windows;
    state.buffers.show(id);
}

/// Returns a cursor and the first row on screen, clamped to the current text.
fn restored_position(text: &Text, kept: &View, tab_width: usize) -> (Selection, Byte) {
    let line = Line(kept.line.max(1) - 1).min(text.last_line());
    let at = columns::at_column(text, line, Column(kept.column.max(1) - 1), tab_width);
    (Selection::cursor(at), text.line_start(Line(kept.top).min(text.last_line())))
}

/// Detects changes of files or windows since the last write.
pub fn note_changes(cx: &mut Cx<'_>) {
    let restoring = &cx.state.slots[REOPEN];
    if !restoring.is_enabled || restoring.restored.is_some() {
        return;
    }
    let (mark, files) = (&restoring.last_written, || cx.state.buffers.all().iter().map(|buffer| buffer.id));
    // Nearly every key reaches this and changes neither.
    let sizes = cx.state.panes.sizes;
    if !files().eq(mark.files.iter().copied())
        || cx.state.windows.all() != mark.windows
        || sizes != mark.sizes
    {
        cx.state.slots[REOPEN].last_written =
            LastWritten { files: files().collect(), windows: cx.state.windows.all(), sizes };
        cx.state.slots[REOPEN].due = Some(cx.now + PAUSE);
    }
}

/// Writes the layout when it is due.
pub fn tick(cx: &mut Cx<'_>) {
    if cx.state.slots[REOPEN].due.is_some_and(|due| due <= cx.now) {
        cx.state.slots[REOPEN].due = None;
        let (store, content) = (cx.state.slots[REOPEN].store.clone(), serialize_open(cx.state));
        let Some(content) = content else { return };
        cx.tasks.spawn_blocking(
            "reopen.keep",
            move || store.put(&content),
            |_, kept| {
                if let Err(error) = kept {
                    tracing::error!("keeping what is open failed: {error}");
                }
            },
        );
    }
}

/// Returns the final write on exit, if enabled; blocking.
pub fn final_write(state: &State) -> impl FnOnce() + Send + 'static + use<> {
    let (store, content) = (state.slots[REOPEN].store.clone(), serialize_open(state));
    move || {
        if let Some(content) = content {
            store.put(&content);
        }
    }
}
