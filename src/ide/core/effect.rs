//! Work outside the loop that a command or an event asks for, in one closed list. Plain data:
//! the worker knows how.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nucleo::Injector;

use crate::ide::core::overlay::PickRow;
use crate::ide::editor::modal::background_job::Work;
use crate::ide::features::plugins::state::{PluginJob, PluginsJob};
use crate::ide::features::project_search;
use crate::ide::features::symbols::job::SymbolsJob;
use crate::ide::features::terminal::work::Work as TerminalWork;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::coloring::ColorJob;
use crate::ide::model::folding::FoldJob;
use crate::ide::model::results::Asked;
use crate::ide::model::scrollbar::Survey;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::{How, Needle};
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;
use crate::tui::input::Key;

/// One piece of outside work.
pub enum Effect {
    /// Search a text.
    Search(Box<SearchFor>),
    /// Do work of a modal map that grows with the text.
    Elsewhere(Work),
    /// Press keys that waited for it, as if they came now.
    Held(Vec<Key>),
    /// Look for more of what is selected.
    Occurrences(Box<Occurrences>),
    /// Find the colours of a part of a text.
    Color(BufferId, Box<ColorJob>),
    /// Give back the memory of parse trees, or of much else, which takes its time.
    Free(Box<dyn Send>),
    /// Find what is to be folded.
    Fold(BufferId, Box<FoldJob>),
    /// Look where in a whole text something stands, for the scrollbar.
    Survey(Box<Survey>),
    /// Read a folder.
    List(PathBuf),
    /// Put the workspace's files into the picker of this number; the time, on the monotonic clock.
    Walk(Injector<PickRow>, u64, Duration),
    /// Put the lines with a text into the picker of this number, in place of what it was searching
    /// for before.
    Grep(Box<GrepFor>),
    /// Nobody waits for a picker's rows any more.
    EndWalk,
    /// Put the snippets of folders for a language of these names into the picker of this number.
    Snippets(Injector<PickRow>, u64, Vec<PathBuf>, Vec<&'static str>),
    /// Read the plugins.
    ReadPlugins(Box<PluginsJob>),
    /// Run a command of a plugin.
    Plugin(Box<PluginJob>),
    /// Run a command of a plugin, by its id.
    RunPlugin(String),
    /// Put the named things of a text into a picker.
    Symbols(Injector<PickRow>, u64, Box<SymbolsJob>),
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

/// What to look for, and where.
pub struct SearchFor {
    /// In which file.
    pub buffer: BufferId,
    /// Its text.
    pub text: Text,
    /// The version of that text.
    pub version: u64,
    /// What to look for.
    pub wanted: String,
    /// How it is understood.
    pub how: How,
    /// Which match is wanted.
    pub ask: Search,
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

/// What came of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The match that was wanted.
    pub place: Option<Range<Byte>>,
    /// How many matches there are, where that was wanted, and which one it is, from 1.
    pub count: (usize, usize),
    /// What was looked for, prepared.
    pub needle: Option<Needle>,
    /// What to put in place of the match.
    pub replacement: String,
    /// What replaces everything, where that was wanted.
    pub edit: Option<Transaction>,
    /// Why nothing could be looked for.
    pub problem: Option<String>,
}

/// A selected text whose other places are wanted.
pub struct Occurrences {
    /// In which file.
    pub buffer: BufferId,
    /// Its text.
    pub text: Text,
    /// The version of that text.
    pub version: u64,
    /// What is selected.
    pub selection: Selection,
    /// Every place, or the next one.
    pub all: bool,
}

/// Which match is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// The first from where the search began, for what is being typed; the version of the
    /// question's answer.
    Typed {
        /// Where the search began.
        from: Byte,
        /// The version of the answer.
        answer: u64,
    },
    /// The first from a place on, going round.
    Next(Byte),
    /// The last before a place, going round.
    Previous(Byte),
    /// The first from a place on, to be replaced by a text if the person says so.
    Replace(Byte, String),
    /// Everything from a place on, to be replaced by a text.
    ReplaceAll(Byte, String),
}
