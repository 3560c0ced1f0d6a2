//! What happens to open files: read, written, edited by the agent. What others do to them on
//! disk is in `disk_events`.
//! Must not touch the disk; what is to be read or written is asked for.

use std::path::{Path, PathBuf};

use crate::exec::{EnvError, Stamp};
use crate::ide::core::context::Cx;
use crate::ide::core::effect::AfterSave;
use crate::ide::core::effect::Effect;
use crate::ide::core::event::{AgentEdit, BufferRequest, BufferSnapshot, Opened, Saved};
use crate::ide::core::overlay::{Answer, Dialog, Overlay};
use crate::ide::core::quit;
use crate::ide::features::files;
use crate::ide::features::recovery;
use crate::ide::features::undo_store;
use crate::ide::model::buffers::{Buffer, BufferId, Disk};
use crate::text::changes::ChangeSet;
use crate::text::format::Format;
use crate::text::history::Formats;
use crate::text::transaction::{Author, Transaction, agents_edit};

/// A file was read.
pub fn opened(cx: &mut Cx<'_>, opened: Opened) {
    let shown = cx.state.shown(&opened.path);
    let tab_width = cx.state.show.tab_width;
    let (document, stamp) = match opened.result {
        Ok(Some((document, stamp))) => (document, Some(stamp)),
        Ok(None) => (crate::text::document::Document::default_file(), None),
        // Nobody waits for it any more.
        Err(EnvError::Cancelled) => return,
        Err(EnvError::IsFolder(folder)) => {
            if cx.state.files.unfold(&folder) {
                cx.effects.push(Effect::List(folder.clone()));
            }
            cx.state.files.select(&folder);
            return cx.state.fail(format!("{shown} is a folder; its files are in the tree (Alt-1)"));
        }
        Err(error) => {
            files::progressive::failed(cx, &opened.real);
            return cx.state.fail(format!("cannot open {shown}: {error}"));
        }
    };
    if let (Some(stamp), true) = (&stamp, files::progressive::is_under_way(cx, &opened.real)) {
        return files::progressive::done(cx, &opened.real, document, stamp.clone());
    }
    let open = cx.state.buffers.by_path(&opened.real).map(|buffer| buffer.id);
    let before = cx.state.buffers.current().filter(|_| opened.behind).map(|buffer| buffer.id);
    let id = match open {
        Some(id) => id,
        None => cx.state.buffers.open(Some(opened.path.clone()), document, stamp.clone()),
    };
    cx.state.buffers.show(id);
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.real = Some(opened.real);
        if let Some(at) = opened.at {
            buffer.place(at, tab_width);
        }
    }
    if open.is_none() {
        recovery::recover::opened(cx, id);
    }
    match before {
        Some(shown) => cx.state.buffers.show(shown),
        None => cx.state.files.select(&opened.path),
    }
    if stamp.is_none() && open.is_none() {
        cx.state.say(format!("{shown} is new; it will be made when you save"));
    }
    cx.state.damage.all();
}

/// A file was written, or could not be.
pub fn saved(cx: &mut Cx<'_>, saved: Saved) {
    let Some(buffer) = cx.state.buffers.get_mut(saved.buffer) else { return };
    buffer.saving = false;
    let shown_path = saved.path.clone();
    match saved.result {
        Ok(stamp) => {
            let renamed = buffer.path.as_ref() != Some(&saved.path);
            buffer.path = Some(saved.path);
            buffer.real = Some(saved.real);
            buffer.stamp = Some(stamp);
            buffer.disk = Disk::Same;
            files::disk::settled(buffer);
            buffer.area.document.set_format(saved.format);
            buffer.area.document.mark_saved_at(saved.revision);
            buffer.area.riders.hunks.ask_again();
            let name = buffer.name();
            cx.state.say(format!("saved {name}"));
            files::disk::withdraw(cx, saved.buffer);
            refresh_folder(cx, &shown_path);
            files::editorconfig::written(cx, &shown_path);
            if renamed {
                files::editorconfig::opened(cx, saved.buffer);
                cx.state.restoring.renamed();
            }
            undo_store::keep::keep(cx, saved.buffer);
            after_save(cx, saved.buffer, &name, saved.then);
        }
        Err(EnvError::Stale(_)) => {
            let id = saved.buffer;
            // Saved under a new name, it is the file of that name that is in the way.
            let own = buffer.path.as_ref() == Some(&saved.path);
            let shown = cx.state.shown(&shown_path);
            let what =
                if own { "was changed by somebody else since it was read." } else { "is there already." };
            let dialog = Dialog::ask("changed on disk", vec![format!("{shown} {what}")]);
            let dialog = if own {
                dialog.choice('r', "read it again (undo keeps yours)", Answer::Reload(id))
            } else {
                dialog
            };
            let dialog = dialog.choice('o', "overwrite it", Answer::Overwrite(id, shown_path)).choice(
                'n',
                "neither",
                Answer::Dismiss,
            );
            if own && let Some(buffer) = cx.state.buffers.get_mut(id) {
                buffer.disk = Disk::Changed;
            }
            cx.state.push_overlay(Overlay::Dialog(dialog));
        }
        Err(EnvError::Denied(path)) => {
            let shown = cx.state.shown(&path);
            cx.state.fail(format!(
                "not saved: {shown} may not be written; save under another name (file.save-as)"
            ));
        }
        Err(error) => cx.state.fail(format!("not saved: {error}")),
    }
    cx.state.damage.all();
}

