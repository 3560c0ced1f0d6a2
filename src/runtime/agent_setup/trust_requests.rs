//! What a project wants to be trusted with: programs of its plugins, and what its rules allow.
//!
//! Must not know who asks the user, nor what the plugins are. Reads files. What a project forbids is no wish.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::load::read_text;
use crate::exec::storage::trust::{self, Standing, Trust};
use crate::tools::permissions::rules::Rules;

/// A project's folder of plugins.
const PLUGINS: &str = ".bowline/plugins";
/// The file of rules, in the folder of settings and in a project's `.bowline`.
pub(in crate::runtime) const RULES: &str = "permissions.toml";

/// What a project wants.
#[derive(Debug)]
pub struct TrustRequests {
    /// What its rules allow, each in words.
    pub allows: Vec<String>,
    /// All of it as a number that nothing else has; a project that wants nothing of this has one, too. The
    /// error says why it cannot be trusted.
    pub digest: io::Result<String>,
}

impl TrustRequests {
    /// Those of the project in a folder; `home` is what `~` means.
    pub fn read(workspace: &Path, home: &Path) -> Self {
        // What cannot be read is told by whoever reads the rules, and allows nothing.
        let text = read_text(&rules(workspace)).ok().flatten();
        Self::of(text.as_deref(), workspace, home)
    }

    /// The same, where its rules were read already.
    pub(in crate::runtime) fn of(rules: Option<&str>, workspace: &Path, home: &Path) -> Self {
        let text = rules.unwrap_or_default();
        let allows = Rules::allowed_by(text, workspace, home);
        let plugins = plugins(workspace);
        let digest =
            if allows.is_empty() { trust::digest(&plugins) } else { trust::digest_with(&plugins, text) };
        Self { allows, digest }
    }

    /// Whether the user trusts the project in this folder with what it wants. `state` is where his answers
    /// are, `now` the digest of what he trusts until the program ends.
    pub(super) fn are_trusted(&self, workspace: &Path, state: &Path, now: Option<&str>) -> io::Result<bool> {
        let digest = match &self.digest {
            Ok(digest) => digest,
            Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
        };
        Ok(now == Some(digest) || Trust::new(state).standing(workspace, digest)? == Standing::Trusted)
    }
}

/// A project's folder of plugins.
pub fn plugins(workspace: &Path) -> PathBuf {
    workspace.join(PLUGINS)
}

/// A project's file of rules.
pub(in crate::runtime) fn rules(workspace: &Path) -> PathBuf {
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
        fs::create_dir_all(plugins(&work)).unwrap();
        fs::write(plugins(&work).join("x"), "x").unwrap();
        let write = |text: &str| fs::write(rules(&work), text).unwrap();
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
        fs::write(plugins(&work).join("x"), "y").unwrap();
        write("[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n");
        assert!(!trusted(None));
        std::os::unix::fs::symlink("/bin/sh", plugins(&work).join("sh")).unwrap();
        assert!(read().are_trusted(&work, &state, None).is_err());
    }
}
