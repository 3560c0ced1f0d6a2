//! `exec_command`: runs a shell command, and gives it back as a session when it takes longer.
//!
//! Must not know other tools.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::Stamp;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::paths;
use crate::tools::output::command_output::Output;
use crate::tools::output::limits::Limits;
use crate::tools::running::{
    Around, End, LIMITS, Until, Waited, Wanted, show, start, tell, times, told, wait, words,
};

/// How long a call waits when it does not say it; codex's number.
const YIELD: Duration = Duration::from_secs(10);
/// The shortest and the longest wait; codex's numbers.
const YIELDS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// Tokens of output that a result has when the call does not say it; codex's number.
pub(super) const TOKENS: usize = 10_000;

/// The tool.
#[derive(Debug)]
pub struct ExecCommand;

impl Tool for ExecCommand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "exec_command".to_string(),
            description: "Run a shell command. Gives its output and exit code, or, when it has not ended after \
                          yield_time_ms, its output so far and a session ID for write_stdin. With timeout_ms it \
                          is stopped instead when that time is over."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "cmd": {"type": "string", "description": "The command"},
                    "workdir": {"type": "string", "description": "Folder to run it in; the workspace when left out"},
                    "login": {"type": "boolean", "description": "Whether the shell is a login shell; true when left out"},
                    "tty": {"type": "boolean", "description": "Whether it gets a terminal that write_stdin can type into; false when left out, then its input is closed"},
                    "yield_time_ms": {"type": "number", "description": "Milliseconds to wait for it: 10000 when left out, from 250 to 30000"},
                    "timeout_ms": {"type": "number", "description": "Milliseconds after which it is stopped, at most 600000; not stopped when left out"},
                    "max_output_tokens": {"type": "number", "description": "Tokens of output to give at most; 10000 when left out"},
                },
                "required": ["cmd"],
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
        let folder = args.get("workdir").and_then(Value::as_str).map(str::to_string);
        let timeout = args.get("timeout_ms").and_then(times::millis);
        Some(Intent::Run {
            command: args.get("cmd")?.as_str()?.to_string(),
            folder,
            timeout,
            background: false,
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        // What nobody waits for is a session after the shortest wait.
        let Intent::Run { command, folder, timeout, background } = intent else { return None };
        let mut args = json!({"cmd": command});
        if let Some(folder) = folder {
            args["workdir"] = json!(folder);
        }
        if let Some(timeout) = timeout {
            args["timeout_ms"] = json!(timeout.as_millis() as u64);
        }
        if *background {
            args["yield_time_ms"] = json!(YIELDS.0.as_millis() as u64);
        }
        Some(args)
    }

    fn limits(&self) -> Option<Limits> {
        Some(LIMITS)
    }

    fn snippet(&self) -> &'static str {
        "Run shell commands, also long ones"
    }

    fn prepare(&self, mut args: Value) -> Value {
        // The name that models know from other tools.
        if let Some(args) = args.as_object_mut()
            && !args.contains_key("cmd")
            && let Some(command) = args.remove("command")
        {
            args.insert("cmd".to_string(), command);
        }
        args
    }

    fn target(&self, args: &Value) -> String {
        args.get("cmd").and_then(Value::as_str).unwrap_or_default().to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        exec(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::call(args.get("cmd"))
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

async fn exec(call: Invocation) -> Outcome {
    let text = |name: &str| call.args.get(name).and_then(Value::as_str);
    let flag = |name: &str, default| call.args.get(name).and_then(Value::as_bool).unwrap_or(default);
    let script = text("cmd").unwrap_or_default().to_string();
    let folder = text("workdir").filter(|folder| !folder.is_empty());
    let folder =
        folder.map_or_else(|| call.env.root().to_path_buf(), |folder| paths::resolve(&*call.env, folder));
    let request = Wanted {
        script: script.clone(),
        folder,
        // Many programs read what is open: only who asks for a terminal can type.
        fed: flag("tty", false),
        terminal: flag("tty", false),
        login: flag("login", true),
        tool: "exec_command",
        ..Wanted::default()
    };
    let live = match start(&*call.env, &call.shared.artifacts, request).await {
        Ok(live) => live,
        Err(error) => return Outcome::error(format!("Cannot run the command: {error}.")),
    };
    let config = &call.shared.config;
    let limit = times::of(config, call.args.get("timeout_ms"), None);
    let asked = call.args.get("yield_time_ms").and_then(times::millis);
    let patience = asked.unwrap_or(YIELD).clamp(YIELDS.0, YIELDS.1);
    // A command that is to be stopped is waited for until then.
    let time = Some(limit.unwrap_or(patience));
    let waited = wait(&live, Until { time, silence: None }, &call.cancel, &call.progress).await;
    let took = live.took();
    match waited {
        Waited::Ended(_) => {
            let output = live.take();
            call.shared.jobs.keep(live);
            result(&call, "exec_command", output, took, &State::of(waited))
        }
        Waited::Interrupted => {
            live.stop().await;
            result(&call, "exec_command", live.take(), took, &State::Interrupted)
        }
        Waited::Time | Waited::Silence if limit.is_some() => {
            live.stop().await;
            result(&call, "exec_command", live.take(), took, &State::TimedOut(limit.unwrap_or(took)))
        }
        Waited::Time | Waited::Silence => {
            let output = live.take();
            match call.shared.jobs.add(&script, live, &call.cancel) {
                Ok(job) => result(&call, "exec_command", output, took, &State::Runs(job.number)),
                Err(why) => Outcome::error(format!("The command was stopped: {why}.")),
            }
        }
    }
}

/// How it stands with a command.
#[derive(Debug)]
pub(super) enum State {
    Ended(i32),
    Stopped,
    Interrupted,
    TimedOut(Duration),
    Runs(u64),
    /// Somebody interrupted who listened to it; it runs on.
    Unheard(u64),
}

impl State {
    /// That of a command that has ended.
    pub(super) fn of(waited: Waited) -> Self {
        match waited {
            Waited::Ended(End::Code(code)) => Self::Ended(code),
            _ => Self::Stopped,
        }
    }
}

/// The fields of the result as codex writes them.
pub(super) fn result(
    call: &Invocation,
    tool: &str,
    output: Output,
    time: Duration,
    state: &State,
) -> Outcome {
    let stamp = Stamp::of(call.call_id.as_bytes()).0;
    let chunk = &stamp[stamp.len() - 6..];
    let mut before = format!("Chunk ID: {chunk}\nWall time: {:.4} seconds\n", time.as_secs_f64());
    let (mut behind, mut details) = (String::new(), json!({"wallTimeSeconds": time.as_secs_f64()}));
    match state {
        State::Ended(code) => {
            before.push_str(&format!("Process exited with code {code}\n"));
            details["exitCode"] = json!(code);
        }
        State::Runs(number) | State::Unheard(number) => {
            before.push_str(&format!("Process running with session ID {number}\n"));
            details["sessionId"] = json!(number);
        }
        State::TimedOut(limit) => behind = format!("\n\n{}", words::timed_out(*limit)),
        State::Interrupted => behind = "\n\nCommand interrupted by the user.".to_string(),
        State::Stopped => behind = "\n\nCommand stopped.".to_string(),
    }
    if matches!(state, State::Unheard(_)) {
        behind = "\n\nInterrupted by the user; the session runs on.".to_string();
    }
    before.push_str(&format!("Original token count: {}\nOutput:\n", told::tokens(&output)));
    let tokens = call.args.get("max_output_tokens").and_then(Value::as_u64);
    let tokens = tokens.map_or(TOKENS, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
    let is_error = !matches!(state, State::Ended(0) | State::Runs(_));
    let outcome = tell(call, tool, output, &Around { before, behind, tokens: Some(tokens) });
    Outcome { is_error, ..outcome }.details(details)
}

#[cfg(test)]
mod tests;
