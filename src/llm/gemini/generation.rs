//! Capabilities of Gemini models, derived from their ids. Pure.

use crate::llm::model::{Model, Thinking};

/// Returns the generation of a Gemini model, such as `(2, 5)`; `None` for other models and for aliases of the
/// newest one.
pub fn gemini_version(id: &str) -> Option<(u32, u32)> {
    let id = id.to_ascii_lowercase();
    let rest = id.split_once("gemini-")?.1;
    let rest = rest.strip_prefix("live-").unwrap_or(rest);
    let number = rest.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Whether thinking is set as a level; older models have a token budget.
pub fn has_levels(id: &str) -> bool {
    let lower = id.to_ascii_lowercase();
    let newest = lower.starts_with("gemini-") && lower.ends_with("-latest");
    let gemma = lower.contains("gemma-4") || lower.contains("gemma4");
    newest || gemma || gemini_version(&lower).is_some_and(|generation| generation >= (3, 0))
}

/// Whether calls and their results have ids.
pub fn has_call_ids(id: &str) -> bool {
    let foreign = id.starts_with("claude-") || id.starts_with("gpt-oss-");
    foreign || gemini_version(id).is_some_and(|generation| generation >= (3, 0))
}

/// Whether the result of a call may contain images.
pub fn has_images_in_results(id: &str) -> bool {
    gemini_version(id).is_none_or(|generation| generation >= (3, 0))
}

/// Whether the first call of an answer must be returned with a signature.
pub fn requires_signatures(id: &str) -> bool {
    gemini_version(id).is_some_and(|generation| generation >= (3, 0))
}

/// Whether a response format and tools can be combined.
pub fn has_format_with_tools(id: &str) -> bool {
    gemini_version(id).is_none_or(|generation| generation >= (3, 0))
}

/// Whether the response format may be any JSON Schema.
pub fn has_json_schema(id: &str) -> bool {
    gemini_version(id).is_none_or(|generation| generation >= (2, 5))
}

/// Returns pi's thinking budget in tokens; -1 leaves it to the model.
pub fn budget(model: &Model, level: Thinking) -> i64 {
    let pro = model.id.contains("2.5-pro");
    let lite = model.id.contains("2.5-flash-lite");
    if !pro && !model.id.contains("2.5-flash") {
        return if level == Thinking::Off { 0 } else { -1 };
    }
    match level {
        // The pro model cannot disable thinking; this is its minimum.
        Thinking::Off if pro => 128,
        Thinking::Off => 0,
        Thinking::Minimal if lite => 512,
        Thinking::Minimal => 128,
        Thinking::Low => 2048,
        Thinking::Medium => 8192,
        _ if pro => 32_768,
        _ => 24_576,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gemini_generation_is_parsed_from_id() {
        for (id, expected) in [
            ("gemini-2.5-pro", Some((2, 5))),
            ("models/gemini-3-flash-preview", Some((3, 0))),
            ("gemini-3.1-pro-preview", Some((3, 1))),
            ("gemini-live-2.5-flash", Some((2, 5))),
            ("Gemini-4-argon", Some((4, 0))),
            ("gemini-flash-latest", None),
            ("gemma-4-31b-it", None),
            ("claude-x", None),
        ] {
            assert_eq!(gemini_version(id), expected, "{id}");
        }
    }

    #[test]
    fn gemini_capabilities_follow_generation() {
        for id in ["gemini-3-flash-preview", "gemini-4-argon", "gemini-pro-latest", "gemma-4-31b-it"] {
            assert!(has_levels(id), "{id}");
        }
        assert!(!has_levels("gemini-2.5-pro") && !has_levels("gemma-3-27b-it"));
        assert!(has_call_ids("claude-sonnet-4") && !has_call_ids("gemini-2.5-flash"));
        assert!(has_images_in_results("claude-x") && !has_images_in_results("gemini-2.0-flash"));
    }
}
