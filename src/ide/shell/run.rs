//! The event loop on a real terminal: input bytes, frames, signals, timers.
//!
//! The keyboard is always polled first. A frame caused by a key is drawn at once, others as [`FramePacing`]
//! allows. When idle the loop sleeps without a time-out.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use futures::FutureExt;

use crate::base::clock::SharedClock;
use crate::base::error::Report;
use crate::base::panics::catch;
use crate::exec::clipboard::{ClipboardRoute, SystemClipboard};
use crate::exec::commands::editor;
use crate::ide::core::context::{Notification, answer_or_error};
use crate::ide::core::event::Event;
use crate::ide::core::options::{Notify, Options};
use crate::ide::core::quit;
use crate::ide::core::state::State;
use crate::ide::features::drafts::state::DRAFTS;
use crate::ide::features::images;
use crate::ide::features::prompt;
use crate::ide::features::prompt::external_editor;
use crate::ide::features::themes::background;
use crate::ide::shell::app::App;
use crate::ide::shell::clipboard;
use crate::ide::shell::event_source::EventSource;
use crate::ide::shell::frame_pacing::FramePacing;
use crate::ide::shell::preload::Preload;
use crate::tui::caps::{Caps, CapsAction, erases_colored, knows_links, queries};
use crate::tui::input::{Decoder, Input};
use crate::tui::term::attention::{self, NotificationStyle, Progress};
use crate::tui::term::{
    self, Signal, Signals, TermInput, TermOptions, Terminal, install_panic_hook, terminal,
};

/// Number of events handled after keys, even if more keys are ready.
const EVENTS_AFTER_KEYS: usize = 8;
/// How long the first frame waits for its content; with a slow disk the frame is empty.
const FIRST_FRAME: Duration = Duration::from_millis(10);
/// How long the session may take to end before the program exits without it. A signal also ends the wait.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(5);
/// How long terminals may take to end; the system then hangs up the remaining ones.
const TERMINALS_END_TIMEOUT: Duration = Duration::from_secs(2);
/// How long shell commands of the prompt may take to end: SIGTERM, SIGKILL after two seconds.
const SHELL_END_TIMEOUT: Duration = Duration::from_secs(3);

/// How the IDE ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code.
    pub code: i32,
    /// Whether the session has messages, so that it can be continued.
    pub has_messages: bool,
}

/// Runs the IDE until the user quits.
pub async fn run(options: Options, feed: Preload, term: Option<String>) -> Result<Exit, Report> {
    let failed = |label: &str, error: &std::io::Error| Report::caused(label, error);
    let mut signals = Signals::catch().map_err(|e| failed("cannot watch for signals", &e))?;
    install_panic_hook();
    let mouse = options.mouse;
    let clock = options.clock.clone();
    let notify = options.notify;
    let clipboard_route = options.clipboard;
    let no_terminal =
        |e| failed("cannot take over the terminal", &e).hint("bowline needs a terminal; use -p without one");
    let tty = terminal::open().map_err(no_terminal)?;
    let mut source = EventSource::new(options, feed, terminal::size_of(&tty));
    source.wait_first_file(FIRST_FRAME).await;
    source.app.screen.set_erase_colored(erases_colored(term.as_deref()));
    source.app.screen.set_links(knows_links(term.as_deref()));
    // Modes, frame and queries in one write: our screen never appears empty.
    let first = [&*source.app.frame(), queries(term.as_deref())].concat();
    let terminal = Terminal::enter_on(tty, TermOptions { mouse }, &first).map_err(no_terminal)?;
    let mut screen = TerminalLoop {
        terminal,
        decoder: Decoder::new(),
        caps: Caps::default(),
        clock,
        pacing: FramePacing::default(),
        title: String::new(),
        notify,
        clipboard: SystemClipboard::new(clipboard_route),
        clipboard_route,
        progress: Progress::None,
    };
    let result = screen.run(source, &mut signals).await;
    result.map_err(|error| failed("the terminal failed", &error))
}

