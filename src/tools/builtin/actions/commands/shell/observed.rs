//! Waits for a command's end, and stops it on timeout or after silence; the first output of a background
//! command is observed briefly. The result has named fields: the behavior of gemini-cli.
//!
//! Must not know the other variants.

use std::time::Duration;

use super::Shell;
use crate::base::json::json;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::running::{
    CommandEnd, Frame, LaunchRequest, RunningCommand, WaitEnd, WaitLimits, messages, report, timeouts, wait,
};

/// Default timeout of a command, as in the specification.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time without output, as in gemini-cli.
const SILENCE: Duration = Duration::from_mins(5);
/// Default time for observing a background command.
const DELAY: Duration = Duration::from_millis(200);

/// Runs the command.
pub(super) async fn run(shell: &Shell, tool: &'static str, call: &Invocation) -> Result<Outcome, Outcome> {
    let live = shell.start(tool, call, LaunchRequest::default()).await?;
    if shell.in_background(&call.args) {
        return Ok(background(tool, call, &shell.script(call), live).await);
    }
    let config = &call.shared.config;
    let limit =
        timeouts::timeout(config, call.args.get(shell.timeout.argument()), Some(TIMEOUT)).unwrap_or(TIMEOUT);
    let until = WaitLimits { time: Some(limit), silence: Some(SILENCE) };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if !matches!(waited, WaitEnd::Ended(_)) {
        live.stop().await;
    }
    let outcome = fields(tool, call, waited, limit, &live);
    call.shared.jobs.keep_leftovers(live);
    Ok(outcome)
}

/// Returns the fields of the result with gemini-cli's names; empty fields are omitted.
fn fields(tool: &str, call: &Invocation, waited: WaitEnd, limit: Duration, live: &RunningCommand) -> Outcome {
    let output = live.take_output();
    let mut before = "Output: ".to_string();
    if output.bytes == 0 {
        before.push_str("(empty)");
    }
    let mut fields = Vec::new();
    let mut details = json!({"durationMs": live.elapsed().as_millis() as u64});
    let mut is_error = true;
    match waited {
        WaitEnd::Ended(CommandEnd::Code(code)) => {
            is_error = code != 0;
            details["exitCode"] = json!(code);
            if is_error {
                fields.push(format!("Exit Code: {code}"));
            }
        }
        WaitEnd::Ended(CommandEnd::Stopped) | WaitEnd::Interrupted => {
            fields.push("Error: Command interrupted by the user.".to_string());
        }
        WaitEnd::Time => fields.push(messages::timed_out(limit)),
        WaitEnd::Silence => {
            fields.push(format!(
                "Error: Command printed nothing for {} minutes and was stopped.",
                SILENCE.as_secs() / 60
            ));
        }
    }
    if !matches!(waited, WaitEnd::Ended(CommandEnd::Code(_))) {
        fields.push("Signal: SIGTERM".to_string());
    }
    let leftovers: Vec<String> = live.leftovers().iter().map(u32::to_string).collect();
    if !leftovers.is_empty() {
        fields.push(format!("Background PIDs: {}", leftovers.join(", ")));
    }
    if let Some(group) = live.id.filter(|_| is_error || !leftovers.is_empty()) {
        fields.push(format!("Process Group PGID: {group}"));
    }
    let suffix: String = fields.iter().flat_map(|field| ["\n", field.as_str()]).collect();
    let outcome = report(call, tool, output, &Frame { before, after: suffix, tokens: None });
    Outcome { is_error, ..outcome }.details(details)
}

async fn background(tool: &str, call: &Invocation, script: &str, live: RunningCommand) -> Outcome {
    let delay =
        call.args.get("delay_ms").and_then(timeouts::millis).unwrap_or(DELAY).min(timeouts::TIMEOUT_MAX);
    let until = WaitLimits { time: Some(delay), silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if matches!(waited, WaitEnd::Ended(_)) {
        let outcome = fields(tool, call, waited, delay, &live);
        call.shared.jobs.keep_leftovers(live);
        return outcome;
    }
    if waited == WaitEnd::Interrupted {
        live.stop().await;
        return fields(tool, call, waited, delay, &live);
    }
    let (output, id) = (live.take_output(), live.id);
    if let Err(error) = call.shared.jobs.add(script, live, &call.cancel) {
        return Outcome::error(format!("The command was stopped: {error}."));
    }
    let id = id.map_or_else(|| "unknown".to_string(), |id| id.to_string());
    let before = format!("Command moved to background (PID: {id}).\nOutput: ");
    let before = if output.bytes == 0 { format!("{before}(empty)") } else { before };
    report(call, tool, output, &Frame { before, ..Frame::default() }).details(json!({"pid": id}))
}

#[cfg(test)]
mod tests;
