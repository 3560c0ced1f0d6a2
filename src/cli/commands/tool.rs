//! `bowline tool`: runs one built-in tool as a model would, or lists the tools.
//!
//! Must not know how a call runs, nor any tool. Needs no key and sends no requests to models.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use clap::Args as Group;
use serde_json::{Map, Value};

use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::base::json::json;
use crate::cli::options::AgentArgs;
use crate::cli::process::{self, FAILED, OK, USAGE, print_error, write_out};
use crate::exec::Environment;
use crate::exec::wrap::{ReadOnly, Wrapped};
use crate::llm::model::message::KnownPart;
use crate::llm::model::{Part, ToolSpec};
use crate::modes::{notes, print};
use crate::runtime::{ActiveTools, Options, controls::single_call};
use crate::tools::command::is_read_only;
use crate::tools::contract::registry::RegisteredTool;

/// Exit code when a signal interrupted the call.
const INTERRUPTED: i32 = 130;

/// Which tool is run with which arguments, or that the tools are listed.
#[derive(Debug, Clone, Group)]
pub struct Tool {
    /// The tool
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// Its arguments, as one JSON object; - or nothing reads them from standard input
    pub arguments: Option<String>,
    /// List the tools; with --json their schemas, too
    #[arg(long, conflicts_with_all = ["name", "arguments"])]
    pub list: bool,
    /// Where the tool works; nothing can be changed in a read-only environment
    #[arg(long, value_name = "PLACE", value_parser = ["local", "read-only"])]
    pub env: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Whose tools.
    #[command(flatten)]
    pub agent: AgentArgs,
}

/// Returns the environment with this name, on top of the machine's own.
pub fn environment_named(name: Option<&str>, local: Arc<dyn Environment>) -> Arc<dyn Environment> {
    match name {
        Some("read-only") => Arc::new(Wrapped::new(local, ReadOnly::new(is_read_only))),
        _ => local,
    }
}

/// Runs the tool, or lists all; returns the exit code.
pub async fn run(options: Options, request: &Tool, json: bool) -> Result<i32, (i32, Report)> {
    let found = single_call::tools(&options);
    let (active_tools, problems) = found.map_err(|report| (FAILED, report))?;
    problems.iter().for_each(print_error);
    let Some(name) = &request.name else {
        let text =
            if json { format!("{:#}\n", tools_json(&active_tools)) } else { tools_text(&active_tools) };
        return write_out(&text, &mut *process::stdout()).map(|()| OK);
    };
    let given = request.arguments.as_deref();
    let spec = active_tools.all.entry(name).map(|row| &*row.spec);
    let args = arguments(given, spec).map_err(|report| (USAGE, report))?;
    single_call::check_name(&active_tools, name, &args).map_err(|report| (USAGE, report))?;
    // From here on a signal ends the call with everything that it started, and not only this process.
    let interruption = print::interruption();
    let cancel = CancellationToken::new();
    let call = single_call::call(options, active_tools.all, name.clone(), args, cancel.clone());
    // On a separate task, so that the interruption is handled whatever the tool does.
    let mut call = tokio::spawn(call);
    let (ran, interrupted) = tokio::select! {
        biased;
        ran = &mut call => (ran, false),
        () = interruption => {
            cancel.cancel();
            (call.await, true)
        }
    };
    let ran = ran.map_err(|error| (FAILED, Report::caused(format!("{name} failed inside"), &error)))?;
    ran.problems.iter().for_each(print_error);
    if let Some(text) = notes::refusal_note(name, ran.outcome.details.as_ref()) {
        print_error(&Report::new(text));
    }
    let output =
        if json { format!("{:#}\n", result_json(name, &ran)) } else { content_text(&ran.outcome.content) };
    write_out(&output, &mut *process::stdout())?;
    Ok(match (interrupted, ran.outcome.is_error) {
        (true, _) => INTERRUPTED,
        (false, true) => FAILED,
        (false, false) => OK,
    })
}

