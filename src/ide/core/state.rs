//! The whole state of the IDE, composed of its parts: only fields, and queries that concern more than one
//! part.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;

use crate::ide::core::catalog::Catalog;
use crate::ide::core::damage::{Damage, Part};
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::core::keys::macros::Macros;
use crate::ide::core::keys::modal::Modal;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::layers::last_picker::LastPicker;
use crate::ide::core::layers::layer::{Layer, Layers};
use crate::ide::core::layers::picker::{self, Picker};
use crate::ide::core::layout::{self, Areas};
use crate::ide::core::options::Options;
use crate::ide::core::panes::{AgentPart, Focus, Panes};
use crate::ide::core::slots::Slots;
use crate::ide::core::status::Status;
use crate::ide::core::tasks::work_thread::WorkThread;
use crate::ide::model::agent::Agent;
use crate::ide::model::buffers::{BufferId, Buffers};
use crate::ide::model::file_tree::FileTree;
use crate::ide::model::find_state::SearchState;
use crate::ide::model::jumps::Jumps;
use crate::ide::model::pane_sizes::PaneSizes;
use crate::ide::model::prompt::Prompt;
use crate::ide::model::text_area::TextArea;
use crate::ide::model::view::display::DisplayOptions;
use crate::ide::model::view::scrollbar::ScrollbarScans;
use crate::ide::model::view::text_options::TextOptions;
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::ide::model::windows::{Border, Windows};
use crate::text::clipboard::kill_ring::KillRing;
use crate::text::clipboard::registers::Registers;
use crate::text::operations::edit::IndentKind;
use crate::text::position::Byte;
use crate::tools::contract::registry::Registry;
use crate::tui::input::Key;
use crate::workspace::editorconfig::Rules;

/// Notifies the event loop, from any thread, that a picker has something new.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// State of the IDE.
pub struct State {
    /// The folder that is worked on.
    pub workspace: PathBuf,
    /// The user's home, for `~`.
    pub home: PathBuf,
    /// Folder of the user's own configuration.
    pub config: PathBuf,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// Areas of the panes.
    pub areas: Areas,
    /// The open files.
    pub buffers: Buffers,
    /// Tables of what is built on the kernel.
    pub catalog: &'static Catalog,
    /// State of the features.
    pub slots: Slots,
    /// The file tree.
    pub files: FileTree,
    /// The agent's figures and queues.
    pub agent: Agent,
    /// Until when a dialog that opened by itself ignores keys, on the monotonic clock.
    pub guard_until: Option<Duration>,
    /// Whether such keys are lost rather than typed: the dialog before was answered by keys.
    pub guard_swallows: bool,
    /// The agent's prompt.
    pub prompt: Prompt,
    /// What is typed into a waiting approval: a reason, or the command to run instead.
    pub approval_text: Option<TextArea>,
    /// Overlays, the topmost last.
    pub layers: Layers,
    /// Number of pickers opened so far.
    pub picker_count: u64,
    /// The last picker of places in files, to open it again.
    pub last_picker: Option<LastPicker>,
    /// The last line.
    pub status: Status,
    /// Which panes are open.
    pub panes: Panes,
    /// Killed texts.
    pub kill_ring: KillRing,
    /// Texts stored by name.
    pub registers: Registers,
    /// Positions before long jumps.
    pub jumps: Jumps,
    /// Text version created by the last yank.
    pub last_yank_version: Option<u64>,
    /// What can be repeated.
    pub macros: Macros,
    /// The command that waits for one more character.
    pub pending_char: Option<PendingChar>,
    /// Whether plain motions extend the selection.
    pub selecting: bool,
    /// Whether completions are shown at the editor's caret.
    pub shows_editor_completions: bool,
    /// Search and replacement in the focused text.
    pub search: SearchState,
    /// The last click into the text: time, position, number of clicks in a row.
    pub last_click: Option<(Duration, Byte, u8)>,
    /// How the editor is split.
    pub windows: Windows,
    /// Rows last shown by the focused window.
    pub visible_rows: Option<VisibleRows>,
    /// Rows shown by the other windows.
    pub other_visible_rows: Vec<VisibleRows>,
    /// Borders between the windows.
    pub borders: Vec<Border>,
    /// Match positions for the scrollbar.
    pub scrollbar_scans: ScrollbarScans,
    /// The keys.
    pub keymap: Keymap,
    /// State of the modal key map.
    pub modal: Modal,
    /// Keys of a sequence that is not complete.
    pub pending: Vec<Key>,
    /// Possible continuations of the pending keys, once the user has paused.
    pub hints: Vec<(String, String)>,
    /// The page of them that is shown.
    pub hints_page: usize,
    /// Display settings.
    pub text_options: TextOptions,
    /// Decorations that the editor shows beside the text.
    pub display: DisplayOptions,
    /// The tools, for their plain views.
    pub tools: Registry,
    /// One-time notices that were already shown.
    pub notices_shown: BTreeSet<String>,
    /// What must be redrawn.
    pub damage: Damage,
    /// Whether the user looks at the window, as far as the terminal reports it.
    pub is_window_focused: bool,
    /// Whether the program is to end.
    pub quit: bool,
    /// Whether to quit once no file is being changed.
    pub is_quitting: bool,
    /// Called from any thread when a picker has something new.
    pub wake: Wake,
    /// Parses long texts, one after the other.
    pub parse_thread: WorkThread,
}

