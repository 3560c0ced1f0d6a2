//! Background commands of the agent in the terminal pane: each has a tab to watch, which appears when the command is
//! started. Must not know how a tab gets its output.
//!
//! What is shown about a command is a copy that only [`update`] changes, so that it changes with the damage.

use futures::StreamExt;
use futures::stream::FuturesUnordered;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::terminal::agent_jobs_commands;
use crate::ide::features::terminal::state::TERMINALS;
use crate::tools::running::{CommandEnd, WatchedJob};

/// Cells of a command in a title.
const COMMAND_COLS: usize = 24;
/// Maximum bytes of a command that are looked at for a title.
const COMMAND_MAX: usize = 400;

/// A background command.
#[derive(Debug, Clone)]
pub struct AgentJob {
    /// To read, to stop.
    pub watched: WatchedJob,
    /// How it ended, as far as the event loop knows.
    pub end: Option<CommandEnd>,
}

impl AgentJob {
    /// Returns a command as it is now.
    pub fn new(watched: WatchedJob) -> Self {
        let end = watched.end();
        Self { watched, end }
    }

    /// Returns its number in words.
    pub fn name(&self) -> String {
        format!("job {}", self.watched.number)
    }

    /// Returns the first line of the command, safe to draw.
    pub fn command(&self) -> String {
        let text = &self.watched.command[..self.watched.command.floor_char_boundary(COMMAND_MAX)];
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let words: String = line.split(|c: char| c.is_control()).collect();
        visible(&words).into_owned()
    }

    /// Returns the label of its tab: how it ended stands where a narrow window does not cut it off.
    pub fn label(&self) -> String {
        match self.end_words() {
            Some(words) => format!("{} · {words} · {}", self.name(), truncate(&self.command(), COMMAND_COLS)),
            None => self.title(),
        }
    }

    /// Returns its number and the beginning of its command.
    pub fn title(&self) -> String {
        format!("{} · {}", self.name(), truncate(&self.command(), COMMAND_COLS))
    }

    /// Returns how it ended in words; `None` while it runs.
    pub fn end_words(&self) -> Option<String> {
        Some(match self.end? {
            CommandEnd::Code(code) => format!("exit {code}"),
            CommandEnd::Stopped => "stopped".to_string(),
        })
    }
}

/// Watches the commands of the session until it ends.
pub fn watch(cx: &Cx<'_>) {
    let Some(session) = cx.session else { return };
    let (mut list, tasks) = (session.background_jobs(), cx.tasks.clone());
    cx.tasks.detach(async move {
        let mut ends = FuturesUnordered::new();
        let mut last_key = 0;
        loop {
            let jobs = list.borrow_and_update().jobs.clone();
            for job in jobs.iter().filter(|job| job.key > last_key) {
                let job = job.clone();
                ends.push(async move { job.wait_for_end().await });
            }
            last_key = jobs.last().map_or(last_key, |job| job.key);
            if !jobs.is_empty() {
                tasks.post("terminal.jobs", move |cx| update(cx, jobs)).await;
            }
            tokio::select! {
                changed = list.changed() => if changed.is_err() {
                    return;
                },
                Some(_) = ends.next() => {}
            }
        }
    });
}

/// Takes in the present list: new commands get tabs, and those that have ended are marked.
fn update(cx: &mut Cx<'_>, jobs: Vec<WatchedJob>) {
    let changes = cx.state.slots[TERMINALS].set_jobs(jobs);
    if cx.state.is_accessible() {
        // There is neither a row of titles nor a segment.
        for job in changes {
            let words = job.end_words().unwrap_or_else(|| "started".to_string());
            cx.state.set_status(format!("Background {}, {words}", job.title()));
        }
    }
    agent_jobs_commands::refresh(cx.state);
    cx.state.damage.add(Part::Terminal);
    cx.state.damage.add(Part::Status);
}

/// Shows the tab of a command, again if it was closed.
pub fn show(cx: &mut Cx<'_>, key: u64) {
    if cx.state.slots[TERMINALS].show_job(key) {
        panes::focus(cx, Focus::Terminal);
    }
}

/// Says why a command gets no keys, and what is possible.
pub fn explain_read_only(cx: &mut Cx<'_>, job: &AgentJob) {
    let message = match job.end_words() {
        None => {
            let stop = cx.state.how_to("terminal.stop-job");
            format!("A job of the agent: it takes no keys. Stop it: {stop}")
        }
        Some(words) => {
            let close = cx.state.how_to("terminal.close");
            format!("A job of the agent that has ended ({words}). Close it: {close}")
        }
    };
    cx.state.set_status(message);
}
