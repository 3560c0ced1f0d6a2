//! Prompt cache control of a request: a key, a duration, or Anthropic's markers. Pure.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::Compat;
use crate::llm::model::{CacheRetention, Request};
use crate::llm::request::affinity;

/// Adds key and duration.
pub fn add(body: &mut Map<String, Value>, request: &Request) {
    let compat = Compat::of(&request.model);
    let long = request.cache == CacheRetention::Long;
    if let Some(key) = affinity::cache_key(request).filter(|_| compat.supports_cache_key(long)) {
        body.insert("prompt_cache_key".into(), key.into());
    }
    if long && compat.supports_long_cache() && !compat.uses_cache_markers() {
        body.insert("prompt_cache_retention".into(), "24h".into());
    }
}

/// Adds cache markers: to the system prompt, the tools, the last message and the last one of the previous
/// request.
pub fn mark(messages: &mut [Value], tools: &mut [Value], request: &Request) {
    let compat = Compat::of(&request.model);
    if !compat.uses_cache_markers() || request.cache == CacheRetention::None {
        return;
    }
    let mut kept = json!({"type": "ephemeral"});
    if request.cache == CacheRetention::Long && compat.supports_long_cache() {
        kept["ttl"] = "1h".into();
    }
    if let Some(system) =
        messages.first_mut().filter(|first| first["role"] == "system" || first["role"] == "developer")
    {
        mark_text(system, &kept);
    }
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = kept.clone();
    }
    let until = messages.iter().rposition(|message| message["role"] == "assistant").unwrap_or(0);
    let (before, after) = messages.split_at_mut(until);
    for half in [before, after] {
        let recent =
            half.iter_mut().rev().filter(|message| message["role"] == "user" || message["role"] == "tool");
        for message in recent {
            if mark_text(message, &kept) {
                break;
            }
        }
    }
}

/// Marks the last text of a message; `false` if it has none.
fn mark_text(message: &mut Value, kept: &Value) -> bool {
    let content = &mut message["content"];
    if let Some(text) = content.as_str().filter(|text| !text.is_empty()) {
        *content = json!([{"type": "text", "text": text, "cache_control": kept}]);
        return true;
    }
    let texts = content.as_array_mut().into_iter().flatten().rev();
    for part in texts {
        if part["type"] == "text" {
            part["cache_control"] = kept.clone();
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Model;

    fn request(url: &str, cache: CacheRetention, compat: &[(&str, Value)]) -> Request {
        let mut model = Model::unknown("p", "m", "openai-completions", url);
        model.compat.extend(compat.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
        Request { model, cache, session_id: Some("s".into()), ..Request::default() }
    }

    #[test]
    fn completions_cache_key_and_long_retention() {
        let of = |url: &str, cache, compat: &[(&str, Value)]| {
            let mut body = Map::new();
            add(&mut body, &request(url, cache, compat));
            (body.contains_key("prompt_cache_key"), body.contains_key("prompt_cache_retention"))
        };
        let (short, long) = (CacheRetention::Short, CacheRetention::Long);
        let openai = "https://api.openai.com/v1";
        assert_eq!(of(openai, short, &[]), (true, false));
        assert_eq!(of(openai, long, &[]), (true, true));
        assert_eq!(of(openai, CacheRetention::None, &[]), (false, false));
        assert_eq!(of("http://h", short, &[]), (false, false));
        assert_eq!(of("http://h", long, &[]), (true, true));
        assert_eq!(of("http://h", long, &[("supportsLongCacheRetention", json!(false))]), (false, false));
        assert_eq!(of("http://h", short, &[("promptCacheKeyMode", json!("enabled"))]), (true, false));
        assert_eq!(of(openai, short, &[("promptCacheKeyMode", json!("disabled"))]), (false, false));
    }

    #[test]
    fn completions_cache_control_marks_at_most_four() {
        let marked = |cache, compat: &[(&str, Value)]| {
            let mut messages = [
                json!({"role": "system", "content": "be"}),
                json!({"role": "user", "content": "one"}),
                json!({"role": "assistant", "content": "two"}),
                json!({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}),
                json!({"role": "assistant", "content": null}),
                json!({"role": "tool", "content": "three"}),
                json!({"role": "tool", "content": ""}),
            ];
            let mut tools = [json!({"name": "a"}), json!({"name": "b"})];
            mark(&mut messages, &mut tools, &request("", cache, compat));
            json!([messages, tools])
        };
        let short = marked(CacheRetention::Short, &[("cacheControlFormat", json!("anthropic"))]);
        let kept = json!({"type": "ephemeral"});
        let text = |words: &str| json!([{"type": "text", "text": words, "cache_control": kept}]);
        assert_eq!(short[0][0]["content"], text("be"));
        assert_eq!(short[0][1]["content"], "one");
        assert_eq!(short[0][3]["content"][0]["cache_control"], kept);
        assert_eq!(short[0][5]["content"], text("three"));
        assert_eq!(short[1], json!([{"name": "a"}, {"name": "b", "cache_control": kept}]));
        assert_eq!(short.to_string().matches("cache_control").count(), 4);
        let long = marked(CacheRetention::Long, &[("cacheControlFormat", json!("anthropic"))]);
        assert_eq!(long[1][1]["cache_control"]["ttl"], "1h");
        let none = marked(CacheRetention::None, &[("cacheControlFormat", json!("anthropic"))]);
        assert_eq!(none, marked(CacheRetention::Short, &[]));
    }
}
