//! RPC: commands in, answers and events out, a line of JSON each, until standard input ends.
//!
//! Must not know what commands do. Most are answered one after the other, in the order in which they came; those
//! that take their time are answered when they are done. Events of what a command began come behind its answer.

use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Answer};
use super::command::Command;
use super::desk::Desk;
use super::long::{self, Bench};
use super::{quick, whole};
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::json::json;
use crate::modes::lines::{Line, Out};
use crate::modes::notes::note;
use crate::modes::print::{FAILED, INTERRUPTED, OK, interruption};
use crate::runtime::hub::Reader;
use crate::runtime::wire::Wire;
use crate::runtime::{Handle, RuntimeEvent};

/// Commands that may take their time at once.
const LONG_MAX: usize = 32;
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

/// What is being done.
#[derive(Default)]
struct Jobs {
    /// The command that is answered before the next one is looked at.
    current: Option<BoxFuture<'static, Done>>,
    /// The rest of its work, which nobody else has to wait for.
    making: Option<Job>,
    long: FuturesUnordered<Job>,
}

struct Face {
    handle: Handle,
    desk: Desk,
    out: Out,
    settings: Value,
    wire: Wire,
    jobs: Jobs,
    /// Ends commands of the person.
    stop: CancellationToken,
}

/// What comes next.
enum Next {
    Answered(Done),
    Made(String),
    Done(String),
    Ask(Value),
    Line(Option<Line>),
    Event(Option<RuntimeEvent>),
}

impl Face {
    async fn follow(
        &mut self,
        mut events: Receiver<RuntimeEvent>,
        mut requests: Receiver<Value>,
        mut input: Receiver<Line>,
    ) -> i32 {
        loop {
            let Jobs { current, making, long } = &mut self.jobs;
            let is_free = current.is_none() && making.is_none();
            let next = tokio::select! {
                biased;
                done = now(current) => Next::Answered(done),
                line = now(making) => Next::Made(line),
                Some(line) = long.next() => Next::Done(line),
                Some(request) = requests.recv() => Next::Ask(request),
                line = input.recv(), if is_free => Next::Line(line),
                event = events.recv() => Next::Event(event),
            };
            match next {
                Next::Answered(done) => self.answered(done).await,
                Next::Made(line) => self.made(line).await,
                Next::Done(line) => {
                    // What was told before it was done comes before.
                    while let Ok(event) = events.try_recv() {
                        self.hear(&event).await;
                    }
                    self.out.line(line).await;
                }
                Next::Ask(request) => {
                    self.out.send(&request).await;
                }
                Next::Line(None) => return OK,
                Next::Line(Some(line)) => self.take(line).await,
                Next::Event(None) => return FAILED,
                Next::Event(Some(event)) => self.hear(&event).await,
            }
        }
    }

    async fn answered(&mut self, done: Done) {
        self.jobs.current = None;
        match done {
            Done::Line(line) => {
                self.out.line(line).await;
            }
            Done::Seen(making) => self.jobs.making = Some(making),
        }
    }

    async fn made(&mut self, line: String) {
        self.jobs.making = None;
        self.out.line(line).await;
    }

    /// Tells of something in its place among the answers.
    async fn hear(&mut self, event: &RuntimeEvent) {
        // What it follows from is answered by now, be it since somebody looked, and that comes first.
        if let Some(done) = self.jobs.current.as_mut().and_then(FutureExt::now_or_never) {
            self.answered(done).await;
        }
        // So does what was seen of the session before this has changed it. What only streams in waits for nothing.
        if !streams(event)
            && let Some(making) = self.jobs.making.as_mut()
        {
            let line = making.await;
            self.made(line).await;
        }
        self.tell(event).await;
    }

    /// Answers what is not answered yet.
    async fn finish(mut self) {
        if let Some(current) = self.jobs.current.take() {
            let done = current.await;
            self.answered(done).await;
        }
        if let Some(making) = self.jobs.making.take() {
            self.out.line(making.await).await;
        }
        while let Some(line) = self.jobs.long.next().await {
            self.out.line(line).await;
        }
    }

