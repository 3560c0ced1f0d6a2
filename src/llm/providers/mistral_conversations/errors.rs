//! Classifies Mistral's error objects, which are the whole body. Pure.

use serde_json::Value;

use crate::llm::model::ErrorKind;

/// Returns the kind of an error object, by its type.
pub fn kind(error: &Value, _said: &str) -> Option<ErrorKind> {
    Some(match error["type"].as_str()? {
        "invalid_api_key" | "unauthorized" => ErrorKind::Authentication,
        "invalid_model" | "not_found" => ErrorKind::NotFound,
        "rate_limited" | "rate_limit_error" | "service_tier_capacity_exceeded" => ErrorKind::RateLimit,
        "insufficient_credits" | "payment_required" => ErrorKind::Quota,
        "internal_server_error" | "service_unavailable" => ErrorKind::Server,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::errors::error_classification::{ErrorAnswer, RequestInfo};

    #[test]
    fn mistral_errors_follow_status_type_and_message() {
        let overflow = "Prompt contains 65537 tokens and 0 draft tokens, too large for model with 32768 maximum \
            context length";
        for (status, body, expected) in [
            (401, json!({"detail": "Unauthorized"}), ErrorKind::Authentication),
            (401, json!({"message": "Unauthorized", "request_id": "1"}), ErrorKind::Authentication),
            (
                400,
                json!({"object": "error", "message": overflow, "type": "invalid_request_error", "code": "3051"}),
                ErrorKind::ContextLength,
            ),
            (
                400,
                json!({"object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500"}),
                ErrorKind::NotFound,
            ),
            (
                429,
                json!({"object": "error", "message": "Rate limit exceeded", "type": "rate_limited", "code": "1300"}),
                ErrorKind::RateLimit,
            ),
            (
                429,
                json!({"object": "error", "message": "Service tier capacity exceeded for this model.",
                    "type": "service_tier_capacity_exceeded", "code": "3505"}),
                ErrorKind::RateLimit,
            ),
            (
                422,
                json!({"detail": [{"type": "missing", "loc": ["body", "model"]}]}),
                ErrorKind::InvalidRequest,
            ),
            (
                500,
                json!({"object": "error", "message": "oops", "type": "internal_server_error"}),
                ErrorKind::Server,
            ),
        ] {
            let refusal = ErrorAnswer { status, retry_after: None, body: body.to_string() };
            let error = RequestInfo::default().http_error(refusal, kind, 0);
            assert_eq!(error.kind, expected, "{error}");
            assert!(!error.message.contains("request_id"), "{error}");
        }
    }
}
