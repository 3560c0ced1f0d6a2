//! `run_shell_command`: runs a shell command, in the background when nobody is to wait for it.
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
use crate::tools::files::paths;
use crate::tools::output::limits::Limits;
use crate::tools::running::{
    Around, End, LIMITS, Live, Until, Waited, Wanted, show, start, tell, times, wait, words,
};

/// After which a command is stopped when its call does not say it; the specification's number.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a command may print nothing; gemini-cli's number.
const SILENCE: Duration = Duration::from_mins(5);
/// How long a command for the background is listened to when its call does not say it.
const DELAY: Duration = Duration::from_millis(200);

/// The tool.
#[derive(Debug)]
pub struct RunShellCommand;

impl Tool for RunShellCommand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "run_shell_command".to_string(),
            description: "Run a command by `bash -c`. Gives its output, its exit code unless that is 0, and the \
                          processes that it left in the background. It is stopped after timeout_ms, and when it \
                          prints nothing for five minutes. With is_background nobody waits for it: let it write \
                          to a file what is to be read later."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command"},
                    "description": {"type": "string", "description": "What it does, for the user"},
                    "dir_path": {"type": "string", "description": "Folder to run it in; the workspace when left out"},
                    "is_background": {"type": "boolean", "description": "Whether not to wait for its end"},
                    "delay_ms": {"type": "integer", "description": "With is_background: milliseconds to listen to it before that"},
                    "timeout_ms": {"type": "integer", "description": "Milliseconds after which it is stopped: 10000 when left out, at most 600000"},
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
        let command = args.get("command")?.as_str()?.to_string();
        let folder = args.get("dir_path").and_then(Value::as_str).map(str::to_string);
        let timeout = args.get("timeout_ms").and_then(times::millis);
        let background = args.get("is_background").and_then(Value::as_bool).unwrap_or(false);
        Some(Intent::Run { command, folder, timeout, background })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Run { command, folder, timeout, background } = intent else { return None };
        let mut args = json!({"command": command});
        if let Some(folder) = folder {
            args["dir_path"] = json!(folder);
        }
        if let Some(timeout) = timeout {
            args["timeout_ms"] = json!(timeout.as_millis() as u64);
        }
        if *background {
            args["is_background"] = json!(true);
        }
        Some(args)
    }

    fn limits(&self) -> Option<Limits> {
        Some(LIMITS)
    }

    fn snippet(&self) -> &'static str {
        "Run shell commands"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        shell(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::call(args.get("command"))
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

async fn shell(call: Invocation) -> Outcome {
    let text = |name: &str| call.args.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let script = text("command").unwrap_or_default().to_string();
    let folder = text("dir_path")
        .map_or_else(|| call.env.root().to_path_buf(), |folder| paths::resolve(&*call.env, folder));
    let request = Wanted { script: script.clone(), folder, tool: "run_shell_command", ..Wanted::default() };
    let live = match start(&*call.env, &call.shared.artifacts, request).await {
        Ok(live) => live,
        Err(error) => return Outcome::error(format!("Cannot run the command: {error}.")),
    };
    if call.args.get("is_background").and_then(Value::as_bool).unwrap_or(false) {
        return background(&call, &script, live).await;
    }
    let config = &call.shared.config;
    let limit = times::of(config, call.args.get("timeout_ms"), Some(TIMEOUT)).unwrap_or(TIMEOUT);
    let until = Until { time: Some(limit), silence: Some(SILENCE) };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if !matches!(waited, Waited::Ended(_)) {
        live.stop().await;
    }
    let outcome = told(&call, waited, limit, &live);
    call.shared.jobs.keep(live);
    outcome
}

/// The fields of the result as gemini-cli names them; those that say nothing are left out.
fn told(call: &Invocation, waited: Waited, limit: Duration, live: &Live) -> Outcome {
    let output = live.take();
    let mut before = "Output: ".to_string();
    if output.bytes == 0 {
        before.push_str("(empty)");
    }
    let mut fields = Vec::new();
    let mut details = json!({"durationMs": live.took().as_millis() as u64});
    let mut is_error = true;
    match waited {
        Waited::Ended(End::Code(code)) => {
            is_error = code != 0;
            details["exitCode"] = json!(code);
            if is_error {
                fields.push(format!("Exit Code: {code}"));
            }
        }
        Waited::Ended(End::Stopped) | Waited::Interrupted => {
            fields.push("Error: Command interrupted by the user.".to_string());
        }
        Waited::Time => fields.push(words::timed_out(limit)),
        Waited::Silence => {
            fields.push(format!(
                "Error: Command printed nothing for {} minutes and was stopped.",
                SILENCE.as_secs() / 60
            ));
        }
    }
    if !matches!(waited, Waited::Ended(End::Code(_))) {
        fields.push("Signal: SIGTERM".to_string());
    }
    let left: Vec<String> = live.left().iter().map(u32::to_string).collect();
    if !left.is_empty() {
        fields.push(format!("Background PIDs: {}", left.join(", ")));
    }
    if let Some(group) = live.id.filter(|_| is_error || !left.is_empty()) {
        fields.push(format!("Process Group PGID: {group}"));
    }
    let behind: String = fields.iter().flat_map(|field| ["\n", field.as_str()]).collect();
    let told = tell(call, "run_shell_command", output, &Around { before, behind, tokens: None });
    Outcome { is_error, ..told }.details(details)
}

async fn background(call: &Invocation, script: &str, live: Live) -> Outcome {
    let delay = call.args.get("delay_ms").and_then(times::millis).unwrap_or(DELAY).min(times::LONGEST);
    let until = Until { time: Some(delay), silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    if matches!(waited, Waited::Ended(_)) {
        let outcome = told(call, waited, delay, &live);
        call.shared.jobs.keep(live);
        return outcome;
    }
    if waited == Waited::Interrupted {
        live.stop().await;
        return told(call, waited, delay, &live);
    }
    let (output, id) = (live.take(), live.id);
    if let Err(why) = call.shared.jobs.add(script, live, &call.cancel) {
        return Outcome::error(format!("The command was stopped: {why}."));
    }
    let id = id.map_or_else(|| "unknown".to_string(), |id| id.to_string());
    let before = format!("Command moved to background (PID: {id}).\nOutput: ");
    let before = if output.bytes == 0 { format!("{before}(empty)") } else { before };
    tell(call, "run_shell_command", output, &Around { before, ..Around::default() })
        .details(json!({"pid": id}))
}

#[cfg(test)]
mod tests;
