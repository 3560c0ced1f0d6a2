//! `bowline completions` and `bowline man`: generate completion scripts and manual pages from the command
//! line definitions.
//!
//! Must not know any command except these two.

use std::path::Path;

use clap::CommandFactory;

use super::args::Cli;
use super::commands::Command;
use super::process::FAILED;
use crate::base::error::Report;

/// Returns the output of the command, if it is one of these two.
pub fn print(command: &Command) -> Option<Result<String, (i32, Report)>> {
    match command {
        Command::Completions { shell } => Some(Ok(completions(*shell))),
        Command::Man { output: None } => Some(page()),
        Command::Man { output: Some(folder) } => Some(pages(folder)),
        _ => None,
    }
}

/// Returns the completion script for a shell.
fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bowline", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page of the program, in roff.
fn page() -> Result<String, (i32, Report)> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
    rendered.map_err(|error| (FAILED, Report::caused("cannot make the manual page", &error)))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes the pages of the program and of all commands; returns a message with their folder.
fn pages(folder: &Path) -> Result<String, (i32, Report)> {
    let made = std::fs::create_dir_all(folder);
    made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| (FAILED, Report::caused(format!("cannot write to {}", folder.display()), &error)))?;
    Ok(format!("The manual pages are in {}\n", folder.display()))
}
