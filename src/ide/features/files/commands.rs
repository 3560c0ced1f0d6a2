//! Commands on files: open, save, close, go to another one.

use std::path::PathBuf;

use crate::exec::Stamp;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::AfterSave;
use crate::ide::core::effect::{Effect, Save};
use crate::ide::core::overlay::{Answer, Dialog, Overlay, Question, Topic};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::project_search;
use crate::ide::features::undo_store;
use crate::ide::model::area::Area;
use crate::ide::model::buffers::BufferId;
use crate::text::document::Document;
use crate::text::encoding::Encoding;
use crate::text::format::Format;
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

/// Asks for a file to be written where it is. `over` writes even when somebody else has
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

/// Asks for a file to be written to a path, which is the buffer's own once that is done.
pub fn save_to(cx: &mut Cx<'_>, id: BufferId, path: PathBuf, then: AfterSave, over: bool) {
    let Some(format) = cx.state.buffers.get_mut(id).map(|buffer| buffer.area.document.format()) else {
        return;
    };
    write(cx, id, path, (then, over), format);
}

/// Asks for a file to be written where it is, in another encoding. It is the buffer's own once
/// that is done; a text that does not fit stays what it was.
pub fn save_in(cx: &mut Cx<'_>, id: BufferId, encoding: Encoding) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let was = buffer.area.document.format();
    // UTF-16 without its mark is a riddle to most programs.
    let bom = if encoding.is_utf16() {
        true
    } else {
        encoding == Encoding::UTF8 && was.encoding == encoding && was.bom
    };
    let format = Format { encoding, bom, lossless: false, ..was };
    let Some(path) = buffer.path.clone() else {
        buffer.area.document.set_format(format);
        cx.state.say(format!("it will be saved in {}", encoding.name()));
        return;
    };
    if buffer.saving {
        return cx.state.fail("the file is being saved; choose again");
    }
    write(cx, id, path, (AfterSave::Stay, false), format);
}

fn write(cx: &mut Cx<'_>, id: BufferId, path: PathBuf, (then, over): (AfterSave, bool), format: Format) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if let Some(reason) = buffer.read_only() {
        cx.state.fail(format!("not saved: {reason}"));
        return;
    }
    if buffer.saving {
        buffer.save_again = true;
        return;
    }
    buffer.saving = true;
    // What is typed while the file is written must not join what is written.
    buffer.area.document.seal();
    let own = buffer.path.as_ref() == Some(&path);
    let known = buffer.stamp.clone().filter(|_| own);
    let document = &buffer.area.document;
    let save = Save {
        buffer: id,
        path,
        text: document.text().clone(),
        format,
        revision: document.history().current(),
        // A file that nobody has read must not be there yet.
        expected: (!over).then(|| known.unwrap_or_else(Stamp::missing)),
        then,
    };
    let version = document.version();
    let tidy = files::editorconfig::tidy(buffer.rules);
    cx.effects.push(if tidy.is_nothing() {
        Effect::Save(Box::new(save))
    } else {
        Effect::Tidy { save: Box::new(save), tidy, version, tries: 1 }
    });
}

fn save_as(cx: &mut Cx<'_>) {
    if let Some(id) = cx.state.buffers.current().map(|buffer| buffer.id) {
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
        files::disk::reread(cx, id, true);
    }
}

fn diff_disk(cx: &mut Cx<'_>) {
    match cx.state.buffers.current().map(|buffer| (buffer.id, buffer.path.is_some())) {
        Some((id, true)) => files::disk::compare(cx, id),
        Some((_, false)) => cx.state.say("the text has no file yet"),
        None => cx.state.say("no file is open"),
    }
}

fn cycle(cx: &mut Cx<'_>, step: isize) {
    cx.state.buffers.cycle(step);
    cx.state.damage.all();
}
