//! Streaming answer: sends a request, decodes the response body, yields events.
//!
//! Must not know any wire format: a dialect supplies the request and a reader of its events. Never repeats a
//! request; errors are events.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use serde_json::Value;

use crate::base::clock::SharedClock;
use crate::llm::errors::error_classification::{ClassifyError, ErrorAnswer, RAW_BYTES_MAX, RequestInfo};
use crate::llm::model::{LlmError, Model, RateLimit, StreamEvent};
use crate::llm::provider::EventStream;
use crate::llm::stream::channel::{Channel, ChannelError, Received};
use crate::llm::stream_builder::StreamBuilder;
use crate::net::error::NetError;
use crate::net::frames;
use crate::net::http::{Http, Post};
use crate::net::response::Response;
use crate::net::sse::{self, Event};

/// Maximum bytes of an answer in a single JSON value.
const JSON_BODY_MAX: usize = 64 << 20;

/// Converts a dialect's events to stream events.
pub trait StreamReader: Send {
    /// Handles one wire event and appends the resulting events.
    fn read_event(&mut self, event: &Event, out: &mut Vec<StreamEvent>);

    /// Handles a complete answer in a single JSON value, sent although a stream was requested; `false` if it
    /// is not an answer of this dialect.
    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool;

    /// Ends the stream with an error and the partial message.
    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>);

    /// Handles the end of the body.
    fn end(&mut self, out: &mut Vec<StreamEvent>);

    /// Whether the final event was emitted.
    fn has_ended(&self) -> bool;
}

/// Returns an unnamed event with this data.
pub fn event(data: &Value) -> Event {
    Event { name: String::new(), data: data.to_string() }
}

/// Returns a complete chat completion as the only chunk of a stream; `None` for other values.
pub fn as_chunk(answer: &Value) -> Option<Value> {
    let mut chunk = answer.clone();
    let choices = chunk["choices"].as_array_mut().filter(|choices| !choices.is_empty())?;
    for choice in choices {
        let mut message = choice.get_mut("message").map(Value::take).filter(Value::is_object)?;
        for (index, call) in message["tool_calls"].as_array_mut().into_iter().flatten().enumerate() {
            call["index"] = index.into();
        }
        choice["delta"] = message;
    }
    Some(chunk)
}

/// How events are framed in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// Server-sent events.
    #[default]
    Sse,
    /// Amazon's binary event stream: the frame's type is the event's name.
    Frames,
}

/// A request and the reader of its response.
pub struct Exchange<R> {
    /// Request data for error messages.
    pub request_info: RequestInfo,
    /// The request.
    pub post: Post,
    /// The reader.
    pub reader: R,
    /// Classifies the dialect's errors.
    pub classify_error: ClassifyError,
    /// The framing of the body.
    pub framing: Framing,
}

/// An exchange, and optionally a channel that is tried before HTTP.
pub type Prepared<R> = (Exchange<R>, Option<Box<dyn Channel>>);

/// Resources that every answer needs.
#[derive(Clone)]
pub struct StreamContext {
    /// The shared HTTP client.
    pub http: Arc<Http>,
    /// For `Retry-After` dates.
    pub clock: SharedClock,
    /// Whether raw wire events are emitted, too.
    pub raw: bool,
    /// Maximum gap between chunks, unless the request has its own.
    pub idle_timeout: Option<Duration>,
}

/// Sends the request on the first poll: `prepare` resolves the key and builds the request. Dropping the
/// stream closes the connection.
pub fn stream<R: StreamReader + 'static>(
    means: StreamContext,
    model: Model,
    prepare: impl Future<Output = Result<Exchange<R>, LlmError>> + Send + 'static,
) -> EventStream {
    stream_over(means, model, prepare.map(|prepared| prepared.map(|exchange| (exchange, None))))
}

/// The same for a dialect that may answer over its own channel.
pub fn stream_over<R: StreamReader + 'static>(
    means: StreamContext,
    model: Model,
    prepare: impl Future<Output = Result<Prepared<R>, LlmError>> + Send + 'static,
) -> EventStream {
    let answer =
        AnswerStream { means, model, ready: VecDeque::new(), state: State::Preparing(prepare.boxed()) };
    // The whole chain is polled in place, so no task outlives the stream.
    stream::unfold(answer, |mut answer| async move { Some((answer.next().await?, answer)) }).boxed()
}

struct AnswerStream<R> {
    means: StreamContext,
    model: Model,
    ready: VecDeque<StreamEvent>,
    state: State<R>,
}

