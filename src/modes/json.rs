//! JSON: prompts in, every event of the session out, one line of JSON each, pi's fields; the session's header
//! goes before. Prompts and interruptions may also come as lines on standard input.
//!
//! Must not know how prompts came to be, nor where the lines go.

use std::collections::VecDeque;
use std::io::Write;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::agent::event::AgentEvent;
use crate::base::json::json;
use crate::llm::model::Part;
use crate::modes::lines::{Line, Out};
use crate::modes::notes::note;
use crate::modes::print::{FAILED, INTERRUPTED, OK, Prompt, interruption, tell};
use crate::runtime::hub::Reader;
use crate::runtime::wire::Wire;
use crate::runtime::{Delivery, Handle, RuntimeEvent};

/// How long an interrupted program waits for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What another program says, in a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Words for the agent, which are said once it has answered everything before; text, and pictures.
    Message(String, Vec<Part>),
    /// Interrupts what goes on.
    Interrupt,
}

impl Said {
    /// Reads a line; the error says what is wrong with it.
    fn read(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match value.get("type").and_then(Value::as_str) {
            Some("interrupt") => Ok(Self::Interrupt),
            Some("message") => match value.get("content") {
                Some(Value::String(text)) => Ok(Self::Message(text.clone(), Vec::new())),
                Some(Value::Array(parts)) => {
                    let parts: Vec<Part> = parts
                        .iter()
                        .map(|part| serde_json::from_value(part.clone()))
                        .collect::<Result<_, _>>()
                        .map_err(|error| error.to_string())?;
                    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
                    let text = texts.join("\n");
                    if !parts.iter().all(|part| part.is_image() || part.as_text().is_some()) {
                        return Err("the parts of a message are `text` and `image`".to_string());
                    }
                    let images = parts.into_iter().filter(Part::is_image).collect();
                    Ok(Self::Message(text, images))
                }
                _ => Err("a message has `content`: a text, or parts".to_string()),
            },
            _ => Err("a line is a JSON object whose `type` is `message` or `interrupt`".to_string()),
        }
    }
}

/// Whether a line is one that this mode takes, and not the words of a prompt.
pub fn is_said(line: &str) -> bool {
    Said::read(line).is_ok()
}

/// Says the prompts one after the other, then those that come as lines, and tells every event. Returns the
/// exit code: that of the last run. SIGINT, SIGTERM and SIGHUP interrupt.
pub async fn json(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Line>>,
    out: Out,
    stderr: &mut (dyn Write + Send),
) -> i32 {
    json_until(handle, prompts, input, out, stderr, interruption()).await
}

async fn json_until(
    handle: &Handle,
    prompts: Vec<Prompt>,
    input: Option<Receiver<Line>>,
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
    if snapshot.model.is_some_and(|model| model.provider == "demo") {
        tell(stderr, "no model is connected; this is the demo guide (set ANTHROPIC_API_KEY to connect one)");
    }
    let stop = CancellationToken::new();
    let mut face = Face {
        handle,
        wire: Wire::default(),
        out: out.clone(),
        stderr,
        waiting: prompts.into(),
        strict: input.is_none(),
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
        // Whoever read has seen enough.
        () = out.gone() => {
            handle.abort();
            return OK;
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
    async fn follow(&mut self, mut events: Receiver<RuntimeEvent>, mut input: Option<Receiver<Line>>) -> i32 {
        loop {
            if !self.running {
                if self.stop.is_cancelled() {
                    return INTERRUPTED;
                }
                if self.strict && self.code != OK {
                    return self.code;
                }
                if let Some(Prompt { text, images }) = self.waiting.pop_front() {
                    self.handle.prompt(text, images, Delivery::Steer);
                    (self.running, self.code) = (true, OK);
                } else if input.is_none() {
                    return self.code;
                }
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !self.running => {}
                line = next(&mut input), if input.is_some() => match line {
                    Some(line) => self.take(&line).await,
                    None => input = None,
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

    async fn take(&mut self, line: &Line) {
        let said = match line {
            Line::Text(text) => Said::read(text),
            Line::Bad(why) => Err(why.clone()),
        };
        match said {
            Ok(Said::Message(text, images)) => self.waiting.push_back(Prompt { text, images }),
            Ok(Said::Interrupt) if self.running => {
                self.interrupted += 1;
                self.handle.abort();
            }
            Ok(Said::Interrupt) => {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
            Err(why) => {
                let message = format!("a line was not understood: {why}");
                self.out.send(&json!({"type": "error", "message": message})).await;
                self.code = FAILED;
            }
        }
    }

    async fn hear(&mut self, event: &RuntimeEvent) {
        if let Some(note) = note(event) {
            tell(self.stderr, &note);
        }
        for value in self.wire.events(event) {
            self.out.send(&value).await;
        }
        if let RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted, error }) = event
            && (*aborted || error.is_some())
        {
            self.code = FAILED;
        }
        if matches!(event, RuntimeEvent::Settled) {
            self.running = false;
            for _ in 0..std::mem::take(&mut self.interrupted) {
                self.out.send(&json!({"type": "interrupted"})).await;
            }
        }
    }
}

async fn next(input: &mut Option<Receiver<Line>>) -> Option<Line> {
    input.as_mut()?.recv().await
}

#[cfg(test)]
mod tests;
