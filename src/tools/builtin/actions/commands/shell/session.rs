//! Waits for a command for a limited time, after which it is a session that accepts input: the behavior of
//! codex.
//!
//! Must not know the other variants.

use std::time::Duration;

use serde_json::Value;

use super::Shell;
use crate::base::json::json;
use crate::exec::Stamp;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::output::command_output::Output;
use crate::tools::running::report::tokens;
use crate::tools::running::{
    CommandEnd, Frame, LaunchRequest, WaitEnd, WaitLimits, messages, report, timeouts, wait,
};

/// Default wait of a call, as in codex.
const YIELD: Duration = Duration::from_secs(10);
/// The shortest and the longest wait; codex's numbers.
pub(super) const YIELD_RANGE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// Default maximum tokens of output in a result, as in codex.
const TOKENS: usize = 10_000;

/// Runs the command.
pub(super) async fn run(shell: &Shell, tool: &'static str, call: &Invocation) -> Result<Outcome, Outcome> {
    let flag = |name: &str, default| call.args.get(name).and_then(Value::as_bool).unwrap_or(default);
    // Many programs read an open standard input: only a call with a terminal may write to it.
    let tty = flag("tty", false);
    let request = LaunchRequest {
        has_stdin: tty,
        terminal: tty,
        login: flag("login", true),
        ..LaunchRequest::default()
    };
    let live = shell.start(tool, call, request).await?;
    let config = &call.shared.config;
    let limit = timeouts::timeout(config, call.args.get(shell.timeout.argument()), None);
    let requested_wait = call.args.get("yield_time_ms").and_then(timeouts::millis);
    let timeout = requested_wait.unwrap_or(YIELD).clamp(YIELD_RANGE.0, YIELD_RANGE.1);
    // A command that is to be stopped is waited for until then.
    let time = Some(limit.unwrap_or(timeout));
    let waited = wait(&live, WaitLimits { time, silence: None }, &call.cancel, &call.progress).await;
    let elapsed = live.elapsed();
    Ok(match waited {
        WaitEnd::Ended(_) => {
            let output = live.take_output();
            call.shared.jobs.keep_leftovers(live);
            result(call, tool, output, elapsed, &SessionState::of(waited))
        }
        WaitEnd::Interrupted => {
            live.stop().await;
            result(call, tool, live.take_output(), elapsed, &SessionState::Interrupted)
        }
        WaitEnd::Time | WaitEnd::Silence if limit.is_some() => {
            live.stop().await;
            result(call, tool, live.take_output(), elapsed, &SessionState::TimedOut(limit.unwrap_or(elapsed)))
        }
        WaitEnd::Time | WaitEnd::Silence => {
            let output = live.take_output();
            match call.shared.jobs.add(&shell.script(call), live, &call.cancel) {
                Ok(job) => result(call, tool, output, elapsed, &SessionState::Runs(job.number)),
                Err(error) => Outcome::error(format!("The command was stopped: {error}.")),
            }
        }
    })
}

/// State of a command.
#[derive(Debug)]
pub(in super::super) enum SessionState {
    Ended(i32),
    Stopped,
    Interrupted,
    TimedOut(Duration),
    Runs(u64),
    /// The user interrupted the call that waited; the command keeps running.
    Detached(u64),
}

impl SessionState {
    /// Returns the state of a command that has ended.
    pub(in super::super) fn of(waited: WaitEnd) -> Self {
        match waited {
            WaitEnd::Ended(CommandEnd::Code(code)) => Self::Ended(code),
            _ => Self::Stopped,
        }
    }
}

/// Returns the fields of the result, as codex writes them.
pub(in super::super) fn result(
    call: &Invocation,
    tool: &str,
    output: Output,
    time: Duration,
    state: &SessionState,
) -> Outcome {
    let stamp = Stamp::of(call.call_id.as_bytes()).0;
    let chunk = &stamp[stamp.len() - 6..];
    let mut before = format!("Chunk ID: {chunk}\nWall time: {:.4} seconds\n", time.as_secs_f64());
    let (mut suffix, mut details) = (String::new(), json!({"wallTimeSeconds": time.as_secs_f64()}));
    match state {
        SessionState::Ended(code) => {
            before.push_str(&format!("Process exited with code {code}\n"));
            details["exitCode"] = json!(code);
        }
        SessionState::Runs(number) | SessionState::Detached(number) => {
            before.push_str(&format!("Process running with session ID {number}\n"));
            details["sessionId"] = json!(number);
        }
        SessionState::TimedOut(limit) => suffix = format!("\n\n{}", messages::timed_out(*limit)),
        SessionState::Interrupted => suffix = "\n\nCommand interrupted by the user.".to_string(),
        SessionState::Stopped => suffix = "\n\nCommand stopped.".to_string(),
    }
    if matches!(state, SessionState::Detached(_)) {
        suffix = "\n\nInterrupted by the user; the session runs on.".to_string();
    }
    before.push_str(&format!("Original token count: {}\nOutput:\n", tokens(&output)));
    let tokens = call.args.get("max_output_tokens").and_then(Value::as_u64);
    let tokens = tokens.map_or(TOKENS, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
    let is_error = !matches!(state, SessionState::Ended(0) | SessionState::Runs(_));
    let outcome = report(call, tool, output, &Frame { before, after: suffix, tokens: Some(tokens) });
    Outcome { is_error, ..outcome }.details(details)
}

#[cfg(test)]
mod tests;
