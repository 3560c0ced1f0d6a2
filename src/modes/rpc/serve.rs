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
use super::host::{Call, Commands};
use super::host_ui::HostUi;
use super::jobs::{AnswerOrder, Current, Done, Job, Jobs, LongJob, place};
use super::outbox::Outbox;
use super::ports::Ports;
use super::ui::{HostMessage, Method, NotifyType};
use super::{inline, snapshot};
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::json::json;
use crate::base::lenient;
use crate::modes::lines::{Line, Out};
use crate::modes::notes::note;
use crate::modes::print::{FAILED, INTERRUPTED, OK};
use crate::runtime::events::hub::Reader;
use crate::runtime::events::wire::Wire;
use crate::runtime::{Handle, RuntimeEvent};

/// Maximum number of background commands.
const LONG_MAX: usize = 32;
/// Maximum number of pending aborts in addition.
const ABORTS_MAX: usize = 1024;
/// Maximum length of the output queue at which commands are still accepted.
const OUTBOX_MAX: usize = 4096;
/// How long the end waits for pending work.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Serves the session to one client over pi's protocol (`docs/rpc.md`), until the client has disconnected,
/// the session has ended, or [`Ports::until`] resolves. Commands received by then are answered, questions to
/// the user are refused, and the agent is interrupted; the session stays open, and the host must end it.
///
/// Returns the exit code: 0, 1 if the session ended, 130 if it was stopped.
pub async fn serve(mut ports: Ports) -> i32 {
    let written = ports.written.take();
    let code = serve_until(ports).await;
    if let Some(written) = written
        && let Err(error) = written.done(LAST_WORDS).await
    {
        // A host that closes the pipe is done.
        tracing::debug!(%error, "nobody reads what is written");
    }
    code
}

async fn serve_until(ports: Ports) -> i32 {
    let Ports { handle, desk, input: (input, ended), out, settings, commands, until, .. } = ports;
    let Some((snapshot, events)) = handle.subscribe_as(Reader::Patient).await else { return FAILED };
    let mut face = Face {
        wire: Wire::default(),
        jobs: Jobs::default(),
        outbox: Outbox::default(),
        stop: CancellationToken::new(),
        commands: Commands::new(&commands),
        handle,
        desk: desk.clone(),
        out: out.clone(),
        settings,
    };
    let handle = face.handle.clone();
    let code = {
        let ready =
            json!({"type": "ready", "version": env!("CARGO_PKG_VERSION"), "sessionId": snapshot.session_id});
        let over = async {
            face.out.send(&ready).await;
            face.follow(events, input).await
        };
        tokio::select! {
            biased;
            () = until => INTERRUPTED,
            // The reader is gone.
            () = out.gone() => OK,
            // The writer is gone, and does not read its answers.
            () = async {
                ended.cancelled().await;
                out.stuck(LAST_WORDS).await;
            } => OK,
            code = over => code,
        }
    };
    desk.close();
    face.stop.cancel();
    handle.abort();
    // Pending commands are answered, unless no reader is left.
    if tokio::time::timeout(LAST_WORDS, face.finish()).await.is_err() {
        tracing::warn!("the last answers were not read");
    }
    code
}

struct Face {
    handle: Handle,
    desk: HostUi,
    out: Out,
    settings: Value,
    commands: Commands,
    wire: Wire,
    jobs: Jobs,
    outbox: Outbox,
    /// Cancels the user's commands.
    stop: CancellationToken,
}

/// The next thing to handle.
enum Next<'a> {
    Answered(Done),
    Made(String),
    Done(Vec<String>),
    Tell,
    Room(Option<Permit<'a, String>>),
    Line(Option<Line>),
    Event(Option<RuntimeEvent>),
}

/// Positions in the output queue.
#[derive(Default)]
struct Marks {
    begun: Option<usize>,
    replaced: Option<usize>,
}

