//! Reads the usage of an answer from its line. Pure.
//!
//! Must not know entries. When a long session is first opened every answer is read, so only the added fields
//! are decoded.

use serde::Deserialize;

use crate::llm::model::Usage;
use crate::llm::model::usage::Cost;

/// The fields of a usage that are summed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::session) struct SummedUsage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    #[serde(rename = "cacheWrite1h")]
    cache_write_hour: Option<u64>,
    reasoning: Option<u64>,
    total_tokens: u64,
    cost: Cost,
}

impl From<SummedUsage> for Usage {
    fn from(counted: SummedUsage) -> Self {
        let SummedUsage { input, output, cache_read, cache_write, total_tokens, cost, .. } = counted;
        let SummedUsage { cache_write_hour, reasoning, .. } = counted;
        Self {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_hour,
            reasoning,
            total_tokens,
            cost,
            ..Self::default()
        }
    }
}

/// Parses the usage at the beginning of a text. An array is not accepted.
pub(in crate::session) fn parse_usage(text: &str) -> Option<SummedUsage> {
    let text = text.trim_start().starts_with('{').then_some(text)?;
    // Without a map for unknown fields, decoding is four times as fast.
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::base::seeds::cases(4096))]

        #[test]
        fn usage_line_scan_matches_decoder(
            fields in proptest::collection::vec((0usize..10, 0usize..14), 0..9),
        ) {
            const NAMES: [&str; 10] = [
                "input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens", "cost",
                "unknown", "total",
            ];
            // Such that nearly all are plain in some cases, and one is not.
            const VALUES: [&str; 14] = [
                "7", "0", "12", "18446744073709551615", r#"{"input":1,"total":2.5}"#, r#"{"output":1e-7,"cacheRead":0.1}"#,
                "1.5", "-3", "null", "\"x\"", r#"{"input":1,"total":2.5,"odd":[]}"#, "[1,2]", "18446744073709551616", "01",
            ];
            let fields = fields.iter().map(|(name, value)| format!("\"{}\":{}", NAMES[*name], VALUES[*value]));
            let text = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
            let whole: Option<Usage> = serde_json::from_str(&text).ok();
            let counted = parse_usage(&text).map(Usage::from);
            let plain = whole.map(|usage| Usage { extra: serde_json::Map::new(), ..usage });
            prop_assert_eq!(counted, plain, "{}", text);
        }
    }

    #[test]
    fn usage_line_is_read_from_rest_of_line() {
        let rest = r#"{"input":900,"output":80,"cacheWrite1h":20,"totalTokens":18446744073709551615,"cost":{"output":2,"cacheRead":1e-7}},"x":1}"#;
        let found = Usage::from(parse_usage(rest).unwrap());
        assert_eq!((found.input, found.cache_write_hour, found.total_tokens), (900, Some(20), u64::MAX));
        assert_eq!((found.cost.output, found.cost.cache_read), (2.0, 1e-7));
        for none in ["", "{", "[1]", r#"{"input":1"#, r#"{"input":}"#, r#"{"input":1,}"#] {
            assert!(parse_usage(none).is_none(), "{none}");
        }
    }
}
