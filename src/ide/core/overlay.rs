//! What floats on top of the panes: pickers, questions, dialogs. Must not know what their
//! answers lead to.

use std::path::PathBuf;
use std::sync::Arc;

use nucleo::pattern::{CaseMatching, Normalization};
use nucleo::{Injector, Nucleo};
use tokio_util::sync::DropGuard;

use crate::ide::features::context::view::ContentsView;
use crate::ide::features::diff::view::DiffView;
use crate::ide::features::login::view::LoginView;
use crate::ide::features::questions::view::Inquiry;
use crate::ide::features::restore::view::WayBack;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::features::terminal::work::TerminalId;
use crate::ide::features::undo_tree::view::UndoView;
use crate::ide::model::area::Area;
use crate::ide::model::buffers::BufferId;
use crate::text::encoding::Encoding;
use crate::text::position::Byte;

/// One thing that floats.
pub enum Overlay {
    /// A list with a fuzzy filter.
    Picker(Box<Picker>),
    /// A one-line question.
    Question(Box<Question>),
    /// A text with a choice of answers.
    Dialog(Dialog),
    /// The undo tree of a file.
    Undo(Box<UndoView>),
    /// What differs between two texts.
    Diff(Box<DiffView>),
    /// The tree of the session.
    Session(Box<SessionView>),
    /// What the next request will hold.
    Contents(Box<ContentsView>),
    /// A login that is going on.
    Login(Box<LoginView>),
    /// Questions of the agent.
    Inquiry(Box<Inquiry>),
    /// A way back of files.
    WayBack(Box<WayBack>),
}

