//! The adapter: where a request goes, with which headers, and who reads its answer.

use std::sync::Arc;

use super::stream::Reader;
use super::{errors, request};
use crate::llm::answer::{self, Call};
use crate::llm::failure::Asked;
use crate::llm::model::Request;
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::net::http::Post;

/// The version of the API that this adapter speaks.
const VERSION: &str = "2023-06-01";

/// The row's constructor.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Anthropic { setup })
}

struct Anthropic {
    setup: Setup,
}

impl Provider for Anthropic {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let Setup { provider, access, http, clock } = &self.setup;
        let asked = Asked::new(provider, access);
        let mut headers =
            vec![("anthropic-version", VERSION.to_string()), ("accept", "text/event-stream".into())];
        headers.extend(request::beta(&request.model).map(|beta| ("anthropic-beta", beta.to_string())));
        headers.extend(access.key.as_ref().map(|key| ("x-api-key", key.0.clone())));
        let body = request::body(&request).to_string().into_bytes();
        let post = Post { url: url(&access.base_url), headers, body };
        let reader = Reader::new(&request.model, asked.clone(), clock.now_ms());
        let (http, clock) = (http.clone(), clock.clone());
        answer::stream(Call { http, clock, asked, read_kind: errors::kind, post }, reader)
    }
}

/// Base URLs are given with and without the version in their path.
fn url(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    format!("{root}/v1/messages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_with_and_without_a_version() {
        for base in ["http://h/p", "http://h/p/", "http://h/p/v1", "http://h/p/v1/"] {
            assert_eq!(url(base), "http://h/p/v1/messages");
        }
    }
}
