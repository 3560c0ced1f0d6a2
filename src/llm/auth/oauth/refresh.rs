//! Token renewal: once for all concurrent callers and processes, and stored even if the callers are dropped.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::{LoginError, LoginRow, copilot, token};
use crate::base::clock::SharedClock;
use crate::llm::auth::entry::{Entry, Login};
use crate::llm::auth::store::Store;
use crate::net::http::Http;

/// Timeout of a request; the lock is free again after that.
pub const RENEWAL_TIMEOUT: Duration = Duration::from_secs(15);

/// Input of a renewal.
#[derive(Clone)]
pub struct TokenRefresh {
    /// The login's row.
    pub row: LoginRow,
    /// The provider.
    pub provider: String,
    /// The credentials file.
    pub store: Store,
    /// The shared client.
    pub http: Arc<Http>,
    /// For expiration times.
    pub clock: SharedClock,
    /// The environment, for the client id.
    pub vars: Arc<HashMap<String, String>>,
    /// Timeout of the request, usually [`PATIENCE`].
    pub timeout: Duration,
}

/// Returns a valid token. The renewal continues if the caller is dropped: the old refresh token may be used
/// up, so the new one must be stored.
pub async fn renew(renewal: TokenRefresh) -> Result<Login, LoginError> {
    let work = tokio::spawn(renew_locked(renewal));
    work.await.map_err(|error| LoginError::Interrupted(error.to_string()))?
}

async fn renew_locked(renewal: TokenRefresh) -> Result<Login, LoginError> {
    let ended = |error: tokio::task::JoinError| LoginError::Interrupted(error.to_string());
    let (store, provider) = (renewal.store.clone(), renewal.provider.clone());
    // Another process may have renewed it meanwhile: the stored entry is read again.
    let waited = tokio::task::spawn_blocking(move || {
        let lock = store.lock()?;
        let entry = lock.read()?.get(&provider).and_then(Entry::parse);
        Ok::<_, LoginError>((lock, entry))
    });
    let (lock, entry) = waited.await.map_err(ended)??;
    let Some(Entry::Login(login)) = entry else { return Err(LoginError::Canceled) };
    if !login.is_due(renewal.clock.now_ms()) {
        return Ok(login);
    }
    let renewal_result = tokio::time::timeout(renewal.timeout, request_renewal(&renewal, &login)).await;
    let renewed = renewal_result.map_err(|_| LoginError::TimedOut(renewal.timeout.as_secs()))??;
    let (value, provider) = (renewed.to_value(), renewal.provider.clone());
    let kept = tokio::task::spawn_blocking(move || lock.set(&provider, Some(value)));
    kept.await.map_err(ended)??;
    Ok(renewed)
}

async fn request_renewal(renewal: &TokenRefresh, login: &Login) -> Result<Login, LoginError> {
    let TokenRefresh { row, http, clock, vars, .. } = renewal;
    if !row.exchange_url.is_empty() {
        let domain = login.field(copilot::DOMAIN).unwrap_or(&row.domain);
        return copilot::exchange(&row.with_domain(domain), login, http).await;
    }
    let client = row.client(vars)?;
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", client.as_str()),
        ("refresh_token", login.refresh.0.as_str()),
    ];
    let answer = token::send_fields(http, &row.token_url, &fields, row.json).await?;
    answer.login(row, Some(login), clock.now_ms())
}
