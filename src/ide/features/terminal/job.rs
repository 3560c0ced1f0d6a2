//! The task of one terminal: reads the output of programs, writes their input, and sends content to the event
//! loop, no more often than it can be shown. Must not know state or pane.
//!
//! However much is printed, the event loop gets one grid at a time, and the next one only when it has
//! processed that.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use crate::base::paths;
use crate::exec::{Environment, FileKind, Terminal, TerminalControl, TerminalSpec};
use crate::ide::core::context::Tasks;
use crate::ide::features::terminal::agent_job_terminal;
use crate::ide::features::terminal::emulator::screen::{Emulator, ScrollBy};
use crate::ide::features::terminal::events::handle_event;
use crate::ide::features::terminal::messages::{TerminalEvent, TerminalId, TerminalRequest, TerminalText};
use crate::tools::running::WatchedJob;

/// Size of a read, between two checks for requests of the user.
const CHUNK: usize = 32 << 10;
/// Minimum time between updates while output is continuous.
const FRAME: Duration = Duration::from_millis(20);
/// Maximum bytes of pending input for a program.
const INPUT_MAX: usize = 1 << 20;
/// Maximum bytes of a selected text that is looked up as a path.
const PATH_MAX: usize = 4 << 10;
/// How long processes left by the shell may still print after its end.
const DRAIN_TIME: Duration = Duration::from_millis(100);
/// How long processes may take to end when their terminal is closed.
const GRACE: Duration = Duration::from_millis(700);

/// A terminal.
pub struct TerminalJob {
    id: TerminalId,
    /// The agent's background command to show in place of a shell.
    agent_job: Option<WatchedJob>,
    env: Arc<dyn Environment>,
    requests: mpsc::Receiver<TerminalRequest>,
    tasks: Tasks,
    size: (u16, u16),
    emulator: Emulator,
    input: Vec<u8>,
    watched: bool,
    /// Whether the content differs from what was sent.
    dirty: bool,
    reported_at: Instant,
    /// Whether the user was notified that the clipboard is not accessible: a program may try endlessly.
    refused: bool,
    turn: Arc<Semaphore>,
}

/// Why a shell is not read any more.
enum ShellExit {
    /// It ended with this code.
    Ended(i32),
    /// It was closed.
    Closed,
}

impl TerminalJob {
    /// Returns a terminal with a window of this size in columns and rows, of a shell or of a background command.
    pub fn new(
        (id, agent_job): (TerminalId, Option<WatchedJob>),
        size: (u16, u16),
        env: Arc<dyn Environment>,
        requests: mpsc::Receiver<TerminalRequest>,
        tasks: Tasks,
    ) -> Self {
        let emulator = Emulator::new(size.0, size.1);
        let (reported_at, turn) = (Instant::now(), Arc::new(Semaphore::new(1)));
        // A new shell is shown at once.
        let (input, watched, dirty) = (Vec::new(), agent_job.is_none(), true);
        Self {
            id,
            agent_job,
            env,
            requests,
            tasks,
            size,
            emulator,
            input,
            watched,
            dirty,
            reported_at,
            refused: false,
            turn,
        }
    }

    /// Runs until its request channel is closed.
    pub async fn run(mut self) {
        loop {
            let spec =
                TerminalSpec { cwd: self.env.root().to_path_buf(), cols: self.size.0, rows: self.size.1 };
            let opened = match &self.agent_job {
                Some(job) => Ok(agent_job_terminal::open(job)),
                None => self.env.terminal(spec),
            };
            match opened {
                Ok(mut terminal) => {
                    self.send_event(TerminalEvent::Started(self.id, terminal.name.clone())).await;
                    match self.run_shell(&mut terminal).await {
                        ShellExit::Closed => return end_terminal(terminal).await,
                        ShellExit::Ended(code) => {
                            drop(terminal);
                            self.send_event(TerminalEvent::Ended(self.id, code)).await;
                        }
                    }
                }
                Err(error) => self.send_event(TerminalEvent::Failed(self.id, error.to_string())).await,
            }
            if !self.wait_for_restart().await {
                return;
            }
            self.emulator = Emulator::new(self.size.0, self.size.1);
            self.input.clear();
            self.dirty = true;
        }
    }