impl Face {
    /// Commands are accepted however slowly lines are read; only events wait in the session then.
    async fn follow(&mut self, mut events: Receiver<RuntimeEvent>, mut input: Receiver<Line>) -> i32 {
        let (out, handle, desk) = (self.out.clone(), self.handle.clone(), self.desk.clone());
        let over = handle.over();
        tokio::pin!(over);
        loop {
            let Jobs { current, making, long } = &mut self.jobs;
            let is_free = current.is_none() && making.is_none() && self.outbox.len() < OUTBOX_MAX;
            let next = tokio::select! {
                biased;
                done = now(current.as_mut().map(|current| &mut current.job)) => Next::Answered(done),
                line = now(making.as_mut()) => Next::Made(line),
                Some(lines) = long.next() => Next::Done(lines),
                () = desk.ready(), if self.outbox.is_empty() => Next::Tell,
                room = out.room(), if self.outbox.is_ready() => Next::Room(room),
                line = input.recv(), if is_free => Next::Line(line),
                event = events.recv(), if self.outbox.is_empty() => Next::Event(event),
                // All its events were sent.
                () = &mut over, if self.outbox.is_empty() => Next::Event(None),
            };
            match next {
                Next::Answered(done) => {
                    if let Some(current) = &mut self.jobs.current {
                        current.job = Box::pin(ready(done));
                    }
                    self.gather(None, &mut events, false);
                }
                Next::Made(line) => {
                    self.jobs.making = None;
                    self.outbox.fill(line);
                }
                Next::Done(lines) => {
                    // Earlier events and UI messages precede the answer.
                    self.gather(None, &mut events, true);
                    self.clear_desk();
                    self.outbox.extend(lines);
                }
                Next::Tell => {
                    // Events before the collected data precede the answer.
                    self.gather(None, &mut events, true);
                    self.clear_desk();
                }
                Next::Room(None) | Next::Line(None) => return OK,
                Next::Room(Some(room)) => room.send(self.outbox.take().unwrap_or_default()),
                Next::Line(Some(line)) => self.take(line),
                Next::Event(None) => return FAILED,
                Next::Event(Some(event)) => self.gather(Some(event), &mut events, false),
            }
        }
    }

    /// Queues an event, and with `all` those that have arrived, each in order with the answers. No more than
    /// those: a session sends events without end.
    fn gather(&mut self, first: Option<RuntimeEvent>, events: &mut Receiver<RuntimeEvent>, all: bool) {
        let mut marks = Marks::default();
        if let Some(event) = first {
            self.hear(&event, &mut marks);
        } else if let Some((done, _)) = self.jobs.ready(|place| place == AnswerOrder::First) {
            self.answered(done, self.outbox.len());
        }
        // Events of a run follow the answer of the command that started it.
        let done = self.jobs.ready(|place| place != AnswerOrder::First);
        let count = if all || done.is_some() { events.len() } else { 0 };
        for event in std::iter::from_fn(|| events.try_recv().ok()).take(count) {
            self.hear(&event, &mut marks);
        }
        let done = done.or_else(|| self.jobs.ready(|place| place != AnswerOrder::First));
        if let Some((done, place)) = done {
            let at = if place == AnswerOrder::BeforeRun { marks.begun } else { marks.replaced };
            self.answered(done, at.unwrap_or(self.outbox.len()));
        }
    }

    /// Queues messages of the host UI, unless the output queue is too long.
    fn clear_desk(&mut self) {
        while self.outbox.len() < OUTBOX_MAX
            && let Some(told) = self.desk.waiting()
        {
            self.outbox.push(told.line());
        }
    }

    /// Puts an answer, or its reservation, before the line at a position.
    fn answered(&mut self, done: Done, at: usize) {
        match done {
            Done::Line(line) => self.outbox.insert(at, line),
            Done::Seen(making) => {
                self.jobs.making = Some(making);
                self.outbox.keep_place();
            }
        }
    }

