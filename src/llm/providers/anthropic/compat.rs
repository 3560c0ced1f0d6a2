//! Differences between servers of the Messages API: flags of a model's data, with Anthropic's own behavior as
//! default. Pure.

use serde_json::Value;

use crate::llm::model::{Model, Prices, Request};
use crate::llm::request::affinity;

/// The flags of one model, by their names in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compat {
    /// `supportsEagerToolInputStreaming`: tool arguments are streamed while they are generated, enabled by a
    /// field of the tool; otherwise by a beta header.
    pub eager_tool_streaming: bool,
    /// `supportsLongCacheRetention`: prompts can be cached for an hour.
    pub long_cache: bool,
    /// `supportsCacheControlOnTools`.
    pub cached_tools: bool,
    /// `supportsTemperature`: sampling parameters are supported.
    pub temperature: bool,
    /// `allowEmptySignature`: unsigned thinking is accepted back.
    pub unsigned_thinking: bool,
    /// `supportsStrictTools`: arguments can be constrained to their schema, and so can answers.
    pub strict: bool,
    /// `forceAdaptiveThinking`: thinking has an effort instead of a budget.
    pub adaptive_thinking: bool,
    /// `boundThinking`, `supportsMidConvoEffort`: thinking blocks are valid only after the exact prompt and
    /// messages that they were generated for. If those have changed since (another tool, an edited
    /// `AGENTS.md`), the server must drop the blocks: rejecting the request would end the session for good.
    pub bound_thinking: bool,
}

impl Compat {
    /// Returns the flags of a model.
    pub fn of(model: &Model) -> Self {
        let or = |name: &str, default| model.compat.get(name).and_then(Value::as_bool).unwrap_or(default);
        Self {
            eager_tool_streaming: or("supportsEagerToolInputStreaming", true),
            long_cache: or("supportsLongCacheRetention", true),
            cached_tools: or("supportsCacheControlOnTools", true),
            temperature: or("supportsTemperature", true),
            unsigned_thinking: or("allowEmptySignature", false),
            strict: or("supportsStrictTools", false),
            adaptive_thinking: or("forceAdaptiveThinking", false),
            bound_thinking: or("boundThinking", false) || or("supportsMidConvoEffort", false),
        }
    }
}

/// Returns the header that routes the requests of a session to the same server, and its value.
pub fn session_header(request: &Request) -> Option<(&'static str, &str)> {
    let Request { model, .. } = request;
    let router = model.provider == "openrouter" || model.base_url.contains("openrouter.ai");
    let send = model.compat.get("sendSessionAffinityHeaders").and_then(Value::as_bool).unwrap_or(router);
    let format = model.compat.get("sessionAffinityFormat").and_then(Value::as_str);
    let name = match format {
        Some("openrouter") => "x-session-id",
        None if router => "x-session-id",
        _ => "x-session-affinity",
    };
    send.then_some(())?;
    Some((name, affinity::session_id(request)?))
}

/// `allowedFallbackModels`: the models that the server may use when this one refuses.
pub fn fallbacks(model: &Model) -> Vec<&str> {
    let list = model.compat.get("allowedFallbackModels").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|entry| entry["model"].as_str()).collect()
}

/// Returns the prices of such a fallback model.
pub fn fallback_prices(model: &Model, answered: &str) -> Option<Prices> {
    let list = model.compat.get("allowedFallbackModels")?.as_array()?;
    let entry = list.iter().find(|entry| entry["model"] == answered)?;
    serde_json::from_value(entry.get("cost")?.clone()).ok()
}
