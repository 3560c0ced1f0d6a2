//! Saves open files: computes the changes to apply before, writes the text, and reports the result. A file
//! that another process has changed since it was read is not overwritten without the user's consent.

use std::path::{Path, PathBuf};

use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::feature::{self, DiskChange, FeatureEvent, SaveStep};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::quit;
use crate::ide::features::files::closed;
use crate::ide::features::files::events::refresh_folder;
use crate::ide::features::files::{disk, editorconfig};
use crate::ide::model::buffers::{BufferId, DiskState};
use crate::text::changes::ChangeSet;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format};
use crate::text::file_format::tidy::Tidy;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::transaction::{Author, Transaction};
use crate::text::undo::history::RevisionId;

/// Number of attempts to clean up a text before saving it unchanged, if it is edited faster than it is
/// processed.
const TRIES_MAX: u8 = 3;

/// What follows a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterSave {
    /// Nothing.
    Stay,
    /// Nothing, and no message: the file is saved together with others. Its text is written as it is: the undo of all of them
    /// knows no other change.
    Quiet,
    /// Close the file.
    Close,
    /// Quit, once nothing is unsaved.
    Quit,
}

/// What to write, and what to overwrite.
struct SaveRequest {
    buffer: BufferId,
    path: PathBuf,
    text: Text,
    format: Format,
    /// The revision of its undo tree.
    revision: RevisionId,
    /// The state that the file must be in; `None` for any.
    expected: Option<Stamp>,
    then: AfterSave,
}

/// A file that was written, or could not be.
pub struct SaveResult {
    /// The buffer.
    pub buffer: BufferId,
    /// The target path.
    pub path: PathBuf,
    /// The same with all links resolved.
    pub real: PathBuf,
    /// The revision of its undo tree that was written.
    pub revision: RevisionId,
    /// The format in which it was written.
    pub format: Format,
    /// Whether there was no such file before.
    pub is_created: bool,
    /// The file's new state.
    pub result: Result<Stamp, EnvError>,
    /// What follows the save.
    pub then: AfterSave,
}

/// Writes a file to a path, which is the buffer's own once that is done.
pub fn save_to(cx: &mut Cx<'_>, id: BufferId, path: PathBuf, then: AfterSave, over: bool) {
    let Some(format) = cx.state.buffers.get_mut(id).map(|buffer| buffer.area.document.format()) else {
        return;
    };
    write(cx, id, path, (then, over), format);
}

/// Saves a file in another encoding, which becomes the buffer's once that is done. A text that cannot be
/// encoded keeps its encoding.
pub fn save_in(cx: &mut Cx<'_>, id: BufferId, encoding: Encoding) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let was = buffer.area.document.format();
    // Most programs cannot detect UTF-16 without a byte order mark.
    let bom = if encoding.is_utf16() {
        true
    } else {
        encoding == Encoding::UTF8 && was.encoding == encoding && was.bom
    };
    let format = Format { encoding, bom, lossless: false, ..was };
    let Some(path) = buffer.path.clone() else {
        buffer.area.document.set_format(format);
        cx.state.set_status(format!("Encoding for saving: {}", encoding.name()));
        return;
    };
    if buffer.is_saving {
        return cx.state.set_error("File is being saved; try again");
    }
    write(cx, id, path, (AfterSave::Stay, false), format);
}

fn write(cx: &mut Cx<'_>, id: BufferId, path: PathBuf, (then, over): (AfterSave, bool), format: Format) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if let Some(reason) = buffer.read_only() {
        cx.state.set_error(format!("Not saved: {reason}"));
        return;
    }
    if buffer.is_saving {
        buffer.is_save_requested = true;
        return;
    }
    buffer.is_saving = true;
    let rest = move |cx: &mut Cx<'_>| write_prepared(cx, id, path, (then, over), format);
    let mut rest: Option<SaveStep> = Some(Box::new(rest));
    let asked = if then == AfterSave::Quiet { &[][..] } else { cx.state.catalog.features };
    for feature in asked {
        rest = rest.and_then(|rest| (feature.before_save)(cx, id, rest));
    }
    if let Some(rest) = rest {
        rest(cx);
    }
}

