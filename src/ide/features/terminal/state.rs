//! State of the terminals for the user interface. Must not know their tasks.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TrackedFuture;

use crate::ide::core::slots::Slot;
use crate::ide::features::terminal::agent_jobs::AgentJob;
use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::messages::{TerminalId, TerminalRequest};
use crate::tools::running::WatchedJob;

/// Maximum number of terminals with shells.
pub const TERMINALS_MAX: usize = 16;
/// Maximum number of tabs of background commands that have ended.
pub const ENDED_JOBS_MAX: usize = 8;

/// State of a terminal's shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellState {
    /// It is starting.
    Starting,
    /// It is running.
    Running,
    /// It has ended with this code.
    Ended(i32),
    /// It could not be started, with the reason.
    Failed(String),
}

/// A terminal.
#[derive(Debug)]
pub struct Terminal {
    /// Its id.
    pub id: TerminalId,
    /// The shell's name.
    pub name: String,
    /// State of its shell.
    pub shell: ShellState,
    /// Its content.
    pub grid: Grid,
    /// Channel for requests to its task, once there is one. The task ends when this is dropped.
    pub requests: Option<mpsc::Sender<TerminalRequest>>,
    /// The agent's background command that it shows in place of a shell.
    pub job: Option<AgentJob>,
    /// The first input of its shell.
    initial_input: Vec<u8>,
}

impl Terminal {
    /// Returns whether no process reads input any more.
    pub fn has_ended(&self) -> bool {
        if let Some(job) = &self.job {
            return job.end.is_some();
        }
        matches!(self.shell, ShellState::Ended(_) | ShellState::Failed(_))
    }
}

/// Slot of the feature's state.
pub const TERMINALS: Slot<Terminals> = Slot::new();

/// All terminals.
#[derive(Debug)]
pub struct Terminals {
    /// Those with shells, then those of background commands.
    list: Vec<Terminal>,
    /// The agent's background commands that run, and the last ones that have ended.
    jobs: Vec<AgentJob>,
    /// The key of the newest command that has or had a tab.
    last_job: u64,
    active: usize,
    last_id: u64,
    running: TaskTracker,
    /// Columns and rows last sent to the terminals.
    pub size: (u16, u16),
    /// The terminal that was notified that it is visible.
    pub watched: Option<TerminalId>,
    /// The terminal that was notified that it has the focus.
    pub focused: Option<TerminalId>,
    /// Whether the next key goes to the program, even if the pane would handle it.
    pub next_is_raw: bool,
    /// Whether a selection is being made with the mouse.
    pub selecting: bool,
    /// Whether the program inside gets mouse events while a button is held.
    pub held_inside: bool,
    /// Whether the pane's edge is being moved.
    pub resizing: bool,
    /// Column and row of a press that has not selected anything yet.
    pub selection_start: Option<(u16, u16)>,
    /// Where the selection being made began.
    pub selection_anchor: Option<(u16, u16)>,
    /// The last press: time, cell, number of presses in a row.
    pub last_click: Option<(Duration, (u16, u16), u8)>,
}

impl Default for Terminals {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            jobs: Vec::new(),
            last_job: 0,
            active: 0,
            last_id: 0,
            running: TaskTracker::new(),
            size: (0, 0),
            watched: None,
            focused: None,
            next_is_raw: false,
            selecting: false,
            held_inside: false,
            resizing: false,
            selection_start: None,
            selection_anchor: None,
            last_click: None,
        }
    }
}

impl Terminals {
    /// Returns all terminals, in the order of their titles.
    pub fn all(&self) -> &[Terminal] {
        &self.list
    }

    /// Returns the shown terminal.
    pub fn active(&self) -> Option<&Terminal> {
        self.list.get(self.active)
    }

    /// Returns the index of the shown terminal.
    pub fn active_index(&self) -> usize {
        self.active
    }

    /// Returns a terminal, to be changed.
    pub fn get_mut(&mut self, id: TerminalId) -> Option<&mut Terminal> {
        self.list.iter_mut().find(|terminal| terminal.id == id)
    }

    /// Adds a terminal whose shell gets `first` as input, and shows it; `None` if there are too many.
    pub fn add(&mut self, first: Vec<u8>) -> Option<TerminalId> {
        let at = self.list.iter().filter(|tab| tab.job.is_none()).count();
        if at >= TERMINALS_MAX {
            return None;
        }
        let id = self.insert(at, first, None);
        self.active = at;
        Some(id)
    }