    /// Queues an event in order with the answers.
    fn hear(&mut self, event: &RuntimeEvent, marks: &mut Marks) {
        // The command that caused it is ready by this time, perhaps only since the last poll, and its answer
        // comes first.
        if let Some((done, _)) = self.jobs.ready(|place| place == AnswerOrder::First) {
            self.answered(done, self.outbox.len());
        }
        // Output of a call precedes its end.
        if matches!(event, RuntimeEvent::Agent(AgentEvent::ToolEnd { .. })) {
            while let Some(told) = self.desk.shown() {
                self.outbox.push(told.line());
            }
        }
        if matches!(event, RuntimeEvent::Agent(AgentEvent::AgentStart)) {
            marks.begun = Some(self.outbox.len());
        }
        self.tell(event);
        if matches!(event, RuntimeEvent::Replaced(_)) {
            marks.replaced = Some(self.outbox.len());
        }
    }

    /// Completes pending answers.
    async fn finish(mut self) {
        self.write_all().await;
        if let Some(making) = self.jobs.making.take() {
            self.outbox.fill(making.await);
        }
        if let Some(current) = self.jobs.current.take() {
            let line = match current.job.await {
                Done::Line(line) => line,
                Done::Seen(making) => making.await,
            };
            self.outbox.push(line);
        }
        self.write_all().await;
        while let Some(lines) = self.jobs.long.next().await {
            self.clear_desk();
            self.outbox.extend(lines);
            self.write_all().await;
        }
    }

    async fn write_all(&mut self) {
        while let Some(line) = self.outbox.take() {
            self.out.line(line).await;
        }
    }

    fn tell(&mut self, event: &RuntimeEvent) {
        for value in self.wire.events(event) {
            if streams(event) {
                self.outbox.push_past(value.to_string());
            } else {
                self.outbox.push(value.to_string());
            }
        }
        let level = match event {
            RuntimeEvent::Replaced(snapshot) => {
                let mut told = json!({"type": "conversation_replaced", "sessionId": snapshot.session_id});
                if let Some(file) = &snapshot.file {
                    told["sessionFile"] = json!(file.to_string_lossy());
                }
                told["messageCount"] = json!(snapshot.messages.len());
                self.outbox.push(told.to_string());
                return;
            }
            RuntimeEvent::Failed(_) => NotifyType::Error,
            RuntimeEvent::Agent(
                AgentEvent::LimitReached(_) | AgentEvent::ContextWarning { .. } | AgentEvent::LoopDetected,
            ) => NotifyType::Warning,
            _ => return,
        };
        if let Some(message) = note(event) {
            let notice = self.desk.number(Method::Notify { message, notify_type: Some(level) });
            self.outbox.push(notice.line());
        }
    }

    /// Handles a line: an answer of the user, or a command.
    fn take(&mut self, line: Line) {
        let (text, read) = match line {
            Line::Text(text) => {
                let read = lenient::fields(&text);
                (text, read)
            }
            Line::Bad(why) => (String::new(), Err(why)),
        };
        let mut read = match read {
            Ok(Some(fields)) => fields,
            Ok(None) => return self.refuse(None, "parse", "a command is a JSON object with a `type`"),
            Err(why) => return self.refuse(None, "parse", &format!("not understood: {why}")),
        };
        let fields = std::mem::take(&mut read.all);
        let id = answer::id(text.trim_start_matches('\u{feff}'), &fields);
        let Some(name) = fields.get("type").and_then(Value::as_str).map(str::to_string) else {
            return self.refuse(id.as_deref(), "parse", "a command has a `type`");
        };
        if name == "extension_ui_response" {
            return self.desk.answered(&fields);
        }
        match Command::read(&name, fields) {
            Ok(command) => self.begin(id, name, command),
            Err(why) => self.refuse(id.as_deref(), &name, &read.why(why)),
        }
    }

    fn refuse(&mut self, id: Option<&RawValue>, command: &str, why: &str) {
        let refused: Answer = Err(Report::new(why));
        self.outbox.push(answer::line(id, command, &refused));
    }

