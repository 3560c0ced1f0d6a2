//! The adapter: sends a request, decodes the bytes of the answer, hands out events.
//!
//! Never repeats a request and never fails but by an event.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;

use super::stream::Reader;
use super::{errors, request};
use crate::base::clock::SharedClock;
use crate::llm::model::{ErrorKind, LlmError, Request, StreamEvent};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::net::http::{Post, Response};
use crate::net::sse::Decoder;

/// The version of the API that this adapter speaks.
const VERSION: &str = "2023-06-01";

/// The row's constructor.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Anthropic { setup })
}

struct Anthropic {
    setup: Setup,
}

impl Provider for Anthropic {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let answer = Answer {
            reader: Reader::new(&request.model, self.setup.clock.now_ms()),
            clock: self.setup.clock.clone(),
            provider: self.setup.provider.clone(),
            decoder: Decoder::default(),
            ready: VecDeque::new(),
            response: None,
            request: Some((self.setup.clone(), request)),
        };
        // The whole chain is polled in place: dropping the stream drops the socket.
        stream::unfold(answer, |mut answer| async move { Some((answer.next().await?, answer)) }).boxed()
    }
}

/// An answer on its way.
struct Answer {
    reader: Reader,
    clock: SharedClock,
    provider: String,
    decoder: Decoder,
    ready: VecDeque<StreamEvent>,
    response: Option<Response>,
    /// Until it is sent.
    request: Option<(Setup, Request)>,
}

impl Answer {
    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.reader.ended() {
                return None;
            }
            if let Some((setup, request)) = self.request.take() {
                if let Err(error) = self.send(&setup, &request).await {
                    self.reader.fail(error, &mut self.ready);
                }
            } else {
                self.receive().await;
            }
        }
    }

    async fn send(&mut self, setup: &Setup, request: &Request) -> Result<(), LlmError> {
        let body = serde_json::to_vec(&request::body(request)).map_err(|error| {
            LlmError::new(ErrorKind::InvalidRequest, self.provider.clone(), error.to_string())
        })?;
        let mut headers =
            vec![("anthropic-version", VERSION.to_string()), ("accept", "text/event-stream".into())];
        headers.extend(request::beta(&request.model).map(|beta| ("anthropic-beta", beta.to_string())));
        headers.extend(setup.access.key.as_ref().map(|key| ("x-api-key", key.0.clone())));
        let post = Post { url: url(&setup.access.base_url), headers, body };
        let response =
            setup.http.post(post).await.map_err(|e| errors::from_net(&self.provider, &e, false))?;
        let status = response.status();
        if status != 200 {
            let retry_after = response.header("retry-after").map(str::to_string);
            let body = response.text(errors::RAW_BYTES_MAX).await;
            let now = self.clock.now_ms();
            return Err(errors::from_answer(&self.provider, status, retry_after.as_deref(), body, now));
        }
        self.response = Some(response);
        Ok(())
    }

    async fn receive(&mut self) {
        let Some(response) = self.response.as_mut() else {
            return self.reader.end(&mut self.ready);
        };
        let mut events = Vec::new();
        match response.chunk().await {
            Ok(Some(bytes)) => {
                let whole = self.decoder.push(&bytes, &mut events);
                for event in &events {
                    self.reader.take(event, &mut self.ready);
                }
                if let Err(error) = whole {
                    let error = LlmError::new(ErrorKind::Stream, self.provider.clone(), error.to_string());
                    self.reader.fail(error, &mut self.ready);
                }
            }
            Ok(None) => self.reader.end(&mut self.ready),
            Err(error) => {
                let error = errors::from_net(&self.provider, &error, true);
                self.reader.fail(error, &mut self.ready);
            }
        }
        if self.reader.ended() {
            // Nothing that follows the last event matters: do not wait for the body's end.
            self.response = None;
        }
    }
}

/// Base URLs are given with and without the version in their path.
fn url(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    format!("{root}/v1/messages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_with_and_without_a_version() {
        for base in ["http://h/p", "http://h/p/", "http://h/p/v1", "http://h/p/v1/"] {
            assert_eq!(url(base), "http://h/p/v1/messages");
        }
    }
}
