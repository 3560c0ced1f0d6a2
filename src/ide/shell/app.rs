//! The application: owns the state of the IDE, takes events, returns at most one frame. Must not know the
//! terminal or how tasks run; the real event loop and the tests use it in the same way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::base::clock::SharedClock;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, Tasks, UiRequests};
use crate::ide::core::damage::Part;
use crate::ide::core::event::{Event, NextEvent};
use crate::ide::core::feature::FeatureEvent;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Layer, LayerId};
use crate::ide::core::layers::picker::{self, Picker};
use crate::ide::core::layout;
use crate::ide::core::options::Options;
use crate::ide::core::panes::{AgentPart, Focus};
use crate::ide::core::quit;
use crate::ide::core::state::State;
use crate::ide::editor::modal::{cursor_shape, key_hooks};
use crate::ide::editor::view::layout as arrange;
use crate::ide::features::accessible::announcement;
use crate::ide::features::completion;
use crate::ide::features::drafts;
use crate::ide::features::images::cache::IMAGES;
use crate::ide::features::key_hints;
use crate::ide::features::language_servers;
use crate::ide::features::prompt;
use crate::ide::features::prompt::shell_commands::SHELL_COMMANDS;
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::features::transcript::{agents, focus};
use crate::ide::features::{files, permissions, recovery, reopen, review, terminal, toasts, undo_store};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::shell::catalog::CATALOG;
use crate::ide::shell::panes::panes;
use crate::ide::shell::{feature_events, input, mouse, session_events};
use crate::runtime::{Delivery, Handle, Snapshot};
use crate::tui::input::Input;
use crate::tui::screen::{CursorShape, Screen};
use crate::tui::theme::Theme;
use crate::tui::tree::{NodeId, Tree};

/// Delay after a key prefix before its continuations are shown.
const HINT_DELAY: Duration = Duration::from_millis(300);
/// Period of the activity indicator; eight frames a second at most.
const SPINNER_PERIOD: Duration = Duration::from_millis(250);

/// The IDE.
pub struct App {
    /// State of the IDE.
    pub state: State,
    /// The screen.
    pub screen: Screen,
    tasks: Tasks,
    env: Arc<dyn Environment>,
    /// The session, once it is there.
    session: Option<Handle>,
    tree: Tree<State>,
    nodes: BTreeMap<Part, NodeId>,
    theme: Theme,
    clock: SharedClock,
    pending_since: Option<Duration>,
    spinner_due: Option<Duration>,
    prompts: Vec<(String, Vec<crate::llm::model::Part>)>,
    /// The command that runs once the session is connected.
    initial_command: Option<&'static str>,
    /// The id of the topmost dialog, if that opened by itself.
    unsolicited: Option<LayerId>,
    /// Which files were unsaved in the last frame.
    unsaved: Vec<BufferId>,
    /// Whether the first frame is drawn, and tasks may begin.
    has_started: bool,
    /// Whether the end of the conversation was shown with the last frame.
    was_at_tail: bool,
    /// What the owner of the terminal is to do.
    pub ui: UiRequests,
}

impl App {
    /// Returns an IDE of this size without loaded files. `wake` is notified, from any thread, when a picker
    /// has something new.
    pub fn new(
        options: Options,
        (tasks, env): (Tasks, Arc<dyn Environment>),
        size: (u16, u16),
        wake: Arc<Notify>,
    ) -> Self {
        let mut tree = Tree::new();
        let nodes = panes().map(|pane| (pane.part, tree.add(None, pane.layer, (pane.make)()))).collect();
        let keymap = options.keymap.clone();
        let mut state = State::new(&options, &CATALOG, size, keymap, Arc::new(move || wake.notify_one()));
        let problems = &options.problems;
        state.set_errors(problems);
        for problem in problems {
            tracing::warn!("{problem}");
        }
        let mut app = Self {
            state,
            screen: Screen::new(size.0, size.1, options.colors),
            tasks,
            env,
            session: None,
            tree,
            nodes,
            theme: options.theme,
            clock: options.clock,
            pending_since: None,
            spinner_due: None,
            prompts: options.prompts,
            initial_command: options.initial_command,
            unsolicited: None,
            unsaved: Vec::new(),
            has_started: false,
            was_at_tail: true,
            ui: UiRequests::default(),
        };
        app.state.text_options.image_cell = app.state.slots[IMAGES].get_mut().cell();
        app.state.damage.add_all();
        app
    }

