//! Error classification of model calls: kind, and a message for the user with cause and advice. Pure; must
//! not know any wire format beyond the `error` object that all of them share.

use std::time::Duration;

use serde_json::Value;

use crate::base::clock::parse_http_date;
use crate::base::secrets;
use crate::llm::access::{Access, ApiKey};
use crate::llm::errors::error_phrases;
use crate::llm::model::{ErrorKind, LlmError};
use crate::net::error::NetError;

/// Maximum bytes kept of an error's body.
pub const RAW_BYTES_MAX: usize = 8 * 1024;

/// Minimum length of a key that is redacted: shorter ones are placeholders for servers that require any key,
/// and may be ordinary words.
const KEY_LEN_MIN: usize = 8;

/// A limit that resets within this time is a rate limit.
const RATE_LIMIT_WAIT_MAX: Duration = Duration::from_mins(2);

/// Classifies an `error` object and its message, if they are more specific than the status.
pub type ClassifyError = fn(error: &Value, said: &str) -> Option<ErrorKind>;

/// Request data for error messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestInfo {
    provider: String,
    base_url: String,
    key_name: Option<String>,
    /// The key that was sent: some servers repeat it in error messages.
    key: Option<ApiKey>,
}

/// Replacement for a key in a message.
const KEY_PLACEHOLDER: &str = "(the key)";

/// An HTTP error response.
#[derive(Debug, Clone)]
pub struct ErrorAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The body, truncated to [`RAW_BYTES_MAX`].
    pub body: String,
}

impl RequestInfo {
    /// Creates the data for a provider at its URL.
    pub fn new(provider: &str, access: &Access) -> Self {
        Self {
            provider: provider.to_string(),
            base_url: secrets::redact_url(&access.base_url).into_owned(),
            key_name: access.key_name.clone(),
            key: access.key.clone().filter(|key| key.0.len() >= KEY_LEN_MIN),
        }
    }

    /// Redacts the key in a server's message.
    pub fn redact_key(&self, text: String) -> String {
        match &self.key {
            Some(ApiKey(key)) if text.contains(key.as_str()) => text.replace(key.as_str(), KEY_PLACEHOLDER),
            _ => text,
        }
    }

