//! An answer on its way: sends a request, decodes the bytes of its answer, hands out events.
//!
//! Must not know any wire format: a dialect gives the request and a reader of its events. Never
//! repeats a request and never fails but by an event.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::{StreamExt, stream};

use super::failure::{Asked, RAW_BYTES_MAX, ReadKind, Refusal};
use super::model::{LlmError, StreamEvent};
use super::provider::EventStream;
use crate::base::clock::SharedClock;
use crate::net::http::{Http, Post, Response};
use crate::net::sse::{Decoder, Event};

/// A dialect's events to ours.
pub trait Reader: Send {
    /// Takes one event of the wire and appends what follows from it.
    fn take(&mut self, event: &Event, out: &mut Vec<StreamEvent>);

    /// Ends the stream with an error and what had come.
    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>);

    /// The body ended.
    fn end(&mut self, out: &mut Vec<StreamEvent>);

    /// Whether the last event is out.
    fn ended(&self) -> bool;
}

/// What an answer needs beside its reader.
pub struct Call {
    /// The shared client.
    pub http: Arc<Http>,
    /// For dates to wait for.
    pub clock: SharedClock,
    /// Who is asked.
    pub asked: Asked,
    /// What the dialect's errors mean.
    pub read_kind: ReadKind,
    /// What is sent.
    pub post: Post,
}

/// Asks when it is polled first. Dropping the stream drops the socket.
pub fn stream(call: Call, reader: impl Reader + 'static) -> EventStream {
    let Call { http, clock, asked, read_kind, post } = call;
    let answer = Answer {
        reader,
        clock,
        asked,
        read_kind,
        decoder: Decoder::default(),
        ready: VecDeque::new(),
        response: None,
        request: Some((http, post)),
    };
    // The whole chain is polled in place, so nothing outlives the stream.
    stream::unfold(answer, |mut answer| async move { Some((answer.next().await?, answer)) }).boxed()
}

struct Answer<R> {
    reader: R,
    clock: SharedClock,
    asked: Asked,
    read_kind: ReadKind,
    decoder: Decoder,
    ready: VecDeque<StreamEvent>,
    response: Option<Response>,
    /// Until it is sent.
    request: Option<(Arc<Http>, Post)>,
}

impl<R: Reader> Answer<R> {
    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.reader.ended() {
                return None;
            }
            let mut out = Vec::new();
            match self.request.take() {
                Some((http, post)) => {
                    if let Err(error) = self.send(&http, post).await {
                        self.reader.fail(error, &mut out);
                    }
                }
                None => self.receive(&mut out).await,
            }
            self.ready.extend(out);
        }
    }

    async fn send(&mut self, http: &Http, post: Post) -> Result<(), LlmError> {
        let response = http.post(post).await.map_err(|error| self.asked.net(&error, false))?;
        let status = response.status();
        if status != 200 {
            let retry_after = response.header("retry-after").map(str::to_string);
            let body = response.text(RAW_BYTES_MAX).await;
            let refusal = Refusal { status, retry_after, body };
            return Err(self.asked.refused(refusal, self.read_kind, self.clock.now_ms()));
        }
        self.response = Some(response);
        Ok(())
    }

    async fn receive(&mut self, out: &mut Vec<StreamEvent>) {
        let Some(response) = self.response.as_mut() else {
            return self.reader.end(out);
        };
        match response.chunk().await {
            Ok(Some(bytes)) => {
                let mut events = Vec::new();
                let whole = self.decoder.push(&bytes, &mut events);
                for event in &events {
                    self.reader.take(event, out);
                }
                if let Err(error) = whole {
                    self.reader.fail(self.asked.nonsense(&error.to_string()), out);
                }
            }
            Ok(None) => self.reader.end(out),
            Err(error) => self.reader.fail(self.asked.net(&error, true), out),
        }
        if self.reader.ended() {
            // Nothing that follows the last event matters: do not wait for the body's end.
            self.response = None;
        }
    }
}
