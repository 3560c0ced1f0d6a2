//! Checks of the providers' keys: where each comes from. Must not see a key.

use std::os::unix::fs::PermissionsExt;

use crate::base::clock;
use crate::base::secrets::redact_url;
use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding};
use crate::llm::auth::KeySource;
use crate::llm::auth::store::StoreError;
use crate::runtime::models::credentials::{ProviderCredential, StoredCredential};

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "auth-file", run: auth_file },
    Check { name: "models-file", run: models_file },
    Check { name: "credential", run: credentials },
    Check { name: "offline", run: offline },
];

/// Permissions of a file that others may not use.
const OTHERS: u32 = 0o077;

fn auth_file(facts: &Facts) -> Vec<Finding> {
    let (Some(setup), Some(report)) = (&facts.setup, &facts.credentials) else { return Vec::new() };
    let path = setup.home.data.join("auth.json");
    let shown = path.display();
    let state = match &report.entries {
        Err(error @ StoreError::Invalid { .. }) => {
            Finding::error(error.to_string(), "Correct the JSON, or remove the file and log in again")
        }
        Err(error) => Finding::error(error.to_string(), "Make the file readable for you"),
        Ok(0) => Finding::ok(format!("{shown}: no entries")),
        Ok(count) => {
            let mode = path.metadata().map_or(0, |metadata| metadata.permissions().mode());
            let entries = crate::base::plural::pluralize(*count, "entry", "entries");
            if mode & OTHERS == 0 {
                Finding::ok(format!("{shown}: {entries}"))
            } else {
                let value =
                    format!("{shown}: {entries}; others can use this file (mode {:03o})", mode & 0o777);
                Finding::warning(value, "Make it yours alone: chmod 600")
            }
        }
    };
    let unused = |id: &String| {
        let advice = format!("Remove it: `bowline logout {id}`");
        Finding::warning("no such provider, or an unknown form", advice).about(id)
    };
    std::iter::once(state).chain(report.unused_entries.iter().map(unused)).collect()
}

fn models_file(facts: &Facts) -> Vec<Finding> {
    let Some(report) = &facts.credentials else { return Vec::new() };
    let problems = report.problems.iter();
    problems
        .map(|problem| Finding::warning(problem.to_string(), "Correct models.json: docs/providers.md"))
        .collect()
}

fn credentials(facts: &Facts) -> Vec<Finding> {
    let Some(report) = &facts.credentials else { return Vec::new() };
    if report.providers.is_empty() {
        let advice = "Run `bowline login`, or set a variable such as ANTHROPIC_API_KEY: docs/providers.md";
        return vec![Finding::note("no provider has a key", advice)];
    }
    let row = |provider: &ProviderCredential| {
        let finding = credential(provider);
        let value = match address(facts, provider) {
            Some(address) => format!("{}; {address}", finding.value),
            None => finding.value,
        };
        Finding { value, ..finding }.about(&provider.id)
    };
    report.providers.iter().map(row).collect()
}

/// Returns the address of a provider's API, if it is not the usual one. A URL may have a password in it, which is not shown.
fn address(facts: &Facts, provider: &ProviderCredential) -> Option<String> {
    let variable = provider.base_url_variable.as_ref().filter(|_| provider.source != KeySource::NotNeeded);
    match (variable, &provider.configured_url) {
        (Some(name), _) => Some(match facts.var(name) {
            Some(url) => format!("{name} is {}", redact_url(url)),
            // It is among the variables of the credentials file.
            None => format!("address by {name}"),
        }),
        (None, Some(url)) => Some(format!("address by models.json: {}", redact_url(url))),
        (None, None) => None,
    }
}

fn credential(provider: &ProviderCredential) -> Finding {
    if !provider.missing_variables.is_empty() {
        let names = provider.missing_variables.join(", ");
        return Finding::warning(
            format!("a key, but no address: {names} is not set"),
            format!("Set {names}"),
        );
    }
    match (&provider.source, &provider.stored) {
        (KeySource::Flag, _) => Finding::ok("--api-key"),
        (KeySource::Variable(name), _) => Finding::ok(format!("variable {name}")),
        (KeySource::Variables(names), _) => Finding::ok(format!("variables {}", names.join(", "))),
        (KeySource::UserFile, _) => Finding::ok("models.json"),
        (KeySource::NotNeeded, _) => {
            let variable = provider.base_url_variable.as_deref().unwrap_or_default();
            Finding::ok(format!("no key needed: {variable} is this machine"))
        }
        (KeySource::Stored, Some(stored)) => stored_credential(&provider.id, stored),
        (KeySource::Stored, None) => Finding::ok("auth.json"),
    }
}

