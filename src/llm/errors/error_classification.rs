//! Failures of a model call, by kind and in words for a user: what failed, on what, and what
//! to do. Pure; must not know any wire format beyond the `error` object that all of them share.

use std::time::Duration;

use serde_json::Value;

use crate::base::clock::parse_http_date;
use crate::base::secrets;
use crate::llm::access::{Access, ApiKey};
use crate::llm::errors::error_phrases;
use crate::llm::model::{ErrorKind, LlmError};
use crate::net::error::NetError;

/// How much of an error's body is kept.
pub const RAW_BYTES_MAX: usize = 8 * 1024;

/// Shorter keys are made up, for servers that want any; they are words of sentences, too.
const KEY_LEAST: usize = 8;

/// A limit that is gone within this time is one of rate.
const SOON: Duration = Duration::from_mins(2);

/// What a dialect makes of an `error` object and its message, where they tell more than the
/// status.
pub type ReadKind = fn(error: &Value, said: &str) -> Option<ErrorKind>;

/// Who was asked: what the message of a failure names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestInfo {
    provider: String,
    base_url: String,
    key_name: Option<String>,
    /// The key that was sent: some servers repeat it in what they say.
    key: Option<ApiKey>,
}

/// What is said in the place of a key.
const HIDDEN: &str = "(the key)";

/// An HTTP answer that is not a success.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The header, as it came.
    pub retry_after: Option<String>,
    /// The body, cut to [`RAW_BYTES_MAX`].
    pub body: String,
}

impl RequestInfo {
    /// A provider at its address.
    pub fn new(provider: &str, access: &Access) -> Self {
        Self {
            provider: provider.to_string(),
            base_url: secrets::plain(&access.base_url).into_owned(),
            key_name: access.key_name.clone(),
            key: access.key.clone().filter(|key| key.0.len() >= KEY_LEAST),
        }
    }

    /// What a server said, without the key that it was sent.
    pub fn without_key(&self, said: String) -> String {
        match &self.key {
            Some(ApiKey(key)) if said.contains(key.as_str()) => said.replace(key.as_str(), HIDDEN),
            _ => said,
        }
    }

