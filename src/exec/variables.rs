//! Which variables of a process its commands inherit.
//!
//! Must not know commands.

use std::ffi::{OsStr, OsString};

/// What is inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inherit {
    /// All but those whose names say that they hold secrets.
    #[default]
    NoSecrets,
    /// All.
    All,
    /// Only what programs need to find their way: [`CORE`].
    Core,
    /// None.
    None,
}

/// Endings of the names of variables that hold secrets.
const SECRET_ENDINGS: [&str; 5] = ["_API_KEY", "_SECRET", "_TOKEN", "_PASSWORD", "_CREDENTIAL"];

/// Variables that are inherited whatever they are called, unless nothing is: where things are, who works
/// here, and where the tools of languages keep theirs.
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

/// Whether a variable's name says that it holds a secret.
pub fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

impl Inherit {
    /// Whether a variable is inherited.
    pub fn takes(self, name: &OsStr) -> bool {
        let core = || CORE.iter().any(|core| name == *core);
        match self {
            Self::NoSecrets => core() || !is_secret(name),
            Self::All => true,
            Self::Core => core(),
            Self::None => false,
        }
    }

    /// Those that are inherited.
    pub fn of(self, vars: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        vars.iter().filter(|(name, _)| self.takes(name)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_takes_its_own() {
        let names = ["PATH", "MY_API_KEY", "my_token", "EDITOR", "CARGO_HOME", "DB_PASSWORD_FILE"];
        let taken = |rule: Inherit| names.map(|name| rule.takes(OsStr::new(name)));
        assert_eq!(taken(Inherit::NoSecrets), [true, false, false, true, true, true]);
        assert_eq!(taken(Inherit::All), [true; 6]);
        assert_eq!(taken(Inherit::Core), [true, false, false, false, true, false]);
        assert_eq!(taken(Inherit::None), [false; 6]);
        let vars = vec![("PATH".into(), "/bin".into()), ("X_SECRET".into(), "s".into())];
        assert_eq!(Inherit::default().of(&vars), vars[..1]);
    }
}
