//! Streaming response of a server, live or from a recording.
//!
//! Must not know any provider.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::cassette::{Disconnect, Exchange, Piece, Recording};
use super::error::{NetError, connection_error};

/// Timeout for reading a complete body: one that arrives byte by byte might never end.
const TEXT_TIMEOUT: Duration = Duration::from_secs(30);

/// A response whose body is still arriving. Dropping it closes the connection.
#[derive(Debug)]
pub struct Response {
    source: Source,
    /// The exchange to record when it is dropped.
    recorder: Option<ResponseRecorder>,
}

#[derive(Debug)]
enum Source {
    Live { inner: reqwest::Response, host: String, silence: Duration },
    Replayed { status: u16, headers: Vec<(String, String)>, pieces: VecDeque<Piece>, cut: Option<Disconnect> },
}

#[derive(Debug)]
struct ResponseRecorder {
    recording: Recording,
    exchange: Exchange,
}

impl Drop for ResponseRecorder {
    fn drop(&mut self) {
        self.recording.add(&self.exchange);
    }
}

impl Response {
    pub(super) fn live(inner: reqwest::Response, host: String, silence: Duration) -> Self {
        Self { source: Source::Live { inner, host, silence }, recorder: None }
    }

    pub(super) fn replayed(exchange: Exchange) -> Self {
        let Exchange { status, headers, pieces, cut, .. } = exchange;
        Self { source: Source::Replayed { status, headers, pieces: pieces.into(), cut }, recorder: None }
    }

    /// Records what arrives, at the latest when this is dropped.
    pub(super) fn with_recording(mut self, recording: Recording, mut exchange: Exchange) -> Self {
        if let Source::Live { inner, .. } = &self.source {
            exchange.status = inner.status().as_u16();
            let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_string();
            let headers = inner.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
            exchange.headers = headers.filter(|(name, _)| name != "set-cookie").collect();
        }
        self.recorder = Some(ResponseRecorder { recording, exchange });
        self
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match &self.source {
            Source::Live { inner, .. } => inner.status().as_u16(),
            Source::Replayed { status, .. } => *status,
        }
    }

    /// Returns a header's value; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        match &self.source {
            Source::Live { inner, .. } => inner.headers().get(name)?.to_str().ok(),
            Source::Replayed { headers, .. } => {
                headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
            }
        }
    }

    /// Returns the next chunk of the body; `None` at its regular end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, NetError> {
        let chunk = match &mut self.source {
            Source::Live { inner, host, silence } => {
                match tokio::time::timeout(*silence, inner.chunk()).await {
                    Ok(chunk) => chunk.map_err(|error| connection_error(host, error)),
                    Err(_) => Err(NetError::IdleTimeout { host: host.clone(), after: *silence }),
                }
            }
            Source::Replayed { pieces, cut, .. } => match (pieces.pop_front(), cut.take()) {
                (None, Some(cut)) => Err(cut.to_error()),
                (piece, kept) => {
                    *cut = kept;
                    Ok(piece.map(|piece| piece.bytes()))
                }
            },
        };
        if let Some(kept) = &mut self.recorder {
            match &chunk {
                Ok(bytes) => kept.exchange.pieces.extend(bytes.as_deref().map(Piece::from_bytes)),
                Err(error) => kept.exchange.cut = Disconnect::from_error(error),
            }
        }
        chunk
    }

    /// Returns up to `max` bytes of the body as text; a read error or timeout just ends it, because this is
    /// for explaining an error that has already happened.
    pub async fn text(mut self, max: usize) -> String {
        let mut body = Vec::new();
        let until = tokio::time::Instant::now() + TEXT_TIMEOUT;
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(until, self.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() >= max {
                body.truncate(max);
                break;
            }
        }
        String::from_utf8_lossy(&body).into_owned()
    }
}