    /// The server refused; `now_ms` turns a date to wait for into a delay.
    pub fn refused(&self, refusal: Refusal, read: ReadKind, now_ms: u64) -> LlmError {
        let Refusal { status, retry_after, body } = refusal;
        let body = self.without_key(body);
        let parsed: Value = serde_json::from_str(&body).unwrap_or_default();
        // A list where the answer would have been a list; some have no object around it.
        let parsed = parsed.get(0).unwrap_or(&parsed);
        let error = parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed);
        let said = match message(error) {
            Some(message) => message.to_string(),
            None if body.trim().is_empty() => "no explanation".to_string(),
            // A proxy's page, most likely: its first line says enough.
            None => body.trim().lines().next().unwrap_or_default().chars().take(300).collect(),
        };
        // Types and messages say more than the status where the status is shared.
        let told = error_phrases::kind(&said).or_else(|| read(error, &said));
        let told = told.filter(|kind| *kind != ErrorKind::Server || !matches!(status, 401 | 403 | 404));
        // One provider says nothing at all when a conversation does not fit.
        let mute = self.provider == "cerebras" && status == 400 && body.trim().is_empty();
        let told = told.or(mute.then_some(ErrorKind::ContextLength));
        let mut kind = told.filter(|kind| *kind != ErrorKind::InvalidRequest).unwrap_or(by_status(status));
        let retry_after = retry_after.and_then(|value| wait(&value, now_ms)).or_else(|| refill(error));
        // What is full again in a moment is a rate, whatever it is called.
        if (kind, status) == (ErrorKind::Quota, 429) && retry_after.is_some_and(|after| after <= SOON) {
            kind = ErrorKind::RateLimit;
        }
        LlmError {
            status: Some(status),
            code: code(error),
            retry_after,
            raw: Some(body),
            ..self.error(kind, &format!(" answered {status}: {said}"))
        }
    }

    /// What came with a status of success and is no stream: an error that a gateway passes on, or
    /// something that has nothing to do with models.
    pub fn instead(&self, refusal: Refusal, read: ReadKind, now_ms: u64) -> LlmError {
        let parsed: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
        let parsed = parsed.get(0).unwrap_or(&parsed);
        let error = parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed);
        if message(error).is_some() {
            let status =
                [&error["code"], &error["status"], &parsed["status"]].into_iter().find_map(status_in);
            return self.refused(
                Refusal { status: status.unwrap_or(refusal.status), ..refusal },
                read,
                now_ms,
            );
        }
        let body = self.without_key(refusal.body);
        let first: String = body.trim().lines().next().unwrap_or_default().chars().take(100).collect();
        let url = &self.base_url;
        let what = format!(" answered with something that is no stream (check the base URL {url}): {first}");
        LlmError {
            status: Some(refusal.status),
            raw: Some(body),
            ..self.error(ErrorKind::InvalidRequest, &what)
        }
    }

    /// An `error` object within a stream.
    pub fn broke_off(&self, error: &Value, read: ReadKind) -> LlmError {
        let said = self.without_key(message(error).unwrap_or("no explanation").to_string());
        let kind = error_phrases::kind(&said).or_else(|| read(error, &said)).unwrap_or(ErrorKind::Stream);
        LlmError {
            code: code(error),
            raw: Some(self.without_key(error.to_string()).chars().take(RAW_BYTES_MAX / 4).collect()),
            ..self.error(kind, &format!(" broke off: {said}"))
        }
    }

    /// A request that got no answer, or a stream that broke; `began` tells which.
    pub fn net(&self, error: &NetError, began: bool) -> LlmError {
        let kind = match error {
            NetError::Offline(_)
            | NetError::NotOnTape(_)
            | NetError::Url(_)
            | NetError::Header(_)
            | NetError::Setup(_) => ErrorKind::Configuration,
            NetError::Silence { .. } => ErrorKind::Timeout,
            NetError::Connection { .. } if began => ErrorKind::Stream,
            NetError::Connection { .. } | NetError::NoSocket { .. } => ErrorKind::Network,
        };
        let what = if began { "the answer broke off" } else { "no answer" };
        self.error(kind, &format!(": {what}: {error}"))
    }

    /// A stream that made no sense, or ended before its answer did.
    pub fn nonsense(&self, what: &str) -> LlmError {
        self.error(ErrorKind::Stream, &format!(": {what}"))
    }

    /// The model would not answer.
    pub fn would_not(&self) -> LlmError {
        self.error(ErrorKind::ContentFilter, ": the model refused to answer this; say it in another way")
    }

    /// A failure of this kind; `what` follows the provider's name.
    pub fn failed(&self, kind: ErrorKind, what: &str) -> LlmError {
        self.error(kind, what)
    }

    fn error(&self, kind: ErrorKind, what: &str) -> LlmError {
        let advice = self.advice(kind);
        LlmError::new(kind, &*self.provider, format!("{}{what}{advice}", self.provider))
    }

    /// What a user can do about it, if anything.
    fn advice(&self, kind: ErrorKind) -> String {
        match kind {
            ErrorKind::Authentication | ErrorKind::AccessDenied => {
                self.key_name.as_ref().map_or_else(String::new, |name| format!(" (check {name})"))
            }
            ErrorKind::Network => format!(" (is the server at {} running?)", self.base_url),
            ErrorKind::NotFound => format!(" (check the model's name and the base URL {})", self.base_url),
            ErrorKind::ContextLength => " (start a new session, or ask for less)".to_string(),
            ErrorKind::Stream => " (say \"go on\" to continue)".to_string(),
            ErrorKind::RateLimit | ErrorKind::Server | ErrorKind::Timeout => {
                " (send it again in a while)".to_string()
            }
            ErrorKind::Quota => " (the account is out of credit or at its limit)".to_string(),
            _ => String::new(),
        }
    }
}

