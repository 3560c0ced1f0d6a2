//! Applies an edited results list as one step over open and closed files, and undoes such a step. This is the
//! event loop's part: open texts are changed here; tasks read, compare and write files.

use crate::base::plural::pluralize;
use crate::exec::{EnvError, Stamp};
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::features::file_tree::git_status;
use crate::ide::features::file_tree::steps::{TREE_STEPS, TreeStep, Undoable};
use crate::ide::features::files::jobs::FILE_JOBS;
use crate::ide::features::files::moved;
use crate::ide::features::project_search::job::{ChangedFile, FilePlan, Plan, Target};
use crate::ide::features::project_search::navigate::open_texts;
use crate::ide::features::project_search::steps::REPLACEMENTS;
use crate::ide::features::project_search::steps::{AppliedStep, RunningStep};
use crate::ide::features::project_search::tasks;
use crate::ide::features::project_search::whole;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::transaction::Transaction;
use crate::text::undo::history::RevisionId;

/// Maximum number of steps that can be undone.
const STEPS_MAX: usize = 16;

/// Computes the changes of the list, then asks the user.
pub fn begin(cx: &mut Cx<'_>, list: BufferId) {
    if cx.state.slots[REPLACEMENTS].is_busy() {
        return cx.state.set_status("File changes are running already");
    }
    let open = open_texts(cx.state);
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let Some(results) = buffer.results_mut() else { return };
    if let Some(reason) = results.read_only() {
        return cx.state.set_error(reason);
    }
    results.is_comparing = true;
    let known = results.known.clone();
    buffer.area.document.seal();
    cx.state.slots[REPLACEMENTS].running = Some(RunningStep::default());
    cx.state.set_status("Comparing results with files …");
    tasks::plan_changes(cx, (list, version), text, known, open);
}

/// Handles the computed changes: asks the user. Undoing a step needs no confirmation.
pub fn on_planned(cx: &mut Cx<'_>, plan: Plan) {
    cx.state.set_status("");
    let Some((list, _)) = plan.list else { return apply_plan(cx, plan) };
    if let Some(results) = cx.state.buffers.get_mut(list).and_then(Buffer::results_mut) {
        results.is_comparing = false;
    }
    cx.state.slots[REPLACEMENTS].running = None;
    if plan.files.is_empty() {
        if plan.skipped.is_empty() {
            cx.state.set_status("Nothing to apply");
        } else {
            cx.state.push_layer(Dialog::message("Nothing can be changed", plan.skipped));
        }
        return;
    }
    let mut lines = Vec::new();
    for file in &plan.files {
        let open = if matches!(file.target, Target::Open(..)) { " (open, stays unsaved)" } else { "" };
        lines.push(format!("  {}: {}{open}", file.name, pluralize(file.edit_count, "line", "lines")));
    }
    if !plan.skipped.is_empty() {
        lines.push("Unchanged:".to_string());
        lines.extend(plan.skipped.iter().map(|reason| format!("  {reason}")));
    }
    let count: usize = plan.files.iter().map(|file| file.edit_count).sum();
    let title = format!(
        "Change {} in {}?",
        pluralize(count, "line", "lines"),
        pluralize(plan.files.len(), "file", "files")
    );
    let dialog = Dialog::ask(title, lines).choice('y', "Apply", on_accepted).close('n', "Cancel");
    cx.state.slots[REPLACEMENTS].plan = Some(plan);
    cx.state.push_layer(dialog);
}

/// Handles the user's consent.
fn on_accepted(cx: &mut Cx<'_>) {
    if let Some(plan) = cx.state.slots[REPLACEMENTS].plan.take() {
        cx.state.slots[REPLACEMENTS].running = Some(RunningStep::default());
        apply_plan(cx, plan);
    }
}

