//! Adapter of Azure's Responses API: URL, headers, and stream reader.

use std::sync::Arc;

use serde_json::Value;

use super::deployment;
use crate::llm::access::KeyKind;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{ErrorKind, LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::request::headers;
use crate::llm::responses::stream::Reader;
use crate::llm::responses::{Options, body, input};
use crate::llm::stream::answer::{Exchange, Framing};
use crate::net::http::Post;

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    input::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let Some(url) = deployment::url(&access.base_url, &setup.variables) else {
        let what = "Azure has no address of its own: set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME";
        return Err(LlmError::new(ErrorKind::Configuration, setup.provider.as_str(), what));
    };
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    match (&access.key, access.kind) {
        (Some(key), KeyKind::Key) => headers::add(&mut headers, "api-key", Some(&key.0)),
        (Some(key), _) => headers::bearer(&mut headers, key),
        (None, _) => {}
    }
    headers::of_request(&mut headers, &access, &request);
    let model = deployment::deployment(&request.model.id, &setup.variables);
    let manner = Options { model, strict: true, no_lifetimes: true, ..Options::default() };
    let body = Value::Object(body::build(&request, &manner)).to_string().into_bytes();
    let post = Post { url, headers, body, ..Post::default() };
    let tier = request.option("service_tier").map(str::to_string);
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms(), tier);
    Ok(Exchange { request_info, post, reader, classify_error: error_codes::kind, framing: Framing::Sse })
}
