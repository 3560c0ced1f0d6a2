//! Runs shell commands on texts, one after the other, in a task. Must not know the state.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::base::width::{truncate, visible};
use crate::exec::{CommandSpec, Environment, Exit, OutputSink};
use crate::ide::features::pipe::job::{ShellJob, ShellProblem, ShellUse};
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format};

/// Maximum total output in bytes.
pub const OUTPUT_MAX: usize = 64 << 20;
/// Maximum output in bytes if it is only shown.
const SHOWN_OUTPUT_MAX: usize = 1 << 20;
/// Maximum cells shown of a line.
const LINE_MAX: usize = 1_000;
/// Bytes of standard error that are searched for its first line.
const STDERR_MAX: usize = 4 << 10;
/// Maximum cells shown of an error message.
const SHOWN_MAX: usize = 100;

/// Runs the command for each range; returns the new text of each.
pub async fn run(
    env: &dyn Environment,
    job: &ShellJob,
) -> Result<Vec<(std::ops::Range<crate::text::position::Byte>, String)>, ShellProblem> {
    if job.purpose == ShellUse::Show {
        let output = combined_output(env, job).await?;
        return Ok(job.ranges.iter().map(|range| (range.clone(), output.clone())).collect());
    }
    if !job.purpose.reads() {
        let mut output = run_once(env, job, Vec::new(), OUTPUT_MAX / job.ranges.len().max(1)).await?;
        if job.purpose == ShellUse::Lines && !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        let output = if job.purpose == ShellUse::Lines { &output } else { without_final_newline(&output) };
        return Ok(job.ranges.iter().map(|range| (range.clone(), output.to_string())).collect());
    }
    let mut remaining = OUTPUT_MAX;
    let mut edits = Vec::new();
    for range in &job.ranges {
        let read = job.text.slice(range.clone()).into_owned();
        let ends = read.ends_with('\n');
        // Commands use UTF-8, regardless of the file's encoding; invalid bytes are preserved.
        let plain = Format { encoding: Encoding::UTF8, bom: false, ..job.format };
        let bytes = format::encode(std::iter::once(read.as_str()), plain);
        let bytes = bytes.map_err(|unfit| ShellProblem::NotRun(unfit.to_string()))?;
        let mut output = run_once(env, job, bytes, remaining).await?;
        remaining -= output.len();
        // Commands end their last line; that must not break a part of a line.
        if !ends {
            output.truncate(without_final_newline(&output).len());
        } else if job.purpose == ShellUse::Filter && !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        edits.push((range.clone(), output));
    }
    Ok(edits)
}

/// Returns output without its final line ending.
pub fn without_final_newline(output: &str) -> &str {
    output.strip_suffix('\n').map_or(output, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// Collects output up to a number of bytes; signals `full` if there is more.
fn output_buffer(most: usize, full: CancellationToken) -> (Arc<Mutex<Vec<u8>>>, OutputSink) {
    let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
    let into = bytes.clone();
    let sink = move |piece: &[u8]| {
        let mut bytes = into.lock();
        if bytes.len() + piece.len() > most {
            full.cancel();
        } else {
            bytes.extend_from_slice(piece);
        }
    };
    (bytes, Box::new(sink))
}

fn take_bytes(bytes: &Mutex<Vec<u8>>) -> Vec<u8> {
    std::mem::take(&mut *bytes.lock())
}

/// Runs the command once.
async fn run_once(
    env: &dyn Environment,
    job: &ShellJob,
    input: Vec<u8>,
    most: usize,
) -> Result<String, ShellProblem> {
    let command = CommandSpec {
        script: job.script.clone(),
        cwd: env.root().to_path_buf(),
        timeout: None,
        env: BTreeMap::new(),
    };
    collect(env, command, input, (most, &job.cancel)).await
}

/// Returns the whole output of a command for display: including errors, in order, and how it failed if it
/// did.
async fn combined_output(env: &dyn Environment, job: &ShellJob) -> Result<String, ShellProblem> {
    let command = CommandSpec {
        script: format!("exec 2>&1\n{}", job.script),
        cwd: env.root().to_path_buf(),
        timeout: None,
        env: BTreeMap::new(),
    };
    let too_long = job.cancel.child_token();
    let (output, into_output) = output_buffer(SHOWN_OUTPUT_MAX, too_long.clone());
    let (_, nowhere) = output_buffer(0, CancellationToken::new());
    let exit = env.filter(command, Vec::new(), into_output, nowhere, too_long).await;
    let exit = exit.map_err(|error| ShellProblem::NotRun(error.to_string()))?;
    let mut text = String::new();
    for line in String::from_utf8_lossy(&take_bytes(&output)).lines() {
        text.push_str(&truncate(line, LINE_MAX));
        text.push('\n');
    }
    match exit {
        Exit::Code(0) => {}
        // At the top, where it is visible even with much output.
        Exit::Code(code) => text.insert_str(0, &format!("(exit {code})\n")),
        Exit::TimedOut | Exit::Cancelled if job.cancel.is_cancelled() => return Err(ShellProblem::Cancelled),
        Exit::TimedOut | Exit::Cancelled => {
            text.insert_str(0, &format!("(it said more than {} MB and was ended)\n", SHOWN_OUTPUT_MAX >> 20));
        }
    }
    Ok(text)
}

/// Returns the output of a command that reads `input`, at most this many bytes; `cancel` stops it.
pub async fn collect(
    env: &dyn Environment,
    command: CommandSpec,
    input: Vec<u8>,
    (most, cancel): (usize, &CancellationToken),
) -> Result<String, ShellProblem> {
    let too_long = cancel.child_token();
    let (output, into_output) = output_buffer(most, too_long.clone());
    let (errors, into_errors) = output_buffer(STDERR_MAX, CancellationToken::new());
    let exit = env.filter(command, input, into_output, into_errors, too_long).await;
    match exit.map_err(|error| ShellProblem::NotRun(error.to_string()))? {
        Exit::Code(0) => String::from_utf8(take_bytes(&output)).map_err(|_| ShellProblem::NoText),
        Exit::Code(code) => Err(ShellProblem::Failed(first_error_line(&take_bytes(&errors)), code)),
        Exit::TimedOut | Exit::Cancelled if cancel.is_cancelled() => Err(ShellProblem::Cancelled),
        Exit::TimedOut | Exit::Cancelled => Err(ShellProblem::TooLong(OUTPUT_MAX >> 20)),
    }
}

/// Returns the first line of standard error.
fn first_error_line(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    truncate(&visible(first.unwrap_or("the command failed and said nothing")), SHOWN_MAX).into_owned()
}
