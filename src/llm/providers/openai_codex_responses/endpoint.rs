//! Adapter of the Responses API with a `ChatGPT` login: URL, headers, and stream reader.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::json::json;

use super::continuation::Continuation;
use super::websocket::WebSocketChannel;
use crate::llm::access::{Access, ApiKey, KeyKind};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{ErrorKind, LlmError, Request, ToolChoice};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::llm::request::affinity;
use crate::llm::request::headers;
use crate::llm::responses::stream::Reader;
use crate::llm::responses::{Options, body, input};
use crate::llm::stream::answer;
use crate::llm::stream::answer::Exchange;
use crate::llm::stream::answer::Framing;
use crate::llm::stream::answer::Prepared;
use crate::llm::stream::channel::Channel;
use crate::llm::stream::socket_pool::SocketPool;
use crate::net::http::{Post, Transport};

/// Default base URL.
const BASE_URL: &str = "https://chatgpt.com/backend-api";
/// Instructions of a request without a system prompt: the server rejects one without instructions.
const INSTRUCTIONS: &str = "Answer the person.";
/// Headers with the session id, for HTTP and sockets.
const SESSION: [&str; 2] = ["session-id", "x-client-request-id"];

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Codex { setup, sockets: Arc::default() })
}

struct Codex {
    setup: Setup,
    sockets: Arc<SocketPool<Continuation>>,
}

impl Provider for Codex {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let (means, model) = (self.setup.stream_context(request.raw_events), request.model.clone());
        answer::stream_over(means, model, prepare(self.setup.clone(), self.sockets.clone(), request))
    }
}

async fn prepare(
    setup: Setup,
    sockets: Arc<SocketPool<Continuation>>,
    request: Request,
) -> Result<Prepared<Reader>, LlmError> {
    input::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let (token, account) = login(&access)
        .map_err(|what| LlmError::new(ErrorKind::Authentication, setup.provider.as_str(), what))?;
    let body = body(&request);
    // Serializing a map of values cannot fail.
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut usual = headers::common(&[("originator", "bowline")]);
    headers::bearer(&mut usual, token);
    headers::add(&mut usual, "chatgpt-account-id", Some(account));
    let mut more = Vec::new();
    headers::of_request(&mut more, &access, &request);
    let mut sent =
        headers::common(&[("accept", "text/event-stream"), ("openai-beta", "responses=experimental")]);
    for name in SESSION {
        headers::add(&mut sent, name, affinity::cache_key(&request));
    }
    let url = url(&access.base_url);
    let post = Post {
        url: url.clone(),
        headers: [usual.clone(), sent, more.clone()].concat(),
        body: bytes,
        ..Post::default()
    };
    let tier = request.option("service_tier").map(str::to_string);
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms(), tier);
    let line =
        SocketRequest { url, auth_headers: usual, extra_headers: more, account: account.to_string(), body };
    let channel = line.channel(&setup, sockets, request);
    Ok((
        Exchange { request_info, post, reader, classify_error: error_codes::kind, framing: Framing::Sse },
        channel,
    ))
}

/// Data that a request over a socket shares with one over HTTP.
struct SocketRequest {
    url: String,
    auth_headers: Vec<(String, String)>,
    extra_headers: Vec<(String, String)>,
    account: String,
    body: Map<String, Value>,
}

impl SocketRequest {
    /// Returns the socket channel, unless the user has disabled it.
    fn channel(
        self,
        setup: &Setup,
        sockets: Arc<SocketPool<Continuation>>,
        request: Request,
    ) -> Option<Box<dyn Channel>> {
        let transport = setup.http.transport();
        if transport == Transport::Sse {
            return None;
        }
        let Self { url, auth_headers: usual, extra_headers: mut more, account, body } = self;
        // Headers that describe a body do not apply to a socket.
        more.retain(|(name, _)| !["accept", "content-type", "openai-beta"].contains(&&*name.to_lowercase()));
        let mut own = headers::common(&[("openai-beta", "responses_websockets=2026-02-06")]);
        let id = affinity::cache_key(&request).map_or_else(random_request_id, str::to_string);
        for name in SESSION {
            headers::add(&mut own, name, Some(&id));
        }
        Some(Box::new(WebSocketChannel {
            url,
            headers: [usual, more, own].concat(),
            body,
            build: self::body,
            session: affinity::session_id(&request).map(str::to_string),
            request,
            account,
            cached: transport == Transport::WebSocketCached,
            idle_timeout: setup.idle_timeout.unwrap_or(setup.http.idle_timeout()),
            http: setup.http.clone(),
            clock: setup.clock.clone(),
            sockets,
            open: None,
        }))
    }
}