    /// Handles a result of the event source.
    pub fn handle_next(&mut self, happened: NextEvent) {
        match happened {
            NextEvent::Event(event) => self.handle(*event),
            NextEvent::Wake => self.on_picker_wake(),
        }
    }

    /// Shows what the matcher of the topmost picker has found.
    fn on_picker_wake(&mut self) {
        picker::on_wake(&mut self.state);
        self.with_cx(picker::accept_awaited);
    }

    /// Starts what the first frame does not need.
    pub fn start(&mut self) {
        self.has_started = true;
        self.with_cx(|cx| feature_events::notify_all(cx, FeatureEvent::Started));
    }

    /// Returns what starts tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns whether rows are still being added to the topmost picker or the shown results list.
    pub fn is_filling(&self) -> bool {
        let list = self.state.buffers.current().and_then(Buffer::results);
        match self.state.layers.top::<Picker>() {
            Some(picker) => picker.is_filling,
            None => list.is_some_and(|list| list.running.is_some()),
        }
    }

    /// The session, once it is there.
    pub fn session(&self) -> Option<&crate::runtime::Handle> {
        self.session.as_ref()
    }

    /// Handles one event.
    pub fn handle(&mut self, event: Event) {
        let mut deferred = Vec::new();
        let mut cx = Cx {
            state: &mut self.state,
            deferred: &mut deferred,
            ui: &mut self.ui,
            tasks: &self.tasks,
            env: &self.env,
            session: self.session.as_ref(),
            now_ms: self.clock.now_ms(),
            now: self.clock.monotonic(),
        };
        match event {
            Event::Input(event) => Self::handle_input(&mut cx, event),
            Event::Resize(cols, rows) => {
                cx.state.size = (cols, rows);
                cx.state.damage.add_all();
                self.screen.resize(cols, rows);
            }
            Event::Connected(Ok(connection)) => return self.on_connected(*connection),
            Event::Connected(Err(report)) => session_events::on_connect_failed(&mut cx, &report),
            Event::Runtime(event) => session_events::on_runtime_event(&mut cx, &event),
            Event::SessionEnded => session_events::on_session_ended(&mut cx),
            Event::Done(completion) => {
                completion.deliver(&mut cx);
                key_hooks::finish_background(&mut cx);
            }
        }
        cx.run_deferred();
        self.with_cx(|cx| {
            key_hooks::clamp_cursors(cx);
            prompt::completion::update(cx);
            completion::update::update(cx);
            language_servers::highlight::update(cx);
            language_servers::linked_editing::update(cx);
            picker::accept_awaited(cx);
        });
        self.note_deadlines();
    }

    /// Handles the connection of the session: starts what waited for it.
    fn on_connected(&mut self, (handle, snapshot): (Handle, Snapshot)) {
        let models = handle.models();
        let session = handle.clone();
        self.session = Some(handle);
        let first = self.initial_command.take();
        let prompts = std::mem::take(&mut self.prompts).into_iter();
        self.with_cx(|cx| {
            session_events::on_connected(cx, &snapshot, models);
            if let Some(id) = first {
                cx.defer_command(id);
            }
        });
        for (text, images) in prompts {
            session.prompt(text, images, Delivery::FollowUp);
        }
        self.with_cx(key_hooks::clamp_cursors);
        self.note_deadlines();
    }

    fn handle_input(cx: &mut Cx<'_>, event: Input) {
        match event {
            Input::Key(key) => input::key(cx, key),
            Input::Paste(text) => input::paste(cx, &text),
            Input::PasteCut(bytes) => {
                cx.state.set_error(format!("Paste too long: last {bytes} bytes dropped"));
            }
            Input::Mouse(mouse) => mouse::mouse(cx, mouse),
            Input::Focus(has_focus) => {
                cx.state.is_window_focused = has_focus;
                if has_focus {
                    files::disk::check_disk(cx);
                }
            }
            // The event loop handles the terminal's replies.
            Input::Reply(_) => {}
        }
    }

