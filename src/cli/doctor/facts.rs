//! Everything that the checks judge and that takes time to find out: gathered at once, each part within a time
//! limit.
//!
//! Must not judge.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::termios::tcgetwinsize;

use crate::base::error::Report;
use crate::cli::options::Args;
use crate::cli::process::NonInteractive;
use crate::cli::setup::{self, Process, Setup};
use crate::exec::clipboard::{CheckResult, ClipboardRoute, SystemClipboard};
use crate::exec::commands::query::{self, QueryError};
use crate::exec::commands::tmux::{self, TmuxReport};
use crate::runtime::Options;
use crate::runtime::models::credentials::{self, CredentialReport};
use crate::session::store::inspection::{self, Inspection};
use crate::tools::Mode;
use crate::tui::term::probe::{self, Answers, ProbeError, REPLY_TIMEOUT};
use crate::tui::term::terminal;

/// How long a program has to answer.
const PROGRAM_TIMEOUT: Duration = Duration::from_millis(500);
/// Arguments with which bubblewrap runs a command that does nothing.
const CONFINED: &[&str] = &["--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true"];
/// How many session files are opened.
const SESSIONS_OPENED: usize = 200;

/// Why a program of the system gives no version.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// No folder of `PATH` has it.
    #[error("not found")]
    NotFound,
    /// It does not answer.
    #[error("{0}")]
    Query(#[from] QueryError),
}

/// The facts.
pub struct Facts {
    /// Inputs of the process.
    pub process: Process,
    /// The options of the command line.
    pub args: Args,
    /// Folders and settings; `None` without a home folder.
    pub setup: Option<Setup>,
    /// Whether standard input and output are terminals.
    pub is_terminal: bool,
    /// Columns and rows of the terminal, as the system knows them.
    pub size: Option<(u16, u16)>,
    /// What the terminal answered; `None` if it was not asked because it is none.
    pub answers: Option<Result<Answers, ProbeError>>,
    /// What tmux says; `None` outside of it.
    pub tmux: Option<Result<TmuxReport, ProgramError>>,
    /// The way to the clipboards.
    pub clipboard_route: ClipboardRoute,
    /// Whether the clipboard of the desktop can be reached; `None` where a text is not put on it.
    pub desktop: Option<CheckResult>,
    /// The path of git, and what it says about its version.
    pub git: Result<(PathBuf, String), ProgramError>,
    /// The path of bubblewrap, and whether it can confine a command here.
    pub bubblewrap: Result<(PathBuf, Result<(), QueryError>), ProgramError>,
    /// The security modules of the kernel, as it lists them; `None` if it does not.
    pub security_modules: Option<String>,
    /// Keys of providers.
    pub credentials: Option<CredentialReport>,
    /// The folder of sessions.
    pub sessions_root: Option<PathBuf>,
    /// What is in it.
    pub sessions: Option<io::Result<Inspection>>,
}

impl Facts {
    /// Returns a variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.process.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the file of a program in the folders of `PATH`. Those that a repository could fill are skipped:
    /// relative ones, and those in the workspace.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_program(self.var("PATH").unwrap_or_default().as_ref(), name, &self.process.cwd)
    }

    /// No home, no terminal, no programs.
    #[cfg(test)]
    pub fn for_tests() -> Self {
        use clap::Parser;
        let process = Process {
            vars: std::collections::HashMap::new(),
            cwd: PathBuf::from("/nowhere"),
            interactive: false,
            piped: None,
        };
        Self {
            process,
            args: Args::parse_from(["bowline"]),
            setup: None,
            is_terminal: false,
            size: None,
            answers: None,
            tmux: None,
            clipboard_route: ClipboardRoute::default(),
            desktop: None,
            git: Err(ProgramError::NotFound),
            bubblewrap: Err(ProgramError::NotFound),
            security_modules: None,
            credentials: None,
            sessions_root: None,
            sessions: None,
        }
    }
}