    /// While a shell runs.
    async fn run_shell(&mut self, terminal: &mut Terminal) -> ShellExit {
        let mut buffer = vec![0; CHUNK];
        let mut open = true;
        let mut ended: Option<(i32, Instant)> = None;
        loop {
            if let Some((code, at)) = ended
                && (!open || at.elapsed() >= DRAIN_TIME)
            {
                return ShellExit::Ended(code);
            }
            let shows = self.can_report();
            let due = [self.deadline(), ended.map(|(_, at)| at + DRAIN_TIME)].into_iter().flatten().min();
            tokio::select! {
                biased;
                ask = self.requests.recv() => match ask {
                    Some(ask) => self.handle_request(ask, Some(&*terminal.control)).await,
                    None => return ShellExit::Closed,
                },
                permit = acquire_turn(&self.turn, shows) => self.report_grid(permit).await,
                () = sleep_until(due) => self.end_sync(),
                code = terminal.control.wait(), if ended.is_none() => ended = Some((code, Instant::now())),
                wrote = terminal.input.write(&self.input), if !self.input.is_empty() => match wrote {
                    Ok(n) => drop(self.input.drain(..n)),
                    Err(error) => {
                        tracing::debug!(%error, "a terminal's program does not read");
                        self.input.clear();
                    }
                },
                read = terminal.output.read(&mut buffer), if open => match read {
                    Ok(n @ 1..) => self.on_output(&buffer[..n]).await,
                    // The system reports an error when the last program has closed its side.
                    Ok(0) | Err(_) => open = false,
                },
            }
        }
    }

    /// Waits after the shell's end. Returns `false` if there will be no other shell.
    async fn wait_for_restart(&mut self) -> bool {
        loop {
            let (due, shows) = (self.deadline(), self.can_report());
            tokio::select! {
                biased;
                ask = self.requests.recv() => match ask {
                    Some(TerminalRequest::Restart) => return true,
                    Some(ask) => self.handle_request(ask, None).await,
                    None => return false,
                },
                permit = acquire_turn(&self.turn, shows) => self.report_grid(permit).await,
                () = sleep_until(due) => self.end_sync(),
            }
        }
    }

    async fn on_output(&mut self, bytes: &[u8]) {
        self.emulator.feed(bytes);
        let answers = self.emulator.take_replies();
        if self.input.len() + answers.len() <= INPUT_MAX {
            self.input.extend(answers);
        }
        self.dirty = true;
        if self.emulator.take_copied() && !std::mem::replace(&mut self.refused, true) {
            self.send_event(TerminalEvent::ClipboardRefused(self.id)).await;
        }
    }

    /// Returns whether there is content to send, and it is due.
    fn can_report(&self) -> bool {
        self.dirty && self.watched && self.reported_at.elapsed() >= FRAME
    }

    /// Returns when something is due by time alone.
    fn deadline(&self) -> Option<Instant> {
        let frame = (self.dirty && self.watched && !self.can_report()).then(|| self.reported_at + FRAME);
        [frame, self.emulator.sync_deadline()].into_iter().flatten().min()
    }

    fn end_sync(&mut self) {
        if self.emulator.sync_deadline().is_some_and(|due| due <= Instant::now()) {
            self.emulator.end_sync();
            self.dirty = true;
        }
    }

    async fn report_grid(&mut self, permit: OwnedSemaphorePermit) {
        self.dirty = false;
        self.reported_at = Instant::now();
        let grid = Box::new(self.emulator.grid());
        self.send_event(TerminalEvent::GridChanged(self.id, grid, permit)).await;
    }

    async fn handle_request(&mut self, ask: TerminalRequest, control: Option<&dyn TerminalControl>) {
        let changes = !matches!(
            ask,
            TerminalRequest::Input(_)
                | TerminalRequest::Report(_)
                | TerminalRequest::Copy
                | TerminalRequest::WordAt(_)
                | TerminalRequest::SelectedFile
                | TerminalRequest::TextForAgent
                | TerminalRequest::AllText
                | TerminalRequest::ForegroundProgram(_)
        );
        match ask {
            TerminalRequest::Input(bytes) => self.queue_input(&bytes, control.is_some()).await,
            TerminalRequest::Report(bytes)
                if control.is_some() && self.input.len() + bytes.len() <= INPUT_MAX =>
            {
                self.input.extend(bytes);
            }
            TerminalRequest::Report(_) | TerminalRequest::Restart => {}
            TerminalRequest::Resize(cols, rows) => {
                self.size = (cols, rows);
                self.emulator.resize(cols, rows);
                if let Some(Err(error)) = control.map(|control| control.resize(cols, rows)) {
                    tracing::warn!(%error, "cannot tell a terminal's size");
                }
            }
            TerminalRequest::Scroll(by) => self.emulator.scroll(by),
            TerminalRequest::Select(at, right, unit) => self.emulator.select(at, right, unit),
            TerminalRequest::SelectTo(at, right) => self.emulator.select_to(at, right),
            TerminalRequest::Unselect => self.emulator.unselect(),
            TerminalRequest::ToPrompt { is_back } => {
                if !self.emulator.scroll_to_prompt(is_back) {
                    let has_marks = self.emulator.has_prompts();
                    self.send_event(TerminalEvent::NoPrompt { has_marks }).await;
                }
            }
            TerminalRequest::Watch(watched) => self.watched = watched,
            // Only a question is left.
            question => self.answer(question, control).await,
        }
        self.dirty |= changes;
    }

