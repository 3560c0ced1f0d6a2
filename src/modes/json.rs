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
use crate::modes::lines::{LINE_MAX, Line, LineWriter};
use crate::modes::notes::{demo_note, event_note};
use crate::modes::print::{FAILED, INTERRUPTED, OK, Prompt, interruption, write_notice};
use crate::runtime::controls::client::LoopSetting;
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
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Limit of queued prompts in bytes; above it no more input is read.
const QUEUE_BYTES_MAX: usize = LINE_MAX;
/// The same as a number of messages.
const QUEUE_MAX: usize = 1024;

/// Sends the prompts one after the other, then those that arrive as lines, and writes every event. If there
/// is an input, waits for its first line or its end before the first prompt: text in it is put before that.
/// Returns the exit code of the last run. SIGINT, SIGTERM and SIGHUP interrupt.
pub async fn json(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Input>>,
    out: LineWriter,
    stderr: &mut (dyn Write + Send),
) -> i32 {
    json_until(handle, prompts, input, out, stderr, interruption()).await
}

async fn json_until(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Input>>,
    out: LineWriter,
    stderr: &mut (dyn Write + Send),
    interruption: BoxFuture<'static, ()>,
) -> i32 {
    let joined = handle.subscribe_as(Reader::Patient).await;
    let header = handle.with_session(|session| session.header().line.clone()).await;
    let (Some((snapshot, events)), Ok(header)) = (joined, header) else {
        write_notice(stderr, "the session has ended before it began");
        return FAILED;
    };
    if let Some(line) = demo_note(&snapshot) {
        write_notice(stderr, line);
    }
    let stop = CancellationToken::new();
    let mut face = JsonMode {
        handle,
        wire: Wire::default(),
        out: out.clone(),
        stderr,
        queue: prompts.into(),
        input_pending: input.is_some(),
        stop_on_failure: true,
        stop: stop.clone(),
        running: false,
        pending_interrupts: 0,
        code: OK,
    };
    let over = async {
        face.out.line(header).await;
        face.run_loop(events, input).await
    };
    tokio::pin!(over);
    tokio::select! {
        biased;
        // Events are lost: the result of the writer thread tells the caller why.
        () = out.wait_closed() => {
            handle.abort();
            return FAILED;
        }
        code = &mut over => return code,
        () = interruption => {}
    }
    stop.cancel();
    handle.abort();
    // Writes the end of the run, unless no reader is left.
    tokio::time::timeout(FLUSH_TIMEOUT, over).await.unwrap_or(INTERRUPTED)
}

/// State of the mode.
struct JsonMode<'a> {
    handle: &'a Handle,
    wire: Wire,
    out: LineWriter,
    stderr: &'a mut (dyn Write + Send),
    /// Queued prompts.
    queue: VecDeque<Prompt>,
    /// Whether the type of the input is not known yet.
    input_pending: bool,
    /// Whether the first failure ends the program, as for prompts on the command line.
    stop_on_failure: bool,
    /// Cancelled when the program must end.
    stop: CancellationToken,
    running: bool,
    /// Interruptions to acknowledge when the run has ended.
    pending_interrupts: usize,
    code: i32,
}

impl JsonMode<'_> {
    async fn run_loop(
        &mut self,
        mut events: Receiver<RuntimeEvent>,
        mut input: Option<Receiver<Input>>,
    ) -> i32 {
        loop {
            if !self.running {
                if self.stop.is_cancelled() {
                    return INTERRUPTED;
                }
                if self.stop_on_failure && self.code != OK {
                    return self.code;
                }
                if !self.input_pending {
                    if let Some(prompt) = self.queue.pop_front() {
                        self.send_prompt(prompt).await;
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
                told = next_input(&mut input), if input.is_some() && self.has_room() => match told {
                    Some(Input::Line(line)) => self.handle_line(&line).await,
                    Some(Input::Text(words)) => self.prepend_text(&words),
                    Some(Input::Refused(why)) => {
                        self.report_refusal(&why).await;
                        return FAILED;
                    }
                    None if self.input_pending && self.queue.is_empty() => {
                        write_notice(self.stderr, "no prompt (name a prompt, or send lines or text on standard input)");
                        return USAGE;
                    }
                    None => (input, self.input_pending) = (None, false),
                },
                event = events.recv() => {
                    let Some(event) = event else {
                        write_notice(self.stderr, "the session ended by itself");
                        return FAILED;
                    };
                    self.handle_event(&event).await;
                }
            }
        }
    }

    /// Whether more input can be queued. The first line is always read.
    fn has_room(&self) -> bool {
        let bytes: usize = self.queue.iter().map(prompt_bytes).sum();
        self.input_pending || (self.queue.len() < QUEUE_MAX && bytes < QUEUE_BYTES_MAX)
    }

    /// Sends a prompt.
    async fn send_prompt(&mut self, Prompt { text, images }: Prompt) {
        if let Err(report) = user_input::check(&text, &images) {
            return self.report_refusal(&report.to_string()).await;
        }
        self.handle.prompt(text, images, Delivery::Steer);
        (self.running, self.code) = (true, OK);
    }

    async fn report_refusal(&mut self, reason: &str) {
        self.out.send(&json!({"type": "error", "message": reason})).await;
        self.code = FAILED;
    }

    /// Puts text before the first prompt.
    fn prepend_text(&mut self, words: &str) {
        self.input_pending = false;
        let first = self.queue.pop_front().unwrap_or_default();
        let parts = [words.trim_end(), &first.text];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.queue.push_front(Prompt { text: parts.join("\n\n"), images: first.images });
    }

    async fn handle_line(&mut self, line: &Line) {
        if std::mem::take(&mut self.input_pending) {
            self.stop_on_failure = false;
            // Another prompt will follow: compact right after the run.
            if let Err(report) = self.handle.set_loop_setting(LoopSetting::CompactAfterRuns(true)).await {
                write_notice(self.stderr, &report.to_string());
            }
        }
        let input = match line {
            Line::Text(text) => JsonInput::parse(text),
            Line::Invalid(error) => Err(error.clone()),
        };
        match input {
            Ok(JsonInput::Message(text, images)) => match user_input::check(&text, &images) {
                Ok(()) => self.queue.push_back(Prompt { text, images }),
                Err(report) => self.report_refusal(&report.to_string()).await,
            },
            Ok(JsonInput::Interrupt) if self.running => {
                self.pending_interrupts += 1;
                self.handle.abort();
            }
            Ok(JsonInput::Interrupt) => {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
            Err(error) => self.report_refusal(&format!("a line was not understood: {error}")).await,
        }
    }

    async fn handle_event(&mut self, event: &RuntimeEvent) {
        if let Some(note) = event_note(event) {
            write_notice(self.stderr, &note);
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
            for _ in 0..std::mem::take(&mut self.pending_interrupts) {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
        }
    }
}

/// Returns the bytes of a prompt.
fn prompt_bytes(prompt: &Prompt) -> usize {
    let images = prompt.images.iter().map(|part| match part {
        Part::Known(KnownPart::Image { data, .. }) => data.len(),
        _ => 0,
    });
    prompt.text.len() + images.sum::<usize>()
}

async fn next_input(input: &mut Option<Receiver<Input>>) -> Option<Input> {
    input.as_mut()?.recv().await
}

#[cfg(test)]
mod tests;