    /// Returns the error for a refusal; `now_ms` converts a date to a delay.
    pub fn http_error(&self, refusal: ErrorAnswer, read: ClassifyError, now_ms: u64) -> LlmError {
        let ErrorAnswer { status, retry_after, body } = refusal;
        let body = self.redact_key(body);
        let parsed: Value = serde_json::from_str(&body).unwrap_or_default();
        // Some servers return the error in a list, some without a surrounding object.
        let parsed = parsed.get(0).unwrap_or(&parsed);
        let error = parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed);
        let text = match message(error) {
            Some(message) => message.to_string(),
            None if body.trim().is_empty() => "no explanation".to_string(),
            // Probably a proxy's page: its first line is enough.
            None => body.trim().lines().next().unwrap_or_default().chars().take(300).collect(),
        };
        // Types and messages are more specific than an ambiguous status.
        let read_kind = error_phrases::kind(&text).or_else(|| read(error, &text));
        let read_kind =
            read_kind.filter(|kind| *kind != ErrorKind::Server || !matches!(status, 401 | 403 | 404));
        // Cerebras sends an empty body when the conversation is too long.
        let mute = self.provider == "cerebras" && status == 400 && body.trim().is_empty();
        let read_kind = read_kind.or(mute.then_some(ErrorKind::ContextLength));
        let mut kind =
            read_kind.filter(|kind| *kind != ErrorKind::InvalidRequest).unwrap_or(kind_of_status(status));
        let retry_after = retry_after
            .and_then(|value| parse_retry_after(&value, now_ms))
            .or_else(|| google_retry_delay(error));
        // A limit that resets soon is a rate limit, whatever it is called.
        if (kind, status) == (ErrorKind::Quota, 429)
            && retry_after.is_some_and(|after| after <= RATE_LIMIT_WAIT_MAX)
        {
            kind = ErrorKind::RateLimit;
        }
        LlmError {
            status: Some(status),
            code: code(error),
            retry_after,
            raw: Some(body),
            ..self.error(kind, &format!(" answered {status}: {text}"))
        }
    }

    /// Returns the error for a response with a success status that is not a stream: a gateway's error, or an
    /// unrelated response.
    pub fn unexpected_body(&self, refusal: ErrorAnswer, read: ClassifyError, now_ms: u64) -> LlmError {
        let parsed: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
        let parsed = parsed.get(0).unwrap_or(&parsed);
        let error = parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed);
        if message(error).is_some() {
            let status =
                [&error["code"], &error["status"], &parsed["status"]].into_iter().find_map(status_field);
            return self.http_error(
                ErrorAnswer { status: status.unwrap_or(refusal.status), ..refusal },
                read,
                now_ms,
            );
        }
        let body = self.redact_key(refusal.body);
        let first: String = body.trim().lines().next().unwrap_or_default().chars().take(100).collect();
        let url = &self.base_url;
        let what = format!(" answered with something that is no stream (check the base URL {url}): {first}");
        LlmError {
            status: Some(refusal.status),
            raw: Some(body),
            ..self.error(ErrorKind::InvalidRequest, &what)
        }
    }

    /// Returns the error for an `error` object within a stream.
    pub fn stream_error(&self, error: &Value, read: ClassifyError) -> LlmError {
        let text = self.redact_key(message(error).unwrap_or("no explanation").to_string());
        let kind = error_phrases::kind(&text).or_else(|| read(error, &text)).unwrap_or(ErrorKind::Stream);
        LlmError {
            code: code(error),
            raw: Some(self.redact_key(error.to_string()).chars().take(RAW_BYTES_MAX / 4).collect()),
            ..self.error(kind, &format!(" was cut off: {text}"))
        }
    }

    /// Returns the error for a request without response, or for a broken stream if `began`.
    pub fn network_error(&self, error: &NetError, began: bool) -> LlmError {
        let kind = match error {
            NetError::Offline(_)
            | NetError::NotRecorded(_)
            | NetError::Url(_)
            | NetError::Header(_)
            | NetError::Setup(_) => ErrorKind::Configuration,
            NetError::IdleTimeout { .. } => ErrorKind::Timeout,
            NetError::Connection { .. } if began => ErrorKind::Stream,
            NetError::Connection { .. } | NetError::SocketRefused { .. } => ErrorKind::Network,
        };
        let what = match error {
            _ if began => ": the response was cut off:",
            NetError::Connection { .. } => ": no answer from",
            _ => ": no answer:",
        };
        self.error(kind, &format!("{what} {error}"))
    }

    /// Returns the error for an invalid stream, or one that ended before its answer.
    pub fn invalid_stream(&self, what: &str) -> LlmError {
        self.error(ErrorKind::Stream, &format!(": {what}"))
    }

    /// Returns the error for a refusal by the model.
    pub fn model_refused(&self) -> LlmError {
        self.error(ErrorKind::ContentFilter, ": the model refused to answer this; rephrase it")
    }

    /// Returns an error of this kind; `what` follows the provider's name.
    pub fn error_of_kind(&self, kind: ErrorKind, what: &str) -> LlmError {
        self.error(kind, what)
    }

    fn error(&self, kind: ErrorKind, what: &str) -> LlmError {
        let advice = self.advice(kind);
        LlmError::new(kind, &*self.provider, format!("{}{what}{advice}", self.provider))
    }

    /// Returns the advice for the user, if any.
    fn advice(&self, kind: ErrorKind) -> String {
        match kind {
            ErrorKind::Authentication | ErrorKind::AccessDenied => {
                self.key_name.as_ref().map_or_else(String::new, |name| format!(" (check {name})"))
            }
            ErrorKind::Network => format!(" (is the server at {} running?)", self.base_url),
            ErrorKind::NotFound => format!(" (check the model's name and the base URL {})", self.base_url),
            ErrorKind::ContextLength => " (start a new session, or ask for less)".to_string(),
            ErrorKind::Stream => " (to go on, send \"continue\")".to_string(),
            ErrorKind::RateLimit | ErrorKind::Server | ErrorKind::Timeout => {
                " (send it again in a while)".to_string()
            }
            ErrorKind::Quota => " (the account is out of credit or at its limit)".to_string(),
            _ => String::new(),
        }
    }
}

