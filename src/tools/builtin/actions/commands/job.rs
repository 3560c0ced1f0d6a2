//! Operations on background commands: list, read, write, kill.
//!
//! Must not know other tools.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::running::jobs;
use crate::tools::running::{
    CommandEnd, LaunchRequest, RunningCommand, WaitEnd, WaitLimits, messages, show, start, wait,
};

/// Default and maximum time to wait for output, in seconds.
const WAIT_S: (f64, f64) = (1.0, 300.0);

/// The action.
#[derive(Debug)]
pub struct Job;

impl Action for Job {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let command = args.get("command").filter(|_| action(args) == "start")?.as_str()?.to_string();
        Some(Intent::Run { command, folder: None, timeout: None, background: true })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Run { command, folder: None, timeout: None, background: true } = intent else {
            return None;
        };
        Some(json!({"action": "start", "command": command}))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
        match action(args) {
            "start" => vec![text("command").to_string()],
            "input" => show::stdin_targets(&args["job"].to_string(), text("text")),
            _ => Vec::new(),
        }
    }

    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        job(tool, call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let view = show::call_view(args.get("command").or(args.get("text")));
        let number = args.get("job").map(Value::to_string).unwrap_or_default();
        let words = [action(args), &number, &view.title];
        let title = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        CallView { title, ..view }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

fn action(args: &Value) -> &str {
    args.get("action").and_then(Value::as_str).unwrap_or_default()
}

async fn job(tool: &'static str, call: Invocation) -> Outcome {
    let jobs = &call.shared.jobs;
    match action(&call.args) {
        "start" => return start_job(tool, &call).await,
        "list" => {
            let lines: Vec<String> = jobs.list().iter().map(|job| job_line(job)).collect();
            return Outcome::text(if lines.is_empty() { "(no jobs)".to_string() } else { lines.join("\n") });
        }
        _ => {}
    }
    let job_id = call.args.get("job").and_then(Value::as_f64).unwrap_or(0.0);
    let Some(job) = jobs.get(job_id as u64) else {
        let known: Vec<String> = jobs.list().iter().map(|job| job.number.to_string()).collect();
        return Outcome::error(messages::unknown(&job_id.to_string(), &known));
    };
    match action(&call.args) {
        // The kill continues when the wait is interrupted.
        "kill" => tokio::select! {
            biased;
            _ = job.live.stop() => {}
            () = call.cancel.cancelled() => {}
        },
        "input" => {
            let text = call.args.get("text").and_then(Value::as_str).unwrap_or_default();
            if let Err(error) = job.live.feed(text).await {
                return Outcome::error(format!("Cannot write to job {}: {error}.", job.number));
            }
        }
        _ => {}
    }
    let (outcome, waited) = listen(&call, &job).await;
    if matches!(waited, WaitEnd::Ended(_)) {
        let number = job.number;
        drop(job);
        jobs.forget(number);
    }
    outcome
}

async fn start_job(tool: &'static str, call: &Invocation) -> Outcome {
    let Some(script) =
        call.args.get("command").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    else {
        return Outcome::error("start needs a command.");
    };
    let folder = call.env.root().to_path_buf();
    let request =
        LaunchRequest { script: script.into(), folder, has_stdin: true, tool, ..LaunchRequest::default() };
    let live = match start(&*call.env, &call.shared.artifacts, request).await {
        Ok(live) => live,
        Err(error) => return Outcome::error(format!("Cannot run the command: {error}.")),
    };
    match call.shared.jobs.add(script, live, &call.cancel) {
        Ok(job) => {
            let (outcome, state) = listen(call, &job).await;
            if state != WaitEnd::Interrupted {
                return outcome;
            }
            // The model does not know its number, so it must not keep running.
            job.live.stop().await;
            let number = job.number;
            drop(job);
            call.shared.jobs.forget(number);
            Outcome::error("Command interrupted by the user.")
        }
        Err(message) => Outcome::error(format!("The command was stopped: {message}.")),
    }
}

/// Waits for output up to a time, or until the job ends, which is reported.
async fn listen(call: &Invocation, job: &jobs::Job) -> (Outcome, WaitEnd) {
    let seconds = call.args.get("wait").and_then(Value::as_f64).unwrap_or(WAIT_S.0).clamp(0.0, WAIT_S.1);
    let until = WaitLimits { time: Some(Duration::from_secs_f64(seconds)), silence: None };
    let waited = wait(&job.live, until, &call.cancel, &call.progress).await;
    let output = job.live.take_output().last_lines();
    let mut text = output.text;
    for note in [output.note.map(|note| format!("[{note}]")), Some(format!("[{}]", job_line(job)))]
        .into_iter()
        .flatten()
    {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&note);
    }
    let artifact = output.kept.map(|kept| kept.name);
    let is_error = waited == WaitEnd::Interrupted;
    if is_error {
        text.push_str("\nInterrupted by the user; the job is not what was interrupted.");
    }
    (Outcome { full_text: output.full_text, artifact, is_error, ..Outcome::text(text) }, waited)
}

/// Returns a job as one line.
fn job_line(job: &jobs::Job) -> String {
    let first = job.command.lines().next().unwrap_or_default();
    format!("job {} {}: {first}", job.number, job_state(&job.live))
}

fn job_state(live: &RunningCommand) -> String {
    match live.end() {
        None => "runs".to_string(),
        Some(CommandEnd::Stopped) => "was ended".to_string(),
        Some(CommandEnd::Code(code)) => format!("has ended with code {code}"),
    }
}

#[cfg(test)]
mod tests;
