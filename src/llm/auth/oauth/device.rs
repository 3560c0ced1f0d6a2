//! The login on another machine (RFC 8628): a code, a page to type it into, and asking until
//! somebody has.

use std::time::Duration;

use serde_json::Value;

use super::{LoginError, LoginRow, Talk, token};
use crate::llm::auth::entry::Login;
use crate::llm::model::Notice;
use crate::net::http::Http;

/// Seconds between two questions where the server does not say.
const INTERVAL: f64 = 5.0;
/// What "slower" adds.
const SLOWER: f64 = 5.0;
/// Seconds that a code lives where the server does not say.
const LIFE: f64 = 900.0;

/// Runs the flow to its end.
pub async fn run(
    row: &LoginRow,
    client: &str,
    http: &Http,
    talk: &dyn Talk,
    now_ms: impl Fn() -> u64 + Send,
) -> Result<Login, LoginError> {
    let mut fields = vec![("client_id", client)];
    if !row.scope.is_empty() {
        fields.push(("scope", &row.scope));
    }
    let answer = token::ask(http, &row.device_url, &fields, false).await?;
    let text = |name: &str| answer.body.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let (Some(device), Some(code)) = (text("device_code"), text("user_code")) else {
        return Err(answer.refusal());
    };
    let page = text("verification_uri_complete").or(text("verification_uri")).filter(|url| is_page(url));
    let page = page.ok_or(LoginError::Nonsense("it names no page"))?;
    talk.tell(Notice::Code { code: code.to_string(), page: page.to_string() });
    let seconds = |name: &str| answer.body.get(name).and_then(Value::as_f64).filter(|s| *s > 0.0);
    let mut interval = seconds("interval").unwrap_or(INTERVAL);
    let mut left = seconds("expires_in").unwrap_or(LIFE);
    while left > 0.0 {
        tokio::time::sleep(Duration::from_secs_f64(interval.min(left))).await;
        left -= interval;
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("client_id", client),
            ("device_code", device),
        ];
        let answer = token::ask(http, &row.token_url, &fields, false).await?;
        match answer.code() {
            Some("authorization_pending") => {}
            Some("slow_down") => {
                let told = answer.body.get("interval").and_then(Value::as_f64).filter(|s| *s > interval);
                interval = told.unwrap_or(interval + SLOWER);
            }
            Some("expired_token") => return Err(LoginError::Expired),
            _ => return answer.login(row, None, now_ms()),
        }
    }
    Err(LoginError::Expired)
}

/// A server must not make a terminal open anything but a page.
fn is_page(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_shown() {
        for (url, yes) in [("https://x.example/a", true), ("javascript:x", false), ("file:///etc", false)] {
            assert_eq!(is_page(url), yes, "{url}");
        }
    }
}
