//! Print: prompts in, the final answer on standard output, everything else on standard error.
//!
//! Must not know how prompts came to be. Whoever calls gives the streams and gets an exit code.

use std::io::{self, Write};

use futures::future::BoxFuture;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::Receiver;

use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::llm::model::{AssistantMessage, Message, Part, StopReason};
use crate::runtime::{Delivery, Handle, RuntimeEvent};

/// Everything was said and answered.
const OK: i32 = 0;
/// The model failed, or its answer is not whole.
const FAILED: i32 = 1;
/// A signal interrupted the work.
const INTERRUPTED: i32 = 130;

/// One thing to say.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Images that go with it.
    pub images: Vec<Part>,
}

/// Says the prompts one after the other, each after the answer to the one before, and writes
/// the last answer. Returns the exit code. SIGINT, SIGTERM and SIGHUP interrupt.
pub async fn print(
    handle: &Handle,
    prompts: Vec<Prompt>,
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
) -> i32 {
    print_until(handle, prompts, stdout, stderr, interruption()).await
}

/// The same, with the interruption passed in.
async fn print_until(
    handle: &Handle,
    prompts: Vec<Prompt>,
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
    interruption: BoxFuture<'static, ()>,
) -> i32 {
    let Some((snapshot, events)) = handle.subscribe().await else {
        tell(stderr, "the session has ended before it began");
        return FAILED;
    };
    if snapshot.model.is_some_and(|model| model.provider == "demo") {
        tell(stderr, "no model is connected; this is the demo guide (set ANTHROPIC_API_KEY to connect one)");
    }
    let mut run = Run { events, stderr, answer: None };
    let mut interruption = interruption;
    for prompt in prompts {
        handle.prompt(prompt.text, prompt.images, Delivery::Steer);
        let ended = tokio::select! {
            biased;
            () = &mut interruption => {
                handle.abort();
                run.until_end().await;
                return INTERRUPTED;
            }
            ended = run.until_end() => ended,
        };
        if !ended {
            return FAILED;
        }
    }
    finish(run.answer.as_ref(), stdout, run.stderr)
}

/// The prompts on their way.
struct Run<'a> {
    events: Receiver<RuntimeEvent>,
    stderr: &'a mut (dyn Write + Send),
    /// The last answer.
    answer: Option<AssistantMessage>,
}

impl Run<'_> {
    /// Follows one prompt to its end; whether it ended well.
    async fn until_end(&mut self) -> bool {
        loop {
            let Some(event) = self.events.recv().await else {
                tell(self.stderr, "the session ended by itself");
                return false;
            };
            match event {
                RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted, error }) => {
                    if let Some(error) = &error {
                        tell(self.stderr, error);
                    }
                    return !aborted && error.is_none();
                }
                RuntimeEvent::Agent(event) => self.hear(event),
                RuntimeEvent::Failed(report) => {
                    tell(self.stderr, &report.to_string());
                    if self.events.is_closed() {
                        return false;
                    }
                }
                RuntimeEvent::Ended
                | RuntimeEvent::Delegated { .. }
                | RuntimeEvent::ModelChanged(_)
                | RuntimeEvent::ThinkingChanged(_)
                | RuntimeEvent::ToolsChanged(_)
                | RuntimeEvent::ModelsFound(_)
                | RuntimeEvent::Restored(_)
                | RuntimeEvent::Replaced(_)
                // What was said on the command line is there still.
                | RuntimeEvent::Returned(_) => {}
            }
        }
    }

    fn hear(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::MessageEnd(message) => {
                if let Message::Assistant(answer) = &*message {
                    self.answer = Some(answer.clone());
                }
            }
            AgentEvent::RetryStart { attempt, max, delay, error } => {
                let seconds = delay.as_secs_f64();
                tell(self.stderr, &format!("{error}; try {attempt} of {max} in {seconds:.1} s"));
            }
            // What was not allowed to run is worth knowing: the answer may lack it.
            AgentEvent::ToolEnd { tool, result, .. } if result.is_error => {
                let refused = result.details.as_ref().and_then(|details| details.get("refused"));
                let said = |name: &str| refused?.get(name)?.as_str();
                if let (Some(rule), Some(flag)) = (said("rule"), said("flag")) {
                    tell(self.stderr, &format!("{tool} was not run: {rule}; {flag} runs it unasked"));
                }
            }
            AgentEvent::LimitReached(text) => tell(self.stderr, &text),
            AgentEvent::ContextWarning { tokens, window } => {
                tell(
                    self.stderr,
                    &format!(
                        "the conversation has about {tokens} tokens of {window} that the model can hold"
                    ),
                );
            }
            AgentEvent::CompactionStart { .. } => {
                tell(self.stderr, "the older part of the conversation is being summed up");
            }
            AgentEvent::CompactionEnd { result: Some(done), .. } => {
                let (before, after) = (done.tokens_before, done.tokens_after);
                tell(self.stderr, &format!("the conversation has about {after} tokens now, before {before}"));
            }
            AgentEvent::CompactionEnd { error: Some(error), .. } => tell(self.stderr, &error),
            AgentEvent::LoopDetected => tell(self.stderr, "the model repeats its calls and was told so"),
            _ => {}
        }
    }
}

/// Writes the answer and judges it.
fn finish(
    answer: Option<&AssistantMessage>,
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
) -> i32 {
    let Some(answer) = answer else {
        tell(stderr, "there was no answer");
        return FAILED;
    };
    let texts = answer.content.iter().filter_map(Part::as_text).filter(|text| !text.is_empty());
    let mut text = String::new();
    for part in texts {
        text.push_str(part.trim_end_matches('\n'));
        text.push('\n');
    }
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        // Whoever read has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return OK,
        Err(error) => {
            tell(stderr, &Report::caused("the answer cannot be written", &error).to_string());
            return FAILED;
        }
    }
    if answer.stop_reason == StopReason::Length {
        tell(stderr, "the answer was cut off at the output limit; what stands above is a part of it");
        return FAILED;
    }
    OK
}

/// The first of the signals that end a program. A system that has none never interrupts.
fn interruption() -> BoxFuture<'static, ()> {
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

/// One line for a person. When standard error is gone there is nobody to tell.
fn tell(stderr: &mut (dyn Write + Send), text: &str) {
    let line = visible_lines(&format!("bowline: {text}\n"));
    if let Err(error) = stderr.write_all(line.as_bytes()) {
        tracing::warn!("nobody could be told: {text}: {error}");
    }
}

#[cfg(test)]
mod tests;