struct TerminalLoop {
    terminal: Terminal,
    decoder: Decoder,
    caps: Caps,
    clock: SharedClock,
    pacing: FramePacing,
    /// The window title as last set; empty before.
    title: String,
    /// How the user is notified.
    notify: Notify,
    /// The clipboards of desktop and tmux.
    clipboard: SystemClipboard,
    /// Which of them can be reached.
    clipboard_route: ClipboardRoute,
    /// The progress as last shown.
    progress: Progress,
}

impl TerminalLoop {
    async fn run(&mut self, mut source: EventSource, signals: &mut Signals) -> std::io::Result<Exit> {
        source.connect();
        let in_tmux = self.clipboard_route.in_tmux;
        source.app.with_cx(|cx| images::events::ask_outer_terminal(cx, in_tmux));
        let looped = AssertUnwindSafe(self.event_loop(&mut source, signals)).catch_unwind().await;
        let result = match looped {
            Ok(result) => result,
            Err(panic) => {
                // The panic hook restored the terminal and reported the error; unsaved text still exists.
                keep_unsaved(&mut source.app).await;
                resume_unwind(panic)
            }
        };
        self.end(&mut source, signals).await;
        let has_messages = source.app.state.slots[DRAFTS].owner.as_ref().is_some_and(|owner| owner.is_stored);
        // Everything is saved. Freeing a large text and its tree takes longer than the rest of the exit,
        // and the process frees them anyway.
        std::mem::forget(source);
        result.map(|code| Exit { code, has_messages })
    }

    /// Runs the loop until its end; returns the exit code.
    async fn event_loop(&mut self, source: &mut EventSource, signals: &mut Signals) -> std::io::Result<i32> {
        let mut code = 0;
        while !source.app.state.quit {
            let deadline = self.deadline(&source.app);
            let (mut hasty, mut waited) = (false, false);
            tokio::select! {
                biased;
                input = self.terminal.input() => {
                    // A terminal that accepts bytes again needs no urgent response.
                    hasty = input != TermInput::Flushed;
                    if !self.handle_input(&mut source.app, input)? {
                        code = Signal::HangUp.exit_code();
                        break;
                    }
                }
                signal = signals.next() => match self.handle_signal(&mut source.app, signal, signals).await? {
                    Some(exit) => {
                        code = exit;
                        break;
                    }
                    None => hasty = true,
                },
                happened = source.next() => source.handle(happened),
                // Polled last, and therefore not at all if keys were ready.
                () = async {
                    waited = true;
                    sleep_until(&self.clock, deadline).await;
                } => self.on_deadline(&mut source.app)?,
            }
            // Only a stream of events is paced; single ones are shown at once.
            let streaming = source.app.state.agent.working_since.is_some() || source.app.is_filling();
            let paced = streaming && self.clock.monotonic() < self.pacing.next_frame_at();
            if hasty || !paced {
                self.draw(&mut source.app)?;
            }
            if hasty && self.handle_between_keys(source) && !streaming {
                self.draw(&mut source.app)?;
            }
            if let Some(exit) = self.edit_externally(source, signals).await? {
                return Ok(exit);
            }
            source.app.before_sleep();
            // Continuous keys must not keep a signal from being noticed, nor the task that receives it
            // from running.
            if hasty && !waited {
                tokio::task::yield_now().await;
            }
            if hasty
                && !source.app.state.quit
                && let Some(signal) = signals.try_next()
            {
                if let Some(exit) = self.handle_signal(&mut source.app, signal, signals).await? {
                    code = exit;
                    break;
                }
                self.draw(&mut source.app)?;
            }
        }
        Ok(code)
    }

    /// If an editor was requested, gives it the terminal until it has ended, while events are handled without a
    /// screen. Returns an exit code if a signal ends the program.
    async fn edit_externally(
        &mut self,
        source: &mut EventSource,
        signals: &mut Signals,
    ) -> std::io::Result<Option<i32>> {
        let Some(edit) = source.app.ui.edit.take() else { return Ok(None) };
        self.terminal.suspend()?;
        let edited = editor::edit(&edit.command, edit.text.to_string());
        tokio::pin!(edited);
        let edited = loop {
            let deadline = source.app.deadline();
            tokio::select! {
                edited = &mut edited => break edited,
                signal = signals.next() => match signal {
                    Signal::Terminate | Signal::HangUp => return Ok(Some(signal.exit_code())),
                    // The editor belongs to the same job of the shell, and has stopped too.
                    Signal::Stop => signals.stop_until_continued().await?,
                    // Those of the terminal are for the editor.
                    Signal::Interrupt | Signal::Resize | Signal::Continue => {}
                },
                happened = source.next() => source.handle(happened),
                () = sleep_until(&self.clock, deadline) => source.app.tick(),
            }
            source.app.before_sleep();
        };
        self.resume(&mut source.app)?;
        source.app.with_cx(|cx| external_editor::on_edited(cx, &edit, edited));
        self.draw(&mut source.app)?;
        Ok(None)
    }

