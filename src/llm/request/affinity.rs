//! Session affinity of a request, so that it hits the prompt cache of the previous one. Pure; must not know
//! any provider.

use crate::llm::model::{CacheRetention, Request};

/// Maximum length of a cache key, in code points.
const KEY_MAX: usize = 64;

/// Returns the session id, unless nothing may be cached.
pub fn session_id(request: &Request) -> Option<&str> {
    request.session_id.as_deref().filter(|id| !id.is_empty() && request.cache != CacheRetention::None)
}

/// Returns the cache key: the first 64 code points of the session id.
pub fn cache_key(request: &Request) -> Option<&str> {
    session_id(request).map(|id| id.char_indices().nth(KEY_MAX).map_or(id, |(end, _)| &id[..end]))
}

/// Returns the headers that route a session's requests to the same machine, in the form that the model's data
/// or URL requires; `session` and `more` are their names in the default form, of which `openai-nosession`
/// omits the first.
pub fn headers(request: &Request, base_url: &str, session: &str, more: &[&str]) -> Vec<(String, String)> {
    let Some(id) = self::session_id(request) else { return Vec::new() };
    let model = &request.model;
    let router = model.provider == "openrouter" || base_url.contains("openrouter.ai");
    let names: Vec<&str> = match model.word("sessionAffinityFormat") {
        Some("openrouter") => vec!["x-session-id"],
        None if router => vec!["x-session-id"],
        Some("openai-nosession") => more.to_vec(),
        _ => [&[session], more].concat(),
    };
    names.into_iter().map(|name| (name.to_string(), id.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Model;

    #[test]
    fn session_affinity_format_names_the_headers() {
        let of = |provider: &str, url: &str, format: Option<&str>| {
            let mut model = Model::unknown(provider, "m", "a", url);
            model.compat.extend(format.map(|format| ("sessionAffinityFormat".to_string(), format.into())));
            let request = Request { model, session_id: Some("s".into()), ..Request::default() };
            let headers = headers(&request, url, "session-id", &["x-client-request-id"]);
            headers.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("openai", "", None), "session-id=s x-client-request-id=s");
        assert_eq!(of("openai", "", Some("openai-nosession")), "x-client-request-id=s");
        assert_eq!(of("x", "https://openrouter.ai/api/v1", None), "x-session-id=s");
        assert_eq!(of("openrouter", "", None), "x-session-id=s");
        assert_eq!(of("openrouter", "", Some("openai")), "session-id=s x-client-request-id=s");
        assert_eq!(of("x", "", Some("openrouter")), "x-session-id=s");
        assert_eq!(headers(&Request::default(), "", "a", &["b"]), []);
    }

    #[test]
    fn cache_key_is_truncated_at_char_boundary() {
        let of = |id: &str, cache| {
            let request = Request { session_id: Some(id.into()), cache, ..Request::default() };
            cache_key(&request).map(str::to_string)
        };
        assert_eq!(of(&"é".repeat(70), CacheRetention::Short), Some("é".repeat(64)));
        assert_eq!(of(&"é".repeat(64), CacheRetention::Long), Some("é".repeat(64)));
        assert_eq!(of("s", CacheRetention::None), None);
        assert_eq!(of("", CacheRetention::Short), None);
        assert_eq!(cache_key(&Request::default()), None);
    }
}
