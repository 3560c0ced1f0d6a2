//! Filter of the environment variables that commands inherit.
//!
//! Must not know commands.

use std::ffi::{OsStr, OsString};

/// Which variables are inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inherit {
    /// All except those whose names indicate secrets.
    #[default]
    NoSecrets,
    /// All.
    All,
    /// Only those that programs need to find files: [`CORE`].
    Core,
    /// None.
    None,
}

/// Names of variables with secrets, whole or as suffix after a `_`: the five of the agent loop's
/// specification, and those of cloud services.
const SECRETS: [&str; 8] =
    ["API_KEY", "SECRET", "TOKEN", "PASSWORD", "CREDENTIAL", "CREDENTIALS", "ACCESS_KEY", "SECRET_KEY"];
/// Names of secrets in another form.
const ALSO_SECRET: [&str; 1] = ["AWS_BEARER_TOKEN_BEDROCK"];
/// Names that sound like secrets, but only name a file with one.
const NO_SECRET: [&str; 1] = ["GOOGLE_APPLICATION_CREDENTIALS"];

/// Variables that are inherited whatever their names: locations, the user, and folders of language tools.
pub const CORE: [&str; 24] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TMPDIR",
    "TZ",
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "JAVA_HOME",
    "GEM_HOME",
    "RBENV_ROOT",
    "XDG_RUNTIME_DIR",
];

/// Whether a variable's name indicates a secret.
pub fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let ends = |ending: &&str| {
        name.strip_suffix(*ending).is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    let is_one = SECRETS.iter().any(ends) || ALSO_SECRET.contains(&&*name);
    is_one && !NO_SECRET.contains(&&*name)
}

/// Returns the script for a login shell that has read the user's startup files: it first unsets secrets from
/// these, except variables that it was explicitly given. It stays on the same line, so that line numbers in
/// error messages are right.
pub(in crate::exec) fn unset_secrets<'a>(script: &str, given: impl Iterator<Item = &'a str>) -> String {
    let secret = format!("(.*_)?({})|{}", SECRETS.join("|"), ALSO_SECRET.join("|"));
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let kept: Vec<&str> = NO_SECRET.into_iter().chain(given.filter(plain)).collect();
    let kept = kept.join("|");
    format!(
        "{{ unset -v $(env | LC_ALL=C sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p' | \
         LC_ALL=C grep -Eix '{secret}' | LC_ALL=C grep -Evx '{kept}'); }} 2>/dev/null || :; {script}"
    )
}

impl Inherit {
    /// Whether a variable is inherited.
    pub fn includes(self, name: &OsStr) -> bool {
        let core = || CORE.iter().any(|core| name == *core);
        match self {
            Self::NoSecrets => core() || !is_secret(name),
            Self::All => true,
            Self::Core => core(),
            Self::None => false,
        }
    }

    /// Returns the inherited variables.
    pub fn filter(self, vars: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        vars.iter().filter(|(name, _)| self.includes(name)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_inherit_rules_select_names() {
        let names = ["PATH", "MY_API_KEY", "my_token", "EDITOR", "CARGO_HOME", "DB_PASSWORD_FILE"];
        let taken = |rule: Inherit| names.map(|name| rule.includes(OsStr::new(name)));
        assert_eq!(taken(Inherit::NoSecrets), [true, false, false, true, true, true]);
        assert_eq!(taken(Inherit::All), [true; 6]);
        assert_eq!(taken(Inherit::Core), [true, false, false, false, true, false]);
        assert_eq!(taken(Inherit::None), [false; 6]);
        let vars = vec![("PATH".into(), "/bin".into()), ("X_SECRET".into(), "s".into())];
        assert_eq!(Inherit::default().filter(&vars), vars[..1]);
    }

    #[test]
    fn variables_secret_names_are_recognized() {
        for (name, secret) in [
            ("AWS_SECRET_ACCESS_KEY", true),
            ("AWS_SESSION_TOKEN", true),
            ("aws_bearer_token_bedrock", true),
            ("TOKEN", true),
            ("password", true),
            ("API_KEY", true),
            ("X_CREDENTIALS", true),
            ("S3_SECRET_KEY", true),
            ("AWS_ACCESS_KEY_ID", false),
            ("GOOGLE_APPLICATION_CREDENTIALS", false),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", false),
            ("NOTOKEN", false),
            ("TOKENS", false),
            ("", false),
        ] {
            assert_eq!(is_secret(OsStr::new(name)), secret, "{name}");
        }
    }

    /// The keys of all providers that are known from the start.
    #[test]
    fn variables_provider_keys_are_never_inherited() {
        let data: serde_json::Value =
            serde_json::from_str(include_str!("../../../assets/providers.json")).unwrap();
        let rows = data.as_array().or_else(|| data["providers"].as_array()).unwrap();
        let keys: Vec<&str> = rows
            .iter()
            .flat_map(|row| row["keyVars"].as_array().into_iter().flatten())
            .map(|name| name.as_str().unwrap())
            .collect();
        assert!(keys.len() > 20, "{keys:?}");
        for name in keys {
            assert!(!Inherit::NoSecrets.includes(OsStr::new(name)), "{name}");
        }
    }
}