    /// Stops the shell commands of the prompt while their last output is still taken.
    async fn end_shell_commands(&mut self, source: &mut EventSource) {
        let ended = tokio::time::timeout(SHELL_END_TIMEOUT, source.app.end_shell_commands());
        tokio::pin!(ended);
        loop {
            tokio::select! {
                ended = &mut ended => {
                    if ended.is_err() {
                        tracing::warn!("a shell command did not end in time");
                    }
                    return;
                }
                happened = source.next() => source.handle(happened),
            }
        }
    }

    /// Restores the terminal and ends everything that the program has started.
    async fn end(&mut self, source: &mut EventSource, signals: &mut Signals) {
        if let Err(error) = self.terminal.suspend() {
            // A closed window cannot be restored; the session must still end properly.
            tracing::warn!("the terminal could not be restored: {error}");
        }
        finish_changes(source, signals).await;
        let terminals = source.app.end_terminals();
        keep_unsaved(&mut source.app).await;
        if tokio::time::timeout(TERMINALS_END_TIMEOUT, terminals).await.is_err() {
            tracing::warn!("a terminal did not end in time");
        }
        self.end_shell_commands(source).await;
        self.clipboard.end().await;
        images::events::end(&mut source.app.state).await;
        if let Some(session) = source.app.session().cloned() {
            // The last requests of the session to the event loop must still be handled.
            let ended = session.shutdown();
            tokio::pin!(ended);
            let timeout = tokio::time::sleep(SESSION_END_TIMEOUT);
            tokio::pin!(timeout);
            loop {
                tokio::select! {
                    () = &mut ended => break,
                    happened = source.next() => source.handle(happened),
                    _ = signals.next() => break,
                    () = &mut timeout => break,
                }
            }
        }
    }

    /// Does what must not be delayed forever by continuous keys. Returns whether there is something to draw
    /// now.
    fn handle_between_keys(&self, source: &mut EventSource) -> bool {
        source.handle_ready(EVENTS_AFTER_KEYS);
        if source.app.deadline().is_some_and(|due| due <= self.clock.monotonic()) {
            source.app.tick();
        }
        // A text for the terminal's clipboard changes nothing on screen.
        source.app.needs_frame() || source.app.ui.terminal_clipboard.is_some()
    }

    /// Returns when the loop must wake by time alone.
    fn deadline(&self, app: &App) -> Option<Duration> {
        // While the terminal accepts nothing, it determines when the next frame is due.
        let waits = app.needs_frame() && !self.terminal.is_writing();
        let frame = waits.then(|| self.pacing.next_frame_at());
        [self.decoder.deadline(), app.deadline(), frame].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, app: &mut App) -> std::io::Result<()> {
        let mut inputs = Vec::new();
        self.decoder.expire(self.clock.monotonic(), &mut inputs);
        self.handle_inputs(app, inputs)?;
        app.tick();
        Ok(())
    }

    /// Handles the terminal's input. Returns `false` when the terminal is gone.
    fn handle_input(&mut self, app: &mut App, input: TermInput) -> std::io::Result<bool> {
        match input {
            TermInput::Bytes(bytes) => {
                let mut inputs = Vec::new();
                self.decoder.feed(&bytes, self.clock.monotonic(), &mut inputs);
                self.handle_inputs(app, inputs)?;
                Ok(true)
            }
            TermInput::Flushed => Ok(true),
            TermInput::Closed(reason) => {
                tracing::info!("the terminal is gone: {reason}");
                Ok(false)
            }
        }
    }