/// Returns the features' initial values.
fn new_slots(catalog: &Catalog, options: &Options) -> Slots {
    Slots::new(catalog.features.iter().flat_map(|feature| feature.slots.iter().copied()), options)
}

/// Returns an agent in its initial state.
fn new_agent(options: &Options, tools: &Registry) -> Agent {
    Agent {
        tools: tools.default_names().map(String::from).collect(),
        approval_mode: options.approval_mode,
        ..Agent::default()
    }
}

/// Returns the options for texts.
fn new_text_options(options: &Options) -> TextOptions {
    let text = TextOptions::new(options.tab_width, options.auto_pairs, options.wrap_column);
    TextOptions { accessible: options.accessible, ..text }
}

/// Returns the panes with the sizes that they had before, the focus in the prompt.
fn new_panes(options: &Options) -> Panes {
    let sizes = options.restored.as_ref().map_or_else(PaneSizes::default, |restored| restored.sizes);
    Panes { focus: Focus::Agent, sizes, ..Panes::default() }
}

impl State {
    /// Returns a state without open files.
    pub fn new(
        options: &Options,
        catalog: &'static Catalog,
        size: (u16, u16),
        keymap: Keymap,
        wake: Wake,
    ) -> Self {
        let tools = Registry::of("pi");
        Self {
            workspace: options.workspace.clone(),
            home: options.home.clone(),
            config: options.config.clone(),
            size,
            areas: Areas::default(),
            buffers: Buffers::default(),
            catalog,
            slots: new_slots(catalog, options),
            files: FileTree::new(&options.workspace),
            agent: new_agent(options, &tools),
            guard_until: None,
            guard_swallows: false,
            prompt: Prompt::default(),
            approval_text: None,
            layers: Layers::default(),
            picker_count: 0,
            last_picker: None,
            status: Status::default(),
            panes: new_panes(options),
            kill_ring: KillRing::default(),
            registers: Registers::default(),
            jumps: Jumps::default(),
            last_yank_version: None,
            macros: Macros::default(),
            pending_char: None,
            selecting: false,
            shows_editor_completions: false,
            search: SearchState::default(),
            last_click: None,
            windows: Windows::default(),
            visible_rows: None,
            other_visible_rows: Vec::new(),
            borders: Vec::new(),
            scrollbar_scans: ScrollbarScans::default(),
            modal: Modal::new(keymap.modal_style()),
            keymap,
            pending: Vec::new(),
            hints: Vec::new(),
            hints_page: 0,
            text_options: new_text_options(options),
            display: options.display.clone(),
            tools,
            notices_shown: BTreeSet::new(),
            damage: Damage::default(),
            is_window_focused: true,
            quit: false,
            is_quitting: false,
            wake,
            parse_thread: WorkThread::default(),
        }
    }

    /// Returns whether the screen is drawn for screen readers.
    pub fn is_accessible(&self) -> bool {
        self.text_options.accessible
    }

    /// Returns the area of a layer. For screen readers it covers the panes, unless what is below is read while it is open.
    pub fn layer_area(&self, layer: &dyn Layer) -> Rect {
        let own = layer.area(self.size);
        if !self.is_accessible() {
            return own;
        }
        let whole = layout::above_announcement(self.size, self.areas.status.map_or(1, |area| area.height));
        if layer.is_line() { Rect { x: 0, width: whole.width, ..own }.intersection(whole) } else { whole }
    }

