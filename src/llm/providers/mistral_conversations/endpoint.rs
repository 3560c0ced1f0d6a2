//! The adapter: where a request goes, with which headers, and who reads its answer.

use std::sync::Arc;

use super::stream::Reader;
use super::{errors, request, transcript};
use crate::llm::answer::{Exchange, Framing};
use crate::llm::failure::Asked;
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::Provider;
use crate::llm::providers::setup::{Setup, adapter};
use crate::llm::{affinity, headers};
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
    headers::add(&mut headers, "x-affinity", affinity::session(&request));
    headers::of_request(&mut headers, &access, &request);
    let body = request::body(&request).to_string().into_bytes();
    let post = Post { url: url(&access.base_url), headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, asked.clone(), setup.clock.now_ms());
    Ok(Exchange { asked, post, reader, read_kind: errors::kind, framing: Framing::Sse })
}

/// Base URLs are given with and without the version in their path.
fn url(base: &str) -> String {
    const PATH: &str = "/chat/completions";
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix(PATH).unwrap_or(base);
    let root = base.strip_suffix("/v1").unwrap_or(base);
    format!("{root}/v1{PATH}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_with_and_without_a_version() {
        for base in ["https://h/p", "https://h/p/", "https://h/p/v1", "https://h/p/v1/chat/completions"] {
            assert_eq!(url(base), "https://h/p/v1/chat/completions");
        }
    }
}
