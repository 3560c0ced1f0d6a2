//! Streaming response of a server, live or from a recording.
//!
//! Must not know any provider.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::cassette::{Cut, Exchange, Piece, Recording};
use super::error::{NetError, broken};

/// Timeout for reading a complete body: one that arrives byte by byte might never end.
const TEXT_PATIENCE: Duration = Duration::from_secs(30);

/// A response whose body is still arriving. Dropping it closes the connection.
#[derive(Debug)]
pub struct Response {
    source: Source,
    /// The exchange to record when it is dropped.
    kept: Option<Kept>,
}

#[derive(Debug)]
enum Source {
    Live { inner: reqwest::Response, host: String, silence: Duration },
    Played { status: u16, headers: Vec<(String, String)>, pieces: VecDeque<Piece>, cut: Option<Cut> },
}

#[derive(Debug)]
struct Kept {
    recording: Recording,
    exchange: Exchange,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.recording.add(&self.exchange);
    }
}

impl Response {
    pub(super) fn live(inner: reqwest::Response, host: String, silence: Duration) -> Self {
        Self { source: Source::Live { inner, host, silence }, kept: None }
    }

    pub(super) fn played(exchange: Exchange) -> Self {
        let Exchange { status, headers, pieces, cut, .. } = exchange;
        Self { source: Source::Played { status, headers, pieces: pieces.into(), cut }, kept: None }
    }

    /// Records what arrives, at the latest when this is dropped.
    pub(super) fn recorded(mut self, recording: Recording, mut exchange: Exchange) -> Self {
        if let Source::Live { inner, .. } = &self.source {
            exchange.status = inner.status().as_u16();
            let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap_or_default().to_string();
            let headers = inner.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
            exchange.headers = headers.filter(|(name, _)| name != "set-cookie").collect();
        }
        self.kept = Some(Kept { recording, exchange });
        self
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match &self.source {
            Source::Live { inner, .. } => inner.status().as_u16(),
            Source::Played { status, .. } => *status,
        }
    }

    /// Returns a header's value; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        match &self.source {
            Source::Live { inner, .. } => inner.headers().get(name)?.to_str().ok(),
            Source::Played { headers, .. } => {
                headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
            }
        }
    }

    /// Returns the next chunk of the body; `None` at its regular end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, NetError> {
        let chunk = match &mut self.source {
            Source::Live { inner, host, silence } => {
                match tokio::time::timeout(*silence, inner.chunk()).await {
                    Ok(chunk) => chunk.map_err(|error| broken(host, error)),
                    Err(_) => Err(NetError::Silence { host: host.clone(), after: *silence }),
                }
            }
            Source::Played { pieces, cut, .. } => match (pieces.pop_front(), cut.take()) {
                (None, Some(cut)) => Err(cut.error()),
                (piece, kept) => {
                    *cut = kept;
                    Ok(piece.map(|piece| piece.bytes()))
                }
            },
        };
        if let Some(kept) = &mut self.kept {
            match &chunk {
                Ok(bytes) => kept.exchange.pieces.extend(bytes.as_deref().map(Piece::of)),
                Err(error) => kept.exchange.cut = Cut::of(error),
            }
        }
        chunk
    }

    /// Returns up to `max` bytes of the body as text; a read error or timeout just ends it, because this is
    /// for explaining an error that has already happened.
    pub async fn text(mut self, max: usize) -> String {
        let mut body = Vec::new();
        let until = tokio::time::Instant::now() + TEXT_PATIENCE;
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
