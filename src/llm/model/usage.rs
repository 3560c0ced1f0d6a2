//! Tokens and money. `input` never counts cached tokens: whichever way a provider counts, its
//! adapter subtracts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Tokens of one response, and what they cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Tokens that the model produced, thinking included.
    pub output: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    /// Thinking tokens, where the provider tells; part of `output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// All of the above that fill the context window.
    pub total_tokens: u64,
    /// In US dollars.
    pub cost: Cost,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// US dollars per part of a usage, or per million tokens in a price list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// Uncached prompt.
    pub input: f64,
    /// Produced tokens.
    pub output: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
    /// The sum; 0 in a price list.
    pub total: f64,
}

impl Usage {
    /// Fills `total_tokens` and `cost` from the counts and a price per million tokens.
    pub fn price(&mut self, per_million: &Cost) {
        let part = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        self.total_tokens = self.input + self.output + self.cache_read + self.cache_write;
        self.cost.input = part(self.input, per_million.input);
        self.cost.output = part(self.output, per_million.output);
        self.cost.cache_read = part(self.cache_read, per_million.cache_read);
        self.cost.cache_write = part(self.cache_write, per_million.cache_write);
        self.cost.total = self.cost.input + self.cost.output + self.cost.cache_read + self.cost.cache_write;
    }
}

impl std::ops::AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.total_tokens += other.total_tokens;
        if other.reasoning.is_some() {
            self.reasoning = Some(self.reasoning.unwrap_or(0) + other.reasoning.unwrap_or(0));
        }
        self.cost.input += other.cost.input;
        self.cost.output += other.cost.output;
        self.cost.cache_read += other.cost.cache_read;
        self.cost.cache_write += other.cost.cache_write;
        self.cost.total += other.cost.total;
    }
}
