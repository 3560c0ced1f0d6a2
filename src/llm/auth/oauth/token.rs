//! Token requests and their responses. Knows providers only by their rows.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::{LoginError, LoginRow};
use crate::llm::access::ApiKey;
use crate::llm::auth::entry::Login;
use crate::net::http::{Http, Post};

/// Maximum bytes of a response.
const ANSWER_MAX: usize = 256 << 10;
/// Default lifetime of a token in seconds.
const DEFAULT_LIFETIME: f64 = 3600.0;

/// A response of an authorization server.
pub struct TokenAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Its JSON; `null` if it is not JSON.
    pub body: Value,
}

/// Sends a request with fields, as a form or as JSON. Neither request nor response is ever recorded.
pub async fn send_fields(
    http: &Http,
    url: &str,
    fields: &[(&str, &str)],
    json: bool,
) -> Result<TokenAnswer, LoginError> {
    let (kind, body) = if json {
        let map: Map<String, Value> =
            fields.iter().map(|(name, value)| ((*name).to_string(), Value::from(*value))).collect();
        ("application/json", Value::Object(map).to_string())
    } else {
        ("application/x-www-form-urlencoded", encode_fields(fields))
    };
    let headers = vec![
        ("content-type".to_string(), kind.to_string()),
        ("accept".to_string(), "application/json".to_string()),
    ];
    let post =
        Post { url: url.to_string(), headers, body: body.into_bytes(), unrecorded: true, ..Post::default() };
    let response = http.post(post).await?;
    let status = response.status();
    let body = serde_json::from_str(&response.text(ANSWER_MAX).await).unwrap_or_default();
    Ok(TokenAnswer { status, body })
}

/// Encodes fields for a URL or a form.
pub fn encode_fields(fields: &[(&str, &str)]) -> String {
    let base = reqwest::Url::parse_with_params("http://localhost/", fields);
    base.ok().and_then(|url| url.query().map(str::to_string)).unwrap_or_default()
}

impl TokenAnswer {
    /// Returns the error code of the response, such as `authorization_pending`.
    pub fn code(&self) -> Option<&str> {
        self.body.get("error").and_then(Value::as_str)
    }

    /// Returns the server's error message, truncated; the body may contain secrets and is not displayed.
    pub fn error(&self) -> LoginError {
        let text = |name: &str| self.body.get(name).and_then(Value::as_str);
        let nested = self.body.get("error").and_then(|e| e.get("message")).and_then(Value::as_str);
        let message = text("error_description").or(nested).or(text("message")).or(self.code());
        let message = message.unwrap_or("no reason was given");
        LoginError::Refused(format!(
            "{} (HTTP {})",
            message.chars().take(300).collect::<String>(),
            self.status
        ))
    }

    /// Returns the login in the response. A server may omit the refresh token if the old one stays valid.
    pub fn login(&self, row: &LoginRow, before: Option<&Login>, now_ms: u64) -> Result<Login, LoginError> {
        if !(200..300).contains(&self.status) || self.code().is_some() {
            return Err(self.error());
        }
        let text = |name: &str| self.body.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
        let access = text("access_token").ok_or(LoginError::InvalidAnswer("it holds no access_token"))?;
        let refresh = text("refresh_token").map(|t| ApiKey(t.to_string()));
        let refresh = refresh.or(before.map(|login| login.refresh.clone())).unwrap_or(ApiKey(String::new()));
        let life = self
            .body
            .get("expires_in")
            .and_then(Value::as_f64)
            .filter(|s| *s > 0.0)
            .unwrap_or(DEFAULT_LIFETIME);
        let mut extra = before.map(|login| login.extra.clone()).unwrap_or_default();
        for (name, path) in &row.claims {
            let claims = claims(access).or_else(|| claims(text("id_token")?));
            let value = claims.and_then(|c| path.iter().try_fold(c, |value, key| value.get(key).cloned()));
            if let Some(value) = value.filter(Value::is_string) {
                extra.insert(name.clone(), value);
            }
        }
        let expires = now_ms.saturating_add((life * 1000.0) as u64);
        Ok(Login { access: ApiKey(access.to_string()), refresh, expires, extra })
    }
}

/// Returns the claims of a token that is a JWT. Not verified here; the provider does that.
fn claims(token: &str) -> Option<Value> {
    let body = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body.trim_end_matches('=')).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn answer(status: u16, body: Value) -> TokenAnswer {
        TokenAnswer { status, body }
    }

    #[test]
    fn oauth_token_claims_give_account_id() {
        let claims = json!({"https://api.openai.com/auth": {"chatgpt_account_id": "acc"}}).to_string();
        let token = format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        let row = super::super::find("openai-codex").unwrap();
        let got = answer(200, json!({"access_token": token, "refresh_token": "r", "expires_in": 10}));
        let login = got.login(row, None, 1000).unwrap();
        assert_eq!((login.expires, login.field("accountId")), (11_000, Some("acc")));
        // The next answer says neither: both stay.
        let next = answer(200, json!({"access_token": "opaque"})).login(row, Some(&login), 0).unwrap();
        assert_eq!((next.refresh, next.extra), (login.refresh, login.extra));
    }

    #[test]
    fn oauth_token_error_shows_reason_without_body() {
        let row = LoginRow::default();
        for (status, body, expected) in [
            (400, json!({"error": "invalid_grant", "error_description": "used"}), "used (HTTP 400)"),
            (500, json!({"error": {"message": "down"}}), "down (HTTP 500)"),
            (200, json!({"error": "slow_down"}), "slow_down (HTTP 200)"),
            (502, Value::Null, "no reason was given (HTTP 502)"),
            (200, json!({"token": "hunter2"}), "it holds no access_token"),
        ] {
            let error = answer(status, body).login(&row, None, 0).unwrap_err().to_string();
            assert!(error.ends_with(expected) && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn oauth_query_fields_are_escaped() {
        assert_eq!(encode_fields(&[("a", "b c&d"), ("é", "=")]), "a=b+c%26d&%C3%A9=%3D");
    }
}