enum State<R> {
    Preparing(BoxFuture<'static, Result<Prepared<R>, LlmError>>),
    Reading(Box<BodyReading<R>>),
    Ended,
}

struct BodyReading<R> {
    reader: R,
    request_info: RequestInfo,
    classify_error: ClassifyError,
    source: Source,
}

/// Source of events.
enum Source {
    Body(Box<Body>),
    /// A channel, with its first event.
    Channel(Box<dyn Channel>, Option<Received>),
    /// No more events.
    Ended,
}

struct Body {
    response: Response,
    decoder: Decoder,
    /// Whether a byte that is not white space was seen.
    begun: bool,
}

/// What follows a chunk of a body.
enum After {
    More,
    End,
    Invalid(String),
    NetworkError(NetError),
    /// The body is not a stream: its content, also as a refusal.
    NotAStream(Vec<u8>, ErrorAnswer),
}

enum Decoder {
    Sse(sse::Decoder),
    Frames(frames::Decoder),
    /// The body is not a stream: its content, truncated.
    NotAStream(Vec<u8>),
}

impl<R: StreamReader> AnswerStream<R> {
    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let mut out = Vec::new();
            match &mut self.state {
                State::Preparing(prepare) => {
                    let prepared = prepare.await;
                    self.state = match prepared {
                        Ok((exchange, channel)) => self.means.start(exchange, channel, &mut out).await,
                        Err(error) => {
                            out.push(StreamBuilder::new(&self.model, self.means.clock.now_ms()).fail(error));
                            State::Ended
                        }
                    };
                }
                State::Reading(reading) if !reading.reader.has_ended() => {
                    reading.receive(&self.means, &mut out).await;
                }
                State::Reading(_) => self.state = State::Ended,
                State::Ended => return None,
            }
            self.ready.extend(out);
        }
    }
}

impl StreamContext {
    /// Sends the request over the channel if it is available, else by HTTP.
    async fn start<R: StreamReader>(
        &self,
        exchange: Exchange<R>,
        channel: Option<Box<dyn Channel>>,
        out: &mut Vec<StreamEvent>,
    ) -> State<R> {
        if let Some(mut channel) = channel
            && let Some(first) = channel.open().await
        {
            let Exchange { request_info, reader, classify_error: read_kind, .. } = exchange;
            let source = Source::Channel(channel, Some(first));
            return State::Reading(Box::new(BodyReading {
                reader,
                request_info,
                classify_error: read_kind,
                source,
            }));
        }
        self.send(exchange, out).await
    }

    async fn send<R: StreamReader>(&self, exchange: Exchange<R>, out: &mut Vec<StreamEvent>) -> State<R> {
        let Exchange { request_info, mut post, mut reader, classify_error: read_kind, framing } = exchange;
        post.idle_timeout = post.idle_timeout.or(self.idle_timeout);
        let decoder = match framing {
            Framing::Sse => Decoder::Sse(sse::Decoder::default()),
            Framing::Frames => Decoder::Frames(frames::Decoder::default()),
        };
        let source = match self.http.post(post).await {
            Ok(response) if response.status() == 200 => {
                out.extend(RateLimit::read(|name| response.header(name)).map(StreamEvent::Limits));
                Source::Body(Box::new(Body { response, decoder, begun: false }))
            }
            Ok(response) => {
                let status = response.status();
                let retry_after = retry_after(|name| response.header(name).map(str::to_string));
                let body = response.text(RAW_BYTES_MAX).await;
                let refusal = ErrorAnswer { status, retry_after, body };
                reader.fail(request_info.http_error(refusal, read_kind, self.clock.now_ms()), out);
                Source::Ended
            }
            Err(error) => {
                reader.fail(request_info.network_error(&error, false), out);
                Source::Ended
            }
        };
        State::Reading(Box::new(BodyReading { reader, request_info, classify_error: read_kind, source }))
    }
}

/// Returns the delay header, in seconds or as a date; the more precise one if there are both.
fn retry_after(header: impl Fn(&str) -> Option<String>) -> Option<String> {
    let finer =
        header("retry-after-ms").and_then(|ms| Some((ms.trim().parse::<f64>().ok()? / 1e3).to_string()));
    finer.or_else(|| header("retry-after"))
}

impl<R: StreamReader> BodyReading<R> {
    async fn receive(&mut self, means: &StreamContext, out: &mut Vec<StreamEvent>) {
        match &mut self.source {
            Source::Body(body) => {
                let (events, after) = body.next().await;
                self.read_events(&events, means.raw, out);
                match after {
                    _ if self.reader.has_ended() => {}
                    After::More => {}
                    After::End => self.reader.end(out),
                    After::Invalid(what) => self.reader.fail(self.request_info.invalid_stream(&what), out),
                    After::NetworkError(error) => {
                        self.reader.fail(self.request_info.network_error(&error, true), out);
                    }
                    After::NotAStream(bytes, refusal) => {
                        let whole = serde_json::from_slice::<Value>(&bytes);
                        if whole.as_ref().is_err_and(serde_json::Error::is_eof) {
                            self.reader
                                .fail(self.request_info.invalid_stream("the answer ended too early"), out);
                        } else if !whole.is_ok_and(|whole| self.reader.read_complete(&whole, out)) {
                            let error = self.request_info.unexpected_body(
                                refusal,
                                self.classify_error,
                                means.clock.now_ms(),
                            );
                            self.reader.fail(error, out);
                        }
                    }
                }
            }
            Source::Channel(channel, first) => {
                let received = match first.take() {
                    Some(received) => received,
                    None => channel.next().await,
                };
                match received {
                    Ok(event) => self.read_events(&[event], means.raw, out),
                    Err(ChannelError::Net(error)) => {
                        self.reader.fail(self.request_info.network_error(&error, true), out);
                    }
                    Err(ChannelError::Refused(refusal)) => {
                        let error =
                            self.request_info.http_error(refusal, self.classify_error, means.clock.now_ms());
                        self.reader.fail(error, out);
                    }
                }
            }
            Source::Ended => return self.reader.end(out),
        }
        if self.reader.has_ended() {
            self.end_if_done(out);
        }
    }

