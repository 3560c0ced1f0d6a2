//! The whole state, put together from its parts. Nothing but fields and the few questions that
//! concern more than one part.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::ide::core::awaiting::Awaiting;
use crate::ide::core::damage::{Damage, Part};
use crate::ide::core::keymap::{Keymap, Place};
use crate::ide::core::lane::Lane;
use crate::ide::core::layout::Areas;
use crate::ide::core::macros::Again;
use crate::ide::core::options::Options;
use crate::ide::core::overlay::Overlay;
use crate::ide::core::panes::{Focus, Panes};
use crate::ide::editor::modal::state::Modal;
use crate::ide::editor::replacing::Replacing;
use crate::ide::features::agent::state::{Agent, Prompt};
use crate::ide::features::file_tree::steps::TreeSteps;
use crate::ide::features::files::watch::Watching;
use crate::ide::features::permissions::requests::Asks;
use crate::ide::features::plugins::state::Plugins;
use crate::ide::features::project_search::steps::Lists;
use crate::ide::features::recovery::unsaved::Unsaved;
use crate::ide::features::reopen::state::Restoring;
use crate::ide::features::reopen::store::OpenStore;
use crate::ide::features::terminal::state::Terminals;
use crate::ide::features::transcript::items::Transcript;
use crate::ide::features::transcript::view::TranscriptView;
use crate::ide::features::undo_store::store::UndoStore;
use crate::ide::model::area::Area;
use crate::ide::model::buffers::{BufferId, Buffers};
use crate::ide::model::display::Look;
use crate::ide::model::file_tree::FileTree;
use crate::ide::model::jumps::Jumps;
use crate::ide::model::scrollbar::Surveys;
use crate::ide::model::text_options::Show;
use crate::ide::model::visible_rows::Shown;
use crate::ide::model::windows::{Border, Windows};
use crate::text::edit::Indents;
use crate::text::kill_ring::KillRing;
use crate::text::position::Byte;
use crate::text::registers::Registers;
use crate::text::search::{How, Needle};
use crate::text::selection::Selection;
use crate::tools::registry::Registry;
use crate::tui::input::Key;
use crate::workspace::editorconfig::Rules;

/// What the last line says beside figures.
#[derive(Debug, Default)]
pub struct Status {
    /// The last message, until the next key.
    pub message: String,
    /// Whether it is a failure.
    pub is_error: bool,
}