    async fn tell(&mut self, event: &RuntimeEvent) {
        for value in self.wire.events(event) {
            self.out.send(&value).await;
        }
        let level = match event {
            RuntimeEvent::Replaced(snapshot) => {
                let mut told = json!({"type": "conversation_replaced", "sessionId": snapshot.session_id});
                if let Some(file) = &snapshot.file {
                    told["sessionFile"] = json!(file.to_string_lossy());
                }
                told["messageCount"] = json!(snapshot.messages.len());
                self.out.send(&told).await;
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
            self.out.send(&notice).await;
        }
    }

    /// Takes a line: an answer of the person, or a command.
    async fn take(&mut self, line: Line) {
        let read = match line {
            Line::Text(text) => serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()),
            Line::Bad(why) => Err(why),
        };
        let fields = match read {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return self.refuse(None, "parse", "a command is a JSON object with a `type`").await,
            Err(why) => return self.refuse(None, "parse", &format!("not understood: {why}")).await,
        };
        let id = fields.get("id").cloned();
        let Some(name) = fields.get("type").and_then(Value::as_str).map(str::to_string) else {
            return self.refuse(id, "parse", "a command has a `type`").await;
        };
        if name == "extension_ui_response" {
            return self.desk.answered(&fields);
        }
        match Command::read(&name, fields) {
            Ok(command) => self.begin(id, name, command).await,
            Err(why) => self.refuse(id, &name, &why).await,
        }
    }

    async fn refuse(&mut self, id: Option<Value>, command: &str, why: &str) {
        let refused: Answer = Err(Report::new(why));
        self.out.line(answer::line(id.as_ref(), command, &refused)).await;
    }

    async fn begin(&mut self, id: Option<Value>, name: String, command: Command) {
        if matches!(command, Command::AbortBash) {
            std::mem::take(&mut self.stop).cancel();
            self.out.line(answer::line(id.as_ref(), &name, &Ok(answer::Data::None))).await;
            return;
        }
        if long::is_long(&command) {
            if self.jobs.long.len() >= LONG_MAX {
                let why = format!("{LONG_MAX} commands are under way; wait for one of them");
                return self.refuse(id, &name, &why).await;
            }
            if matches!(command, Command::Abort) {
                self.handle.abort();
            }
            let bench = Bench { handle: self.handle.clone(), out: self.out.clone(), stop: self.stop.clone() };
            return self.jobs.long.push(Box::pin(async move {
                let answer = long::answer(bench, id.clone(), command).await;
                answer::line(id.as_ref(), &name, &answer)
            }));
        }
        let (handle, settings) = (self.handle.clone(), self.settings.clone());
        self.jobs.current = Some(if whole::is_whole(&command) {
            Box::pin(async move {
                match whole::see(&handle, command).await {
                    Ok(making) => Done::Seen(make(id, name, making)),
                    Err(why) => Done::Line(answer::line(id.as_ref(), &name, &Err(why))),
                }
            })
        } else {
            Box::pin(async move {
                let answer = quick::answer(&handle, &settings, command).await;
                Done::Line(answer::line(id.as_ref(), &name, &answer))
            })
        });
    }
}

/// Makes an answer where nobody waits for anything else.
fn make(id: Option<Value>, name: String, making: whole::Making) -> Job {
    let (same, command) = (id.clone(), name.clone());
    let made = tokio::task::spawn_blocking(move || answer::line(id.as_ref(), &name, &making()));
    Box::pin(async move {
        made.await.unwrap_or_else(|error| {
            let failed = Err(Report::caused("the answer was not made", &error));
            answer::line(same.as_ref(), &command, &failed)
        })
    })
}

/// Whether something changes nothing of the session that is told.
fn streams(event: &RuntimeEvent) -> bool {
    matches!(event, RuntimeEvent::Agent(AgentEvent::MessageUpdate(_) | AgentEvent::ToolUpdate { .. }))
}

async fn now<T>(job: &mut Option<BoxFuture<'static, T>>) -> T {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