    fn insert(&mut self, at: usize, initial_input: Vec<u8>, job: Option<AgentJob>) -> TerminalId {
        self.last_id += 1;
        let id = TerminalId(self.last_id);
        let (name, grid) = (String::new(), Grid::default());
        let shell = ShellState::Starting;
        self.list.insert(at, Terminal { id, name, shell, grid, requests: None, job, initial_input });
        id
    }

    /// Returns whether there is a terminal with a shell.
    pub fn has_shell(&self) -> bool {
        self.list.iter().any(|tab| tab.job.is_none())
    }

    /// Shows a terminal with a shell, the last one unless one is shown; returns whether there is any.
    pub fn show_shell(&mut self) -> bool {
        if self.active().is_none_or(|tab| tab.job.is_some()) {
            let Some(last) = self.list.iter().rposition(|tab| tab.job.is_none()) else { return false };
            self.active = last;
        }
        true
    }

    /// Returns the agent's background commands, in the order of their starts.
    pub fn jobs(&self) -> &[AgentJob] {
        &self.jobs
    }

    /// Returns how many background commands run.
    pub fn running_jobs(&self) -> usize {
        self.jobs.iter().filter(|job| job.end.is_none()).count()
    }

    /// Takes the present list of background commands: new ones get tabs at the end, the shown one stays. Returns those
    /// that are new or have ended.
    pub fn set_jobs(&mut self, jobs: Vec<WatchedJob>) -> Vec<AgentJob> {
        let before = std::mem::take(&mut self.jobs);
        let known = |key: u64| before.iter().find(|job| job.watched.key == key).map(|job| job.end);
        self.jobs = jobs.into_iter().map(AgentJob::new).collect();
        let is_new = |job: &&AgentJob| known(job.watched.key) != Some(job.end);
        let changes: Vec<AgentJob> = self.jobs.iter().filter(is_new).cloned().collect();
        for job in &changes {
            if job.watched.key > self.last_job {
                self.last_job = job.watched.key;
                self.insert(self.list.len(), Vec::new(), Some(job.clone()));
            }
        }
        // A command that has left the list has ended, too.
        for tab in self.list.iter_mut().filter_map(|tab| tab.job.as_mut()) {
            tab.end = tab.end.or_else(|| tab.watched.end());
        }
        self.remove_old_jobs(self.watched);
        changes
    }

    /// Removes the tabs of the commands that ended first, but not the one that the user sees.
    fn remove_old_jobs(&mut self, shown: Option<TerminalId>) {
        let ended: Vec<TerminalId> = self
            .list
            .iter()
            .filter(|tab| tab.job.as_ref().is_some_and(|job| job.end.is_some()))
            .map(|tab| tab.id)
            .collect();
        let surplus = ended.len().saturating_sub(ENDED_JOBS_MAX);
        for id in ended.into_iter().filter(|id| Some(*id) != shown).take(surplus) {
            self.remove(id);
        }
    }

    /// Shows the tab of a background command, a new one if it was closed. Returns whether the command is known.
    pub fn show_job(&mut self, key: u64) -> bool {
        let is_it = |tab: &Terminal| tab.job.as_ref().is_some_and(|job| job.watched.key == key);
        if let Some(at) = self.list.iter().position(is_it) {
            self.active = at;
            return true;
        }
        let Some(job) = self.jobs.iter().find(|job| job.watched.key == key).cloned() else { return false };
        let end = self.list.len();
        let id = self.insert(end, Vec::new(), Some(job));
        self.active = end;
        self.remove_old_jobs(Some(id));
        true
    }

    /// Returns the terminals without a task, with the first input of their shells.
    pub fn take_unstarted(&mut self) -> Vec<(TerminalId, Vec<u8>)> {
        let fresh = self.list.iter_mut().filter(|terminal| terminal.requests.is_none());
        fresh.map(|terminal| (terminal.id, std::mem::take(&mut terminal.initial_input))).collect()
    }

    /// Returns the terminals with a task.
    pub fn started(&self) -> Vec<TerminalId> {
        self.list.iter().filter(|terminal| terminal.requests.is_some()).map(|terminal| terminal.id).collect()
    }

    /// Tracks the task of a terminal, so that [`Terminals::end`] waits for it.
    pub fn track<F: Future>(&self, task: F) -> TrackedFuture<F> {
        self.running.track_future(task)
    }