    /// Returns the current key context as far as it says where a text goes: that of an editor is one, whatever is shown at its
    /// caret meanwhile.
    pub fn paste_context(&self) -> KeyContext {
        match self.key_context() {
            KeyContext::Insert | KeyContext::Snippet | KeyContext::EditorCompletion => KeyContext::Editor,
            context => context,
        }
    }

    /// Returns the current key context.
    pub fn key_context(&self) -> KeyContext {
        self.layers.last().map_or_else(|| self.base_key_context(), Layer::context)
    }

    /// Returns the key context without overlays.
    pub fn base_key_context(&self) -> KeyContext {
        match self.panes.focus {
            Focus::Files => KeyContext::Files,
            Focus::Editor if self.buffers.current().is_none() => KeyContext::Editor,
            Focus::Editor if self.shows_image() => KeyContext::Image,
            Focus::Editor => match self.modal.key_context(self.keymap.modal_style()) {
                KeyContext::Editor if self.shows_results() => KeyContext::Results,
                KeyContext::Normal if self.shows_results() => KeyContext::NormalResults,
                KeyContext::Editor | KeyContext::Insert if self.shows_editor_completions => {
                    KeyContext::EditorCompletion
                }
                KeyContext::Editor | KeyContext::Insert if self.is_in_snippet() => KeyContext::Snippet,
                place => place,
            },
            Focus::Agent => match self.panes.agent_part {
                AgentPart::Approval if self.approval_text.is_some() => KeyContext::ApprovalText,
                AgentPart::Approval => KeyContext::Approval,
                AgentPart::Transcript => KeyContext::Transcript,
                AgentPart::Prompt if self.shows_completions() => KeyContext::Completion,
                AgentPart::Prompt => KeyContext::Prompt,
            },
            Focus::Terminal => KeyContext::Terminal,
            Focus::SessionTree => KeyContext::SessionTree,
        }
    }

    /// Returns whether the prompt's completions are on screen: one row of them at least.
    fn shows_completions(&self) -> bool {
        self.prompt.is_completing() && self.areas.prompt.is_some_and(|area| area.height >= 2)
    }

    /// Returns whether the shown file is an image.
    fn shows_image(&self) -> bool {
        self.buffers.current().is_some_and(|buffer| buffer.is_image)
    }

    /// Returns whether the shown text is a list of locations.
    fn shows_results(&self) -> bool {
        self.buffers.current().is_some_and(|buffer| buffer.results.is_some())
    }

    /// Returns whether the cursor is in a snippet with stops left.
    fn is_in_snippet(&self) -> bool {
        self.buffers.current().is_some_and(|buffer| {
            let primary = buffer.area.selection.primary();
            buffer.area.per_view.snippet_stops.as_ref().is_some_and(|stops| stops.contains(primary))
        })
    }

    /// Returns the project's formatting rules for the focused text.
    pub fn rules(&self) -> Rules {
        self.buffers
            .current()
            .filter(|_| self.is_editor_focused())
            .map(|buffer| buffer.rules)
            .unwrap_or_default()
    }

    /// Returns whether keys go to the editor.
    fn is_editor_focused(&self) -> bool {
        self.layers.is_empty() && self.panes.focus == Focus::Editor
    }

    /// Returns the tab width in columns of the focused text.
    pub fn tab_width(&self) -> usize {
        self.rules().tab_width.unwrap_or(self.text_options.tab_width)
    }

    /// Returns the width of an indentation step in the focused text, and whether it uses tabs: from the
    /// project's rules, else as detected in the text.
    pub fn indentation(&self) -> (usize, Option<bool>) {
        let (rules, file) = (self.rules(), self.buffers.current().filter(|_| self.is_editor_focused()));
        let by_tabs = || Some(file?.area.document.indents()? == IndentKind::Tabs);
        (rules.indent.unwrap_or(self.tab_width()), rules.use_tabs.or_else(by_tabs))
    }

    /// Returns the column at which paragraphs of the focused text are wrapped.
    pub fn wrap_column(&self) -> usize {
        self.rules().line_length.unwrap_or(self.text_options.wrap_column)
    }

