//! RPC server: commands in, answers and events out, one JSON line each, until standard input ends.
//!
//! Must not know what commands do. Most are answered one after the other, in order; background commands are
//! answered when they are done. Events caused by a command follow its answer.

use std::time::Duration;

use futures::StreamExt;
use futures::future::{BoxFuture, ready};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{Permit, Receiver};
use tokio::task::unconstrained;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Answer};
use super::background::{self, BackgroundCx};
use super::command::Command;
use super::host::{Call, HostCommands};
use super::host_ui::HostUi;
use super::jobs::{AnswerOrder, CurrentJob, Job, JobProgress, Jobs, LongJob, answer_order};
use super::outbox::Outbox;
use super::ports::Ports;
use super::ui::{HostMessage, Method, NotifyType};
use super::{inline, snapshot};
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::json::json;
use crate::base::lenient;
use crate::modes::lines::{Line, LineWriter};
use crate::modes::notes::event_note;
use crate::modes::print::{FAILED, INTERRUPTED, OK};
use crate::runtime::events::hub::Reader;
use crate::runtime::events::wire::Wire;
use crate::runtime::{Handle, RuntimeEvent};

/// Maximum number of background commands.
const BACKGROUND_MAX: usize = 32;
/// Maximum number of pending aborts in addition.
const ABORTS_MAX: usize = 1024;
/// Maximum length of the output queue at which commands are still accepted.
const OUTBOX_MAX: usize = 4096;
/// How long the end waits for pending work.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves the session to one client over pi's protocol (`docs/rpc.md`), until the client has disconnected,
/// the session has ended, or [`Ports::until`] resolves. Commands received by then are answered, questions to
/// the user are refused, and the agent is interrupted; the session stays open, and the host must end it.
///
/// Returns the exit code: 0, 1 if the session ended, 130 if it was stopped.
pub async fn serve(mut ports: Ports) -> i32 {
    let written = ports.written.take();
    let code = serve_until(ports).await;
    if let Some(written) = written
        && let Err(error) = written.finish(SHUTDOWN_TIMEOUT).await
    {
        // A host that closes the pipe is done.
        tracing::debug!(%error, "nobody reads what is written");
    }
    code
}

async fn serve_until(ports: Ports) -> i32 {
    let Ports { handle, ui, input: (input, ended), out, settings, commands, until, .. } = ports;
    let Some((snapshot, events)) = handle.subscribe_as(Reader::Patient).await else { return FAILED };
    let mut face = RpcServer {
        wire: Wire::default(),
        jobs: Jobs::default(),
        outbox: Outbox::default(),
        stop: CancellationToken::new(),
        commands: HostCommands::new(&commands),
        handle,
        ui: ui.clone(),
        out: out.clone(),
        settings,
    };
    let handle = face.handle.clone();
    let code = {
        let ready =
            json!({"type": "ready", "version": env!("CARGO_PKG_VERSION"), "sessionId": snapshot.session_id});
        let over = async {
            face.out.send(&ready).await;
            face.run_loop(events, input).await
        };
        tokio::select! {
            biased;
            () = until => INTERRUPTED,
            // The reader is gone.
            () = out.wait_closed() => OK,
            // The writer is gone, and does not read its answers.
            () = async {
                ended.cancelled().await;
                out.wait_stalled(SHUTDOWN_TIMEOUT).await;
            } => OK,
            code = over => code,
        }
    };
    ui.close();
    face.stop.cancel();
    handle.abort();
    // Pending commands are answered, unless no reader is left.
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, face.finish()).await.is_err() {
        tracing::warn!("the last answers were not read");
    }
    code
}

struct RpcServer {
    handle: Handle,
    ui: HostUi,
    out: LineWriter,
    settings: Value,
    commands: HostCommands,
    wire: Wire,
    jobs: Jobs,
    outbox: Outbox,
    /// Cancels the user's commands.
    stop: CancellationToken,
}

/// The next thing to handle.
enum Next<'a> {
    JobProgress(JobProgress),
    Rendered(String),
    BackgroundDone(Vec<String>),
    UiMessage,
    WriterReady(Option<Permit<'a, String>>),
    Line(Option<Line>),
    Event(Option<RuntimeEvent>),
}

/// Positions in the output queue.
#[derive(Default)]
struct InsertPositions {
    run_start: Option<usize>,
    replaced: Option<usize>,
}

