//! Token counts of Chat Completions servers. Pure.

use serde::Deserialize;
use serde_json::Value;

use crate::llm::stream::token_counts;
use crate::llm::stream_builder::StreamBuilder;

/// Counts of one answer; servers report cached tokens in three different fields.
#[derive(Debug, Deserialize)]
pub struct Counts {
    #[serde(default, deserialize_with = "token_counts::count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::group")]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default, deserialize_with = "token_counts::group")]
    completion_tokens_details: Option<CompletionDetails>,
    #[serde(default, deserialize_with = "token_counts::count")]
    prompt_cache_hit_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cached_tokens: Option<u64>,
    /// Dollars at `OpenRouter`; other servers use it differently.
    cost: Option<Value>,
    /// Whether the user's own key paid for the model, so that `cost` is only the router's fee.
    is_byok: Option<Value>,
    cost_details: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "token_counts::count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct CompletionDetails {
    #[serde(default, deserialize_with = "token_counts::count")]
    reasoning_tokens: Option<u64>,
}

/// Adds running totals, which are usually only in the last chunk. The prompt count includes cached tokens,
/// and the answer's includes reasoning.
pub fn apply_counts(counts: &Counts, draft: &mut StreamBuilder) {
    let usage = draft.usage();
    if let Some(prompt) = counts.prompt_tokens {
        let details = counts.prompt_tokens_details.as_ref();
        let cached = details.and_then(|details| details.cached_tokens);
        let cached = cached.or(counts.prompt_cache_hit_tokens).or(counts.cached_tokens).unwrap_or(0);
        usage.cache_read = cached.min(prompt);
        let written = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
        usage.cache_write = written.min(prompt - usage.cache_read);
        usage.input = prompt - usage.cache_read - usage.cache_write;
    }
    usage.output = counts.completion_tokens.unwrap_or(usage.output);
    let reasoning = counts.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    usage.reasoning = reasoning.or(usage.reasoning);
}

/// Adds the charges of a router in dollars: its own price, and the upstream cost paid with the user's own
/// key.
pub fn apply_charge(counts: &Counts, draft: &mut StreamBuilder) {
    let Some(cost) = counts.cost.as_ref().and_then(Value::as_f64) else { return };
    let own = counts.is_byok.as_ref().and_then(Value::as_bool).unwrap_or(false);
    let paid = counts.cost_details.as_ref().filter(|_| own);
    draft.set_charge(cost + paid.and_then(|paid| paid["upstream_inference_cost"].as_f64()).unwrap_or(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::{Model, StreamEvent};

    #[test]
    fn completions_cached_tokens_are_counted_once() {
        let of = |counts: Value| {
            let mut draft = StreamBuilder::new(&Model::default(), 0);
            apply_counts(&serde_json::from_value(counts).unwrap(), &mut draft);
            let StreamEvent::Done { message } = draft.done() else { panic!("it is whole") };
            let usage = message.usage;
            (usage.input, usage.cache_read, usage.cache_write, usage.output)
        };
        let details = json!({"cached_tokens": 60, "cache_write_tokens": 30});
        assert_eq!(
            of(json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": details})),
            (10, 60, 30, 5)
        );
        assert_eq!(of(json!({"prompt_tokens": 100, "prompt_cache_hit_tokens": 60})), (40, 60, 0, 0));
        assert_eq!(of(json!({"prompt_tokens": 100, "cached_tokens": 60})), (40, 60, 0, 0));
        assert_eq!(of(json!({"prompt_tokens": 10, "cached_tokens": 60})), (0, 10, 0, 0));
        assert_eq!(
            of(json!({"prompt_tokens": 100, "cached_tokens": -5, "completion_tokens": 7.0})),
            (100, 0, 0, 7)
        );
        assert_eq!(of(json!({"prompt_tokens": "100", "prompt_tokens_details": []})), (100, 0, 0, 0));
        assert_eq!(of(json!({"prompt_tokens": null, "prompt_tokens_details": null})), (0, 0, 0, 0));
    }

    #[test]
    fn completions_router_cost_replaces_total() {
        let total = |counts: Value| {
            let mut model = Model::default();
            model.cost.base.input = 5.0;
            let mut draft = StreamBuilder::new(&model, 0);
            draft.usage().input = 1_000_000;
            apply_charge(&serde_json::from_value(counts).unwrap(), &mut draft);
            let StreamEvent::Done { message } = draft.done() else { panic!("it is whole") };
            assert!((message.usage.cost.input - 5.0).abs() < 1e-9, "the parts stay the list's");
            message.usage.cost.total
        };
        let own = json!({"cost": 0.5, "is_byok": true, "cost_details": {"upstream_inference_cost": 2.0}});
        let routed = json!({"cost": 0.5, "is_byok": false, "cost_details": {"upstream_inference_cost": 0.5}});
        for (counts, dollars) in [
            (json!({}), 5.0),
            (json!({"cost": 0.25}), 0.25),
            (json!({"cost": 0}), 0.0),
            (json!({"cost": -1}), 5.0),
            (json!({"cost": {"total_cost": 1}, "cost_details": 3, "is_byok": "no"}), 5.0),
            (own, 2.5),
            (routed, 0.5),
        ] {
            assert!((total(counts.clone()) - dollars).abs() < 1e-9, "{counts}");
        }
    }
}