    /// Returns the text that keys edit now, the kill ring, and the part that shows the text.
    pub fn text_target(&mut self) -> Option<(&mut TextArea, &mut KillRing, Part)> {
        let ring = &mut self.kill_ring;
        if let Some(layer) = self.layers.last_mut() {
            return layer.text().map(|area| (area, ring, Part::Overlay));
        }
        match self.panes.focus {
            Focus::Files | Focus::Terminal | Focus::SessionTree => None,
            Focus::Editor => {
                let buffer = self.buffers.current_mut().filter(|buffer| !buffer.is_image);
                buffer.map(|buffer| (&mut buffer.area, ring, Part::Editor))
            }
            Focus::Agent => match self.panes.agent_part {
                AgentPart::Prompt => Some((&mut self.prompt.area, ring, Part::Prompt)),
                AgentPart::Transcript => None,
                AgentPart::Approval => self.approval_text.as_mut().map(|area| (area, ring, Part::Approval)),
            },
        }
    }

    /// Records the cursor of the shown file before a long jump.
    pub fn note_jump(&mut self) {
        if let Some(at) = self.buffers.current().map(|buffer| buffer.area.caret()) {
            self.jumps.push(&mut self.buffers, at, self.text_options.tab_width);
        }
    }

    /// Forgets a file, saved or not.
    pub fn close_buffer(&mut self, id: BufferId) {
        self.jumps.on_close(&mut self.buffers, id, self.text_options.tab_width);
        self.buffers.close(id);
    }

    /// Shows a message for some seconds; an empty one removes it.
    pub fn set_status(&mut self, text: impl Into<String>) {
        self.status.show(text.into(), false);
        self.damage_message();
    }

    /// Shows an error for some seconds, and until the next key.
    pub fn set_error(&mut self, text: impl Into<String>) {
        self.status.show(text.into(), true);
        self.damage_message();
    }

    /// Shows the first of several errors, and where the others are.
    pub fn set_errors(&mut self, errors: &[String]) {
        let Some((first, others)) = errors.split_first() else { return };
        for error in others.iter().rev() {
            self.status.add_to_log(error, true);
        }
        let more = match others.len() {
            0 => String::new(),
            count => format!(" (and {count} more: {})", self.how_to("view.notifications")),
        };
        self.set_error(format!("{first}{more}"));
    }

    /// Damages what a message shows, and the status line, since most messages come with a change that it shows.
    fn damage_message(&mut self) {
        self.damage.add(Part::Toast);
        self.damage.add(Part::Status);
    }

    /// Returns whether the current message says which key a command waits for.
    pub fn asks_for_key(&self) -> bool {
        self.pending_char.as_ref().is_some_and(|awaited| !matches!(awaited, PendingChar::Modal(_)))
    }

    /// Pushes a layer on top.
    pub fn push_layer(&mut self, layer: impl Layer) {
        self.layers.push(layer);
        self.pending.clear();
        self.hints.clear();
        self.damage.add_all();
    }

    /// Records that the picker with this number gets no more rows.
    pub fn finish_filling(&mut self, number: u64) {
        for picker in self.layers.all_mut::<Picker>().filter(|picker| picker.number == number) {
            picker.is_filling = false;
            // Its last rows may not be matched yet.
            picker.tick(0);
        }
        picker::redraw(self);
    }

    /// Removes the topmost layer.
    pub fn pop_layer(&mut self) -> Option<Box<dyn Layer>> {
        self.damage.add_all();
        self.layers.pop()
    }

    /// Returns how a user runs a command from here: its key, or else its title, which the palette finds.
    pub fn how_to(&self, id: &str) -> String {
        let key = |id: &str| self.keymap.keys_for(self.base_key_context(), id);
        key(id).unwrap_or_else(|| {
            let title = self.catalog.command(id).map_or(id, |command| command.title);
            match key("app.palette") {
                Some(palette) => format!("“{title}” ({palette})"),
                None => format!("“{title}”"),
            }
        })
    }

    /// Resolves a typed path: `~` is the home folder, a relative path is in the workspace.
    pub fn resolve_typed_path(&self, typed: &str) -> PathBuf {
        crate::base::paths::parse_typed(&self.workspace, typed, &self.home)
    }

    /// Returns a path for display.
    pub fn display_path(&self, path: &Path) -> String {
        crate::base::paths::display(path, &self.workspace)
    }
}
