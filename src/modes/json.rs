//! JSON mode: prompts in, all session events out as JSON lines in pi's fields, after the session's header.
//! Prompts and interruptions may also arrive as lines on standard input, or standard input is text for the
//! first prompt.
//!
//! Must not know where prompts come from, nor where the lines go.

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

/// Exit code when there was no prompt.
const USAGE: i32 = 2;
/// How long an interrupted program waits for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Limit of queued prompts in bytes; above it no more input is read.
const WAITING_BYTES: usize = LINE_MAX;
/// The same as a number of messages.
const WAITING: usize = 1024;

/// Sends the prompts one after the other, then those that arrive as lines, and writes every event. If there
/// is an input, waits for its first line or its end before the first prompt: text in it is put before that.
/// Returns the exit code of the last run. SIGINT, SIGTERM and SIGHUP interrupt.
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
        // Events are lost: the result of the writer thread tells the caller why.
        () = out.gone() => {
            handle.abort();
            return FAILED;
        }
        code = &mut over => return code,
        () = interruption => {}
    }
    stop.cancel();
    handle.abort();
    // Writes the end of the run, unless no reader is left.
    tokio::time::timeout(LAST_WORDS, over).await.unwrap_or(INTERRUPTED)
}

/// State of the mode.
struct Face<'a> {
    handle: &'a Handle,
    wire: Wire,
    out: Out,
    stderr: &'a mut (dyn Write + Send),
    /// Queued prompts.
    waiting: VecDeque<Prompt>,
    /// Whether the type of the input is not known yet.
    awaits: bool,
    /// Whether the first failure ends the program, as for prompts on the command line.
    strict: bool,
    /// Cancelled when the program must end.
    stop: CancellationToken,
    running: bool,
    /// Interruptions to acknowledge when the run has ended.
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

    /// Whether more input can be queued. The first line is always read.
    fn has_room(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(bytes).sum();
        self.awaits || (self.waiting.len() < WAITING && bytes < WAITING_BYTES)
    }

    /// Sends a prompt.
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
            // Another prompt will follow: compact right after the run.
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

/// Returns the bytes of a prompt.
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
