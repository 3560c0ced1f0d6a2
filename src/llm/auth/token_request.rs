//! Requests to token services. Responses are secret: error messages contain only the service's reason.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::llm::model::{ErrorKind, LlmError};
use crate::net::error::NetError;
use crate::net::http::{Http, Post};
use crate::net::response::Response;

/// All characters except those that RFC 3986 calls unreserved.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Maximum bytes of a response.
const BYTES_MAX: usize = 64 << 10;

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenError {
    /// The error kind for the request.
    pub kind: ErrorKind,
    /// The message for the user, without the provider's name.
    pub text: String,
    /// Whether the service was not reachable at all.
    pub unreachable: bool,
}

impl TokenError {
    /// Creates a configuration error.
    pub fn configuration(text: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Configuration, text: text.into(), unreachable: false }
    }

    /// Converts it to the error of a request.
    pub fn into_llm_error(self, provider: &str) -> LlmError {
        LlmError::new(self.kind, provider, format!("{provider}: {}", self.text))
    }
}

/// Returns the response as text; `whom` names the service.
pub async fn text(answer: Result<Response, NetError>, service: &str) -> Result<String, TokenError> {
    let response = answer.map_err(|error| TokenError {
        kind: ErrorKind::Network,
        text: format!("no answer of {service}: {error}"),
        unreachable: true,
    })?;
    let status = response.status();
    let body = response.text(BYTES_MAX).await;
    if status == 200 {
        return Ok(body);
    }
    let kind = if status >= 500 { ErrorKind::Server } else { ErrorKind::Authentication };
    Err(TokenError {
        kind,
        text: format!("{service} answered {status}: {}", error_excerpt(&body)),
        unreachable: false,
    })
}

/// Returns the response as JSON.
pub async fn json(answer: Result<Response, NetError>, service: &str) -> Result<Value, TokenError> {
    let body = text(answer, service).await?;
    serde_json::from_str(&body).map_err(|_| TokenError {
        kind: ErrorKind::Server,
        text: format!("the answer of {service} is no JSON"),
        unreachable: false,
    })
}

/// Posts a form and returns the JSON response.
pub async fn form(
    http: &Http,
    url: &str,
    fields: &[(&str, &str)],
    service: &str,
) -> Result<Value, TokenError> {
    json(http.post(form_post(url, fields)).await, service).await
}

/// Returns the request for a form.
pub fn form_post(url: &str, fields: &[(&str, &str)]) -> Post {
    let pairs: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", percent_encode(value))).collect();
    Post {
        url: url.to_string(),
        headers: vec![("content-type".into(), "application/x-www-form-urlencoded".into())],
        body: pairs.join("&").into_bytes(),
        unrecorded: true,
        ..Post::default()
    }
}

/// Percent-encodes all but unreserved characters.
pub fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns the service's error message, shortened.
pub fn error_excerpt(body: &str) -> String {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    let inner = &parsed["error"];
    let candidates =
        [&parsed["error_description"], &inner["message"], inner, &parsed["message"], &parsed["Message"]];
    let candidates = candidates.into_iter().find_map(Value::as_str).map(str::to_string);
    // Amazon's older services respond in XML.
    let xml = || Some(body.split_once("<Message>")?.1.split_once("</Message>")?.0.to_string());
    candidates.or_else(xml).unwrap_or_else(|| "no explanation".to_string()).chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_request_error_shows_only_its_message() {
        for (body, expected) in [
            (r#"{"error": "invalid_grant", "error_description": "revoked"}"#, "revoked"),
            (r#"{"error": "invalid_grant"}"#, "invalid_grant"),
            (r#"{"error": {"message": "no"}}"#, "no"),
            (r#"{"message": "ForbiddenException"}"#, "ForbiddenException"),
            ("<ErrorResponse><Error><Message>Not yours</Message></Error></ErrorResponse>", "Not yours"),
            (r#"{"access_token": "secret"}"#, "no explanation"),
        ] {
            assert_eq!(error_excerpt(body), expected);
        }
    }

    #[test]
    fn token_request_form_is_percent_encoded() {
        let post = form_post("http://h", &[("a", "b c&d"), ("e", "ü~-._")]);
        assert_eq!(String::from_utf8_lossy(&post.body), "a=b%20c%26d&e=%C3%BC~-._");
        assert!(post.unrecorded);
    }
}
