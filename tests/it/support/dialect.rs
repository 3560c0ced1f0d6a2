//! One adapter by itself, set up as the client would.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::server::Reply;
use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, ApiKey, FixedAccess, Variables};
use bowline::llm::model::{
    AssistantMessage, LlmError, Message, Model, Request, StreamEvent, Thinking, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;

/// What the clock of every adapter here says: 2023-11-14T22:13:20Z.
pub const NOW_MS: u64 = 1_700_000_000_000;

/// How a provider is reached.
pub fn access(url: &str, key: Option<&str>) -> Access {
    let key_name = Some("THE_KEY".to_string());
    let key = key.map(|key| ApiKey(key.to_string()));
    Access { base_url: url.to_string(), key, key_name, ..Access::default() }
}

/// An adapter of a dialect; nothing but this machine can be reached.
pub fn adapter(api: &str, access: Access, vars: &[(&str, &str)], home: Option<&Path>) -> Arc<dyn Provider> {
    let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let limits = Limits { idle_timeout: Duration::from_millis(300), ..Limits::default() };
    let clock: SharedClock = ManualClock::new(NOW_MS);
    let setup = Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables { vars: Arc::new(vars), home: home.map(Into::into) },
        idle_timeout: None,
        http: Arc::new(Http::new(limits, true)),
        clock,
    };
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == api).unwrap();
    (dialect.build)(setup)
}

/// A first request with one tool.
pub fn request(api: &str, model: &str) -> Request {
    Request {
        model: Model { reasoning: true, ..Model::unknown("acme", model, api, "") },
        system: vec!["be brief".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "reads".into(),
            parameters: serde_json::json!({"type": "object"}),
            ..ToolSpec::default()
        }],
        thinking: Thinking::Low,
        ..Request::default()
    }
}

/// All events of an answer.
pub async fn collect_events(adapter: &Arc<dyn Provider>, request: Request) -> Vec<StreamEvent> {
    adapter.stream(request).collect().await
}

/// An answer in JSON.
pub fn json_reply(value: &serde_json::Value) -> Reply {
    Reply::Status { code: 200, headers: vec![], body: value.to_string() }
}

/// The whole answer.
pub fn expect_done(events: &[StreamEvent]) -> AssistantMessage {
    match events.last().unwrap() {
        StreamEvent::Done { message } => (**message).clone(),
        other => panic!("{other:?}"),
    }
}

/// The failure, and what had come.
pub fn expect_error(events: &[StreamEvent]) -> (LlmError, AssistantMessage) {
    match events.last().unwrap() {
        StreamEvent::Error { error, message } => (error.clone(), (**message).clone()),
        other => panic!("{other:?}"),
    }
}
