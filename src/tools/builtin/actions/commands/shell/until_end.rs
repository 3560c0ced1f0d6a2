//! Waits for a command's end, and stops it on timeout; without a timeout it may run forever. The end of its
//! output is reported: the behavior of pi.
//!
//! Must not know the other variants.

use std::time::Duration;

use serde_json::Value;

use super::Shell;
use crate::base::json::json;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::output::command_output::Output;
use crate::tools::output::truncate::truncate;
use crate::tools::running::{CommandEnd, LaunchRequest, WaitEnd, WaitLimits, wait};

/// Maximum timeout in seconds: a signed 32-bit count of milliseconds, as in pi.
const TIMEOUT_MAX_S: f64 = 2_147_483.647;

/// Returns the call's timeout; fails on an invalid one.
fn timeout(shell: &Shell, args: &Value) -> Result<Option<Duration>, String> {
    let name = shell.timeout.argument();
    let Some(seconds) = args.get(name).and_then(Value::as_f64) else { return Ok(None) };
    if seconds > 0.0 && seconds <= TIMEOUT_MAX_S {
        Ok(Some(Duration::from_secs_f64(seconds)))
    } else {
        Err(format!("{name} must be a number of seconds above 0 and up to {TIMEOUT_MAX_S}, got {seconds}."))
    }
}

/// Runs the command.
pub(super) async fn run(shell: &Shell, tool: &'static str, call: &Invocation) -> Result<Outcome, Outcome> {
    let config = &call.shared.config;
    let limit = timeout(shell, &call.args).map_err(Outcome::error)?.or(config.command_timeout);
    let limit = limit.map(|limit| config.command_timeout_max.map_or(limit, |most| limit.min(most)));
    let live = shell.start(tool, call, LaunchRequest::default()).await?;
    let until = WaitLimits { time: limit, silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if !matches!(waited, WaitEnd::Ended(_)) {
        live.stop().await;
    }
    let (output, elapsed) = (live.take_output(), live.elapsed());
    call.shared.jobs.keep_leftovers(live);
    Ok(outcome(tool, call, waited, output, limit, elapsed))
}

fn outcome(
    tool: &str,
    call: &Invocation,
    waited: WaitEnd,
    output: Output,
    limit: Option<Duration>,
    elapsed: Duration,
) -> Outcome {
    let status = match waited {
        WaitEnd::Ended(CommandEnd::Code(0)) => None,
        WaitEnd::Ended(CommandEnd::Code(code)) => Some(format!("Command exited with code {code}.")),
        WaitEnd::Time | WaitEnd::Silence => {
            let seconds = limit.unwrap_or(elapsed).as_secs_f64();
            Some(format!("Command timed out after {seconds} s and was stopped; a longer timeout may help."))
        }
        WaitEnd::Interrupted | WaitEnd::Ended(CommandEnd::Stopped) => {
            Some("Command interrupted by the user.".to_string())
        }
    };
    let mut details = json!({"durationMs": elapsed.as_millis() as u64});
    if let WaitEnd::Ended(CommandEnd::Code(code)) = waited {
        details["exitCode"] = json!(code);
    }
    let mut text;
    let (note, full_text, artifact);
    // The user's setting overrides the tool's own limits.
    if let Some(limits) = call.shared.config.limits.limits(tool, Kind::Bash, None) {
        let (body, keep) = output.split();
        let truncated = truncate(body, limits, keep);
        (text, note, full_text, artifact) = (truncated.text, None, truncated.full_text, truncated.artifact);
    } else {
        let output = output.last_lines();
        if let Some(truncation) = output.truncation {
            details["truncation"] = truncation;
        }
        if let Some(kept) = &output.kept {
            details["fullOutputPath"] = json!(kept.path.to_string_lossy());
        }
        artifact = output.kept.map(|kept| kept.name);
        (text, note, full_text) = (output.text, output.note, output.full_text);
    }
    if text.is_empty() && status.is_none() {
        text.push_str("(no output)");
    }
    for note in note.into_iter().map(|note| format!("[{note}]")).chain(status.clone()) {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&note);
    }
    Outcome { is_error: status.is_some(), full_text, artifact, ..Outcome::text(text) }.details(details)
}

#[cfg(test)]
mod tests;