/// Returns a generated name for a request without a session.
fn random_request_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Returns token and account; fails for an API key.
fn login(access: &Access) -> Result<(&ApiKey, &str), String> {
    let login_hint = "log in with ChatGPT: bowline login openai-codex";
    let key = access.key.as_ref().ok_or_else(|| format!("not logged in ({login_hint})"))?;
    let account = access.account.get("accountId").map(String::as_str).filter(|id| !id.is_empty());
    match (account, access.kind) {
        (Some(account), _) => Ok((key, account)),
        (None, KeyKind::Login) => {
            Err(format!("the login does not say which account it is for ({login_hint})"))
        }
        (None, _) => Err(format!("an API key does not serve here, only a login does ({login_hint})")),
    }
}

fn body(request: &Request) -> Map<String, Value> {
    let manner = Options {
        instructions: true,
        strict: true,
        no_limits: true,
        no_lifetimes: true,
        ..Options::default()
    };
    let mut body = body::build(request, &manner);
    // The conversation stays at the end of the body.
    let input = body.shift_remove("input").unwrap_or_default();
    body.entry("instructions").or_insert_with(|| INSTRUCTIONS.into());
    body.entry("include").or_insert_with(|| json!(["reasoning.encrypted_content"]));
    if request.tool_choice == ToolChoice::Auto || request.tools.is_empty() {
        body.entry("tool_choice").or_insert_with(|| "auto".into());
    }
    body.entry("parallel_tool_calls").or_insert_with(|| true.into());
    body.insert("input".into(), input);
    body
}

fn url(base: &str) -> String {
    let base = if base.trim().is_empty() { BASE_URL } else { base.trim() }.trim_end_matches('/');
    let base = base.strip_suffix("/responses").unwrap_or(base);
    let base = base.strip_suffix("/codex").unwrap_or(base);
    format!("{base}/codex/responses")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Message, Model, Thinking, UserMessage};

    #[test]
    fn codex_url_from_any_base_url() {
        for base in ["", "https://chatgpt.com/backend-api/", "https://chatgpt.com/backend-api/codex"] {
            assert_eq!(url(base), "https://chatgpt.com/backend-api/codex/responses");
        }
        assert_eq!(url("http://127.0.0.1:1/codex/responses"), "http://127.0.0.1:1/codex/responses");
    }

    #[test]
    fn codex_body_of_first_request() {
        let mut request = Request {
            model: Model {
                reasoning: true,
                ..Model::unknown("openai-codex", "gpt-x", "openai-codex-responses", "")
            },
            messages: vec![Message::User(UserMessage::text("hi", 0))],
            thinking: Thinking::Low,
            max_tokens: Some(100),
            session_id: Some("s".into()),
            ..Request::default()
        };
        let expected = json!({
            "model": "gpt-x", "stream": true, "store": false,
            "reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"],
            "prompt_cache_key": "s", "instructions": "Answer the person.", "tool_choice": "auto",
            "parallel_tool_calls": true,
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        });
        let sent = body(&request);
        assert_eq!(sent.keys().next_back().unwrap(), "input");
        assert_eq!(Value::Object(sent), expected);
        request.system = vec!["be brief".into()];
        request.model.reasoning = false;
        request.model.compat.insert("supportsDeveloperRole".into(), true.into());
        let sent = body(&request);
        assert_eq!((&sent["instructions"], sent["include"].is_array()), (&json!("be brief"), true));
    }

    #[test]
    fn codex_login_errors_name_the_cause() {
        let mut access = Access::default();
        let said = |access: &Access| login(access).unwrap_err();
        assert_eq!(said(&access), "not logged in (log in with ChatGPT: bowline login openai-codex)");
        access.key = Some(ApiKey("t".into()));
        assert!(said(&access).starts_with("an API key does not serve here"));
        access.kind = KeyKind::Login;
        assert!(said(&access).starts_with("the login does not say which account"));
        access.account.insert("accountId".into(), "acc".into());
        assert_eq!(login(&access), Ok((&ApiKey("t".into()), "acc")));
    }
}
