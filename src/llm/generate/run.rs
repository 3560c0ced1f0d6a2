//! The generation loop: call the model, run its tool calls, repeat.

use std::collections::HashSet;
use std::time::Duration;

use futures::future::{Either, join_all, select};
use futures::stream::{BoxStream, unfold};
use futures::{FutureExt, StreamExt, stream};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::{Callable, Options, Outcome, Progress};
use crate::base::schema::Schema;
use crate::llm::client::Client;
use crate::llm::model::{
    AssistantMessage, ErrorKind, LlmError, Message, Part, RateLimit, Request, StopReason, StreamEvent,
    ToolCall, ToolChoice, ToolResultMessage, ToolSpec, Usage,
};
use crate::llm::request::history;

/// Capacity of the progress queue.
const QUEUE_CAPACITY: usize = 64;
/// Error for calls of an answer that was cut off.
const CUT_OFF: &str =
    "Not run: the answer reached its length limit, so these arguments may be cut off. Send a shorter call.";

pub(super) fn stream(client: Client, request: Request, options: Options) -> BoxStream<'static, Progress> {
    let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
    let total = options.total_limit;
    let provider = request.model.provider.clone();
    let mut run = Run {
        client,
        request,
        options,
        out: sender.clone(),
        added: Vec::new(),
        usage: Usage::default(),
        warnings: Vec::new(),
        limits: None,
    };
    let work = async move {
        let done = with_timeout(total, &provider, "the whole of it", run.run_steps()).await;
        let last = match done {
            Ok(message) => {
                let Run { added, usage, warnings, limits, .. } = run;
                Progress::Done(Box::new(Outcome { message, added, usage, warnings, limits }))
            }
            Err(error) => Progress::Failed { error, added: run.added },
        };
        // The receiver is gone only when this future is dropped, too.
        if sender.send(last).await.is_err() {
            tracing::debug!("nobody reads the end of a generated answer");
        }
    };
    let items = unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    let work = work.into_stream().filter_map(|()| async { None::<Progress> });
    stream::select(items, work).boxed()
}

/// Applies a timeout.
async fn with_timeout<T>(
    limit: Option<Duration>,
    provider: &str,
    what: &str,
    work: impl Future<Output = Result<T, LlmError>>,
) -> Result<T, LlmError> {
    let Some(limit) = limit else { return work.await };
    let (work, timer) = (std::pin::pin!(work), std::pin::pin!(tokio::time::sleep(limit)));
    match select(work, timer).await {
        Either::Left((result, _)) => result,
        Either::Right(_) => {
            let text = format!("{provider}: {what} took longer than {} s", limit.as_secs_f64());
            Err(LlmError::new(ErrorKind::Timeout, provider, text))
        }
    }
}

struct Run {
    client: Client,
    request: Request,
    options: Options,
    out: mpsc::Sender<Progress>,
    added: Vec<Message>,
    usage: Usage,
    warnings: Vec<String>,
    limits: Option<RateLimit>,
}

impl Run {
    async fn run_steps(&mut self) -> Result<AssistantMessage, LlmError> {
        self.request.tools.extend(self.options.tools.iter().map(|tool| tool.spec()));
        self.check_names()?;
        for step in 1.. {
            let provider = self.request.model.provider.clone();
            let limit = self.options.step_limit;
            let message = with_timeout(limit, &provider, "one answer", self.request_answer()).await?;
            self.usage += &message.usage;
            self.add(Message::Assistant(message.clone()));
            let ours =
                message.tool_calls().all(|call| self.tool(&call.name).is_some() || !self.is_runnable(call));
            if message.tool_calls().next().is_none() || !ours || step >= self.options.max_steps {
                return Ok(message);
            }
            // The forced call was made: forcing it again would never end.
            if matches!(self.request.tool_choice, ToolChoice::Required | ToolChoice::Named(_)) {
                self.request.tool_choice = ToolChoice::Auto;
            }
            for result in self.run_calls(&message).await {
                self.send(Progress::Result(result.clone())).await;
                self.add(Message::ToolResult(result));
            }
        }
        unreachable!("the loop ends only by returning")
    }

