//! Logging layer: logs the provider, size, result and errors of calls. Never their content, and never a
//! secret.
//!
//! Must not know any provider.

use std::sync::LazyLock;
use std::time::Instant;

use futures::StreamExt;
use regex::Regex;

use crate::llm::layers::layer::{Layer, Next};
use crate::llm::model::{Request, StreamEvent};
use crate::llm::provider::EventStream;

/// The logging layer.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestLog;

impl Layer for RequestLog {
    fn stream(&self, request: Request, next: Next) -> EventStream {
        let model_name = format!("{}/{}", request.model.provider, request.model.id);
        tracing::debug!(%model_name, messages = request.messages.len(), tools = request.tools.len(), "a model is asked");
        let begun = Instant::now();
        let mut first = None;
        let watch = move |event: StreamEvent| {
            let took = begun.elapsed();
            match &event {
                StreamEvent::Done { message } => {
                    let usage = &message.usage;
                    tracing::info!(
                        %model_name, ?first, ?took, stop = ?message.stop_reason, input = usage.input,
                        output = usage.output, cached = usage.cache_read, cost = usage.cost.total,
                        "a model has answered"
                    );
                }
                StreamEvent::Error { error, .. } => {
                    let what = redact(&error.message);
                    tracing::warn!(%model_name, ?took, kind = ?error.kind, status = error.status, %what, "a model call failed");
                }
                StreamEvent::Warning(text) => tracing::warn!(%model_name, "{}", redact(text)),
                StreamEvent::Start
                | StreamEvent::Limits(_)
                | StreamEvent::Raw { .. }
                | StreamEvent::Usage(_) => {}
                _ => {
                    first.get_or_insert(took);
                }
            }
            event
        };
        next.stream(request).map(watch).boxed()
    }
}

/// Patterns of secrets: tokens with providers' known prefixes, and values after the names under which they
/// are sent.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    let prefixed =
        r"\b(?:(?:sk|pk|rk|xai|key)-|(?:gsk|hf|ghu|gho|ghp)_|AIza|AKIA|ya29\.)[A-Za-z0-9_\-.]{10,}";
    let named =
        r#"(?i:bearer|x-api-key|api[-_]?key|token|secret)["']?\s*[:= ]\s*["']?[A-Za-z0-9_\-./+]{10,}"#;
    let jwt = r"\beyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+";
    let all = format!("{prefixed}|{named}|{jwt}");
    Regex::new(&all).expect("the pattern is compiled by a test")
});

/// Redacts secrets in a server's message: some repeat the rejected key.
pub fn redact(text: &str) -> String {
    SECRETS.replace_all(text, "(secret)").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_log_redacts_secrets() {
        for (text, said) in [
            (
                "Incorrect API key provided: sk-proj-abcdefghijkl_123. Look",
                "Incorrect API key provided: (secret) Look",
            ),
            ("Authorization: Bearer abc.def-ghijkl", "Authorization: (secret)"),
            ("{\"api_key\": \"0123456789abcdef\"}", "{\"(secret)\"}"),
            ("id eyJhbGciOi.eyJzdWIiOi.c2lnbmF0 end", "id (secret) end"),
            ("model gpt-6.1-sol was not found", "model gpt-6.1-sol was not found"),
            ("too many tokens: 1234567 > 200000", "too many tokens: 1234567 > 200000"),
            ("gho_abcdefghij1234 AIzaSyA1234567890", "(secret) (secret)"),
            (
                "skipped_everything: keyboard_interrupted pkcs8_parse_error",
                "skipped_everything: keyboard_interrupted pkcs8_parse_error",
            ),
            ("the key is missing", "the key is missing"),
        ] {
            assert_eq!(redact(text), said);
        }
    }
}