impl RpcServer {
    /// Commands are accepted however slowly lines are read; only events wait in the session then.
    async fn run_loop(&mut self, mut events: Receiver<RuntimeEvent>, mut input: Receiver<Line>) -> i32 {
        let (out, handle, ui) = (self.out.clone(), self.handle.clone(), self.ui.clone());
        let over = handle.wait_closed();
        tokio::pin!(over);
        loop {
            let Jobs { current, rendering: making, background: long } = &mut self.jobs;
            let is_free = current.is_none() && making.is_none() && self.outbox.len() < OUTBOX_MAX;
            let next = tokio::select! {
                biased;
                done = poll_job(current.as_mut().map(|current| &mut current.job)) => Next::JobProgress(done),
                line = poll_job(making.as_mut()) => Next::Rendered(line),
                Some(lines) = long.next() => Next::BackgroundDone(lines),
                () = ui.ready(), if self.outbox.is_empty() => Next::UiMessage,
                permit = out.reserve(), if self.outbox.is_ready() => Next::WriterReady(permit),
                line = input.recv(), if is_free => Next::Line(line),
                event = events.recv(), if self.outbox.is_empty() => Next::Event(event),
                // All its events were sent.
                () = &mut over, if self.outbox.is_empty() => Next::Event(None),
            };
            match next {
                Next::JobProgress(done) => {
                    if let Some(current) = &mut self.jobs.current {
                        current.job = Box::pin(ready(done));
                    }
                    self.drain_events(None, &mut events, false);
                }
                Next::Rendered(line) => {
                    self.jobs.rendering = None;
                    self.outbox.fill_slot(line);
                }
                Next::BackgroundDone(lines) => {
                    // Earlier events and UI messages precede the answer.
                    self.drain_events(None, &mut events, true);
                    self.drain_ui();
                    self.outbox.extend(lines);
                }
                Next::UiMessage => {
                    // Events before the collected data precede the answer.
                    self.drain_events(None, &mut events, true);
                    self.drain_ui();
                }
                Next::WriterReady(None) | Next::Line(None) => return OK,
                Next::WriterReady(Some(permit)) => permit.send(self.outbox.take().unwrap_or_default()),
                Next::Line(Some(line)) => self.handle_line(line),
                Next::Event(None) => return FAILED,
                Next::Event(Some(event)) => self.drain_events(Some(event), &mut events, false),
            }
        }
    }

    /// Queues an event, and with `all` those that have arrived, each in order with the answers. No more than
    /// those: a session sends events without end.
    fn drain_events(&mut self, first: Option<RuntimeEvent>, events: &mut Receiver<RuntimeEvent>, all: bool) {
        let mut marks = InsertPositions::default();
        if let Some(event) = first {
            self.handle_event(&event, &mut marks);
        } else if let Some((done, _)) = self.jobs.poll_current(|order| order == AnswerOrder::BeforePending) {
            self.insert_answer(done, self.outbox.len());
        }
        // Events of a run follow the answer of the command that started it.
        let mut done = self.jobs.poll_current(|order| order != AnswerOrder::BeforePending);
        if all || done.is_some() {
            self.take_arrived(events, &mut marks);
        }
        if done.is_none() {
            done = self.jobs.poll_current(|order| order != AnswerOrder::BeforePending);
            if done.is_some() {
                // The events that it caused have arrived with it.
                self.take_arrived(events, &mut marks);
            }
        }
        if let Some((done, order)) = done {
            let at = if order == AnswerOrder::BeforeRun { marks.run_start } else { marks.replaced };
            self.insert_answer(done, at.unwrap_or(self.outbox.len()));
        }
    }

    /// Queues the events that have arrived by now.
    fn take_arrived(&mut self, events: &mut Receiver<RuntimeEvent>, marks: &mut InsertPositions) {
        let count = events.len();
        for event in std::iter::from_fn(|| events.try_recv().ok()).take(count) {
            self.handle_event(&event, marks);
        }
    }

    /// Queues messages of the host UI, unless the output queue is too long.
    fn drain_ui(&mut self) {
        while self.outbox.len() < OUTBOX_MAX
            && let Some(message) = self.ui.take_next()
        {
            self.outbox.push(message.line());
        }
    }

    /// Puts an answer, or its reservation, before the line at a position.
    fn insert_answer(&mut self, done: JobProgress, at: usize) {
        match done {
            JobProgress::Line(line) => self.outbox.insert(at, line),
            JobProgress::Rendering(making) => {
                self.jobs.rendering = Some(making);
                self.outbox.reserve_slot();
            }
        }
    }

