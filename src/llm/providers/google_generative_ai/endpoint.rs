//! Adapter of Google's Generative Language API: URL, headers, and stream reader.

use std::sync::Arc;

use crate::llm::access::KeyKind;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::gemini::stream::Reader;
use crate::llm::gemini::{body, contents, errors};
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::request::headers;
use crate::llm::stream::answer::{Exchange, Framing};
use crate::net::http::Post;

/// Default API version for base URLs without one.
const VERSION: &str = "v1beta";

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    contents::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let request_info = RequestInfo::new(&setup.provider, &access);
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    match (&access.key, access.kind) {
        (Some(key), KeyKind::Key) => headers::add(&mut headers, "x-goog-api-key", Some(&key.0)),
        (Some(key), _) => headers::bearer(&mut headers, key),
        (None, _) => {}
    }
    headers::of_request(&mut headers, &access, &request);
    let body = body::body(&request).to_string().into_bytes();
    let post = Post { url: url(&access.base_url, &request.model.id), headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms());
    Ok(Exchange { request_info, post, reader, classify_error: errors::kind, framing: Framing::Sse })
}

/// Returns the request URL. Base URLs are given with or without the version, model ids with or without their
/// collection.
fn url(base: &str, model: &str) -> String {
    let base = base.trim_end_matches('/');
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    let versioned = path.split('/').skip(1).any(is_version);
    let version = if versioned { String::new() } else { format!("/{VERSION}") };
    let model = if model.contains('/') { model.to_string() } else { format!("models/{model}") };
    format!("{base}{version}/{model}:streamGenerateContent?alt=sse")
}

/// Whether the segment is a version: `v1`, `v1beta`, `v1alpha2`.
fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix('v').unwrap_or_default();
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() > rest.len() && (rest.is_empty() || rest.starts_with("beta") || rest.starts_with("alpha"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn google_url_adds_missing_version() {
        for base in ["http://h/p/v1beta", "http://h/p/v1beta/", "http://h/p"] {
            let expected = "http://h/p/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
            assert_eq!(url(base, "gemini-x"), expected);
        }
        assert_eq!(url("http://v1.h", "m"), "http://v1.h/v1beta/models/m:streamGenerateContent?alt=sse");
        assert_eq!(
            url("http://h/v1", "tunedModels/t"),
            "http://h/v1/tunedModels/t:streamGenerateContent?alt=sse"
        );
    }
}
