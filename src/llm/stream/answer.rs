//! An answer on its way: sends a request, decodes the bytes of its answer, hands out events.
//!
//! Must not know any wire format: a dialect gives the request and a reader of its events. Never
//! repeats a request and never fails but by an event.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use serde_json::Value;

use crate::base::clock::SharedClock;
use crate::llm::errors::error_classification::{RAW_BYTES_MAX, ReadKind, Refusal, RequestInfo};
use crate::llm::model::{LlmError, Model, RateLimit, StreamEvent};
use crate::llm::provider::EventStream;
use crate::llm::stream::channel::{Broken, Channel, Received};
use crate::llm::stream_builder::StreamBuilder;
use crate::net::error::NetError;
use crate::net::frames;
use crate::net::http::{Http, Post};
use crate::net::response::Response;
use crate::net::sse::{self, Event};

/// Bytes of an answer that comes as one piece of JSON, at most.
const WHOLE_BYTES_MAX: usize = 64 << 20;

/// A dialect's events to ours.
pub trait Reader: Send {
    /// Takes one event of the wire and appends what follows from it.
    fn take(&mut self, event: &Event, out: &mut Vec<StreamEvent>);

    /// Takes a whole answer that came as one piece of JSON though a stream was asked for; `false` where it is no answer
    /// of this dialect.
    fn whole(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool;

    /// Ends the stream with an error and what had come.
    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>);

    /// The body ended.
    fn end(&mut self, out: &mut Vec<StreamEvent>);

    /// Whether the last event is out.
    fn ended(&self) -> bool;
}

/// An event without a name that holds this.
pub fn event(data: &Value) -> Event {
    Event { name: String::new(), data: data.to_string() }
}

/// A whole chat completion as the only chunk of a stream; `None` for anything else.
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

/// How events are cut out of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// Server-sent events.
    #[default]
    Sse,
    /// Amazon's binary event stream: the frame's type is the event's name.
    Frames,
}

/// What is sent, and who reads what comes back.
pub struct Exchange<R> {
    /// Who is asked.
    pub asked: RequestInfo,
    /// What is sent.
    pub post: Post,
    /// Who reads.
    pub reader: R,
    /// What the dialect's errors mean.
    pub read_kind: ReadKind,
    /// How the body is cut into events.
    pub framing: Framing,
}

/// An exchange, and what is asked before its request is sent, where the dialect has such a thing.
pub type Prepared<R> = (Exchange<R>, Option<Box<dyn Channel>>);

/// What every answer needs.
#[derive(Clone)]
pub struct Means {
    /// The shared client.
    pub http: Arc<Http>,
    /// For dates to wait for.
    pub clock: SharedClock,
    /// Whether the wire's own events are handed out, too.
    pub raw: bool,
    /// Longest silence of an answer, unless the request says one.
    pub silence: Option<Duration>,
}

/// Asks when it is polled first: `prepare` finds the key and builds the request. Dropping the
/// stream drops the socket.
pub fn stream<R: Reader + 'static>(
    means: Means,
    model: Model,
    prepare: impl Future<Output = Result<Exchange<R>, LlmError>> + Send + 'static,
) -> EventStream {
    stream_over(means, model, prepare.map(|prepared| prepared.map(|exchange| (exchange, None))))
}

/// The same for a dialect that may answer over a channel of its own.
pub fn stream_over<R: Reader + 'static>(
    means: Means,
    model: Model,
    prepare: impl Future<Output = Result<Prepared<R>, LlmError>> + Send + 'static,
) -> EventStream {
    let answer = Answer { means, model, ready: VecDeque::new(), state: State::Preparing(prepare.boxed()) };
    // The whole chain is polled in place, so nothing outlives the stream.
    stream::unfold(answer, |mut answer| async move { Some((answer.next().await?, answer)) }).boxed()
}

struct Answer<R> {
    means: Means,
    model: Model,
    ready: VecDeque<StreamEvent>,
    state: State<R>,
}

