//! The process around everything: what it was given, its exit codes, its standard error.
//!
//! Must not know what is done with it.

use std::io::{IsTerminal, Read, Write};

use futures::FutureExt;

use super::setup::Process;
use crate::base::error::Report;
use crate::tools::{Approval, Ask, Decision};

/// Done.
pub const OK: i32 = 0;
/// The work failed.
pub const FAILED: i32 = 1;
/// Wrong usage.
pub const USAGE: i32 = 2;

/// What the process was given; its standard input is read unless a person sits there.
pub fn process(interactive: bool) -> Result<Process, Report> {
    let cwd = std::env::current_dir().map_err(|error| {
        Report::caused("the current folder cannot be found", &error).hint("cd to a folder that exists")
    })?;
    // A variable that is no UTF-8 is none of ours; commands get it all the same.
    let vars = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let piped = if interactive || std::io::stdin().is_terminal() { None } else { Some(read_stdin()?) };
    Ok(Process { vars, cwd, interactive, piped })
}

fn read_stdin() -> Result<String, Report> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Report::caused("cannot read standard input", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Without a person nobody can be asked.
pub struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> futures::future::BoxFuture<'static, Decision> {
        let why =
            format!("nobody is there to allow it (rule: {}); --approval full runs it unasked", ask.rule);
        tell(&Report::new(format!("{} did not run: {why}", ask.tool)));
        futures::future::ready(Decision::Deny(why)).boxed()
    }
}

/// Says what failed on standard error. When even that is gone there is nobody to tell.
pub fn tell(report: &Report) {
    let mut text = format!("bowline: {}\n", report.message);
    if let Some(hint) = &report.hint {
        text.push_str(&format!("         {hint}\n"));
    }
    std::io::stderr().write_all(crate::base::width::visible_lines(&text).as_bytes()).ok();
}
