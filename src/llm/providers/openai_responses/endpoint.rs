//! Adapter of the Responses API: URL, headers, and stream reader.

use std::sync::Arc;

use serde_json::Value;

use crate::llm::access::{Access, KeyKind};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::request::affinity;
use crate::llm::request::endpoint;
use crate::llm::request::headers;
use crate::llm::responses::stream::Reader;
use crate::llm::responses::{Options, body, input};
use crate::llm::stream::answer::{Exchange, Framing};
use crate::net::http::Post;

/// Path below the root of the API.
const PATH: &str = "/responses";

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    input::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    if let Some(key) = &access.key {
        headers::bearer(&mut headers, key);
    }
    headers.extend(affinity::headers(&request, &access.base_url, "session-id", &["x-client-request-id"]));
    headers::of_request(&mut headers, &access, &request);
    let body = Value::Object(body::build(&request, &options_for(&access))).to_string().into_bytes();
    let post = Post { url: endpoint::url(&access.base_url, PATH), headers, body, ..Post::default() };
    let tier = request.option("service_tier").map(str::to_string);
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms(), tier);
    Ok(Exchange { request_info, post, reader, classify_error: error_codes::kind, framing: Framing::Sse })
}

/// Returns the options: with a login instead of a key, limits and cache durations are rejected.
fn options_for(access: &Access) -> Options {
    let login = access.kind == KeyKind::Login;
    Options { no_limits: login, no_lifetimes: login, ..Options::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_options_for_login_drop_limits() {
        let login = Access { kind: KeyKind::Login, ..Access::default() };
        assert_eq!(
            options_for(&login),
            Options { no_limits: true, no_lifetimes: true, ..Options::default() }
        );
        assert_eq!(options_for(&Access::default()), Options::default());
    }
}
