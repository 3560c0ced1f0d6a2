//! Reads the new output of a background command.
//!
//! Must not know other tools.

use std::io;

use futures::FutureExt;
use futures::future::BoxFuture;
use regex::Regex;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::output::artifacts::SavedOutput;
use crate::tools::output::command_output::{HEAD, TAIL};
use crate::tools::output::limits::size;
use crate::tools::running::job_name;
use crate::tools::running::{CommandEnd, Frame, messages, report};

/// The action.
#[derive(Debug)]
pub struct BashOutput;

impl Action for BashOutput {
    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn targets(&self, _args: &Value) -> Vec<String> {
        Vec::new()
    }

    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { read_output(tool, &call) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let title = args.get("bash_id").and_then(Value::as_str).unwrap_or_default().to_string();
        CallView { title, ..CallView::default() }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Output(text.to_string())
    }
}

fn read_output(tool: &str, call: &Invocation) -> Outcome {
    let name = call.args.get("bash_id").and_then(Value::as_str).unwrap_or_default();
    let filter = match call.args.get("filter").and_then(Value::as_str).map(Regex::new).transpose() {
        Ok(filter) => filter,
        Err(error) => return Outcome::error(format!("The filter is no regular expression: {error}")),
    };
    let Some(job) = job_name::find(&call.shared.jobs, name) else {
        return Outcome::error(messages::unknown(name, &job_name::known(&call.shared.jobs)));
    };
    // Checked before the output is taken, so that no output is missed.
    let end = job.live.end();
    let mut before = match end {
        None => "<status>running</status>\n".to_string(),
        Some(CommandEnd::Stopped) => "<status>killed</status>\n".to_string(),
        Some(CommandEnd::Code(0)) => "<status>completed</status>\n<exit_code>0</exit_code>\n".to_string(),
        Some(CommandEnd::Code(code)) => format!("<status>failed</status>\n<exit_code>{code}</exit_code>\n"),
    };
    let (output, missed) = match filter {
        Some(filter) => {
            let fresh = call.shared.artifacts.start_writing(tool);
            job.live.take_output().filtered(fresh, |line| filter.is_match(line))
        }
        None => (job.live.take_output(), None),
    };
    let mut suffix = String::new();
    if output.bytes > 0 {
        before.push_str("<stdout>\n");
        suffix.push_str("\n</stdout>");
    }
    suffix.extend(missed.as_ref().map(filtered_note));
    let mut outcome = report(call, tool, output, &Frame { before, after: suffix, tokens: None });
    outcome.artifact = outcome.artifact.or(missed.and_then(Result::ok).map(|kept| kept.name));
    if end.is_some() {
        let number = job.number;
        drop(job);
        call.shared.jobs.forget(number);
    }
    outcome
}

/// Returns a note about output that the filter did not see, and where it is.
fn filtered_note(kept: &io::Result<SavedOutput>) -> String {
    let ends = format!("Only the first {} and the last {} were filtered", size(HEAD), size(TAIL));
    match kept {
        Ok(SavedOutput { name, is_complete: true, .. }) => format!("\n[{ends}; all of it is in {name}.]"),
        Ok(SavedOutput { name, .. }) => format!("\n[{ends}; the beginning is in {name}.]"),
        Err(error) => format!("\n[{ends}; the rest could not be kept: {error}.]"),
    }
}
