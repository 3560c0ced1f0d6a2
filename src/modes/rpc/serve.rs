//! RPC: commands in, answers and events out, a line of JSON each, until standard input ends.
//!
//! Must not know what commands do. Most are answered one after the other, in the order in which they came; those
//! that take their time are answered when they are done. Events of what a command began come behind its answer.

use std::time::Duration;

use futures::future::{BoxFuture, ready};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{Permit, Receiver};
use tokio::task::unconstrained;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Answer};
use super::command::Command;
use super::desk::Desk;
use super::long::{self, Bench};
use super::outbox::Outbox;
use super::{quick, whole};
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::json::json;
use crate::base::lenient;
use crate::modes::lines::{Line, Out};
use crate::modes::notes::note;
use crate::modes::print::{FAILED, INTERRUPTED, OK, interruption};
use crate::runtime::hub::Reader;
use crate::runtime::wire::Wire;
use crate::runtime::{Handle, RuntimeEvent};

/// Commands that may take their time at once.
const LONG_MAX: usize = 32;
/// Interruptions beside them that may wait for their end.
const ABORTS_MAX: usize = 1024;
/// Lines that wait to be read while commands are still taken.
const OUTBOX_MAX: usize = 4096;
/// How long the end waits for what is not done yet.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// What the mode works with.
pub struct Ports {
    /// The session.
    pub handle: Handle,
    /// Questions to the person, and what they want to send.
    pub desk: (Desk, Receiver<Value>),
    /// What comes in, and what says that its end was read.
    pub input: (Receiver<Line>, CancellationToken),
    /// Where lines go.
    pub out: Out,
    /// The settings in force.
    pub settings: Value,
}

/// Serves one program until its end, or a signal. Returns the exit code.
pub async fn serve(ports: Ports) -> i32 {
    serve_until(ports, interruption()).await
}

async fn serve_until(ports: Ports, interruption: BoxFuture<'static, ()>) -> i32 {
    let Ports { handle, desk: (desk, requests), input: (input, ended), out, settings } = ports;
    let Some((snapshot, events)) = handle.subscribe_as(Reader::Patient).await else { return FAILED };
    let mut face = Face {
        wire: Wire::default(),
        jobs: Jobs::default(),
        outbox: Outbox::default(),
        stop: CancellationToken::new(),
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
            face.follow(events, requests, input).await
        };
        tokio::select! {
            biased;
            () = interruption => INTERRUPTED,
            // Whoever read has gone.
            () = out.gone() => OK,
            // Whoever spoke has gone, and does not read what he asked for.
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
    // What was asked is answered, unless nobody reads that.
    if tokio::time::timeout(LAST_WORDS, face.finish()).await.is_err() {
        tracing::warn!("the last answers were not read");
    }
    code
}

/// What ends with a line.
type Job = BoxFuture<'static, String>;

/// How far a command is.
enum Done {
    Line(String),
    /// What it asks about was seen, and the line is being made of that.
    Seen(Job),
}

/// Where the answer of a command stands among the events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before what is not told yet when it is there.
    First,
    /// Behind everything but the run that it begins.
    BeforeRun,
    /// Behind everything of the session that it leaves.
    BehindReplaced,
}

/// The command that is answered before the next one is looked at.
struct Current {
    job: BoxFuture<'static, Done>,
    place: Place,
}

/// What is being done.
#[derive(Default)]
struct Jobs {
    current: Option<Current>,
    /// The rest of its work, which nobody else has to wait for.
    making: Option<Job>,
    long: FuturesUnordered<Job>,
}

impl Jobs {
    /// What the current command has come to, if it has; it is looked at without waiting.
    fn ready(&mut self, which: impl FnOnce(Place) -> bool) -> Option<(Done, Place)> {
        let current = self.current.as_mut().filter(|current| which(current.place))?;
        let done = current.job.as_mut().now_or_never()?;
        let place = current.place;
        self.current = None;
        Some((done, place))
    }
}

struct Face {
    handle: Handle,
    desk: Desk,
    out: Out,
    settings: Value,
    wire: Wire,
    jobs: Jobs,
    outbox: Outbox,
    /// Ends commands of the person.
    stop: CancellationToken,
}