    /// Answers a question about the content.
    async fn answer(&mut self, question: TerminalRequest, control: Option<&dyn TerminalControl>) {
        match question {
            TerminalRequest::Copy => {
                self.send_event(TerminalEvent::Copied(self.emulator.selected_text())).await;
            }
            TerminalRequest::WordAt(at) => {
                let found = self.find_location(self.emulator.word_at(at)).await;
                self.send_event(found).await;
            }
            TerminalRequest::SelectedFile => {
                let found = match self.selected_name() {
                    name if name.is_empty() => TerminalEvent::Copied(None),
                    name => self.find_location(name).await,
                };
                self.send_event(found).await;
            }
            TerminalRequest::TextForAgent => {
                self.send_event(TerminalEvent::ForAgent(self.text_for_agent())).await;
            }
            TerminalRequest::AllText => {
                self.send_event(TerminalEvent::AllText(self.emulator.all_text())).await;
            }
            TerminalRequest::ForegroundProgram(reply) => {
                // The requester may have gone in the meantime.
                reply.send(control.and_then(TerminalControl::foreground_program)).ok();
            }
            _ => {}
        }
    }

    /// Returns the first line of the selected text without signs around a path; empty if it is too long for one.
    fn selected_name(&self) -> String {
        let selected = self.emulator.selected_text().unwrap_or_default();
        let line = selected.trim().lines().next().unwrap_or_default();
        let name = line.trim_matches(|c: char| c.is_whitespace() || "\"'`()[]<>,;".contains(c));
        if name.len() > PATH_MAX { String::new() } else { name.to_string() }
    }

    /// Returns the selected text, else the last command with its output.
    fn text_for_agent(&self) -> Option<TerminalText> {
        let selected = self.emulator.selected_text().map(TerminalText::Selected);
        selected.or_else(|| self.emulator.last_command().map(TerminalText::Command))
    }

    /// Returns the file that a word names, with or without a line and column after it.
    async fn find_location(&self, word: String) -> TerminalEvent {
        let path = |name: &str| paths::absolute(self.env.root(), Path::new(name));
        let (name, at) = paths::split_position(&word);
        for (path, at) in [(path(&word), None), (path(name), at)] {
            if !name.is_empty() && self.env.stat(&path).await.is_ok_and(|info| info.kind == FileKind::File) {
                return TerminalEvent::Location(path, at);
            }
        }
        TerminalEvent::NoLocation(word)
    }

    async fn queue_input(&mut self, bytes: &[u8], runs: bool) {
        if !runs {
            return;
        }
        if self.input.len() + bytes.len() > INPUT_MAX {
            return self.send_event(TerminalEvent::InputFull(self.id)).await;
        }
        self.input.extend_from_slice(bytes);
        // The user wants to see the effect of typing.
        self.emulator.scroll(ScrollBy::Bottom);
        self.emulator.unselect();
        self.dirty = true;
    }

    async fn send_event(&self, happening: TerminalEvent) {
        self.tasks.post("terminal.happened", move |cx| handle_event(cx, happening)).await;
    }
}

/// Waits for the permit to send, if there is something to send.
async fn acquire_turn(turn: &Arc<Semaphore>, wanted: bool) -> OwnedSemaphorePermit {
    if wanted && let Ok(permit) = turn.clone().acquire_owned().await {
        return permit;
    }
    // The semaphore is never closed.
    std::future::pending().await
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(at) => sleep(at.saturating_duration_since(Instant::now())).await,
        None => std::future::pending().await,
    }
}

/// Ends all processes: they get a signal, and the remaining ones are killed after a while.
async fn end_terminal(terminal: Terminal) {
    let Terminal { mut output, mut control, .. } = terminal;
    control.hang_up();
    let mut buffer = vec![0; CHUNK];
    let ended = timeout(GRACE, async {
        let mut open = true;
        loop {
            tokio::select! {
                _code = control.wait() => return,
                // Processes that still print must not block on us.
                read = output.read(&mut buffer), if open => open = read.is_ok_and(|n| n > 0),
            }
        }
    });
    if ended.await.is_err() {
        tracing::debug!("a terminal's shell did not end when it was told to");
    }
    control.kill();
}