/// Changes the open texts, and starts writing the files.
fn apply_plan(cx: &mut Cx<'_>, plan: Plan) {
    let Some(mut under_way) = cx.state.slots[REPLACEMENTS].running.take() else { return };
    let mut writes = Vec::new();
    under_way.list = plan.list;
    under_way.already_done.extend(plan.already_done.into_iter().map(inverted));
    under_way.skipped.extend(plan.skipped);
    under_way.retryable.extend(plan.retryable);
    for (n, mut file) in plan.files.into_iter().enumerate() {
        if let Some(target) = close_created(cx, &under_way, &file) {
            file.target = target;
        }
        match file.target {
            Target::Open(id, version) => edit_open_text(cx, &mut under_way, &file, (id, version)),
            Target::Closed(..) if cx.state.buffers.by_path(&file.path).is_some() => {
                skip_file(&mut under_way, &file, "was opened meanwhile");
            }
            Target::Closed(..) => writes.push((n, file)),
        }
    }
    cx.state.damage.add_all();
    if writes.is_empty() {
        return finish(cx, under_way);
    }
    under_way.writing.clone_from(&writes);
    cx.state.slots[REPLACEMENTS].running = Some(under_way);
    tasks::write_all(cx, writes);
}

/// Closes the saved text of a file that is created in a step and is empty without it, and returns how to write it: its file is
/// deleted next, which happens only if it is empty on the disk.
fn close_created(cx: &mut Cx<'_>, under_way: &RunningStep, file: &FilePlan) -> Option<Target> {
    let Target::Open(id, version) = file.target else { return None };
    let is_created =
        |step: &TreeStep| matches!(step, TreeStep::Created(path, _) if file.path.starts_with(path));
    if file.changes.len_after() > 0 || !under_way.operations.iter().any(is_created) {
        return None;
    }
    let buffer = cx.state.buffers.get_mut(id)?;
    if buffer.area.document.version() != version || !whole::is_saved(buffer) {
        return None;
    }
    let target = Target::Closed(buffer.stamp.clone()?, buffer.area.document.format());
    cx.state.close_buffer(id);
    Some(target)
}

fn edit_open_text(
    cx: &mut Cx<'_>,
    under_way: &mut RunningStep,
    file: &FilePlan,
    (id, version): (BufferId, u64),
) {
    let now_ms = cx.now_ms;
    let same = cx.state.buffers.get_mut(id).filter(|buffer| buffer.area.document.version() == version);
    let Some(buffer) = same else {
        return skip_file(under_way, file, "was changed meanwhile");
    };
    if let Some(reason) = buffer.read_only() {
        return skip_file(under_way, file, reason);
    }
    note_saved(under_way, buffer);
    buffer.area.document.seal();
    buffer.area.apply_external(Transaction::new(file.changes.clone()), now_ms);
    let revision = buffer.area.document.history().current();
    under_way.done.push(changed_file(file, Some((id, revision))));
}

/// Returns the name of a file of a step with operations on files that is being saved: it could be written at the path that it
/// has now, or its text not be saved after the undo.
fn saving_file(state: &State, step: &AppliedStep) -> Option<String> {
    let is_changed = |buffer: &Buffer| {
        step.files.iter().any(|file| file.revision.is_some_and(|(id, _)| id == buffer.id))
            || step.operations.iter().any(|operation| moved::is_below(buffer, operation.path_after()))
    };
    let mut saving = state.buffers.all().iter().filter(|buffer| buffer.is_saving);
    saving.find(|buffer| !step.operations.is_empty() && is_changed(buffer)).map(Buffer::name)
}

/// Notes that a text is to be saved at the end, if it is saved now: only where files are moved back, too.
fn note_saved(under_way: &mut RunningStep, buffer: &Buffer) {
    if !under_way.operations.is_empty() && whole::is_saved(buffer) {
        under_way.saves.push(buffer.id);
    }
}

/// Returns the record of a change, to undo it.
pub fn changed_file(file: &FilePlan, revision: Option<(BufferId, RevisionId)>) -> ChangedFile {
    let mut after = file.before.clone();
    file.changes.apply(&mut after);
    ChangedFile {
        path: file.path.clone(),
        name: file.name.clone(),
        before: file.before.clone(),
        changes: file.changes.clone(),
        after,
        edit_count: file.edit_count,
        row_updates: file.row_updates.clone(),
        revision,
    }
}

/// Records that a file stays unchanged; if this is an undo it can be tried again.
fn skip_file(under_way: &mut RunningStep, file: &FilePlan, reason: &str) {
    under_way.skipped.push(format!("{}: {reason}", file.name));
    if under_way.list.is_none() {
        let was = under_way.undoing.iter().find(|was| was.path == file.path);
        under_way.retryable.extend(was.cloned());
    }
}