/// What comes next.
enum Next<'a> {
    Answered(Done),
    Made(String),
    Done(String),
    Ask(Value),
    Room(Option<Permit<'a, String>>),
    Line(Option<Line>),
    Event(Option<RuntimeEvent>),
}

/// Where things stand among the lines that wait.
#[derive(Default)]
struct Marks {
    begun: Option<usize>,
    replaced: Option<usize>,
}

impl Face {
    /// However slowly its lines are read, commands are taken; only events wait in the session then.
    async fn follow(
        &mut self,
        mut events: Receiver<RuntimeEvent>,
        mut requests: Receiver<Value>,
        mut input: Receiver<Line>,
    ) -> i32 {
        let (out, handle) = (self.out.clone(), self.handle.clone());
        let over = handle.over();
        tokio::pin!(over);
        loop {
            let Jobs { current, making, long } = &mut self.jobs;
            let is_free = current.is_none() && making.is_none() && self.outbox.len() < OUTBOX_MAX;
            let next = tokio::select! {
                biased;
                done = now(current.as_mut().map(|current| &mut current.job)) => Next::Answered(done),
                line = now(making.as_mut()) => Next::Made(line),
                Some(line) = long.next() => Next::Done(line),
                Some(request) = requests.recv() => Next::Ask(request),
                room = out.room(), if self.outbox.is_ready() => Next::Room(room),
                line = input.recv(), if is_free => Next::Line(line),
                event = events.recv(), if self.outbox.is_empty() => Next::Event(event),
                // Everything that it told is told.
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
                Next::Done(line) => {
                    // What was told before it was done comes before.
                    self.gather(None, &mut events, true);
                    self.outbox.push(line);
                }
                Next::Ask(request) => {
                    // What it is about was told before.
                    self.gather(None, &mut events, true);
                    self.outbox.push(request.to_string());
                }
                Next::Room(None) | Next::Line(None) => return OK,
                Next::Room(Some(room)) => room.send(self.outbox.take().unwrap_or_default()),
                Next::Line(Some(line)) => self.take(line),
                Next::Event(None) => return FAILED,
                Next::Event(Some(event)) => self.gather(Some(event), &mut events, false),
            }
        }
    }

    /// Takes in an event, and with `all` those that have come by now, each in its place among the answers. No more
    /// than those: a session tells on and on.
    fn gather(&mut self, first: Option<RuntimeEvent>, events: &mut Receiver<RuntimeEvent>, all: bool) {
        let mut marks = Marks::default();
        if let Some(event) = first {
            self.hear(&event, &mut marks);
        } else if let Some((done, _)) = self.jobs.ready(|place| place == Place::First) {
            self.answered(done, self.outbox.len());
        }
        // A run is told of behind the answer to what began it, so whoever hears of it finds that answer.
        let done = self.jobs.ready(|place| place != Place::First);
        let count = if all || done.is_some() { events.len() } else { 0 };
        for event in std::iter::from_fn(|| events.try_recv().ok()).take(count) {
            self.hear(&event, &mut marks);
        }
        let done = done.or_else(|| self.jobs.ready(|place| place != Place::First));
        if let Some((done, place)) = done {
            let at = if place == Place::BeforeRun { marks.begun } else { marks.replaced };
            self.answered(done, at.unwrap_or(self.outbox.len()));
        }
    }

    /// Puts an answer, or what it will be, before the line at a place.
    fn answered(&mut self, done: Done, at: usize) {
        match done {
            Done::Line(line) => self.outbox.insert(at, line),
            Done::Seen(making) => {
                self.jobs.making = Some(making);
                self.outbox.keep_place();
            }
        }
    }

    /// Tells of something in its place among the answers.
    fn hear(&mut self, event: &RuntimeEvent, marks: &mut Marks) {
        // What it follows from is answered by now, be it since somebody looked, and that comes first.
        if let Some((done, _)) = self.jobs.ready(|place| place == Place::First) {
            self.answered(done, self.outbox.len());
        }
        if matches!(event, RuntimeEvent::Agent(AgentEvent::AgentStart)) {
            marks.begun = Some(self.outbox.len());
        }
        self.tell(event);
        if matches!(event, RuntimeEvent::Replaced(_)) {
            marks.replaced = Some(self.outbox.len());
        }
    }