fn stored_credential(id: &str, stored: &StoredCredential) -> Finding {
    let again = format!("Log in again: `bowline login {id}`");
    match stored {
        StoredCredential::Key => Finding::ok("key in auth.json"),
        StoredCredential::Keyring => Finding::ok("key in the system's keyring"),
        StoredCredential::Command => Finding::ok("command in auth.json"),
        StoredCredential::Variables { are_set: true } => Finding::ok("variables, by auth.json"),
        StoredCredential::Variables { are_set: false } => {
            Finding::warning("variables, by auth.json, of which one is not set", again)
        }
        StoredCredential::Login { is_expired: true, is_renewable: false, .. } => {
            Finding::error("login in auth.json, which has expired", again)
        }
        StoredCredential::Login { is_expired: true, .. } => {
            Finding::ok("login in auth.json; expired, renewed with the next request")
        }
        StoredCredential::Login { expires_ms, .. } => {
            Finding::ok(format!("login in auth.json, valid until {}", clock::iso8601(*expires_ms)))
        }
    }
}

fn offline(facts: &Facts) -> Vec<Finding> {
    let advice = "For other providers, unset BOWLINE_OFFLINE and drop --offline";
    let finding = || Finding::note("only servers on this machine are asked", advice);
    facts.args.global.offline.then(finding).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::report::State;

    #[test]
    fn doctor_credential_states_follow_source_and_expiration() {
        let provider = |source, stored| ProviderCredential {
            id: "acme".to_string(),
            name: "Acme".to_string(),
            source,
            stored,
            base_url_variable: None,
            configured_url: None,
            missing_variables: Vec::new(),
        };
        let login = |is_expired, is_renewable| {
            let stored = StoredCredential::Login { expires_ms: 0, is_expired, is_renewable };
            credential(&provider(KeySource::Stored, Some(stored)))
        };
        assert_eq!(login(true, false).state, State::Error);
        assert_eq!(login(true, false).advice.as_deref(), Some("Log in again: `bowline login acme`"));
        assert_eq!((login(true, true).state, login(false, false).state), (State::Ok, State::Ok));
        let unset = StoredCredential::Variables { are_set: false };
        assert_eq!(credential(&provider(KeySource::Stored, Some(unset))).state, State::Warning);
        let mut no_address = provider(KeySource::Variable("ACME_KEY".to_string()), None);
        assert_eq!(credential(&no_address), Finding::ok("variable ACME_KEY"));
        no_address.missing_variables = vec!["ACME_HOST".to_string()];
        assert_eq!(credential(&no_address).state, State::Warning);
    }

    #[test]
    fn doctor_credential_has_address_of_variable_or_file_without_password() {
        let mut facts = Facts::for_tests();
        let mut provider = ProviderCredential {
            id: "acme".to_string(),
            name: "Acme".to_string(),
            source: KeySource::Flag,
            stored: None,
            base_url_variable: None,
            configured_url: None,
            missing_variables: Vec::new(),
        };
        assert_eq!(address(&facts, &provider), None);
        provider.configured_url = Some("https://u:pw@proxy/v1?key=1".to_string());
        assert_eq!(address(&facts, &provider).as_deref(), Some("address by models.json: https://proxy/v1"));
        provider.base_url_variable = Some("ACME_BASE_URL".to_string());
        assert_eq!(address(&facts, &provider).as_deref(), Some("address by ACME_BASE_URL"));
        facts.process.vars.insert("ACME_BASE_URL".to_string(), "http://a:b@host:1/".to_string());
        assert_eq!(address(&facts, &provider).as_deref(), Some("ACME_BASE_URL is http://host:1/"));
    }
}
