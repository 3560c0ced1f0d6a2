//! Limits that providers report. Plain data; knows header names but no provider.

use serde::{Deserialize, Serialize};

/// How long a prompt's prefix is cached, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptCache {
    /// Default duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<u64>,
    /// Maximum duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<u64>,
}

/// Input limits of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InputLimits {
    /// Maximum bytes of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Image limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<ImageLimits>,
}

/// Image limits of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageLimits {
    /// Maximum number in one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_message: Option<u64>,
    /// Maximum number in a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_request: Option<u64>,
    /// The size to which larger images are reduced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<Resize>,
}

/// Maximum size of an image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resize {
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_width: Option<u32>,
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_height: Option<u32>,
    /// Maximum bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// JPEG quality, from 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jpeg_quality: Option<u8>,
}

/// Rate limit information in the headers of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// Remaining requests in the window.
    pub requests_left: Option<u64>,
    /// Requests per window.
    pub requests: Option<u64>,
    /// Remaining tokens in the window.
    pub tokens_left: Option<u64>,
    /// Tokens per window.
    pub tokens: Option<u64>,
    /// When the window ends, as the provider writes it: a date or a duration.
    pub reset: Option<String>,
}

impl RateLimit {
    /// Parses the headers of `Anthropic`, and of `OpenAI` and compatible servers; `None` when there are none.
    pub fn read<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let first = |names: [&str; 2]| names.iter().find_map(|name| header(name));
        let number = |names| first(names).and_then(|value| value.trim().parse().ok());
        let limit = Self {
            requests_left: number([
                "anthropic-ratelimit-requests-remaining",
                "x-ratelimit-remaining-requests",
            ]),
            requests: number(["anthropic-ratelimit-requests-limit", "x-ratelimit-limit-requests"]),
            tokens_left: number(["anthropic-ratelimit-tokens-remaining", "x-ratelimit-remaining-tokens"]),
            tokens: number(["anthropic-ratelimit-tokens-limit", "x-ratelimit-limit-tokens"]),
            reset: first(["anthropic-ratelimit-tokens-reset", "x-ratelimit-reset-tokens"])
                .map(str::to_string),
        };
        (limit != Self::default()).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limit_headers_of_two_families() {
        let read = |pairs: &[(&str, &'static str)]| {
            RateLimit::read(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
        };
        assert_eq!(read(&[("x-request-id", "1")]), None);
        assert_eq!(read(&[("x-ratelimit-remaining-requests", "soon")]), None);
        let anthropic = read(&[
            ("anthropic-ratelimit-tokens-remaining", "800"),
            ("anthropic-ratelimit-tokens-limit", "1000"),
            ("anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:00Z"),
        ]);
        let openai = read(&[
            ("x-ratelimit-remaining-tokens", "800"),
            ("x-ratelimit-limit-tokens", " 1000 "),
            ("x-ratelimit-reset-tokens", "2026-01-01T00:00:00Z"),
        ]);
        assert_eq!(anthropic, openai);
        assert_eq!(anthropic.and_then(|limit| limit.tokens_left), Some(800));
    }
}
