//! Requests of the agent's environment on open files: their texts, and edits of them. Must not access the
//! disk.

use std::path::{Path, PathBuf};

use tokio::sync::oneshot;

use crate::exec::Stamp;
use crate::ide::core::context::Cx;
use crate::ide::core::feature::{self, DiskChange};
use crate::ide::features::files::editorconfig;
use crate::ide::features::files::list::list;
use crate::ide::model::buffers::{Buffer, BufferId, DiskState};
use crate::text::anchors::marks::ReviewMark;
use crate::text::changes::ChangeSet;
use crate::text::file_format::format::Format;
use crate::text::rope::Text;
use crate::text::transaction::{Author, Transaction, agent_edit_name};
use crate::text::undo::history::{Formats, RevisionId};

/// Reads the nearest expanded folder around a file again, since folders may have been created on its path.
pub fn refresh_folder(cx: &mut Cx<'_>, file: &Path) {
    let open = |folder: &&Path| cx.state.files.open_folders().any(|open| open == *folder);
    let folder = file.ancestors().skip(1).find(open).map(PathBuf::from);
    if let Some(folder) = folder {
        list(cx, folder);
    }
}

/// Reads every expanded folder again, since a command may have created or removed anything.
pub fn refresh_tree(cx: &mut Cx<'_>) {
    let folders: Vec<PathBuf> = cx.state.files.open_folders().map(PathBuf::from).collect();
    for folder in folders {
        list(cx, folder);
    }
}

/// Result of an edit of the agent in an open file.
#[derive(Debug, Clone)]
pub struct AgentEdit {
    /// Version of the text after it.
    pub version: u64,
    /// The revision of that text.
    pub revision: RevisionId,
    /// Name of the edit in the undo tree; `None` if it changed nothing in the text.
    pub name: Option<String>,
    /// Format of the file before and after it.
    pub formats: Formats,
}

/// An open file as the agent sees it.
#[derive(Debug, Clone)]
pub struct BufferSnapshot {
    /// The buffer.
    pub id: BufferId,
    /// Its text.
    pub text: Text,
    /// Its format.
    pub format: Format,
    /// Its version.
    pub version: u64,
    /// Why it is read-only, if it is.
    pub read_only: Option<&'static str>,
    /// State of its file when last read or written.
    pub stamp: Option<Stamp>,
}

/// The open file at a path, links followed.
pub fn snapshot(cx: &mut Cx<'_>, path: &Path) -> Option<BufferSnapshot> {
    // While a file is still being read, the disk has more of it.
    let open = cx.state.buffers.by_path(path).filter(|buffer| buffer.loading.is_none());
    open.map(|buffer| BufferSnapshot {
        id: buffer.id,
        text: buffer.area.text().clone(),
        format: buffer.area.document.format(),
        version: buffer.area.document.version(),
        read_only: buffer.read_only(),
        stamp: buffer.stamp.clone(),
    })
}

/// Applies an edit of the agent to an open file that still has this version, and sends the result.
pub fn edit(
    cx: &mut Cx<'_>,
    (id, version): (BufferId, u64),
    change: (ChangeSet, Format),
    reply: oneshot::Sender<Option<AgentEdit>>,
) {
    let name = agent_edit_name(cx.state.agent.run, version);
    let now_ms = cx.now_ms;
    let buffer = cx.state.buffers.get_mut(id).filter(|b| b.area.document.version() == version);
    let edited = buffer.map(|buffer| agent_edit(buffer, change, name, now_ms));
    // If the call was interrupted nothing more is written, so the edit is undone too.
    if let Err(Some(edit)) = reply.send(edited) {
        undo_agent_edit(cx, id, &edit);
    }
    cx.state.damage.add_all();
}

/// Handles an edit of the agent that was written, or (`None`) could not be written and is undone.
pub fn finish_agent_edit(cx: &mut Cx<'_>, id: BufferId, edit: &AgentEdit, stamp: Option<Stamp>) {
    match stamp {
        Some(stamp) => record_agent_write(cx, id, edit, stamp),
        None => undo_agent_edit(cx, id, edit),
    }
}

