//! Tokens as Chat Completions servers count them. Pure.

use serde::Deserialize;

use crate::llm::draft::Draft;

/// Counts of one answer; servers put what came from a cache in three places.
#[derive(Debug, Deserialize)]
pub struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    prompt_cache_hit_tokens: Option<u64>,
    cached_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// Takes in running totals, most often in the last chunk alone. On this wire the prompt's tokens
/// include those of the cache, and the answer's those of the reasoning.
pub fn take(counts: &Counts, draft: &mut Draft) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Model, StreamEvent};
    use serde_json::{Value, json};

    #[test]
    fn what_came_from_a_cache_is_counted_once_wherever_it_is_told() {
        let of = |counts: Value| {
            let mut draft = Draft::new(&Model::default(), 0);
            take(&serde_json::from_value(counts).unwrap(), &mut draft);
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
        assert_eq!(of(json!({"prompt_tokens": null, "prompt_tokens_details": null})), (0, 0, 0, 0));
    }
}
