//! Classifies the error types of Anthropic's API. Pure.

use serde_json::Value;

use crate::llm::model::ErrorKind;

/// Returns the kind of an `error` object, by its type.
pub fn kind(error: &Value, _said: &str) -> Option<ErrorKind> {
    Some(match error["type"].as_str()? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::errors::error_classification::{ErrorAnswer, RequestInfo};

    fn refused(status: u16, name: &str, message: &str) -> ErrorKind {
        let body = json!({"type": "error", "error": {"type": name, "message": message}}).to_string();
        RequestInfo::default().http_error(ErrorAnswer { status, retry_after: None, body }, kind, 0).kind
    }

    #[test]
    fn anthropic_errors_follow_status_type_and_message() {
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
        ] {
            assert_eq!(refused(status, name, message), expected, "{status} {name} {message}");
        }
    }

    #[test]
    fn anthropic_errors_inside_stream_are_classified() {
        let error = json!({"type": "overloaded_error", "message": "Overloaded"});
        let error = RequestInfo::default().stream_error(&error, kind);
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::Server, " was cut off: Overloaded (send it again in a while)")
        );
        assert_eq!(RequestInfo::default().stream_error(&json!(null), kind).kind, ErrorKind::Stream);
    }
}