    /// Runs `f` with a context, and the steps that it defers.
    pub fn with_cx(&mut self, f: impl FnOnce(&mut Cx<'_>)) {
        let mut deferred = Vec::new();
        let mut cx = Cx {
            state: &mut self.state,
            deferred: &mut deferred,
            ui: &mut self.ui,
            tasks: &self.tasks,
            env: &self.env,
            session: self.session.as_ref(),
            now_ms: self.clock.now_ms(),
            now: self.clock.monotonic(),
        };
        f(&mut cx);
        cx.run_deferred();
    }

    /// Records what time alone will change, as far as the next key or frame must know.
    fn note_deadlines(&mut self) {
        self.with_cx(quit::quit_if_done);
        let now = self.clock.monotonic();
        let unsolicited = self.state.layers.last().and_then(Layer::unsolicited_id);
        if unsolicited != self.unsolicited {
            // A key that answered one question must not answer the next one too.
            self.state.guard_swallows = self.unsolicited.is_some();
            self.state.guard_until = unsolicited.as_ref().map(|_| now + input::GUARD);
            self.unsolicited = unsolicited;
        }
        if !input::is_waiting(&self.state) || !self.state.hints.is_empty() {
            self.pending_since = None;
        } else {
            self.pending_since.get_or_insert(now);
        }
        let sign_due = self.spinner_due.unwrap_or(now + SPINNER_PERIOD);
        // A screen reader would read every frame of it.
        let spins = self.state.agent.working_since.is_some() && !self.state.is_accessible();
        self.spinner_due = spins.then_some(sign_due);
    }

    /// Returns when something changes next by time alone, on the monotonic clock; `None` means never.
    pub fn deadline(&self) -> Option<Duration> {
        let hint = self.pending_since.map(|since| since + HINT_DELAY);
        let matches = picker::match_deadline(&self.state, self.clock.monotonic());
        [feature_events::deadline(&self.state), hint, self.spinner_due, matches].into_iter().flatten().min()
    }

    /// Runs what is due.
    pub fn tick(&mut self) {
        let now = self.clock.monotonic();
        if self.pending_since.is_some_and(|since| since + HINT_DELAY <= now) {
            self.pending_since = None;
            input::show_hints(&mut self.state);
        }
        if self.spinner_due.is_some_and(|due| due <= now) {
            self.spinner_due = Some(now + SPINNER_PERIOD);
            self.state.agent.spinner_frame += 1;
            self.state.agent.now = now;
            self.state.damage.add(Part::Status);
            self.state.damage.add(Part::AgentTitle);
        }
        if picker::match_deadline(&self.state, now).is_some() {
            self.on_picker_wake();
        }
        if feature_events::deadline(&self.state).is_some_and(|due| due <= now) {
            self.with_cx(|cx| feature_events::notify_all(cx, FeatureEvent::DeadlineReached));
        }
    }

    /// Returns the final work for unsaved text, for a thread that may block on the disk. With `chosen` the
    /// user has discarded it; otherwise it is kept for the next start. The unsent message, undo trees and open
    /// files are saved in any case.
    pub fn final_writes(&mut self, chosen: bool) -> impl FnOnce() + Send + 'static + use<> {
        let unsaved = recovery::recover::final_writes(&mut self.state, chosen, self.clock.now_ms());
        let (undo, open) =
            (undo_store::persist::final_writes(&mut self.state), reopen::restore::final_write(&self.state));
        review::events::keep_unsent(&mut self.state, self.clock.now_ms());
        let draft = drafts::events::final_write(&mut self.state);
        move || {
            unsaved();
            draft();
            undo();
            open();
        }
    }

    /// Stops the shell commands of the prompt; the future completes once they are gone and recorded.
    pub fn end_shell_commands(&mut self) -> impl Future<Output = ()> + use<> {
        self.state.slots[SHELL_COMMANDS].end()
    }

    /// Ends all terminals and their processes; the future completes once they are gone.
    pub fn end_terminals(&mut self) -> impl Future<Output = ()> + use<> {
        self.state.slots[TERMINALS].end()
    }

    /// Whether the next frame would differ from the last.
    pub fn needs_frame(&self) -> bool {
        self.state.damage.any()
    }

