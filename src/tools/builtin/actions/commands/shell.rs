//! Runs a shell command.
//!
//! Arguments and start of a command are the same for every family; how long the call waits and what it
//! reports is a variant per family, each in its own file. Must not know other tools.

mod background;
mod observed;
pub(super) mod session;
mod until_end;

use std::path::PathBuf;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::paths;
use crate::tools::running::{LaunchRequest, RunningCommand, show, start, timeouts};

/// The action.
#[derive(Debug)]
pub struct Shell {
    /// The argument with the command.
    pub command: &'static str,
    /// The argument with the folder.
    pub folder: Option<&'static str>,
    /// The argument with the timeout, after which the command is stopped or moved to the background.
    pub timeout: Timeout,
    /// How a call requests the background.
    pub background: Background,
    /// Whether a command starts in the folder where the last one ended.
    pub keeps_folder: bool,
    /// How the call waits and what it reports.
    pub wait_mode: WaitMode,
}

/// The argument with a timeout, in its unit.
#[derive(Debug, Clone, Copy)]
pub enum Timeout {
    /// In seconds.
    Seconds(&'static str),
    /// In milliseconds.
    Millis(&'static str),
}

impl Timeout {
    fn argument(self) -> &'static str {
        match self {
            Self::Seconds(name) | Self::Millis(name) => name,
        }
    }

    fn read(self, args: &Value) -> Option<Duration> {
        let value = args.get(self.argument())?;
        match self {
            Self::Seconds(_) => Duration::try_from_secs_f64(value.as_f64()?).ok(),
            Self::Millis(_) => timeouts::millis(value),
        }
    }

    fn write(self, time: Duration) -> Value {
        match self {
            Self::Seconds(_) => json!(time.as_secs_f64()),
            Self::Millis(_) => json!(time.as_millis() as u64),
        }
    }
}

/// How a call requests the background.
#[derive(Debug, Clone, Copy)]
pub enum Background {
    /// Not supported.
    Never,
    /// By a flag.
    Flag(&'static str),
    /// By the shortest wait.
    Wait(&'static str),
}

/// How the call waits and what it reports.
#[derive(Debug, Clone, Copy)]
pub enum WaitMode {
    /// Until the command ends; on timeout it is stopped.
    UntilEnd,
    /// For a limited time, after which the command is a session that accepts input.
    Session,
    /// Until the timeout, after which the command continues in the background.
    Background,
    /// Until the command ends; in the background its first output is observed briefly.
    Observed,
}

impl Shell {
    /// Whether the call requests the background.
    fn in_background(&self, args: &Value) -> bool {
        matches!(self.background, Background::Flag(name) if args::flag(args, name))
    }

    /// Returns the command text of the call.
    fn script(&self, call: &Invocation) -> String {
        args::text(&call.args, self.command).to_string()
    }

    /// Returns the start folder: the call's, else where the last command ended, else the workspace.
    fn start_folder(&self, call: &Invocation) -> PathBuf {
        let named = self.folder.and_then(|name| args::optional_text(&call.args, name));
        let named = named.map(|folder| paths::resolve(&*call.env, &folder));
        named.or_else(|| call.folder.clone()).unwrap_or_else(|| call.env.root().to_path_buf())
    }

    /// Starts the command with the options in `wanted`.
    async fn start(
        &self,
        tool: &'static str,
        call: &Invocation,
        request: LaunchRequest,
    ) -> Result<RunningCommand, Outcome> {
        let request =
            LaunchRequest { script: self.script(call), folder: self.start_folder(call), tool, ..request };
        let started = start(&*call.env, &call.shared.artifacts, request).await;
        started.map_err(|error| Outcome::error(format!("Cannot run the command: {error}.")))
    }
}

impl Action for Shell {
    fn kind(&self) -> Kind {
        Kind::Bash
    }

    fn keeps_folder(&self) -> bool {
        self.keeps_folder
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let text = |name: &str| args.get(name)?.as_str().map(str::to_string);
        Some(Intent::Run {
            command: text(self.command)?,
            folder: self.folder.and_then(text),
            timeout: self.timeout.read(args),
            background: self.in_background(args),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Run { command, folder, timeout, background } = intent else { return None };
        let mut args = args::object([(self.command, json!(command))]);
        if let Some(folder) = folder {
            args[self.folder?] = json!(folder);
        }
        if let Some(timeout) = timeout {
            args[self.timeout.argument()] = self.timeout.write(*timeout);
        }
        match self.background {
            _ if !background => {}
            Background::Never => return None,
            Background::Flag(name) => args[name] = json!(true),
            Background::Wait(name) => args[name] = json!(session::YIELD_RANGE.0.as_millis() as u64),
        }
        Some(args)
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, self.command).to_string()]
    }

    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let done = match self.wait_mode {
                WaitMode::UntilEnd => until_end::run(self, tool, &call).await,
                WaitMode::Session => session::run(self, tool, &call).await,
                WaitMode::Background => background::run(self, tool, &call).await,
                WaitMode::Observed => observed::run(self, tool, &call).await,
            };
            done.unwrap_or_else(|failed| failed)
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::call_view(args.get(self.command))
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}
