//! Adapter of the Messages API: URL, headers, and stream reader.

use std::sync::Arc;

use super::stream::Reader;
use super::{compat, errors, request, transcript};
use crate::llm::access::KeyKind;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::request::endpoint;
use crate::llm::request::headers;
use crate::llm::stream::answer::{Exchange, Framing};
use crate::net::http::Post;

/// Path below the root of the API.
const PATH: &str = "/messages";

/// The version of the API that this adapter speaks.
const VERSION: &str = "2023-06-01";

/// Prefix of OAuth tokens.
const LOGIN_TOKEN: &str = "sk-ant-oat";

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    transcript::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let mut headers = headers::common(&[("anthropic-version", VERSION), ("accept", "text/event-stream")]);
    // OAuth tokens given as keys are recognized by their prefix.
    let login = access.kind == KeyKind::Login
        || access.key.as_ref().is_some_and(|key| key.0.starts_with(LOGIN_TOKEN));
    headers::add(&mut headers, "anthropic-beta", request::beta(&request, login).as_deref());
    if let Some((name, session)) = compat::session_header(&request) {
        headers::add(&mut headers, name, Some(session));
    }
    match (&access.key, access.kind) {
        (Some(key), KeyKind::Key) if !login => headers::add(&mut headers, "x-api-key", Some(&key.0)),
        (Some(key), _) => headers::bearer(&mut headers, key),
        (None, _) => {}
    }
    headers::of_request(&mut headers, &access, &request);
    let body = request::body(&request).to_string().into_bytes();
    let post =
        Post { url: endpoint::first_version(&access.base_url, PATH), headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms());
    Ok(Exchange { request_info, post, reader, classify_error: errors::kind, framing: Framing::Sse })
}