    /// Queues an event in order with the answers.
    fn handle_event(&mut self, event: &RuntimeEvent, marks: &mut InsertPositions) {
        // The command that caused it is ready by this time, perhaps only since the last poll, and its answer
        // comes first.
        if let Some((done, _)) = self.jobs.poll_current(|order| order == AnswerOrder::BeforePending) {
            self.insert_answer(done, self.outbox.len());
        }
        // Output of a call precedes its end.
        if matches!(event, RuntimeEvent::Agent(AgentEvent::ToolEnd { .. })) {
            while let Some(message) = self.ui.take_next_display() {
                self.outbox.push(message.line());
            }
        }
        if matches!(event, RuntimeEvent::Agent(AgentEvent::AgentStart)) {
            marks.run_start = Some(self.outbox.len());
        }
        self.push_event(event);
        if matches!(event, RuntimeEvent::Replaced(_)) {
            marks.replaced = Some(self.outbox.len());
        }
    }

    /// Completes pending answers.
    async fn finish(mut self) {
        self.write_all().await;
        if let Some(making) = self.jobs.rendering.take() {
            self.outbox.fill_slot(making.await);
        }
        if let Some(current) = self.jobs.current.take() {
            let line = match current.job.await {
                JobProgress::Line(line) => line,
                JobProgress::Rendering(making) => making.await,
            };
            self.outbox.push(line);
        }
        self.write_all().await;
        while let Some(lines) = self.jobs.background.next().await {
            self.drain_ui();
            self.outbox.extend(lines);
            self.write_all().await;
        }
    }

    async fn write_all(&mut self) {
        while let Some(line) = self.outbox.take() {
            self.out.line(line).await;
        }
    }

    fn push_event(&mut self, event: &RuntimeEvent) {
        for value in self.wire.events(event) {
            if is_streaming(event) {
                self.outbox.push_unblocked(value.to_string());
            } else {
                self.outbox.push(value.to_string());
            }
        }
        let level = match event {
            RuntimeEvent::Replaced(snapshot) => {
                let mut event_json =
                    json!({"type": "conversation_replaced", "sessionId": snapshot.session_id});
                if let Some(file) = &snapshot.file {
                    event_json["sessionFile"] = json!(file.to_string_lossy());
                }
                event_json["messageCount"] = json!(snapshot.messages.len());
                self.outbox.push(event_json.to_string());
                return;
            }
            RuntimeEvent::Failed(_) => NotifyType::Error,
            RuntimeEvent::Agent(
                AgentEvent::LimitReached(_) | AgentEvent::ContextWarning { .. } | AgentEvent::LoopDetected,
            )
            | RuntimeEvent::ErrorsLeft(_) => NotifyType::Warning,
            _ => return,
        };
        if let Some(message) = event_note(event) {
            let notice = self.ui.numbered(Method::Notify { message, notify_type: Some(level) });
            self.outbox.push(notice.line());
        }
    }

    /// Handles a line: an answer of the user, or a command.
    fn handle_line(&mut self, line: Line) {
        let (text, read) = match line {
            Line::Text(text) => {
                let read = lenient::fields(&text);
                (text, read)
            }
            Line::Invalid(error) => (String::new(), Err(error)),
        };
        let mut read = match read {
            Ok(Some(fields)) => fields,
            Ok(None) => return self.refuse(None, "parse", "a command is a JSON object with a `type`"),
            Err(error) => return self.refuse(None, "parse", &format!("not understood: {error}")),
        };
        let fields = std::mem::take(&mut read.all);
        let id = answer::id(text.trim_start_matches('\u{feff}'), &fields);
        let Some(name) = fields.get("type").and_then(Value::as_str).map(str::to_string) else {
            return self.refuse(id.as_deref(), "parse", "a command has a `type`");
        };
        if name == "extension_ui_response" {
            return self.ui.handle_reply(&fields);
        }
        match Command::parse(&name, fields) {
            Ok(command) => self.start_command(id, name, command),
            Err(error) => self.refuse(id.as_deref(), &name, &read.describe_invalid(error)),
        }
    }

    fn refuse(&mut self, id: Option<&RawValue>, command: &str, reason: &str) {
        let refused: Answer = Err(Report::new(reason));
        self.outbox.push(answer::line(id, command, &refused));
    }

