//! What the loop and the tasks of terminals tell each other. Plain data.

use std::path::PathBuf;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::emulator::screen::{ScrollBy, SelectionUnit};

/// Identifies a terminal for the life of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminalId(pub u64);

/// What a terminal is asked for.
#[derive(Debug)]
pub enum TerminalRequest {
    /// Let the program inside read this.
    Input(Vec<u8>),
    /// Have another size: columns and rows.
    Resize(u16, u16),
    /// The same for what nobody has typed: it does not scroll.
    Report(Vec<u8>),
    /// Show other rows.
    Scroll(ScrollBy),
    /// Begin a selection at a column and row, at the right half of the cell or not.
    Select((u16, u16), bool, SelectionUnit),
    /// Take the selection to a cell.
    SelectTo((u16, u16), bool),
    /// Select nothing.
    Unselect,
    /// Tell what is selected.
    Copy,
    /// Tell which file is named at a cell.
    WordAt((u16, u16)),
    /// Tell what changes on the screen, or do not: nobody sees it.
    Watch(bool),
    /// Start another shell in place of the one that ended.
    Restart,
    /// Tell which program runs in front of the shell.
    ForegroundProgram(oneshot::Sender<Option<String>>),
}

/// What happens to terminals.
#[derive(Debug)]
pub enum TerminalEvent {
    /// A shell runs; its name.
    Started(TerminalId, String),
    /// It shows something else. Until the permit is dropped it tells nothing new.
    GridChanged(TerminalId, Box<Grid>, OwnedSemaphorePermit),
    /// The shell has ended with this code.
    Ended(TerminalId, i32),
    /// No shell could be started, and why.
    Failed(TerminalId, String),
    /// What was selected.
    Copied(Option<String>),
    /// Where the user pointed a file is named: it and its line and column, from 1.
    Location(PathBuf, Option<(usize, usize)>),
    /// What stands where the user pointed names no file.
    NoLocation(String),
    /// The program inside does not read what it is given, and more is not kept.
    InputFull(TerminalId),
    /// A program inside wanted to write the clipboard.
    ClipboardRefused(TerminalId),
}
