//! The modes that own standard output: JSON and RPC. Sets up their streams and session options.
//!
//! Must not know the content of the streams.

use std::io::{self, ErrorKind, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::options::Args;
use super::process::{
    FAILED, NonInteractive, OK, USAGE, end_session, print_error, read_process, start_log, take_stdout,
};
use super::setup::{self, Process, Setup};
use crate::base::error::Report;
use crate::modes::json::{self, input::Input};
use crate::modes::lines::{self, Line, LineWriter};
use crate::modes::print::{Prompt, interruption};
use crate::modes::rpc::{self, HostUi, Ports};
use crate::runtime;
use crate::tools::Mode;

/// How long the end waits for the reader to take the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Headless mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headless {
    /// JSON mode: all events.
    Json,
    /// RPC mode: commands, answers and events.
    Rpc,
}

/// Returns the mode that the arguments select, if it is one of these.
pub fn requested_mode(args: &Args) -> Result<Option<Headless>, Report> {
    let mode = match args.mode.as_deref() {
        Some("json") => Headless::Json,
        Some("rpc") => Headless::Rpc,
        None if args.json && args.list_models.is_none() => Headless::Json,
        _ => return Ok(None),
    };
    if args.resume {
        return Err(Report::new("--resume needs a terminal to choose the session in")
            .hint("use --continue for the newest, --session ID for another"));
    }
    if mode == Headless::Rpc && !(args.args.is_empty() && args.message.is_empty()) {
        return Err(Report::new("RPC mode takes no prompts and files as arguments")
            .hint("send {\"type\":\"prompt\",\"message\":\"…\"} on standard input"));
    }
    Ok(Some(mode))
}

/// Runs the mode; returns the exit code.
pub fn run(args: &Args, mode: Headless) -> Result<i32, (i32, Report)> {
    let usage = |report| (USAGE, report);
    let failed = |report| (FAILED, report);
    // Before any other code can write there.
    let stdout = take_stdout().map_err(failed)?;
    let mut process = read_process(true).map_err(usage)?;
    process.interactive = false;
    // Watched from the start, so that a closed input is noticed.
    let stdin_lines = match mode {
        Headless::Rpc => Some(lines::read_to_end(io::stdin())),
        Headless::Json => None,
    };
    let stdin_lines = stdin_lines.transpose();
    let stdin_lines =
        stdin_lines.map_err(|error| failed(Report::caused("cannot read standard input", &error)))?;
    let setup = setup::resolve(args, &process, true).map_err(usage)?;
    let piped = !io::stdin().is_terminal();
    if mode == Headless::Json && setup.initial_prompts.is_empty() && !piped {
        return Err(usage(
            Report::new("no prompt")
                .hint("name a prompt, or send {\"type\":\"message\",\"content\":\"…\"} on standard input"),
        ));
    }
    start_log(&setup.home.state, &process);
    for problem in &setup.loaded.problems {
        print_error(&Report::new(problem.to_string()));
    }
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(Report::caused("cannot start", &error)))?;
    let (out, written) = LineWriter::start(stdout);
    let code = runtime.block_on(async {
        let code = if let Some(stdin_lines) = stdin_lines {
            run_rpc(args, setup, &process, stdin_lines, out).await
        } else {
            let input = piped.then(|| json::input::read(io::stdin()));
            run_json(args, setup, &process, input, out).await
        };
        match (code, written.finish(FLUSH_TIMEOUT).await) {
            (code, Ok(())) => code,
            // A host ends RPC by closing its pipe. In JSON mode that loses events: the run is incomplete.
            (code, Err(error))
                if error.kind() == ErrorKind::TimedOut
                    || (mode == Headless::Rpc && error.kind() == ErrorKind::BrokenPipe) =>
            {
                tracing::debug!(%error, "nobody reads what is written");
                code
            }
            (code, Err(error)) => {
                print_error(&Report::caused("cannot write the events", &error));
                code.map(|code| if code == OK { FAILED } else { code })
            }
        }
    });
    runtime.shutdown_background();
    code
}

async fn run_json(
    args: &Args,
    setup: Setup,
    process: &Process,
    input: Option<Receiver<Input>>,
    out: LineWriter,
) -> Result<i32, (i32, Report)> {
    let env = setup::environment(&setup);
    let options =
        setup::session_options(args, &setup, process, Mode::AutoEdit, env.clone(), Arc::new(NonInteractive));
    let mut options = options.map_err(|report| (USAGE, report))?;
    options.language_servers = setup::usable_servers(&setup, env);
    // The conversation may end here, so there is no compaction after the run. Input lines change that.
    options.compaction.after_runs = false;
    let handle = runtime::start(options).await.map_err(|report| (FAILED, report))?;
    let prompts = setup
        .initial_prompts
        .into_iter()
        .map(|prompt| Prompt { text: prompt.text, images: prompt.images })
        .collect();
    let code = json::json(&handle, prompts, input, out, &mut io::stderr()).await;
    end_session(&handle).await;
    Ok(code)
}

async fn run_rpc(
    args: &Args,
    setup: Setup,
    process: &Process,
    input: (Receiver<Line>, CancellationToken),
    out: LineWriter,
) -> Result<i32, (i32, Report)> {
    let env = setup::environment(&setup);
    let ui = HostUi::new();
    let approval = Arc::new(ui.clone());
    let options =
        setup::session_options(args, &setup, process, Mode::OnRequest, env.clone(), approval.clone());
    let mut options = options.map_err(|report| (USAGE, report))?;
    options.language_servers = setup::usable_servers(&setup, env);
    options.questions = Some(approval);
    let settings = serde_json::to_value(&setup.loaded.settings);
    let settings = settings.map_err(|error| (FAILED, Report::caused("cannot print the settings", &error)))?;
    let handle = runtime::start(options).await.map_err(|report| (FAILED, report))?;
    let ports = Ports::from_streams(handle.clone(), ui, input, out).settings(settings).until(interruption());
    let code = rpc::serve(ports).await;
    end_session(&handle).await;
    Ok(code)
}
