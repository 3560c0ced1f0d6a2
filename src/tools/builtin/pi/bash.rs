//! `bash`: runs a shell command.
//!
//! Must not know other tools.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::output::command_output::Output;
use crate::tools::output::limits;
use crate::tools::output::truncate::fit;
use crate::tools::running::{End, Until, Waited, Wanted, show, start, wait};

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
                 the last {} lines or {} KB; longer output is kept whole and its name is given. Standard \
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

    fn kind(&self) -> Kind {
        Kind::Bash
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let timeout = args.get("timeout").and_then(Value::as_f64);
        let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let command = args.get("command")?.as_str()?.to_string();
        Some(Intent::Run { command, folder: None, timeout, background: false })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Run { command, folder: None, timeout, background: false } = intent else { return None };
        let mut args = json!({"command": command});
        if let Some(timeout) = timeout {
            args["timeout"] = json!(timeout.as_secs_f64());
        }
        Some(args)
    }

    fn snippet(&self) -> &'static str {
        "Run shell commands"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        bash(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::call(args.get("command"))
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
    let config = &call.shared.config;
    let limit = match timeout(&call.args) {
        Ok(limit) => limit.or(config.command_timeout),
        Err(message) => return Outcome::error(message),
    };
    let limit = limit.map(|limit| config.command_timeout_max.map_or(limit, |most| limit.min(most)));
    let script = call.args.get("command").and_then(Value::as_str).unwrap_or_default().to_string();
    let folder = call.env.root().to_path_buf();
    let request = Wanted { script, folder, tool: "bash", ..Wanted::default() };
    let live = match start(&*call.env, &call.shared.artifacts, request).await {
        Ok(live) => live,
        Err(error) => return Outcome::error(format!("Cannot run the command: {error}.")),
    };
    let until = Until { time: limit, silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if !matches!(waited, Waited::Ended(_)) {
        live.stop().await;
    }
    let (output, took) = (live.take(), live.took());
    call.shared.jobs.keep(live);
    outcome(&call, waited, output, limit, took)
}

fn outcome(
    call: &Invocation,
    waited: Waited,
    output: Output,
    limit: Option<Duration>,
    took: Duration,
) -> Outcome {
    let status = match waited {
        Waited::Ended(End::Code(0)) => None,
        Waited::Ended(End::Code(code)) => Some(format!("Command exited with code {code}.")),
        Waited::Time | Waited::Silence => {
            let seconds = limit.unwrap_or(took).as_secs_f64();
            Some(format!("Command timed out after {seconds} s and was stopped; a longer timeout may help."))
        }
        Waited::Interrupted | Waited::Ended(End::Stopped) => {
            Some("Command interrupted by the user.".to_string())
        }
    };
    let mut details = json!({"durationMs": took.as_millis() as u64});
    if let Waited::Ended(End::Code(code)) = waited {
        details["exitCode"] = json!(code);
    }
    let mut text;
    let (note, full_text, artifact);
    // What the user has set holds in place of the tool's own limits.
    if let Some(limits) = call.shared.config.limits.limits("bash", Kind::Bash, None) {
        let (body, keep) = output.split();
        let fitted = fit(body, limits, keep);
        (text, note, full_text, artifact) = (fitted.text, None, fitted.full_text, fitted.artifact);
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
