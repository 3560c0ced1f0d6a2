//! Fetches a provider's model list.
//!
//! Must not know where lists are stored, nor what their fields mean (`catalog::facts`).

use std::time::Duration;

use serde_json::Value;

use crate::llm::access::{Access, AccessSource, KeyKind};
use crate::llm::auth::chain::Chain;
use crate::llm::auth::token_request;
use crate::llm::catalog::list_parser;
use crate::llm::catalog::model_list::{ModelList, same_root};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::model::LlmError;
use crate::llm::request::headers;
use crate::net::error::NetError;
use crate::net::http::Get;
use crate::net::response::Response;

/// Timeout of one response.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum bytes of one response.
const BYTES_MAX: usize = 16 << 20;
/// Maximum number of pages.
const PAGES_MAX: usize = 20;
/// Maximum bytes of an error response.
const REFUSAL_MAX: usize = 64 << 10;
/// Required version header of Anthropic's API.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Why there is no list. Never contains a key.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// There is no key, or it cannot be resolved.
    #[error(transparent)]
    Access(#[from] LlmError),
    /// A network error.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused.
    #[error("the list was refused: HTTP {0}, {1}")]
    Refused(u16, String),
    /// The response is not a list.
    #[error("what came is no list of models")]
    NoList,
}

/// A provider with a model list.
pub struct Lister {
    /// Source of access; the root URL is that of the list.
    pub(in crate::llm) keys: Chain,
}

impl Lister {
    /// The provider's id.
    pub fn provider(&self) -> &str {
        &self.keys.info.id
    }

    /// Fetches the whole list; returns the previous one if it has not changed.
    pub async fn fetch(&self, before: Option<&ModelList>) -> Result<ModelList, RefreshError> {
        let access = self.keys.access().await?;
        let request_info = RequestInfo::new(self.provider(), &access);
        let form = self.keys.info.model_list.as_deref().unwrap_or_default();
        let root = access.base_url.trim_end_matches('/').to_string();
        let before = before.filter(|list| same_root(&list.root, &root));
        let checked = self.keys.clock.now_ms();
        let mut list = ModelList { root, checked, ..ModelList::default() };
        let mut after: Option<String> = None;
        for page in 0..PAGES_MAX {
            let mut sent = request_headers(form, &access);
            if let (0, Some(before)) = (page, before) {
                headers::add(&mut sent, "if-none-match", before.etag.as_deref());
                headers::add(&mut sent, "if-modified-since", before.modified.as_deref());
            }
            let url = url(form, &list.root, after.as_deref());
            let get = Get { url, headers: sent, timeout: Some(TIMEOUT) };
            let response = self.keys.http.get(get).await?;
            if let (304, Some(before)) = (response.status(), before) {
                return Ok(ModelList { checked, ..before.clone() });
            }
            let named = |name| response.header(name).map(str::to_string);
            let marks = (named("etag"), named("last-modified"));
            let read =
                list_parser::parse_list(&body(response, &request_info).await?).ok_or(RefreshError::NoList)?;
            list.add(read.models);
            // A token that repeats would loop.
            let next = read.next.filter(|next| after.as_ref() != Some(next));
            if page == 0 && next.is_none() {
                // With several pages each has its own `ETag`.
                (list.etag, list.modified) = marks;
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        Ok(list)
    }
}

async fn body(response: Response, request_info: &RequestInfo) -> Result<Value, RefreshError> {
    let status = response.status();
    if status != 200 {
        let body_text = request_info.redact_key(response.text(REFUSAL_MAX).await);
        return Err(RefreshError::Refused(status, token_request::error_excerpt(&body_text)));
    }
    serde_json::from_str(&response.text(BYTES_MAX).await).map_err(|_| RefreshError::NoList)
}

/// Returns the URL of a page of the list.
fn url(form: &str, root: &str, after: Option<&str>) -> String {
    let after = |name: &str| {
        after.map(|token| format!("&{name}={}", token_request::percent_encode(token))).unwrap_or_default()
    };
    match form {
        "anthropic" => {
            let root = root.strip_suffix("/v1").unwrap_or(root);
            format!("{root}/v1/models?limit=1000{}", after("after_id"))
        }
        "google" => format!("{root}/models?pageSize=1000{}", after("pageToken")),
        _ => crate::llm::discovery::discover::list_url(root),
    }
}

fn request_headers(form: &str, access: &Access) -> Vec<(String, String)> {
    let mut all = headers::common(&[("accept", "application/json")]);
    if form == "anthropic" {
        headers::add(&mut all, "anthropic-version", Some(ANTHROPIC_VERSION));
    }
    let own = match form {
        "anthropic" => Some("x-api-key"),
        "google" => Some("x-goog-api-key"),
        _ => None,
    };
    match (&access.key, own) {
        (Some(key), Some(own)) if access.kind == KeyKind::Key => headers::add(&mut all, own, Some(&key.0)),
        (Some(key), _) => headers::bearer(&mut all, key),
        (None, _) => {}
    }
    all.extend(access.headers.iter().cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_list_url_by_dialect() {
        for (form, root, after, expected) in [
            ("anthropic", "https://h", None, "https://h/v1/models?limit=1000"),
            ("anthropic", "https://h/v1", Some("a b"), "https://h/v1/models?limit=1000&after_id=a%20b"),
            ("google", "https://h/v1beta", Some("t"), "https://h/v1beta/models?pageSize=1000&pageToken=t"),
            ("openai", "https://h/v1", None, "https://h/v1/models"),
            ("openai", "https://api.mistral.ai", None, "https://api.mistral.ai/v1/models"),
        ] {
            assert_eq!(url(form, root, after), expected);
        }
    }
}