    fn handle_inputs(&mut self, app: &mut App, inputs: Vec<Input>) -> std::io::Result<()> {
        for input in inputs {
            if let Input::Reply(reply) = &input {
                for action in self.caps.apply(reply) {
                    match action {
                        CapsAction::EnableKitty => {
                            // Nothing asks for wavy underlines; the terminals with these keys have them.
                            app.screen.set_colored_underlines(true);
                            self.terminal.enable_kitty_keyboard()?;
                        }
                        CapsAction::EnableOtherKeys => self.terminal.enable_other_keys()?,
                        CapsAction::Synchronized(on) => app.screen.set_synchronized(on),
                        CapsAction::EraseColored => app.screen.set_erase_colored(true),
                        CapsAction::Margins => app.screen.set_margins(true),
                        CapsAction::Dark(is_dark) => {
                            app.with_cx(|cx| background::on_background(cx, is_dark));
                        }
                    }
                }
                self.update_images(app);
            } else {
                app.handle(Event::Input(input));
            }
        }
        Ok(())
    }

    /// Chooses how images are shown, once the terminal has answered all it will.
    fn update_images(&mut self, app: &mut App) {
        if !self.caps.complete {
            return;
        }
        // Not every terminal answers, and a reply is out of date once the font was changed.
        self.caps.cell_pixels = self.terminal.cell_pixels().or(self.caps.cell_pixels);
        let caps = &self.caps;
        app.with_cx(|cx| images::events::on_caps(cx, caps));
    }

    /// Handles a signal; returns an exit code if it ends the program.
    async fn handle_signal(
        &mut self,
        app: &mut App,
        signal: Signal,
        signals: &mut Signals,
    ) -> std::io::Result<Option<i32>> {
        match signal {
            Signal::Resize => {
                let (cols, rows) = self.terminal.size();
                app.handle(Event::Resize(cols, rows));
                self.update_images(app);
            }
            Signal::Terminate | Signal::HangUp | Signal::Interrupt => return Ok(Some(signal.exit_code())),
            Signal::Stop => {
                self.terminal.suspend()?;
                signals.stop_until_continued().await?;
                self.resume(app)?;
            }
            Signal::Continue => self.resume(app)?,
        }
        Ok(None)
    }

    /// Sets the terminal up again after a stop.
    fn resume(&mut self, app: &mut App) -> std::io::Result<()> {
        self.terminal.resume()?;
        self.title.clear();
        self.progress = Progress::None;
        let (cols, rows) = self.terminal.size();
        app.handle(Event::Resize(cols, rows));
        app.screen.repaint();
        Ok(())
    }

    /// Draws, unless the terminal is still accepting an earlier frame: the next frame shows the newest state.
    fn draw(&mut self, app: &mut App) -> std::io::Result<()> {
        if self.terminal.is_writing() {
            return Ok(());
        }
        let title = window_title(&app.state);
        if title != self.title {
            self.terminal.set_title(&title)?;
            self.title = title;
        }
        if let Some(is_on) = app.ui.mouse.take() {
            self.terminal.set_mouse(is_on)?;
        }
        self.notify = app.ui.notify.take().unwrap_or(self.notify);
        self.draw_attention(app)?;
        self.use_clipboard(app)?;
        let bytes = app.frame();
        if let Some(undo) = app.screen.take_image_undo() {
            self.terminal.own_images(undo)?;
        }
        if app.screen.has_cursor_shape() {
            self.terminal.own_caret()?;
        }
        if !bytes.is_empty() {
            self.terminal.write(&bytes)?;
            self.pacing.note_sent(bytes.len(), self.clock.monotonic());
        }
        app.after_frame();
        Ok(())
    }

    /// Sends notifications, and shows in the task bar whether the agent works.
    fn draw_attention(&mut self, app: &mut App) -> std::io::Result<()> {
        let name = self.caps.name.as_deref();
        if let Some(Notification { title, text }) = app.ui.notification.take() {
            let style = match self.notify {
                Notify::Auto => Some(NotificationStyle::of(name)),
                Notify::Bell => Some(NotificationStyle::Bell),
                Notify::Off => None,
            };
            if let Some(style) = style {
                self.terminal.write(&attention::notification(style, &title, &text))?;
            }
        }
        let agent = &app.state.agent;
        let progress = match (agent.working_since, agent.has_failed) {
            (Some(_), _) => Progress::Busy,
            (None, true) => Progress::Failed,
            (None, false) => Progress::None,
        };
        if progress != self.progress && attention::shows_progress(name) {
            self.terminal.set_progress(progress)?;
            self.progress = progress;
        }
        Ok(())
    }

