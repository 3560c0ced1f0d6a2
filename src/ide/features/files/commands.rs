//! Commands on files: open, save, close, go to another one.

use std::path::PathBuf;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::{Answer, Dialog, Overlay, Question, Topic};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::disk;
use crate::ide::features::files::save::{AfterSave, save_to};
use crate::ide::features::project_search;
use crate::ide::features::undo_store;
use crate::ide::model::area::Area;
use crate::ide::model::buffers::BufferId;
use crate::text::document::Document;
use crate::text::search::How;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("file.save", "Save the file", save),
    command("file.save-as", "Save the file under another name", save_as),
    command("file.save-all", "Save every file", save_all),
    command("file.new", "Begin a text without a file", new),
    command("file.open", "Open a file by its path", open),
    command("file.close", "Close the file", close),
    command("file.encoding", "Read or save the file in another encoding", |cx| {
        cx.effects.push(Effect::Picker("encodings"));
    }),
    command("file.reload", "Read the file again from disk", reload),
    command("file.diff-disk", "Show how the text differs from the file on disk", diff_disk),
    command("file.next", "Show the next open file", |cx| cycle(cx, 1)),
    command("file.previous", "Show the previous open file", |cx| cycle(cx, -1)),
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

/// Writes a file where it is. `over` writes even when somebody else has
/// changed it.
pub fn save_buffer(cx: &mut Cx<'_>, id: BufferId, then: AfterSave, over: bool) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.listing.is_some() {
        return project_search::apply::begin(cx, id);
    }
    if let Some(path) = buffer.path.clone() {
        save_to(cx, id, path, then, over);
    } else {
        cx.state.buffers.show(id);
        ask_name(cx, id);
    }
}

fn ask_name(cx: &mut Cx<'_>, id: BufferId) {
    ask(cx, Topic::SaveAs(id), "");
}

/// Puts a one-line question on top, with an answer to begin with.
pub fn ask(cx: &mut Cx<'_>, topic: Topic, first: &str) {
    let mut answer = Area::default();
    answer.set(first, cx.now_ms);
    let searches = topic.searches();
    let how = Some(cx.state.search_how).filter(|how| searches && *how != How::default());
    let how = how.map(|how| how.to_string()).unwrap_or_default();
    cx.state.push_overlay(Overlay::Question(Box::new(Question {
        topic,
        answer,
        note: String::new(),
        how,
        seen: 0,
        searched: 0,
    })));
}

fn new(cx: &mut Cx<'_>) {
    cx.state.buffers.open(None, Document::default_file(), None);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.all();
}

fn open(cx: &mut Cx<'_>) {
    let folder =
        cx.state.buffers.current().and_then(|buffer| buffer.path.as_deref()?.parent().map(PathBuf::from));
    let shown = folder.map(|folder| cx.state.shown(&folder)).filter(|shown| !shown.is_empty());
    let first = shown.map_or(String::new(), |shown| format!("{shown}/"));
    ask(cx, Topic::Open, &first);
}

fn close(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (id, name) = (buffer.id, buffer.name());
    if buffer.is_edited_list() {
        let dialog = Dialog::ask("close?", vec![format!("{name} has edits that were not applied.")])
            .choice('d', "close, losing them", Answer::Discard(id))
            .choice('n', "stay", Answer::Dismiss);
        return cx.state.push_overlay(Overlay::Dialog(dialog));
    }
    if !buffer.is_unsaved() {
        undo_store::keep::keep(cx, id);
        cx.state.close_buffer(id);
        cx.state.damage.all();
        return;
    }
    let dialog = Dialog::ask("close?", vec![format!("{name} has unsaved changes.")])
        .choice('s', "save and close", Answer::SaveAndClose(id))
        .choice('d', "close, losing them", Answer::Discard(id))
        .choice('n', "stay", Answer::Dismiss);
    cx.state.push_overlay(Overlay::Dialog(dialog));
}

fn reload(cx: &mut Cx<'_>) {
    if let Some(id) = cx.state.buffers.current().map(|buffer| buffer.id) {
        disk::reread(cx, id, true);
    }
}

fn diff_disk(cx: &mut Cx<'_>) {
    match cx.state.buffers.current().map(|buffer| (buffer.id, buffer.path.is_some())) {
        Some((id, true)) => disk::compare(cx, id),
        Some((_, false)) => cx.state.say("the text has no file yet"),
        None => cx.state.say("no file is open"),
    }
}

fn cycle(cx: &mut Cx<'_>, step: isize) {
    cx.state.buffers.cycle(step);
    cx.state.damage.all();
}
