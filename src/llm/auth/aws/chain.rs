//! Keys for Amazon's cloud, found where its own programs look, in their order: the environment, a
//! token of the cluster (web identity), a profile, the container, the machine.
//!
//! Must not know what the keys are for. Keys that end are kept until shortly before; one refresh is
//! under way at a time.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;

use super::ini::Profiles;
use crate::base::clock::{SharedClock, parse_iso8601};
use crate::llm::access::{ApiKey, Variables};
use crate::llm::auth::sigv4::Keys;
use crate::llm::auth::token_request::TokenError;
use crate::net::http::Http;

/// Keys that end sooner are asked for anew.
const EARLY_MS: u64 = 5 * 60 * 1000;

/// Keys, and when they end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What signs.
    pub keys: Keys,
    /// Milliseconds since the epoch; `None` where they do not end.
    pub ends_ms: Option<u64>,
}

/// The chain, and the keys that it gave.
pub struct Chain {
    pub(super) around: Variables,
    pub(super) http: Arc<Http>,
    pub(super) clock: SharedClock,
    kept: Mutex<Option<Found>>,
}

impl Chain {
    /// Looks for nothing yet.
    pub fn new(around: Variables, http: Arc<Http>, clock: SharedClock) -> Self {
        Self { around, http, clock, kept: Mutex::default() }
    }

    /// Keys that hold for some minutes; `None` where there are none. `region` is where tokens are
    /// exchanged for keys.
    pub async fn keys(&self, region: &str) -> Result<Option<Keys>, TokenError> {
        // Held over the refresh: whoever comes meanwhile waits for the same keys.
        let mut kept = self.kept.lock().await;
        let soon = self.clock.now_ms() + EARLY_MS;
        if let Some(found) = kept.as_ref().filter(|found| found.ends_ms.is_some_and(|ends| ends > soon)) {
            return Ok(Some(found.keys.clone()));
        }
        let found = self.find(region).await?;
        // What does not end is read again: somebody may have changed the file.
        *kept = found.clone().filter(|found| found.ends_ms.is_some());
        Ok(found.map(|found| found.keys))
    }

    /// The region that the profile names.
    pub async fn region(&self) -> Option<String> {
        let profiles = self.profiles().await.ok()?;
        profiles.profile(self.profile_name())?.get("region").cloned().filter(|region| !region.is_empty())
    }

    async fn find(&self, region: &str) -> Result<Option<Found>, TokenError> {
        if let Some(keys) = self.environment() {
            return Ok(Some(Found { keys, ends_ms: None }));
        }
        if let (Some(role), Some(token)) =
            (self.around.var("AWS_ROLE_ARN"), self.around.var("AWS_WEB_IDENTITY_TOKEN_FILE"))
        {
            let session = self.around.var("AWS_ROLE_SESSION_NAME");
            return self.by_web_identity(region, role, token, session).await.map(Some);
        }
        let profiles = self.profiles().await?;
        if let Some(found) = self.by_profile(&profiles, region).await? {
            return Ok(Some(found));
        }
        if let Some(found) = self.by_container().await? {
            return Ok(Some(found));
        }
        self.by_machine().await
    }

    pub(super) fn environment(&self) -> Option<Keys> {
        let secret = |name: &str| self.around.var(name).map(|value| ApiKey(value.to_string()));
        Some(Keys {
            id: self.around.var("AWS_ACCESS_KEY_ID")?.to_string(),
            secret: secret("AWS_SECRET_ACCESS_KEY")?,
            session: secret("AWS_SESSION_TOKEN"),
        })
    }

    pub(super) fn profile_name(&self) -> &str {
        self.around.var("AWS_PROFILE").or_else(|| self.around.var("AWS_DEFAULT_PROFILE")).unwrap_or("default")
    }

    async fn profiles(&self) -> Result<Profiles, TokenError> {
        let config = self.file("AWS_CONFIG_FILE", "config").await?;
        let credentials = self.file("AWS_SHARED_CREDENTIALS_FILE", "credentials").await?;
        Ok(Profiles::read(&config, &credentials))
    }

    /// One of the two files; empty where there is none.
    async fn file(&self, var: &str, name: &str) -> Result<String, TokenError> {
        let own = || Some(self.around.home.as_ref()?.join(".aws").join(name));
        let Some(path) = self.around.var(var).map(PathBuf::from).or_else(own) else {
            return Ok(String::new());
        };
        match crate::llm::auth::read(path.clone()).await {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(TokenError::setup(format!("{}: {error}", path.display()))),
        }
    }
}

/// Keys as container, machine and SSO write them; `None` when something is missing.
pub(super) fn read_keys(answer: &Value, token: &str) -> Option<Found> {
    let text = |names: [&str; 2]| {
        let value = names.iter().find_map(|name| answer[*name].as_str());
        value.filter(|value| !value.is_empty()).map(str::to_string)
    };
    let mut ends = ["Expiration", "expiration"].iter().map(|name| &answer[*name]);
    let ends_ms = ends.find_map(|at| at.as_u64().or_else(|| parse_iso8601(at.as_str()?)));
    Some(Found {
        keys: Keys {
            id: text(["AccessKeyId", "accessKeyId"])?,
            secret: ApiKey(text(["SecretAccessKey", "secretAccessKey"])?),
            session: text([token, "sessionToken"]).map(ApiKey),
        },
        ends_ms,
    })
}
