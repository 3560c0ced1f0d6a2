//! Classifies errors by phrases in their message, when the status is ambiguous: conversation too long, out of
//! credit, server busy. Each row is taken from real servers; the tests have a full message for each.
//!
//! Pure; must not know any wire format. Numbers are ignored: request ids contain digits, too.

use crate::llm::model::{AssistantMessage, ErrorKind, StopReason};

/// A row matches when all its phrases occur.
type Row = &'static [&'static str];

/// Too many requests; tokens in such a message are per minute, not a context window.
const THROTTLED: &[Row] = &[
    &["rate limit"],
    &["rate_limit"],
    &["too many requests"],
    &["throttl"],
    &["tokens per min"],
    &["requests per min"],
    &["too many tokens", "please wait"],
];

/// Quota used up: waiting does not help.
const QUOTA_EXHAUSTED: &[Row] = &[
    &["credit balance"],
    &["billing"],
    &["quota"],
    &["usage limit"],
    &["usagelimiterror"],
    &["usage_limit"],
    &["out of budget"],
    &["available balance"],
    &["insufficient balance"],
    &["insufficient credits"],
];

/// The conversation exceeds the context window.
const TOO_LONG: &[Row] = &[
    &["prompt is too long"],
    &["prompt too long"],
    &["prompt exceeds max length"],
    &["request_too_large"],
    &["input is too long"],
    &["context window"],
    &["context limit"],
    &["context length"],
    &["context size"],
    &["maximum context"],
    &["exceed context"],
    &["context_length_exceeded"],
    &["context_window_exceeded"],
    &["contextwindowexceeded"],
    &["input token count", "exceeds the maximum"],
    &["maximum prompt length"],
    &["reduce the length of the messages"],
    &["maximum allowed input length"],
    &["prompt token count", "exceeds the limit"],
    &["exceeded model token limit"],
    &["range of input length should be"],
    &["too many tokens"],
    &["token limit exceeded"],
    &["too many total text bytes"],
];

/// A single field of the request is invalid.
const FIELD_TOO_LONG: &[Row] = &[&["string too long"], &["array too long"], &["prompt_cache_key"]];

/// A retry may help, whatever the status.
const TRANSIENT: &[Row] = &[
    &["overloaded"],
    &["server_busy"],
    &["servers are currently busy"],
    &["high demand"],
    &["at capacity"],
    &["temporarily unavailable"],
    &["service unavailable"],
    &["internal server error"],
    &["returned error", "provider"],
    &["returned an error", "provider"],
    &["upstream", "fail"],
    &["unable to forward upstream"],
    &["stream was interrupted"],
    &["stream disconnected"],
    &["retry your request"],
    &["try your request again"],
    &["resourceexhausted"],
];

/// Returns the kind of a server's message, if a phrase matches.
pub fn kind(message: &str) -> Option<ErrorKind> {
    let lower = message.to_lowercase();
    let matches_any = |rows: &[Row]| rows.iter().any(|row| row.iter().all(|words| lower.contains(words)));
    // The message names an invalid parameter, whose name could match a phrase.
    if matches_any(FIELD_TOO_LONG) {
        return None;
    }
    if matches_any(THROTTLED) {
        // A limit used up for hours is often reported as a rate limit.
        return Some(if matches_any(&[&["usage limit"], &["usage_limit"]]) {
            ErrorKind::Quota
        } else {
            ErrorKind::RateLimit
        });
    }
    if matches_any(QUOTA_EXHAUSTED) {
        return Some(ErrorKind::Quota);
    }
    if matches_any(TOO_LONG) {
        return Some(ErrorKind::ContextLength);
    }
    matches_any(TRANSIENT).then_some(ErrorKind::Server)
}

