//! Recovery: unsaved text is written to a journal while the user types, and offered when the next run finds
//! it.
//!
//! Must not access the disk on the event loop: `ide::features::recovery::journal` does so in tasks.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::clock;
use crate::exec::Stamp;
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::features::recovery::journal::{self, JournalEntry, JournalHeader, JournalWrite};
use crate::ide::features::recovery::unsaved::UNSAVED;
use crate::ide::features::recovery::unsaved::{JournalTask, UnsavedText};
use crate::ide::model::buffers::{BufferId, DiskState};
use crate::text::changes::ChangeSet;
use crate::text::diff;
use crate::text::document::Document;
use crate::text::transaction::Transaction;

/// Runs after every event: removes the journal files of saved or closed texts.
pub fn update_journal(cx: &mut Cx<'_>) {
    for due in cx.state.slots[UNSAVED].watch(cx.state.buffers.all(), cx.now) {
        if let JournalTask::Remove(buffer, names) = due {
            remove(cx, Some(buffer), names);
        }
    }
}

/// Saves the texts that are due.
pub fn tick(cx: &mut Cx<'_>) {
    for id in cx.state.slots[UNSAVED].due(cx.now) {
        if let Some(write) = prepare_write(cx.state, id, cx.now_ms) {
            write_entry(cx, write);
        }
    }
}

/// Saves a text.
fn write_entry(cx: &mut Cx<'_>, write: JournalWrite) {
    let (files, buffer) = (cx.state.slots[UNSAVED].files.clone(), write.buffer);
    let work = move || journal::write_entry(&files, write);
    cx.tasks.spawn_blocking("recovery.keep", work, move |cx, name| match flatten_answer(name) {
        Ok(name) => cx.state.slots[UNSAVED].end_write(buffer, Some(name)),
        Err(error) => {
            cx.state.slots[UNSAVED].end_write(buffer, None);
            if !std::mem::replace(&mut cx.state.slots[UNSAVED].failure_reported, true) {
                cx.state.set_error(format!("Cannot write the recovery journal, save often: {error}"));
            }
        }
    });
}

/// Removes journal files: those of an open file of this run, or of an earlier run.
fn remove(cx: &mut Cx<'_>, buffer: Option<BufferId>, names: Vec<String>) {
    let files = cx.state.slots[UNSAVED].files.clone();
    let work = move || journal::remove(&files, &names);
    cx.tasks.spawn_blocking("recovery.remove", work, move |cx, removed| {
        if let Some(buffer) = buffer {
            cx.state.slots[UNSAVED].end_removal(buffer);
        }
        if let Err(error) = flatten_answer(removed) {
            cx.state.set_error(format!("Cannot remove a recovery file: {error}"));
        }
    });
}

/// Returns the result of a task; a missing result is an error like any other.
fn flatten_answer<T>(answer: Result<io::Result<T>, TaskError>) -> io::Result<T> {
    answer.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Returns the result of a task that looks for saved texts, or reports its failure.
fn entry_or_report<T>(cx: &mut Cx<'_>, answer: Result<io::Result<T>, TaskError>) -> Option<T> {
    flatten_answer(answer)
        .map_err(|error| cx.state.set_error(format!("Cannot read recovery files: {error}")))
        .ok()
}

/// Returns the remaining work on exit, which is blocking; nothing is saved after it. Unless the user has
/// discarded unsaved text (`chosen`), everything not yet saved is saved.
pub fn final_writes(state: &mut State, chosen: bool, now_ms: u64) -> impl FnOnce() + Send + 'static + use<> {
    let names = state.slots[UNSAVED].obsolete_files(chosen);
    let behind = if chosen { Vec::new() } else { state.slots[UNSAVED].outdated() };
    let writes: Vec<JournalWrite> =
        behind.into_iter().filter_map(|id| prepare_write(state, id, now_ms)).collect();
    let files = state.slots[UNSAVED].files.clone();
    move || {
        if let Err(error) = journal::remove(&files, &names) {
            tracing::warn!(%error, "recovery files of no use could not be removed");
        }
        for write in writes {
            if let Err(error) = journal::write_entry(&files, write) {
                tracing::error!(%error, "unsaved text could not be kept");
            }
        }
        if let Err(error) = files.end(chosen) {
            tracing::warn!(%error, "recovery files could not be removed");
        }
    }
}

/// Returns what to save of an open file's text, if it has unsaved changes.
fn prepare_write(state: &mut State, id: BufferId, now_ms: u64) -> Option<JournalWrite> {
    let buffer = state.buffers.get_mut(id).filter(|buffer| buffer.is_unsaved())?;
    let path = buffer.real_path().map(Path::to_path_buf);
    let key = journal_key(path.as_deref(), id);
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let steps = buffer.area.document.take_journal_steps();
    let format = buffer.area.document.format();
    let head = JournalHeader { path, stamp: buffer.stamp.clone(), format, now_ms, version };
    let steps = steps.filter(|steps| state.slots[UNSAVED].can_add(id, &head, steps));
    let replaces = state.slots[UNSAVED].begin_write(id, &head, steps.as_ref());
    Some(JournalWrite { buffer: id, key, head, text, steps, replaces })
}

/// Returns the key under which a file's text is saved.
fn journal_key(path: Option<&Path>, id: BufferId) -> String {
    path.map_or_else(|| format!("{}{}", journal::UNTITLED, id.0), journal::key_of)
}