    /// Puts a text on the clipboards, the terminal's if there is no other, and requests the text to paste.
    fn use_clipboard(&mut self, app: &mut App) -> std::io::Result<()> {
        if let Some(text) = app.ui.clipboard.take() {
            if self.clipboard.has_any() {
                let copied = self.clipboard.set(text.clone());
                app.tasks().spawn("clipboard.copy", copied, |cx, copied| {
                    match copied {
                        Ok(Ok(())) => return,
                        Ok(Err(error)) => tracing::debug!("no clipboard but the terminal's: {error}"),
                        Err(error) => tracing::debug!("no clipboard but the terminal's: {error}"),
                    }
                    cx.ui.terminal_clipboard = Some(text);
                });
            } else {
                app.ui.terminal_clipboard = Some(text);
            }
        }
        if std::mem::take(&mut app.ui.paste_clipboard) {
            let asked = app.state.paste_context();
            let is_remote = self.clipboard_route.is_remote;
            if is_remote {
                app.state.set_status("No clipboard over ssh. Use the terminal's own key to paste");
            } else {
                app.tasks().spawn("clipboard.read", self.clipboard.get(), move |cx, read| {
                    if let Some(read) = answer_or_error(cx, "read the clipboard", read) {
                        clipboard::on_read(cx, asked, read);
                    }
                });
            }
        }
        if std::mem::take(&mut app.ui.paste_clipboard_image) {
            // The message waits for it from now on.
            let message = app.state.prompt.begin_reading();
            app.tasks().spawn("clipboard.read-image", self.clipboard.get_image(), move |cx, read| {
                match answer_or_error(cx, "read the clipboard", read) {
                    Some(read) => clipboard::on_image(cx, message, read),
                    None => prompt::images::on_failed(cx, message, None),
                }
            });
        }
        let Some(text) = app.ui.terminal_clipboard.take() else { return Ok(()) };
        match term::clipboard::set(&text, self.clipboard_route.in_tmux) {
            Some(sequence) => self.terminal.write(&sequence)?,
            None => app.state.set_status("Copied inside bowline; too long for the terminal's clipboard"),
        }
        Ok(())
    }
}

/// Returns the window title: folder and session, and a sign while the agent works.
fn window_title(state: &State) -> String {
    let folder = state.workspace.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let session = state.agent.title().unwrap_or("bowline");
    let sign = if state.agent.working_since.is_some() { " ◐" } else { "" };
    format!("{folder} · {session}{sign}")
}

/// Finishes running changes to files when a signal ends the program, within a time limit.
async fn finish_changes(source: &mut EventSource, signals: &mut Signals) {
    let timeout = tokio::time::sleep(SESSION_END_TIMEOUT);
    tokio::pin!(timeout);
    while !source.app.state.quit && quit::is_changing(&source.app.state) {
        tokio::select! {
            happened = source.next() => source.handle(happened),
            _ = signals.next() => return,
            () = &mut timeout => return tracing::error!("files were still being changed at the end"),
        }
    }
}

/// Saves unsaved text for the next start, unless the user has discarded it.
async fn keep_unsaved(app: &mut App) {
    // A panic may have ended the loop between a key and this call, or occur in it.
    if let Err(panicked) = catch(|| app.before_sleep()) {
        tracing::error!("what is unsaved could not be looked at: {panicked}");
    }
    let chosen = app.state.quit;
    let kept = tokio::task::spawn_blocking(app.final_writes(chosen));
    if !matches!(tokio::time::timeout(SESSION_END_TIMEOUT, kept).await, Ok(Ok(()))) {
        tracing::error!("unsaved text could not be kept in time");
    }
}

async fn sleep_until(clock: &SharedClock, deadline: Option<Duration>) {
    match deadline {
        Some(deadline) => tokio::time::sleep(deadline.saturating_sub(clock.monotonic())).await,
        None => std::future::pending().await,
    }
}
