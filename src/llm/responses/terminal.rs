//! Final event of a Responses stream: stop reason and usage. Pure.

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{Model, StopReason};
use crate::llm::stream::token_counts;
use crate::llm::stream_builder::StreamBuilder;

/// How an answer ended.
#[derive(Debug, PartialEq)]
pub enum Ending {
    /// Complete, with the provider's stop reason.
    Complete(StopReason, String),
    /// Refused by the provider.
    Refused,
    /// Failed with this `error` object.
    Failed(Value),
    /// Cut off.
    Interrupted(String),
}

/// Returns the ending, from the event's name (without `response.`) and its data.
pub fn ending(kind: &str, response: &Value) -> Ending {
    let cause = response["incomplete_details"]["reason"].as_str();
    let status = response["status"].as_str().filter(|status| !status.is_empty());
    let status = match (kind, status) {
        ("failed" | "cancelled" | "incomplete", _) => kind,
        (_, Some(status)) => status,
        (_, None) => "completed",
    };
    match status {
        "failed" | "cancelled" => {
            let error = &response["error"];
            let reason = cause.map_or_else(|| status.to_string(), |cause| format!("{status}: {cause}"));
            Ending::Failed(if error.is_null() { json!({"message": reason}) } else { error.clone() })
        }
        "incomplete" => match cause {
            Some("max_output_tokens") => {
                Ending::Complete(StopReason::Length, "incomplete.max_output_tokens".to_string())
            }
            Some("content_filter") => Ending::Refused,
            Some(cause) => Ending::Interrupted(format!("the answer is incomplete: {cause}")),
            None => Ending::Interrupted("the answer is incomplete".to_string()),
        },
        status => Ending::Complete(StopReason::Stop, status.to_string()),
    }
}

/// Adds the usage: the prompt count includes tokens read from or written to a cache.
pub fn count(draft: &mut StreamBuilder, counts: &Value) {
    if !counts.is_object() {
        return;
    }
    let number = |value: &Value| token_counts::parse_count(value).unwrap_or(0);
    let prompt = number(&counts["input_tokens"]);
    let details = &counts["input_tokens_details"];
    let usage = draft.usage();
    usage.cache_read = number(&details["cached_tokens"]).min(prompt);
    usage.cache_write = number(&details["cache_write_tokens"]).min(prompt - usage.cache_read);
    usage.input = prompt - usage.cache_read - usage.cache_write;
    usage.output = number(&counts["output_tokens"]);
    usage.reasoning = token_counts::parse_count(&counts["output_tokens_details"]["reasoning_tokens"]);
}

/// Returns the price factor of the answer's service tier, if it is not the default. The model's data takes
/// precedence (`serviceTierPrices`).
pub fn price_factor(model: &Model, response: &Value, requested_tier: Option<&str>) -> Option<f64> {
    let served = response["service_tier"].as_str();
    // Some servers report `default` whatever they charge.
    let tier = match (served, requested_tier) {
        (Some("default") | None, requested_tier) => requested_tier?,
        (Some(served), _) => served,
    };
    let known = model.compat.get("serviceTierPrices").and_then(|prices| prices[tier].as_f64());
    known.or(match tier {
        "flex" => Some(0.5),
        "priority" | "fast" => Some(2.0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_terminal_event_gives_ending() {
        let of = |kind, response: &Value| ending(kind, response);
        let stop = |word: &str| Ending::Complete(StopReason::Stop, word.to_string());
        assert_eq!(of("completed", &json!({"status": "completed"})), stop("completed"));
        assert_eq!(of("done", &json!({})), stop("completed"));
        let cut = |why: &str| json!({"status": "incomplete", "incomplete_details": {"reason": why}});
        let length = Ending::Complete(StopReason::Length, "incomplete.max_output_tokens".to_string());
        assert_eq!(of("incomplete", &cut("max_output_tokens")), length);
        assert_eq!(of("completed", &cut("max_output_tokens")), length);
        assert_eq!(of("incomplete", &cut("content_filter")), Ending::Refused);
        assert_eq!(
            of("incomplete", &cut("odd")),
            Ending::Interrupted("the answer is incomplete: odd".into())
        );
        assert_eq!(of("incomplete", &json!(null)), Ending::Interrupted("the answer is incomplete".into()));
        let error = json!({"code": "server_error", "message": "oops"});
        assert_eq!(of("failed", &json!({"error": error})), Ending::Failed(error));
        assert_eq!(of("cancelled", &json!({})), Ending::Failed(json!({"message": "cancelled"})));
    }

    #[test]
    fn responses_service_tier_changes_price() {
        let mut model = Model::default();
        let of = |model: &Model, served: Value, asked| {
            price_factor(model, &json!({"service_tier": served}), asked).map(f64::to_bits)
        };
        let times = |factor: f64| Some(factor.to_bits());
        assert_eq!(of(&model, json!("flex"), None), times(0.5));
        assert_eq!(of(&model, json!("default"), Some("priority")), times(2.0));
        assert_eq!(of(&model, json!(null), None), None);
        assert_eq!(of(&model, json!("default"), Some("auto")), None);
        model.compat.insert("serviceTierPrices".into(), json!({"priority": 2.5}));
        assert_eq!(of(&model, json!("priority"), None), times(2.5));
    }
}
