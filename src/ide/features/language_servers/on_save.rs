//! What happens to a text before it is saved: code actions, then formatting, as the user and the table want it. All of it
//! together takes at most a second; then the file is saved as it is. Must not write files.

use std::collections::VecDeque;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::visible;
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::feature::SaveStep;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::format::{self, Formatted};
use crate::ide::features::language_servers::formatter::{self, Program};
use crate::ide::features::language_servers::questions::asked_servers;
use crate::ide::features::language_servers::save_actions::{self, ActionStep, Ran};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::{start, sync};
use crate::ide::model::buffers::BufferId;
use crate::lsp::table::Feature;

/// How long saving waits.
const SAVE_WAIT: Duration = Duration::from_secs(1);

/// A save that waits for its text to be prepared.
pub struct PendingSave {
    buffer: BufferId,
    /// Until when, on the monotonic clock.
    pub until: Duration,
    /// Ends the question when it is dropped.
    _question: DropGuard,
    /// Code actions that are still to be asked for.
    actions: VecDeque<ActionStep>,
    /// Whether the text is formatted at the end.
    formats: bool,
    /// Who is asked now.
    asked: String,
    problem: Option<SaveProblem>,
    then: SaveStep,
}

/// Why a saved text is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveProblem {
    is_unformatted: bool,
    reason: String,
}

/// Prepares a text that is about to be saved, if the user or the table wants that; then `then` follows. Returns `then` if
/// there is nothing to do.
pub fn before_save(cx: &mut Cx<'_>, id: BufferId, then: SaveStep) -> Option<SaveStep> {
    let wanted = formatter::language(cx.state, id).and_then(|language| language.auto_format);
    let formats = wanted.unwrap_or(cx.state.slots[LANGUAGE_SERVERS].formats_on_save)
        && (Program::of(cx, id).is_some() || !asked_servers(cx.state, id, Feature::Format).is_empty());
    let actions = save_actions::steps(cx.state, id);
    if !formats && actions.is_empty() {
        return Some(then);
    }
    let question = CancellationToken::new();
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.save_problems.remove(&id);
    known.saves.push(PendingSave {
        buffer: id,
        until: cx.now + SAVE_WAIT,
        _question: question.clone().drop_guard(),
        actions,
        formats,
        asked: String::new(),
        problem: None,
        then,
    });
    go_on(cx, id, question);
    None
}

/// Does the next step of a save that waits.
fn go_on(cx: &mut Cx<'_>, id: BufferId, question: CancellationToken) {
    sync::flush(cx.state);
    while let Some(step) = pending(cx.state, id).and_then(|save| save.actions.pop_front()) {
        let Some(job) = save_actions::job(cx, id, &step) else { continue };
        note_asked(cx.state, id, job.name());
        let (cancel, version, server) = (question.clone(), job.version, step.server);
        let work = async move { question.run_until_cancelled(save_actions::run(job)).await };
        cx.tasks.spawn("language-servers.action-on-save", work, move |cx, answer| {
            let Some(answer) = still_wanted(answer, &cancel) else { return };
            take_action(cx, (id, version), server, answer);
            go_on(cx, id, cancel);
        });
        return;
    }
    if !pending(cx.state, id).is_some_and(|save| save.formats) {
        return end(cx, id);
    }
    let program = Program::of(cx, id);
    let servers = asked_servers(cx.state, id, Feature::Format);
    let name = program.as_ref().map(Program::name);
    let name = name.or_else(|| servers.first().map(|server| server.name.clone())).unwrap_or_default();
    note_asked(cx.state, id, name);
    let Some(job) = format::job(cx, id, false) else { return end(cx, id) };
    let (cancel, version) = (question.clone(), job.version);
    let work = async move { question.run_until_cancelled(format::run(program, servers, job)).await };
    cx.tasks.spawn("language-servers.format-on-save", work, move |cx, answer| {
        let Some(answer) = still_wanted(answer, &cancel) else { return };
        take_format(cx, (id, version), answer);
        end(cx, id);
    });
}

fn pending(state: &mut State, id: BufferId) -> Option<&mut PendingSave> {
    state.slots[LANGUAGE_SERVERS].saves.iter_mut().find(|save| save.buffer == id)
}

fn note_asked(state: &mut State, id: BufferId, name: String) {
    if let Some(save) = pending(state, id) {
        save.asked = name;
    }
}

