//! Which providers have a key, and where it comes from, without the key.
//!
//! Reads files, runs no command and sends no request: do not call it on a thread that must not block. Must not
//! know how the report is shown.

use super::access;
use crate::base::error::Report;
use crate::llm::auth::entry::Entry;
use crate::llm::auth::store::StoreError;
use crate::llm::auth::{KeySource, value};
use crate::llm::catalog::ProviderInfo;
use crate::llm::catalog::info::builtin;
use crate::runtime::lifecycle::options::Options;
use crate::runtime::login::keyring;

/// How a key is stored in the credentials file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredCredential {
    /// The key itself.
    Key,
    /// In the system's keyring.
    Keyring,
    /// A command prints it.
    Command,
    /// Variables hold it; whether all of them are set.
    Variables {
        /// Whether the value can be made.
        are_set: bool,
    },
    /// The token of a login.
    Login {
        /// When it expires, in milliseconds since the Unix epoch.
        expires_ms: u64,
        /// Whether it has expired.
        is_expired: bool,
        /// Whether it can be renewed without the user.
        is_renewable: bool,
    },
}

/// The key of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCredential {
    /// The provider's id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Where the key comes from.
    pub source: KeySource,
    /// The stored credential, if that is the source.
    pub stored: Option<StoredCredential>,
    /// The variable that replaces the address of its API, if one is set.
    pub base_url_variable: Option<String>,
    /// The address of its API by models.json, if that replaces the usual one.
    pub configured_url: Option<String>,
    /// Variables of its address that are not set.
    pub missing_variables: Vec<String>,
}

impl ProviderCredential {
    /// Says where the key comes from, in a few words.
    pub fn description(&self) -> String {
        if !self.missing_variables.is_empty() {
            return format!("key, but {} is not set", self.missing_variables.join(", "));
        }
        match (&self.source, &self.stored) {
            (KeySource::Flag, _) => "key from --api-key".to_string(),
            (KeySource::Variable(name), _) => format!("key from {name}"),
            (KeySource::Variables(names), _) => format!("from {}", names.join(", ")),
            (KeySource::UserFile, _) => "key from models.json".to_string(),
            (KeySource::NotNeeded, _) => "on this machine, no key needed".to_string(),
            (KeySource::Stored, Some(stored)) => stored.description().to_string(),
            (KeySource::Stored, None) => "stored in auth.json".to_string(),
        }
    }
}

impl StoredCredential {
    fn description(&self) -> &'static str {
        match self {
            Self::Key => "key in auth.json",
            Self::Keyring => "key in the keyring",
            Self::Command => "key from a command in auth.json",
            Self::Variables { are_set: true } => "key from variables, by auth.json",
            Self::Variables { are_set: false } => "variables of auth.json are not set",
            Self::Login { is_expired: true, is_renewable: false, .. } => "login expired",
            Self::Login { .. } => "logged in",
        }
    }
}

/// All credentials.
#[derive(Debug)]
pub struct CredentialReport {
    /// Providers with a key, in the order of the catalog.
    pub providers: Vec<ProviderCredential>,
    /// Number of entries of the credentials file, or why it cannot be read.
    pub entries: Result<usize, StoreError>,
    /// Ids of entries that belong to no provider, or have an unknown form.
    pub unused_entries: Vec<String>,
    /// Problems in the user's file of providers.
    pub problems: Vec<Report>,
}

/// Returns the credentials of all providers.
pub fn report(options: &Options) -> CredentialReport {
    let (catalog, problems) = access::user_catalog(options);
    let credentials = access::credentials(options, &catalog);
    let read = access::store(options).read();
    let (stored, entries) = match read {
        Ok(stored) => {
            let count = stored.len();
            (stored, Ok(count))
        }
        Err(error) => (serde_json::Map::new(), Err(error)),
    };
    let row = |info: &ProviderInfo| {
        let source = credentials.key_source(info, &stored)?;
        let base_url_variable = credentials.base_url_variable(info, &stored);
        // Servers on this machine are found while the program runs; only one that the user names counts here.
        if source == KeySource::NotNeeded && base_url_variable.is_none() {
            return None;
        }
        let entry = stored.get(&info.id).and_then(Entry::parse).filter(|_| source == KeySource::Stored);
        Some(ProviderCredential {
            id: info.id.clone(),
            name: info.name.clone(),
            source,
            stored: entry.as_ref().and_then(|entry| stored_credential(options, &info.id, entry)),
            base_url_variable,
            configured_url: configured_url(info),
            missing_variables: credentials.missing_variables(info, &stored),
        })
    };
    let providers = catalog.providers.iter().filter_map(row).collect();
    let is_used =
        |id: &str, entry: &serde_json::Value| catalog.provider(id).is_some() && Entry::parse(entry).is_some();
    let unused_entries =
        stored.iter().filter(|(id, entry)| !is_used(id, entry)).map(|(id, _)| id.clone()).collect();
    CredentialReport { providers, entries, unused_entries, problems }
}

/// Returns the address of a provider of the program's own, if the user's file gives it another one.
fn configured_url(info: &ProviderInfo) -> Option<String> {
    let usual = builtin().iter().find(|row| row.id == info.id)?;
    let url = info.base_url(info.api());
    (url != usual.base_url(info.api())).then(|| url.to_string())
}