/// Returns the HTTP status in a field of a refusal.
fn status_field(field: &Value) -> Option<u16> {
    let number = field.as_u64().or_else(|| field.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// Returns the message; some servers send a string instead of an object.
fn message(error: &Value) -> Option<&str> {
    let text = ["message", "Message", "detail"].iter().find_map(|name| error[*name].as_str());
    let text = text.or_else(|| error.as_str());
    text.filter(|text| !text.trim().is_empty())
}

/// Returns Google's retry delay, which is in the body. For a daily quota that delay is wrong.
fn google_retry_delay(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let violations = details.iter().filter_map(|detail| detail["violations"].as_array()).flatten();
    if violations.filter_map(|v| v["quotaId"].as_str()).any(|id| id.contains("PerDay")) {
        return None;
    }
    let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    seconds_f64(delay.strip_suffix('s')?.parse().ok()?)
}

/// Returns the provider's error code.
fn code(error: &Value) -> Option<String> {
    let names = ["code", "type", "status"].map(|name| &error[name]);
    names.into_iter().find_map(|name| match name {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn kind_of_status(status: u16) -> ErrorKind {
    match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Quota,
        403 => ErrorKind::AccessDenied,
        404 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        413 => ErrorKind::ContextLength,
        429 => ErrorKind::RateLimit,
        // Amazon's status for a failure of the underlying model.
        424 | 500.. => ErrorKind::Server,
        _ => ErrorKind::InvalidRequest,
    }
}

/// Parses `Retry-After` in seconds or as a date; `None` when it is invalid or zero, so that our own delay is
/// used. Values too large for the clock are clamped.
fn parse_retry_after(value: &str, now_ms: u64) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse::<f64>() {
        Ok(seconds) => seconds_f64(seconds)?,
        Err(_) => Duration::from_millis(parse_http_date(value)?.saturating_sub(now_ms)),
    };
    (!wait.is_zero()).then_some(wait)
}

fn seconds_f64(seconds: f64) -> Option<Duration> {
    let is_positive = seconds > 0.0;
    is_positive.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> RequestInfo {
        let access = Access {
            base_url: "http://h:1".into(),
            key: Some(ApiKey("hunter2-hunter2".into())),
            key_name: Some("ACME_KEY".into()),
            ..Access::default()
        };
        RequestInfo::new("acme", &access)
    }

    fn refused(status: u16, body: &str) -> LlmError {
        asked().http_error(ErrorAnswer { status, retry_after: None, body: body.into() }, |_, _| None, 0)
    }

    #[test]
    fn error_body_with_success_status_is_classified() {
        let told = |body: &str| {
            let refusal = ErrorAnswer { status: 200, retry_after: None, body: body.into() };
            let error = asked().unexpected_body(refusal, |_, _| None, 0);
            (error.kind, error.status, error.message)
        };
        for (body, kind, status, said) in [
            (
                r#"{"error": {"code": 502, "message": "the host is down"}}"#,
                ErrorKind::Server,
                502,
                "acme answered 502: the host is down",
            ),
            (
                r#"[{"error": {"code": "429", "message": "slowly"}}]"#,
                ErrorKind::RateLimit,
                429,
                "acme answered 429: slowly",
            ),
            (
                r#"{"error": "no such key hunter2-hunter2"}"#,
                ErrorKind::InvalidRequest,
                200,
                "acme answered 200: no such key (the key)",
            ),
            (
                "<html>\nSign in",
                ErrorKind::InvalidRequest,
                200,
                "no stream (check the base URL http://h:1): <html>",
            ),
            (r#"{"choices": []}"#, ErrorKind::InvalidRequest, 200, "no stream (check the base URL"),
            ("{", ErrorKind::InvalidRequest, 200, "no stream"),
        ] {
            let (is, code, text) = told(body);
            assert_eq!((is, code), (kind, Some(status)), "{body}: {text}");
            assert!(text.contains(said), "{text}");
        }
    }

    #[test]
    fn error_kind_follows_status_and_message() {
        for (status, body, expected) in [
            (401, "", ErrorKind::Authentication),
            (403, "", ErrorKind::AccessDenied),
            (404, "", ErrorKind::NotFound),
            (408, "", ErrorKind::Timeout),
            (413, "", ErrorKind::ContextLength),
            (422, "", ErrorKind::InvalidRequest),
            (429, "", ErrorKind::RateLimit),
            (429, r#"{"error": {"message": "You exceeded your current quota"}}"#, ErrorKind::Quota),
            (400, r#"{"error": {"message": "The maximum context length is 9"}}"#, ErrorKind::ContextLength),
            (400, r#"{"error": "the request exceeds the available context size"}"#, ErrorKind::ContextLength),
            (529, "", ErrorKind::Server),
        ] {
            assert_eq!(refused(status, body).kind, expected, "{status} {body}");
        }
    }

    #[test]
    fn error_message_never_repeats_key() {
        let error = refused(401, r#"{"error": {"message": "hunter2-hunter2 is no key", "code": "c"}}"#);
        assert_eq!(error.message, "acme answered 401: (the key) is no key (check ACME_KEY)");
        let within = crate::base::json::json!({"message": "no hunter2-hunter2", "more": "hunter2-hunter2"});
        for error in [error, asked().stream_error(&within, |_, _| None)] {
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert!(!format!("{:?}", asked()).contains("hunter2"));
        let place = Access { base_url: "https://me:hunter2@h/v1".into(), ..Access::default() };
        let lost = NetError::Connection { host: "h".into(), cause: "refused".into() };
        let message = RequestInfo::new("a", &place).network_error(&lost, false).message;
        assert!(message.ends_with("(is the server at https://h/v1 running?)"), "{message}");
        let short = Access { key: Some(ApiKey("key".into())), ..Access::default() };
        let refusal = ErrorAnswer { status: 400, retry_after: None, body: "the key is wrong".into() };
        assert!(
            RequestInfo::new("a", &short)
                .http_error(refusal, |_, _| None, 0)
                .message
                .contains("the key is wrong")
        );
    }

    #[test]
    fn error_code_and_delay_come_from_body() {
        let error = refused(
            429,
            r#"{"error": {"code": 429, "message": "slow", "details": [{"retryDelay": "34.5s"}]}}"#,
        );
        assert_eq!(
            (error.code.as_deref(), error.retry_after),
            (Some("429"), Some(Duration::from_millis(34_500)))
        );
        assert_eq!(refused(400, r#"{"error": {"code": null, "type": "bad"}}"#).code.as_deref(), Some("bad"));
        assert_eq!(refused(403, r#"{"error": {"message": "overloaded"}}"#).kind, ErrorKind::AccessDenied);
        let mute = RequestInfo { provider: "cerebras".into(), ..asked() };
        let refusal = ErrorAnswer { status: 400, retry_after: None, body: String::new() };
        assert_eq!(mute.http_error(refusal, |_, _| None, 0).kind, ErrorKind::ContextLength);
    }

    #[test]
    fn error_message_and_code_with_or_without_wrapper() {
        for (body, said, code) in [
            (r#"{"error": {"message": "no", "code": "c", "type": "t"}}"#, "no", Some("c")),
            (r#"{"object": "error", "message": "no", "type": "t", "code": null}"#, "no", Some("t")),
            (r#"{"detail": "Not Found"}"#, "Not Found", None),
            (r#"{"error": "no"}"#, "no", None),
        ] {
            let error = refused(400, body);
            assert_eq!(
                (error.message.as_str(), error.code.as_deref()),
                (&*format!("acme answered 400: {said}"), code)
            );
        }
        let broken = asked().stream_error(&crate::base::json::json!({"code": "server_error"}), |_, _| None);
        assert_eq!(broken.code.as_deref(), Some("server_error"));
    }

    #[test]
    fn error_proxy_page_is_quoted_by_first_line() {
        let error = refused(502, "<html>Bad Gateway\nmore");
        assert_eq!(error.message, "acme answered 502: <html>Bad Gateway (send it again in a while)");
        assert!(error.retryable());
    }

    #[test]
    fn error_message_ends_with_next_step() {
        let connection = NetError::Connection { host: "h".into(), cause: "Connection refused".into() };
        for (error, hint) in [
            (refused(401, ""), "(check ACME_KEY)"),
            (refused(403, ""), "(check ACME_KEY)"),
            (refused(404, ""), "(check the model's name and the base URL http://h:1)"),
            (
                asked().network_error(&connection, false),
                "Connection refused (is the server at http://h:1 running?)",
            ),
        ] {
            assert!(error.message.ends_with(hint), "{error}");
        }
        let keyless = RequestInfo { key_name: None, ..asked() };
        let refusal = ErrorAnswer { status: 401, retry_after: None, body: String::new() };
        let error = keyless.http_error(refusal, |_, _| None, 0);
        assert_eq!(error.message, "acme answered 401: no explanation");
        assert_eq!(asked().network_error(&connection, true).kind, ErrorKind::Stream);
    }

    #[test]
    fn error_quota_that_refills_soon_is_rate_limit() {
        let body = |id: &str| {
            let details = format!(r#"[{{"violations": [{{"quotaId": "{id}"}}]}}, {{"retryDelay": "6.5s"}}]"#);
            format!(
                r#"[{{"error": {{"message": "You exceeded your current quota", "details": {details}}}}}]"#
            )
        };
        let error = refused(429, &body("RequestsPerMinute"));
        assert_eq!(
            (error.kind, error.retry_after),
            (ErrorKind::RateLimit, Some(Duration::from_millis(6500)))
        );
        assert_eq!(refused(429, &body("RequestsPerDay")).kind, ErrorKind::Quota);
    }

    #[test]
    fn error_bare_message_body_is_read() {
        for body in [r#"{"message": "Too slow"}"#, r#"{"Message": "Too slow"}"#] {
            let error = refused(400, body);
            assert_eq!(error.message, "acme answered 400: Too slow");
        }
    }

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let after = |value: &str| parse_retry_after(value, 784_111_770_000);
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(after("Sun, 06 Nov 1993 08:49:37 GMT"), None, "the weekday is wrong");
        assert_eq!(after("-3"), None);
        assert_eq!(after("soon"), None);
        assert_eq!(after("NaN"), None);
        for none in ["0", "0.0", "Sun, 06 Nov 1994 08:49:30 GMT", "Sun, 06 Nov 1994 08:40:00 GMT"] {
            assert_eq!(after(none), None, "{none}: our own delay holds");
        }
        assert_eq!(after("1e300"), Some(Duration::MAX), "it ends the retries");
    }
}
