//! Values in the user's files that must be resolved: `$NAME`, `${NAME}` and `!command`.
//!
//! Must not know their purpose. Commands are run by a function that is passed in, when their value is first
//! needed, and once per process.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::Mutex;

/// Timeout of a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a command line and returns its output, or the error.
pub type CommandRunner = Arc<dyn Fn(String) -> BoxFuture<'static, Result<String, String>> + Send + Sync>;

/// Why a value cannot be resolved. Never contains the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The variable is not set.
    #[error("{0} is not set")]
    Unset(String),
    /// The command failed.
    #[error("the command for it failed: {0}")]
    Command(String),
}

/// Runs commands and caches their output.
#[derive(Clone)]
pub struct Shell {
    run: CommandRunner,
    outputs: Arc<Mutex<HashMap<String, String>>>,
    timeout: Duration,
}

impl Shell {
    /// Creates a shell with an empty cache.
    pub fn new(run: CommandRunner) -> Self {
        Self { run, outputs: Arc::default(), timeout: COMMAND_TIMEOUT }
    }

    /// Returns a command's output, trimmed. Concurrent callers wait for the same run; a command that failed
    /// is run again the next time.
    async fn output(&self, command: &str) -> Result<String, ValueError> {
        let mut outputs = self.outputs.lock().await;
        if let Some(text) = outputs.get(command) {
            return Ok(text.clone());
        }
        let late = || ValueError::Command(format!("it took more than {} s", self.timeout.as_secs_f32()));
        let ran = tokio::time::timeout(self.timeout, (self.run)(command.to_string())).await;
        let text = ran.map_err(|_| late())?.map_err(ValueError::Command)?;
        let text = text.trim().to_string();
        if text.is_empty() {
            return Err(ValueError::Command("it printed nothing".to_string()));
        }
        outputs.insert(command.to_string(), text.clone());
        Ok(text)
    }
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shell")
    }
}

/// Resolves a text: `!command` as a whole, variables anywhere, `$$` for a dollar sign and `$!` for an
/// exclamation mark.
pub async fn resolve(
    text: &str,
    var: impl Fn(&str) -> Option<String> + Send,
    shell: Option<&Shell>,
) -> Result<String, ValueError> {
    match text.strip_prefix('!') {
        Some(command) => match shell {
            Some(shell) => shell.output(command.trim()).await,
            None => Err(ValueError::Command("no command can be run here".to_string())),
        },
        None => expand(text, var),
    }
}

/// Whether a value may exist: checks variables, does not run commands.
pub fn may_be_set(text: &str, var: impl Fn(&str) -> Option<String>) -> bool {
    text.starts_with('!') || expand(text, var).is_ok_and(|value| !value.is_empty())
}

/// Whether a value is made of variables.
pub fn names_variables(text: &str) -> bool {
    let mut names = false;
    let seen = expand(text, |_| {
        names = true;
        Some(String::new())
    });
    names && seen.is_ok()
}

fn expand(text: &str, mut var: impl FnMut(&str) -> Option<String>) -> Result<String, ValueError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, tail) = match braced {
            Some((name, tail)) => (name, tail),
            None => after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len())),
        };
        let begins = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if let Some(tail) = after.strip_prefix('$') {
            out.push('$');
            rest = tail;
        } else if let Some(tail) = after.strip_prefix('!') {
            out.push('!');
            rest = tail;
        } else if begins && name.chars().all(is_name) {
            out.push_str(&var(name).ok_or_else(|| ValueError::Unset(name.to_string()))?);
            rest = tail;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn var(name: &str) -> Option<String> {
        (name == "KEY").then(|| "k".to_string())
    }

    #[test]
    fn auth_value_expands_variables() {
        for (text, value) in [
            ("plain", Ok("plain")),
            ("KEY", Ok("KEY")),
            ("$KEY", Ok("k")),
            ("a${KEY}b $KEY.", Ok("akb k.")),
            ("$$KEY", Ok("$KEY")),
            ("$!x", Ok("!x")),
            ("5$ é$", Ok("5$ é$")),
            ("${a-b}", Ok("${a-b}")),
            ("$KEYS", Err("KEYS is not set")),
        ] {
            let got = expand(text, var).map_err(|e| e.to_string());
            assert_eq!(got, value.map(String::from).map_err(String::from), "{text}");
        }
        assert!(may_be_set("!pass", var) && may_be_set("$KEY", var) && !may_be_set("$NO", var));
    }

    #[tokio::test]
    async fn auth_command_result_is_cached_but_failure_is_not() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let shell = Shell::new(Arc::new(move |command: String| {
            let nth = counted.fetch_add(1, Ordering::SeqCst);
            async move { if nth == 0 { Err("exit 1".into()) } else { Ok(format!(" {command}\n")) } }.boxed()
        }));
        let ask = || resolve("!pass key", var, Some(&shell));
        assert_eq!(ask().await, Err(ValueError::Command("exit 1".into())));
        assert_eq!(ask().await.as_deref(), Ok("pass key"));
        assert_eq!(ask().await.as_deref(), Ok("pass key"));
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert!(resolve("!x", var, None).await.is_err());
    }

    #[tokio::test]
    async fn auth_command_times_out() {
        let shell = Shell::new(Arc::new(|_| futures::future::pending().boxed()));
        let shell = Shell { timeout: Duration::from_millis(5), ..shell };
        let late = resolve("!sleep", var, Some(&shell)).await.unwrap_err();
        assert!(late.to_string().contains("more than"), "{late}");
    }
}