fn stored_credential(options: &Options, id: &str, entry: &Entry) -> Option<StoredCredential> {
    match entry {
        Entry::Key { key: None, .. } => None,
        Entry::Key { key: Some(key), env } => Some(match key.0.as_str() {
            text if text == keyring::reference(id) => StoredCredential::Keyring,
            text if text.starts_with('!') => StoredCredential::Command,
            text if value::names_variables(text) => {
                let var = |name: &str| env.get(name).or_else(|| options.vars.get(name)).cloned();
                StoredCredential::Variables { are_set: value::may_be_set(text, var) }
            }
            _ => StoredCredential::Key,
        }),
        Entry::Login(login) => Some(StoredCredential::Login {
            expires_ms: login.expires,
            is_expired: login.expires <= options.clock.now_ms(),
            is_renewable: !login.refresh.0.is_empty(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::base::json::json;
    use crate::base::paths::Home;
    use crate::exec::local::LocalEnvironment;
    use crate::tools::{Approval, Ask, Decision};
    use futures::future::BoxFuture;
    use std::path::Path;
    use std::sync::Arc;

    struct DenyAll;

    impl Approval for DenyAll {
        fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
            Box::pin(std::future::ready(Decision::Deny(ask.rule)))
        }
    }

    fn options(dir: &Path, vars: &[(&str, &str)]) -> Options {
        let home = Home::below(dir, dir.to_path_buf());
        let env = LocalEnvironment::new(dir.to_path_buf(), std::iter::empty());
        let vars = vars.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
        let clock = ManualClock::new(1_000);
        Options { vars, clock, ..Options::new(home, dir.to_path_buf(), Arc::new(env), Arc::new(DenyAll)) }
    }

    fn write_entries(options: &Options, entries: &serde_json::Value) {
        std::fs::create_dir_all(&options.home.data).unwrap();
        std::fs::write(options.home.data.join("auth.json"), entries.to_string()).unwrap();
    }

    #[test]
    fn credentials_name_the_source_of_each_key() {
        let dir = tempfile::tempdir().unwrap();
        let vars = [("GEMINI_API_KEY", "g"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"), ("SET", "x")];
        let options = options(dir.path(), &vars);
        let login = |expires: u64, refresh: &str| json!({"type": "oauth", "access": "a", "refresh": refresh, "expires": expires});
        write_entries(
            &options,
            &json!({
                "anthropic": login(999, ""), "openai-codex": login(1_001, "r"),
                "groq": {"type": "api_key", "key": "!pass groq"}, "xai": {"type": "api_key", "key": "$SET"},
                "mistral": {"type": "api_key", "key": "${UNSET}"}, "deepseek": {"type": "api_key", "key": "a$$b"},
                "cerebras": {"type": "api_key", "key": keyring::reference("cerebras")},
                "acme": {"type": "api_key", "key": "k"}, "openrouter": {"type": "card"},
            }),
        );
        let report = report(&options);
        assert_eq!((report.entries.unwrap(), report.problems.len()), (9, 0));
        assert_eq!(report.unused_entries, ["acme", "openrouter"]);
        let find = |id: &str| report.providers.iter().find(|row| row.id == id).unwrap();
        assert_eq!(find("google").source, KeySource::Variable("GEMINI_API_KEY".into()));
        assert_eq!(
            (&find("openai").source, find("openai").base_url_variable.as_deref()),
            (&KeySource::NotNeeded, Some("OPENAI_BASE_URL"))
        );
        let stored = |id: &str| find(id).stored.clone().unwrap();
        let login = |expires_ms, is_expired, is_renewable| StoredCredential::Login {
            expires_ms,
            is_expired,
            is_renewable,
        };
        assert_eq!(stored("anthropic"), login(999, true, false));
        assert_eq!(stored("openai-codex"), login(1_001, false, true));
        assert_eq!(
            (stored("groq"), stored("cerebras")),
            (StoredCredential::Command, StoredCredential::Keyring)
        );
        assert_eq!(stored("xai"), StoredCredential::Variables { are_set: true });
        assert_eq!(stored("mistral"), StoredCredential::Variables { are_set: false });
        assert_eq!(stored("deepseek"), StoredCredential::Key);
    }

    #[test]
    fn credentials_report_broken_file_and_missing_address() {
        let dir = tempfile::tempdir().unwrap();
        let options = options(dir.path(), &[("CLOUDFLARE_API_KEY", "k")]);
        std::fs::create_dir_all(&options.home.data).unwrap();
        std::fs::write(options.home.data.join("auth.json"), "{\n \"a\": hunter2\n}").unwrap();
        let report = report(&options);
        let error = report.entries.unwrap_err().to_string();
        assert!(error.contains("auth.json:2:") && !error.contains("hunter2"), "{error}");
        let row = report.providers.iter().find(|row| row.id == "cloudflare-workers-ai").unwrap();
        assert_eq!(row.missing_variables, ["CLOUDFLARE_ACCOUNT_ID"]);
    }
}
