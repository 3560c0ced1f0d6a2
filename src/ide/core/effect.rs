//! Work outside the loop that a command or an event asks for, in one closed list. Plain data:
//! the worker knows how.

use nucleo::Injector;

use crate::ide::core::overlay::PickRow;
use crate::ide::features::project_search;
use crate::ide::features::terminal::work::Work as TerminalWork;
use crate::ide::model::results::Asked;
use crate::text::position::Line;
use crate::tui::input::Key;

/// One piece of outside work.
pub enum Effect {
    /// Press keys that waited for it, as if they came now.
    Held(Vec<Key>),
    /// Put the lines with a text into the picker of this number, in place of what it was searching
    /// for before.
    Grep(Box<GrepFor>),
    /// Nobody waits for a picker's rows any more.
    EndWalk,
    /// Run a command of a plugin, by its id.
    RunPlugin(String),
    /// Press keys, one after the other.
    Keys(Vec<Key>),
    /// Press the keys that were typed so many times more, then end typing.
    Retype {
        /// What was typed.
        keys: Vec<Key>,
        /// How often it comes again.
        times: usize,
    },
    /// Press keys on so many lines; at the cursor where there are none.
    Normal {
        /// What is pressed on each.
        keys: Vec<Key>,
        /// How many lines there are.
        lines: usize,
        /// The first of them; where there is none they wait as places of the text.
        first: Option<Line>,
    },
    /// The keys of a register were pressed.
    Played,
    /// The last change of a modal map was made again.
    Repeated,
    /// Run a command, by its id.
    Run(&'static str),
    /// Show a picker; by its id in the table.
    Picker(&'static str),
    /// Take the selected row of the picker on top.
    Accept,
    /// Put a text on the system's clipboard.
    Copy(String),
    /// Work for a list of places.
    Listing(Box<project_search::job::Job>),
    /// Do something for terminals.
    Terminal(TerminalWork),
    /// Draw everything from scratch.
    Repaint,
}

/// What to look for in all files, for a picker.
pub struct GrepFor {
    /// Where rows are put in.
    pub injector: Injector<PickRow>,
    /// The picker's number.
    pub picker: u64,
    /// What to look for.
    pub asked: Asked,
    /// The open files.
    pub open: Vec<project_search::job::OpenText>,
    /// Columns from one tab stop to the next.
    pub tab_width: usize,
}