/// Writes a text that is ready to be saved.
fn write_prepared(
    cx: &mut Cx<'_>,
    id: BufferId,
    path: PathBuf,
    (then, over): (AfterSave, bool),
    format: Format,
) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    // What is typed while the file is written must not join what is written.
    buffer.area.document.seal();
    let own = buffer.path.as_ref() == Some(&path);
    let known = buffer.stamp.clone().filter(|_| own);
    let document = &buffer.area.document;
    let save = SaveRequest {
        buffer: id,
        path,
        text: document.text().clone(),
        format,
        revision: document.history().current(),
        // A file that was never read must not exist yet.
        expected: (!over).then(|| known.unwrap_or_else(Stamp::missing)),
        then,
    };
    let version = document.version();
    let tidy_rules = editorconfig::tidy(buffer.rules);
    if tidy_rules.is_nothing() || then == AfterSave::Quiet {
        write_text(cx, save);
    } else {
        tidy(cx, save, tidy_rules, (version, 1));
    }
}

/// Computes the changes to apply to a text before it is saved, in attempt `tries`, for its current version.
fn tidy(cx: &mut Cx<'_>, save: SaveRequest, tidy: Tidy, (version, tries): (u64, u8)) {
    let (text, ending) = (save.text.clone(), save.format.ending);
    let work = move || tidy.change(&text, ending);
    cx.tasks.spawn_blocking("files.tidy", work, move |cx, changes| match changes {
        Ok(changes) => on_tidied(cx, save, (version, tries), changes),
        Err(error) => on_save_failed(cx, save, error),
    });
}

/// Handles the changes computed before a save: they become one undo step, and the new text is saved.
fn on_tidied(cx: &mut Cx<'_>, mut save: SaveRequest, (version, tries): (u64, u8), changes: ChangeSet) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(save.buffer) else { return };
    let tidy_rules = editorconfig::tidy(buffer.rules);
    let now = buffer.area.document.version();
    if now == version {
        if !changes.is_identity() {
            let format = buffer.area.document.format();
            let format = Format { ending: tidy_rules.ending.unwrap_or(format.ending), ..format };
            let edit = Transaction::new(changes).with_author(Author::Formatter).format(format);
            buffer.area.apply_external(edit, now_ms);
            cx.state.damage.add_all();
        }
        save.format.ending = tidy_rules.ending.unwrap_or(save.format.ending);
    }
    let Some(buffer) = cx.state.buffers.get_mut(save.buffer) else { return };
    let document = &mut buffer.area.document;
    // What is typed while the file is written must not join what is written.
    document.seal();
    (save.text, save.revision) = (document.text().clone(), document.history().current());
    if now == version || tries >= TRIES_MAX {
        write_text(cx, save);
    } else {
        tidy(cx, save, tidy_rules, (now, tries + 1));
    }
}

/// Writes a text.
fn write_text(cx: &mut Cx<'_>, save: SaveRequest) {
    let env = cx.env.clone();
    let SaveRequest { buffer, path, text, format, revision, expected, then } = save;
    let (to, is_created) = (path.clone(), expected == Some(Stamp::missing()));
    let work = async move {
        let result = write_file(&*env, &to, (text, format), expected).await;
        (env.resolve(&to).await.unwrap_or(to), result)
    };
    cx.tasks.spawn("files.save", work, move |cx, written| {
        let (real, result) = written.unwrap_or_else(|error| (path.clone(), Err(internal(&path, error))));
        on_saved(cx, SaveResult { buffer, path, real, revision, format, is_created, result, then });
    });
}

async fn write_file(
    env: &dyn Environment,
    path: &Path,
    (text, format): (Text, Format),
    expected: Option<Stamp>,
) -> Result<Stamp, EnvError> {
    let encoded = tokio::task::spawn_blocking(move || format::encode(text.chunks_from(Byte(0)), format));
    match encoded.await {
        Ok(Ok(bytes)) => env.write(path, bytes, expected).await,
        Ok(Err(unfit)) => Err(EnvError::unencodable(path, unfit)),
        Err(_) => Err(EnvError::Cancelled),
    }
}

