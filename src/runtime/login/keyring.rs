//! Keys in the system's keyring, through its command-line programs: `secret-tool` (Secret Service),
//! `security` (macOS). `auth.json` then holds the command that reads the key.
//!
//! Must not know the caller. A key is passed through standard input: other processes can see arguments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::exec::{CommandSpec, Environment, Exit};

/// Timeout: the user may have to unlock the keyring first.
const UNLOCK_TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes kept of the program's error output.
const STDERR_MAX: usize = 1 << 10;
/// The program that stores keys.
pub const PROGRAM: &str = if cfg!(target_os = "macos") { "security" } else { "secret-tool" };
/// Service name of the keys.
const SERVICE: &str = "bowline";

/// Returns the command that prints a provider's key, as a value of `auth.json`.
pub fn reference(provider: &str) -> String {
    format!("!{}", command(provider, "find-generic-password -w", "lookup"))
}

/// Stores a key in the keyring.
pub async fn store(env: &dyn Environment, provider: &str, name: &str, key: &str) -> Result<(), Report> {
    if !is_plain(provider) || key.contains(['"', '\\', '\n']) {
        return Err(Report::new("this key cannot be handed to the keyring")
            .hint("keyring = false keeps it in auth.json"));
    }
    let (script, input) = if cfg!(target_os = "macos") {
        let line = format!("add-generic-password -U -s {SERVICE} -a {provider} -w \"{key}\"\n");
        ("security -i".to_string(), line)
    } else {
        let label = name.replace('\'', "");
        let script =
            format!("secret-tool store --label='bowline: {label}' service {SERVICE} account {provider}");
        (script, key.to_string())
    };
    run(env, script, input).await.map_err(|error| {
        Report::new(format!("the keyring did not take the key: {error}"))
            .hint("keyring = false in settings.toml keeps keys in auth.json")
    })
}

/// Removes the key that an entry refers to from the keyring; does nothing for an entry that holds no
/// reference.
pub async fn remove(env: &dyn Environment, provider: &str, kept: &str) -> Result<(), Report> {
    if !is_plain(provider) || kept != reference(provider) {
        return Ok(());
    }
    let script = command(provider, "delete-generic-password", "clear");
    run(env, script, String::new())
        .await
        .map_err(|error| Report::new(format!("the key of {provider} may still be in the keyring: {error}")))
}

fn command(provider: &str, mac: &str, other: &str) -> String {
    if cfg!(target_os = "macos") {
        format!("security {mac} -s {SERVICE} -a {provider}")
    } else {
        format!("secret-tool {other} service {SERVICE} account {provider}")
    }
}

/// Whether a shell reads the id as one plain word, and the program not as an option.
fn is_plain(provider: &str) -> bool {
    let begins = provider.starts_with(|c: char| c.is_ascii_alphanumeric());
    begins && provider.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

async fn run(env: &dyn Environment, script: String, input: String) -> Result<(), String> {
    let cwd = env.root().to_path_buf();
    let program = script.split(' ').next().unwrap_or_default().to_string();
    let command = CommandSpec { script, cwd, timeout: Some(UNLOCK_TIMEOUT), env: BTreeMap::default() };
    let cancel = CancellationToken::new();
    let _ended = cancel.clone().drop_guard();
    let stderr = Arc::new(Mutex::new(Vec::new()));
    let into = stderr.clone();
    let sink = move |bytes: &[u8]| {
        let mut all = into.lock();
        let room = STDERR_MAX.saturating_sub(all.len());
        all.extend_from_slice(&bytes[..bytes.len().min(room)]);
    };
    match env.filter(command, input.into_bytes(), Box::new(|_| {}), Box::new(sink), cancel).await {
        Ok(Exit::Code(0)) => Ok(()),
        Ok(Exit::Code(127)) => Err(format!("there is no program `{program}`")),
        Ok(Exit::Code(code)) => {
            let stderr = stderr.lock();
            let stderr = String::from_utf8_lossy(&stderr);
            let first = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("`{program}` ended with {code} {first}").trim_end().to_string())
        }
        Ok(Exit::TimedOut | Exit::Cancelled) => Err(format!("`{program}` was ended")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyring_ids_with_shell_characters_are_rejected() {
        for id in ["openai", "openai-codex", "my_own.2"] {
            assert!(is_plain(id), "{id}");
        }
        for id in ["", "-x", "--label=x", ".", "a b", "a;b", "$(x)", "a'b", "ä", "a\nb"] {
            assert!(!is_plain(id), "{id}");
        }
    }
}
