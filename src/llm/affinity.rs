//! What a request tells about its session, so that it meets the cache of the one before. Pure;
//! must not know any provider.

use super::model::{CacheRetention, Request};

/// The longest key that is taken, in code points.
const KEY_MAX: usize = 64;

/// The session, where something of it may be kept.
pub fn session(request: &Request) -> Option<&str> {
    request.session_id.as_deref().filter(|id| !id.is_empty() && request.cache != CacheRetention::None)
}

/// The session as a cache key: its first 64 code points.
pub fn cache_key(request: &Request) -> Option<&str> {
    session(request).map(|id| id.char_indices().nth(KEY_MAX).map_or(id, |(end, _)| &id[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_between_characters() {
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