/// Files were written, or not.
pub fn on_written(cx: &mut Cx<'_>, results: Vec<(usize, Result<Stamp, EnvError>)>) {
    let Some(mut under_way) = cx.state.slots[REPLACEMENTS].running.take() else { return };
    let writing = std::mem::take(&mut under_way.writing);
    for (number, result) in results {
        let Some((_, file)) = writing.iter().find(|(n, _)| *n == number) else { continue };
        match result {
            Ok(_) => under_way.done.push(changed_file(file, None)),
            Err(EnvError::Stale(_)) => skip_file(&mut under_way, file, "was changed meanwhile"),
            Err(error) => skip_file(&mut under_way, file, &format!("not written: {error}")),
        }
    }
    finish(cx, under_way);
}

/// Ends a step once everything possible is done.
fn finish(cx: &mut Cx<'_>, under_way: RunningStep) {
    let RunningStep {
        list,
        undone_list: step_of,
        done,
        skipped: refused,
        retryable,
        already_done: there,
        operations,
        saves,
        ..
    } = under_way;
    cx.state.slots[FILE_JOBS].is_together_running = false;
    git_status::invalidate(cx);
    let list_id = list.map(|(id, _)| id).or(step_of);
    update_list(cx, list_id, done.iter().chain(&there));
    let count = pluralize(done.len() + there.len(), "file", "files");
    let undone = if done.is_empty() && there.is_empty() && !operations.is_empty() {
        format!("Undone: {}", pluralize(operations.len(), "file operation", "file operations"))
    } else {
        format!("Undone in {count}")
    };
    let message = if let Some((id, version)) = list {
        let lines = pluralize(done.iter().map(|file| file.edit_count).sum::<usize>(), "line", "lines");
        if !done.is_empty() {
            push_applied(cx, Some(id), done, operations);
        }
        mark_applied(cx, id, version, refused.is_empty());
        let key = cx.state.keymap.keys_for(KeyContext::Editor, "workspace.undo-apply").unwrap_or_default();
        format!("Changed {lines} in {count}. Undo: {key}")
    } else {
        if let Some(buffer) = step_of.and_then(|id| cx.state.buffers.get_mut(id)) {
            // The list no longer matches the files.
            buffer.area.document.mark_unsaved();
        }
        if !retryable.is_empty() {
            push_applied(cx, step_of, retryable, operations);
            whole::save_all(cx, saves);
        } else if !operations.is_empty() {
            whole::undo_operations(cx, operations, saves);
        }
        undone
    };
    cx.state.set_status(message);
    if !refused.is_empty() {
        cx.state.push_layer(Dialog::message("Unchanged", refused));
    }
    cx.state.damage.add_all();
}

/// Adds a step to those that can be undone, also from the tree if files were created, moved or deleted in it.
pub fn push_applied(
    cx: &mut Cx<'_>,
    list: Option<BufferId>,
    files: Vec<ChangedFile>,
    operations: Vec<TreeStep>,
) {
    let replacements = &mut cx.state.slots[REPLACEMENTS];
    replacements.last_number += 1;
    let (number, has_operations) = (replacements.last_number, !operations.is_empty());
    replacements.applied.push(AppliedStep { number, list, files, operations });
    let too_many = replacements.applied.len() > STEPS_MAX;
    let dropped = too_many.then(|| replacements.applied.remove(0).number);
    let tree = &mut cx.state.slots[TREE_STEPS];
    if let Some(dropped) = dropped {
        tree.forget_together(dropped);
    }
    if has_operations {
        tree.push(Undoable::Together { number, undo: undo_step });
    }
}

/// Marks the list as applied, unless it was edited in the meantime or parts failed.
fn mark_applied(cx: &mut Cx<'_>, list: BufferId, version: u64, everything: bool) {
    if let Some(buffer) = cx.state.buffers.get_mut(list)
        && buffer.area.document.version() == version
        && everything
    {
        buffer.area.document.mark_saved();
    }
}