/// What a picked row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// A command's id.
    Command(&'static str),
    /// The id of a plugin's command.
    Plugin(String),
    /// A file, relative to the workspace.
    File(String),
    /// An open file.
    Buffer(BufferId),
    /// An encoding.
    Encoding(Encoding),
    /// A model.
    Model {
        /// Provider id.
        provider: String,
        /// Model id.
        id: String,
    },
    /// A provider.
    Provider {
        /// Its id.
        id: String,
        /// For people.
        name: String,
    },
    /// A key map that comes with bowline.
    Keymap(&'static str),
    /// A register.
    Register(char),
    /// A mark.
    Mark(char),
    /// A place of the list of jumps.
    Jump(usize),
    /// A place in a version of an open file.
    Symbol {
        /// Which file.
        buffer: BufferId,
        /// The version of its text.
        version: u64,
        /// Where in it.
        at: Byte,
    },
    /// A place in a file: line and column from 1.
    Place {
        /// Which file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A tool's name.
    Tool(String),
    /// A session's file.
    Session(PathBuf),
    /// A snippet's body.
    Snippet(String),
    /// What was said before.
    Prompt(String),
    /// A place in any conversation.
    Said {
        /// The session's id.
        session: String,
        /// Its file.
        file: PathBuf,
        /// The entry's id.
        entry: String,
    },
}

/// One row of a picker.
#[derive(Debug, Clone)]
pub struct PickRow {
    /// What the filter sees.
    pub text: String,
    /// Shown dimmed behind it: keys, sizes, prices.
    pub detail: String,
    /// What it stands for.
    pub pick: Pick,
}

/// A list with a fuzzy filter, filled from anywhere while it is shown.
pub struct Picker {
    /// The id of its row in the table of pickers.
    pub id: &'static str,
    /// Counts the pickers of this run, so that what comes late finds the right one; the upper half
    /// counts the searches of one whose query is what is searched for.
    pub number: u64,
    /// Whether every query is searched for anew, rather than filtering what is there.
    pub live: bool,
    /// What is being typed.
    pub query: Area,
    /// Which match is selected, from the best.
    pub selected: u32,
    /// Rows whose mark is set, for pickers that switch things.
    pub marked: Vec<Pick>,
    /// Whether rows can still come.
    pub filling: bool,
    /// Whether the matcher has seen every row and the whole query.
    pub settled: bool,
    /// Whether the query changed after the matcher was asked last.
    pub behind: bool,
    /// Cancels the search for the query when it is dropped, as with the picker.
    pub search: Option<DropGuard>,
    matcher: Nucleo<PickRow>,
    last_query: String,
}

impl Picker {
    /// An empty picker; `wake` is called, from any thread, when there is something new to show.
    pub fn new(id: &'static str, number: u64, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        // One thread: two cores also have a screen to draw and a file system to walk.
        let matcher = Nucleo::new(nucleo::Config::DEFAULT.match_paths(), wake, Some(1), 1);
        Self {
            id,
            number,
            live: false,
            query: Area::default(),
            selected: 0,
            marked: Vec::new(),
            filling: false,
            settled: true,
            behind: false,
            search: None,
            matcher,
            last_query: String::new(),
        }
    }

    /// Where rows are put in, from any thread.
    pub fn injector(&self) -> Injector<PickRow> {
        self.matcher.injector()
    }

    /// Puts rows in.
    pub fn fill(&self, rows: impl IntoIterator<Item = PickRow>) {
        let injector = self.injector();
        for row in rows {
            push(&injector, row);
        }
    }

    /// Whether the query is another one than the matcher has.
    pub fn query_changed(&self) -> bool {
        self.query.text().to_string() != self.last_query
    }

    /// Forgets all rows: those for the query as it stands come from a new search.
    pub fn renew(&mut self) -> Injector<PickRow> {
        self.last_query = self.query.text().to_string();
        self.matcher.restart(true);
        self.selected = 0;
        self.number += SEARCH;
        self.injector()
    }

    /// Others in place of all rows; the query stays.
    pub fn replace(&mut self, rows: impl IntoIterator<Item = PickRow>) {
        self.matcher.restart(true);
        self.fill(rows);
    }

    /// Takes the query as it stands to the matcher, which begins with the next [`Picker::tick`].
    pub fn refilter(&mut self) {
        let query = self.query.text().to_string();
        let appended = query.starts_with(&self.last_query);
        self.matcher.pattern.reparse(0, &query, CaseMatching::Smart, Normalization::Smart, appended);
        self.last_query = query;
        self.selected = 0;
        (self.behind, self.settled) = (true, false);
    }

    /// Lets the matcher publish what it has; waits for it no longer than `wait_ms`. Tells
    /// whether the list changed.
    pub fn tick(&mut self, wait_ms: u64) -> bool {
        let status = self.matcher.tick(wait_ms);
        (self.behind, self.settled) = (false, !status.running);
        let changed = status.changed;
        self.selected = self.selected.min(self.matches().saturating_sub(1));
        changed
    }

    /// Waits for the matches of the query that was typed before one of them is chosen: what is shown may be those of
    /// the query before.
    pub fn catch_up(&mut self) {
        if !self.settled {
            self.tick(CHOICE_WAIT_MS);
        }
    }

    /// How many rows match.
    pub fn matches(&self) -> u32 {
        self.matcher.snapshot().matched_item_count()
    }

    /// How many rows there are.
    pub fn total(&self) -> u32 {
        self.matcher.snapshot().item_count()
    }

    /// The matching rows from one on, best first.
    pub fn rows(&self, from: u32, count: u32) -> impl Iterator<Item = &PickRow> {
        let snapshot = self.matcher.snapshot();
        let end = (from + count).min(snapshot.matched_item_count());
        snapshot.matched_items(from.min(end)..end).map(|item| item.data)
    }

    /// The selected row.
    pub fn current(&self) -> Option<&PickRow> {
        self.rows(self.selected, 1).next()
    }

    /// Moves the selection.
    pub fn step(&mut self, by: i64) {
        let last = i64::from(self.matches().saturating_sub(1));
        self.selected = (i64::from(self.selected) + by).clamp(0, last) as u32;
    }
}

/// How long a choice waits for the matches, in milliseconds.
const CHOICE_WAIT_MS: u64 = 500;

/// One search of a picker, in its number.
const SEARCH: u64 = 1 << 32;

/// Puts one row into a picker.
pub fn push(injector: &Injector<PickRow>, row: PickRow) {
    injector.push(row, |row, columns| columns[0] = row.text.as_str().into());
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// A text to find; the cursor moves while it is typed. Where the search began.
    Find(crate::text::position::Byte),
    /// A line, or a line and a column.
    GoToLine,
    /// How long ago the text was as it is wanted again.
    Earlier,
    /// A text to replace.
    Replace,
    /// What to put in place of a text.
    ReplaceWith(String),
    /// A text to find in all files.
    WorkspaceSearch,
    /// A text to replace in all files.
    WorkspaceReplace,
    /// What to put in its place.
    WorkspaceReplaceWith(String),
    /// What to look for in a modal map; forward or not.
    Seek(bool),
    /// A pattern to pick selections by; how, as the map with modes numbers it.
    Pick(u8),
    /// A command line of a modal map.
    Line,
    /// Where to make a file or folder.
    Create,
    /// Where to move this file or folder.
    Move(PathBuf),
    /// A command for the shell; whether it reads what is selected.
    Pipe(bool),
    /// Where to save a text that has no file.
    SaveAs(BufferId),
    /// A label for an entry of the session that the tree of this number shows.
    Label(u64, String),
    /// What entries of the session tree are to say.
    TreeSearch,
    /// What a summary of the branch that is left is to be about.
    SummaryAbout,
    /// What the session is to be called.
    SessionName,
    /// Which file to open.
    Open,
    /// Which file to compare with.
    DiffWith,
    /// From where to take sessions of other programs over.
    Import,
    /// The command of this tool call, changed.
    EditCall(u64),
    /// Why this tool call may not run.
    RefuseCall(u64),
}

/// A one-line question.
#[derive(Debug)]
pub struct Question {
    /// What it is about.
    pub topic: Topic,
    /// What is being typed.
    pub answer: Area,
    /// Why the last answer was not taken, or how many matches there are.
    pub note: String,
    /// How the answer is understood, when not plainly.
    pub how: String,
    /// The version of the answer that was acted on.
    pub seen: u64,
    /// The version whose search is done.
    pub searched: u64,
}

/// A text with a choice of answers, each one key.
#[derive(Debug, Clone)]
pub struct Dialog {
    /// In the frame.
    pub title: String,
    /// The text, wrapped when shown.
    pub lines: Vec<String>,
    /// The answers.
    pub choices: Vec<Choice>,
    /// First line shown, for long texts.
    pub top: usize,
    /// Whether the lines are those of a difference: coloured by their first character, cut
    /// nowhere but at the edge of a wide frame.
    pub is_difference: bool,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The key that gives it.
    pub key: char,
    /// What it does, in two or three words.
    pub label: String,
    /// What it means.
    pub answer: Answer,
}

/// What an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing; the dialog goes away.
    Dismiss,
    /// Leave, whatever is unsaved.
    Quit,
    /// Save everything, then leave.
    SaveAndQuit,
    /// End this terminal, whatever runs in it.
    CloseTerminal(TerminalId),
    /// Close this file without saving.
    Discard(BufferId),
    /// Save this file and close it.
    SaveAndClose(BufferId),
    /// Save over what somebody else wrote.
    Overwrite(BufferId, PathBuf),
    /// Read the file again; the text as it was can be had back by undo.
    Reload(BufferId),
    /// The same, as the answer to a question that came by itself.
    TakeDisk(BufferId),
    /// Show how the file on disk differs from the text.
    ShowDisk(BufferId),
    /// Keep the text; saving writes over what is on disk now.
    KeepText(BufferId),
    /// Read the file again in this encoding.
    ReadAs(BufferId, Encoding),
    /// Save the file in this encoding.
    SaveIn(BufferId, Encoding),
    /// Bring unsaved text of an earlier run back.
    Recover(u64),
    /// Give it up.
    DiscardLeft(u64),
    /// Let the tool call run.
    Allow(u64),
    /// Let it run, and every further call that the same rule would ask for.
    AllowAlways(u64),
    /// Let it run, and for the rest of the session those like it.
    AllowLike(u64),
    /// Show the rule that would last.
    Propose(u64),
    /// Write that rule for this project and let it run.
    Lasting(u64),
    /// The same for all projects.
    LastingAnywhere(u64),
    /// Ask about it again.
    AskAgain(u64),
    /// Change its command first.
    EditCall(u64),
    /// Do not let it run.
    Deny(u64),
    /// Do not, and say why.
    Refuse(u64),
    /// Take the lines at the cursor back to what git has.
    RevertHunk,
    /// Replace the match at the cursor and go to the next.
    ReplaceOne,
    /// Leave it and go to the next.
    ReplaceSkip,
    /// Replace it and all that follow.
    ReplaceAll,
    /// Replace nothing more.
    ReplaceStop,
    /// What to do with a match of a substitution, as Vim names it.
    Confirm(char),
    /// Delete this file or folder.
    Delete(PathBuf),
    /// Move the session of this file into the trash.
    DeleteSession(PathBuf),
    /// Change files as their list was edited.
    ApplyList,
    /// What the project wants to run may, or may not; nothing: it may until the program ends.
    Trust(Option<bool>),
}

impl Topic {
    /// Whether its answer is looked for, as the switches of searches say.
    pub fn searches(&self) -> bool {
        let in_file = matches!(self, Self::Find(_) | Self::Replace | Self::ReplaceWith(_));
        let everywhere =
            matches!(self, Self::WorkspaceSearch | Self::WorkspaceReplace | Self::WorkspaceReplaceWith(_));
        in_file || everywhere
    }
}

impl Dialog {
    /// A dialog that only tells something.
    pub fn message(title: impl Into<String>, lines: Vec<String>) -> Self {
        let choices = vec![Choice { key: '\n', label: "close".to_string(), answer: Answer::Dismiss }];
        Self { title: title.into(), lines, choices, top: 0, is_difference: false }
    }

    /// Adds an answer.
    #[must_use]
    pub fn choice(mut self, key: char, label: &str, answer: Answer) -> Self {
        self.choices.push(Choice { key, label: label.to_string(), answer });
        self
    }

    /// A dialog that shows a difference: lines that begin with `+`, `-` or a space.
    pub fn difference(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { is_difference: true, ..Self::ask(title, lines) }
    }

    /// A dialog that asks something.
    pub fn ask(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, choices: Vec::new(), top: 0, is_difference: false }
    }
}

/// A dialog that opened by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Uninvited {
    /// By its first answer.
    Dialog(Answer),
    /// Questions of the agent, by their number.
    Inquiry(u64),
}

impl Overlay {
    /// What identifies it if it opened by itself: a key that the user has typed before it opened must not answer it.
    pub fn uninvited(&self) -> Option<Uninvited> {
        if let Self::Inquiry(view) = self {
            return Some(Uninvited::Inquiry(view.number));
        }
        let Self::Dialog(dialog) = self else { return None };
        let first = dialog.choices.first().map(|choice| &choice.answer)?;
        matches!(first, Answer::Allow(_) | Answer::Recover(_) | Answer::TakeDisk(_) | Answer::Trust(_))
            .then(|| Uninvited::Dialog(first.clone()))
    }
}
