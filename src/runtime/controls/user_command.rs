//! Shell commands that the user runs through a program (`!` of other agents): no permission check; the output
//! enters the conversation unless the user excludes it.
//!
//! Must not know who asks. Runs concurrently with the session; only the result is written there.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use tokio_util::sync::CancellationToken;

use super::client::ClientRequest;
use super::handle::Handle;
use crate::base::error::Report;
use crate::base::json::json;
use crate::runtime::lifecycle::owner::Command;
use crate::tools::output::artifacts::Artifacts;
use crate::tools::running::{CommandEnd, LaunchRequest, RunningCommand, start};

/// Interval between two chunks of output.
const CHUNK_INTERVAL: Duration = Duration::from_millis(50);

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandResult {
    /// The end of the output, limited as for a tool call.
    pub output: String,
    /// Its exit code; `None` when it was cancelled.
    pub exit_code: Option<i32>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Whether the output is truncated.
    pub truncated: bool,
    /// The file with the full output (at most its first 256 MiB), when it is truncated.
    pub full_output: Option<String>,
}

impl CommandResult {
    /// Returns the result in pi's fields.
    pub fn json(&self) -> Value {
        let mut all = json!({
            "output": self.output, "exitCode": self.exit_code, "cancelled": self.cancelled, "truncated": self.truncated,
        });
        if self.exit_code.is_none() {
            all.as_object_mut().map(|fields| fields.shift_remove("exitCode"));
        }
        if let Some(path) = &self.full_output {
            all["fullOutputPath"] = json!(path);
        }
        all
    }
}

impl Handle {
    /// Runs a command in the workspace and records it in the session, after the agent's active run; not at
    /// all if another session has replaced this one meanwhile. `in_context`: whether the model sees it.
    /// `on_output` gets the output in chunks; when they arrive faster than they are consumed, some are dropped.
    pub async fn run_command(
        &self,
        command: &str,
        in_context: bool,
        mut on_output: impl FnMut(String) + Send,
        cancel: &CancellationToken,
    ) -> Result<CommandResult, Report> {
        let (options, number) = (self.reloader.current_options(), self.reloader.session_number());
        let folder = options.env.root().to_path_buf();
        let artifacts = Arc::new(Artifacts::new(options.outputs().join("commands")));
        let request =
            LaunchRequest { script: command.to_string(), folder, tool: "bash", ..LaunchRequest::default() };
        let live = start(&*options.env, &artifacts, request).await;
        let live = live.map_err(|error| Report::caused("cannot run the command", &error))?;
        let end = stream_output(&live, &mut on_output, cancel).await;
        let output = live.take_output().last_lines();
        let ran = CommandResult {
            exit_code: match end {
                CommandEnd::Code(code) => Some(code),
                CommandEnd::Stopped => None,
            },
            cancelled: end == CommandEnd::Stopped,
            truncated: output.truncation.is_some(),
            full_output: output.kept.map(|kept| kept.path.to_string_lossy().into_owned()),
            output: output.text,
        };
        let mut message = json!({"role": "bashExecution", "command": command});
        if let (Value::Object(message), Value::Object(fields)) = (&mut message, ran.json()) {
            message.extend(fields);
            message.insert("timestamp".to_string(), json!(options.clock.now_ms()));
            if !in_context {
                message.insert("excludeFromContext".to_string(), json!(true));
            }
        }
        let ended = || Report::new("the session has ended");
        self.commands
            .send(Command::ClientRequest(ClientRequest::RecordCommand(message, number)))
            .await
            .map_err(|_| ended())?;
        Ok(ran)
    }
}

/// Follows a command to its end.
async fn stream_output(
    live: &RunningCommand,
    on_output: &mut (impl FnMut(String) + Send),
    cancel: &CancellationToken,
) -> CommandEnd {
    let mut from = 0;
    let mut report = |live: &RunningCommand| {
        let (text, to) = live.output_from(from);
        from = to;
        if !text.is_empty() {
            on_output(text);
        }
    };
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                live.stop_all().await;
                report(live);
                return CommandEnd::Stopped;
            }
            end = live.wait_for_end() => {
                report(live);
                return end;
            }
            () = live.wait_for_output() => report(live),
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            _ = live.wait_for_end() => {}
            () = tokio::time::sleep(CHUNK_INTERVAL) => {}
        }
    }
}
