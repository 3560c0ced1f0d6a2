//! JSON: prompts in, every event of the session out, one line of JSON each, pi's fields; the session's header
//! goes before. Prompts and interruptions may also come as lines on standard input, or text for the first prompt.
//!
//! Must not know how prompts came to be, nor where the lines go.

use std::collections::VecDeque;
use std::io::Write;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::agent::event::AgentEvent;
use crate::base::json::json;
use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;
use crate::modes::lines::{LINE_MAX, Line, Out};
use crate::modes::notes::{demo, note};
use crate::modes::print::{FAILED, INTERRUPTED, OK, Prompt, interruption, tell};
use crate::runtime::controls::client::Rule;
use crate::runtime::events::hub::Reader;
use crate::runtime::events::wire::Wire;
use crate::runtime::{Delivery, Handle, RuntimeEvent, controls::user_input};

pub mod input;
pub mod messages;

use input::Input;
use messages::JsonInput;

/// Nothing was there to be said.
const USAGE: i32 = 2;
/// How long an interrupted program waits for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Bytes of what waits to be said above which nothing more is read.
const WAITING_BYTES: usize = LINE_MAX;
/// The same, in messages.
const WAITING: usize = 1024;

/// Says the prompts one after the other, then those that come as lines, and tells every event. Where there is an
/// input, its first line or its end is waited for before anything is said: text in it goes before the first prompt.
/// Returns the exit code: that of the last run. SIGINT, SIGTERM and SIGHUP interrupt.
pub async fn json(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Input>>,
    out: Out,
    stderr: &mut (dyn Write + Send),
) -> i32 {
    json_until(handle, prompts, input, out, stderr, interruption()).await
}

async fn json_until(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Input>>,
    out: Out,
    stderr: &mut (dyn Write + Send),
    interruption: BoxFuture<'static, ()>,
) -> i32 {
    let joined = handle.subscribe_as(Reader::Patient).await;
    let header = handle.look(|session| session.header().line.clone()).await;
    let (Some((snapshot, events)), Ok(header)) = (joined, header) else {
        tell(stderr, "the session has ended before it began");
        return FAILED;
    };
    if let Some(line) = demo(&snapshot) {
        tell(stderr, line);
    }
    let stop = CancellationToken::new();
    let mut face = Face {
        handle,
        wire: Wire::default(),
        out: out.clone(),
        stderr,
        waiting: prompts.into(),
        awaits: input.is_some(),
        strict: true,
        stop: stop.clone(),
        running: false,
        interrupted: 0,
        code: OK,
    };
    let over = async {
        face.out.line(header).await;
        face.follow(events, input).await
    };
    tokio::pin!(over);
    tokio::select! {
        biased;
        // Events are lost: the end of the thread that writes tells the caller why.
        () = out.gone() => {
            handle.abort();
            return FAILED;
        }
        code = &mut over => return code,
        () = interruption => {}
    }
    stop.cancel();
    handle.abort();
    // How it ended is told, unless nobody reads that.
    tokio::time::timeout(LAST_WORDS, over).await.unwrap_or(INTERRUPTED)
}

/// The mode at work.
struct Face<'a> {
    handle: &'a Handle,
    wire: Wire,
    out: Out,
    stderr: &'a mut (dyn Write + Send),
    /// What is still to be said.
    waiting: VecDeque<Prompt>,
    /// Whether it is not known yet what the input is.
    awaits: bool,
    /// Whether the first failure ends everything, as for prompts of a command line.
    strict: bool,
    /// The program is to end.
    stop: CancellationToken,
    running: bool,
    /// Interruptions that are to be told once the run has ended.
    interrupted: usize,
    code: i32,
}