/// The agent wrote or removed a file; one that is open only if it was removed.
pub fn on_agent_change(cx: &mut Cx<'_>, path: &Path, change: DiskChange) {
    refresh_folder(cx, path);
    editorconfig::on_written(cx, path);
    feature::notify_disk_change(cx, path, change);
}

/// The texts of open files that are not saved, by the files' paths with links followed.
pub fn unsaved_texts(cx: &mut Cx<'_>) -> Vec<(PathBuf, Text)> {
    let unsaved = |buffer: &&Buffer| buffer.is_unsaved() && buffer.loading.is_none();
    let text = |buffer: &Buffer| Some((buffer.real.clone()?, buffer.area.text().clone()));
    cx.state.buffers.all().iter().filter(unsaved).filter_map(text).collect()
}

/// Which files are open, links followed.
pub fn open_paths(cx: &mut Cx<'_>) -> Vec<PathBuf> {
    cx.state.buffers.all().iter().filter_map(|buffer| buffer.real.clone()).collect()
}

/// Applies an edit of the agent to an open file.
fn agent_edit(
    buffer: &mut Buffer,
    (changes, format): (ChangeSet, Format),
    name: String,
    now_ms: u64,
) -> AgentEdit {
    buffer.saved_along = buffer.is_unsaved();
    let formats = Formats { before: buffer.area.document.format(), after: format };
    let is_edit = !changes.is_identity();
    // Text typed next must not join the revision that is written.
    buffer.area.document.seal();
    if is_edit {
        let edit = Transaction::new(changes).with_author(Author::Agent(name.clone())).format(format);
        buffer.area.apply_external(edit, now_ms);
    } else {
        buffer.area.document.set_format(format);
    }
    let document = &buffer.area.document;
    let (version, revision) = (document.version(), document.history().current());
    AgentEdit { version, revision, name: is_edit.then_some(name), formats }
}

/// An edit of the agent is on disk.
fn record_agent_write(cx: &mut Cx<'_>, id: BufferId, edit: &AgentEdit, stamp: Stamp) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let change = if buffer.stamp.is_none() { DiskChange::Created } else { DiskChange::Changed };
    (buffer.stamp, buffer.disk) = (Some(stamp), DiskState::Same);
    let path = buffer.path.clone();
    buffer.area.document.mark_saved_at(edit.revision);
    if cx.state.agent.working_since.is_none()
        && let Some(name) = &edit.name
    {
        unmark_restored(buffer, name);
    }
    if std::mem::take(&mut buffer.saved_along) {
        let name = buffer.name();
        cx.state.set_status(format!("Saved {name} with the agent's edit and your changes"));
    }
    if let Some(path) = path {
        feature::notify_disk_change(cx, &path, change);
    }
    cx.state.damage.add_all();
}

/// Removes the marks of an edit that was written while the agent did not work, and those of what it replaced: it is a
/// restore, which the user asked for.
fn unmark_restored(buffer: &mut Buffer, name: &str) {
    let (own, mut others): (Vec<ReviewMark>, Vec<ReviewMark>) =
        buffer.area.document.marks().all().iter().cloned().partition(|mark| mark.by == name);
    others.retain(|mark| {
        !own.iter().any(|own| mark.range.start <= own.range.end && own.range.start <= mark.range.end)
    });
    buffer.area.document.set_marks(others);
}

/// Undoes only an edit of the agent that could not be written.
fn undo_agent_edit(cx: &mut Cx<'_>, id: BufferId, edit: &AgentEdit) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.saved_along = false;
    let document = &mut buffer.area.document;
    cx.state.damage.add_all();
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
    // The user has typed since, or has already undone it.
    match document.revert_agent_edits(name) {
        Some(Ok(without)) => {
            buffer.area.apply_external(without.format(edit.formats.before), now_ms);
        }
        Some(Err(_)) => cx.state.set_error("Cannot write the agent's edit; it is in the text, unsaved"),
        None => {}
    }
}
