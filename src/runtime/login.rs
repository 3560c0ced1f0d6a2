//! Login and logout at providers, and storage of their credentials.
//!
//! Must not know who talks to the user.

pub mod channel;
#[doc(hidden)]
pub mod keyring;

use std::sync::Arc;

use super::lifecycle::options::Options;
use super::models::access;
use super::models::key_test::{self, KeyState};
use crate::base::error::Report;
use crate::llm::auth;
use crate::llm::auth::entry::Entry;
use crate::llm::auth::oauth::{self, LoginUi, flow};
use crate::llm::auth::value;
use crate::llm::catalog::ProviderInfo;
use crate::llm::model::{Notice, Question};

/// A provider that supports login.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginChoice {
    /// Its id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Type of the stored credential: `key`, `login`, or empty.
    pub credential_kind: &'static str,
}

/// The outcome of a logout.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogoutOutcome {
    /// Whether a credential was stored, which is now removed.
    pub was_stored: bool,
    /// What still authenticates the provider: variables, or the user's file of providers.
    pub remaining: Option<String>,
}

impl LogoutOutcome {
    /// Returns the outcome as a sentence for the user; `name` is the provider's.
    pub fn sentence(&self, name: &str) -> String {
        let Self { was_stored, remaining: still } = self;
        let message = if *was_stored {
            format!("Deleted stored login: {name}")
        } else {
            format!("No stored login: {name}")
        };
        match still {
            Some(still) => format!("{message}. Still available by {still} (remove that too)"),
            None => message,
        }
    }
}

/// Returns every provider that can store a credential, in the order of the catalog. Fails if the credentials
/// file cannot be read, since it says what is stored.
#[doc(hidden)]
pub fn choices(options: &Options) -> Result<Vec<LoginChoice>, Report> {
    let entries = access::store(options).read().map_err(|error| Report::new(error.to_string()))?;
    let kept = |id: &str| match entries.get(id).and_then(Entry::parse) {
        Some(Entry::Login(_)) => "login",
        Some(Entry::Key { .. }) => "key",
        None => "",
    };
    let catalog = access::load(options).catalog;
    let wants = |p: &&ProviderInfo| !p.key_vars.is_empty() || p.login.is_some() || p.api_key.is_some();
    let row = |p: &ProviderInfo| LoginChoice {
        id: p.id.clone(),
        name: p.name.clone(),
        credential_kind: kept(&p.id),
    };
    Ok(catalog.providers.iter().filter(wants).map(row).collect())
}

/// Logs in and stores the credential; returns a sentence for the user.
#[doc(hidden)]
pub async fn login(options: &Options, provider: &str, talk: &dyn LoginUi) -> Result<String, Report> {
    let catalog = access::load(options).catalog;
    let Some(info) = catalog.provider(provider) else {
        return Err(
            Report::new(format!("no such provider: {provider}")).hint("`bowline login` lists the providers")
        );
    };
    let row = info.login.as_deref().and_then(oauth::find);
    let (entry, tested) = match row {
        Some(row) if info.key_vars.is_empty() || ask_login_or_key(info, row, options, talk).await? => {
            let http = Arc::new(access::http(options));
            let means =
                flow::FlowContext { http: &http, clock: &options.clock, vars: &options.vars, ui: talk };
            let flow = flow::run(row, &means).await;
            (flow.map_err(|error| Report::new(format!("{}: {error}", info.name)))?, None)
        }
        _ => ask_tested_key(info, options, talk).await?,
    };
    let entry = if options.keyring { move_to_keyring(options, info, entry).await? } else { entry };
    let key = stored_key(&entry);
    let before = store_entry(options, &info.id, Some(entry)).await?.and_then(|before| stored_key(&before));
    if let Some(before) = before.filter(|before| key.as_ref() != Some(before)) {
        keyring::remove(&*options.env, &info.id, &before).await?;
    }
    let kept = match key {
        Some(key) if key == keyring::reference(&info.id) => "key stored in the system's keyring".to_string(),
        None if options.keyring => "tokens stored in auth.json (the keyring takes only keys)".to_string(),
        _ => "stored in auth.json".to_string(),
    };
    Ok(match tested {
        None => format!("{} is available; {kept}", info.name),
        Some(KeyState::Ok(millis)) => {
            format!("{} is available, it answered in {millis} ms; {kept}", info.name)
        }
        Some(KeyState::Rejected(reason)) => format!("{}: {reason}; {kept} nevertheless", info.name),
        Some(KeyState::Unknown(reason)) => format!("{}: {kept}, but not tested: {reason}", info.name),
    })
}

