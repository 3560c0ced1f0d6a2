//! Classifies error objects of `OpenAI` and compatible servers. Pure.

use serde_json::Value;

use crate::llm::model::ErrorKind;

/// Returns the kind of an `error` object, by its code, else by its type, else by the HTTP status that routers
/// put in place of a code.
pub fn kind(error: &Value, _said: &str) -> Option<ErrorKind> {
    // Routers add their own message, and quote that of the upstream server.
    let quoted = error["metadata"]["raw"].as_str().unwrap_or_default().to_ascii_lowercase();
    if ["context length", "context window", "prompt is too long"].iter().any(|words| quoted.contains(words)) {
        return Some(ErrorKind::ContextLength);
    }
    let code = &error["code"];
    let names = [code, &error["type"]].map(|name| name.as_str().and_then(kind_of_name));
    names
        .into_iter()
        .flatten()
        .next()
        .or_else(|| kind_of_status(code.as_u64().or_else(|| code.as_str()?.parse().ok())?))
}

fn kind_of_name(name: &str) -> Option<ErrorKind> {
    Some(match name {
        "invalid_api_key" | "authentication_error" => ErrorKind::Authentication,
        "permission_error" | "permission_denied" => ErrorKind::AccessDenied,
        "model_not_found" | "not_found_error" | "DeploymentNotFound" => ErrorKind::NotFound,
        "context_length_exceeded" | "exceed_context_size_error" => ErrorKind::ContextLength,
        "rate_limit_exceeded" | "rate_limit_error" | "requests" | "tokens" => ErrorKind::RateLimit,
        "insufficient_quota"
        | "billing_hard_limit_reached"
        | "usage_limit_reached"
        | "usage_not_included"
        | "subscription_sharing_usage_limit_exceeded"
        | "subscription_sharing_workplace_individual_usage_limit_exceeded" => ErrorKind::Quota,
        "content_filter" | "content_policy_violation" => ErrorKind::ContentFilter,
        "server_error" | "overloaded_error" | "unavailable_error" | "api_error" | "internal_error" => {
            ErrorKind::Server
        }
        "timeout" => ErrorKind::Timeout,
        _ => return None,
    })
}

fn kind_of_status(status: u64) -> Option<ErrorKind> {
    Some(match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Quota,
        403 => ErrorKind::AccessDenied,
        404 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        413 => ErrorKind::ContextLength,
        429 => ErrorKind::RateLimit,
        500..=599 => ErrorKind::Server,
        400..=499 => ErrorKind::InvalidRequest,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::errors::error_classification::{ErrorAnswer, RequestInfo};

    #[test]
    fn error_code_of_router_is_read_from_metadata() {
        let raw = r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#;
        let error = json!({"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}});
        assert_eq!(kind(&error, ""), Some(ErrorKind::ContextLength));
    }

    #[test]
    fn error_code_follows_status_type_and_message() {
        let null = Value::Null;
        for (status, code, name, message, expected) in [
            (401, json!("invalid_api_key"), "invalid_request_error", "Incorrect", ErrorKind::Authentication),
            (403, null.clone(), "invalid_request_error", "Country", ErrorKind::AccessDenied),
            (404, json!("model_not_found"), "invalid_request_error", "no gpt-x", ErrorKind::NotFound),
            (400, json!("context_length_exceeded"), "invalid_request_error", "", ErrorKind::ContextLength),
            (400, null.clone(), "", "This model's maximum context length is 8", ErrorKind::ContextLength),
            (400, json!(400), "exceed_context_size_error", "too large", ErrorKind::ContextLength),
            (429, json!("rate_limit_exceeded"), "tokens", "Limit reached", ErrorKind::RateLimit),
            (429, json!("insufficient_quota"), "insufficient_quota", "pay", ErrorKind::Quota),
            (400, json!("content_filter"), "", "filtered", ErrorKind::ContentFilter),
            (500, null.clone(), "server_error", "oops", ErrorKind::Server),
            (503, json!(503), "unavailable_error", "Loading model", ErrorKind::Server),
        ] {
            let error = json!({"code": code, "type": name, "message": message});
            let body = json!({"error": error}).to_string();
            let refusal = ErrorAnswer { status, retry_after: None, body };
            assert_eq!(
                RequestInfo::default().http_error(refusal, kind, 0).kind,
                expected,
                "{status} {error}"
            );
        }
    }
}
