//! What providers tell about their rate limits. Plain data; knows header names but no provider.

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
    fn headers_of_two_families() {
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