enum State<R> {
    Preparing(BoxFuture<'static, Result<Prepared<R>, LlmError>>),
    Reading(Box<Reading<R>>),
    Over,
}

struct Reading<R> {
    reader: R,
    asked: RequestInfo,
    read_kind: ReadKind,
    source: Source,
}

/// Where events come from.
enum Source {
    Body(Box<Body>),
    /// With what it said first.
    Channel(Box<dyn Channel>, Option<Received>),
    /// Nothing comes any more.
    Nothing,
}

struct Body {
    response: Response,
    decoder: Decoder,
    /// Whether its first byte that is not blank was seen.
    begun: bool,
}

/// What follows a piece of a body.
enum After {
    More,
    End,
    Nonsense(String),
    Broke(NetError),
    /// It is no stream: all that came instead, and that as a refusal.
    Other(Vec<u8>, Refusal),
}

enum Decoder {
    Sse(sse::Decoder),
    Frames(frames::Decoder),
    /// It is no stream: what came instead, as much of it as is told.
    Other(Vec<u8>),
}

impl<R: Reader> Answer<R> {
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
                        Ok((exchange, channel)) => self.means.ask(exchange, channel, &mut out).await,
                        Err(error) => {
                            out.push(StreamBuilder::new(&self.model, self.means.clock.now_ms()).fail(error));
                            State::Over
                        }
                    };
                }
                State::Reading(reading) if !reading.reader.ended() => {
                    reading.receive(&self.means, &mut out).await;
                }
                State::Reading(_) => self.state = State::Over,
                State::Over => return None,
            }
            self.ready.extend(out);
        }
    }
}

impl Means {
    /// By the channel if there is one that answers, else by HTTP.
    async fn ask<R: Reader>(
        &self,
        exchange: Exchange<R>,
        channel: Option<Box<dyn Channel>>,
        out: &mut Vec<StreamEvent>,
    ) -> State<R> {
        if let Some(mut channel) = channel
            && let Some(heard) = channel.open().await
        {
            let Exchange { asked, reader, read_kind, .. } = exchange;
            let source = Source::Channel(channel, Some(heard));
            return State::Reading(Box::new(Reading { reader, asked, read_kind, source }));
        }
        self.send(exchange, out).await
    }

    async fn send<R: Reader>(&self, exchange: Exchange<R>, out: &mut Vec<StreamEvent>) -> State<R> {
        let Exchange { asked, mut post, mut reader, read_kind, framing } = exchange;
        post.silence = post.silence.or(self.silence);
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
                let refusal = Refusal { status, retry_after, body };
                reader.fail(asked.refused(refusal, read_kind, self.clock.now_ms()), out);
                Source::Nothing
            }
            Err(error) => {
                reader.fail(asked.net(&error, false), out);
                Source::Nothing
            }
        };
        State::Reading(Box::new(Reading { reader, asked, read_kind, source }))
    }
}

/// The header in seconds or as a date; the finer one where a server has both.
fn retry_after(header: impl Fn(&str) -> Option<String>) -> Option<String> {
    let finer =
        header("retry-after-ms").and_then(|ms| Some((ms.trim().parse::<f64>().ok()? / 1e3).to_string()));
    finer.or_else(|| header("retry-after"))
}

impl<R: Reader> Reading<R> {
    async fn receive(&mut self, means: &Means, out: &mut Vec<StreamEvent>) {
        match &mut self.source {
            Source::Body(body) => {
                let (events, after) = body.next().await;
                self.take(&events, means.raw, out);
                match after {
                    _ if self.reader.ended() => {}
                    After::More => {}
                    After::End => self.reader.end(out),
                    After::Nonsense(what) => self.reader.fail(self.asked.nonsense(&what), out),
                    After::Broke(error) => self.reader.fail(self.asked.net(&error, true), out),
                    After::Other(bytes, refusal) => {
                        let whole = serde_json::from_slice::<Value>(&bytes);
                        if whole.as_ref().is_err_and(serde_json::Error::is_eof) {
                            self.reader.fail(self.asked.nonsense("the answer ended too early"), out);
                        } else if !whole.is_ok_and(|whole| self.reader.whole(&whole, out)) {
                            let error = self.asked.instead(refusal, self.read_kind, means.clock.now_ms());
                            self.reader.fail(error, out);
                        }
                    }
                }
            }
            Source::Channel(channel, first) => {
                let heard = match first.take() {
                    Some(heard) => heard,
                    None => channel.next().await,
                };
                match heard {
                    Ok(event) => self.take(&[event], means.raw, out),
                    Err(Broken::Net(error)) => self.reader.fail(self.asked.net(&error, true), out),
                    Err(Broken::Refused(refusal)) => {
                        let error = self.asked.refused(refusal, self.read_kind, means.clock.now_ms());
                        self.reader.fail(error, out);
                    }
                }
            }
            Source::Nothing => return self.reader.end(out),
        }
        if self.reader.ended() {
            self.over(out);
        }
    }

