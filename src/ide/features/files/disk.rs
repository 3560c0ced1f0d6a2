//! Changes to open files by other processes: changed, deleted, restored. The file is read again, compared, or
//! left unchanged.

use std::path::{Path, PathBuf};

use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, TaskError, answer_or_error};
use crate::ide::core::feature::{self, DiskChange, FeatureEvent};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::features::files::watch;
use crate::ide::features::files::watch::FILE_WATCH;
use crate::ide::model::buffers::{Buffer, BufferId, DiskState};
use crate::patch::diff::{self as lines, LineDiff};
use crate::text::changes::ChangeSet;
use crate::text::diff;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format};
use crate::text::rope::Text;
use crate::text::transaction::{Author, Transaction};

/// A file that was read again, compared with the buffer's text at a version.
pub struct ReloadResult {
    /// The buffer.
    pub buffer: BufferId,
    /// The version it was compared with.
    pub version: u64,
    /// Whether the user requested it.
    pub forced: bool,
    /// The requested encoding.
    pub encoding: Option<Encoding>,
    /// The changes to apply, the file's format and state; `Ok(None)` if it no longer exists.
    pub result: Result<Option<(ChangeSet, Format, Stamp)>, EnvError>,
}

/// Runs after every event: the set of open files may have changed.
pub fn update_watches(cx: &mut Cx<'_>) {
    if let Some(files) = cx.state.slots[FILE_WATCH].take_new_files(cx.state.buffers.all()) {
        watch_files(cx, files);
    }
    look_up_details(cx);
}

/// Requests data about newly opened files that no frame had to wait for.
fn look_up_details(cx: &mut Cx<'_>) {
    let mut new = Vec::new();
    let is_whole = |buffer: &&mut Buffer| buffer.path.is_some() && buffer.loading.is_none();
    for buffer in cx.state.buffers.all_mut().iter_mut().filter(is_whole) {
        if !std::mem::replace(&mut buffer.looked_up, true) {
            new.push(buffer.id);
        }
    }
    for id in new {
        feature::notify(cx, FeatureEvent::Opened(id));
    }
}

/// Checks the files that were touched, once they are quiet.
pub fn tick(cx: &mut Cx<'_>) {
    let Some(touched) = cx.state.slots[FILE_WATCH].take_due(cx.now) else { return };
    // A folder on their path may have been replaced.
    let watched = cx.state.slots[FILE_WATCH].files().to_vec();
    watch_files(cx, watched);
    let is_touched = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| touched.files.contains(path));
    let (now, mut later) = (cx.now, false);
    let mut files = Vec::new();
    for buffer in cx.state.buffers.all() {
        if is_touched(&buffer.path) || is_touched(&buffer.real) {
            // Our own writing touches the file too; it is compared when that is done.
            later |= buffer.is_saving;
            files.extend(known_state(buffer));
        }
    }
    if later {
        cx.state.slots[FILE_WATCH].note_change(now);
    }
    check_files(cx, files);
}

/// Subscribes to changes of these files by other processes.
fn watch_files(cx: &mut Cx<'_>, files: Vec<PathBuf>) {
    let tasks = cx.tasks.clone();
    let wake =
        move || tasks.post_blocking("files.touch", |cx| cx.state.slots[FILE_WATCH].note_change(cx.now));
    let work = watch::watch_job(&cx.state.slots[FILE_WATCH], wake, files);
    cx.tasks.spawn_blocking("files.watch", work, |cx, is_new| {
        // Changes between reading a file and watching it were not reported.
        if answer_or_error(cx, "watch open files", is_new) == Some(true) {
            check_disk(cx);
        }
    });
}

/// Checks whether open files changed on disk: after commands, and when the window gets the focus.
pub fn check_disk(cx: &mut Cx<'_>) {
    feature::notify(cx, FeatureEvent::FilesMayHaveChanged);
    let files: Vec<_> = cx.state.buffers.all().iter().filter_map(known_state).collect();
    check_files(cx, files);
}

