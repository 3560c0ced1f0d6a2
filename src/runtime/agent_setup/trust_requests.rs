//! Trust requests of a project: programs of its plugins and language servers, and its allow rules.
//!
//! Must not know who asks the user, nor what the plugins are. Reads files. Deny rules of a project need no
//! trust.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

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
    /// It cannot be read, or is no file.
    pub fn read(path: PathBuf) -> io::Result<Self> {
        let digest = trust::digest_of_file(&path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        Ok(Self { path, digest })
    }
}

/// What the user has said about programs that run what a folder contains, and about those that it contains itself: in stored
/// answers, and until this program ends. Clones are the same.
#[derive(Debug, Clone)]
pub struct ProgramTrust {
    is_folder_trusted: Arc<AtomicBool>,
    workspace: PathBuf,
    answers: Trust,
    once: Arc<Mutex<Vec<ProjectProgram>>>,
}

impl ProgramTrust {
    /// Creates it for a folder that is not trusted so far; `state` is the folder of the stored answers.
    pub fn new(workspace: PathBuf, state: &Path) -> Self {
        Self {
            is_folder_trusted: Arc::default(),
            workspace,
            answers: Trust::new(state),
            once: Arc::default(),
        }
    }

    /// Notes whether the folder is trusted.
    pub fn set_folder(&self, is_trusted: bool) {
        self.is_folder_trusted.store(is_trusted, Ordering::SeqCst);
    }

    /// Returns what the user has said about a program as it is. Blocking.
    ///
    /// # Errors
    ///
    /// The answers cannot be read.
    pub fn state_of(&self, program: &ProjectProgram) -> io::Result<TrustState> {
        if self.once.lock().contains(program) {
            return Ok(TrustState::Trusted);
        }
        self.answers.state_of(&program.path, &program.digest)
    }

    /// Trusts programs until this program ends.
    pub fn trust_once(&self, programs: Vec<ProjectProgram>) {
        self.once.lock().extend(programs);
    }

    /// Stores what the user says about programs. One that is gone needs no answer. Blocking.
    ///
    /// # Errors
    ///
    /// The answers cannot be stored.
    pub fn answer(&self, programs: &[ProjectProgram], is_trusted: bool) -> io::Result<()> {
        for program in programs {
            match self.answers.answer(&program.path, &program.digest, is_trusted) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                stored => stored?,
            }
        }
        Ok(())
    }

    /// Forgets everything that was said about the project and its programs. Blocking.
    ///
    /// # Errors
    ///
    /// The answers cannot be stored.
    pub fn forget(&self) -> io::Result<()> {
        self.once.lock().clear();
        self.answers.forget(&self.workspace)
    }

    /// Whether a program may be started: the folder is trusted, and the program is none of the project's or trusted as it is
    /// now. What cannot be read cannot be trusted. Blocking.
    pub fn may_start(&self, program: &str) -> bool {
        if !self.is_folder_trusted.load(Ordering::SeqCst) {
            return false;
        }
        let Some(path) = ProjectProgram::path_of(program, &self.workspace) else { return true };
        let found = ProjectProgram::read(path).and_then(|program| self.state_of(&program));
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "a program of the project is not started");
            TrustState::Undecided
        }) == TrustState::Trusted
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
