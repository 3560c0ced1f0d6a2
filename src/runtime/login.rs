//! Logging in and out: which providers there are, what they ask for, and where it is kept.
//!
//! Must not know who talks with the person.

use std::sync::Arc;

use super::options::Options;
use super::{keyring, reach};
use crate::base::error::Report;
use crate::llm::auth::entry::Entry;
use crate::llm::auth::oauth::{self, Talk, flow};
use crate::llm::auth::value;
use crate::llm::catalog::ProviderInfo;
use crate::llm::model::{Notice, Question};

/// A provider that one can log in at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// What is kept for it: `key`, `login`, or nothing.
    pub kept: &'static str,
}

/// Every provider that keeps something, in the order of the catalog. Reads files.
pub fn choices(options: &Options) -> Vec<Choice> {
    let entries = reach::store(options).read().unwrap_or_default();
    let kept = |id: &str| match entries.get(id).and_then(Entry::read) {
        Some(Entry::Login(_)) => "login",
        Some(Entry::Key { .. }) => "key",
        None => "",
    };
    let catalog = reach::reach(options).catalog;
    let wants = |p: &&ProviderInfo| !p.key_vars.is_empty() || p.login.is_some() || p.api_key.is_some();
    let row = |p: &ProviderInfo| Choice { id: p.id.clone(), name: p.name.clone(), kept: kept(&p.id) };
    catalog.providers.iter().filter(wants).map(row).collect()
}

/// Logs in and keeps what comes; gives a sentence for the person.
pub async fn login(options: &Options, provider: &str, talk: &dyn Talk) -> Result<String, Report> {
    let catalog = reach::reach(options).catalog;
    let Some(info) = catalog.provider(provider) else {
        return Err(Report::new(format!("there is no provider `{provider}`"))
            .hint("`bowline login` lists those that there are"));
    };
    let row = info.login.as_deref().and_then(oauth::find);
    let entry = match row {
        Some(row) if info.key_vars.is_empty() || by_login(info, row, options, talk).await? => {
            let http = Arc::new(reach::http(options));
            let means = flow::Means { http: &http, clock: &options.clock, vars: &options.vars, talk };
            let flow = flow::run(row, &means).await;
            flow.map_err(|error| Report::new(format!("{}: {error}", info.name)))?
        }
        _ => by_key(info, options, talk).await?,
    };
    let entry = if options.keyring { into_keyring(options, info, entry).await? } else { entry };
    let (store, id) = (reach::store(options), info.id.clone());
    let path = store.path().display().to_string();
    let kept = tokio::task::spawn_blocking(move || store.set(&id, Some(entry))).await;
    let kept = kept.map_err(|error| Report::caused("the work was ended", &error))?;
    kept.map_err(|error| Report::new(error.to_string()))?;
    Ok(format!("{} can be asked now; what opens it is kept in {path}", info.name))
}

/// Forgets what is kept for a provider; whether there was anything.
pub async fn logout(options: &Options, provider: &str) -> Result<bool, Report> {
    let (store, id) = (reach::store(options), provider.to_string());
    let forgot = tokio::task::spawn_blocking(move || {
        let lock = store.lock()?;
        let was = lock.read()?.get(&id).cloned();
        if was.is_some() {
            lock.set(&id, None)?;
        }
        Ok::<_, crate::llm::auth::store::StoreError>(was)
    });
    let forgot = forgot.await.map_err(|error| Report::caused("the work was ended", &error))?;
    let forgot = forgot.map_err(|error| Report::new(error.to_string()))?;
    let Some(entry) = forgot else { return Ok(false) };
    if let Some(Entry::Key { key: Some(key), .. }) = Entry::read(&entry) {
        keyring::take_away(&*options.env, provider, &key.0).await?;
    }
    Ok(true)
}

/// Puts the key of an entry into the system's keyring; what is left of the entry refers to it. What
/// came of a login is renewed all the time and stays in the file.
async fn into_keyring(
    options: &Options,
    info: &ProviderInfo,
    mut entry: serde_json::Value,
) -> Result<serde_json::Value, Report> {
    let Some(Entry::Key { key: Some(key), .. }) = Entry::read(&entry) else { return Ok(entry) };
    let plain = value::resolve(&key.0, |_| None, None).await;
    let plain = plain.map_err(|error| Report::new(error.to_string()))?;
    keyring::put(&*options.env, &info.id, &info.name, &plain).await?;
    entry["key"] = keyring::reference(&info.id).into();
    Ok(entry)
}

/// Whether the login is wanted, where there are keys, too. One that cannot serve is not offered,
/// but told.
async fn by_login(
    info: &ProviderInfo,
    row: &oauth::LoginRow,
    options: &Options,
    talk: &dyn Talk,
) -> Result<bool, Report> {
    if let Err(error) = row.client(&options.vars) {
        talk.tell(Notice::Progress(error.to_string()));
        return Ok(false);
    }
    let question = format!("{}: l for the login ({}), k for a key", info.name, row.name);
    match talk.ask(Question::Line(question)).await.as_deref().map(str::trim) {
        Some("l" | "login" | "") => Ok(true),
        Some("k" | "key") => Ok(false),
        Some(other) => Err(Report::new(format!("`{other}` is neither l nor k"))),
        None => Err(given_up()),
    }
}

async fn by_key(
    info: &ProviderInfo,
    options: &Options,
    talk: &dyn Talk,
) -> Result<serde_json::Value, Report> {
    let key = talk.ask(Question::Secret(format!("Key for {}", info.name))).await.ok_or_else(given_up)?;
    let key = key.trim();
    if key.is_empty() {
        return Err(given_up());
    }
    let mut entry = Entry::of_key(key);
    for name in placeholders(info) {
        if options.vars.contains_key(&name) {
            continue;
        }
        let said = talk.ask(Question::Line(name.clone())).await.ok_or_else(given_up)?;
        entry["env"][name] = said.trim().into();
    }
    Ok(entry)
}

/// The variables that the addresses of a provider hold.
fn placeholders(info: &ProviderInfo) -> Vec<String> {
    let url = info.base_url(info.api());
    url.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_string())).collect()
}

fn given_up() -> Report {
    Report::new("the login was given up; nothing is changed")
}

#[cfg(test)]
mod tests;
