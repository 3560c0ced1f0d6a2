//! Classifies Google's error statuses. Pure.

use serde_json::Value;

use crate::llm::model::ErrorKind;

/// Returns the kind of an `error` object, by its gRPC status and its message.
pub fn kind(error: &Value, message: &str) -> Option<ErrorKind> {
    let lower = message.to_ascii_lowercase();
    if lower.contains("input token count") && lower.contains("exceeds") {
        return Some(ErrorKind::ContextLength);
    }
    let details = error["details"].as_array().into_iter().flatten();
    let mut reasons = details.filter_map(|detail| detail["reason"].as_str());
    if reasons.any(|reason| reason.starts_with("API_KEY_")) || lower.contains("api key not valid") {
        return Some(ErrorKind::Authentication);
    }
    Some(match error["status"].as_str()? {
        "UNAUTHENTICATED" => ErrorKind::Authentication,
        "PERMISSION_DENIED" => ErrorKind::AccessDenied,
        "NOT_FOUND" => ErrorKind::NotFound,
        "RESOURCE_EXHAUSTED" => ErrorKind::RateLimit,
        "DEADLINE_EXCEEDED" => ErrorKind::Timeout,
        "UNAVAILABLE" | "INTERNAL" | "ABORTED" | "UNKNOWN" | "DATA_LOSS" => ErrorKind::Server,
        "CANCELLED" => ErrorKind::Abort,
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "UNIMPLEMENTED" | "ALREADY_EXISTS" => {
            ErrorKind::InvalidRequest
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::errors::error_classification::{ErrorAnswer, RequestInfo};

    fn refused(status: u16, name: &str, message: &str, details: &Value) -> ErrorKind {
        let error = json!({"code": status, "message": message, "status": name, "details": details});
        let body = json!({"error": error}).to_string();
        RequestInfo::default().http_error(ErrorAnswer { status, retry_after: None, body }, kind, 0).kind
    }

    #[test]
    fn gemini_errors_follow_status_reason_and_message() {
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        let key = json!([{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}]);
        let minute = json!([{"violations": [{"quotaId": "RequestsPerMinutePerProjectPerModel"}]},
            {"retryDelay": "6s"}]);
        let day = json!([{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}, {"retryDelay": "6s"}]);
        let too_long =
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
        for (status, name, message, details, expected) in [
            (
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
                key,
                ErrorKind::Authentication,
            ),
            (400, "INVALID_ARGUMENT", too_long, json!([]), ErrorKind::ContextLength),
            (
                400,
                "INVALID_ARGUMENT",
                "* contents: contents is not specified",
                json!([]),
                ErrorKind::InvalidRequest,
            ),
            (
                400,
                "FAILED_PRECONDITION",
                "User location is not supported",
                json!([]),
                ErrorKind::InvalidRequest,
            ),
            (401, "UNAUTHENTICATED", "Request had invalid credentials", json!([]), ErrorKind::Authentication),
            (403, "PERMISSION_DENIED", "Permission denied", json!([]), ErrorKind::AccessDenied),
            (404, "NOT_FOUND", "models/x is not found", json!([]), ErrorKind::NotFound),
            (429, "RESOURCE_EXHAUSTED", quota, minute, ErrorKind::RateLimit),
            (429, "RESOURCE_EXHAUSTED", quota, day, ErrorKind::Quota),
            (429, "RESOURCE_EXHAUSTED", "Resource exhausted", json!([]), ErrorKind::RateLimit),
            (503, "UNAVAILABLE", "The model is overloaded.", json!([]), ErrorKind::Server),
            (504, "DEADLINE_EXCEEDED", "late", json!([]), ErrorKind::Timeout),
        ] {
            assert_eq!(refused(status, name, message, &details), expected, "{status} {name} {message}");
        }
    }
}
