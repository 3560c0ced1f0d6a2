//! Differences between makers' models, derived from a model's id and name: ids of inference profiles are
//! opaque, so a name that the user gave is checked, too. Pure.

use serde_json::{Map, Value};

use crate::base::json::json;

use crate::llm::model::{Model, Thinking};

/// Minimum thinking budget of Claude, and the minimum that is left for the answer.
const BUDGET_MIN: u64 = 1024;

/// Claude models whose thinking has an effort instead of a budget.
const ADAPTIVE: &[&str] = &["opus-4-6", "sonnet-4-6"];
/// Those whose thinking is also bound to prompt and tools.
const BOUND: &[&str] = &["opus-4-7", "opus-4-8", "opus-5", "sonnet-5", "haiku-5", "fable-5"];
/// Older models that support prompt caching.
const CACHED: &[&str] = &["-4-", "claude-3-7-sonnet", "claude-3-5-haiku"];

/// Whether one of these words is in the id or the name, ignoring punctuation.
fn matches_any(model: &Model, words: &[&str]) -> bool {
    let plain = |text: &str| {
        let mut out = String::new();
        for c in text.to_lowercase().chars() {
            let c = if c.is_whitespace() || "_.:".contains(c) { '-' } else { c };
            if c != '-' || !out.ends_with('-') {
                out.push(c);
            }
        }
        out
    };
    let (id, name) = (plain(&model.id), plain(&model.name));
    words.iter().any(|word| id.contains(word) || name.contains(word))
}

/// Whether the model is Anthropic's.
pub fn is_claude(model: &Model) -> bool {
    matches_any(model, &["claude"])
}

/// Whether the model supports prompt caching with markers.
pub fn supports_prompt_cache(model: &Model) -> bool {
    is_claude(model) && (matches_any(model, BOUND) || matches_any(model, CACHED))
}

/// Whether tool arguments can be constrained to their schemas.
pub fn supports_strict_tools(model: &Model) -> bool {
    model.flag("supportsStrictMode")
}

fn is_govcloud(model: &Model, region: &str) -> bool {
    let id = model.id.to_lowercase();
    region.starts_with("us-gov-") || id.starts_with("us-gov.") || id.starts_with("arn:aws-us-gov:")
}

/// Returns the field that enables thinking; `None` without thinking. `forced`: a tool must be called, which
/// excludes thinking with a budget.
pub fn thinking(model: &Model, requested: Thinking, max: u64, region: &str, forced: bool) -> Option<Value> {
    let level = model.nearest_level(requested);
    if !model.reasoning || level == Thinking::Off {
        return None;
    }
    if is_claude(model) {
        return claude(model, level, max, is_govcloud(model, region), forced);
    }
    if matches_any(model, &["gpt-oss"]) {
        return Some(json!({"reasoning_effort": effort(level)}));
    }
    if matches_any(model, &["gpt-"]) {
        let word = effort_word(model, level).unwrap_or(match level {
            Thinking::Xhigh | Thinking::Max => level.name(),
            _ => effort(level),
        });
        return Some(json!({"reasoning": {"effort": word}}));
    }
    None
}

fn claude(model: &Model, level: Thinking, max: u64, governmental: bool, forced: bool) -> Option<Value> {
    let (adaptive, bound) = (matches_any(model, ADAPTIVE), matches_any(model, BOUND));
    let mut thinking = Map::new();
    let mut all = Map::new();
    if adaptive || bound {
        thinking.insert("type".into(), "adaptive".into());
    } else {
        let budget = level.budget().min(max.saturating_sub(BUDGET_MIN));
        if budget < BUDGET_MIN || forced {
            return None;
        }
        thinking.insert("type".into(), "enabled".into());
        thinking.insert("budget_tokens".into(), budget.into());
    }
    // The government regions do not support these fields yet.
    if !governmental {
        thinking.insert("display".into(), "summarized".into());
        if bound {
            thinking.insert("block_binding".into(), json!({"prefix_mismatch_behavior": "drop_block"}));
        }
    }
    all.insert("thinking".into(), Value::Object(thinking));
    let beta = if adaptive || bound {
        let xhigh = level >= Thinking::Xhigh && bound;
        let word = if xhigh { Some("xhigh") } else { effort_word(model, level) };
        all.insert("output_config".into(), json!({"effort": word.unwrap_or(effort(level))}));
        (bound && !governmental).then_some("thinking-binding-controls-2026-08-01")
    } else {
        Some("interleaved-thinking-2025-05-14")
    };
    all.extend(beta.map(|beta| ("anthropic_beta".to_string(), json!([beta]))));
    Some(Value::Object(all))
}

