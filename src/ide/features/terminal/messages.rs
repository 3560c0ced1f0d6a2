//! Messages between the event loop and the tasks of terminals. Plain data.

use std::path::PathBuf;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::emulator::screen::prompts::CommandText;
use crate::ide::features::terminal::emulator::screen::{ScrollBy, SelectionUnit};

/// Id of a terminal, unique while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminalId(pub u64);

/// A request to a terminal.
#[derive(Debug)]
pub enum TerminalRequest {
    /// Send this input to the program.
    Input(Vec<u8>),
    /// Resize to this number of columns and rows.
    Resize(u16, u16),
    /// Send input that was not typed: it does not scroll.
    Report(Vec<u8>),
    /// Scroll.
    Scroll(ScrollBy),
    /// Begin a selection at a column and row, at the right half of the cell or not.
    Select((u16, u16), bool, SelectionUnit),
    /// Extend the selection to a cell.
    SelectTo((u16, u16), bool),
    /// Clear the selection.
    Unselect,
    /// Return the selected text.
    Copy,
    /// Return the file named at a cell.
    WordAt((u16, u16)),
    /// Return the file named by the selected text.
    SelectedFile,
    /// Return the selected text, else the last command with its output.
    TextForAgent,
    /// Return all rows, with those that have scrolled out.
    AllText,
    /// Scroll to the prompt before the first row, or after it.
    ToPrompt {
        /// Whether before.
        is_back: bool,
    },
    /// Start or stop sending content, as the terminal becomes visible or hidden.
    Watch(bool),
    /// Start another shell in place of the one that ended.
    Restart,
    /// Return the foreground program of the shell.
    ForegroundProgram(oneshot::Sender<Option<String>>),
}

/// Text of a terminal for the agent.
#[derive(Debug)]
pub enum TerminalText {
    /// The selected text.
    Selected(String),
    /// A command with its output.
    Command(CommandText),
}

/// An event of a terminal.
#[derive(Debug)]
pub enum TerminalEvent {
    /// A shell was started; its name.
    Started(TerminalId, String),
    /// New content. Nothing more is sent until the permit is dropped.
    GridChanged(TerminalId, Box<Grid>, OwnedSemaphorePermit),
    /// The shell has ended with this code.
    Ended(TerminalId, i32),
    /// No shell could be started, and why.
    Failed(TerminalId, String),
    /// The selected text; `None` if there is none, also where it was to name a file.
    Copied(Option<String>),
    /// The file named at the requested cell, with its one-based line and column.
    Location(PathBuf, Option<(usize, usize)>),
    /// The text at the requested cell names no file.
    NoLocation(String),
    /// What the agent is to be shown.
    ForAgent(Option<TerminalText>),
    /// All rows, wrapped ones joined.
    AllText(String),
    /// There is no prompt to scroll to, or none at all.
    NoPrompt {
        /// Whether the shell has marked any.
        has_marks: bool,
    },
    /// The program inside does not read its input, and the queue is full.
    InputFull(TerminalId),
    /// A program inside tried to write the clipboard.
    ClipboardRefused(TerminalId),
}
