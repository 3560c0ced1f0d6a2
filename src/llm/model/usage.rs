//! Token usage and cost. `input` never includes cached tokens: adapters subtract them if the provider counts
//! them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Tokens of one response, and their cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Output tokens, thinking included.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    /// The part of it that is cached for an hour, if the provider reports it.
    #[serde(rename = "cacheWrite1h", skip_serializing_if = "Option::is_none")]
    pub cache_write_hour: Option<u64>,
    /// Thinking tokens, if the provider reports them; part of `output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// All of the above, which fill the context window.
    pub total_tokens: u64,
    /// Cost in US dollars.
    pub cost: Cost,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// US dollars per part of a usage, or per million tokens in a price list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// Uncached prompt tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
    /// The total; 0 in a price list.
    pub total: f64,
}

/// Prices of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// The prices for prompts below every tier.
    #[serde(flatten)]
    pub base: Cost,
    /// Higher prices for longer prompts, applied to the whole request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
}

/// Prices from a prompt length on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tier {
    /// Applies to prompts with more tokens than this, cached ones included.
    pub input_tokens_above: u64,
    /// The prices.
    #[serde(flatten)]
    pub cost: Cost,
}

/// Price of caching a prompt for an hour, relative to the prompt's price.
pub const HOUR: f64 = 2.0;

impl Prices {
    /// Returns the prices for a prompt of this many tokens.
    pub fn for_prompt(&self, tokens: u64) -> &Cost {
        let tier = self.tiers.iter().filter(|t| tokens > t.input_tokens_above);
        tier.max_by_key(|t| t.input_tokens_above).map_or(&self.base, |t| &t.cost)
    }
}

impl Usage {
    /// Returns all prompt tokens, cached ones included. Counts come from a server: overflow saturates.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Sets `total_tokens` and `cost` from the counts and prices per million tokens.
    pub fn price(&mut self, per_million: &Cost) {
        let part = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        self.total_tokens = self.prompt().saturating_add(self.output);
        self.cost.input = part(self.input, per_million.input);
        self.cost.output = part(self.output, per_million.output);
        self.cost.cache_read = part(self.cache_read, per_million.cache_read);
        // Price lists have the price of short caching; an hour costs twice the prompt.
        let hour = self.cache_write_hour.unwrap_or(0).min(self.cache_write);
        self.cost.cache_write =
            part(self.cache_write - hour, per_million.cache_write) + part(hour, HOUR * per_million.input);
        self.cost.total = self.cost.input + self.cost.output + self.cost.cache_read + self.cost.cache_write;
    }
}

impl std::ops::AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        for (mine, others) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.total_tokens, other.total_tokens),
        ] {
            *mine = mine.saturating_add(others);
        }
        if let Some(hour) = other.cache_write_hour {
            self.cache_write_hour = Some(self.cache_write_hour.unwrap_or(0).saturating_add(hour));
        }
        if let Some(reasoning) = other.reasoning {
            self.reasoning = Some(self.reasoning.unwrap_or(0).saturating_add(reasoning));
        }
        self.cost.input += other.cost.input;
        self.cost.output += other.cost.output;
        self.cost.cache_read += other.cost.cache_read;
        self.cost.cache_write += other.cost.cache_write;
        self.cost.total += other.cost.total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_overflowing_counts_saturate() {
        let mut usage = Usage {
            input: u64::MAX,
            output: 7,
            cache_read: 1,
            reasoning: Some(u64::MAX),
            ..Usage::default()
        };
        usage.price(&Cost { input: 1.0, ..Cost::default() });
        assert_eq!((usage.prompt(), usage.total_tokens), (u64::MAX, u64::MAX));
        let mut all = usage.clone();
        all += &usage;
        assert_eq!((all.input, all.output, all.reasoning), (u64::MAX, 14, Some(u64::MAX)));
    }

    #[test]
    fn usage_long_prompt_uses_price_tier() {
        let prices: Prices = serde_json::from_str(
            r#"{"input": 1, "output": 2, "cacheRead": 0.5, "cacheWrite": 1.5,
                "tiers": [{"inputTokensAbove": 100, "input": 10, "output": 20}]}"#,
        )
        .unwrap();
        assert_eq!(prices.for_prompt(100).output.to_bits(), 2f64.to_bits());
        assert_eq!(prices.for_prompt(101).output.to_bits(), 20f64.to_bits());
        let mut usage = Usage { input: 1_000_000, cache_read: 2_000_000, output: 5, ..Usage::default() };
        usage.price(&prices.base);
        assert_eq!(usage.total_tokens, 3_000_005);
        assert!((usage.cost.total - 2.000_01).abs() < 1e-9, "{:?}", usage.cost);
    }

    #[test]
    fn usage_hour_cache_writes_cost_double_input() {
        let prices = Cost { input: 3.0, cache_write: 3.75, ..Cost::default() };
        let cost = |hour: Option<u64>| {
            let mut usage = Usage { cache_write: 1_000_000, cache_write_hour: hour, ..Usage::default() };
            usage.price(&prices);
            assert_eq!(usage.total_tokens, 1_000_000, "counted once");
            usage.cost.total
        };
        for (hour, dollars) in [(None, 3.75), (Some(0), 3.75), (Some(1_000_000), 6.0), (Some(400_000), 4.65)]
        {
            assert!((cost(hour) - dollars).abs() < 1e-9, "{hour:?}: {}", cost(hour));
        }
        assert!((cost(Some(u64::MAX)) - 6.0).abs() < 1e-9, "no more than was written");
        let mut sum = Usage::default();
        assert!(!serde_json::to_string(&sum).unwrap().contains("cacheWrite1h"));
        sum += &Usage { cache_write_hour: Some(3), ..Usage::default() };
        sum += &Usage { cache_write_hour: Some(4), ..Usage::default() };
        assert_eq!(serde_json::to_value(&sum).unwrap()["cacheWrite1h"], 7);
    }
}
