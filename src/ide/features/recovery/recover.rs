//! Unsaved text outlives the program: it is kept beside the files while it is typed, and
//! offered when the next run finds it.
//!
//! Must not touch the disk: what is to be kept, found or removed is asked for, and
//! `ide::features::recovery::journal` does it.

use std::path::Path;
use std::sync::Arc;

use crate::base::clock;
use crate::exec::Stamp;
use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::{Answer, Dialog, Overlay};
use crate::ide::core::state::State;
use crate::ide::features::recovery;
use crate::ide::features::recovery::journal::{Found, Head, Job, Kept};
use crate::ide::features::recovery::unsaved::{Due, LeftText};
use crate::ide::model::buffers::{BufferId, Disk};
use crate::text::changes::ChangeSet;
use crate::text::document::Document;
use crate::text::transaction::Transaction;

/// After whatever happened: what is saved or closed needs nothing kept any more.
pub fn watch(cx: &mut Cx<'_>) {
    for due in cx.state.unsaved.watch(cx.state.buffers.all(), cx.now) {
        if let Due::Remove(buffer, names) = due {
            cx.effects.push(Effect::Keep(Job::Remove { buffer: Some(buffer), names }));
        }
    }
}

/// Keeps what is due.
pub fn tick(cx: &mut Cx<'_>) {
    for id in cx.state.unsaved.due(cx.now) {
        let job = job(cx.state, id, cx.now_ms);
        cx.effects.extend(job.map(Effect::Keep));
    }
}

/// What is left to do at an end. Unless somebody chose it, everything is kept that is not kept
/// as it is.
pub fn last(state: &mut State, chosen: bool, now_ms: u64) -> Vec<Job> {
    let names = state.unsaved.useless(chosen);
    let mut jobs = vec![Job::Remove { buffer: None, names }];
    if !chosen {
        jobs.extend(state.unsaved.behind().into_iter().filter_map(|id| job(state, id, now_ms)));
    }
    jobs
}

fn job(state: &mut State, id: BufferId, now_ms: u64) -> Option<Job> {
    let buffer = state.buffers.get_mut(id).filter(|buffer| buffer.is_unsaved())?;
    let path = buffer.real_path().map(Path::to_path_buf);
    let key = key(path.as_deref(), id);
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let steps = buffer.area.document.steps();
    let format = buffer.area.document.format();
    let head = Head { path, stamp: buffer.stamp.clone(), format, now_ms, version };
    let steps = steps.filter(|steps| state.unsaved.can_add(id, &head, steps));
    let replaces = state.unsaved.begin(id, &head, steps.as_ref());
    Some(Job::Write { buffer: id, key, head, text, steps, replaces })
}

/// The key under which a file's text is kept.
fn key(path: Option<&Path>, id: BufferId) -> String {
    path.map_or_else(|| format!("{}{}", recovery::journal::NAMELESS, id.0), recovery::journal::key_of)
}

/// A file was opened: has a run before left unsaved text of it?
pub fn opened(cx: &mut Cx<'_>, id: BufferId) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(path) = buffer.real_path().map(Path::to_path_buf) else { return };
    let text = buffer.area.text().clone();
    cx.effects.push(Effect::Keep(Job::Find { buffer: id, path, text }));
}

/// The files of the start are open: what else has a run before left?
pub fn all_opened(cx: &mut Cx<'_>) {
    let open = cx.state.buffers.all().iter().filter_map(|buffer| buffer.real.clone()).collect();
    cx.effects.push(Effect::Keep(Job::FindOthers(open)));
}

/// A piece of the work is done.
pub fn happened(cx: &mut Cx<'_>, kept: Kept) {
    match kept {
        Kept::Written { buffer, result: Ok(name) } => cx.state.unsaved.written(buffer, Some(name)),
        Kept::Written { buffer, result: Err(error) } => {
            cx.state.unsaved.written(buffer, None);
            if !std::mem::replace(&mut cx.state.unsaved.told, true) {
                cx.state.fail(format!("unsaved text cannot be kept safe, save often: {error}"));
            }
        }
        Kept::Removed { buffer, result } => {
            if let Some(buffer) = buffer {
                cx.state.unsaved.removed(buffer);
            }
            if let Err(error) = result {
                cx.state.fail(format!("a recovery file could not be removed: {error}"));
            }
        }
        Kept::Found(found) => found.into_iter().for_each(|found| offer(cx, found)),
        Kept::Others(paths) => {
            let names: Vec<String> = paths.iter().map(|path| cx.state.shown(path)).collect();
            let (them, names) = (if names.len() == 1 { "it" } else { "them" }, names.join(", "));
            cx.state.say(format!("unsaved text was kept of {names}; open {them} to have it back"));
        }
        Kept::Unreadable(error) => cx.state.fail(format!("recovery files cannot be read: {error}")),
        Kept::Compared { number, version, changes } => compared(cx, number, version, changes),
    }
}