/// Updates the list's data to the new content of the files.
fn update_list<'a>(cx: &mut Cx<'_>, list: Option<BufferId>, done: impl Iterator<Item = &'a ChangedFile>) {
    let Some(buffer) = list.and_then(|id| cx.state.buffers.get_mut(id)) else { return };
    let Some(results) = buffer.results_mut() else { return };
    let known = std::sync::Arc::make_mut(&mut results.known);
    for (origin, old, new) in done.flat_map(|file| &file.row_updates) {
        known.set(*origin, new);
        let more = new.matches('\n').count() as isize - old.matches('\n').count() as isize;
        if more != 0 {
            known.files[origin.file].shifts.push((origin.first, more));
        }
    }
}

/// Returns whether applied results can be undone, or such a change runs.
pub fn has_applied(state: &State) -> bool {
    let replacements = &state.slots[REPLACEMENTS];
    !replacements.applied.is_empty() || replacements.is_busy()
}

/// Undoes the last step.
pub fn undo(cx: &mut Cx<'_>) {
    match cx.state.slots[REPLACEMENTS].applied.last().map(|step| step.number) {
        Some(number) => undo_step(cx, number),
        None if cx.state.slots[REPLACEMENTS].is_busy() => {
            cx.state.set_status("File changes are running already");
        }
        None => cx.state.set_status("No applied results to undo"),
    }
}

/// Undoes a step.
fn undo_step(cx: &mut Cx<'_>, number: u64) {
    if cx.state.slots[REPLACEMENTS].is_busy() {
        return cx.state.set_status("File changes are running already");
    }
    let applied = &cx.state.slots[REPLACEMENTS].applied;
    let Some(at) = applied.iter().position(|step| step.number == number) else { return };
    let has_operations = !applied[at].operations.is_empty();
    if has_operations && cx.state.slots[FILE_JOBS].is_busy() {
        return cx.state.set_status("File changes are running already");
    }
    if let Some(name) = saving_file(cx.state, &applied[at]) {
        return cx.state.set_status(format!("{name} is being saved; try again"));
    }
    if !has_operations {
        return undo_checked(cx, number);
    }
    let step = &applied[at];
    let (operations, texts) =
        (step.operations.clone(), step.files.iter().map(|file| file.path.clone()).collect());
    whole::check_undo(cx, operations, texts, move |cx| undo_checked(cx, number));
}

/// Undoes a step whose operations on files can be undone.
fn undo_checked(cx: &mut Cx<'_>, number: u64) {
    let applied = &cx.state.slots[REPLACEMENTS].applied;
    let Some(at) = applied.iter().position(|step| step.number == number) else { return };
    // It may have been saved since.
    if let Some(name) = saving_file(cx.state, &applied[at]) {
        return cx.state.set_status(format!("{name} is being saved; try again"));
    }
    let AppliedStep { list, files, operations, .. } = cx.state.slots[REPLACEMENTS].applied.remove(at);
    cx.state.slots[TREE_STEPS].forget_together(number);
    cx.state.slots[FILE_JOBS].is_together_running = !operations.is_empty();
    let mut under_way = RunningStep { undone_list: list, operations, ..RunningStep::default() };
    let mut rest = Vec::new();
    for file in files {
        // If nothing came after it, it is the last undo step of the text itself.
        let last = file.revision.and_then(|(id, revision)| {
            let buffer = cx.state.buffers.get_mut(id)?;
            (buffer.area.document.history().current() == revision).then_some(buffer)
        });
        match last {
            Some(buffer) => {
                note_saved(&mut under_way, buffer);
                buffer.area.undo();
                under_way.done.push(inverted(file));
            }
            None => rest.push(file),
        }
    }
    cx.state.damage.add_all();
    if rest.is_empty() {
        return finish(cx, under_way);
    }
    under_way.undoing.clone_from(&rest);
    cx.state.slots[REPLACEMENTS].running = Some(under_way);
    let open = open_texts(cx.state);
    tasks::plan_undo(cx, rest, open);
}

/// Returns the reverse of a step, for the data of the list.
fn inverted(file: ChangedFile) -> ChangedFile {
    let known = file.row_updates.into_iter().map(|(origin, old, new)| (origin, new, old)).collect();
    ChangedFile { row_updates: known, ..file }
}
