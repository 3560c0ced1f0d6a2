//! Checks of the programs that bowline runs. Must not know for what it runs them.

use std::ffi::OsString;
use std::path::Path;

use crate::cli::doctor::facts::{Facts, ProgramError};
use crate::cli::doctor::report::{Check, Finding};
use crate::cli::setup;
use crate::exec::commands::{process, terminal};

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "git", run: |facts| vec![git(facts)] },
    Check { name: "command-shell", run: |facts| vec![shell(&process::shell(&vars(facts)))] },
    Check { name: "terminal-shell", run: |facts| vec![shell(&terminal::shell(&vars(facts)))] },
    Check { name: "editor", run: |facts| vec![editor(facts)] },
    Check { name: "keyring", run: keyring },
];

fn git(facts: &Facts) -> Finding {
    match &facts.git {
        Ok((path, version)) => Finding::ok(format!("{version} ({})", path.display())),
        Err(error @ ProgramError::NotFound) => {
            Finding::warning(error.to_string(), "Install git: differences, hunks and checkpoints need it")
        }
        Err(ProgramError::Query(error)) => {
            Finding::warning(error.to_string(), "Check that `git --version` works here")
        }
    }
}

fn vars(facts: &Facts) -> Vec<(OsString, OsString)> {
    facts.process.vars.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn shell(path: &Path) -> Finding {
    let shown = path.display().to_string();
    if path.is_file() {
        return Finding::ok(shown);
    }
    Finding::error(format!("{shown}: there is no such program"), "Install bash, or a POSIX shell as /bin/sh")
}

fn editor(facts: &Facts) -> Finding {
    match setup::external_editor(&facts.process) {
        Some(command) => Finding::ok(command),
        None => Finding::note("none", "Set EDITOR to write long messages in an editor of your own"),
    }
}

/// The program that keeps keys, if the settings want them kept.
fn keyring(facts: &Facts) -> Vec<Finding> {
    if !facts.setup.as_ref().is_some_and(|setup| setup.loaded.settings.keyring) {
        return Vec::new();
    }
    let name = crate::runtime::login::keyring::PROGRAM;
    let advice = format!("Install {name}, or set keyring = false in settings.toml");
    vec![match facts.find_program(name) {
        Some(path) => Finding::ok(path.display().to_string()),
        None => Finding::warning(format!("{name} is not found"), advice),
    }]
}
