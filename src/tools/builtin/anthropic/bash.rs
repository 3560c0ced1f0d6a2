//! `Bash`: runs a shell command; one that takes too long runs on in the background.
//!
//! Must not know other tools.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::command;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::output::limits::Limits;
use crate::tools::running::job_name;
use crate::tools::running::{
    Around, End, LIMITS, Live, Until, Waited, Wanted, show, start, tell, times, wait, words,
};

/// How long a command is waited for when its call does not say it; Claude Code's number.
const PATIENCE: Duration = Duration::from_mins(2);
/// Programs that are stopped at their time-out, not moved to the background: waiting is all that the
/// first does, and the second would hold its locks.
const STOPPED: [&str; 2] = ["sleep", "git"];

/// What goes to another folder.
const GOES: [&str; 3] = ["cd", "pushd", "popd"];

/// The tool.
#[derive(Debug)]
pub struct Bash;

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Bash".to_string(),
            description: "Run a shell command in the workspace and give what it printed on both outputs, in order. \
                          Standard input is closed. A command begins in the folder where the last one ended, as long \
                          as that is in the workspace; variables and functions do not last. A command that has not ended at its timeout runs on in the \
                          background; so does one with run_in_background, at once. BashOutput shows what such a \
                          command prints, KillShell ends it."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command"},
                    "timeout": {"type": "number", "description": "Milliseconds to wait for it: 120000 when left out, at most 600000"},
                    "description": {"type": "string", "description": "What it does, in five to ten words"},
                    "run_in_background": {"type": "boolean", "description": "Whether not to wait for it"},
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
        let timeout = args.get("timeout").and_then(times::millis);
        let background = args.get("run_in_background").and_then(Value::as_bool).unwrap_or(false);
        Some(Intent::Run { command, folder: None, timeout, background })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Run { command, folder: None, timeout, background } = intent else { return None };
        let mut args = json!({"command": command});
        if let Some(timeout) = timeout {
            args["timeout"] = json!(timeout.as_millis() as u64);
        }
        if *background {
            args["run_in_background"] = json!(true);
        }
        Some(args)
    }

    fn limits(&self) -> Option<Limits> {
        Some(LIMITS)
    }

    fn keeps_folder(&self) -> bool {
        true
    }

    fn snippet(&self) -> &'static str {
        "Run shell commands"
    }

    fn prepare(&self, mut args: Value) -> Value {
        // The name that the message about a time-out has.
        if let Some(args) = args.as_object_mut()
            && !args.contains_key("timeout")
            && let Some(timeout) = args.remove("timeout_ms")
        {
            args.insert("timeout".to_string(), timeout);
        }
        args
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

async fn bash(call: Invocation) -> Outcome {
    let script = call.args.get("command").and_then(Value::as_str).unwrap_or_default().to_string();
    let folder = call.folder.clone().unwrap_or_else(|| call.env.root().to_path_buf());
    let request = Wanted {
        script: script.clone(),
        folder: folder.clone(),
        tells_folder: true,
        tool: "Bash",
        ..Wanted::default()
    };
    let live = match start(&*call.env, &call.shared.artifacts, request).await {
        Ok(live) => live,
        Err(error) => return Outcome::error(format!("Cannot run the command: {error}.")),
    };
    if call.args.get("run_in_background").and_then(Value::as_bool).unwrap_or(false) {
        return to_background(&call, &script, live, "The command runs in the background");
    }
    let config = &call.shared.config;
    let limit = times::of(config, call.args.get("timeout"), Some(PATIENCE)).unwrap_or(PATIENCE);
    let until = Until { time: Some(limit), silence: None };
    let waited = wait(&live, until, &call.cancel, &call.progress).await;
    let status = match waited {
        Waited::Ended(End::Code(0)) => None,
        Waited::Ended(End::Code(code)) => Some((format!("Exit code {code}\n"), String::new())),
        Waited::Interrupted | Waited::Ended(End::Stopped) => {
            live.stop().await;
            Some((String::new(), "\n\nCommand interrupted by the user.".to_string()))
        }
        Waited::Time | Waited::Silence if runs_on(&script) => {
            let after = format!(
                "The command has not ended after {} ms and runs on in the background",
                limit.as_millis()
            );
            return to_background(&call, &script, live, &after);
        }
        Waited::Time | Waited::Silence => {
            live.stop().await;
            Some((String::new(), format!("\n\n{}", words::timed_out(limit))))
        }
    };
    let (output, took) = (live.take(), live.took());
    let is_error = status.is_some();
    let (before, mut behind) = status.unwrap_or_default();
    let whereabouts = match waited {
        Waited::Ended(End::Code(_)) => whereabouts(&call, &script, &folder, live.folder()).await,
        _ => None,
    };
    call.shared.jobs.keep(live);
    let mut details = json!({"durationMs": took.as_millis() as u64});
    if let Waited::Ended(End::Code(code)) = waited {
        details["exitCode"] = json!(code);
    }
    if let Some(words) = whereabouts {
        behind = if output.bytes == 0 { words } else { format!("\n\n{words}") };
    }
    let silent = output.bytes == 0 && !is_error && behind.is_empty();
    let told = tell(&call, "Bash", output, &Around { before, behind, tokens: None });
    let told = if silent { Outcome::text("(no output)") } else { told };
    Outcome { is_error, ..told }.details(details)
}

/// Notes where a command ended, for the next one; what the model is told where that one begins elsewhere.
async fn whereabouts(
    call: &Invocation,
    script: &str,
    began: &Path,
    ended: Option<PathBuf>,
) -> Option<String> {
    let Some(ended) = ended else {
        let went = |part: &command::Part| part.words.first().is_some_and(|word| GOES.contains(&&*word.text));
        let words = format!("[It is not known where this ended; the next begins in {}.]", began.display());
        return command::parse(script).parts.iter().any(went).then_some(words);
    };
    let stays = call.shared.folder.ended(&*call.env, began, &ended).await;
    (!stays).then(|| {
        let (ended, root) = (ended.display(), call.env.root().display());
        format!("[This ended in {ended}, which is no folder of the workspace. The next begins in {root}.]")
    })
}

/// Whether a command may run on after its time-out: it is understood, and none of it is one of those
/// that are to be stopped.
fn runs_on(script: &str) -> bool {
    let script = command::parse(script);
    let stopped = |word: &command::Word| {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        !word.exact || STOPPED.contains(&name)
    };
    script.doubts.is_empty() && !script.parts.iter().filter_map(|part| part.words.first()).any(stopped)
}

fn to_background(call: &Invocation, script: &str, live: Live, how: &str) -> Outcome {
    let output = live.take();
    match call.shared.jobs.add(script, live, &call.cancel) {
        Ok(job) => {
            let name = job_name::of(job.number);
            let behind = format!("{how} as {name}. BashOutput shows what it prints, KillShell ends it.");
            let behind = if output.bytes == 0 { behind } else { format!("\n\n{behind}") };
            let told = tell(call, "Bash", output, &Around { behind, ..Around::default() });
            told.details(json!({"backgroundTaskId": name}))
        }
        Err(why) => Outcome::error(format!("The command was stopped: {why}.")),
    }
}

#[cfg(test)]
mod tests;