fn after_save(cx: &mut Cx<'_>, id: BufferId, name: &str, then: AfterSave) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let unsaved = buffer.is_unsaved();
    if std::mem::take(&mut buffer.save_again) && unsaved {
        return cx.effects.push(Effect::SaveAgain(id, then));
    }
    match then {
        AfterSave::Close if unsaved => {
            cx.state.say(format!("{name} was changed while it was saved; it stays open"));
        }
        AfterSave::Close => cx.state.close_buffer(id),
        AfterSave::Quit if cx.state.buffers.unsaved().next().is_none() => quit::leave(cx),
        AfterSave::Stay | AfterSave::Quit => {}
    }
}

/// Reads the nearest unfolded folder around a file again: folders may have been made on the way.
fn refresh_folder(cx: &mut Cx<'_>, file: &Path) {
    let open = |folder: &&Path| cx.state.files.open_folders().any(|open| open == *folder);
    let folder = file.ancestors().skip(1).find(open).map(PathBuf::from);
    cx.effects.extend(folder.map(Effect::List));
}

/// Reads every unfolded folder again: a command may have made or removed anything.
pub fn refresh_tree(cx: &mut Cx<'_>) {
    let folders: Vec<PathBuf> = cx.state.files.open_folders().map(PathBuf::from).collect();
    cx.effects.extend(folders.into_iter().map(Effect::List));
}

/// The agent's environment asks.
pub fn buffer(cx: &mut Cx<'_>, request: BufferRequest) {
    match request {
        BufferRequest::Snapshot { path, reply } => {
            // Of a file that is still being read the disk knows more.
            let open = cx.state.buffers.by_path(&path).filter(|buffer| buffer.reading.is_none());
            let snapshot = open.map(|buffer| BufferSnapshot {
                id: buffer.id,
                text: buffer.area.text().clone(),
                format: buffer.area.document.format(),
                version: buffer.area.document.version(),
                read_only: buffer.read_only(),
                stamp: buffer.stamp.clone(),
            });
            // Nobody waits any more when the call was interrupted.
            reply.send(snapshot).ok();
        }
        BufferRequest::Edit { id, version, changes, format, reply } => {
            let name = agents_edit(cx.state.agent.run, version);
            let now_ms = cx.now_ms;
            let buffer = cx.state.buffers.get_mut(id).filter(|b| b.area.document.version() == version);
            let edited = buffer.map(|buffer| agent_edit(buffer, (changes, format), name, now_ms));
            // The call was interrupted: nothing more is written, so the edit does not stay either.
            if let Err(Some(edit)) = reply.send(edited) {
                take_back(cx, id, &edit);
            }
            cx.state.damage.all();
        }
        BufferRequest::Written { id, edit, stamp: Some(stamp) } => agent_wrote(cx, id, &edit, stamp),
        BufferRequest::Written { id, edit, stamp: None } => take_back(cx, id, &edit),
        BufferRequest::Touched(path) => {
            refresh_folder(cx, &path);
            files::editorconfig::written(cx, &path);
        }
        BufferRequest::Unsaved(reply) => {
            let unsaved = |buffer: &&Buffer| buffer.is_unsaved() && buffer.reading.is_none();
            let text = |buffer: &Buffer| Some((buffer.real.clone()?, buffer.area.text().clone()));
            let texts = cx.state.buffers.all().iter().filter(unsaved).filter_map(text);
            if reply.send(texts.collect()).is_err() {
                tracing::debug!("the search of the open files was cancelled");
            }
        }
        BufferRequest::Open(reply) => {
            let open = cx.state.buffers.all().iter().filter_map(|buffer| buffer.real.clone());
            if reply.send(open.collect()).is_err() {
                tracing::debug!("who asked for the open files has gone");
            }
        }
    }
}

/// Makes an edit of the agent in an open file.
fn agent_edit(
    buffer: &mut Buffer,
    (changes, format): (ChangeSet, Format),
    name: String,
    now_ms: u64,
) -> AgentEdit {
    buffer.saved_along = buffer.is_unsaved();
    let formats = Formats { before: buffer.area.document.format(), after: format };
    let is_edit = !changes.is_identity();
    // What is typed next must not join the revision that is written.
    buffer.area.document.seal();
    if is_edit {
        let edit = Transaction::new(changes).by(Author::Agent(name.clone())).format(format);
        buffer.area.apply_foreign(edit, now_ms);
    } else {
        buffer.area.document.set_format(format);
    }
    let document = &buffer.area.document;
    let (version, revision) = (document.version(), document.history().current());
    AgentEdit { version, revision, name: is_edit.then_some(name), formats }
}

/// An edit of the agent is on disk.
fn agent_wrote(cx: &mut Cx<'_>, id: BufferId, edit: &AgentEdit, stamp: Stamp) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    (buffer.stamp, buffer.disk) = (Some(stamp), Disk::Same);
    buffer.area.document.mark_saved_at(edit.revision);
    if std::mem::take(&mut buffer.saved_along) {
        let name = buffer.name();
        cx.state.say(format!("{name}: your unsaved changes were saved with the agent's edit"));
    }
    cx.state.damage.all();
}

/// An edit of the agent could not be written: it is undone, and nothing else is.
fn take_back(cx: &mut Cx<'_>, id: BufferId, edit: &AgentEdit) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.saved_along = false;
    let document = &mut buffer.area.document;
    cx.state.damage.all();
    let Some(name) = &edit.name else {
        if document.format() == edit.formats.after {
            document.set_format(edit.formats.before);
        }
        return;
    };
    if document.history().current() == edit.revision {
        buffer.area.undo();
        return;
    }
    // The user has typed since, or has undone it already.
    match document.without(name) {
        Some(Ok(without)) => {
            buffer.area.apply_foreign(without.format(edit.formats.before), now_ms);
        }
        Some(Err(_)) => cx.state.fail("the agent's edit could not be written; it is in the text, unsaved"),
        None => {}
    }
}