    /// Draws one frame and returns its bytes, empty when nothing changed.
    pub fn frame(&mut self) -> Vec<u8> {
        if self.state.damage.any() {
            self.tree.set_accessible(self.state.is_accessible());
            self.update_layout();
            self.screen.set_cursor_shape(self.cursor_shape());
            if let Some(theme) = self.ui.theme.take() {
                self.theme = theme;
            }
            if std::mem::take(&mut self.ui.repaint) {
                self.screen.repaint();
            }
            self.screen.render(&mut self.tree, &self.state, &self.theme);
        }
        self.screen.take_output()
    }

    /// Returns the caret's shape.
    fn cursor_shape(&self) -> CursorShape {
        match self.state.key_context() {
            KeyContext::Terminal => terminal::pane::cursor_shape(&self.state),
            _ => cursor_shape::cursor_shape(&self.state),
        }
    }

    /// Starts the work left by a frame: colors for what it showed, saving of unsaved text. Called after it is
    /// sent, so that no key waits for it.
    pub fn after_frame(&mut self) {
        self.with_cx(picker::match_query);
        self.before_sleep();
        if self.has_started {
            self.with_cx(|cx| feature_events::notify_all(cx, FeatureEvent::FrameSent));
        }
    }

    /// Records changes to save or watch. Must be called before the event loop sleeps.
    pub fn before_sleep(&mut self) {
        if self.has_started {
            self.with_cx(|cx| feature_events::notify_all(cx, FeatureEvent::BeforeSleep));
        }
    }

    /// Places the panes and passes the damage on.
    fn update_layout(&mut self) {
        let mut rows = self.lay_out();
        self.mark_unsaved();
        self.mark_end_of_conversation();
        let damage = self.state.damage.take();
        if damage.is_all() {
            self.place_nodes();
            self.tree.damage_all();
        }
        self.place_pop_ups();
        for part in damage.parts() {
            self.tree.damage(self.nodes[part]);
            if *part == Part::Editor {
                self.tree.damage(self.nodes[&Part::Status]);
                self.tree.damage(self.nodes[&Part::Tabs]);
            }
            self.damage_lines_in_words(*part);
            // What changes a view below a pop-up does not know that it stands there.
            if *part == Part::Overlay {
                self.tree.damage(self.nodes[&Part::View]);
            }
        }
        for row in damage.terminal_rows() {
            self.tree.damage_rows(self.nodes[&Part::Terminal], *row..row + 1);
        }
        if damage.is_caret_line() {
            rows.extend(arrange::rows_of_caret(&self.state));
            self.tree.damage(self.nodes[&Part::Status]);
            self.damage_lines_in_words(Part::Status);
        }
        if let Some((id, lines)) = damage.recolored_lines() {
            rows.extend(arrange::rows_of_lines(&self.state, *id, lines));
        }
        for rows in rows {
            self.tree.damage_rows(self.nodes[&Part::Editor], rows);
        }
    }

    /// Damages the lines that say in words, for screen readers, what a part shows to others: titles for the status line,
    /// the line of announcements for the keys of a prefix.
    fn damage_lines_in_words(&mut self, part: Part) {
        let lines: &[Part] = match part {
            _ if !self.state.is_accessible() => return,
            Part::Status => &[Part::Tabs, Part::AgentTitle],
            Part::KeyHints => &[Part::Status],
            _ => return,
        };
        for line in lines {
            self.tree.damage(self.nodes[line]);
        }
    }

    /// Redraws the tree, the tabs and the titles of windows if another file is unsaved than before.
    fn mark_unsaved(&mut self) {
        let unsaved = || self.state.buffers.unsaved().map(|buffer| buffer.id);
        if unsaved().eq(self.unsaved.iter().copied()) {
            return;
        }
        self.unsaved = unsaved().collect();
        self.state.damage.add(Part::Files);
        self.state.damage.add(Part::Tabs);
        let mut windows = self.state.visible_rows.iter().chain(&self.state.other_visible_rows);
        if windows.any(|view| view.title.is_some()) {
            self.state.damage.add(Part::Editor);
        }
    }

