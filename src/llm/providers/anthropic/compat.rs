//! What servers of this wire differ in: flags of a model's data, with the defaults of Anthropic's
//! own. Pure.

use serde_json::Value;

use crate::llm::model::{Model, Prices, Request};
use crate::llm::request::affinity;

/// The flags of one model, by their names in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compat {
    /// `supportsEagerToolInputStreaming`: arguments of tools come as they are made, by a field of
    /// the tool; without it a beta is asked for.
    pub eager: bool,
    /// `supportsLongCacheRetention`: prompts can be kept for an hour.
    pub long_cache: bool,
    /// `supportsCacheControlOnTools`.
    pub cached_tools: bool,
    /// `supportsTemperature`: sampling parameters are taken at all.
    pub temperature: bool,
    /// `allowEmptySignature`: unsigned thinking is taken back.
    pub unsigned: bool,
    /// `supportsStrictTools`: arguments can be held to their schema, and so can answers.
    pub strict: bool,
    /// `forceAdaptiveThinking`: thinking has an effort in place of a budget.
    pub adaptive: bool,
    /// `boundThinking`, `supportsMidConvoEffort`: thinking blocks are valid only behind the very
    /// prompt and messages that they were made behind. Where those have changed since (another
    /// tool, an edited `AGENTS.md`), the server is to drop the blocks: refusing the request would
    /// end the session for good.
    pub bound: bool,
}

impl Compat {
    /// Of one model.
    pub fn of(model: &Model) -> Self {
        let or = |name: &str, default| model.compat.get(name).and_then(Value::as_bool).unwrap_or(default);
        Self {
            eager: or("supportsEagerToolInputStreaming", true),
            long_cache: or("supportsLongCacheRetention", true),
            cached_tools: or("supportsCacheControlOnTools", true),
            temperature: or("supportsTemperature", true),
            unsigned: or("allowEmptySignature", false),
            strict: or("supportsStrictTools", false),
            adaptive: or("forceAdaptiveThinking", false),
            bound: or("boundThinking", false) || or("supportsMidConvoEffort", false),
        }
    }
}

/// The header that leads the requests of one session to the same server, and its value.
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
    Some((name, affinity::session(request)?))
}

/// `allowedFallbackModels`: the models that the server may ask when this one refuses.
pub fn fallbacks(model: &Model) -> Vec<&str> {
    let list = model.compat.get("allowedFallbackModels").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|entry| entry["model"].as_str()).collect()
}

/// What an answer of one of those costs.
pub fn fallback_prices(model: &Model, answered: &str) -> Option<Prices> {
    let list = model.compat.get("allowedFallbackModels")?.as_array()?;
    let entry = list.iter().find(|entry| entry["model"] == answered)?;
    serde_json::from_value(entry.get("cost")?.clone()).ok()
}