/// Removes the stored credential of a provider, and returns what remains.
#[doc(hidden)]
pub async fn logout(options: &Options, provider: &str) -> Result<LogoutOutcome, Report> {
    let before = store_entry(options, provider, None).await?;
    if let Some(key) = before.as_ref().and_then(stored_key) {
        keyring::remove(&*options.env, provider, &key).await?;
    }
    let (files, id) = (options.clone(), provider.to_string());
    let still = tokio::task::spawn_blocking(move || remaining_credential(&files, &id)).await;
    let still = still.map_err(|error| Report::caused("the work was ended", &error))?;
    Ok(LogoutOutcome { was_stored: before.is_some(), remaining: still })
}

/// Stores or removes an entry; returns the old one.
async fn store_entry(
    options: &Options,
    provider: &str,
    entry: Option<serde_json::Value>,
) -> Result<Option<serde_json::Value>, Report> {
    let (store, id) = (access::store(options), provider.to_string());
    let work = tokio::task::spawn_blocking(move || {
        let lock = store.lock()?;
        let before = lock.read()?.get(&id).cloned();
        if entry.is_some() || before.is_some() {
            lock.set(&id, entry)?;
        }
        Ok::<_, crate::llm::auth::store::StoreError>(before)
    });
    let before = work.await.map_err(|error| Report::caused("the work was ended", &error))?;
    before.map_err(|error| Report::new(error.to_string()))
}

/// Returns the key of an entry, as stored.
fn stored_key(entry: &serde_json::Value) -> Option<String> {
    match Entry::parse(entry) {
        Some(Entry::Key { key, .. }) => key.map(|key| key.0),
        _ => None,
    }
}

/// Returns what authenticates a provider without a stored credential. Reads files.
fn remaining_credential(options: &Options, provider: &str) -> Option<String> {
    let catalog = access::load(options).catalog;
    let info = catalog.provider(provider)?;
    let var = |name: &str| options.vars.get(name).cloned().filter(|value| !value.trim().is_empty());
    let set = |name: &&String| var(name).is_some();
    let ambient = || info.ambient.iter().find(|all| all.iter().all(|name| set(&name)));
    let own = || info.api_key.as_deref().filter(|text| value::may_be_set(text, var));
    let key = info.key_vars.iter().find(set).cloned();
    key.or_else(|| Some(ambient()?.join(" and "))).or_else(|| own().map(|_| "models.json".to_string()))
}

/// Moves the key of an entry into the system's keyring; the entry then refers to it. Login tokens are renewed
/// often and stay in the file.
async fn move_to_keyring(
    options: &Options,
    info: &ProviderInfo,
    mut entry: serde_json::Value,
) -> Result<serde_json::Value, Report> {
    let Some(Entry::Key { key: Some(key), .. }) = Entry::parse(&entry) else { return Ok(entry) };
    let plain = value::resolve(&key.0, |_| None, None).await;
    let plain = plain.map_err(|error| Report::new(error.to_string()))?;
    keyring::store(&*options.env, &info.id, &info.name, &plain).await?;
    entry["key"] = keyring::reference(&info.id).into();
    Ok(entry)
}

