//! State of the terminals for the user interface. Must not know their tasks.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TrackedFuture;

use crate::ide::core::slots::Slot;
use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::messages::{TerminalId, TerminalRequest};

/// Maximum number of terminals.
pub const TERMINALS_MAX: usize = 16;

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
    /// The first input of its shell.
    initial_input: Vec<u8>,
}

impl Terminal {
    /// Returns whether no process reads input any more.
    pub fn has_ended(&self) -> bool {
        matches!(self.shell, ShellState::Ended(_) | ShellState::Failed(_))
    }
}

/// Slot of the feature's state.
pub const TERMINALS: Slot<Terminals> = Slot::new();

/// All terminals.
#[derive(Debug)]
pub struct Terminals {
    list: Vec<Terminal>,
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
        if self.list.len() >= TERMINALS_MAX {
            return None;
        }
        self.last_id += 1;
        let id = TerminalId(self.last_id);
        let (name, grid) = (String::new(), Grid::default());
        self.list.push(Terminal {
            id,
            name,
            shell: ShellState::Starting,
            grid,
            requests: None,
            initial_input: first,
        });
        self.active = self.list.len() - 1;
        Some(id)
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

    /// Returns the terminals whose shells may be running.
    pub fn running(&self) -> Vec<TerminalId> {
        let runs =
            |terminal: &&Terminal| matches!(terminal.shell, ShellState::Starting | ShellState::Running);
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
}