/// Compares files with their known states.
fn check_files(cx: &mut Cx<'_>, files: Vec<(BufferId, PathBuf, Stamp)>) {
    for (buffer, path, known) in files {
        let (env, seen) = (cx.env.clone(), cx.state.slots[FILE_WATCH].seen_version(&path));
        let file = path.clone();
        let work = async move { stamp_of(&*env, &file, seen).await };
        cx.tasks.spawn("files.check", work, move |cx, now| {
            let Some(now) = answer_or_error(cx, "look at an open file", now) else { return };
            // Renamed meanwhile: the answer is about another file.
            if cx.state.buffers.get_mut(buffer).is_none_or(|open| open.path.as_ref() != Some(&path)) {
                return;
            }
            let disk = match &now {
                Ok((_, stamp)) if *stamp == known => DiskState::Same,
                Ok(_) => DiskState::Changed,
                Err(EnvError::NotFound(_)) => DiskState::Deleted,
                Err(EnvError::IsFolder(_)) => DiskState::Folder,
                Err(_) => DiskState::Unreadable,
            };
            let now = now.ok().map(|(version, stamp)| {
                if let Some(version) = version {
                    cx.state.slots[FILE_WATCH].note_seen(path, version, stamp.clone());
                }
                stamp
            });
            on_checked(cx, buffer, (&known, now), disk);
        });
    }
}

/// Returns the state of a file, and the system's version of it. A file that was not written since it was
/// `seen` is not read.
async fn stamp_of(
    env: &dyn Environment,
    path: &Path,
    seen: Option<(u64, Stamp)>,
) -> Result<(Option<u64>, Stamp), EnvError> {
    let version = env.stat(path).await?.version;
    if let Some((before, stamp)) = seen
        && Some(before) == version
    {
        return Ok((version, stamp));
    }
    Ok((version, env.read_pieces(path, Box::new(|_| true)).await?))
}

/// Returns what a file is compared with.
fn known_state(buffer: &Buffer) -> Option<(BufferId, PathBuf, Stamp)> {
    let path = buffer.path.clone().filter(|_| !buffer.is_saving && buffer.loading.is_none())?;
    Some((buffer.id, path, buffer.stamp.clone().unwrap_or_else(Stamp::missing)))
}

/// Handles the result of a check: the state `known` and the state `now`.
fn on_checked(cx: &mut Cx<'_>, id: BufferId, (known, now): (&Stamp, Option<Stamp>), disk: DiskState) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let expected = buffer.stamp.clone().unwrap_or_else(Stamp::missing);
    // Saved or edited by the agent in the meantime: the comparison is outdated.
    if expected != *known || buffer.is_saving {
        return;
    }
    let name = buffer.name();
    let change = match disk {
        DiskState::Changed => Some(DiskChange::Changed),
        DiskState::Deleted if buffer.stamp.is_some() => Some(DiskChange::Deleted),
        _ => None,
    };
    let changed = buffer.path.clone().zip(change);
    match disk {
        // Nothing is replaced or asked before the texts are compared.
        DiskState::Changed if buffer.disk != DiskState::Changed || buffer.asked_stamp != now => {
            reload(cx, id, false);
        }
        DiskState::Deleted if buffer.stamp.is_some() => {
            mark_lost(buffer, disk);
            cx.state.set_error(format!("Deleted on disk: {name}. Saving creates it again"));
        }
        DiskState::Folder if buffer.disk != disk => {
            mark_lost(buffer, disk);
            cx.state.set_error(format!("Now a folder on disk: {name}. Its text stays open, unsaved"));
        }
        DiskState::Unreadable if buffer.disk != disk => {
            buffer.disk = disk;
            cx.state.set_error(format!("No permission to read {name}; its text stays open"));
        }
        DiskState::Same if buffer.disk != disk => buffer.disk = disk,
        _ => return,
    }
    if let Some((path, change)) = changed {
        feature::notify_disk_change(cx, &path, change);
    }
    cx.state.damage.add_all();
}

/// Records that the file no longer exists: the buffer holds the only copy of the text.
fn mark_lost(buffer: &mut Buffer, disk: DiskState) {
    buffer.deleted_at_version =
        Some(buffer.area.document.version()).filter(|_| !buffer.area.document.is_modified());
    buffer.area.document.mark_unsaved();
    (buffer.stamp, buffer.disk) = (None, disk);
}

/// Records that text and file are equal: earlier findings no longer count.
pub fn mark_in_sync(buffer: &mut Buffer) {
    (buffer.asked_stamp, buffer.deleted_at_version) = (None, None);
}

/// Reads a file again. With `forced` the file's text replaces the buffer's in any case.
pub fn reload(cx: &mut Cx<'_>, id: BufferId, forced: bool) {
    reload_with_encoding(cx, id, forced, None);
}

