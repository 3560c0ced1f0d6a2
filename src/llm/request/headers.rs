//! The headers that dialects have in common, as pairs. Pure; must not know any provider.

use crate::llm::access::{Access, ApiKey};
use crate::llm::model::Request;
use crate::llm::request::copilot;

/// Headers with fixed values.
pub fn common(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

/// One more, if there is a value.
pub fn add(headers: &mut Vec<(String, String)>, name: &str, value: Option<&str>) {
    headers.extend(value.map(|value| (name.to_string(), value.to_string())));
}

/// A key as most wires want it.
pub fn bearer(headers: &mut Vec<(String, String)>, key: &ApiKey) {
    headers.push(("authorization".to_string(), format!("Bearer {}", key.0)));
}

/// What a provider wants to know of each request, and what its data (with the model's) and the request
/// itself add; the later wins.
pub fn of_request(headers: &mut Vec<(String, String)>, access: &Access, request: &Request) {
    headers.extend(copilot::headers(request));
    headers.extend(access.headers.iter().cloned());
    headers.extend(request.headers.iter().cloned());
}
