//! The adapter: where a request goes, with which headers, and who reads its answer.

use std::sync::Arc;

use super::compat::Compat;
use super::stream::Reader;
use super::{request, transcript};
use crate::llm::answer::{Exchange, Framing};
use crate::llm::failure::Asked;
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::{affinity, error_codes, headers};
use crate::net::http::Post;

/// The row's constructor.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    adapter(setup, exchange)
}

async fn exchange(setup: Setup, request: Request) -> Result<Exchange<Reader>, LlmError> {
    transcript::TAKES.check(&request)?;
    let access = setup.access(&request).await?;
    let asked = Asked::new(&setup.provider, &access);
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    if let Some(key) = &access.key {
        headers::bearer(&mut headers, key);
    }
    if Compat::of(&request.model).affinity() {
        let more = ["x-client-request-id", "x-session-affinity"];
        headers.extend(affinity::headers(&request, &access.base_url, "session_id", &more));
    }
    headers::of_request(&mut headers, &access, &request);
    let body = request::body(&request).to_string().into_bytes();
    let post = Post { url: url(&access.base_url), headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, asked.clone(), setup.clock.now_ms());
    Ok(Exchange { asked, post, reader, read_kind: error_codes::kind, framing: Framing::Sse })
}

/// Base URLs hold the version by convention (`/v1`, `/api/paas/v4`, `/v1beta/openai`); a bare
/// host means `/v1`.
fn url(base: &str) -> String {
    const PATH: &str = "/chat/completions";
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix(PATH).unwrap_or(base);
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let version = if host.contains('/') { "" } else { "/v1" };
    format!("{base}{version}{PATH}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_in_all_their_forms() {
        for (base, expected) in [
            ("https://api.example.com", "https://api.example.com/v1/chat/completions"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1/v1/chat/completions"),
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/chat/completions"),
            ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            ("https://h/api/v4/chat/completions", "https://h/api/v4/chat/completions"),
        ] {
            assert_eq!(url(base), expected);
        }
    }
}
