//! OAuth device flow (RFC 8628): displays a code and a page to enter it on, and polls until it was entered.

use std::time::Duration;

use serde_json::Value;

use super::{LoginError, LoginRow, LoginUi, token};
use crate::llm::auth::entry::Login;
use crate::llm::model::Notice;
use crate::net::error::NetError;
use crate::net::http::Http;

/// Default polling interval in seconds.
const INTERVAL: f64 = 5.0;
/// Seconds added by a `slow_down` response.
const SLOW_DOWN_STEP: f64 = 5.0;
/// Default lifetime of a code in seconds.
const DEFAULT_LIFETIME: f64 = 900.0;
/// Maximum duration that is accepted from a server, in seconds.
const SECONDS_MAX: f64 = 24.0 * 3600.0;

/// Runs the flow to its end.
pub async fn run(
    row: &LoginRow,
    client: &str,
    http: &Http,
    talk: &dyn LoginUi,
    now_ms: impl Fn() -> u64 + Send,
) -> Result<Login, LoginError> {
    let mut fields = vec![("client_id", client)];
    if !row.scope.is_empty() {
        fields.push(("scope", &row.scope));
    }
    let answer = token::send_fields(http, &row.device_url, &fields, false).await?;
    let text = |name: &str| answer.body.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let (Some(device), Some(code)) = (text("device_code"), text("user_code")) else {
        return Err(answer.error());
    };
    let page = text("verification_uri_complete").or(text("verification_uri")).filter(|url| is_page(url));
    let page = page.ok_or(LoginError::InvalidAnswer("it names no page"))?;
    talk.notify(Notice::Code { code: code.to_string(), page: page.to_string() });
    let seconds = |name: &str| seconds(&answer.body, name);
    let mut interval = seconds("interval").unwrap_or(INTERVAL);
    let mut left = seconds("expires_in").unwrap_or(DEFAULT_LIFETIME);
    while left > 0.0 {
        tokio::time::sleep(Duration::from_secs_f64(interval.min(left))).await;
        left -= interval;
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("client_id", client),
            ("device_code", device),
        ];
        let answer = match token::send_fields(http, &row.token_url, &fields, false).await {
            // A failed poll does not end the flow: the user may still be entering the code.
            Err(LoginError::Net(NetError::Connection { .. } | NetError::IdleTimeout { .. })) => {
                interval *= 2.0;
                continue;
            }
            answer => answer?,
        };
        match answer.code() {
            Some("authorization_pending") => {}
            Some("slow_down") => {
                let requested =
                    self::seconds(&answer.body, "interval").filter(|requested| *requested > interval);
                interval = requested.unwrap_or(interval + SLOW_DOWN_STEP);
            }
            Some("expired_token") => return Err(LoginError::Expired),
            _ => return answer.login(row, None, now_ms()),
        }
    }
    Err(LoginError::Expired)
}

/// Parses a plausible duration in seconds from a response.
fn seconds(body: &Value, name: &str) -> Option<f64> {
    body.get(name)
        .and_then(Value::as_f64)
        .filter(|seconds| *seconds > 0.0)
        .map(|seconds| seconds.min(SECONDS_MAX))
}

/// Whether the URL is a web page: a server must not make a terminal open anything else.
fn is_page(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::BoxFuture;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::llm::model::Question;

    #[test]
    fn device_login_ignores_senseless_intervals() {
        let body = crate::base::json::json!({"a": 1e300, "b": -1, "c": 0, "d": 2.5, "e": "5"});
        let of = |name| seconds(&body, name);
        assert_eq!([of("a"), of("d")], [Some(SECONDS_MAX), Some(2.5)]);
        assert_eq!([of("b"), of("c"), of("e"), of("f")], [None; 4]);
    }

    #[test]
    fn device_login_opens_only_http_urls() {
        for (url, yes) in [("https://x.example/a", true), ("javascript:x", false), ("file:///etc", false)] {
            assert_eq!(is_page(url), yes, "{url}");
        }
    }

    struct Quiet;

    impl LoginUi for Quiet {
        fn notify(&self, _: Notice) {}

        fn ask(&self, _: Question) -> BoxFuture<'_, Option<String>> {
            std::future::ready(None).boxed()
        }
    }

    #[tokio::test]
    async fn device_login_survives_dropped_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let code = r#"{"device_code": "d", "user_code": "u", "verification_uri": "https://p.example", "interval": 0.001}"#;
        let answers = [code, "", r#"{"access_token": "a", "expires_in": 60}"#];
        let serving = async {
            for body in answers {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut seen = [0; 4096];
                let count = socket.read(&mut seen).await.unwrap();
                assert!(count > 0);
                if !body.is_empty() {
                    let head =
                        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}", body.len());
                    socket.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.unwrap();
                }
            }
        };
        let row = LoginRow { device_url: url.clone(), token_url: url, ..LoginRow::default() };
        let (http, quiet) = (Http::default(), Quiet);
        let (login, ()) = tokio::join!(run(&row, "c", &http, &quiet, || 0), serving);
        assert_eq!(login.unwrap().access.0, "a");
    }
}