    /// Answers what is not answered yet.
    async fn finish(mut self) {
        while let Some(line) = self.outbox.take() {
            self.out.line(line).await;
        }
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
        while let Some(line) = self.outbox.take() {
            self.out.line(line).await;
        }
        while let Some(line) = self.jobs.long.next().await {
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
            RuntimeEvent::Failed(_) => "error",
            RuntimeEvent::Agent(
                AgentEvent::LimitReached(_) | AgentEvent::ContextWarning { .. } | AgentEvent::LoopDetected,
            ) => "warning",
            _ => return,
        };
        if let Some(message) = note(event) {
            let notice = json!({
                "type": "extension_ui_request", "id": self.desk.number(), "method": "notify", "message": message,
                "notifyType": level,
            });
            self.outbox.push(notice.to_string());
        }
    }

    /// Takes a line: an answer of the person, or a command.
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

    fn begin(&mut self, id: Option<Box<RawValue>>, name: String, command: Command) {
        if matches!(command, Command::AbortBash) {
            std::mem::take(&mut self.stop).cancel();
            return self.outbox.push(answer::line(id.as_deref(), &name, &Ok(answer::Data::None)));
        }
        if long::is_long(&command) {
            // An interruption is never too much.
            let mut most = LONG_MAX;
            if matches!(command, Command::Abort) {
                self.handle.abort();
                most += ABORTS_MAX;
            }
            if self.jobs.long.len() >= most {
                let why = format!("{most} commands are under way; wait for one of them");
                return self.refuse(id.as_deref(), &name, &why);
            }
            let bench = Bench { handle: self.handle.clone(), out: self.out.clone(), stop: self.stop.clone() };
            return self.jobs.long.push(Box::pin(async move {
                let answer = long::answer(bench, id.clone(), command).await;
                answer::line(id.as_deref(), &name, &answer)
            }));
        }
        let (handle, settings) = (self.handle.clone(), self.settings.clone());
        let place = place(&command);
        let job: BoxFuture<'static, Done> = if whole::is_whole(&command) {
            Box::pin(async move {
                match whole::see(&handle, command).await {
                    Ok(making) => Done::Seen(make(id, name, making)),
                    Err(why) => Done::Line(answer::line(id.as_deref(), &name, &Err(why))),
                }
            })
        } else {
            Box::pin(async move {
                let answer = quick::answer(&handle, &settings, command).await;
                Done::Line(answer::line(id.as_deref(), &name, &answer))
            })
        };
        // Whether it is done is asked again and again, and must not be denied because much else was.
        self.jobs.current = Some(Current { job: Box::pin(unconstrained(job)), place });
    }
}

/// Makes an answer where nobody waits for anything else.
fn make(id: Option<Box<RawValue>>, name: String, making: whole::Making) -> Job {
    let (same, command) = (id.clone(), name.clone());
    let made = tokio::task::spawn_blocking(move || answer::line(id.as_deref(), &name, &making()));
    Box::pin(async move {
        made.await.unwrap_or_else(|error| {
            let failed = Err(Report::caused("the answer was not made", &error));
            answer::line(same.as_deref(), &command, &failed)
        })
    })
}

/// Whether something changes nothing of the session that is told.
fn streams(event: &RuntimeEvent) -> bool {
    matches!(event, RuntimeEvent::Agent(AgentEvent::MessageUpdate(_) | AgentEvent::ToolUpdate { .. }))
}

fn place(command: &Command) -> Place {
    match command {
        Command::Prompt { .. } => Place::BeforeRun,
        Command::NewSession { .. }
        | Command::SwitchSession { .. }
        | Command::Fork { .. }
        | Command::Clone
        | Command::NavigateTree { .. }
        | Command::Restore { .. } => Place::BehindReplaced,
        _ => Place::First,
    }
}

async fn now<T>(job: Option<&mut BoxFuture<'static, T>>) -> T {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