    /// Stops reading after the final event: the end of the body does not matter.
    fn end_if_done(&mut self, out: &[StreamEvent]) {
        if let Source::Channel(channel, _) = std::mem::replace(&mut self.source, Source::Ended)
            && let Some(StreamEvent::Done { message }) = out.last()
        {
            channel.release(message);
        }
    }

    fn read_events(&mut self, events: &[Event], raw: bool, out: &mut Vec<StreamEvent>) {
        for event in events {
            if self.reader.has_ended() {
                return;
            }
            if raw {
                out.push(StreamEvent::Raw { name: event.name.clone(), data: event.data.clone() });
            }
            self.reader.read_event(event, out);
        }
    }
}

impl Body {
    /// Returns the events of the next chunk, and what follows it.
    async fn next(&mut self) -> (Vec<Event>, After) {
        let mut events = Vec::new();
        let chunk = self.response.chunk().await;
        if let Ok(Some(bytes)) = &chunk {
            self.begin(bytes);
        }
        let after = match (chunk, &mut self.decoder) {
            (Ok(Some(bytes)), Decoder::NotAStream(body)) if body.len() < body_limit(body) => {
                body.extend_from_slice(&bytes);
                After::More
            }
            // A truncated page is still usable; truncated JSON is not.
            (Err(error), Decoder::NotAStream(body)) if is_incomplete_json(&String::from_utf8_lossy(body)) => {
                After::NetworkError(error)
            }
            (_, Decoder::NotAStream(body)) => {
                let bytes = std::mem::take(body);
                let refusal = self.refusal(&bytes);
                After::NotAStream(bytes, refusal)
            }
            (Ok(Some(bytes)), decoder) => match decoder.push(&bytes, &mut events) {
                Ok(()) => After::More,
                Err(what) => After::Invalid(what),
            },
            (Ok(None), decoder) => {
                decoder.end(&mut events);
                After::End
            }
            (Err(error), _) => After::NetworkError(error),
        };
        (events, after)
    }

    /// Returns the content of a body that is not a stream, as a refusal.
    fn refusal(&self, bytes: &[u8]) -> ErrorAnswer {
        let retry_after = retry_after(|name| self.response.header(name).map(str::to_string));
        let body = String::from_utf8_lossy(&bytes[..bytes.len().min(RAW_BYTES_MAX)]).into_owned();
        ErrorAnswer { status: self.response.status(), retry_after, body }
    }

    /// Checks the beginning of the body: JSON or HTML is not a stream. Some servers answer with one JSON
    /// value, and some gateways send errors with a success status.
    fn begin(&mut self, bytes: &[u8]) {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace()).filter(|_| !self.begun);
        if let Some(first) = first {
            self.begun = true;
            if b"{[<".contains(first) {
                self.decoder = Decoder::NotAStream(Vec::new());
            }
        }
    }
}

/// Maximum bytes kept of a body that is not a stream: of a page the beginning is enough.
fn body_limit(body: &[u8]) -> usize {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_none_or(|byte| b"{[".contains(byte)) { JSON_BODY_MAX } else { RAW_BYTES_MAX }
}

impl Decoder {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Result<(), String> {
        match self {
            Self::Sse(decoder) => decoder.push(bytes, out).map_err(|error| error.to_string()),
            Self::Frames(decoder) => decoder.push(bytes, out).map_err(|error| error.to_string()),
            Self::NotAStream(_) => Ok(()),
        }
    }

    /// Adds a final event without its blank line, which some servers omit. If its data is truncated the
    /// connection broke; the reader then finds that the answer has no end.
    fn end(&mut self, out: &mut Vec<Event>) {
        if let Self::Sse(decoder) = self {
            let whole = out.len();
            decoder.end(out);
            if out.get(whole).is_some_and(|last| last.data != "[DONE]" && is_incomplete_json(&last.data)) {
                out.truncate(whole);
            }
        }
    }
}

/// Whether data is truncated JSON.
fn is_incomplete_json(data: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(data).is_err_and(|error| error.is_eof())
}