    /// Runs a host command. It is answered when it has ended, and the answer is always a success, as in pi.
    fn call(&mut self, id: Option<Box<RawValue>>, name: String, call: Call) {
        let (desk, handle) = (self.desk.clone(), self.handle.clone());
        self.begin_long(id, name, 0, |id, name| {
            Box::pin(async move {
                let failed = call.run(desk, handle).await;
                let answer = Ok(json!({"disposition": "handled"}).into());
                let answer = answer::line(id.as_deref(), &name, &answer);
                failed.iter().map(HostMessage::line).chain([answer]).collect()
            })
        });
    }

    /// Starts a background command, unless too many are running; some types have a higher limit.
    fn begin_long(
        &mut self,
        id: Option<Box<RawValue>>,
        name: String,
        more: usize,
        job: impl FnOnce(Option<Box<RawValue>>, String) -> LongJob,
    ) {
        let most = LONG_MAX + more;
        if self.jobs.long.len() >= most {
            let why = format!("{most} commands are under way; wait for one of them");
            return self.refuse(id.as_deref(), &name, &why);
        }
        self.jobs.long.push(job(id, name));
    }

    fn begin(&mut self, id: Option<Box<RawValue>>, name: String, command: Command) {
        match &command {
            Command::AbortBash => {
                std::mem::take(&mut self.stop).cancel();
                return self.outbox.push(answer::line(id.as_deref(), &name, &Ok(answer::Data::None)));
            }
            Command::GetCommands => {
                let told = Ok(self.commands.told().into());
                return self.outbox.push(answer::line(id.as_deref(), &name, &told));
            }
            Command::Prompt { message, .. } => {
                if let Some(call) = self.commands.called(message) {
                    return self.call(id, name, call);
                }
            }
            Command::Steer { message, .. } | Command::FollowUp { message, .. } => {
                if let Some(call) = self.commands.called(message) {
                    let why = format!("/{} is a command and cannot wait; say it as a prompt", call.name);
                    return self.refuse(id.as_deref(), &name, &why);
                }
            }
            _ => {}
        }
        if background::is_long(&command) {
            // An abort is always accepted.
            let is_abort = matches!(command, Command::Abort);
            if is_abort {
                self.handle.abort();
            }
            let bench =
                BackgroundCx { handle: self.handle.clone(), out: self.out.clone(), stop: self.stop.clone() };
            let more = if is_abort { ABORTS_MAX } else { 0 };
            return self.begin_long(id, name, more, |id, name| {
                Box::pin(async move {
                    let answer = background::answer(bench, id.clone(), command).await;
                    vec![answer::line(id.as_deref(), &name, &answer)]
                })
            });
        }
        let (handle, settings) = (self.handle.clone(), self.settings.clone());
        let place = place(&command);
        let job: BoxFuture<'static, Done> = if snapshot::is_whole(&command) {
            Box::pin(async move {
                match snapshot::see(&handle, command).await {
                    Ok(making) => Done::Seen(make(id, name, making)),
                    Err(why) => Done::Line(answer::line(id.as_deref(), &name, &Err(why))),
                }
            })
        } else {
            Box::pin(async move {
                let answer = inline::answer(&handle, &settings, command).await;
                Done::Line(answer::line(id.as_deref(), &name, &answer))
            })
        };
        // Polled repeatedly; tokio's cooperative budget must not defer it.
        self.jobs.current = Some(Current { job: Box::pin(unconstrained(job)), place });
    }
}

/// Renders an answer on a blocking thread.
fn make(id: Option<Box<RawValue>>, name: String, making: snapshot::Render) -> Job {
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
fn streams(event: &RuntimeEvent) -> bool {
    matches!(event, RuntimeEvent::Agent(AgentEvent::MessageUpdate(_) | AgentEvent::ToolUpdate { .. }))
}

async fn now<T>(job: Option<&mut BoxFuture<'static, T>>) -> T {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
