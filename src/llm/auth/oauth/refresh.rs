//! Renewing a token: once, whoever else wants it, and kept even if nobody waits for it any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::{LoginError, LoginRow, copilot, token};
use crate::base::clock::SharedClock;
use crate::llm::auth::entry::{Entry, Login};
use crate::llm::auth::store::Store;
use crate::net::http::Http;

/// How long a server may take; the lock is free again after that.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// What a renewal needs.
#[derive(Clone)]
pub struct TokenRefresh {
    /// How it goes.
    pub row: LoginRow,
    /// Whose token.
    pub provider: String,
    /// Where it is kept.
    pub store: Store,
    /// The shared client.
    pub http: Arc<Http>,
    /// For ends of tokens.
    pub clock: SharedClock,
    /// For the client's name.
    pub vars: Arc<HashMap<String, String>>,
    /// How long the server may take, most often [`PATIENCE`].
    pub patience: Duration,
}

/// A token that is good for a while. The work goes on when whoever waits is dropped: the old token
/// may not be good any more, so the new one has to be kept.
pub async fn renew(renewal: TokenRefresh) -> Result<Login, LoginError> {
    let work = tokio::spawn(locked(renewal));
    work.await.map_err(|error| LoginError::Ended(error.to_string()))?
}

async fn locked(renewal: TokenRefresh) -> Result<Login, LoginError> {
    let ended = |error: tokio::task::JoinError| LoginError::Ended(error.to_string());
    let (store, provider) = (renewal.store.clone(), renewal.provider.clone());
    // Another process may have renewed it while this one waited: what is kept now counts.
    let waited = tokio::task::spawn_blocking(move || {
        let lock = store.lock()?;
        let entry = lock.read()?.get(&provider).and_then(Entry::read);
        Ok::<_, LoginError>((lock, entry))
    });
    let (lock, entry) = waited.await.map_err(ended)??;
    let Some(Entry::Login(login)) = entry else { return Err(LoginError::GivenUp) };
    if !login.is_due(renewal.clock.now_ms()) {
        return Ok(login);
    }
    let asked = tokio::time::timeout(renewal.patience, ask(&renewal, &login)).await;
    let renewed = asked.map_err(|_| LoginError::Late(renewal.patience.as_secs()))??;
    let (value, provider) = (renewed.to_value(), renewal.provider.clone());
    let kept = tokio::task::spawn_blocking(move || lock.set(&provider, Some(value)));
    kept.await.map_err(ended)??;
    Ok(renewed)
}

async fn ask(renewal: &TokenRefresh, login: &Login) -> Result<Login, LoginError> {
    let TokenRefresh { row, http, clock, vars, .. } = renewal;
    if !row.exchange_url.is_empty() {
        let domain = login.field(copilot::DOMAIN).unwrap_or(&row.domain);
        return copilot::exchange(&row.at(domain), login, http).await;
    }
    let client = row.client(vars)?;
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", client.as_str()),
        ("refresh_token", login.refresh.0.as_str()),
    ];
    let answer = token::ask(http, &row.token_url, &fields, row.json).await?;
    answer.login(row, Some(login), clock.now_ms())
}
