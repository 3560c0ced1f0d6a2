//! Commands on the background commands of the agent, and their list. Must not know their output.

use crate::base::paths::shorten_home;
use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::picker::{self, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::terminal::agent_jobs::{self, AgentJob};
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::model::age::duration;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "terminal.show-jobs",
        "Show background jobs",
        &["background", "jobs", "tasks", "processes", "running commands"],
        show_list,
    ),
    command(
        "terminal.stop-job",
        "Stop background job",
        &["background", "jobs", "tasks", "processes", "kill"],
        stop,
    )
    .when(has_job),
];

/// A background job of the agent is running or shown.
fn has_job(state: &State) -> Result<(), Reason> {
    let terminals = &state.slots[TERMINALS];
    let is_shown = terminals.active().is_some_and(|tab| tab.job.is_some());
    condition::require(is_shown || terminals.running_jobs() > 0, Reason::new("No background job is running"))
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "jobs",
    title: "Background jobs",
    footer: "Enter show output  Delete stop",
    has_places: false,
    keeps_text: true,
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(key) = pick.get::<u64>() {
            agent_jobs::show(cx, *key);
        }
    },
    remove: Some(stop_listed),
    ..PickerSpec::EMPTY
};

fn show_list(cx: &mut Cx<'_>) {
    if cx.state.slots[TERMINALS].jobs().is_empty() {
        return cx.state.set_status("The agent has started no background jobs");
    }
    cx.defer_picker("jobs");
}

/// Returns the rows: those that run first, the newest first.
fn rows(state: &State) -> Vec<PickRow> {
    let (running, ended): (Vec<_>, Vec<_>) =
        state.slots[TERMINALS].jobs().iter().rev().partition(|job| job.end.is_none());
    running.into_iter().chain(ended).map(|job| row(state, job)).collect()
}

fn row(state: &State, job: &AgentJob) -> PickRow {
    let words = job.end_words().unwrap_or_else(|| "running".to_string());
    let folder = &job.watched.folder;
    let place = (*folder != state.workspace).then(|| {
        let inside = folder.strip_prefix(&state.workspace).map(|inside| inside.display().to_string());
        visible(&inside.unwrap_or_else(|_| shorten_home(folder, &state.home))).into_owned()
    });
    let parts = [Some(words), job.watched.elapsed().map(duration), place];
    PickRow {
        text: format!("{} · {}", job.name(), job.command()),
        aliases: Vec::new(),
        group: None,
        detail: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        pick: Pick::new(job.watched.key),
    }
}

/// Stops the shown command, or the only one that runs.
fn stop(cx: &mut Cx<'_>) {
    let terminals = &cx.state.slots[TERMINALS];
    let shown = terminals.active().filter(|_| cx.state.areas.terminal.is_some());
    if let Some(job) = shown.and_then(|tab| tab.job.clone()) {
        if let Some(words) = job.end_words() {
            return cx.state.set_status(format!("The shown job has ended already ({words})"));
        }
        return stop_job(cx, &job);
    }
    let running: Vec<AgentJob> = terminals.jobs().iter().filter(|job| job.end.is_none()).cloned().collect();
    match running.as_slice() {
        [] => cx.state.set_status("No background job is running"),
        [job] => stop_job(cx, job),
        jobs => {
            let list = cx.state.how_to("terminal.show-jobs");
            let count = pluralize(jobs.len(), "job runs", "jobs run");
            cx.state.set_status(format!("{count}. Choose the one to stop: {list}"));
        }
    }
}

/// Stops the command of a row.
fn stop_listed(cx: &mut Cx<'_>, pick: &Pick) {
    let jobs = cx.state.slots[TERMINALS].jobs();
    let job = jobs.iter().find(|job| pick.get::<u64>() == Some(&job.watched.key)).cloned();
    match job.as_ref().map(|job| (job, job.end_words())) {
        Some((job, None)) => stop_job(cx, job),
        Some((_, Some(words))) => cx.state.set_status(format!("The job has ended already ({words})")),
        None => cx.state.set_status("The job has left the list"),
    }
}

/// Shows the present state of the jobs, if their list is open.
pub fn refresh(state: &mut State) {
    let rows = rows(state);
    picker::refresh(state, PICKER.id, &rows, &[]);
}

fn stop_job(cx: &mut Cx<'_>, job: &AgentJob) {
    job.watched.stop();
    cx.state.set_status(format!("Stopping {}", job.title()));
}
