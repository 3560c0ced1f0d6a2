//! Answers that are an object of a given schema, complete or growing.
//!
//! Must not know how a provider enforces a schema: a dialect makes the object either the text of its answer,
//! or the arguments of a call with the format's name.
//!
//! ```
//! # use bowline::llm::generate::Options;
//! # use bowline::llm::object::generate_object;
//! # use bowline::llm::client::Client;
//! # use bowline::llm::model::{Message, Request, ResponseFormat, UserMessage};
//! # use bowline::llm::providers::scripted::script::{Scripted, Turn};
//! # use serde_json::json;
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let (_script, injected) = Scripted::injected(vec![Turn::text(r#"{"knot": "bowline"}"#)]);
//! let mut client = Client::new();
//! client.register(injected.provider, injected.models);
//! let schema = json!({"type": "object", "properties": {"knot": {"type": "string"}}, "required": ["knot"]});
//! let request = Request {
//!     model: (*client.models()[0]).clone(),
//!     messages: vec![Message::User(UserMessage::text("Which knot?", 0))],
//!     format: Some(ResponseFormat { name: "knot".into(), schema }),
//!     ..Request::default()
//! };
//! let (object, _) = generate_object(&client, request, Options::default()).await.unwrap();
//! assert_eq!(object, json!({"knot": "bowline"}));
//! # });
//! ```

use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;

use super::client::Client;
use super::generate::{Options, Outcome, Progress, stream};
use super::model::{AssistantMessage, ErrorKind, LlmError, Request, ResponseFormat, StreamEvent};
use crate::base::schema::Schema;
use crate::llm::stream::partial_json::PartialJson;

/// Up to this many bytes every delta yields a partial value; above, only after growth by a sixteenth, so that
/// the total cost is linear in the object's length.
const EVERY_DELTA: usize = 4 << 10;

/// A progress item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ObjectProgress {
    /// The object so far; not validated.
    Partial(Value),
    /// The validated object.
    Done(Value, Box<Outcome>),
    /// There was no object, or an invalid one.
    Failed(LlmError),
}

/// Returns an object that matches `request.format`.
pub async fn generate_object(
    client: &Client,
    request: Request,
    options: Options,
) -> Result<(Value, Outcome), LlmError> {
    let mut steps = stream_object(client, request, options);
    let mut last = None;
    while let Some(step) = steps.next().await {
        last = Some(step);
    }
    match last {
        Some(ObjectProgress::Done(value, outcome)) => Ok((value, *outcome)),
        Some(ObjectProgress::Failed(error)) => Err(error),
        _ => Err(LlmError::new(ErrorKind::Stream, "", "the answer ended without an end")),
    }
}

/// Streams growing values. The last item is `Done` or `Failed`.
pub fn stream_object(
    client: &Client,
    request: Request,
    options: Options,
) -> BoxStream<'static, ObjectProgress> {
    let provider = request.model.provider.clone();
    let Some(format) = request.format.clone() else {
        let text = "an object was asked for without its schema".to_string();
        let error = LlmError::new(ErrorKind::Configuration, provider, text);
        return futures::stream::iter([ObjectProgress::Failed(error)]).boxed();
    };
    let mut growing =
        ObjectBuilder { format, partial: PartialJson::default(), part: None, len: 0, emitted_len: 0 };
    let steps = stream(client, request, options);
    steps.filter_map(move |step| std::future::ready(growing.handle_step(step))).boxed()
}

struct ObjectBuilder {
    format: ResponseFormat,
    partial: PartialJson,
    /// Index of the part that is the object.
    part: Option<usize>,
    len: usize,
    emitted_len: usize,
}

impl ObjectBuilder {
    fn handle_step(&mut self, step: Progress) -> Option<ObjectProgress> {
        match step {
            Progress::Event(StreamEvent::ToolCallStart { index, name, .. }) if name == self.format.name => {
                self.begin(index);
                None
            }
            Progress::Event(StreamEvent::TextStart { index })
                if self.part.is_none_or(|part| part == index) =>
            {
                self.begin(index);
                None
            }
            Progress::Event(
                StreamEvent::TextDelta { index, delta } | StreamEvent::ToolCallDelta { index, delta },
            ) if self.part == Some(index) => self.grow(&delta),
            // A tool was run, or the answer starts over: the object is in a later answer.
            Progress::Result(_) | Progress::Retrying { .. } | Progress::Event(StreamEvent::Start) => {
                self.part = None;
                None
            }
            Progress::Done(outcome) => Some(match object(&outcome.message, &self.format) {
                Ok(value) => ObjectProgress::Done(value, outcome),
                Err(error) => ObjectProgress::Failed(error),
            }),
            Progress::Failed { error, .. } => Some(ObjectProgress::Failed(error)),
            Progress::Event(_) => None,
        }
    }

    fn begin(&mut self, index: usize) {
        (self.part, self.partial, self.len, self.emitted_len) = (Some(index), PartialJson::default(), 0, 0);
    }

    fn grow(&mut self, delta: &str) -> Option<ObjectProgress> {
        self.partial.push(delta);
        self.len += delta.len();
        let worth = self.len < EVERY_DELTA || self.len - self.emitted_len >= self.len / 16;
        if !worth || !self.partial.value().is_object() {
            return None;
        }
        self.emitted_len = self.len;
        Some(ObjectProgress::Partial(self.partial.value().clone()))
    }
}

/// Returns the object in a complete answer.
fn object(message: &AssistantMessage, format: &ResponseFormat) -> Result<Value, LlmError> {
    let call = message.tool_calls().find(|call| call.name == format.name);
    let (value, raw) = if let Some(call) = call {
        (Ok(call.arguments.clone()), call.arguments.to_string())
    } else {
        let text = message.text();
        (serde_json::from_str(strip_code_fence(&text)).map_err(|error| error.to_string()), text)
    };
    let checked = value.and_then(|value| Schema::new(&format.schema).check(value));
    checked.map_err(|what| {
        let provider = message.provider.clone();
        let text = format!("{provider}: the answer is no `{}` as it was asked for: {what}", format.name);
        let raw = Some(raw.chars().take(2048).collect());
        LlmError { raw, ..LlmError::new(ErrorKind::NoObject, provider, text) }
    })
}

/// Removes a code fence: models without structured output often wrap their JSON in one.
fn strip_code_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, body)| body)
}
