//! Print mode: prompts in, the final answer on standard output, everything else on standard error.
//!
//! Must not know where prompts come from. The caller supplies the streams and gets an exit code.

use std::io::{self, Write};

use futures::future::BoxFuture;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::Receiver;

use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::llm::model::{AssistantMessage, Message, Part, StopReason, StreamEvent};
use crate::modes::notes::{demo_note, event_note};
use crate::runtime::{Delivery, Handle, RuntimeEvent};

/// Exit code when all prompts were answered.
pub(super) const OK: i32 = 0;
/// Exit code when the model failed, its answer is incomplete, or a limit stopped the run.
pub(super) const FAILED: i32 = 1;
/// Exit code when a signal interrupted the run.
pub(super) const INTERRUPTED: i32 = 130;

/// A prompt.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Its images.
    pub images: Vec<Part>,
}

/// Sends the prompts one after the other, each after the previous answer, and writes the last answer; with
/// `live`, writes all of them as they arrive, for a user at a terminal. Returns the exit code. SIGINT,
/// SIGTERM and SIGHUP interrupt.
pub async fn print(
    handle: &Handle,
    prompts: Vec<Prompt>,
    live: bool,
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
) -> i32 {
    print_until(handle, prompts, live, (stdout, stderr), interruption()).await
}

/// The same, with the interruption passed in.
async fn print_until(
    handle: &Handle,
    prompts: Vec<Prompt>,
    live: bool,
    (stdout, stderr): (&mut (dyn Write + Send), &mut (dyn Write + Send)),
    interruption: BoxFuture<'static, ()>,
) -> i32 {
    let Some((snapshot, events)) = handle.subscribe().await else {
        write_notice(stderr, "the session has ended before it began");
        return FAILED;
    };
    if let Some(line) = demo_note(&snapshot) {
        write_notice(stderr, line);
    }
    let mut run = Run {
        events,
        stdout,
        stderr,
        live_output: LiveOutput { enabled: live, ..LiveOutput::default() },
        answer: None,
        limit_reached: false,
    };
    let mut interruption = interruption;
    for prompt in prompts {
        handle.prompt(prompt.text, prompt.images, Delivery::Steer);
        let ended = tokio::select! {
            biased;
            () = &mut interruption => {
                handle.abort();
                run.run_to_end().await;
                return INTERRUPTED;
            }
            ended = run.run_to_end() => ended,
        };
        if !ended {
            return FAILED;
        }
    }
    let code = finish(run.answer.as_ref(), run.live_output, run.stdout, run.stderr);
    if run.limit_reached { FAILED } else { code }
}

/// State of the run.
struct Run<'a> {
    events: Receiver<RuntimeEvent>,
    stdout: &'a mut (dyn Write + Send),
    stderr: &'a mut (dyn Write + Send),
    live_output: LiveOutput,
    /// The last answer.
    answer: Option<AssistantMessage>,
    /// Whether a limit stopped the last prompt.
    limit_reached: bool,
}

impl Run<'_> {
    /// Follows one prompt to its end; returns whether it succeeded.
    async fn run_to_end(&mut self) -> bool {
        self.limit_reached = false;
        loop {
            let Some(event) = self.events.recv().await else {
                write_notice(self.stderr, "the session ended by itself");
                return false;
            };
            if let Some(note) = event_note(&event) {
                write_notice(self.stderr, &note);
            }
            match event {
                RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted, error }) => {
                    return !aborted && error.is_none();
                }
                RuntimeEvent::Agent(AgentEvent::MessageEnd(message)) => {
                    if let Message::Assistant(answer) = &*message {
                        self.live_output.end(answer, self.stdout);
                        self.answer = Some(answer.clone());
                    }
                }
                // The reason was reported before.
                RuntimeEvent::Agent(AgentEvent::LimitReached(_)) => self.limit_reached = true,
                RuntimeEvent::Agent(AgentEvent::MessageUpdate(update)) => {
                    self.live_output.on_update(&update, self.stdout);
                }
                RuntimeEvent::Failed(_) if self.events.is_closed() => return false,
                // A returned prompt is still on the command line.
                _ => {}
            }
        }
    }
}