fn effort_word(model: &Model, level: Thinking) -> Option<&str> {
    model.thinking_level_map.get(level.name()).and_then(Option::as_deref)
}

/// Returns an effort level that every maker supports.
fn effort(level: Thinking) -> &'static str {
    match level {
        Thinking::Off | Thinking::Minimal | Thinking::Low => "low",
        Thinking::Medium => "medium",
        Thinking::High | Thinking::Xhigh | Thinking::Max => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str) -> Model {
        Model { reasoning: true, ..Model::unknown("amazon-bedrock", id, "bedrock-converse-stream", "") }
    }

    fn of(id: &str, level: Thinking) -> Option<Value> {
        thinking(&model(id), level, 64_000, "us-east-1", false)
    }

    #[test]
    fn bedrock_thinking_fields_by_family() {
        let old = json!({"thinking": {"type": "enabled", "budget_tokens": 8192, "display": "summarized"},
            "anthropic_beta": ["interleaved-thinking-2025-05-14"]});
        assert_eq!(of("anthropic.claude-sonnet-4-5-20250929-v1:0", Thinking::Medium), Some(old));
        let adaptive = json!({"thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": "high"}});
        assert_eq!(of("us.anthropic.claude-opus-4-6-v1", Thinking::High), Some(adaptive));
        let bound = json!({"thinking": {"type": "adaptive", "display": "summarized",
                "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
            "output_config": {"effort": "low"}, "anthropic_beta": ["thinking-binding-controls-2026-08-01"]});
        assert_eq!(of("us.anthropic.claude-opus-5-5", Thinking::Minimal), Some(bound));
        let flat = json!({"reasoning_effort": "high"});
        assert_eq!(of("openai.gpt-oss-120b-1:0", Thinking::High), Some(flat));
        assert_eq!(of("openai.gpt-5.6", Thinking::Minimal), Some(json!({"reasoning": {"effort": "low"}})));
        assert_eq!(of("amazon.nova-pro-v1:0", Thinking::High), None);
        assert_eq!(of("us.anthropic.claude-opus-5-5", Thinking::Off), None);
    }

    #[test]
    fn bedrock_family_uses_model_name_for_arns() {
        let arn = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x";
        let named = Model { name: "My Claude Opus 4.7".into(), ..model(arn) };
        assert!(is_claude(&named) && supports_prompt_cache(&named) && !supports_prompt_cache(&model(arn)));
        assert!(!supports_prompt_cache(&model("anthropic.claude-3-haiku-20240307-v1:0")));
    }

    #[test]
    fn bedrock_thinking_excluded_by_gov_region_or_forced_tool() {
        let bound = model("us-gov.anthropic.claude-opus-5");
        let asked = thinking(&bound, Thinking::High, 64_000, "us-gov-west-1", false);
        let expected = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}});
        assert_eq!(asked, Some(expected));
        let old = model("anthropic.claude-sonnet-4-5-v1:0");
        assert_eq!(thinking(&old, Thinking::High, 64_000, "us-east-1", true), None);
        assert_eq!(thinking(&old, Thinking::High, 2_000, "us-east-1", false), None, "no room to think");
    }
}
