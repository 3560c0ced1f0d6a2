//! Makes what a list wants true, as one step over open and closed files, and takes such a step
//! back. The loop's part: open texts are changed here; files are read, compared and written by
//! tasks.

use crate::base::counted::counted;
use crate::exec::{EnvError, Stamp};
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::features::project_search::job::{Changed, FilePlan, Plan, Target};
use crate::ide::features::project_search::navigate::open_texts;
use crate::ide::features::project_search::steps::LISTS;
use crate::ide::features::project_search::steps::{Applied, UnderWay};
use crate::ide::features::project_search::tasks;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::transaction::Transaction;
use crate::text::undo::history::RevisionId;

/// Steps that can be taken back.
const STEPS_MAX: usize = 16;

/// Asks what the list wants changed; the user is asked then.
pub fn begin(cx: &mut Cx<'_>, list: BufferId) {
    if cx.state.slots[LISTS].is_busy() {
        return cx.state.say("File changes are running already");
    }
    let open = open_texts(cx.state);
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let Some(listing) = buffer.list_mut() else { return };
    if let Some(reason) = listing.read_only() {
        return cx.state.fail(reason);
    }
    listing.comparing = true;
    let known = listing.known.clone();
    buffer.area.document.seal();
    cx.state.slots[LISTS].under_way = Some(UnderWay::default());
    cx.state.say("Comparing results with files …");
    tasks::compare(cx, (list, version), text, known, open);
}

/// It is known what is to be changed: the user decides. What is taken back was decided.
pub fn planned(cx: &mut Cx<'_>, plan: Plan) {
    cx.state.say("");
    let Some((list, _)) = plan.list else { return carry_out(cx, plan) };
    if let Some(listing) = cx.state.buffers.get_mut(list).and_then(Buffer::list_mut) {
        listing.comparing = false;
    }
    cx.state.slots[LISTS].under_way = None;
    if plan.files.is_empty() {
        if plan.refused.is_empty() {
            cx.state.say("Nothing to apply");
        } else {
            cx.state.push_layer(Dialog::message("Nothing can be changed", plan.refused));
        }
        return;
    }
    let mut lines = Vec::new();
    for file in &plan.files {
        let open = if matches!(file.target, Target::Open(..)) { " (open, stays unsaved)" } else { "" };
        lines.push(format!("  {}: {}{open}", file.name, counted(file.places, "place", "places")));
    }
    if !plan.refused.is_empty() {
        lines.push("Unchanged:".to_string());
        lines.extend(plan.refused.iter().map(|why| format!("  {why}")));
    }
    let count: usize = plan.files.iter().map(|file| file.places).sum();
    let title = format!(
        "Change {} in {}?",
        counted(count, "place", "places"),
        counted(plan.files.len(), "file", "files")
    );
    let dialog = Dialog::ask(title, lines).choice('y', "Apply", accepted).close('n', "Cancel");
    cx.state.slots[LISTS].plan = Some(plan);
    cx.state.push_layer(dialog);
}

/// The user wants it.
fn accepted(cx: &mut Cx<'_>) {
    if let Some(plan) = cx.state.slots[LISTS].plan.take() {
        cx.state.slots[LISTS].under_way = Some(UnderWay::default());
        carry_out(cx, plan);
    }
}

/// Changes the open texts, and has the files written.
fn carry_out(cx: &mut Cx<'_>, plan: Plan) {
    let Some(mut under_way) = cx.state.slots[LISTS].under_way.take() else { return };
    let mut writes = Vec::new();
    under_way.list = plan.list;
    under_way.there.extend(plan.there.into_iter().map(reversed));
    under_way.refused.extend(plan.refused);
    under_way.left.extend(plan.left);
    for (n, file) in plan.files.into_iter().enumerate() {
        match file.target {
            Target::Open(id, version) => change_open(cx, &mut under_way, &file, (id, version)),
            Target::Closed(..) if cx.state.buffers.by_path(&file.path).is_some() => {
                refuse(&mut under_way, &file, "was opened meanwhile");
            }
            Target::Closed(..) => writes.push((n, file)),
        }
    }
    cx.state.damage.all();
    if writes.is_empty() {
        return finish(cx, under_way);
    }
    under_way.writing.clone_from(&writes);
    cx.state.slots[LISTS].under_way = Some(under_way);
    tasks::write_all(cx, writes);
}

fn change_open(cx: &mut Cx<'_>, under_way: &mut UnderWay, file: &FilePlan, (id, version): (BufferId, u64)) {
    let now_ms = cx.now_ms;
    let same = cx.state.buffers.get_mut(id).filter(|buffer| buffer.area.document.version() == version);
    let Some(buffer) = same else {
        return refuse(under_way, file, "was changed meanwhile");
    };
    if let Some(reason) = buffer.read_only() {
        return refuse(under_way, file, reason);
    }
    buffer.area.document.seal();
    buffer.area.apply_foreign(Transaction::new(file.changes.clone()), now_ms);
    let revision = buffer.area.document.history().current();
    under_way.done.push(changed(file, Some((id, revision))));
}

fn changed(file: &FilePlan, revision: Option<(BufferId, RevisionId)>) -> Changed {
    let mut after = file.before.clone();
    file.changes.apply(&mut after);
    Changed {
        path: file.path.clone(),
        name: file.name.clone(),
        before: file.before.clone(),
        changes: file.changes.clone(),
        after,
        places: file.places,
        known: file.known.clone(),
        revision,
    }
}