/// Returns whether the user chose login over a key. A method that cannot work is not offered, but explained.
async fn ask_login_or_key(
    info: &ProviderInfo,
    row: &oauth::LoginRow,
    options: &Options,
    talk: &dyn LoginUi,
) -> Result<bool, Report> {
    if let Err(error) = row.client(&options.vars) {
        talk.notify(Notice::Progress(error.to_string()));
        return Ok(false);
    }
    let question = format!("{}: l for the login ({}), k for a key", info.name, row.name);
    match talk.ask(Question::Line(question)).await.as_deref().map(str::trim) {
        Some("l" | "login" | "") => Ok(true),
        Some("k" | "key") => Ok(false),
        Some(other) => Err(Report::new(format!("`{other}` is neither l nor k"))),
        None => Err(login_canceled()),
    }
}

/// Asks for a key until the provider accepts one, or the user stores one that is rejected. Returns its entry with the
/// result of the test, if there was one: where the provider cannot be reached, a key is stored without.
async fn ask_tested_key(
    info: &ProviderInfo,
    options: &Options,
    talk: &dyn LoginUi,
) -> Result<(serde_json::Value, Option<KeyState>), Report> {
    loop {
        let (key, entry) = ask_key(info, options, talk).await?;
        if !options.check_keys {
            return Ok((entry, None));
        }
        talk.notify(Notice::Progress("Testing the key…".to_string()));
        let state = key_test::test(&with_key(options, info, key, &entry), &info.id).await?;
        let KeyState::Rejected(reason) = &state else { return Ok((entry, Some(state))) };
        let rejected = format!("{}: {reason}", info.name);
        let question = format!("{rejected}. Enter to type another one, k to keep it");
        match talk.ask(Question::Line(question)).await.as_deref().map(str::trim) {
            Some("k" | "keep") => return Ok((entry, Some(state))),
            Some(_) => {}
            None => return Err(Report::new(format!("{rejected}; nothing is stored"))),
        }
    }
}

/// Returns options with which a provider has a key that is not stored.
fn with_key(options: &Options, info: &ProviderInfo, key: String, entry: &serde_json::Value) -> Options {
    let mut vars = options.vars.clone();
    if let Some(Entry::Key { env, .. }) = Entry::parse(entry) {
        vars.extend(env);
    }
    let provider = Some(info.id.clone());
    Options { api_key: Some(key), provider, model: None, vars, ..options.clone() }
}

/// Asks for a key; returns it with the entry to store.
async fn ask_key(
    info: &ProviderInfo,
    options: &Options,
    talk: &dyn LoginUi,
) -> Result<(String, serde_json::Value), Report> {
    let secret = || Question::Secret(format!("Key for {}", info.name));
    let key = ask_required(talk, secret, "A key is needed. Paste it, then press Enter").await?;
    let mut entry = Entry::from_key(&key);
    for name in placeholders(info) {
        if options.vars.contains_key(&name) {
            continue;
        }
        let missing = format!("{} needs the address in {name}", info.name);
        let input = ask_required(talk, || Question::Line(name.clone()), &missing).await?;
        entry["env"][name] = input.into();
    }
    Ok((key, entry))
}

/// Asks until there is an answer, which is trimmed. Fails when the user cancels.
async fn ask_required(
    talk: &dyn LoginUi,
    question: impl Fn() -> Question,
    missing: &str,
) -> Result<String, Report> {
    loop {
        let answer = talk.ask(question()).await.ok_or_else(login_canceled)?;
        match answer.trim() {
            "" => talk.notify(Notice::Progress(missing.to_string())),
            answer => return Ok(answer.to_string()),
        }
    }
}

/// Returns the variables in a provider's URLs.
fn placeholders(info: &ProviderInfo) -> Vec<String> {
    auth::placeholders(info.base_url(info.api())).map(str::to_string).collect()
}

fn login_canceled() -> Report {
    Report::new("login canceled")
}

#[cfg(test)]
mod tests;
