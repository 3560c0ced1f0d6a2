//! Trust requests of a project: programs of its plugins and language servers, and its allow rules.
//!
//! Must not know who asks the user, nor what the plugins are. Reads files. Deny rules of a project need no
//! trust.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::load::read_text;
use crate::exec::storage::trust::{self, Trust, TrustState};
use crate::tools::permissions::rules::Rules;

/// A project's folder of plugins.
const PLUGINS: &str = ".bowline/plugins";
/// File name of the rules, in the settings folder and in a project's `.bowline`.
pub(in crate::runtime) const RULES: &str = "permissions.toml";

/// File name of a project's rows about language servers, in its `.bowline`.
const SERVERS: &str = "servers.toml";

/// What a project requests trust for.
#[derive(Debug)]
pub struct TrustRequests {
    /// Its allow rules, each described in words.
    pub allows: Vec<String>,
    /// Digest that identifies the whole request; a project without requests has one, too. The error says why
    /// the project cannot be trusted.
    pub digest: io::Result<String>,
}

impl TrustRequests {
    /// Reads the requests of the project in a folder; `home` is what `~` expands to.
    pub fn read(workspace: &Path, home: &Path) -> Self {
        // An unreadable file allows nothing; the reader of the rules reports the error.
        let text = read_text(&rules_path(workspace)).ok().flatten();
        Self::from_rules(text.as_deref(), workspace, home)
    }

    /// The same, for rules that were already read.
    pub(in crate::runtime) fn from_rules(rules: Option<&str>, workspace: &Path, home: &Path) -> Self {
        let text = rules.unwrap_or_default();
        let allows = Rules::allowed_by(text, workspace, home);
        let plugins = plugins_folder(workspace);
        let servers = read_text(&workspace.join(".bowline").join(SERVERS)).map(Option::unwrap_or_default);
        let rules = if allows.is_empty() { "" } else { text };
        let digest = match servers {
            Ok(servers) if servers.is_empty() && rules.is_empty() && plugins.exists() => {
                trust::digest(&plugins)
            }
            Ok(servers) if servers.is_empty() => trust::digest_with(&plugins, rules),
            Ok(servers) => trust::digest_with(&plugins, &format!("{rules}\0{servers}")),
            Err(error) => Err(error),
        };
        Self { allows, digest }
    }

    /// Returns whether the user trusts the project in this folder with these requests. `state` is the folder
    /// of the stored answers, `now` the digest that the user trusts until the program ends.
    pub(in crate::runtime) fn are_trusted(
        &self,
        workspace: &Path,
        state: &Path,
        now: Option<&str>,
    ) -> io::Result<bool> {
        let digest = match &self.digest {
            Ok(digest) => digest,
            Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
        };
        Ok(now == Some(digest) || Trust::new(state).state_of(workspace, digest)? == TrustState::Trusted)
    }
}

/// A program that the project itself contains, such as a language server in its `node_modules`, as it is now. It is trusted for
/// itself, since what a project contains below its folders is known only once a file wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectProgram {
    /// Where it is.
    pub path: PathBuf,
    /// Digest of its content.
    pub digest: String,
}

impl ProjectProgram {
    /// Returns where a program is, if the project contains it. `program` is a name in the search path, or an absolute path.
    pub fn path_of(program: &str, workspace: &Path) -> Option<PathBuf> {
        let path = Path::new(program);
        path.starts_with(workspace).then(|| path.to_path_buf())
    }

    /// Reads it. Blocking.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read(path: PathBuf) -> io::Result<Self> {
        let digest = trust::digest_of_file(&path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        Ok(Self { path, digest })
    }

    /// Returns the user's decision about it.
    pub fn decision(&self, trust: &Trust) -> io::Result<TrustState> {
        trust.state_of(&self.path, &self.digest)
    }
}

/// A project's folder of plugins.
pub fn plugins_folder(workspace: &Path) -> PathBuf {
    workspace.join(PLUGINS)
}

/// Returns the path of a project's rules.
pub(in crate::runtime) fn rules_path(workspace: &Path) -> PathBuf {
    workspace.join(".bowline").join(RULES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn trust_digest_covers_allow_rules_and_plugins() {
        let folder = tempfile::tempdir().unwrap();
        let (work, state) = (folder.path().join("work"), folder.path().join("state"));
        fs::create_dir_all(plugins_folder(&work)).unwrap();
        fs::write(plugins_folder(&work).join("x"), "x").unwrap();
        let write = |text: &str| fs::write(rules_path(&work), text).unwrap();
        let read = || TrustRequests::read(&work, Path::new("/nowhere"));
        let trusted = |now: Option<&str>| read().are_trusted(&work, &state, now).unwrap();
        let plain = read().digest.unwrap();
        write("[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n");
        assert_eq!((read().digest.unwrap(), read().allows.len()), (plain.clone(), 0));
        Trust::new(&state).answer(&work, &plain, true).unwrap();
        assert!(trusted(None));
        // Trust in programs is no trust in rules that came later.
        write("[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n");
        assert_eq!(read().allows, ["allow command \"make\""]);
        let first = read().digest.unwrap();
        assert!(first != plain && !trusted(None) && !trusted(Some(&plain)));
        assert!(trusted(Some(&first)));
        Trust::new(&state).answer(&work, &first, true).unwrap();
        assert!(trusted(None));
        write("[[rule]]\ndecision = \"allow\"\ncommand = \"rm\"\n");
        assert!(!trusted(None) && !trusted(Some(&first)));
        fs::write(plugins_folder(&work).join("x"), "y").unwrap();
        write("[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n");
        assert!(!trusted(None));
        std::os::unix::fs::symlink("/bin/sh", plugins_folder(&work).join("sh")).unwrap();
        assert!(read().are_trusted(&work, &state, None).is_err());
    }
}
