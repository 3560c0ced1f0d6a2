//! A test request to a provider: the smallest one that its model answers, which shows whether the key works.
//!
//! Must not know who asks, nor where a key is stored. Sends one request without retries; never returns a key.

use std::time::Duration;

use super::access::{self, ModelAccess};
use crate::base::error::Report;
use crate::llm::generate;
use crate::llm::model::{ErrorKind, LlmError, Message, Request, Thinking, UserMessage};
use crate::llm::retry::Policy;
use crate::runtime::lifecycle::options::Options;

/// How long the answer may take.
const LIMIT: Duration = Duration::from_secs(15);
/// Maximum tokens of the answer: the least that every wire format accepts.
const TOKENS_MAX: u64 = 16;
/// Maximum characters of a provider's own message.
const MESSAGE_MAX: usize = 160;

/// What a test request showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    /// The provider answered, after so many milliseconds.
    Ok(u64),
    /// The provider rejects the key; why, in plain words.
    Rejected(String),
    /// The key may be right or wrong: why there is no answer.
    Unknown(String),
}

impl KeyState {
    /// Returns the result in plain words.
    pub fn sentence(&self) -> String {
        match self {
            Self::Ok(millis) => format!("ok, {millis} ms"),
            Self::Rejected(reason) | Self::Unknown(reason) => reason.clone(),
        }
    }
}

/// Sends a request to a provider with the key that other requests have. Reads files.
pub async fn test(options: &Options, provider: &str) -> Result<KeyState, Report> {
    let files = options.clone();
    let loaded = tokio::task::spawn_blocking(move || access::load(&files)).await;
    let ModelAccess { client, catalog, .. } =
        loaded.map_err(|error| Report::caused("the work was ended", &error))?;
    let mut model = client.models().iter().find(|model| model.provider == provider).cloned();
    if model.is_none() && catalog.provider(provider).is_some_and(|info| info.probe.is_some()) {
        model = client.discover_local().await.into_iter().find(|model| model.provider == provider);
        if model.is_none() {
            return Ok(KeyState::Unknown("no server with models found on this machine".to_string()));
        }
    }
    let Some(model) = model else {
        let is_offline = client.offline_excluded().iter().any(|id| id == provider);
        let reason = if is_offline { "bowline is offline, so nothing was sent" } else { "no key" };
        return Ok(KeyState::Unknown(reason.to_string()));
    };
    let request = Request {
        model: (*model).clone(),
        messages: vec![Message::User(UserMessage::text("Answer with ok.", options.clock.now_ms()))],
        thinking: Thinking::Off,
        max_tokens: Some(TOKENS_MAX),
        ..Request::default()
    };
    let limits = generate::Options {
        max_steps: 1,
        policy: Policy { retries: 0, ..Policy::default() },
        total_limit: Some(LIMIT),
        clock: options.clock.clone(),
        ids: options.ids.clone(),
        ..generate::Options::default()
    };
    let began = options.clock.monotonic();
    let answer = generate::generate(&client, request, limits).await;
    let took = options.clock.monotonic().saturating_sub(began);
    Ok(match answer {
        Ok(_) => KeyState::Ok(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        Err(error) => judge(&error),
    })
}

/// Tells what an error says about the key.
fn judge(error: &LlmError) -> KeyState {
    let status = error.status.map(|status| format!(" ({status})")).unwrap_or_default();
    let message: String = error.message.chars().take(MESSAGE_MAX).collect();
    let message = message.replace('\n', " ");
    match error.kind {
        ErrorKind::Authentication => KeyState::Rejected(format!("key rejected{status}")),
        ErrorKind::AccessDenied => KeyState::Unknown(format!("access denied{status}: {message}")),
        ErrorKind::Quota => KeyState::Unknown(format!("key accepted, but out of credit{status}")),
        ErrorKind::RateLimit => KeyState::Unknown(format!("key accepted, but rate limit reached{status}")),
        ErrorKind::Timeout => KeyState::Unknown(format!("no answer within {} s", LIMIT.as_secs())),
        _ => KeyState::Unknown(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_test_only_a_refused_key_is_rejected() {
        let state = |kind, status| {
            let error = LlmError::new(kind, "p", "first line\nsecond line");
            judge(&LlmError { status, ..error })
        };
        assert_eq!(
            state(ErrorKind::Authentication, Some(401)),
            KeyState::Rejected("key rejected (401)".into())
        );
        for (kind, status, words) in [
            (ErrorKind::Quota, Some(402), "key accepted, but out of credit (402)"),
            (ErrorKind::RateLimit, Some(429), "key accepted, but rate limit reached (429)"),
            (ErrorKind::AccessDenied, Some(403), "access denied (403): first line second line"),
            (ErrorKind::Network, None, "first line second line"),
        ] {
            assert_eq!(state(kind, status), KeyState::Unknown(words.into()));
        }
        assert_eq!(KeyState::Ok(12).sentence(), "ok, 12 ms");
    }
}