/// Returns the arguments, given or piped in. A tool without parameters needs none.
fn arguments(given: Option<&str>, spec: Option<&ToolSpec>) -> Result<Value, Report> {
    let none = || Ok(Value::Object(Map::new()));
    match given {
        Some("-") => parse_arguments(&process::read_stdin()?),
        Some(text) => parse_arguments(text),
        None if spec.is_some_and(takes_no_arguments) || io::stdin().is_terminal() => none(),
        None => match process::read_stdin()? {
            text if text.trim().is_empty() => none(),
            text => parse_arguments(&text),
        },
    }
}

fn takes_no_arguments(spec: &ToolSpec) -> bool {
    spec.parameters.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
}

/// Parses one JSON object. The tool checks whether it fits.
fn parse_arguments(text: &str) -> Result<Value, Report> {
    let hint = "one object, such as '{\"path\": \"README.md\"}' in single quotes, or - for standard input";
    match serde_json::from_str(text) {
        Ok(args @ Value::Object(_)) => Ok(args),
        Ok(_) => Err(Report::new("the arguments are not a JSON object").hint(hint)),
        Err(error) => Err(Report::caused("the arguments are not JSON", &error).hint(hint)),
    }
}

/// Returns the tools, one per line; tools that are not available by default are marked.
fn tools_text(active_tools: &ActiveTools) -> String {
    let ActiveTools { all, available, .. } = active_tools;
    let width = all.names().map(str::len).max().unwrap_or(0);
    let line = |row: &RegisteredTool| {
        let (name, description) = (&row.spec.name, row.tool.snippet());
        let off = if available.contains(name) { "" } else { " (off by default)" };
        format!("{name:<width$}  {description}{off}\n")
    };
    all.entries().iter().map(line).collect()
}

fn tools_json(active_tools: &ActiveTools) -> Value {
    let ActiveTools { profile, all, available, .. } = active_tools;
    let tool = |row: &RegisteredTool| {
        let ToolSpec { name, description, parameters, .. } = &*row.spec;
        json!({"name": name, "description": description, "parameters": parameters,
            "available": available.contains(name)})
    };
    json!({"profile": profile, "tools": all.entries().iter().map(tool).collect::<Vec<_>>()})
}

/// Returns the content for a model as text; other parts are described.
fn content_text(content: &[Part]) -> String {
    let mut out = String::new();
    for part in content {
        match part {
            Part::Known(KnownPart::Text { text, .. }) => out.push_str(text),
            Part::Known(
                KnownPart::Image { data, mime_type }
                | KnownPart::Document { data, mime_type, .. }
                | KnownPart::Audio { data, mime_type },
            ) => out.push_str(&format!("[{mime_type}, {} characters of base64]", data.len())),
            _ => out.push_str("[a part that is no text]"),
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn result_json(name: &str, ran: &single_call::CallResult) -> Value {
    let single_call::CallResult { outcome, took, .. } = ran;
    json!({
        "tool": name, "content": outcome.content, "details": outcome.details, "isError": outcome.is_error,
        "durationMs": took.as_millis() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_command_arguments_must_be_json_object() {
        assert_eq!(parse_arguments(" {\"path\": \"a\"}\n").unwrap(), json!({"path": "a"}));
        let wrong = |text: &str| parse_arguments(text).unwrap_err().message;
        assert_eq!(wrong("{\"path\": a}"), "the arguments are not JSON: expected value at line 1 column 10");
        assert_eq!(wrong("[1]"), "the arguments are not a JSON object");
        assert!(wrong("").contains("EOF"), "what is said must say something");
        let nothing = ToolSpec { parameters: json!({"type": "object"}), ..ToolSpec::default() };
        assert_eq!(arguments(None, Some(&nothing)).unwrap(), json!({}), "nothing is waited for");
    }

    #[test]
    fn tool_command_output_describes_images() {
        let image = KnownPart::Image { data: "AAAA".into(), mime_type: "image/png".into() };
        let parts = [Part::text("a\n"), Part::Known(image), Part::text("b")];
        assert_eq!(content_text(&parts), "a\n[image/png, 4 characters of base64]\nb\n");
        assert_eq!(content_text(&[]), "");
    }
}
