//! `WebSockets`: an HTTP connection upgraded for messages in both directions.
//!
//! Must not know any provider. Proxies, certificates and timeouts are those of all requests; nothing is read
//! unless requested, except while a socket is parked.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::{SinkExt, StreamExt};
use reqwest::header::HeaderValue;
use ring::digest;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig};

use super::error::{NetError, connection_error};
use crate::base::error::chain;

/// Maximum bytes of a message.
const MESSAGE_MAX: usize = 64 << 20;
/// Bytes per read.
const READ_BYTES: usize = 16 << 10;
/// The GUID that is appended to every handshake's key (RFC 6455, 1.3).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Timeout of the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// An open `WebSocket`. Dropping it closes the connection immediately.
#[derive(Debug)]
pub struct Socket {
    inner: WebSocketStream<reqwest::Upgraded>,
    host: String,
}

/// The headers of an upgrade request, and how its response is verified.
pub(super) struct Handshake {
    accept: String,
    pub(super) headers: Vec<(String, String)>,
}

impl Handshake {
    pub(super) fn new() -> Self {
        let key = STANDARD.encode(uuid::Uuid::new_v4().as_bytes());
        let headers = [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", &key),
        ];
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
        Self { accept: accept(&key), headers }
    }

    /// Turns the response into a socket.
    pub(super) async fn finish(self, answer: reqwest::Response, host: String) -> Result<Socket, NetError> {
        let status = answer.status().as_u16();
        let accepted = answer.headers().get("sec-websocket-accept").map(HeaderValue::as_bytes);
        if status != 101 || accepted != Some(self.accept.as_bytes()) {
            return Err(NetError::SocketRefused { host, status });
        }
        let upgraded = answer.upgrade().await.map_err(|error| connection_error(&host, error))?;
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(MESSAGE_MAX))
            .max_frame_size(Some(MESSAGE_MAX));
        let inner = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
        Ok(Socket { inner, host })
    }
}

/// Returns the expected answer to a key.
pub fn accept(key: &str) -> String {
    let joined = format!("{key}{GUID}");
    STANDARD.encode(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, joined.as_bytes()))
}

impl Socket {
    /// Sends a message; the server must accept it within `patience`.
    pub async fn send(&mut self, text: String, patience: Duration) -> Result<(), NetError> {
        match tokio::time::timeout(patience, self.inner.send(Message::text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(self.failed(error)),
            Err(_) => Err(NetError::IdleTimeout { host: self.host.clone(), after: patience }),
        }
    }

    /// Returns the next message as text; binary data is decoded as lossy UTF-8. Pings are answered and reset
    /// the timeout. A close by the server is an error with its reason.
    pub async fn next(&mut self, silence: Duration) -> Result<String, NetError> {
        loop {
            let Ok(frame) = tokio::time::timeout(silence, self.inner.next()).await else {
                return Err(NetError::IdleTimeout { host: self.host.clone(), after: silence });
            };
            match frame {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_string()),
                Some(Ok(Message::Binary(bytes))) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Some(Ok(Message::Close(frame))) => return Err(self.closed(frame)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.failed(error)),
                None => return Err(self.closed(None)),
            }
        }
    }

    /// Keeps it open while it is idle: pings are answered, and after `limit` it is closed.
    pub fn park(mut self, limit: Duration) -> Parked {
        let (wake, woken) = oneshot::channel();
        let task = tokio::spawn(async move {
            tokio::select! {
                // Dropping the parked handle closes it.
                woken = woken => woken.ok().map(|()| self),
                () = tokio::time::sleep(limit) => {
                    self.close().await;
                    None
                }
                () = self.wait_closed() => None,
            }
        });
        Parked { wake, task }
    }

    /// Returns when the server closes, or sends an unexpected message.
    async fn wait_closed(&mut self) {
        while let Some(Ok(Message::Ping(_) | Message::Pong(_))) = self.inner.next().await {}
    }

    /// Sends a close message.
    pub async fn close(mut self: Socket) {
        if let Ok(Err(error)) = tokio::time::timeout(CLOSE_TIMEOUT, self.inner.close(None)).await {
            tracing::debug!("{}: the socket was not closed in order: {}", self.host, chain(&error));
        }
    }

    fn closed(&self, frame: Option<CloseFrame>) -> NetError {
        let detail = frame.map_or_else(String::new, |frame| {
            let code = u16::from(frame.code);
            let reason = match (frame.reason.as_str(), code) {
                ("", 1009) => "message too big",
                (reason, _) => reason,
            };
            format!(" ({})", format!("{code} {reason}").trim_end())
        });
        let cause = format!("the server closed the connection{detail}");
        NetError::Connection { host: self.host.clone(), cause }
    }

    fn failed(&self, error: Error) -> NetError {
        let cause = match error {
            Error::ConnectionClosed | Error::AlreadyClosed => return self.closed(None),
            Error::Io(error) => chain(&error),
            error => chain(&error),
        };
        NetError::Connection { host: self.host.clone(), cause }
    }
}

/// An idle socket for reuse. Dropping it closes the connection.
#[derive(Debug)]
pub struct Parked {
    wake: oneshot::Sender<()>,
    task: JoinHandle<Option<Socket>>,
}

impl Parked {
    /// Returns the socket, if it is still open.
    pub async fn take(self) -> Option<Socket> {
        // If the task has ended, its result says so.
        self.wake.send(()).ok()?;
        self.task.await.ok().flatten()
    }

    /// Whether it was closed meanwhile.
    pub fn is_closed(&self) -> bool {
        self.task.is_finished()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn websocket_accept_key_matches_rfc_example() {
        assert_eq!(accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let (one, other) = (Handshake::new(), Handshake::new());
        assert_ne!(one.accept, other.accept);
    }
}
