//! Failures of Anthropic's API, by kind and in words for a person. Pure.

use std::time::Duration;

use serde_json::Value;

use crate::base::clock::parse_http_date;
use crate::llm::model::{ErrorKind, LlmError};
use crate::net::http::NetError;

/// How much of an error's body is kept.
pub const RAW_BYTES_MAX: usize = 8 * 1024;

/// An HTTP answer that is not a success.
pub fn from_answer(
    provider: &str,
    status: u16,
    retry_after: Option<&str>,
    body: String,
    now_ms: u64,
) -> LlmError {
    let parsed: Option<Value> = serde_json::from_str(&body).ok();
    let error = parsed.as_ref().and_then(|v| v.get("error"));
    let field = |name: &str| error.and_then(|e| e.get(name)).and_then(Value::as_str);
    let said = match field("message") {
        Some(message) => message.to_string(),
        None if body.trim().is_empty() => "no explanation".to_string(),
        // A proxy's page, most likely: its first line says enough.
        None => body.trim().lines().next().unwrap_or_default().chars().take(300).collect(),
    };
    let kind = by_status(status, field("type").unwrap_or_default(), &said);
    LlmError {
        kind,
        provider: provider.to_string(),
        message: format!("{provider} answered {status}: {said}{}", advice(kind)),
        status: Some(status),
        retry_after: retry_after.and_then(|value| wait(value, now_ms)),
        raw: Some(body),
    }
}

/// An `error` event within a stream.
pub fn from_event(provider: &str, data: &Value) -> LlmError {
    let field = |name: &str| data["error"][name].as_str().unwrap_or_default();
    let said = if field("message").is_empty() { "no explanation" } else { field("message") };
    let kind = by_type(field("type"), said).unwrap_or(ErrorKind::Stream);
    LlmError {
        raw: Some(data.to_string().chars().take(RAW_BYTES_MAX / 4).collect()),
        ..LlmError::new(kind, provider, format!("{provider} broke off: {said}{}", advice(kind)))
    }
}

/// A request that got no answer, or a stream that broke; `began` tells which.
pub fn from_net(provider: &str, error: &NetError, began: bool) -> LlmError {
    let kind = match error {
        NetError::Offline(_) | NetError::Url(_) | NetError::Setup(_) => ErrorKind::Configuration,
        NetError::Silence { .. } => ErrorKind::Timeout,
        NetError::Connection { .. } if began => ErrorKind::Stream,
        NetError::Connection { .. } => ErrorKind::Network,
    };
    let what = if began { "the answer broke off" } else { "no answer" };
    LlmError::new(kind, provider, format!("{provider}: {what}: {error}"))
}

/// The model would not answer.
pub fn refusal(provider: &str) -> LlmError {
    let text = format!("{provider}: the model refused to answer this; say it in another way");
    LlmError::new(ErrorKind::ContentFilter, provider, text)
}

fn by_status(status: u16, name: &str, said: &str) -> ErrorKind {
    // Types and messages say more than the status where the status is shared.
    if let Some(kind) = by_type(name, said).filter(|k| !matches!(k, ErrorKind::InvalidRequest)) {
        return kind;
    }
    match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Quota,
        403 => ErrorKind::AccessDenied,
        404 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        413 => ErrorKind::ContextLength,
        429 => ErrorKind::RateLimit,
        500.. => ErrorKind::Server,
        _ => ErrorKind::InvalidRequest,
    }
}

fn by_type(name: &str, said: &str) -> Option<ErrorKind> {
    let lower = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|w| lower.contains(w));
    if says(&["prompt is too long", "context window", "context limit", "maximum context", "exceed context"]) {
        return Some(ErrorKind::ContextLength);
    }
    if says(&["credit balance", "billing", "quota", "usage limit", "insufficient_quota"]) {
        return Some(ErrorKind::Quota);
    }
    Some(match name {
        "authentication_error" => ErrorKind::Authentication,
        "billing_error" => ErrorKind::Quota,
        "permission_error" => ErrorKind::AccessDenied,
        "not_found_error" => ErrorKind::NotFound,
        "request_too_large" => ErrorKind::ContextLength,
        "rate_limit_error" => ErrorKind::RateLimit,
        "timeout_error" => ErrorKind::Timeout,
        "api_error" | "overloaded_error" => ErrorKind::Server,
        "invalid_request_error" => ErrorKind::InvalidRequest,
        _ => return None,
    })
}

fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Authentication => " (check ANTHROPIC_API_KEY)",
        ErrorKind::NotFound => " (check the model's name and the base URL)",
        ErrorKind::ContextLength => " (start a new session, or ask for less)",
        ErrorKind::Quota => " (the account is out of credit or at its limit)",
        _ => "",
    }
}

/// `Retry-After` in seconds or as a date; `None` when it is neither, so that our own delay
/// holds rather than none.
fn wait(value: &str, now_ms: u64) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    Some(Duration::from_millis(parse_http_date(value)?.saturating_sub(now_ms)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind(status: u16, name: &str, message: &str) -> ErrorKind {
        let body = json!({"type": "error", "error": {"type": name, "message": message}}).to_string();
        from_answer("anthropic", status, None, body, 0).kind
    }

    #[test]
    fn statuses_types_and_messages() {
        for (status, name, message, expected) in [
            (401, "authentication_error", "invalid x-api-key", ErrorKind::Authentication),
            (400, "invalid_request_error", "max_tokens: required", ErrorKind::InvalidRequest),
            (
                400,
                "invalid_request_error",
                "prompt is too long: 9 tokens > 8 maximum",
                ErrorKind::ContextLength,
            ),
            (400, "invalid_request_error", "Your credit balance is too low", ErrorKind::Quota),
            (413, "request_too_large", "Request exceeds the maximum size", ErrorKind::ContextLength),
            (429, "rate_limit_error", "too many tokens per minute", ErrorKind::RateLimit),
            (529, "overloaded_error", "Overloaded", ErrorKind::Server),
            (504, "timeout_error", "slow", ErrorKind::Timeout),
            (404, "not_found_error", "model: x", ErrorKind::NotFound),
            (422, "", "", ErrorKind::InvalidRequest),
            (502, "", "", ErrorKind::Server),
        ] {
            assert_eq!(kind(status, name, message), expected, "{status} {name} {message}");
        }
    }

    #[test]
    fn a_page_of_a_proxy_is_quoted_by_its_first_line() {
        let error = from_answer("anthropic", 502, None, "<html>Bad Gateway\nmore".into(), 0);
        assert_eq!(error.message, "anthropic answered 502: <html>Bad Gateway");
        assert!(error.retryable());
    }

    #[test]
    fn waiting_times_in_seconds_and_dates() {
        let after = |value| from_answer("a", 429, Some(value), String::new(), 784_111_770_000).retry_after;
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(after("Sun, 06 Nov 1993 08:49:37 GMT"), None, "the weekday is wrong");
        assert_eq!(after("-3"), None);
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn events_within_a_stream() {
        let data = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        let error = from_event("anthropic", &data);
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::Server, "anthropic broke off: Overloaded")
        );
        assert_eq!(from_event("anthropic", &json!({})).kind, ErrorKind::Stream);
    }
}
