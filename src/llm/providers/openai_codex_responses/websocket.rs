//! A request over a `WebSocket`: sends the message, reads the events, and keeps the connection for the next
//! request. If no socket is available, HTTP is used, from then on for the whole session.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::continuation::Continuation;
use crate::base::clock::SharedClock;
use crate::llm::errors::error_classification::{ErrorAnswer, RAW_BYTES_MAX};
use crate::llm::model::{AssistantMessage, Message, Request};
use crate::llm::stream::channel::{Channel, ChannelError, Received};
use crate::llm::stream::socket_pool::{PooledSocket, SocketPool};
use crate::net::error::NetError;
use crate::net::http::Http;
use crate::net::sse::Event;

/// The server has no room on this connection; a new one may work.
const CONNECTION_LIMIT: &str = "websocket_connection_limit_reached";
/// The server no longer has the previous response.
const RESPONSE_NOT_FOUND: &str = "previous_response_not_found";
/// Timeout for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_mins(2);

/// The state of one request.
pub struct WebSocketChannel {
    /// The URL.
    pub url: String,
    /// Headers for a new connection.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Map<String, Value>,
    /// The request that it was built from.
    pub request: Request,
    /// Builds a body, to predict how the next one starts.
    pub build: fn(&Request) -> Map<String, Value>,
    /// Requests with the same session share a connection; `None` if nothing may be kept.
    pub session: Option<String>,
    /// The account of the connection.
    pub account: String,
    /// Whether only new items are sent.
    pub cached: bool,
    /// Maximum gap between two events.
    pub idle_timeout: Duration,
    /// The shared client.
    pub http: Arc<Http>,
    /// For the age of connections.
    pub clock: SharedClock,
    /// Idle connections of earlier requests.
    pub sockets: Arc<SocketPool<Continuation>>,
    /// The connection in use.
    pub open: Option<PooledSocket<Continuation>>,
}

/// The fields that mark an event as a refusal.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(alias = "status_code")]
    status: Option<u16>,
    #[serde(borrow)]
    headers: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow)]
    error: Option<&'a serde_json::value::RawValue>,
}

impl Channel for WebSocketChannel {
    fn open(&mut self) -> BoxFuture<'_, Option<Received>> {
        self.open_first().boxed()
    }

    fn next(&mut self) -> BoxFuture<'_, Received> {
        async { self.receive().await.and_then(parse_message) }.boxed()
    }

    fn release(mut self: Box<Self>, message: &AssistantMessage) {
        let (Some(open), Some(key)) = (self.open.take(), self.key()) else { return };
        let response = message.response_id.as_deref().filter(|id| !id.is_empty() && self.cached);
        let memory = response.and_then(|response| {
            self.request.messages.push(Message::Assistant(message.clone()));
            let after = (self.build)(&self.request).remove("input");
            Continuation::new(&self.body, after.as_ref()?.as_array()?, response)
        });
        self.sockets.put_back(&key, PooledSocket { memory, ..open }, self.clock.now_ms());
    }
}

impl WebSocketChannel {
    /// Sends the request until there is an answer. Each reason for a retry applies once.
    async fn open_first(&mut self) -> Option<Received> {
        if self.session.as_deref().is_some_and(|session| self.sockets.is_disabled(session)) {
            return None;
        }
        let mut kept = match self.key() {
            Some(key) => self.sockets.take(&key, self.clock.now_ms()).await,
            None => None,
        };
        let (mut full, mut forgotten) = (false, false);
        loop {
            let reused = kept.is_some();
            let text = match self.ask(kept.take()).await {
                Ok(text) => text,
                // The idle connection was probably closed: another one may work.
                Err(ChannelError::Net(_)) if reused => continue,
                Err(ChannelError::Net(error)) => {
                    return self.fall_back_to_http(&error.to_string(), is_lasting(&error));
                }
                Err(refusal) => return Some(Err(refusal)),
            };
            match code(&text).as_deref() {
                Some(CONNECTION_LIMIT) if full => return self.fall_back_to_http(CONNECTION_LIMIT, true),
                Some(CONNECTION_LIMIT) => full = true,
                Some(RESPONSE_NOT_FOUND) if !forgotten => forgotten = true,
                _ => return Some(parse_message(text)),
            }
        }
    }

    /// Sends the message and waits for the first event.
    async fn ask(&mut self, kept: Option<PooledSocket<Continuation>>) -> Result<String, ChannelError> {
        // Closes the connection of the previous attempt.
        self.open = None;
        let mut open = if let Some(open) = kept {
            open
        } else {
            let socket = self.http.socket(&self.url, &self.headers).await.map_err(ChannelError::Net)?;
            PooledSocket { socket, opened_ms: self.clock.now_ms(), memory: None }
        };
        let short = open.memory.take().filter(|_| self.cached).and_then(|known| known.delta_body(&self.body));
        let message = message(short.as_ref().unwrap_or(&self.body));
        let sent = open.socket.send(message, SEND_TIMEOUT).await;
        self.open = Some(open);
        sent.map_err(ChannelError::Net)?;
        self.receive().await
    }