/// Whether an answer shows that the conversation did not fit although the server reported no error: it read
/// more tokens than the window has, or had no room for a single output token.
pub fn silently_too_long(message: &AssistantMessage, window: u64) -> bool {
    let read = message.usage.prompt();
    let full = message.stop_reason == StopReason::Length && message.usage.output == 0;
    window > 0 && (read > window || full && read >= window - window / 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Model, Usage};
    use crate::llm::stream::accumulate::Accumulator;

    #[test]
    fn error_phrases_for_context_overflow_are_recognized() {
        for said in [
            "prompt is too long: 213462 tokens > 200000 maximum",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "Requested token count exceeds the model's maximum context length of 131072 tokens",
            "litellm.ContextWindowExceededError: Context Window exceeded for given call.",
            "Input length (265330) exceeds model's maximum context length (262144).",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
            "Please reduce the length of the messages or completion",
            "This endpoint's maximum context length is 1000 tokens. However, you requested about 2000 tokens",
            "Input length 9 exceeds the maximum allowed input length of 8 tokens.",
            "The input (9 tokens) is longer than the model's context length (8 tokens).",
            "the request exceeds the available context size, try increasing it",
            "tokens to keep from the initial prompt is greater than the context length",
            "prompt token count of 9 exceeds the limit of 8",
            "invalid params, context window exceeds limit",
            "Your request exceeded model token limit: 9 (requested: 10)",
            "Prompt has 9 tokens, but the configured context size is 8 tokens",
            "Prompt contains 9 tokens and 0 draft tokens, too large for model with 8 maximum context length",
            "Prompt exceeds max length",
            "Range of input length should be [1, 8]",
            "prompt too long; exceeded max context length by 9 tokens",
            "Input is too long for requested model.",
            "model_context_window_exceeded",
        ] {
            assert_eq!(kind(said), Some(ErrorKind::ContextLength), "{said}");
        }
    }

    #[test]
    fn error_phrases_resembling_overflow_are_not() {
        for (said, expected) in [
            ("ThrottlingException: Too many tokens, please wait before trying again.", ErrorKind::RateLimit),
            ("Too many tokens, please wait before trying again.", ErrorKind::RateLimit),
            (
                "This request would exceed your rate limit of 30,000 input tokens per minute",
                ErrorKind::RateLimit,
            ),
            ("Rate limit reached on tokens per min. See https://h/account/billing", ErrorKind::RateLimit),
            ("Monthly usage limit reached", ErrorKind::Quota),
            ("Rate limited: your usage limit resets in 3 hours", ErrorKind::Quota),
            ("You exceeded your current quota, please check your plan and billing details", ErrorKind::Quota),
            ("GoUsageLimitError", ErrorKind::Quota),
            ("Insufficient Balance", ErrorKind::Quota),
            ("Overloaded", ErrorKind::Server),
            ("The service is temporarily unavailable", ErrorKind::Server),
            ("Provider returned error", ErrorKind::Server),
            (
                "An error occurred. You can retry your request, or contact us (request id 429a500b)",
                ErrorKind::Server,
            ),
        ] {
            assert_eq!(kind(said), Some(expected), "{said}");
        }
        for said in [
            "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.",
            "Invalid 'input[3].call_id': string too long for this prompt",
            "Timed out: the prompt took too long to process",
            "max_tokens: required",
            "request 4290500 is malformed",
            "unknown model",
            "",
        ] {
            assert_eq!(kind(said), None, "{said}");
        }
    }

    #[test]
    fn error_silent_context_overflow_is_detected() {
        let answer = |input, cache_read, output, stop_reason| {
            let mut message = Accumulator::new(&Model::default(), 0).finish();
            message.usage = Usage { input, output, cache_read, ..Usage::default() };
            message.stop_reason = stop_reason;
            message
        };
        assert!(silently_too_long(&answer(600, 500, 9, StopReason::Stop), 1000));
        assert!(silently_too_long(&answer(995, 0, 0, StopReason::Length), 1000));
        assert!(silently_too_long(&answer(u64::MAX, 1, 0, StopReason::Length), u64::MAX));
        assert!(!silently_too_long(&answer(500, 0, 0, StopReason::Length), 1000));
        assert!(!silently_too_long(&answer(995, 0, 1, StopReason::Length), 1000));
        assert!(
            !silently_too_long(&answer(995, 0, 0, StopReason::Stop), 0),
            "nothing is known of the window"
        );
    }
}
