//! What providers tell about their limits. Plain data; knows header names but no provider.

use serde::{Deserialize, Serialize};

/// How long the prefix of a prompt is kept, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptCache {
    /// By default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<u64>,
    /// At most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<u64>,
}

/// How much input a model takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InputLimits {
    /// Bytes of a whole request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<ImageLimits>,
}

/// How many images a model takes, and how large.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageLimits {
    /// In one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_message: Option<u64>,
    /// In the whole request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_request: Option<u64>,
    /// What larger ones are made smaller to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<Resize>,
}

/// The size that an image may have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resize {
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_width: Option<u32>,
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_height: Option<u32>,
    /// Bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jpeg_quality: Option<u8>,
}

/// How much may still be asked, as far as the headers of an answer tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests that are left in the window.
    pub requests_left: Option<u64>,
    /// Requests that a window allows.
    pub requests: Option<u64>,
    /// Tokens that are left in the window.
    pub tokens_left: Option<u64>,
    /// Tokens that a window allows.
    pub tokens: Option<u64>,
    /// When the window ends, in the provider's own words: a date or a duration.
    pub reset: Option<String>,
}

impl RateLimit {
    /// Reads the header names of `Anthropic`, and of `OpenAI` and those that follow it; `None` when
    /// there is nothing of the kind.
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
