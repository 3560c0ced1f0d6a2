//! Commands on files: open, save, close, switch.

use std::path::PathBuf;

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::closed;
use crate::ide::features::files::save::{AfterSave, save_to};
use crate::ide::features::files::{self, disk};
use crate::ide::model::buffers::BufferId;
use crate::text::document::Document;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("file.save", "Save file", &["write"], save).when(condition::has_file),
    command("file.save-as", "Save file as", &["write as"], save_as).when(condition::has_file),
    command("file.save-all", "Save all files", &["write all"], save_all),
    command("file.new", "New file", &["create file", "untitled", "scratch"], new),
    command("file.open", "Open file", &["edit file", "path"], open),
    command("file.close", "Close file", &["close buffer", "close tab", "close editor"], close)
        .when(condition::has_file),
    command(
        "file.encoding",
        "Change file encoding",
        &["reopen with encoding", "save with encoding", "charset"],
        |cx| {
            cx.defer_picker("encodings");
        },
    )
    .when(condition::has_file),
    command("file.reload", "Reload file from disk", &["revert file", "reread"], reload)
        .when(condition::has_file),
    command("file.diff-disk", "Show changes against disk", &["diff", "unsaved changes"], diff_disk)
        .when(condition::has_file),
    command("file.next", "Show next file", &["next buffer", "next tab"], |cx| cycle(cx, 1))
        .when(condition::has_file),
    command("file.previous", "Show previous file", &["previous buffer", "previous tab"], |cx| cycle(cx, -1))
        .when(condition::has_file),
    command(
        "file.previous-used",
        "Show previously used file",
        &["last file", "alternate file", "recent"],
        |cx| {
            step_by_use(cx, 1);
        },
    )
    .when(condition::has_file),
    command("file.next-used", "Go back in used files", &["recent"], |cx| step_by_use(cx, -1))
        .when(condition::has_file),
    command(
        "file.reopen",
        "Reopen closed file",
        &["undo close", "reopen tab", "reopen editor"],
        closed::reopen,
    )
    .when(closed::has_closed),
];

fn save(cx: &mut Cx<'_>) {
    if let Some(id) = cx.state.buffers.current().map(|buffer| buffer.id) {
        save_buffer(cx, id, AfterSave::Stay, false);
    }
}

fn save_all(cx: &mut Cx<'_>) {
    let ids: Vec<BufferId> = cx.state.buffers.unsaved().map(|buffer| buffer.id).collect();
    for id in ids {
        save_buffer(cx, id, AfterSave::Stay, false);
    }
}

fn save_as(cx: &mut Cx<'_>) {
    if let Some(id) = cx.state.buffers.current().map(|buffer| buffer.id) {
        ask_name(cx, id);
    }
}

/// Writes a file at its path. With `over` even when another process has changed it.
pub fn save_buffer(cx: &mut Cx<'_>, id: BufferId, then: AfterSave, over: bool) {
    if cx.state.catalog.features.iter().any(|feature| (feature.save_own_buffer)(cx, id)) {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if let Some(path) = buffer.path.clone() {
        save_to(cx, id, path, then, over);
    } else {
        cx.state.buffers.show(id);
        ask_name(cx, id);
    }
}

fn ask_name(cx: &mut Cx<'_>, id: BufferId) {
    let prompt = Prompt::new("Save as", move |cx, answer| {
        let path = cx.state.resolve_typed_path(&answer);
        save_to(cx, id, path, AfterSave::Stay, false);
    });
    let is_free = move |cx: &mut Cx<'_>, answer: &str| match cx
        .state
        .buffers
        .by_path(&cx.state.resolve_typed_path(answer))
    {
        Some(other) if other.id != id => Err("File is already open".to_string()),
        _ => Ok(()),
    };
    prompt.required().completing_paths().check(is_free).open(cx);
}

fn new(cx: &mut Cx<'_>) {
    cx.state.buffers.open(None, Document::default_file(), None);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.add_all();
}

fn open(cx: &mut Cx<'_>) {
    let folder =
        cx.state.buffers.current().and_then(|buffer| buffer.path.as_deref()?.parent().map(PathBuf::from));
    let shown = folder.map(|folder| cx.state.display_path(&folder)).filter(|shown| !shown.is_empty());
    let first = shown.map_or(String::new(), |shown| format!("{shown}/"));
    let prompt = Prompt::new("Open file", |cx, answer| {
        let path = cx.state.resolve_typed_path(&answer);
        cx.state.note_jump();
        files::open::open(cx, path, None);
        panes::focus(cx, Focus::Editor);
    });
    prompt.required().completing_paths().initial(first).open(cx);
}

fn close(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (id, name) = (buffer.id, buffer.name());
    if buffer.has_unapplied_edits() {
        let dialog = Dialog::ask("Close file?", vec![format!("{name} has edits that are not applied.")])
            .choice('d', "Discard edits", move |cx| discard(cx, id))
            .close('n', "Cancel");
        return cx.state.push_layer(dialog);
    }
    if !buffer.is_unsaved() {
        discard(cx, id);
        cx.state.damage.add_all();
        return;
    }
    let dialog = Dialog::ask("Close file?", vec![format!("{name} has unsaved changes.")])
        .choice('s', "Save and close", move |cx| save_buffer(cx, id, AfterSave::Close, false))
        .choice('d', "Discard edits", move |cx| discard(cx, id))
        .close('n', "Cancel");
    cx.state.push_layer(dialog);
}

/// Closes a file without saving it.
fn discard(cx: &mut Cx<'_>, id: BufferId) {
    feature::notify(cx, FeatureEvent::Closing(id));
    cx.state.close_buffer(id);
}

fn reload(cx: &mut Cx<'_>) {
    if let Some(id) = cx.state.buffers.current().map(|buffer| buffer.id) {
        disk::reload(cx, id, true);
    }
}

fn diff_disk(cx: &mut Cx<'_>) {
    match cx.state.buffers.current().map(|buffer| (buffer.id, buffer.path.is_some())) {
        Some((id, true)) => disk::compare(cx, id),
        Some((_, false)) => cx.state.set_status("Not saved to a file yet"),
        None => cx.state.set_status("No file open"),
    }
}

/// Goes through the open files by their last use.
fn step_by_use(cx: &mut Cx<'_>, back: isize) {
    cx.state.buffers.step_by_use(back, cx.now);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.add_all();
}

fn cycle(cx: &mut Cx<'_>, step: isize) {
    cx.state.buffers.cycle(step);
    cx.state.damage.add_all();
}