    async fn receive(&mut self) -> Result<String, ChannelError> {
        let Some(open) = &mut self.open else {
            let cause = "the connection was given up".to_string();
            return Err(ChannelError::Net(NetError::Connection { host: self.url.clone(), cause }));
        };
        open.socket.next(self.idle_timeout).await.map_err(ChannelError::Net)
    }

    /// Falls back to HTTP; permanently for the session, if the cause is lasting.
    fn fall_back_to_http(&mut self, reason: &str, lasting: bool) -> Option<Received> {
        self.open = None;
        tracing::warn!("asking without a WebSocket: {reason}");
        if let Some(session) = self.session.as_deref().filter(|_| lasting) {
            self.sockets.disable(session);
        }
        None
    }

    /// Returns the key under which requests share a connection: session and account.
    fn key(&self) -> Option<String> {
        self.session.as_ref().map(|session| format!("{session}\n{}", self.account))
    }
}

/// Whether the error shows that sockets will not work later either.
fn is_lasting(error: &NetError) -> bool {
    match error {
        NetError::SocketRefused { status, .. } => !matches!(status, 401 | 402 | 403 | 429),
        NetError::Connection { .. } | NetError::IdleTimeout { .. } => true,
        _ => false,
    }
}

fn message(body: &Map<String, Value>) -> String {
    let mut message = Map::from_iter([("type".to_string(), Value::from("response.create"))]);
    message.extend(body.iter().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(message).to_string()
}

/// Returns the code of an error message.
fn code(text: &str) -> Option<String> {
    let head: Head<'_> = serde_json::from_str(text).ok()?;
    if head.kind != "error" && head.kind != "response.failed" {
        return None;
    }
    let event: Value = serde_json::from_str(text).ok()?;
    let error = [&event["error"], &event["response"]["error"], &event];
    error.into_iter().find_map(|error| error["code"].as_str()).map(str::to_string)
}

/// Parses a message as an event or a refusal.
fn parse_message(text: String) -> Received {
    // A message in another form is reported by the event's reader.
    let Ok(head) = serde_json::from_str::<Head<'_>>(&text) else {
        return Ok(Event { name: String::new(), data: text });
    };
    match (head.kind.as_ref(), head.status) {
        ("error", Some(status @ 400..)) => {
            let headers: Value =
                head.headers.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
            let after = match &headers["retry-after"] {
                Value::String(after) => Some(after.clone()),
                Value::Number(after) => Some(after.to_string()),
                _ => None,
            };
            let error = head.error.map_or_else(|| text.clone(), |error| format!("{{\"error\":{error}}}"));
            let body = error.chars().take(RAW_BYTES_MAX).collect();
            Err(ChannelError::Refused(ErrorAnswer { status, retry_after: after, body }))
        }
        (kind, _) => {
            let name = kind.to_string();
            Ok(Event { name, data: text })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn codex_socket_messages_become_events_by_type() {
        let event = |text: &str| parse_message(text.to_string()).unwrap();
        let created = event(r#"{"sequence_number":1,"type":"response.created"}"#);
        assert_eq!((created.name.as_str(), created.data.len()), ("response.created", 47));
        for odd in ["{nonsense", "", "[]", "3", r#"{"type":7}"#, r#"{"type":"error","status":"x"}"#] {
            assert_eq!(event(odd).data, odd);
        }
        assert_eq!(event(r#"{"type":"error","error":{"code":"c"}}"#).name, "error");
    }

    #[test]
    fn codex_socket_error_with_status_is_refusal() {
        let text = json!({"type": "error", "status": 429, "error": {"message": "slow", "code": "c"},
            "headers": {"retry-after": "7"}});
        let Err(ChannelError::Refused(refusal)) = parse_message(text.to_string()) else {
            panic!("it is a refusal")
        };
        assert_eq!((refusal.status, refusal.retry_after.as_deref()), (429, Some("7")));
        assert_eq!(
            refusal.body,
            r#"{"error":{"code":"c","message":"slow"}}"#
                .replace(r#"{"code":"c","message":"slow"}"#, &text["error"].to_string())
        );
        assert!(parse_message(r#"{"type":"error","status_code":500}"#.into()).is_err());
        assert!(parse_message(r#"{"type":"error","status":200}"#.into()).is_ok());
    }

    #[test]
    fn codex_socket_error_code_is_found() {
        for text in [
            r#"{"type":"error","error":{"code":"c"}}"#,
            r#"{"type":"error","code":"c"}"#,
            r#"{"type":"response.failed","response":{"error":{"code":"c"}}}"#,
        ] {
            assert_eq!(code(text).as_deref(), Some("c"), "{text}");
        }
        for text in [r#"{"type":"response.created","code":"c"}"#, r#"{"type":"error"}"#, "x", ""] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[test]
    fn codex_socket_transient_failures_are_not_lasting() {
        let refused = |status| NetError::SocketRefused { host: "h".into(), status };
        assert!(is_lasting(&refused(404)) && is_lasting(&refused(200)) && !is_lasting(&refused(401)));
        assert!(!is_lasting(&NetError::Offline("h".into())));
        assert!(is_lasting(&NetError::IdleTimeout { host: "h".into(), after: Duration::ZERO }));
    }
}