/// Writes answers to a terminal as they arrive.
#[derive(Debug, Default)]
struct LiveOutput {
    /// Whether output is live.
    enabled: bool,
    /// Whether text of the streaming answer was written.
    began: bool,
    /// Whether the text ended with a line feed.
    line_ended: bool,
    /// The error that stopped the output.
    write_error: Option<io::Error>,
}

impl LiveOutput {
    fn on_update(&mut self, update: &StreamEvent, stdout: &mut (dyn Write + Send)) {
        if matches!(update, StreamEvent::Start | StreamEvent::TextStart { .. })
            && self.began
            && !self.line_ended
        {
            // The answer starts over, or another part starts: the next text needs a new line.
            self.write_text("\n", stdout);
            self.line_ended = true;
        }
        let StreamEvent::TextDelta { delta, .. } = update else { return };
        if self.enabled && !delta.is_empty() {
            self.write_text(delta, stdout);
            (self.began, self.line_ended) = (true, delta.ends_with('\n'));
        }
    }

    /// Ends an answer.
    fn end(&mut self, answer: &AssistantMessage, stdout: &mut (dyn Write + Send)) {
        if !std::mem::take(&mut self.began) {
            // An answer that arrived in one piece.
            let text = if self.enabled { answer_text(answer) } else { String::new() };
            self.write_text(&text, stdout);
        } else if !self.line_ended {
            self.write_text("\n", stdout);
        }
    }

    fn write_text(&mut self, text: &str, stdout: &mut (dyn Write + Send)) {
        if self.write_error.is_none() {
            self.write_error = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).err();
        }
    }
}

/// Returns the text of an answer, with a line feed after each part.
fn answer_text(answer: &AssistantMessage) -> String {
    let texts = answer.content.iter().filter_map(Part::as_text).filter(|text| !text.is_empty());
    texts.flat_map(|text| [text.trim_end_matches('\n'), "\n"]).collect()
}

/// Writes the answer and returns the exit code.
fn finish(
    answer: Option<&AssistantMessage>,
    shown: LiveOutput,
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
) -> i32 {
    let Some(answer) = answer else {
        write_notice(stderr, "there was no answer");
        return FAILED;
    };
    let written = match shown {
        LiveOutput { enabled: true, write_error, .. } => write_error.map_or(Ok(()), Err),
        _ => stdout.write_all(answer_text(answer).as_bytes()).and_then(|()| stdout.flush()),
    };
    match written {
        Ok(()) => {}
        Err(error) => {
            write_notice(stderr, &Report::caused("the answer cannot be written", &error).to_string());
            return FAILED;
        }
    }
    if answer.stop_reason == StopReason::Length {
        write_notice(stderr, "the answer was cut off at the output limit; what stands above is a part of it");
        return FAILED;
    }
    OK
}

/// Resolves at the first signal that ends a program; never on a system without signals.
pub fn interruption() -> BoxFuture<'static, ()> {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let signals = kinds.into_iter().filter_map(|kind| match signal(kind) {
        Ok(signal) => Some(signal),
        Err(error) => {
            tracing::warn!("a signal cannot be caught: {error}");
            None
        }
    });
    let waits: Vec<_> = signals
        .map(|mut signal| -> BoxFuture<'static, ()> {
            Box::pin(async move {
                signal.recv().await;
            })
        })
        .collect();
    Box::pin(async move {
        if waits.is_empty() {
            std::future::pending::<()>().await;
        }
        futures::future::select_all(waits).await;
    })
}

/// Writes a line for the user. If standard error is closed it is lost.
pub(super) fn write_notice(stderr: &mut (dyn Write + Send), text: &str) {
    let line = visible_lines(&format!("bowline: {text}\n"));
    if let Err(error) = stderr.write_all(line.as_bytes()) {
        tracing::warn!("nobody could be told: {text}: {error}");
    }
}

#[cfg(test)]
mod tests;
