//! Adapter of Bedrock's Converse API: URL, signature, and stream reader.

use std::sync::Arc;

use super::region::{self, Region};
use super::stream::Reader;
use super::{body, errors, transcript};
use crate::llm::access::{Access, ApiKey};
use crate::llm::auth::aws::chain::Chain;
use crate::llm::auth::sigv4::{self, Scope, UnsignedRequest};
use crate::llm::auth::token_request::TokenError;
use crate::llm::errors::error_classification::RequestInfo;
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
    let chain = Chain::new(setup.variables.clone(), setup.http.clone(), setup.clock.clone());
    Arc::new(Bedrock { setup, chain: Arc::new(chain) })
}

struct Bedrock {
    setup: Setup,
    chain: Arc<Chain>,
}

impl Provider for Bedrock {
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let (setup, chain) = (self.setup.clone(), self.chain.clone());
        let (means, model) = (setup.stream_context(request.raw_events), request.model.clone());
        answer::stream(means, model, async move { exchange(&setup, &chain, request).await })
    }
}

async fn exchange(setup: &Setup, chain: &Chain, request: Request) -> Result<Exchange<Reader>, LlmError> {
    transcript::SUPPORTED_MEDIA.check(&request)?;
    let access = setup.access(&request).await?;
    let around = &setup.variables;
    let model = &request.model.id;
    let mut region = region::named_region(model, &access, around);
    if region.is_none() {
        region = chain.region().await;
    }
    let endpoint_region = Region::find(region, &access, around);
    let request_info = RequestInfo::new(
        &setup.provider,
        &Access { base_url: endpoint_region.root.clone(), ..access.clone() },
    );
    let mut headers = headers::common(&[
        ("content-type", "application/json"),
        ("accept", "application/vnd.amazon.eventstream"),
    ]);
    headers::of_request(&mut headers, &access, &request);
    let url = endpoint_region.url(model);
    let body = body::body(&request, &endpoint_region.region).to_string().into_bytes();
    let token = access
        .key
        .clone()
        .or_else(|| around.var("AWS_BEARER_TOKEN_BEDROCK").map(|token| ApiKey(token.to_string())));
    if around.var("AWS_BEDROCK_SKIP_AUTH") == Some("1") {
        tracing::debug!("the request is not signed, as AWS_BEDROCK_SKIP_AUTH wants it");
    } else if let Some(token) = token {
        headers::bearer(&mut headers, &token);
    } else {
        sign(setup, chain, &endpoint_region.region, &url, &body, &mut headers)
            .await
            .map_err(|error| error.into_llm_error(&setup.provider))?;
    }
    let post = Post { url, headers, body, ..Post::default() };
    let reader = Reader::new(&request.model, request_info.clone(), setup.clock.now_ms());
    Ok(Exchange { request_info, post, reader, classify_error: errors::kind, framing: Framing::Frames })
}

async fn sign(
    setup: &Setup,
    chain: &Chain,
    region: &str,
    url: &str,
    body: &[u8],
    headers: &mut Vec<(String, String)>,
) -> Result<(), TokenError> {
    let keys = chain.keys(region).await?.ok_or_else(|| TokenError {
        kind: ErrorKind::Authentication,
        text: "no credentials: set AWS_BEARER_TOKEN_BEDROCK, AWS_PROFILE or AWS_ACCESS_KEY_ID with \
               AWS_SECRET_ACCESS_KEY, or run `aws configure`"
            .to_string(),
        unreachable: false,
    })?;
    let scope = Scope { region, service: "bedrock", now_ms: setup.clock.now_ms() };
    sigv4::sign(UnsignedRequest { method: "POST", url, body }, &keys, scope, headers)
        .ok_or_else(|| TokenError::configuration(format!("`{url}` is not a URL that can be asked")))
}