impl Face<'_> {
    async fn follow(
        &mut self,
        mut events: Receiver<RuntimeEvent>,
        mut input: Option<Receiver<Input>>,
    ) -> i32 {
        loop {
            if !self.running {
                if self.stop.is_cancelled() {
                    return INTERRUPTED;
                }
                if self.strict && self.code != OK {
                    return self.code;
                }
                if !self.awaits {
                    if let Some(prompt) = self.waiting.pop_front() {
                        self.say(prompt).await;
                        continue;
                    }
                    if input.is_none() {
                        return self.code;
                    }
                }
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !self.running => {}
                told = next(&mut input), if input.is_some() && self.has_room() => match told {
                    Some(Input::Line(line)) => self.take(&line).await,
                    Some(Input::Words(words)) => self.lead(&words),
                    Some(Input::Refused(why)) => {
                        self.refuse(&why).await;
                        return FAILED;
                    }
                    None if self.awaits && self.waiting.is_empty() => {
                        tell(self.stderr, "no prompt (name a prompt, or send lines or text on standard input)");
                        return USAGE;
                    }
                    None => (input, self.awaits) = (None, false),
                },
                event = events.recv() => {
                    let Some(event) = event else {
                        tell(self.stderr, "the session ended by itself");
                        return FAILED;
                    };
                    self.hear(&event).await;
                }
            }
        }
    }

    /// Whether more may wait. What the first line is has to be known in any case.
    fn has_room(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(bytes).sum();
        self.awaits || (self.waiting.len() < WAITING && bytes < WAITING_BYTES)
    }

    /// Begins with a prompt.
    async fn say(&mut self, Prompt { text, images }: Prompt) {
        if let Err(report) = user_input::check(&text, &images) {
            return self.refuse(&report.to_string()).await;
        }
        self.handle.prompt(text, images, Delivery::Steer);
        (self.running, self.code) = (true, OK);
    }

    async fn refuse(&mut self, why: &str) {
        self.out.send(&json!({"type": "error", "message": why})).await;
        self.code = FAILED;
    }

    /// Puts text before the first prompt.
    fn lead(&mut self, words: &str) {
        self.awaits = false;
        let first = self.waiting.pop_front().unwrap_or_default();
        let parts = [words.trim_end(), &first.text];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.waiting.push_front(Prompt { text: parts.join("\n\n"), images: first.images });
    }

    async fn take(&mut self, line: &Line) {
        if std::mem::take(&mut self.awaits) {
            self.strict = false;
            // Somebody goes on here: then the conversation is made ready for that.
            if let Err(report) = self.handle.set_rule(Rule::CompactAfterRuns(true)).await {
                tell(self.stderr, &report.to_string());
            }
        }
        let said = match line {
            Line::Text(text) => JsonInput::read(text),
            Line::Bad(why) => Err(why.clone()),
        };
        match said {
            Ok(JsonInput::Message(text, images)) => match user_input::check(&text, &images) {
                Ok(()) => self.waiting.push_back(Prompt { text, images }),
                Err(report) => self.refuse(&report.to_string()).await,
            },
            Ok(JsonInput::Interrupt) if self.running => {
                self.interrupted += 1;
                self.handle.abort();
            }
            Ok(JsonInput::Interrupt) => {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
            Err(why) => self.refuse(&format!("a line was not understood: {why}")).await,
        }
    }

    async fn hear(&mut self, event: &RuntimeEvent) {
        if let Some(note) = note(event) {
            tell(self.stderr, &note);
        }
        for value in self.wire.events(event) {
            self.out.send(&value).await;
        }
        match event {
            RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted: false, error: None }) => {}
            RuntimeEvent::Agent(AgentEvent::AgentEnd { .. } | AgentEvent::LimitReached(_)) => {
                self.code = FAILED;
            }
            _ => {}
        }
        if matches!(event, RuntimeEvent::Settled) {
            self.running = false;
            for _ in 0..std::mem::take(&mut self.interrupted) {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
        }
    }
}

/// Bytes of what is said.
fn bytes(prompt: &Prompt) -> usize {
    let images = prompt.images.iter().map(|part| match part {
        Part::Known(KnownPart::Image { data, .. }) => data.len(),
        _ => 0,
    });
    prompt.text.len() + images.sum::<usize>()
}

async fn next(input: &mut Option<Receiver<Input>>) -> Option<Input> {
    input.as_mut()?.recv().await
}

#[cfg(test)]
mod tests;