/// A file stays as it is; what was to be taken back in it can still be.
fn refuse(under_way: &mut UnderWay, file: &FilePlan, why: &str) {
    under_way.refused.push(format!("{}: {why}", file.name));
    if under_way.list.is_none() {
        let was = under_way.taking_back.iter().find(|was| was.path == file.path);
        under_way.left.extend(was.cloned());
    }
}

/// Files were written, or not.
pub fn written(cx: &mut Cx<'_>, results: Vec<(usize, Result<Stamp, EnvError>)>) {
    let Some(mut under_way) = cx.state.slots[LISTS].under_way.take() else { return };
    let writing = std::mem::take(&mut under_way.writing);
    for (number, result) in results {
        let Some((_, file)) = writing.iter().find(|(n, _)| *n == number) else { continue };
        match result {
            Ok(_) => under_way.done.push(changed(file, None)),
            Err(EnvError::Stale(_)) => refuse(&mut under_way, file, "was changed meanwhile"),
            Err(error) => refuse(&mut under_way, file, &format!("not written: {error}")),
        }
    }
    finish(cx, under_way);
}

/// Everything that could be done is done.
fn finish(cx: &mut Cx<'_>, under_way: UnderWay) {
    let UnderWay { list, step_of, done, refused, left, there, .. } = under_way;
    let of = list.map(|(id, _)| id).or(step_of);
    learn(cx, of, done.iter().chain(&there));
    let count = counted(done.len() + there.len(), "file", "files");
    let message = if let Some((id, version)) = list {
        let lines = counted(done.iter().map(|file| file.places).sum::<usize>(), "place", "places");
        if !done.is_empty() {
            push(cx, Applied { list: Some(id), files: done });
        }
        settled(cx, id, version, refused.is_empty());
        let key = cx.state.keymap.keys_for(KeyContext::Editor, "workspace.undo-apply").unwrap_or_default();
        format!("Changed {lines} in {count}. Undo: {key}")
    } else {
        if let Some(buffer) = step_of.and_then(|id| cx.state.buffers.get_mut(id)) {
            // It wants what the files do not say any more.
            buffer.area.document.mark_unsaved();
        }
        if !left.is_empty() {
            push(cx, Applied { list: step_of, files: left });
        }
        format!("Undone in {count}")
    };
    cx.state.say(message);
    if !refused.is_empty() {
        cx.state.push_layer(Dialog::message("Unchanged", refused));
    }
    cx.state.damage.all();
}

fn push(cx: &mut Cx<'_>, applied: Applied) {
    let steps = &mut cx.state.slots[LISTS].applied;
    steps.push(applied);
    if steps.len() > STEPS_MAX {
        steps.remove(0);
    }
}

/// The list is done with, unless it was edited meanwhile or not everything was possible.
fn settled(cx: &mut Cx<'_>, list: BufferId, version: u64, everything: bool) {
    if let Some(buffer) = cx.state.buffers.get_mut(list)
        && buffer.area.document.version() == version
        && everything
    {
        buffer.area.document.mark_saved();
    }
}

/// The list knows what stands in the files now.
fn learn<'a>(cx: &mut Cx<'_>, list: Option<BufferId>, done: impl Iterator<Item = &'a Changed>) {
    let Some(buffer) = list.and_then(|id| cx.state.buffers.get_mut(id)) else { return };
    let Some(listing) = buffer.list_mut() else { return };
    let known = std::sync::Arc::make_mut(&mut listing.known);
    for (origin, old, new) in done.flat_map(|file| &file.known) {
        known.set(*origin, new);
        let more = new.matches('\n').count() as isize - old.matches('\n').count() as isize;
        if more != 0 {
            known.files[origin.file].shifts.push((origin.first, more));
        }
    }
}

/// Takes the last step back.
pub fn take_back(cx: &mut Cx<'_>) {
    if cx.state.slots[LISTS].is_busy() {
        return cx.state.say("File changes are running already");
    }
    let Some(Applied { list, files }) = cx.state.slots[LISTS].applied.pop() else {
        return cx.state.say("No applied results to undo");
    };
    let mut under_way = UnderWay { step_of: list, ..UnderWay::default() };
    let mut rest = Vec::new();
    for file in files {
        // Where nothing came after it, it is the text's own last step.
        let last = file.revision.and_then(|(id, revision)| {
            let buffer = cx.state.buffers.get_mut(id)?;
            (buffer.area.document.history().current() == revision).then_some(buffer)
        });
        match last {
            Some(buffer) => {
                buffer.area.undo();
                under_way.done.push(reversed(file));
            }
            None => rest.push(file),
        }
    }
    cx.state.damage.all();
    if rest.is_empty() {
        return finish(cx, under_way);
    }
    under_way.taking_back.clone_from(&rest);
    cx.state.slots[LISTS].under_way = Some(under_way);
    let open = open_texts(cx.state);
    tasks::reverse(cx, rest, open);
}

/// The same step backwards, for what the list knows.
fn reversed(file: Changed) -> Changed {
    let known = file.known.into_iter().map(|(origin, old, new)| (origin, new, old)).collect();
    Changed { known, ..file }
}
