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

/// The row's constructor.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    Arc::new(Completions { setup })
}

struct Completions {
    setup: Setup,
}

impl Provider for Completions {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let Setup { provider, access, http, clock } = &self.setup;
        let asked = Asked::new(provider, access);
        let mut headers = vec![("accept", "text/event-stream".to_string())];
        headers.extend(access.key.as_ref().map(|key| ("authorization", format!("Bearer {}", key.0))));
        let body = request::body(&request).to_string().into_bytes();
        let post = Post { url: url(&access.base_url), headers, body };
        let reader = Reader::new(&request.model, asked.clone(), clock.now_ms());
        let (http, clock) = (http.clone(), clock.clone());
        answer::stream(Call { http, clock, asked, read_kind: errors::kind, post }, reader)
    }
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