    /// Computes the layout and what the editor shows. Returns the rows of the editor that must be drawn
    /// although they were not marked as damaged.
    fn lay_out(&mut self) -> Vec<Range<u16>> {
        if !self.state.panes.is_zoomed() {
            // Another pane got the focus: it shows all of them.
            self.state.panes.zoomed = None;
        }
        let tabs = self.state.display.tabs.is_shown(self.state.buffers.all().len());
        let areas = |cols| {
            let request = layout::LayoutRequest {
                prompt_rows: prompt::pane::rows_needed(&self.state, cols),
                approval_rows: permissions::pane::rows_needed(&self.state, cols),
                tab_line: tabs,
                has_text: self.state.buffers.current().is_some() || self.state.buffers.opening,
                accessible: self.state.is_accessible(),
                announcement_rows: announcement::rows_needed(&self.state),
            };
            layout::areas(self.state.size, &self.state.panes, request)
        };
        let cols = |areas: &layout::Areas| areas.prompt.map_or(self.state.size.0, |area| area.width);
        let before = cols(&self.state.areas);
        // The prompt's rows depend on its width, which may change with the layout.
        let areas = match areas(before) {
            found if cols(&found) == before => found,
            found => areas(cols(&found)),
        };
        // The message covers other parts, without moving them.
        let areas = layout::Areas { toast: self.state.areas.toast, ..areas };
        if areas != self.state.areas {
            self.state.areas = areas;
            self.state.damage.add_all();
            focus::follow_if_whole(&mut self.state);
        }
        self.with_cx(terminal::events::sync_terminals);
        let repaint_rows = arrange::editor(&mut self.state);
        if let Some(area) = self.state.areas.files {
            self.state.files.scroll(usize::from(area.height.saturating_sub(1)));
        }
        if repaint_rows.is_none() {
            self.state.damage.add(Part::Editor);
        }
        repaint_rows.unwrap_or_default()
    }

    /// Redraws the line above the prompt when the end of the conversation appears or disappears.
    fn mark_end_of_conversation(&mut self) {
        let is_at_tail = agents::shown(&self.state.slots).1.borrow().is_at_tail();
        if std::mem::replace(&mut self.was_at_tail, is_at_tail) != is_at_tail {
            self.state.damage.add(Part::Prompt);
        }
    }

    /// Places the current message, the keys of a prefix and what stands at the caret, or hides them.
    fn place_pop_ups(&mut self) {
        let area = toasts::pane::area(&self.state, &self.state.areas);
        self.state.areas.toast = area;
        match area {
            Some(area) => self.tree.set_area(self.nodes[&Part::Toast], area),
            None => self.tree.hide(self.nodes[&Part::Toast]),
        }
        completion::pane::keep_side(&mut self.state);
        let pop_ups = [
            (Part::KeyHints, key_hints::pane::area(&self.state, &self.state.areas)),
            (Part::Completions, completion::pane::area(&self.state)),
            (Part::Signature, completion::signature_pane::area(&self.state)),
            (Part::LineMessages, language_servers::line_messages::place(&mut self.state)),
        ];
        for (part, area) in pop_ups {
            match area {
                Some(area) => self.tree.set_area(self.nodes[&part], area),
                None => self.tree.hide(self.nodes[&part]),
            }
        }
    }

    fn place_nodes(&mut self) {
        let areas = self.state.areas;
        let places = [
            (Part::Files, areas.files),
            (Part::Tabs, areas.tabs),
            (Part::Editor, areas.editor),
            (Part::AgentTitle, areas.agent_title),
            (Part::Transcript, areas.transcript),
            (Part::Approval, areas.approval),
            (Part::Prompt, areas.prompt),
            (Part::Terminal, areas.terminal),
            (Part::SessionTree, areas.session_tree),
            (Part::Status, areas.status),
            (Part::View, self.state.layers.view_below().map(|layer| self.state.layer_area(layer))),
            (Part::Overlay, self.state.layers.last().map(|layer| self.state.layer_area(layer))),
        ];
        for (part, area) in places {
            match area {
                Some(area) => self.tree.set_area(self.nodes[&part], area),
                None => self.tree.hide(self.nodes[&part]),
            }
        }
        let focus = match self.state.panes.focus {
            _ if !self.state.layers.is_empty() => Part::Overlay,
            Focus::Files => Part::Files,
            Focus::Editor => Part::Editor,
            Focus::Agent => match self.state.panes.agent_part {
                AgentPart::Prompt => Part::Prompt,
                AgentPart::Transcript => Part::Transcript,
                AgentPart::Approval => Part::Approval,
            },
            Focus::Terminal => Part::Terminal,
            Focus::SessionTree => Part::SessionTree,
        };
        self.tree.focus(self.nodes[&focus]);
    }
}
