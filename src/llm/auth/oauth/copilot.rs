//! GitHub Copilot's token exchange: a GitHub token for a Copilot token, which also names the API's host. Must
//! not know how the GitHub token was obtained.

use serde_json::Value;

use super::{LoginError, LoginRow};
use crate::llm::access::ApiKey;
use crate::llm::auth::entry::Login;
use crate::net::http::{Get, Http};

/// Field of a login with the domain of a GitHub Enterprise.
pub const DOMAIN: &str = "enterpriseUrl";

/// Exchanges the token; the GitHub token becomes the refresh token.
pub async fn exchange(row: &LoginRow, github: &Login, http: &Http) -> Result<Login, LoginError> {
    let secret = if github.refresh.0.is_empty() { &github.access } else { &github.refresh };
    let headers = vec![
        ("accept".to_string(), "application/json".to_string()),
        ("authorization".to_string(), format!("Bearer {}", secret.0)),
    ];
    let response = http.get(Get { url: row.exchange_url.clone(), headers, timeout: None }).await?;
    let status = response.status();
    let body: Value = serde_json::from_str(&response.text(64 << 10).await).unwrap_or_default();
    let Some(token) = body.get("token").and_then(Value::as_str) else {
        let message = body.get("message").and_then(Value::as_str).unwrap_or("no reason was given");
        return Err(LoginError::Refused(format!("{message} (HTTP {status})")));
    };
    let seconds = body.get("expires_at").and_then(Value::as_u64).unwrap_or_default();
    Ok(Login {
        access: ApiKey(token.to_string()),
        refresh: secret.clone(),
        expires: seconds.saturating_mul(1000),
        extra: github.extra.clone(),
    })
}

/// Returns the base URL of a login: the token names a proxy, an enterprise has its own host. `None` for other
/// providers, and when neither is given.
pub fn base_url(provider: &str, login: &Login) -> Option<String> {
    if provider != "github-copilot" {
        return None;
    }
    let proxy = login.access.0.split(';').find_map(|field| field.strip_prefix("proxy-ep="));
    let host = proxy.map(|host| format!("api.{}", host.strip_prefix("proxy.").unwrap_or(host)));
    let host = host.or_else(|| Some(format!("copilot-api.{}", login.field(DOMAIN)?)))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    (!host.is_empty() && host.chars().all(plain)).then(|| format!("https://{host}"))
}

/// Parses the domain in the user's input: `github.com`, a URL, or nothing.
pub fn domain(input: &str) -> Option<String> {
    let input = input.trim();
    let url = if input.contains("://") { input.to_string() } else { format!("https://{input}") };
    let host = reqwest::Url::parse(&url).ok()?.host_str()?.to_string();
    host.contains('.').then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use serde_json::Map;

    fn login(token: &str, extra: &Value) -> Login {
        let extra: Map<String, Value> = extra.as_object().unwrap().clone();
        Login { access: ApiKey(token.into()), refresh: ApiKey("g".into()), expires: 0, extra }
    }

    #[test]
    fn copilot_base_url_comes_from_token_or_login() {
        let url = |token: &str, extra: Value| base_url("github-copilot", &login(token, &extra));
        let named = url("tid=1;exp=2;proxy-ep=proxy.individual.example.com;x", json!({}));
        assert_eq!(named.as_deref(), Some("https://api.individual.example.com"));
        let own = url("opaque", json!({"enterpriseUrl": "corp.ghe.com"}));
        assert_eq!(own.as_deref(), Some("https://copilot-api.corp.ghe.com"));
        assert_eq!(url("opaque", json!({})), None);
        assert_eq!(url("proxy-ep=proxy.a/b@c", json!({})), None, "a host, nothing else");
        assert_eq!(base_url("xai", &login("proxy-ep=proxy.a.b", &json!({}))), None);
    }

    #[test]
    fn copilot_domain_is_parsed_from_user_input() {
        for (said, expected) in [
            ("corp.ghe.com", Some("corp.ghe.com")),
            ("https://a.b/c", Some("a.b")),
            ("", None),
            ("x y", None),
        ] {
            assert_eq!(domain(said).as_deref(), expected, "{said}");
        }
    }
}
