//! Resolves a provider's key for each request: flag, stored credential, environment, the user's provider
//! file.
//!
//! Must not know how a key is sent. The credentials file is read each time, so that a login or renewal by
//! another process takes effect immediately.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::entry::{Entry, Login};
use super::value;
use super::{Credentials, non_blank, oauth};
use crate::base::clock::SharedClock;
use crate::llm::access::{Access, AccessSource, ApiKey, KeyKind};
use crate::llm::catalog::ProviderInfo;
use crate::llm::model::{ErrorKind, LlmError};
use crate::net::http::{Http, is_loopback_url};

/// Access to one root of a provider's API.
#[derive(Clone)]
pub struct Chain {
    /// The provider.
    pub info: Arc<ProviderInfo>,
    /// The sources of keys.
    pub credentials: Credentials,
    /// The complete root URL of the API.
    pub base_url: String,
    /// The client for token renewal.
    pub http: Arc<Http>,
    /// The clock for token expiration.
    pub clock: SharedClock,
}

/// A key and its source.
struct FoundKey {
    key: ApiKey,
    kind: KeyKind,
    name: String,
}

impl AccessSource for Chain {
    fn access(&self) -> BoxFuture<'_, Result<Access, LlmError>> {
        self.find().boxed()
    }

    fn resolve_value<'a>(&'a self, what: &'a str, text: &'a str) -> BoxFuture<'a, Result<String, LlmError>> {
        let plain = !text.starts_with('!') && !text.contains('$');
        if plain {
            return futures::future::ready(Ok(text.to_string())).boxed();
        }
        let resolved = async move {
            let vars = self.credentials.variables_for(self.stored_entry().await?.as_ref());
            self.resolved(what, text, |name| non_blank(&vars, name)).await
        };
        resolved.boxed()
    }
}

impl Chain {
    async fn find(&self) -> Result<Access, LlmError> {
        let entry = self.stored_entry().await?;
        let vars = self.credentials.variables_for(entry.as_ref());
        let var = |name: &str| non_blank(&vars, name);
        let mut access = Access { base_url: self.base_url.clone(), ..Access::default() };
        for (name, text) in self.info.headers.iter() {
            let value = self.resolved(&format!("the header `{name}`"), text, var).await?;
            access.headers.push((name.clone(), value));
        }
        let found = match (&self.credentials.explicit, entry) {
            (Some((id, key)), _) if *id == self.info.id => {
                let (key, name) = (key.clone(), "--api-key".to_string());
                Some(FoundKey { key, kind: KeyKind::Key, name })
            }
            (_, Some(Entry::Login(login))) => Some(self.login_key(login, &mut access).await?),
            (_, Some(Entry::Key { key: Some(key), .. })) => {
                let key = ApiKey(self.resolved("the key that is kept", &key.0, var).await?);
                Some(FoundKey { key, kind: KeyKind::Key, name: "the key that is kept".to_string() })
            }
            _ => self.ambient_key(var).await?,
        };
        self.add_key(access, found)
    }

    fn add_key(&self, mut access: Access, found: Option<FoundKey>) -> Result<Access, LlmError> {
        if let Some(FoundKey { key, kind, name }) = found {
            access.key_name = Some(name);
            access.kind = if self.info.bearer && kind == KeyKind::Key { KeyKind::Bearer } else { kind };
            match &self.info.key_header {
                Some(header) => access.headers.push((header.clone(), format!("Bearer {}", key.0))),
                None => access.key = Some(key),
            }
        } else {
            let free = self.info.is_free() || !self.info.ambient.is_empty();
            if !free && !is_loopback_url(&self.base_url) {
                return Err(self.error(&missing_key_hint(&self.info)));
            }
            access.key_name = self.info.key_vars.first().cloned();
        }
        Ok(access)
    }

