//! Classifies the exceptions of Amazon's API. Pure.

use serde_json::Value;

use crate::llm::model::ErrorKind;

/// Returns the kind of an error, by its type and its message. In a response that is not a stream the type is
/// in a header that is not read: message and status suffice.
pub fn kind(error: &Value, message: &str) -> Option<ErrorKind> {
    let lower = message.to_ascii_lowercase();
    let contains_any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if contains_any(&["input is too long", "too many input tokens", "input tokens exceeds"]) {
        return Some(ErrorKind::ContextLength);
    }
    if contains_any(&["security token", "signature", "bearer token", "api key", "authentication"]) {
        return Some(ErrorKind::Authentication);
    }
    // Only Amazon uses 424.
    if contains_any(&["try your request again"]) {
        return Some(ErrorKind::Server);
    }
    let name = error["type"].as_str().or(error["__type"].as_str())?;
    // `com.amazon.coral.service#ThrottlingException`, and in streams with a lower-case first letter.
    let name = name.rsplit('#').next().unwrap_or(name).to_ascii_lowercase();
    Some(match name.trim_end_matches("exception") {
        "throttling" | "toomanyrequests" | "requestlimitexceeded" => ErrorKind::RateLimit,
        "servicequotaexceeded" => ErrorKind::Quota,
        "validation" => ErrorKind::InvalidRequest,
        "accessdenied" => ErrorKind::AccessDenied,
        "resourcenotfound" => ErrorKind::NotFound,
        "modeltimeout" => ErrorKind::Timeout,
        "internalserver" | "serviceunavailable" | "modelnotready" | "modelerror" => ErrorKind::Server,
        "modelstreamerror" => ErrorKind::Stream,
        "expiredtoken"
        | "unrecognizedclient"
        | "invalidsignature"
        | "incompletesignature"
        | "missingauthenticationtoken" => ErrorKind::Authentication,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::errors::error_classification::{ErrorAnswer, RequestInfo};

    #[test]
    fn bedrock_errors_follow_status_and_message() {
        for (status, message, expected) in [
            (400, "Input is too long for requested model.", ErrorKind::ContextLength),
            (
                400,
                "The model returned the following errors: prompt is too long: 9 tokens > 8 maximum",
                ErrorKind::ContextLength,
            ),
            (400, "Malformed input request", ErrorKind::InvalidRequest),
            (403, "The security token included in the request is invalid.", ErrorKind::Authentication),
            (403, "The security token included in the request is expired", ErrorKind::Authentication),
            (403, "You don't have access to the model with the specified model ID.", ErrorKind::AccessDenied),
            (404, "This model version has reached the end of its life.", ErrorKind::NotFound),
            (408, "Model timed out", ErrorKind::Timeout),
            (
                424,
                "The system encountered an unexpected error during processing. Try your request again.",
                ErrorKind::Server,
            ),
            (429, "Too many tokens, please wait before trying again.", ErrorKind::RateLimit),
            (503, "Bedrock is unable to process your request.", ErrorKind::Server),
        ] {
            let body = json!({"message": message}).to_string();
            let error =
                RequestInfo::default().http_error(ErrorAnswer { status, retry_after: None, body }, kind, 0);
            assert_eq!(error.kind, expected, "{status} {message}");
            assert!(error.message.contains(message));
        }
    }

    #[test]
    fn bedrock_exceptions_are_classified_by_type() {
        for (name, expected) in [
            ("throttlingException", ErrorKind::RateLimit),
            ("com.amazon.coral.service#AccessDeniedException", ErrorKind::AccessDenied),
            ("modelStreamErrorException", ErrorKind::Stream),
            ("internalServerException", ErrorKind::Server),
            ("serviceUnavailableException", ErrorKind::Server),
            ("validationException", ErrorKind::InvalidRequest),
            ("ModelNotReadyException", ErrorKind::Server),
        ] {
            let error =
                RequestInfo::default().stream_error(&json!({"type": name, "message": "it broke"}), kind);
            assert_eq!(error.kind, expected, "{name}");
        }
    }
}