/// Asks what is to be done with unsaved text of a run that is no more.
fn offer(cx: &mut Cx<'_>, found: Found) {
    let Found { name, buffer, head, text } = found;
    let (what, moved_on) = match buffer {
        None => ("a text without a file".to_string(), false),
        Some(id) => match cx.state.buffers.get_mut(id) {
            Some(buffer) => (buffer.name(), buffer.stamp != head.stamp),
            None => return,
        },
    };
    let lines = text.split('\n').count();
    let mut told = vec![
        format!("The program ended before {what} was saved."),
        format!("Its text of {} was kept: {lines} lines.", when(head.now_ms)),
    ];
    if buffer.is_none() {
        let first: String = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().into();
        told.push(format!("It begins: {}", first.chars().take(60).collect::<String>()));
    }
    if moved_on {
        told.push(String::new());
        told.push("The file on disk has been changed since: compare before you save.".to_string());
    }
    let left = LeftText { name, buffer, text, format: head.format, stamp: head.stamp, time_ms: head.now_ms };
    let number = cx.state.unsaved.found(left);
    let dialog = Dialog::ask("unsaved text", told)
        .choice('r', "recover it (undo takes it back)", Answer::Recover(number))
        .choice('d', "discard it", Answer::DiscardLeft(number))
        .choice('k', "keep it for later", Answer::Dismiss);
    // Below everything else: what the person is busy with keeps the keys.
    cx.state.overlays.insert(0, Overlay::Dialog(dialog));
    cx.state.damage.all();
}

/// A moment as a person wants to see it.
fn when(ms: u64) -> String {
    clock::iso8601(ms).replace('T', " ").chars().take(19).collect::<String>() + " UTC"
}

/// The person wants it back.
pub fn recover(cx: &mut Cx<'_>, number: u64) {
    let Some(left) = cx.state.unsaved.left(number).cloned() else { return };
    let id = left.buffer.unwrap_or_else(|| cx.state.buffers.open(None, Document::default_file(), None));
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    cx.state.unsaved.take(number);
    let number = cx.state.unsaved.found(LeftText { buffer: Some(id), ..left.clone() });
    let wanted: Arc<str> = left.text;
    cx.effects.push(Effect::Keep(Job::Compare { number, version, text, wanted }));
}

/// The difference is there: it becomes one edit.
fn compared(cx: &mut Cx<'_>, number: u64, version: u64, changes: ChangeSet) {
    let Some(left) = cx.state.unsaved.left(number) else { return };
    let Some(buffer) = left.buffer.and_then(|id| cx.state.buffers.get_mut(id)) else { return };
    if buffer.area.document.version() != version {
        return recover(cx, number);
    }
    let (id, now_ms, format, stamp) = (buffer.id, cx.now_ms, left.format, left.stamp.clone());
    buffer.area.document.seal();
    buffer.area.apply_foreign(Transaction::new(changes).format(format), now_ms);
    if buffer.stamp.is_some() && buffer.stamp != stamp {
        // Made from another file than the one that is there: saving has to ask.
        buffer.stamp = Some(stamp.unwrap_or_else(Stamp::missing));
        buffer.disk = Disk::Changed;
    }
    let name = buffer.name();
    cx.state.buffers.show(id);
    if let Some(left) = cx.state.unsaved.take(number) {
        // It goes once the text is kept anew, or saved.
        cx.state.unsaved.adopt(id, left.name);
    }
    cx.state.say(format!("{name}: unsaved text recovered; undo takes it back"));
    cx.state.damage.all();
}

/// The person does not want it.
pub fn discard(cx: &mut Cx<'_>, number: u64) {
    if let Some(left) = cx.state.unsaved.take(number) {
        cx.effects.push(Effect::Keep(Job::Remove { buffer: None, names: vec![left.name] }));
    }
}
