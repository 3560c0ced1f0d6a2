//! Waits for a command until its timeout, after which it continues in the background, and reports the start
//! folder of the next command: the behavior of Claude Code.
//!
//! Must not know the other variants.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Shell;
use crate::base::json::json;
use crate::tools::command;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::running::{
    CommandEnd, Frame, LaunchRequest, RunningCommand, WaitEnd, WaitLimits, job_name, messages, report,
    timeouts, wait,
};

/// Default timeout, as in Claude Code.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Programs that are stopped on timeout instead of moved to the background: `sleep` would only wait, and
/// `git` would hold its locks.
const STOPPED_PROGRAMS: [&str; 2] = ["sleep", "git"];

/// Commands that change the folder.
const FOLDER_COMMANDS: [&str; 3] = ["cd", "pushd", "popd"];

/// Runs the command.
pub(super) async fn run(shell: &Shell, tool: &'static str, call: &Invocation) -> Result<Outcome, Outcome> {
    let (script, folder) = (shell.script(call), shell.start_folder(call));
    let live =
        shell.start(tool, call, LaunchRequest { reports_folder: true, ..LaunchRequest::default() }).await?;
    if shell.in_background(&call.args) {
        return Ok(to_background(tool, call, &script, live, "The command runs in the background"));
    }
    let config = &call.shared.config;
    let limit =
        timeouts::timeout(config, call.args.get(shell.timeout.argument()), Some(TIMEOUT)).unwrap_or(TIMEOUT);
    let until = WaitLimits { time: Some(limit), silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    let status = match waited {
        WaitEnd::Ended(CommandEnd::Code(0)) => None,
        WaitEnd::Ended(CommandEnd::Code(code)) => Some((format!("Exit code {code}\n"), String::new())),
        WaitEnd::Interrupted | WaitEnd::Ended(CommandEnd::Stopped) => {
            live.stop().await;
            Some((String::new(), "\n\nCommand interrupted by the user.".to_string()))
        }
        WaitEnd::Time | WaitEnd::Silence if may_run_on(&script) => {
            let after = format!(
                "The command has not ended after {} ms and runs on in the background",
                limit.as_millis()
            );
            return Ok(to_background(tool, call, &script, live, &after));
        }
        WaitEnd::Time | WaitEnd::Silence => {
            live.stop().await;
            Some((String::new(), format!("\n\n{}", messages::timed_out(limit))))
        }
    };
    let (output, elapsed) = (live.take_output(), live.elapsed());
    let is_error = status.is_some();
    let (before, mut suffix) = status.unwrap_or_default();
    let note = match waited {
        WaitEnd::Ended(CommandEnd::Code(_)) => folder_note(call, &script, &folder, live.folder()).await,
        _ => None,
    };
    call.shared.jobs.keep_leftovers(live);
    let mut details = json!({"durationMs": elapsed.as_millis() as u64});
    if let WaitEnd::Ended(CommandEnd::Code(code)) = waited {
        details["exitCode"] = json!(code);
    }
    if let Some(words) = note {
        suffix = if output.bytes == 0 { words } else { format!("\n\n{words}") };
    }
    let silent = output.bytes == 0 && !is_error && suffix.is_empty();
    let outcome = report(call, tool, output, &Frame { before, after: suffix, tokens: None });
    let outcome = if silent { Outcome::text("(no output)") } else { outcome };
    Ok(Outcome { is_error, ..outcome }.details(details))
}

/// Records the folder where a command ended, for the next one; returns a note for the model if that starts
/// elsewhere.
async fn folder_note(
    call: &Invocation,
    script: &str,
    began: &Path,
    ended: Option<PathBuf>,
) -> Option<String> {
    let Some(ended) = ended else {
        let went = |part: &command::SimpleCommand| {
            part.words.first().is_some_and(|word| FOLDER_COMMANDS.contains(&&*word.text))
        };
        let words = format!("[It is not known where this ended; the next begins in {}.]", began.display());
        return command::parse(script).commands.iter().any(went).then_some(words);
    };
    let stays = call.shared.folder.note_end(&*call.env, began, &ended).await;
    (!stays).then(|| {
        let (ended, root) = (ended.display(), call.env.root().display());
        format!("[This ended in {ended}, which is no folder of the workspace. The next begins in {root}.]")
    })
}

/// Whether a command may continue after its timeout: it can be parsed, and contains none of the programs to
/// be stopped.
fn may_run_on(script: &str) -> bool {
    let script = command::parse(script);
    let stopped = |word: &command::Word| {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        !word.is_exact || STOPPED_PROGRAMS.contains(&name)
    };
    script.unresolved.is_empty() && !script.commands.iter().filter_map(|part| part.words.first()).any(stopped)
}

fn to_background(tool: &str, call: &Invocation, script: &str, live: RunningCommand, state: &str) -> Outcome {
    let output = live.take_output();
    match call.shared.jobs.add(script, live, &call.cancel) {
        Ok(job) => {
            let name = job_name::job_name(job.number);
            let suffix = format!("{state} as {name}. BashOutput shows what it prints, KillShell ends it.");
            let suffix = if output.bytes == 0 { suffix } else { format!("\n\n{suffix}") };
            let outcome = report(call, tool, output, &Frame { after: suffix, ..Frame::default() });
            outcome.details(json!({"backgroundTaskId": name}))
        }
        Err(error) => Outcome::error(format!("The command was stopped: {error}.")),
    }
}

#[cfg(test)]
mod tests;
