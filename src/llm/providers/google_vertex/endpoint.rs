//! Adapter of Vertex AI: URL, key or token, and stream reader.

use std::sync::Arc;

use super::location::Endpoint;
use crate::llm::access::{Access, KeyKind};
use crate::llm::auth::google::Tokens;
use crate::llm::auth::token_request::TokenError;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::gemini::stream::Reader;
use crate::llm::gemini::{body, contents, errors};
use crate::llm::model::{ErrorKind, LlmError, Request};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::providers::setup::Setup;
use crate::llm::request::headers;
use crate::llm::stream::answer;
use crate::llm::stream::answer::Exchange;
use crate::llm::stream::answer::Framing;
use crate::net::http::Post;

/// Constructor for the dialect's row.
pub fn build(setup: Setup) -> Arc<dyn Provider> {
    let tokens = Tokens::new(setup.variables.clone(), setup.http.clone(), setup.clock.clone());
    Arc::new(Vertex { setup, tokens: Arc::new(tokens) })
}

struct Vertex {
    setup: Setup,
    tokens: Arc<Tokens>,
}

impl Provider for Vertex {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let (setup, tokens) = (self.setup.clone(), self.tokens.clone());
        let (means, model) = (setup.stream_context(request.raw_events), request.model.clone());
        answer::stream(means, model, async move { exchange(&setup, &tokens, request).await })
    }
}

async fn exchange(setup: &Setup, tokens: &Tokens, request: Request) -> Result<Exchange<Reader>, LlmError> {
    contents::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let mut headers = headers::common(&[("accept", "text/event-stream")]);
    let endpoint = Endpoint::find(&access, &setup.variables);
    let to_llm_error = |to_llm_error: TokenError| to_llm_error.into_llm_error(&setup.provider);
    let model = &request.model.id;
    let url = url_with_auth(&endpoint, &access, tokens, model, &mut headers).await.map_err(to_llm_error)?;
    headers::of_request(&mut headers, &access, &request);
    // Error messages show the actual URL, not the template in the data.
    let root = url.split_once("/publishers/").map_or(url.as_str(), |(root, _)| root).to_string();
    let request_info = RequestInfo::new(&setup.provider, &Access { base_url: root, ..access });
    let body = body::body(&request).to_string().into_bytes();
    let post = Post { url, headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms());
    Ok(Exchange { request_info, post, reader, classify_error: errors::kind, framing: Framing::Sse })
}

/// Returns the URL and the authentication headers.
async fn url_with_auth(
    endpoint: &Endpoint,
    access: &Access,
    tokens: &Tokens,
    model: &str,
    headers: &mut Vec<(String, String)>,
) -> Result<String, TokenError> {
    if let (Some(key), KeyKind::Key) = (&access.key, access.kind) {
        headers::add(headers, "x-goog-api-key", Some(&key.0));
        return Ok(endpoint.url_with_key(model));
    }
    let mut project = endpoint.project.clone();
    if let Some(token) = &access.key {
        headers::bearer(headers, token);
    } else {
        let token = tokens.token().await?.ok_or_else(|| TokenError {
            kind: ErrorKind::Authentication,
            text: "no credentials: set GOOGLE_CLOUD_API_KEY or GOOGLE_APPLICATION_CREDENTIALS, or run \
                   `gcloud auth application-default login`"
                .to_string(),
            unreachable: false,
        })?;
        headers::bearer(headers, &token.secret);
        headers::add(headers, "x-goog-user-project", token.quota_project.as_deref());
        project = project.or(token.project);
    }
    let project = project.ok_or_else(|| TokenError::configuration("no project: set GOOGLE_CLOUD_PROJECT"))?;
    Ok(endpoint.url_of_project(&project, model))
}