/// Does the same with an encoding chosen by the user.
pub fn reload_with_encoding(cx: &mut Cx<'_>, id: BufferId, forced: bool, encoding: Option<Encoding>) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(path) = buffer.path.clone() else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let current = buffer.area.document.format().encoding;
    let (env, file) = (cx.env.clone(), path.clone());
    let work = async move { read_change(&*env, &file, text, encoding, current).await };
    cx.tasks.spawn("files.reread", work, move |cx, result| {
        let result =
            result.unwrap_or_else(|TaskError::Panicked(message)| Err(EnvError::internal(&path, message)));
        on_reloaded(cx, ReloadResult { buffer: id, version, forced, encoding, result });
    });
}

/// Returns the changes from `text` to the file's text. Comparing large texts takes time, so it runs on its
/// own thread.
async fn read_change(
    env: &dyn Environment,
    path: &Path,
    text: Text,
    encoding: Option<Encoding>,
    current: Encoding,
) -> Result<Option<(ChangeSet, Format, Stamp)>, EnvError> {
    let data = match env.read(path).await {
        Ok(data) => data,
        Err(EnvError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let compared = tokio::task::spawn_blocking(move || {
        let decoded = match encoding {
            Some(encoding) => format::decode_as(&data.bytes, encoding).ok_or(encoding),
            None => Ok(format::decode_like(&data.bytes, current)),
        };
        decoded.map(|(new, format)| (diff::change(&text.to_string(), &new), format, data.stamp))
    });
    let wrong = |encoding: Encoding| {
        let reason = format!("not {}: its bytes would not stay the same", encoding.name());
        EnvError::unencodable(path, std::io::Error::other(reason))
    };
    compared.await.map_err(|_| EnvError::Cancelled)?.map(Some).map_err(wrong)
}

/// Handles a file that was read again. If no edit of the user conflicts, or the user requested it, its text
/// becomes one undoable edit and its format the buffer's; otherwise the user is asked.
pub fn on_reloaded(cx: &mut Cx<'_>, read: ReloadResult) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(read.buffer) else { return };
    let name = buffer.name();
    let (changes, format, stamp) = match read.result {
        Ok(Some(new)) => new,
        Ok(None) => return cx.state.set_error(format!("Deleted on disk: {name}")),
        Err(error) => return cx.state.set_error(format!("Cannot reload {name}: {error}")),
    };
    let document = &buffer.area.document;
    let (version, modified) = (document.version(), document.is_modified());
    if !read.forced && buffer.stamp.as_ref() == Some(&stamp) {
        // It had changed only for a moment, or was read twice.
        buffer.disk = DiskState::Same;
        return cx.state.damage.add_all();
    }
    if version != read.version {
        if !read.forced {
            buffer.disk = DiskState::Changed;
            cx.state.set_error(changed_on_disk_message(cx.state, &name));
            cx.state.damage.add_all();
        }
        return reload_with_encoding(cx, read.buffer, read.forced, read.encoding);
    }
    let is_same = changes.is_identity() && format == document.format();
    if modified && !is_same && !read.forced && buffer.deleted_at_version != Some(version) {
        return ask_about_change(cx, read.buffer, stamp);
    }
    if !is_same {
        let edit = Transaction::new(changes).with_author(Author::External).format(format);
        buffer.area.apply_external(edit, now_ms);
    }
    buffer.area.document.mark_saved();
    (buffer.stamp, buffer.disk) = (Some(stamp), DiskState::Same);
    mark_in_sync(buffer);
    close_dialog(cx, read.buffer);
    if !is_same {
        cx.state.set_status(format!("Reloaded {name}. Undo restores the old text"));
    } else if read.forced {
        cx.state.set_status(format!("Unchanged on disk: {name}"));
    }
    cx.state.damage.add_all();
}

fn changed_on_disk_message(state: &State, name: &str) -> String {
    format!("Changed on disk: {name}. Reload: {}", state.how_to("file.reload"))
}

/// Asks what to do with a text that was edited both here and by another process, once for each state of the
/// file.
fn ask_about_change(cx: &mut Cx<'_>, id: BufferId, stamp: Stamp) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.disk = DiskState::Changed;
    let known = buffer.asked_stamp.replace(stamp.clone()) == Some(stamp);
    let (name, path) = (buffer.name(), buffer.path.clone().unwrap_or_default());
    cx.state.damage.add_all();
    if known {
        return;
    }
    cx.state.set_error(changed_on_disk_message(cx.state, &name));
    close_dialog(cx, id);
    let message =
        format!("Another process changed {}, which has unsaved changes.", cx.state.display_path(&path));
    let dialog = Dialog::ask("Changed on disk", vec![message])
        .uninvited(CHANGED_ON_DISK, id.0.into())
        .choice('r', "Reload (undo keeps yours)", move |cx| reload(cx, id, true))
        .choice('d', "Compare", move |cx| compare(cx, id))
        .choice('k', "Keep yours", move |cx| keep_buffer_text(cx, id));
    // Below everything else, so that the user's current layer keeps the keys.
    cx.state.layers.push_below(dialog);
}

/// Kind of the dialog about a file that another process has changed.
const CHANGED_ON_DISK: &str = "changed-on-disk";

/// Closes the dialog about a file, if there is one.
pub fn close_dialog(cx: &mut Cx<'_>, id: BufferId) {
    cx.state.layers.close_where::<Dialog>(|dialog| dialog.number_of(CHANGED_ON_DISK) == Some(id.0.into()));
}

/// Keeps the user's text: saving overwrites what is on disk now.
fn keep_buffer_text(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(stamp) = buffer.asked_stamp.take() else { return };
    (buffer.stamp, buffer.disk) = (Some(stamp), DiskState::Same);
    buffer.area.document.mark_unsaved();
    let name = buffer.name();
    cx.state.set_status(format!("Kept your {name}. Saving overwrites the file"));
    cx.state.damage.add_all();
}

/// Compares a text with its file, and shows the differences.
pub fn compare(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(path) = buffer.path.clone() else { return };
    let (text, encoding) = (buffer.area.text().clone(), buffer.area.document.format().encoding);
    let env = cx.env.clone();
    let work = async move { read_difference(&*env, &path, text, encoding).await };
    cx.tasks.spawn("files.compare", work, move |cx, difference| {
        match answer_or_error(cx, "compare with the disk", difference) {
            Some(Ok((difference, stamp))) => show_difference(cx, id, &difference, stamp),
            Some(Err(error)) => cx.state.set_error(format!("Cannot compare with disk: {error}")),
            None => {}
        }
    });
}

/// Returns the line diff of a text and its file.
async fn read_difference(
    env: &dyn Environment,
    path: &Path,
    text: Text,
    encoding: Encoding,
) -> Result<(LineDiff, Stamp), EnvError> {
    let data = env.read(path).await?;
    let compared = tokio::task::spawn_blocking(move || {
        let (disk, _) = format::decode_like(&data.bytes, encoding);
        (lines::lines(&disk, &text.to_string()), data.stamp)
    });
    compared.await.map_err(|_| EnvError::Cancelled)
}

/// Shows the diff, with the possible answers.
fn show_difference(cx: &mut Cx<'_>, id: BufferId, difference: &LineDiff, stamp: Stamp) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let name = buffer.name();
    if difference.rows.is_empty() {
        return cx.state.set_status(format!("Unchanged on disk: {name}"));
    }
    let moved_on = buffer.stamp.as_ref() != Some(&stamp);
    buffer.asked_stamp = Some(stamp);
    let title = format!("{name}: −{} on disk, +{} here", difference.removed, difference.added);
    let mut dialog = Dialog::difference(title, difference_rows(difference)).choice(
        'r',
        "Reload (undo keeps yours)",
        move |cx| reload(cx, id, true),
    );
    if moved_on {
        dialog = dialog.choice('k', "Keep yours", move |cx| keep_buffer_text(cx, id));
    }
    cx.state.push_layer(dialog.close('\n', "Close"));
}

/// Returns the lines of a diff, each with its sign first.
fn difference_rows(difference: &LineDiff) -> Vec<String> {
    let widest = difference.rows.iter().flatten().map(|row| row.number).max().unwrap_or(1);
    let digits = widest.max(100).ilog10() as usize + 1;
    let line = |row: &Option<crate::patch::diff::Row>| match row {
        Some(row) => format!("{} {:>digits$} {}", row.sign, row.number, row.text.replace('\t', "    ")),
        None => format!("  {:>digits$}", "⋮"),
    };
    difference.rows.iter().map(line).collect()
}