    /// Runs a host command. It is answered when it has ended, and the answer is always a success, as in pi.
    fn run_host_command(&mut self, id: Option<Box<RawValue>>, name: String, call: Call) {
        let (ui, handle) = (self.ui.clone(), self.handle.clone());
        self.start_background(id, name, 0, |id, name| {
            Box::pin(async move {
                let failed = call.run(ui, handle).await;
                let answer = Ok(json!({"disposition": "handled"}).into());
                let answer = answer::line(id.as_deref(), &name, &answer);
                failed.iter().map(HostMessage::line).chain([answer]).collect()
            })
        });
    }

    /// Starts a background command, unless too many are running; some types have a higher limit.
    fn start_background(
        &mut self,
        id: Option<Box<RawValue>>,
        name: String,
        more: usize,
        job: impl FnOnce(Option<Box<RawValue>>, String) -> LongJob,
    ) {
        let most = BACKGROUND_MAX + more;
        if self.jobs.background.len() >= most {
            let reason = format!("{most} commands are under way; wait for one of them");
            return self.refuse(id.as_deref(), &name, &reason);
        }
        self.jobs.background.push(job(id, name));
    }

    fn start_command(&mut self, id: Option<Box<RawValue>>, name: String, command: Command) {
        match &command {
            Command::AbortBash => {
                std::mem::take(&mut self.stop).cancel();
                return self.outbox.push(answer::line(id.as_deref(), &name, &Ok(answer::Data::None)));
            }
            Command::GetCommands => {
                let response = Ok(self.commands.list_json().into());
                return self.outbox.push(answer::line(id.as_deref(), &name, &response));
            }
            Command::Prompt { message, .. } => {
                if let Some(call) = self.commands.find_call(message) {
                    return self.run_host_command(id, name, call);
                }
            }
            Command::Steer { message, .. } | Command::FollowUp { message, .. } => {
                if let Some(call) = self.commands.find_call(message) {
                    let error = format!("/{} is a command and cannot wait; send it as a prompt", call.name);
                    return self.refuse(id.as_deref(), &name, &error);
                }
            }
            _ => {}
        }
        if background::is_background(&command) {
            // An abort is always accepted.
            let is_abort = matches!(command, Command::Abort);
            if is_abort {
                self.handle.abort();
            }
            let bench =
                BackgroundCx { handle: self.handle.clone(), out: self.out.clone(), stop: self.stop.clone() };
            let more = if is_abort { ABORTS_MAX } else { 0 };
            return self.start_background(id, name, more, |id, name| {
                Box::pin(async move {
                    let answer = background::answer(bench, id.clone(), command).await;
                    vec![answer::line(id.as_deref(), &name, &answer)]
                })
            });
        }
        let (handle, settings) = (self.handle.clone(), self.settings.clone());
        let order = answer_order(&command);
        let job: BoxFuture<'static, JobProgress> = if snapshot::needs_snapshot(&command) {
            Box::pin(async move {
                match snapshot::take_snapshot(&handle, command).await {
                    Ok(making) => JobProgress::Rendering(render_job(id, name, making)),
                    Err(error) => JobProgress::Line(answer::line(id.as_deref(), &name, &Err(error))),
                }
            })
        } else {
            Box::pin(async move {
                let answer = inline::answer(&handle, &settings, command).await;
                JobProgress::Line(answer::line(id.as_deref(), &name, &answer))
            })
        };
        // Polled repeatedly; tokio's cooperative budget must not defer it.
        self.jobs.current = Some(CurrentJob { job: Box::pin(unconstrained(job)), order });
    }
}

/// Renders an answer on a blocking thread.
fn render_job(id: Option<Box<RawValue>>, name: String, making: snapshot::Render) -> Job {
    let (same, command) = (id.clone(), name.clone());
    let made = tokio::task::spawn_blocking(move || answer::line(id.as_deref(), &name, &making()));
    Box::pin(async move {
        made.await.unwrap_or_else(|error| {
            let failed = Err(Report::caused("the answer was not made", &error));
            answer::line(same.as_deref(), &command, &failed)
        })
    })
}

/// Whether an event only streams, so that no answer depends on its order.
fn is_streaming(event: &RuntimeEvent) -> bool {
    matches!(event, RuntimeEvent::Agent(AgentEvent::MessageUpdate(_) | AgentEvent::ToolUpdate { .. }))
}

async fn poll_job<T>(job: Option<&mut BoxFuture<'static, T>>) -> T {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
