//! AWS credential chain, in the order of Amazon's own tools: environment, web identity token, profile,
//! container, instance metadata.
//!
//! Must not know what the keys are for. Temporary keys are cached until shortly before they expire; only one
//! refresh runs at a time.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;

use super::ini::Profiles;
use crate::base::clock::{SharedClock, parse_iso8601};
use crate::llm::access::{ApiKey, Variables};
use crate::llm::auth::sigv4::AwsKeys;
use crate::llm::auth::token_request::TokenError;
use crate::net::http::Http;

/// Keys that expire sooner than this are refreshed.
const RENEW_EARLY_MS: u64 = 5 * 60 * 1000;

/// Keys and their expiration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundKeys {
    /// The signing keys.
    pub keys: AwsKeys,
    /// Expiration in milliseconds since the epoch; `None` for permanent keys.
    pub ends_ms: Option<u64>,
}

/// The chain with its cached keys.
pub struct Chain {
    pub(super) variables: Variables,
    pub(super) http: Arc<Http>,
    pub(super) clock: SharedClock,
    cached: Mutex<Option<FoundKeys>>,
}

impl Chain {
    /// Creates a chain with an empty cache.
    pub fn new(around: Variables, http: Arc<Http>, clock: SharedClock) -> Self {
        Self { variables: around, http, clock, cached: Mutex::default() }
    }

    /// Returns keys that are valid for some minutes; `None` when there are no credentials. `region` is where
    /// tokens are exchanged for keys.
    pub async fn keys(&self, region: &str) -> Result<Option<AwsKeys>, TokenError> {
        // Held during the refresh: concurrent callers wait for the same keys.
        let mut kept = self.cached.lock().await;
        let soon = self.clock.now_ms() + RENEW_EARLY_MS;
        if let Some(found) = kept.as_ref().filter(|found| found.ends_ms.is_some_and(|ends| ends > soon)) {
            return Ok(Some(found.keys.clone()));
        }
        let found = self.find(region).await?;
        // Permanent keys are read again: the file may have changed.
        *kept = found.clone().filter(|found| found.ends_ms.is_some());
        Ok(found.map(|found| found.keys))
    }

    /// Returns the region of the profile.
    pub async fn region(&self) -> Option<String> {
        let profiles = self.profiles().await.ok()?;
        profiles.profile(self.profile_name())?.get("region").cloned().filter(|region| !region.is_empty())
    }

    async fn find(&self, region: &str) -> Result<Option<FoundKeys>, TokenError> {
        if let Some(keys) = self.environment() {
            return Ok(Some(FoundKeys { keys, ends_ms: None }));
        }
        if let (Some(role), Some(token)) =
            (self.variables.var("AWS_ROLE_ARN"), self.variables.var("AWS_WEB_IDENTITY_TOKEN_FILE"))
        {
            let session = self.variables.var("AWS_ROLE_SESSION_NAME");
            return self.web_identity_keys(region, role, token, session).await.map(Some);
        }
        let profiles = self.profiles().await?;
        if let Some(found) = self.profile_keys(&profiles, region).await? {
            return Ok(Some(found));
        }
        if let Some(found) = self.container_keys().await? {
            return Ok(Some(found));
        }
        self.instance_keys().await
    }

    pub(super) fn environment(&self) -> Option<AwsKeys> {
        let secret = |name: &str| self.variables.var(name).map(|value| ApiKey(value.to_string()));
        Some(AwsKeys {
            id: self.variables.var("AWS_ACCESS_KEY_ID")?.to_string(),
            secret: secret("AWS_SECRET_ACCESS_KEY")?,
            session: secret("AWS_SESSION_TOKEN"),
        })
    }

    pub(super) fn profile_name(&self) -> &str {
        self.variables
            .var("AWS_PROFILE")
            .or_else(|| self.variables.var("AWS_DEFAULT_PROFILE"))
            .unwrap_or("default")
    }

    async fn profiles(&self) -> Result<Profiles, TokenError> {
        let config = self.file("AWS_CONFIG_FILE", "config").await?;
        let credentials = self.file("AWS_SHARED_CREDENTIALS_FILE", "credentials").await?;
        Ok(Profiles::read(&config, &credentials))
    }

    /// Returns the text of one of the two files; empty when it does not exist.
    async fn file(&self, var: &str, name: &str) -> Result<String, TokenError> {
        let own = || Some(self.variables.home.as_ref()?.join(".aws").join(name));
        let Some(path) = self.variables.var(var).map(PathBuf::from).or_else(own) else {
            return Ok(String::new());
        };
        match crate::llm::auth::read(path.clone()).await {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(TokenError::configuration(format!("{}: {error}", path.display()))),
        }
    }
}

/// Parses keys in the form of container, instance metadata and SSO; `None` when a field is missing.
pub(super) fn read_keys(answer: &Value, token: &str) -> Option<FoundKeys> {
    let text = |names: [&str; 2]| {
        let value = names.iter().find_map(|name| answer[*name].as_str());
        value.filter(|value| !value.is_empty()).map(str::to_string)
    };
    let mut ends = ["Expiration", "expiration"].iter().map(|name| &answer[*name]);
    let ends_ms = ends.find_map(|at| at.as_u64().or_else(|| parse_iso8601(at.as_str()?)));
    Some(FoundKeys {
        keys: AwsKeys {
            id: text(["AccessKeyId", "accessKeyId"])?,
            secret: ApiKey(text(["SecretAccessKey", "secretAccessKey"])?),
            session: text([token, "sessionToken"]).map(ApiKey),
        },
        ends_ms,
    })
}
