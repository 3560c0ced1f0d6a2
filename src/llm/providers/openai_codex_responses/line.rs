//! One request over a `WebSocket`: the message that asks, the events that answer, and what is kept for
//! the request after it. Where no socket answers, the request is made by HTTP, and the session
//! stays with that.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::continuation::Continuation;
use crate::base::clock::SharedClock;
use crate::llm::errors::error_classification::{RAW_BYTES_MAX, Refusal};
use crate::llm::model::{AssistantMessage, Message, Request};
use crate::llm::stream::channel::{Broken, Channel, Received};
use crate::llm::stream::sockets::{Open, Sockets};
use crate::net::error::NetError;
use crate::net::http::Http;
use crate::net::sse::Event;

/// The server has no more room on a connection of this age or kind: another one has.
const FULL: &str = "websocket_connection_limit_reached";
/// The server no longer knows what the message goes on from.
const FORGOTTEN: &str = "previous_response_not_found";
/// How long the server may take to accept a message.
const PATIENCE: Duration = Duration::from_mins(2);

/// All that one request needs.
pub struct Line {
    /// Where to.
    pub url: String,
    /// With which headers, when a connection has to be made.
    pub headers: Vec<(String, String)>,
    /// What is asked.
    pub body: Map<String, Value>,
    /// What it was made from.
    pub request: Request,
    /// Makes a body, for what the next one begins with.
    pub build: fn(&Request) -> Map<String, Value>,
    /// Whose requests share a connection; `None` where nothing may be kept.
    pub session: Option<String>,
    /// The account that the connection is for.
    pub account: String,
    /// Whether only what is new is said.
    pub cached: bool,
    /// Longest silence between two events.
    pub silence: Duration,
    /// The shared client.
    pub http: Arc<Http>,
    /// For the age of connections.
    pub clock: SharedClock,
    /// Connections of the requests before.
    pub sockets: Arc<Sockets<Continuation>>,
    /// The connection in use.
    pub open: Option<Open<Continuation>>,
}

/// What of an event tells whether it is a refusal.
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

impl Channel for Line {
    fn open(&mut self) -> BoxFuture<'_, Option<Received>> {
        self.first().boxed()
    }

    fn next(&mut self) -> BoxFuture<'_, Received> {
        async { self.hear().await.and_then(heard) }.boxed()
    }

    fn keep(mut self: Box<Self>, message: &AssistantMessage) {
        let (Some(open), Some(key)) = (self.open.take(), self.key()) else { return };
        let response = message.response_id.as_deref().filter(|id| !id.is_empty() && self.cached);
        let memory = response.and_then(|response| {
            self.request.messages.push(Message::Assistant(message.clone()));
            let after = (self.build)(&self.request).remove("input");
            Continuation::new(&self.body, after.as_ref()?.as_array()?, response)
        });
        self.sockets.keep(&key, Open { memory, ..open }, self.clock.now_ms());
    }
}

impl Line {
    /// Asks until something comes of it. Each reason to ask anew holds once.
    async fn first(&mut self) -> Option<Received> {
        if self.session.as_deref().is_some_and(|session| self.sockets.does_without(session)) {
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
                // It was closed while it waited, most likely: another one may do.
                Err(Broken::Net(_)) if reused => continue,
                Err(Broken::Net(error)) => return self.give_up(&error.to_string(), is_lasting(&error)),
                Err(refusal) => return Some(Err(refusal)),
            };
            match code(&text).as_deref() {
                Some(FULL) if full => return self.give_up(FULL, true),
                Some(FULL) => full = true,
                Some(FORGOTTEN) if !forgotten => forgotten = true,
                _ => return Some(heard(text)),
            }
        }
    }

    /// Sends the message and waits for the first event.
    async fn ask(&mut self, kept: Option<Open<Continuation>>) -> Result<String, Broken> {
        // The one of an attempt before hangs up now.
        self.open = None;
        let mut open = if let Some(open) = kept {
            open
        } else {
            let socket = self.http.socket(&self.url, &self.headers).await.map_err(Broken::Net)?;
            Open { socket, born_ms: self.clock.now_ms(), memory: None }
        };
        let short = open.memory.take().filter(|_| self.cached).and_then(|known| known.shorten(&self.body));
        let message = message(short.as_ref().unwrap_or(&self.body));
        let sent = open.socket.send(message, PATIENCE).await;
        self.open = Some(open);
        sent.map_err(Broken::Net)?;
        self.hear().await
    }

    async fn hear(&mut self) -> Result<String, Broken> {
        let Some(open) = &mut self.open else {
            let cause = "the connection was given up".to_string();
            return Err(Broken::Net(NetError::Connection { host: self.url.clone(), cause }));
        };
        open.socket.next(self.silence).await.map_err(Broken::Net)
    }

    /// The request is made by HTTP; so are those after it, if the reason is one that lasts.
    fn give_up(&mut self, why: &str, lasting: bool) -> Option<Received> {
        self.open = None;
        tracing::warn!("asking without a WebSocket: {why}");
        if let Some(session) = self.session.as_deref().filter(|_| lasting) {
            self.sockets.do_without(session);
        }
        None
    }

    /// Requests of one session and account share a connection.
    fn key(&self) -> Option<String> {
        self.session.as_ref().map(|session| format!("{session}\n{}", self.account))
    }
}

/// Whether a request by HTTP says more than that there is no socket, which there may be again.
fn is_lasting(error: &NetError) -> bool {
    match error {
        NetError::NoSocket { status, .. } => !matches!(status, 401 | 402 | 403 | 429),
        NetError::Connection { .. } | NetError::Silence { .. } => true,
        _ => false,
    }
}

fn message(body: &Map<String, Value>) -> String {
    let mut message = Map::from_iter([("type".to_string(), Value::from("response.create"))]);
    message.extend(body.iter().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(message).to_string()
}

/// The code of a message that is an error.
fn code(text: &str) -> Option<String> {
    let head: Head<'_> = serde_json::from_str(text).ok()?;
    if head.kind != "error" && head.kind != "response.failed" {
        return None;
    }
    let event: Value = serde_json::from_str(text).ok()?;
    let error = [&event["error"], &event["response"]["error"], &event];
    error.into_iter().find_map(|error| error["code"].as_str()).map(str::to_string)
}

/// A message as an event, or as the refusal that it is.
fn heard(text: String) -> Received {
    // What is no JSON of that form is told by whoever reads the event.
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
            Err(Broken::Refused(Refusal { status, retry_after: after, body }))
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
        let event = |text: &str| heard(text.to_string()).unwrap();
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
        let Err(Broken::Refused(refusal)) = heard(text.to_string()) else { panic!("it is a refusal") };
        assert_eq!((refusal.status, refusal.retry_after.as_deref()), (429, Some("7")));
        assert_eq!(
            refusal.body,
            r#"{"error":{"code":"c","message":"slow"}}"#
                .replace(r#"{"code":"c","message":"slow"}"#, &text["error"].to_string())
        );
        assert!(heard(r#"{"type":"error","status_code":500}"#.into()).is_err());
        assert!(heard(r#"{"type":"error","status":200}"#.into()).is_ok());
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
        let refused = |status| NetError::NoSocket { host: "h".into(), status };
        assert!(is_lasting(&refused(404)) && is_lasting(&refused(200)) && !is_lasting(&refused(401)));
        assert!(!is_lasting(&NetError::Offline("h".into())));
        assert!(is_lasting(&NetError::Silence { host: "h".into(), after: Duration::ZERO }));
    }
}