/// Handles a save without a result: the text stays unsaved, and can be saved again.
fn on_save_failed(cx: &mut Cx<'_>, save: SaveRequest, error: TaskError) {
    let SaveRequest { buffer, path, format, revision, then, .. } = save;
    let result = Err(internal(&path, error));
    let real = path.clone();
    on_saved(cx, SaveResult { buffer, path, real, revision, format, is_created: false, result, then });
}

fn internal(path: &Path, TaskError::Panicked(message): TaskError) -> EnvError {
    EnvError::internal(path, message)
}

/// A file was written, or could not be.
pub fn on_saved(cx: &mut Cx<'_>, saved: SaveResult) {
    let Some(buffer) = cx.state.buffers.get_mut(saved.buffer) else { return };
    buffer.is_saving = false;
    let shown_path = saved.path.clone();
    match saved.result {
        Ok(stamp) => {
            let is_renamed = buffer.path.as_ref() != Some(&saved.path);
            let is_created = saved.is_created;
            buffer.path = Some(saved.path);
            buffer.real = Some(saved.real);
            buffer.stamp = Some(stamp);
            buffer.disk = DiskState::Same;
            disk::mark_in_sync(buffer);
            buffer.area.document.set_format(saved.format);
            buffer.area.document.mark_saved_at(saved.revision);
            buffer.area.per_view.hunks.invalidate();
            let name = buffer.name();
            if saved.then != AfterSave::Quiet {
                cx.state.set_status(format!("Saved {name}"));
            }
            disk::close_dialog(cx, saved.buffer);
            refresh_folder(cx, &shown_path);
            editorconfig::on_written(cx, &shown_path);
            let change = if is_created { DiskChange::Created } else { DiskChange::Changed };
            feature::notify_disk_change(cx, &shown_path, change);
            feature::notify(cx, FeatureEvent::Saved { buffer: saved.buffer, is_renamed, is_created });
            after_save(cx, saved.buffer, &name, saved.then);
        }
        Err(EnvError::Stale(_)) => {
            let id = saved.buffer;
            // If saved under a new name, the conflicting file is the one of that name.
            let own = buffer.path.as_ref() == Some(&saved.path);
            let shown = cx.state.display_path(&shown_path);
            let what =
                if own { "was changed by another process since it was read." } else { "exists already." };
            let dialog = Dialog::ask("Changed on disk", vec![format!("{shown} {what}")]);
            let dialog = if own {
                dialog.choice('r', "Reload (undo keeps yours)", move |cx| disk::reload(cx, id, true))
            } else {
                dialog
            };
            let overwrite = move |cx: &mut Cx<'_>| save_to(cx, id, shown_path, AfterSave::Stay, true);
            let dialog = dialog.choice('o', "Overwrite", overwrite).close('n', "Cancel");
            if own && let Some(buffer) = cx.state.buffers.get_mut(id) {
                buffer.disk = DiskState::Changed;
            }
            cx.state.push_layer(dialog);
        }
        Err(EnvError::Denied(path)) => {
            let shown = cx.state.display_path(&path);
            let other = cx.state.how_to("file.save-as");
            cx.state.set_error(format!("Not saved: no permission to write {shown}. Save file as: {other}"));
        }
        Err(error) => cx.state.set_error(format!("Not saved: {error}")),
    }
    cx.state.damage.add_all();
}

fn after_save(cx: &mut Cx<'_>, id: BufferId, name: &str, then: AfterSave) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let unsaved = buffer.is_unsaved();
    if std::mem::take(&mut buffer.is_save_requested)
        && unsaved
        && let Some(path) = buffer.path.clone()
    {
        // What was requested meanwhile is a save like any other.
        let then = if then == AfterSave::Quiet { AfterSave::Stay } else { then };
        return save_to(cx, id, path, then, false);
    }
    match then {
        AfterSave::Close if unsaved => {
            cx.state.set_status(format!("Edited while saving: {name} stays open"));
        }
        AfterSave::Close => {
            closed::note(cx.state, id);
            cx.state.close_buffer(id);
        }
        AfterSave::Quit if cx.state.buffers.unsaved().next().is_none() => quit::quit(cx),
        AfterSave::Stay | AfterSave::Quiet | AfterSave::Quit => {}
    }
}
