//! Request URLs: users configure the root of an API with or without its version, and with or without the path
//! of the common request. Pure.

/// Returns the URL of a request for a root that conventionally includes the version (`/v1`, `/api/paas/v4`,
/// `/v1beta/openai`); a bare host means `/v1`.
pub fn url(base: &str, path: &str) -> String {
    let base = root(base, path);
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let version = if host.contains('/') { "" } else { "/v1" };
    format!("{base}{version}{path}")
}

/// Returns the URL of a request for a root whose version is always `/v1`, included or not.
pub fn first_version(base: &str, path: &str) -> String {
    let base = root(base, path);
    let base = base.strip_suffix("/v1").unwrap_or(base);
    format!("{base}/v1{path}")
}

/// Returns a base URL without trailing slash and without the path.
fn root<'a>(base: &'a str, path: &str) -> &'a str {
    let base = base.trim_end_matches('/');
    base.strip_suffix(path).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_url_from_any_base_url() {
        for (base, expected) in [
            ("https://api.example.com", "https://api.example.com/v1/ask"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1/v1/ask"),
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/ask"),
            ("https://h/v1beta/openai/", "https://h/v1beta/openai/ask"),
            ("https://h/api/v4/ask", "https://h/api/v4/ask"),
            ("https://h/api/v4/ask/", "https://h/api/v4/ask"),
            ("bare", "bare/v1/ask"),
        ] {
            assert_eq!(url(base, "/ask"), expected);
        }
    }

    #[test]
    fn endpoint_url_adds_missing_version() {
        for base in ["https://h/p", "https://h/p/", "https://h/p/v1", "https://h/p/v1/ask"] {
            assert_eq!(first_version(base, "/ask"), "https://h/p/v1/ask");
        }
    }
}