/// Tells the loop, from any thread, that a picker has something new.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Everything that the IDE knows.
pub struct State {
    /// The folder that is worked on.
    pub workspace: PathBuf,
    /// What comes back from the last time, and what is kept for the next.
    pub restoring: Restoring,
    /// The user's home, for `~`.
    pub home: PathBuf,
    /// Where the person's own files of the program are.
    pub config: PathBuf,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// Where the panes are.
    pub areas: Areas,
    /// The open files.
    pub buffers: Buffers,
    /// What is kept of unsaved text.
    pub unsaved: Unsaved,
    /// Which files another process may have touched.
    pub watching: Watching,
    /// The file tree.
    pub files: FileTree,
    /// The conversation.
    pub transcript: Transcript,
    /// What of it is on screen. In a cell because drawing it lays it out.
    pub transcript_view: RefCell<TranscriptView>,
    /// The agent's figures and queues.
    pub agent: Agent,
    /// Tool calls that wait to be allowed.
    pub asks: Asks,
    /// Until when a dialog that came by itself ignores keys, on the monotonic clock.
    pub guard_until: Option<Duration>,
    /// Whether such keys are lost rather than typed: the dialog before was answered by keys.
    pub guard_swallows: bool,
    /// The agent's prompt.
    pub prompt: Prompt,
    /// What floats, the topmost last.
    pub overlays: Vec<Overlay>,
    /// The last line.
    pub status: Status,
    /// Which panes are open.
    pub panes: Panes,
    /// The terminals.
    pub terminals: Terminals,
    /// How many views of differences there were.
    pub diffs: u64,
    /// What was done to files from the tree.
    pub tree_steps: TreeSteps,
    /// What was changed in many files at once.
    pub lists: Box<Lists>,
    /// Ends the command of the shell that runs for a text.
    pub shell: Option<CancellationToken>,
    /// What plugins bring.
    pub plugins: Box<Plugins>,
    /// The last command that was typed for the shell.
    pub last_shell: String,
    /// What was cut.
    pub kill_ring: KillRing,
    /// What was kept under a name.
    pub registers: Registers,
    /// Where the person was before going far.
    pub jumps: Jumps,
    /// The version that the last yank made.
    pub yanked_at: Option<u64>,
    /// What can be done again.
    pub again: Again,
    /// The command that waits for one more character.
    pub awaiting: Option<Awaiting>,
    /// Whether plain motions extend the selection.
    pub selecting: bool,
    /// The last text that was looked for.
    pub last_search: Option<String>,
    /// Whether a search for the next or previous match is under way, and what was asked for
    /// meanwhile: forward or not.
    pub searching: Option<VecDeque<bool>>,
    /// A find question that was answered before its search was done: where it began, and the
    /// version of the answer.
    pub accepted_search: Option<(Byte, u64)>,
    /// The last click into the text: when, where, how many in a row.
    pub last_click: Option<(Duration, Byte, u8)>,
    /// How the editor is divided.
    pub windows: Windows,
    /// What the window with the keys showed last.
    pub shown: Option<Shown>,
    /// What the others showed.
    pub beside: Vec<Shown>,
    /// The lines between them.
    pub borders: Vec<Border>,
    /// Where in a text stands what was looked for, for the scrollbar.
    pub survey: Surveys,
    /// The text that is being replaced match by match, and what by.
    pub replacing: Option<Replacing>,
    /// What was selected when the find question came, in which file.
    pub before_find: Option<(BufferId, Selection)>,
    /// How what is looked for is understood.
    pub search_how: How,
    /// What was looked for, shown wherever it stands until Escape.
    pub highlight: Option<Needle>,
    /// The keys.
    pub keymap: Keymap,
    /// What a map with modes remembers.
    pub modal: Modal,
    /// Keys of a sequence that is not complete.
    pub pending: Vec<Key>,
    /// What may follow them, once the person has waited for it.
    pub hints: Vec<(String, String)>,
    /// How things are shown.
    pub show: Show,
    /// What the editor shows beside the text.
    pub look: Look,
    /// The tools, for their plain views.
    pub tools: Registry,
    /// Where undo trees are kept; `None` when they are not.
    pub undo_keeping: Option<UndoStore>,
    /// What the person was told once and need not be told again.
    pub told: BTreeSet<String>,
    /// What must be drawn again.
    pub damage: Damage,
    /// Whether the program is to end.
    pub quit: bool,
    /// Whether it is to end once no file is being changed.
    pub leaving: bool,
    /// Called from any thread when a picker has something new.
    pub wake: Wake,
    /// Where long texts are parsed, one after the other.
    pub parsing: Lane,
}

/// An agent that has done nothing yet.
fn agent(options: &Options, tools: &Registry) -> Agent {
    Agent {
        tools: tools.default_names().map(String::from).collect(),
        unrestricted: options.unrestricted,
        ..Agent::default()
    }
}

/// What is to come back, and where what is open is kept.
fn restoring(options: &Options) -> Restoring {
    let store = OpenStore::new(&options.state, &options.workspace);
    Restoring::new(options.keep_open, options.restored.clone(), store)
}