    /// Ends all terminals and their processes; the future completes once all are gone.
    pub fn end(&mut self) -> impl Future<Output = ()> + use<> {
        // The list is emptied, so that no frame starts one again.
        self.list.clear();
        let running = self.running.clone();
        running.close();
        async move { running.wait().await }
    }

    /// Returns the terminals whose shells may be running; the commands of the agent are not theirs.
    pub fn running(&self) -> Vec<TerminalId> {
        let runs = |tab: &&Terminal| {
            tab.job.is_none() && matches!(tab.shell, ShellState::Starting | ShellState::Running)
        };
        self.list.iter().filter(runs).map(|terminal| terminal.id).collect()
    }

    /// Shows the terminal this many places further, wrapping around.
    pub fn step(&mut self, by: isize) {
        let all = self.list.len().max(1) as isize;
        self.show(((self.active as isize + by).rem_euclid(all)) as usize);
    }

    /// Shows the terminal at an index.
    pub fn show(&mut self, index: usize) {
        self.active = index.min(self.list.len().saturating_sub(1));
    }

    /// Removes a terminal; another is shown in its place.
    pub fn remove(&mut self, id: TerminalId) {
        let Some(at) = self.list.iter().position(|terminal| terminal.id == id) else { return };
        self.list.remove(at);
        let before = usize::from(self.active > at);
        self.show(self.active - before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::features::terminal::agent_job_terminal::tests::run;

    fn ids(terminals: &Terminals) -> (Vec<u64>, Option<u64>) {
        let all = terminals.all().iter().map(|terminal| terminal.id.0).collect();
        (all, terminals.active().map(|terminal| terminal.id.0))
    }

    #[test]
    fn terminals_one_is_active_while_any_is_open() {
        let mut terminals = Terminals::default();
        assert_eq!(ids(&terminals), (vec![], None));
        terminals.step(1);
        for _ in 0..3 {
            terminals.add(Vec::new());
        }
        assert_eq!(ids(&terminals), (vec![1, 2, 3], Some(3)));
        terminals.step(1);
        assert_eq!(terminals.active_index(), 0);
        terminals.step(-1);
        terminals.remove(TerminalId(1));
        assert_eq!(ids(&terminals), (vec![2, 3], Some(3)));
        terminals.remove(TerminalId(3));
        assert_eq!(ids(&terminals), (vec![2], Some(2)));
        terminals.remove(TerminalId(2));
        assert_eq!(ids(&terminals), (vec![], None));
        assert_eq!(terminals.add(Vec::new()), Some(TerminalId(4)), "numbers are not used again");
    }

    #[test]
    fn terminals_number_is_limited() {
        let mut terminals = Terminals::default();
        let added = (0..20).filter_map(|_| terminals.add(Vec::new())).count();
        assert_eq!(added, TERMINALS_MAX);
    }

    #[tokio::test]
    async fn terminals_with_background_jobs_count_and_type_apart() {
        let mut terminals = Terminals::default();
        let (_folder, _shared, job) = run("sleep 60").await;
        assert_eq!(terminals.set_jobs(vec![job.clone()]).len(), 1);
        assert!(terminals.set_jobs(vec![job.clone()]).is_empty(), "nothing is new");
        assert!(!terminals.has_shell() && !terminals.show_shell());
        assert_eq!((terminals.running().len(), terminals.running_jobs()), (0, 1));
        let shells = (0..20).filter_map(|_| terminals.add(Vec::new())).count();
        assert_eq!((shells, terminals.all().len()), (TERMINALS_MAX, TERMINALS_MAX + 1));
        assert!(terminals.show_job(job.key) && terminals.active().is_some_and(|tab| tab.job.is_some()));
        assert!(terminals.show_shell() && terminals.active().is_some_and(|tab| tab.job.is_none()));
        let id = terminals.all().last().map(|tab| tab.id).unwrap();
        terminals.remove(id);
        terminals.set_jobs(vec![job.clone()]);
        assert_eq!(terminals.all().len(), TERMINALS_MAX, "a closed tab does not come back by itself");
        assert!(terminals.show_job(job.key) && !terminals.show_job(job.key + 1));
        job.stop();
        job.wait_for_end().await;
        assert_eq!(terminals.set_jobs(vec![job]).len(), 1);
        assert_eq!((terminals.running_jobs(), terminals.active().map(Terminal::has_ended)), (0, Some(true)));
    }
}