/// Gathers the facts.
///
/// # Errors
/// Fails if an option of the command line is wrong.
pub async fn gather(args: &Args, process: Process) -> Result<Facts, Report> {
    let setup = setup::resolve(args, &process, false).ok();
    let options = setup.as_ref().map(|setup| session_options(args, setup, &process)).transpose()?;
    let term = process.vars.get("TERM").cloned();
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let clipboard_route = setup::clipboard_route(&process);
    let files = tokio::task::spawn_blocking(move || {
        let options = options?;
        let root = options.session_root();
        let sessions = inspection::inspect(&root, SESSIONS_OPENED);
        Some((credentials::report(&options), root, sessions))
    });
    let path = process.vars.get("PATH").cloned().unwrap_or_default();
    let find = |name: &str| find_program(path.as_ref(), name, &process.cwd).ok_or(ProgramError::NotFound);
    let answers = async { if is_terminal { Some(ask_terminal(term.as_deref()).await) } else { None } };
    let tmux = async {
        if !clipboard_route.in_tmux {
            return None;
        }
        let asked = async { Ok(tmux::report(&find("tmux")?, PROGRAM_TIMEOUT).await?) };
        Some(asked.await)
    };
    let git = async {
        let git = find("git")?;
        let version = query::output(&git, &["--version"], PROGRAM_TIMEOUT).await?;
        Ok((git, version.trim().to_string()))
    };
    let bubblewrap = async {
        let program = find("bwrap")?;
        // It fails where the system does not allow namespaces to users.
        let confined = query::output(&program, CONFINED, PROGRAM_TIMEOUT).await;
        Ok((program, confined.map(drop)))
    };
    let (answers, tmux, git, bubblewrap, desktop, files) =
        tokio::join!(answers, tmux, git, bubblewrap, check_desktop(clipboard_route), files);
    let files = files.map_err(|error| Report::caused("cannot look at the files", &error))?;
    let (credentials, sessions_root, sessions) = match files {
        Some((credentials, root, sessions)) => (Some(credentials), Some(root), Some(sessions)),
        None => (None, None, None),
    };
    let size = if is_terminal { terminal_size() } else { None };
    let args = args.clone();
    Ok(Facts {
        process,
        args,
        setup,
        is_terminal,
        size,
        answers,
        tmux,
        clipboard_route,
        desktop,
        git,
        bubblewrap,
        security_modules: std::fs::read_to_string("/sys/kernel/security/lsm").ok(),
        credentials,
        sessions_root,
        sessions,
    })
}

fn session_options(args: &Args, setup: &Setup, process: &Process) -> Result<Options, Report> {
    let env = setup::environment(setup);
    setup::session_options(args, setup, process, Mode::AutoEdit, env, Arc::new(NonInteractive))
}

/// Returns whether the desktop's clipboard can be reached. That of tmux is known from its own answer: here its program
/// would be looked up in folders of the workspace, too.
async fn check_desktop(route: ClipboardRoute) -> Option<CheckResult> {
    let mut clipboard = SystemClipboard::new(ClipboardRoute { in_tmux: false, ..route });
    if !clipboard.has_any() {
        return None;
    }
    let checked = clipboard.check().await;
    clipboard.end().await;
    match checked {
        Ok(results) => results.into_iter().next(),
        Err(error) => Some(Err(error)),
    }
}

async fn ask_terminal(term: Option<&str>) -> Result<Answers, ProbeError> {
    probe::ask(terminal::open()?, term, REPLY_TIMEOUT).await
}

/// Returns columns and rows; `None` if the system does not know them.
fn terminal_size() -> Option<(u16, u16)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

fn find_program(path: &OsStr, name: &str, workspace: &Path) -> Option<PathBuf> {
    let folders = std::env::split_paths(path);
    let is_trusted = |folder: &PathBuf| folder.is_absolute() && !folder.starts_with(workspace);
    let is_program = |file: &PathBuf| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    // With the root folder as workspace everything would be in it.
    let has_parent = workspace.parent().is_some();
    let folders = folders.filter(|folder| is_trusted(folder) || (!has_parent && folder.is_absolute()));
    folders.map(|folder| folder.join(name)).find(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn doctor_finds_no_programs_of_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let (work, bin) = (dir.path().join("work"), dir.path().join("bin"));
        for folder in [&work.join("bin"), &bin] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("git"), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(folder.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
        }
        std::fs::write(bin.join("text"), "").unwrap();
        let path = format!(".:bin:{}:{}", work.join("bin").display(), bin.display());
        let find = |name: &str, workspace: &Path| find_program(path.as_ref(), name, workspace);
        assert_eq!(find("git", &work), Some(bin.join("git")));
        assert_eq!(find("git", Path::new("/")), Some(work.join("bin/git")), "all folders are below the root");
        assert_eq!((find("text", &work), find("absent", &work)), (None, None));
    }
}