    /// Returns the stored entry of the provider.
    async fn stored_entry(&self) -> Result<Option<Entry>, LlmError> {
        let Some(store) = self.credentials.store.clone() else { return Ok(None) };
        let read = tokio::task::spawn_blocking(move || store.read()).await;
        let entries =
            read.map_err(|e| self.error(&e.to_string()))?.map_err(|e| self.error(&e.to_string()))?;
        Ok(entries.get(&self.info.id).and_then(Entry::parse))
    }

    /// Returns the key from the environment, else from the user's file.
    async fn ambient_key(
        &self,
        var: impl Fn(&str) -> Option<String> + Copy + Send,
    ) -> Result<Option<FoundKey>, LlmError> {
        if let Some((name, key)) = self.info.key_vars.iter().find_map(|name| Some((name, var(name)?))) {
            let kind = if self.info.bearer_vars.contains(name) { KeyKind::Bearer } else { KeyKind::Key };
            return Ok(Some(FoundKey { key: ApiKey(key), kind, name: name.clone() }));
        }
        let Some(text) = self.info.api_key.as_deref() else { return Ok(None) };
        let key = ApiKey(self.resolved("the key in models.json", text, var).await?);
        Ok(Some(FoundKey { key, kind: KeyKind::Key, name: "models.json".to_string() }))
    }

    async fn login_key(&self, login: Login, access: &mut Access) -> Result<FoundKey, LlmError> {
        let login = match &self.credentials.store {
            Some(store) if login.is_due(self.clock.now_ms()) => {
                let row = oauth::find(self.info.login.as_deref().unwrap_or(&self.info.id));
                let row = row.ok_or_else(|| self.error("there is no such login any more"))?;
                let renewal = oauth::refresh::TokenRefresh {
                    row: row.clone(),
                    provider: self.info.id.clone(),
                    store: store.clone(),
                    http: self.http.clone(),
                    clock: self.clock.clone(),
                    vars: self.credentials.variables.vars.clone(),
                    timeout: oauth::refresh::RENEWAL_TIMEOUT,
                };
                let to_error = |error: oauth::LoginError| {
                    self.error(&format!(
                        "the login could not be renewed: {error}; `bowline login {}` makes a new one",
                        self.info.id
                    ))
                };
                match oauth::refresh::renew(renewal).await {
                    Ok(renewed) => renewed,
                    // The token is still valid, since renewal starts early: the next request tries again.
                    Err(error) if login.expires > self.clock.now_ms() => {
                        tracing::warn!("the login of {} is not renewed yet: {error}", self.info.id);
                        login
                    }
                    Err(error) => return Err(to_error(error)),
                }
            }
            _ => login,
        };
        for (name, value) in &login.extra {
            if let Some(text) = value.as_str() {
                access.account.insert(name.clone(), text.to_string());
            }
        }
        if let Some(url) = oauth::copilot::base_url(&self.info.id, &login)
            && !is_loopback_url(&self.base_url)
        {
            access.base_url = url;
        }
        Ok(FoundKey { key: login.access, kind: KeyKind::Login, name: "the login that is kept".to_string() })
    }

    async fn resolved(
        &self,
        what: &str,
        text: &str,
        var: impl Fn(&str) -> Option<String> + Send,
    ) -> Result<String, LlmError> {
        let value = value::resolve(text, var, self.credentials.shell.as_ref()).await;
        value.map_err(|error| self.error(&format!("{what} is not to be had: {error}")))
    }

    fn error(&self, what: &str) -> LlmError {
        let ProviderInfo { id, name, .. } = &*self.info;
        LlmError::new(ErrorKind::Authentication, id.clone(), format!("{name}: {what}"))
    }
}

/// Returns the advice for a missing key.
pub fn missing_key_hint(info: &ProviderInfo) -> String {
    let ProviderInfo { id, key_vars, .. } = info;
    match key_vars.first() {
        Some(name) => format!("there is no key; set {name}, or `bowline login {id}`"),
        None => format!("not logged in; `bowline login {id}`"),
    }
}

#[cfg(test)]
mod tests;
