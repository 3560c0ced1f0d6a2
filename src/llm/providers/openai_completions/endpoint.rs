//! Adapter of Chat Completions: URL, headers, and stream reader.

use std::sync::Arc;

use super::compat::Compat;
use super::stream::Reader;
use super::{request, transcript};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::request::affinity;
use crate::llm::request::endpoint;
use crate::llm::request::headers;
use crate::llm::stream::answer::{Exchange, Framing};
use crate::net::http::Post;

/// Path below the root of the API.
const PATH: &str = "/chat/completions";

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    transcript::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    if let Some(key) = &access.key {
        headers::bearer(&mut headers, key);
    }
    if Compat::of(&request.model).uses_session_affinity() {
        let more = ["x-client-request-id", "x-session-affinity"];
        headers.extend(affinity::headers(&request, &access.base_url, "session_id", &more));
    }
    headers::of_request(&mut headers, &access, &request);
    let body = request::body(&request).to_string().into_bytes();
    let post = Post { url: endpoint::url(&access.base_url, PATH), headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms());
    Ok(Exchange { request_info, post, reader, classify_error: error_codes::kind, framing: Framing::Sse })
}