    /// Fails on duplicate tool names, which no wire format allows.
    fn check_names(&self) -> Result<(), LlmError> {
        let mut known = HashSet::new();
        for ToolSpec { name, .. } in &self.request.tools {
            let what = match history::name(name) {
                legal if legal != *name => "has a name that is not `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`",
                _ if !known.insert(name) => "is there twice",
                _ => continue,
            };
            let provider = self.request.model.provider.clone();
            let text = format!("{provider}: not asked: the tool `{name}` {what}");
            return Err(LlmError::new(ErrorKind::Configuration, provider, text));
        }
        Ok(())
    }

    fn add(&mut self, message: Message) {
        self.request.messages.push(message.clone());
        self.added.push(message);
    }

    async fn send(&self, progress: Progress) {
        // The receiver is gone only when this future is dropped, too.
        if self.out.send(progress).await.is_err() {
            tracing::debug!("nobody reads a generated answer");
        }
    }

    /// Requests one answer. After `Progress::Retrying` it starts over: the partial answer is void.
    async fn request_answer(&mut self) -> Result<AssistantMessage, LlmError> {
        let warnings = self.warnings.len();
        for attempt in 1.. {
            let mut events = self.client.stream(self.request.clone());
            let error = loop {
                let Some(event) = events.next().await else {
                    let provider = self.request.model.provider.clone();
                    let text = format!("{provider}: the answer ended without an end");
                    break LlmError::new(ErrorKind::Stream, provider, text);
                };
                match &event {
                    StreamEvent::Done { message } => {
                        let message = (**message).clone();
                        self.send(Progress::Event(event)).await;
                        return Ok(message);
                    }
                    StreamEvent::Error { error, message } => {
                        self.usage += &message.usage;
                        break error.clone();
                    }
                    StreamEvent::Limits(limit) => self.limits = Some(limit.clone()),
                    StreamEvent::Warning(text) => self.warnings.push(text.clone()),
                    _ => {}
                }
                self.send(Progress::Event(event)).await;
            };
            drop(events);
            let wait = self.options.policy.delay(attempt, &error, self.random_fraction());
            let Some(wait) = wait else { return Err(error) };
            self.warnings.truncate(warnings);
            if let Some(on_retry) = &self.options.on_retry {
                on_retry(&error, wait);
            }
            self.send(Progress::Retrying { error, wait }).await;
            tokio::time::sleep(wait).await;
        }
        unreachable!("the policy ends every row of attempts")
    }

    /// Returns a number between 0 and 1 from the source of ids, so that tests can fix it.
    fn random_fraction(&self) -> f64 {
        let digits = self.options.ids.entry();
        u32::from_str_radix(&digits, 16).map_or(0.5, |n| f64::from(n) / f64::from(u32::MAX))
    }

    fn tool(&self, name: &str) -> Option<&dyn Callable> {
        self.options.tools.iter().find(|tool| tool.spec().name == name).map(|tool| &**tool)
    }

    /// Whether the caller must handle the call. In wire formats without response formats the requested object
    /// is the arguments of a call, which is not run.
    fn is_runnable(&self, call: &ToolCall) -> bool {
        let format = self.request.format.as_ref().is_some_and(|format| format.name == call.name);
        format || self.request.tools.iter().any(|spec| spec.name == call.name)
    }

    /// Runs the calls of an answer concurrently; returns the results in the order of the calls.
    async fn run_calls(&self, message: &AssistantMessage) -> Vec<ToolResultMessage> {
        let cut = message.stop_reason == StopReason::Length;
        let runs = message.tool_calls().map(|call| async move {
            let given = if cut { Err(CUT_OFF.to_string()) } else { self.run_call(call).await };
            let is_error = given.is_err();
            ToolResultMessage {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                content: given.unwrap_or_else(|what| vec![Part::text(what)]),
                details: None,
                is_error,
                timestamp: self.options.clock.now_ms(),
                extra: Map::new(),
            }
        });
        join_all(runs).await
    }

    async fn run_call(&self, call: &ToolCall) -> Result<Vec<Part>, String> {
        let Some(tool) = self.tool(&call.name) else {
            return Err(format!("There is no tool `{}`.", call.name));
        };
        let schema = Schema::new(&tool.spec().parameters);
        let arguments = schema.check(call.arguments.clone()).or_else(|wrong| {
            let repaired = self.options.repair.as_ref().and_then(|repair| repair(call, &wrong));
            let fits = |value: Value| schema.check(value).ok();
            repaired.and_then(fits).ok_or_else(|| format!("The arguments do not fit:\n{wrong}"))
        });
        tool.call(arguments?).await
    }
}
