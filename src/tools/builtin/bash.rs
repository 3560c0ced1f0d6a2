//! `bash`: runs a shell command.
//!
//! Must not know other tools. Memory stays constant however much a command prints: the end is
//! kept in memory, all of it in a file once it is longer than a model gets.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::exec::{CommandSpec, Exit};
use crate::llm::model::ToolSpec;
use crate::tools::limits;
use crate::tools::output::{Collected, Collector};
use crate::tools::tool::{Invocation, Outcome, Progress, Tool, ToolClass};
use crate::tools::view::{CallView, ResultView};

/// Between two updates for people.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Longest time-out, in seconds: what fits a signed 32-bit count of milliseconds, as pi has it.
const TIMEOUT_MAX_S: f64 = 2_147_483.647;

/// The tool.
#[derive(Debug)]
pub struct Bash;

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "bash".to_string(),
            description: format!(
                "Run a shell command in the workspace. Gives what it printed on both outputs, in order, cut to \
                 the last {} lines or {} KB; longer output is kept in a file whose path is given. Standard \
                 input is closed. There is no time-out unless one is given.",
                limits::LINES_MAX,
                limits::BYTES_MAX / 1024
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command"},
                    "timeout": {"type": "number", "description": "Seconds after which it is stopped"},
                },
                "required": ["command"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Runs
    }

    fn snippet(&self) -> &'static str {
        "Run shell commands"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        bash(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let command = args.get("command").and_then(Value::as_str).unwrap_or_default();
        let mut lines = command.lines();
        let title = lines.next().unwrap_or_default().to_string();
        CallView { title, body: lines.next().map(|_| command.to_string()) }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

fn timeout(args: &Value) -> Result<Option<Duration>, String> {
    let Some(seconds) = args.get("timeout").and_then(Value::as_f64) else { return Ok(None) };
    if seconds > 0.0 && seconds <= TIMEOUT_MAX_S {
        Ok(Some(Duration::from_secs_f64(seconds)))
    } else {
        Err(format!("timeout must be a number of seconds above 0 and up to {TIMEOUT_MAX_S}, got {seconds}."))
    }
}

async fn bash(call: Invocation) -> Outcome {
    let limit = match timeout(&call.args) {
        Ok(limit) => limit,
        Err(message) => return Outcome::error(message),
    };
    let command = CommandSpec {
        script: call.args.get("command").and_then(Value::as_str).unwrap_or_default().to_string(),
        cwd: call.env.root().to_path_buf(),
        timeout: limit,
        env: std::collections::BTreeMap::new(),
    };
    let collector = Collector::new(&call.artifacts, &format!("bash-{}.log", call.call_id));
    let shared = Arc::new(Mutex::new(collector));
    let arrived = Arc::new(Notify::new());
    let (into, ring) = (Arc::clone(&shared), Arc::clone(&arrived));
    let sink = move |bytes: &[u8]| {
        into.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        ring.notify_one();
    };
    let started = Instant::now();
    let run = call.env.run(command, Box::new(sink), call.cancel);
    let exit = tokio::select! {
        biased;
        exit = run => exit,
        never = show(&shared, &arrived, &call.progress) => match never {},
    };
    let took = started.elapsed();
    let collector = std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner));
    match exit {
        Ok(exit) => outcome(exit, collector.finish(), limit, took),
        Err(error) => Outcome::error(format!("Cannot run the command: {error}.")),
    }
}

/// Shows people the end of the output soon after some came, at most every 100 ms; a silent
/// command wakes nobody.
async fn show(collector: &Mutex<Collector>, arrived: &Notify, progress: &Progress) -> Infallible {
    loop {
        arrived.notified().await;
        let text = collector.lock().unwrap_or_else(PoisonError::into_inner).tail_text();
        progress(text);
        tokio::time::sleep(PROGRESS_EVERY).await;
    }
}

fn outcome(exit: Exit, output: Collected, limit: Option<Duration>, took: Duration) -> Outcome {
    let status = match exit {
        Exit::Code(0) => None,
        Exit::Code(code) => Some(format!("Command exited with code {code}.")),
        Exit::TimedOut => {
            let seconds = limit.unwrap_or(took).as_secs_f64();
            Some(format!("Command timed out after {seconds} s and was stopped; a longer timeout may help."))
        }
        Exit::Cancelled => Some("Command interrupted by the user.".to_string()),
    };
    let mut text = output.text;
    if text.is_empty() && status.is_none() {
        text.push_str("(no output)");
    }
    for note in output.note.into_iter().map(|note| format!("[{note}]")).chain(status.clone()) {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&note);
    }
    let mut details = json!({"durationMs": took.as_millis() as u64});
    if let Exit::Code(code) = exit {
        details["exitCode"] = json!(code);
    }
    if let Some(truncation) = output.truncation {
        details["truncation"] = truncation;
    }
    if let Some(path) = output.full_output {
        details["fullOutputPath"] = json!(path.to_string_lossy());
    }
    Outcome { is_error: status.is_some(), ..Outcome::text(text) }.details(details)
}

#[cfg(test)]
mod tests;