impl State {
    /// Nothing open, nothing read.
    pub fn new(options: &Options, size: (u16, u16), keymap: Keymap, wake: Wake) -> Self {
        let tools = Registry::of("pi");
        Self {
            workspace: options.workspace.clone(),
            restoring: restoring(options),
            home: options.home.clone(),
            config: options.config.clone(),
            size,
            areas: Areas::default(),
            buffers: Buffers::default(),
            unsaved: Unsaved::new(&options.state),
            watching: Watching::default(),
            files: FileTree::new(&options.workspace),
            transcript: Transcript::default(),
            transcript_view: RefCell::default(),
            agent: agent(options, &tools),
            asks: Asks::default(),
            guard_until: None,
            guard_swallows: false,
            prompt: Prompt::default(),
            overlays: Vec::new(),
            status: Status::default(),
            panes: Panes { focus: Focus::Agent, ..Panes::default() },
            terminals: Terminals::default(),
            diffs: 0,
            tree_steps: TreeSteps::new(&options.state),
            lists: Box::default(),
            shell: None,
            plugins: Box::new(Plugins { state: options.state.clone(), ..Plugins::default() }),
            last_shell: String::new(),
            kill_ring: KillRing::default(),
            registers: Registers::default(),
            jumps: Jumps::default(),
            yanked_at: None,
            again: Again::default(),
            awaiting: None,
            selecting: false,
            last_search: None,
            searching: None,
            accepted_search: None,
            last_click: None,
            windows: Windows::default(),
            shown: None,
            beside: Vec::new(),
            borders: Vec::new(),
            survey: Surveys::default(),
            replacing: None,
            before_find: None,
            search_how: How::default(),
            highlight: None,
            modal: Modal::new(keymap.modes()),
            keymap,
            pending: Vec::new(),
            hints: Vec::new(),
            show: Show::of(options),
            look: options.look.clone(),
            tools,
            undo_keeping: options.keep_undo.then(|| UndoStore::new(&options.state)),
            told: BTreeSet::new(),
            damage: Damage::default(),
            quit: false,
            leaving: false,
            wake,
            parsing: Lane::default(),
        }
    }

    /// Where keys go now.
    pub fn place(&self) -> Place {
        match self.overlays.last() {
            Some(Overlay::Picker(_) | Overlay::Undo(_)) => Place::Picker,
            Some(Overlay::Question(_)) => Place::Question,
            Some(Overlay::Dialog(_) | Overlay::Login(_) | Overlay::Inquiry(_) | Overlay::WayBack(_)) => {
                Place::Dialog
            }
            Some(Overlay::Diff(_)) => Place::Diff,
            Some(Overlay::Session(_)) => Place::SessionTree,
            Some(Overlay::Contents(_)) => Place::Contents,
            None => self.place_below(),
        }
    }

    /// Where keys go when nothing floats.
    pub fn place_below(&self) -> Place {
        match self.panes.focus {
            Focus::Files => Place::Files,
            Focus::Editor if self.buffers.current().is_none() => Place::Editor,
            Focus::Editor => match self.modal.place(self.keymap.modes()) {
                Place::Editor if self.shows_list() => Place::List,
                Place::Normal if self.shows_list() => Place::NormalList,
                Place::Editor | Place::Insert if self.goes_through_snippet() => Place::Snippet,
                place => place,
            },
            Focus::Agent => Place::Prompt,
            Focus::Terminal => Place::Terminal,
        }
    }

    /// Whether the text that is shown is a list of places.
    fn shows_list(&self) -> bool {
        self.buffers.current().is_some_and(|buffer| buffer.listing.is_some())
    }

    /// Whether the cursor is in a snippet whose stops are gone through.
    fn goes_through_snippet(&self) -> bool {
        self.buffers.current().is_some_and(|buffer| {
            let primary = buffer.area.selection.primary();
            buffer.area.riders.stops.as_ref().is_some_and(|stops| stops.holds(primary))
        })
    }

    /// How its project wants the text written that has the keys.
    pub fn rules(&self) -> Rules {
        self.buffers.current().filter(|_| self.in_file()).map(|buffer| buffer.rules).unwrap_or_default()
    }

    /// Whether keys go to the editor.
    fn in_file(&self) -> bool {
        self.overlays.is_empty() && self.panes.focus == Focus::Editor
    }

