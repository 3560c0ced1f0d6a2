//! Headers that dialects share, as pairs. Pure; must not know any provider.

use crate::llm::access::{Access, ApiKey};
use crate::llm::model::Request;
use crate::llm::request::copilot;

/// Returns headers with fixed values.
pub fn common(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

/// Adds a header, if there is a value.
pub fn add(headers: &mut Vec<(String, String)>, name: &str, value: Option<&str>) {
    headers.extend(value.map(|value| (name.to_string(), value.to_string())));
}

/// Adds a key as bearer token.
pub fn bearer(headers: &mut Vec<(String, String)>, key: &ApiKey) {
    headers.push(("authorization".to_string(), format!("Bearer {}", key.0)));
}

/// Adds the provider's per-request headers, then those of its data (with the model's) and of the request;
/// later ones take precedence.
pub fn of_request(headers: &mut Vec<(String, String)>, access: &Access, request: &Request) {
    headers.extend(copilot::headers(request));
    headers.extend(access.headers.iter().cloned());
    headers.extend(request.headers.iter().cloned());
}