/// Returns the answer of a step, unless the save does not wait for it any more.
fn still_wanted<T>(
    answer: Result<Option<Result<T, String>>, TaskError>,
    cancel: &CancellationToken,
) -> Option<Result<T, String>> {
    if cancel.is_cancelled() {
        return None;
    }
    match answer {
        Ok(answer) => answer,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Applies what a code action changes.
fn take_action(cx: &mut Cx<'_>, (id, version): (BufferId, u64), server: u32, answer: Result<Ran, String>) {
    let problem = match answer {
        Ok(ran) => {
            let known = &mut cx.state.slots[LANGUAGE_SERVERS];
            let is_first = ran.refused.is_some() && known.refused_on_save.insert(server);
            if let Some(server) = known.server_mut(server) {
                ran.notes.into_iter().chain(ran.refused.clone()).for_each(|note| server.note(note));
            }
            let changes = ran.changes.filter(|changes| !changes.is_identity());
            let is_late = changes.is_some_and(|changes| !format::apply(cx, id, version, changes));
            if is_late { Some("the text has changed".to_string()) } else { ran.refused.filter(|_| is_first) }
        }
        Err(reason) => Some(reason),
    };
    if let (Some(reason), Some(save)) = (problem, pending(cx.state, id)) {
        save.problem.get_or_insert(SaveProblem { is_unformatted: false, reason });
    }
}

/// Applies what formatting changes.
fn take_format(cx: &mut Cx<'_>, (id, version): (BufferId, u64), answer: Result<Formatted, String>) {
    let problem = match answer {
        Ok(Formatted::Changes(changes, substitute)) => {
            if changes.is_identity() || format::apply(cx, id, version, changes) {
                let notice = format::take_notice(cx.state, substitute);
                if let (Some(reason), Some(save)) = (notice, pending(cx.state, id)) {
                    save.problem.get_or_insert(SaveProblem { is_unformatted: false, reason });
                }
                None
            } else {
                Some("the text has changed".to_string())
            }
        }
        Ok(Formatted::NotOffered) => None,
        Ok(Formatted::NotInstalled(name)) => {
            let is_first = cx.state.slots[LANGUAGE_SERVERS].missing_programs.insert(name.clone());
            is_first.then(|| format!("{name} is not installed"))
        }
        Ok(Formatted::Untrusted(wanted)) => {
            start::request_trust_of_formatter(cx, wanted);
            Some("the folder is not trusted".to_string())
        }
        Err(reason) => Some(reason),
    };
    if let (Some(reason), Some(save)) = (problem, pending(cx.state, id)) {
        save.problem = Some(SaveProblem { is_unformatted: true, reason });
    }
}

/// Goes on with a save whose text is prepared.
fn end(cx: &mut Cx<'_>, id: BufferId) {
    let saves = &mut cx.state.slots[LANGUAGE_SERVERS].saves;
    let Some(at) = saves.iter().position(|save| save.buffer == id) else { return };
    let save = saves.remove(at);
    finish(cx, save);
}

/// Saves texts whose servers take too long.
pub fn on_deadline(cx: &mut Cx<'_>) {
    let now = cx.now;
    let saves = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].saves);
    let (late, waiting): (Vec<_>, Vec<_>) = saves.into_iter().partition(|save| save.until <= now);
    cx.state.slots[LANGUAGE_SERVERS].saves = waiting;
    for mut save in late {
        let name = if save.asked.is_empty() { "its server" } else { &save.asked };
        let reason = format!("{name}: no answer within {} s", SAVE_WAIT.as_secs());
        save.problem = Some(SaveProblem { is_unformatted: save.formats, reason });
        finish(cx, save);
    }
}

/// Goes on with a save; why the text is not as it should be is shown once it is saved.
fn finish(cx: &mut Cx<'_>, save: PendingSave) {
    let PendingSave { buffer, then, problem, .. } = save;
    if let Some(problem) = problem {
        cx.state.slots[LANGUAGE_SERVERS].save_problems.insert(buffer, problem);
    }
    then(cx);
}

/// A text was saved: shows why it is not as it should be, if so.
pub fn on_saved(cx: &mut Cx<'_>, id: BufferId) {
    let Some(problem) = cx.state.slots[LANGUAGE_SERVERS].save_problems.remove(&id) else { return };
    let name = cx.state.buffers.get_mut(id).map(|buffer| buffer.name()).unwrap_or_default();
    let how = if problem.is_unformatted { " unformatted" } else { "" };
    cx.state.set_error(format!("Saved {name}{how}. {}", visible(&problem.reason)));
}

/// Returns when the next save no longer waits, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    state.slots[LANGUAGE_SERVERS].saves.iter().map(|save| save.until).min()
}
