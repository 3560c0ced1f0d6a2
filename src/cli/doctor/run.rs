//! `bowline doctor`: runs it, until it is done or a signal ends it. Must not know the checks.

use std::io::IsTerminal;

use tokio::runtime::Builder;

use super::checks::SECTIONS;
use super::facts;
use super::report::{DoctorReport, State};
use crate::base::error::Report;
use crate::cli::options::Args;
use crate::cli::process::{FAILED, OK, USAGE, read_process, write_out};
use crate::cli::setup::{self, Process};
use crate::tui::term::{Signal, Signals};
use crate::tui::theme::ColorDepth;

/// Columns of the text where there is no terminal.
const COLS: usize = 80;

/// Prints the report; returns the exit code: 1 if there is an error in it.
pub fn run(args: &Args, json: bool) -> Result<i32, (i32, Report)> {
    let process = read_process(true).map_err(|report| (USAGE, report))?;
    let args = Args { args: Vec::new(), ..args.clone() };
    let cannot_start = |error: std::io::Error| (FAILED, Report::caused("cannot start", &error));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot_start)?;
    let code = runtime.block_on(async {
        // Caught, so that the terminal is restored first.
        let mut signals = Signals::catch().map_err(cannot_start)?;
        tokio::select! {
            code = print(&args, process, json) => code,
            code = ending_signal(&mut signals) => Ok(code),
        }
    });
    // A folder that does not answer must not delay the exit.
    runtime.shutdown_background();
    code
}

async fn print(args: &Args, process: Process, json: bool) -> Result<i32, (i32, Report)> {
    let is_colored = std::io::stdout().is_terminal() && setup::color_depth(&process).0 != ColorDepth::None;
    let facts = facts::gather(args, process).await.map_err(|report| (USAGE, report))?;
    let cols = facts.size.map_or(COLS, |(cols, _)| usize::from(cols));
    let judged = tokio::task::spawn_blocking(move || {
        let report = DoctorReport::new(SECTIONS, &facts);
        let text = if json { format!("{:#}\n", report.json()) } else { report.text(is_colored, cols) };
        write_out(&text, &mut std::io::stdout())?;
        Ok(if report.state() == State::Error { FAILED } else { OK })
    });
    judged.await.map_err(|error| (FAILED, Report::caused("a check failed inside", &error)))?
}

/// Waits for a signal that ends the program; returns the exit code.
async fn ending_signal(signals: &mut Signals) -> i32 {
    loop {
        match signals.next().await {
            // It ends within a second, and the terminal must not be left in its present modes.
            Signal::Resize | Signal::Continue | Signal::Stop => {}
            ending => return ending.exit_code(),
        }
    }
}