/// Handles an opened file: looks for its unsaved text of an earlier run.
pub fn on_opened(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(path) = buffer.real_path().map(Path::to_path_buf) else { return };
    let text = buffer.area.text().clone();
    let files = cx.state.slots[UNSAVED].files.clone();
    let work = move || journal::find(&files, &path, &text);
    cx.tasks.spawn_blocking("recovery.find", work, move |cx, text| {
        if let Some(Some(text)) = entry_or_report(cx, text) {
            ask_to_recover(cx, Some(id), text);
        }
    });
}

/// Handles the end of opening at start: looks for other unsaved texts of earlier runs.
pub fn on_all_opened(cx: &mut Cx<'_>) {
    let open: Vec<PathBuf> = cx.state.buffers.all().iter().filter_map(|buffer| buffer.real.clone()).collect();
    let files = cx.state.slots[UNSAVED].files.clone();
    let work = move || journal::find_others(&files, &open);
    cx.tasks.spawn_blocking("recovery.find-others", work, |cx, others| {
        let Some((nameless, paths)) = entry_or_report(cx, others) else { return };
        for text in nameless {
            ask_to_recover(cx, None, text);
        }
        if !paths.is_empty() {
            let names: Vec<String> = paths.iter().map(|path| cx.state.display_path(path)).collect();
            let (them, names) = (if names.len() == 1 { "it" } else { "them" }, names.join(", "));
            cx.state.set_status(format!("Unsaved text of {names}: open {them} to recover it"));
        }
    });
}

/// Asks what to do with unsaved text of an earlier run.
fn ask_to_recover(cx: &mut Cx<'_>, buffer: Option<BufferId>, found: JournalEntry) {
    let JournalEntry { name, head, text } = found;
    let (what, moved_on) = match buffer {
        None => ("a text without a file".to_string(), false),
        Some(id) => match cx.state.buffers.get_mut(id) {
            Some(buffer) => (buffer.name(), buffer.stamp != head.stamp),
            None => return,
        },
    };
    let lines = text.split('\n').count();
    let mut message_lines = vec![
        format!("bowline ended before {what} was saved."),
        format!("Unsaved text of {}: {lines} lines.", format_time(head.now_ms)),
    ];
    if buffer.is_none() {
        let first: String = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().into();
        message_lines.push(format!("It begins: {}", first.chars().take(60).collect::<String>()));
    }
    if moved_on {
        message_lines.push(String::new());
        message_lines.push("The file on disk has been changed since: compare before you save.".to_string());
    }
    let unsaved =
        UnsavedText { name, buffer, text, format: head.format, stamp: head.stamp, time_ms: head.now_ms };
    let number = cx.state.slots[UNSAVED].add_recoverable(unsaved);
    let dialog = Dialog::ask("Unsaved text", message_lines)
        .uninvited("unsaved-text", number)
        .choice('r', "Recover (undo reverts)", move |cx| recover(cx, number))
        .choice('d', "Discard", move |cx| discard(cx, number))
        .close('k', "Keep for later");
    // Below everything else, so that the user's current layer keeps the keys.
    cx.state.layers.push_below(dialog);
    cx.state.damage.add_all();
}

/// Returns a time as shown to the user.
fn format_time(ms: u64) -> String {
    clock::iso8601(ms).replace('T', " ").chars().take(19).collect::<String>() + " UTC"
}

/// Recovers a text.
fn recover(cx: &mut Cx<'_>, number: u64) {
    let Some(unsaved) = cx.state.slots[UNSAVED].get_recoverable(number).cloned() else { return };
    let id = unsaved.buffer.unwrap_or_else(|| cx.state.buffers.open(None, Document::default_file(), None));
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    cx.state.slots[UNSAVED].take_recoverable(number);
    let number = cx.state.slots[UNSAVED].add_recoverable(UnsavedText { buffer: Some(id), ..unsaved.clone() });
    let recovered: Arc<str> = unsaved.text;
    let work = move || diff::change(&text.to_string(), &recovered);
    cx.tasks.spawn_blocking("recovery.compare", work, move |cx, changes| {
        if let Some(changes) = entry_or_report(cx, changes.map(Ok)) {
            on_compared(cx, number, version, changes);
        }
    });
}

/// Handles the computed difference: applies it as one edit.
fn on_compared(cx: &mut Cx<'_>, number: u64, version: u64, changes: ChangeSet) {
    let Some(unsaved) = cx.state.slots[UNSAVED].get_recoverable(number) else { return };
    let Some(buffer) = unsaved.buffer.and_then(|id| cx.state.buffers.get_mut(id)) else { return };
    if buffer.area.document.version() != version {
        return recover(cx, number);
    }
    let (id, now_ms, format, stamp) = (buffer.id, cx.now_ms, unsaved.format, unsaved.stamp.clone());
    buffer.area.document.seal();
    buffer.area.apply_external(Transaction::new(changes).format(format), now_ms);
    if buffer.stamp.is_some() && buffer.stamp != stamp {
        // If it is based on another file than the existing one, saving must ask.
        buffer.stamp = Some(stamp.unwrap_or_else(Stamp::missing));
        buffer.disk = DiskState::Changed;
    }
    let name = buffer.name();
    cx.state.buffers.show(id);
    if let Some(unsaved) = cx.state.slots[UNSAVED].take_recoverable(number) {
        // It is removed once the text is saved again in the journal or the file.
        cx.state.slots[UNSAVED].adopt(id, unsaved.name);
    }
    cx.state.set_status(format!("Recovered unsaved text of {name}. Undo reverts it"));
    cx.state.damage.add_all();
}

/// Discards a text.
fn discard(cx: &mut Cx<'_>, number: u64) {
    if let Some(unsaved) = cx.state.slots[UNSAVED].take_recoverable(number) {
        remove(cx, None, vec![unsaved.name]);
    }
}
