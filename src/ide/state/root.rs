//! The whole state, put together from its parts. Nothing but fields and the few questions that
//! concern more than one part.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;

use super::again::Again;
use super::agent::{Agent, Prompt};
use super::area::Area;
use super::asks::Asks;
use super::awaiting::Awaiting;
use super::buffers::{BufferId, Buffers};
use super::damage::{Damage, Part};
use super::files::FileTree;
use super::jumps::Jumps;
use super::modal::Modal;
use super::overlay::Overlay;
use super::panes::{Focus, Panes};
use super::replacing::Replacing;
use super::show::Show;
use super::transcript::Transcript;
use super::transcript_view::TranscriptView;
use super::unsaved::Unsaved;
use crate::ide::keys::{Keymap, Place};
use crate::ide::layout::Areas;
use crate::ide::options::Options;
use crate::text::kill_ring::KillRing;
use crate::text::position::Byte;
use crate::text::registers::Registers;
use crate::text::search::{How, Needle};
use crate::text::selection::Selection;
use crate::tools::registry::Registry;
use crate::tui::input::Key;

/// What the last line says beside figures.
#[derive(Debug, Default)]
pub struct Status {
    /// The last message, until the next key.
    pub message: String,
    /// Whether it is a failure.
    pub is_error: bool,
}

/// Everything that the IDE knows.
pub struct State {
    /// The folder that is worked on.
    pub workspace: PathBuf,
    /// The user's home, for `~`.
    pub home: PathBuf,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// Where the panes are.
    pub areas: Areas,
    /// The open files.
    pub buffers: Buffers,
    /// What is kept of unsaved text.
    pub unsaved: Unsaved,
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
    /// Whether the editor was scrolled away from its cursor by the wheel.
    pub free_scroll: bool,
    /// Which cursor of which file the view was scrolled to last, in which pane.
    pub followed: Option<(BufferId, Byte, Rect)>,
    /// The text that is being replaced match by match, and what by.
    pub replacing: Option<Replacing>,
    /// What was selected when the find question came.
    pub before_find: Option<Selection>,
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
    /// The tools, for their plain views.
    pub tools: Registry,
    /// What must be drawn again.
    pub damage: Damage,
    /// Whether the program is to end.
    pub quit: bool,
    /// Called from any thread when a picker has something new.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

impl State {
    /// Nothing open, nothing read.
    pub fn new(
        options: &Options,
        size: (u16, u16),
        keymap: Keymap,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let panes = Panes { focus: Focus::Agent, ..Panes::default() };
        let tools = Registry::builtin();
        let agent = Agent {
            tools: tools.default_names().map(String::from).collect(),
            unrestricted: options.unrestricted,
            ..Agent::default()
        };
        Self {
            workspace: options.workspace.clone(),
            home: options.home.clone(),
            size,
            areas: Areas::default(),
            buffers: Buffers::default(),
            unsaved: Unsaved::default(),
            files: FileTree::new(&options.workspace),
            transcript: Transcript::default(),
            transcript_view: RefCell::default(),
            agent,
            asks: Asks::default(),
            guard_until: None,
            guard_swallows: false,
            prompt: Prompt::default(),
            overlays: Vec::new(),
            status: Status::default(),
            panes,
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
            free_scroll: false,
            followed: None,
            replacing: None,
            before_find: None,
            search_how: How::default(),
            highlight: None,
            modal: Modal::new(keymap.modes()),
            keymap,
            pending: Vec::new(),
            hints: Vec::new(),
            show: Show {
                tab_width: options.tab_width.clamp(1, 16),
                auto_pairs: options.auto_pairs,
                wrap_column: options.wrap_column.max(1),
                line_numbers: options.line_numbers,
                thinking: false,
                output: false,
            },
            tools,
            damage: Damage::default(),
            quit: false,
            wake,
        }
    }

    /// Where keys go now.
    pub fn place(&self) -> Place {
        match self.overlays.last() {
            Some(Overlay::Picker(_) | Overlay::Undo(_)) => Place::Picker,
            Some(Overlay::Question(_)) => Place::Question,
            Some(Overlay::Dialog(_)) => Place::Dialog,
            None => self.place_below(),
        }
    }

    /// Where keys go when nothing floats.
    pub fn place_below(&self) -> Place {
        match self.panes.focus {
            Focus::Files => Place::Files,
            Focus::Editor if self.buffers.current().is_none() => Place::Editor,
            Focus::Editor => self.modal.place(self.keymap.modes()),
            Focus::Agent => Place::Prompt,
        }
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
            Some(Overlay::Dialog(_) | Overlay::Undo(_)) => return None,
            None => {}
        }
        match self.panes.focus {
            Focus::Files => None,
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