/// The HTTP status of a refusal, where a field holds one.
fn status_in(field: &Value) -> Option<u16> {
    let number = field.as_u64().or_else(|| field.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// Some servers send the message alone where others send an object.
fn message(error: &Value) -> Option<&str> {
    let said = ["message", "Message", "detail"].iter().find_map(|name| error[*name].as_str());
    let said = said.or_else(|| error.as_str());
    said.filter(|said| !said.trim().is_empty())
}

/// How long Google asks to wait, which it says in the body. Beside a quota of the day the time
/// that it names is wrong.
fn refill(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let violations = details.iter().filter_map(|detail| detail["violations"].as_array()).flatten();
    if violations.filter_map(|v| v["quotaId"].as_str()).any(|id| id.contains("PerDay")) {
        return None;
    }
    let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    seconds_f64(delay.strip_suffix('s')?.parse().ok()?)
}

/// The provider's own name for it.
fn code(error: &Value) -> Option<String> {
    let names = ["code", "type", "status"].map(|name| &error[name]);
    names.into_iter().find_map(|name| match name {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn by_status(status: u16) -> ErrorKind {
    match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Quota,
        403 => ErrorKind::AccessDenied,
        404 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        413 => ErrorKind::ContextLength,
        429 => ErrorKind::RateLimit,
        // Amazon's word for a model that failed behind it.
        424 | 500.. => ErrorKind::Server,
        _ => ErrorKind::InvalidRequest,
    }
}

/// `Retry-After` in seconds or as a date; `None` when it is neither, or tells of no time to wait, so
/// that our own delay holds rather than none. What is too long for a clock is as long as can be.
fn wait(value: &str, now_ms: u64) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse::<f64>() {
        Ok(seconds) => seconds_f64(seconds)?,
        Err(_) => Duration::from_millis(parse_http_date(value)?.saturating_sub(now_ms)),
    };
    (!wait.is_zero()).then_some(wait)
}

fn seconds_f64(seconds: f64) -> Option<Duration> {
    let told = seconds > 0.0;
    told.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
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
        asked().refused(Refusal { status, retry_after: None, body: body.into() }, |_, _| None, 0)
    }

    #[test]
    fn error_body_with_success_status_is_classified() {
        let told = |body: &str| {
            let refusal = Refusal { status: 200, retry_after: None, body: body.into() };
            let error = asked().instead(refusal, |_, _| None, 0);
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
        for error in [error, asked().broke_off(&within, |_, _| None)] {
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert!(!format!("{:?}", asked()).contains("hunter2"));
        let place = Access { base_url: "https://me:hunter2@h/v1".into(), ..Access::default() };
        let lost = NetError::Connection { host: "h".into(), cause: "refused".into() };
        let message = RequestInfo::new("a", &place).net(&lost, false).message;
        assert!(message.ends_with("(is the server at https://h/v1 running?)"), "{message}");
        let short = Access { key: Some(ApiKey("key".into())), ..Access::default() };
        let refusal = Refusal { status: 400, retry_after: None, body: "the key is wrong".into() };
        assert!(
            RequestInfo::new("a", &short)
                .refused(refusal, |_, _| None, 0)
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
        let refusal = Refusal { status: 400, retry_after: None, body: String::new() };
        assert_eq!(mute.refused(refusal, |_, _| None, 0).kind, ErrorKind::ContextLength);
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
        let broken = asked().broke_off(&crate::base::json::json!({"code": "server_error"}), |_, _| None);
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
            (asked().net(&connection, false), "Connection refused (is the server at http://h:1 running?)"),
        ] {
            assert!(error.message.ends_with(hint), "{error}");
        }
        let keyless = RequestInfo { key_name: None, ..asked() };
        let refusal = Refusal { status: 401, retry_after: None, body: String::new() };
        let error = keyless.refused(refusal, |_, _| None, 0);
        assert_eq!(error.message, "acme answered 401: no explanation");
        assert_eq!(asked().net(&connection, true).kind, ErrorKind::Stream);
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
        let after = |value: &str| wait(value, 784_111_770_000);
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