    /// Columns from one tab stop to the next in the text that has the keys.
    pub fn tab_width(&self) -> usize {
        self.rules().tab_width.unwrap_or(self.show.tab_width)
    }

    /// Columns of one step of indentation in the text that has the keys, and whether it is made
    /// of tabs: as the project says, else as the text does it.
    pub fn indentation(&self) -> (usize, Option<bool>) {
        let (rules, file) = (self.rules(), self.buffers.current().filter(|_| self.in_file()));
        let by_tabs = || Some(file?.area.document.indents()? == Indents::Tabs);
        (rules.indent.unwrap_or(self.tab_width()), rules.by_tabs.or_else(by_tabs))
    }

    /// The column at which paragraphs are broken in the text that has the keys.
    pub fn wrap_column(&self) -> usize {
        self.rules().line_length.unwrap_or(self.show.wrap_column)
    }

    /// Scrolls the conversation, upwards when negative.
    pub fn scroll_transcript(&mut self, lines: isize) {
        if let Some(area) = self.areas.transcript {
            let size = (area.width, area.height);
            self.transcript_view.borrow_mut().scroll(&self.transcript, self.show, size, lines);
        }
        self.damage.add(Part::Transcript);
    }

    /// The text that keys edit now, the kill ring beside it, and the part that shows it.
    pub fn text_target(&mut self) -> Option<(&mut Area, &mut KillRing, Part)> {
        let ring = &mut self.kill_ring;
        match self.overlays.last_mut() {
            Some(Overlay::Picker(picker)) => return Some((&mut picker.query, ring, Part::Overlay)),
            Some(Overlay::Question(question)) => return Some((&mut question.answer, ring, Part::Overlay)),
            Some(
                Overlay::Dialog(_)
                | Overlay::Undo(_)
                | Overlay::Diff(_)
                | Overlay::Session(_)
                | Overlay::Contents(_)
                | Overlay::Login(_)
                | Overlay::Inquiry(_)
                | Overlay::WayBack(_),
            ) => return None,
            None => {}
        }
        match self.panes.focus {
            Focus::Files | Focus::Terminal => None,
            Focus::Editor => self.buffers.current_mut().map(|buffer| (&mut buffer.area, ring, Part::Editor)),
            Focus::Agent => Some((&mut self.prompt.area, ring, Part::Prompt)),
        }
    }

    /// Notes where the cursor of the file that is shown is, before it goes far away.
    pub fn note_jump(&mut self) {
        if let Some(at) = self.buffers.current().map(|buffer| buffer.area.caret()) {
            self.jumps.note(&mut self.buffers, at, self.show.tab_width);
        }
    }

    /// Forgets a file, saved or not.
    pub fn close_buffer(&mut self, id: BufferId) {
        self.jumps.closing(&mut self.buffers, id, self.show.tab_width);
        self.buffers.close(id);
    }

    /// Says something in the last line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.status = Status { message: text.into(), is_error: false };
        self.damage.add(Part::Status);
    }

    /// Says in the last line that something failed.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.status = Status { message: text.into(), is_error: true };
        self.damage.add(Part::Status);
    }

    /// Puts something on top.
    pub fn push_overlay(&mut self, overlay: Overlay) {
        self.overlays.push(overlay);
        self.pending.clear();
        self.damage.all();
    }

    /// Nothing more comes for the picker of this number.
    pub fn filled(&mut self, number: u64) {
        for overlay in &mut self.overlays {
            if let Overlay::Picker(picker) = overlay
                && picker.number == number
            {
                picker.filling = false;
            }
        }
        self.damage.add(Part::Overlay);
    }

    /// Takes away what is on top.
    pub fn pop_overlay(&mut self) -> Option<Overlay> {
        self.damage.all();
        self.overlays.pop()
    }

    /// A path as a person wants to see it.
    pub fn shown(&self, path: &Path) -> String {
        crate::base::paths::display(path, &self.workspace)
    }
}
