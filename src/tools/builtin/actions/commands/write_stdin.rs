//! Writes to the standard input of a command session, or polls its new output.
//!
//! Must not know tools other than those that create these sessions.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::shell::session::{SessionState, result};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::running::{WaitEnd, WaitLimits, messages, show, timeouts, wait};

/// Wait after writing: default, minimum and maximum, as in codex.
const WRITE_WAIT: (Duration, Duration, Duration) =
    (Duration::from_millis(250), Duration::from_millis(250), Duration::from_secs(30));
/// The same for polling without input.
const POLL_WAIT: (Duration, Duration, Duration) =
    (Duration::from_secs(5), Duration::from_secs(5), Duration::from_mins(5));
/// The interrupt character of terminals.
const INTERRUPT: &str = "\u{3}";

/// The action.
#[derive(Debug)]
pub struct WriteStdin;

impl Action for WriteStdin {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        show::stdin_targets(&args["session_id"].to_string(), args["chars"].as_str().unwrap_or_default())
    }

    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        write(tool, call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let number = args.get("session_id").map(Value::to_string).unwrap_or_default();
        let chars = args.get("chars").and_then(Value::as_str).unwrap_or_default();
        CallView {
            title: format!("{number} {}", chars.trim_end()).trim_end().to_string(),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

async fn write(tool: &'static str, call: Invocation) -> Outcome {
    let jobs = &call.shared.jobs;
    let session_id = call.args.get("session_id").and_then(Value::as_f64).unwrap_or(0.0);
    let Some(job) = jobs.get(session_id as u64) else {
        let known: Vec<String> = jobs.list().iter().map(|job| job.number.to_string()).collect();
        return Outcome::error(messages::unknown(&session_id.to_string(), &known));
    };
    let chars = call.args.get("chars").and_then(Value::as_str).unwrap_or_default();
    let began = std::time::Instant::now();
    if chars == INTERRUPT && !job.live.is_terminal {
        // The kill continues when the wait is interrupted.
        tokio::select! {
            biased;
            _ = job.live.stop() => {}
            () = call.cancel.cancelled() => {}
        }
    } else if !chars.is_empty()
        && job.live.end().is_none()
        && let Err(error) = job.live.feed(chars).await
    {
        return Outcome::error(format!("Cannot write to session {}: {error}.", job.number));
    }
    let (usual, least, most) = if chars.is_empty() { POLL_WAIT } else { WRITE_WAIT };
    let time = call.args.get("yield_time_ms").and_then(timeouts::millis).unwrap_or(usual).clamp(least, most);
    let waited =
        wait(&job.live, WaitLimits { time: Some(time), silence: None }, &call.cancel, &call.progress).await;
    let state = match waited {
        WaitEnd::Ended(_) => SessionState::of(waited),
        WaitEnd::Time | WaitEnd::Silence => SessionState::Runs(job.number),
        // The interruption concerns the call, not the session.
        WaitEnd::Interrupted => SessionState::Detached(job.number),
    };
    let outcome = result(&call, tool, job.live.take_output(), began.elapsed(), &state);
    if matches!(waited, WaitEnd::Ended(_)) {
        let number = job.number;
        drop(job);
        call.shared.jobs.forget(number);
    }
    outcome
}
