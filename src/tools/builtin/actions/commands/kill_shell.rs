//! Kills a background command.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::running::job_name;
use crate::tools::running::messages;

/// The action.
#[derive(Debug)]
pub struct KillShell;

impl Action for KillShell {
    fn class(&self) -> ToolClass {
        // It can only end commands that the session itself started.
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn targets(&self, _args: &Value) -> Vec<String> {
        Vec::new()
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        kill(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let title = args.get("shell_id").and_then(Value::as_str).unwrap_or_default().to_string();
        CallView { title, ..CallView::default() }
    }
}

async fn kill(call: Invocation) -> Outcome {
    let name = call.args.get("shell_id").and_then(Value::as_str).unwrap_or_default();
    let Some(job) = job_name::find(&call.shared.jobs, name) else {
        return Outcome::error(messages::unknown(name, &job_name::known(&call.shared.jobs)));
    };
    if job.live.end().is_some() {
        return Outcome::text(format!("{name} has ended already; BashOutput shows the rest of its output."));
    }
    // The kill continues when the wait is interrupted.
    tokio::select! {
        biased;
        _ = job.live.stop() => {}
        () = call.cancel.cancelled() => {
            return Outcome::error(format!("Interrupted; {name} is being ended all the same."));
        }
    }
    Outcome::text(format!("{name} was ended: {}", job.command.lines().next().unwrap_or_default()))
}