    /// Nothing that follows the last event matters: the end of the body is not waited for.
    fn over(&mut self, out: &[StreamEvent]) {
        if let Source::Channel(channel, _) = std::mem::replace(&mut self.source, Source::Nothing)
            && let Some(StreamEvent::Done { message }) = out.last()
        {
            channel.keep(message);
        }
    }

    fn take(&mut self, events: &[Event], raw: bool, out: &mut Vec<StreamEvent>) {
        for event in events {
            if self.reader.ended() {
                return;
            }
            if raw {
                out.push(StreamEvent::Raw { name: event.name.clone(), data: event.data.clone() });
            }
            self.reader.take(event, out);
        }
    }
}

impl Body {
    /// The events of the next piece, and what follows it.
    async fn next(&mut self) -> (Vec<Event>, After) {
        let mut events = Vec::new();
        let chunk = self.response.chunk().await;
        if let Ok(Some(bytes)) = &chunk {
            self.begin(bytes);
        }
        let after = match (chunk, &mut self.decoder) {
            (Ok(Some(bytes)), Decoder::Other(body)) if body.len() < most(body) => {
                body.extend_from_slice(&bytes);
                After::More
            }
            // A page is told as far as it came; of JSON only the whole says anything.
            (Err(error), Decoder::Other(body)) if is_cut(&String::from_utf8_lossy(body)) => {
                After::Broke(error)
            }
            (_, Decoder::Other(body)) => {
                let bytes = std::mem::take(body);
                let refusal = self.refusal(&bytes);
                After::Other(bytes, refusal)
            }
            (Ok(Some(bytes)), decoder) => match decoder.push(&bytes, &mut events) {
                Ok(()) => After::More,
                Err(what) => After::Nonsense(what),
            },
            (Ok(None), decoder) => {
                decoder.end(&mut events);
                After::End
            }
            (Err(error), _) => After::Broke(error),
        };
        (events, after)
    }

    /// What came instead of a stream, as a refusal.
    fn refusal(&self, bytes: &[u8]) -> Refusal {
        let retry_after = retry_after(|name| self.response.header(name).map(str::to_string));
        let body = String::from_utf8_lossy(&bytes[..bytes.len().min(RAW_BYTES_MAX)]).into_owned();
        Refusal { status: self.response.status(), retry_after, body }
    }

    /// A stream never begins like JSON or a page: some servers answer with the whole at once, and some gateways send
    /// errors with a status of success.
    fn begin(&mut self, bytes: &[u8]) {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace()).filter(|_| !self.begun);
        if let Some(first) = first {
            self.begun = true;
            if b"{[<".contains(first) {
                self.decoder = Decoder::Other(Vec::new());
            }
        }
    }
}

/// How many bytes of a body are kept that is no stream: a page says in its beginning what it is.
fn most(body: &[u8]) -> usize {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_none_or(|byte| b"{[".contains(byte)) { WHOLE_BYTES_MAX } else { RAW_BYTES_MAX }
}

impl Decoder {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Result<(), String> {
        match self {
            Self::Sse(decoder) => decoder.push(bytes, out).map_err(|error| error.to_string()),
            Self::Frames(decoder) => decoder.push(bytes, out).map_err(|error| error.to_string()),
            Self::Other(_) => Ok(()),
        }
    }

    /// A last event whose blank line never came is one all the same: some servers save it. Where its data is cut,
    /// so is the connection, which is for the reader to find: the answer has no end.
    fn end(&mut self, out: &mut Vec<Event>) {
        if let Self::Sse(decoder) = self {
            let whole = out.len();
            decoder.end(out);
            if out.get(whole).is_some_and(|last| last.data != "[DONE]" && is_cut(&last.data)) {
                out.truncate(whole);
            }
        }
    }
}

/// Whether data is the beginning of JSON whose end did not come.
fn is_cut(data: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(data).is_err_and(|error| error.is_eof())
}
