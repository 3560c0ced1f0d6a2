//! `bowline sessions context`: prints what the next request of a session would contain, and why.
//!
//! Must not know how sessions are stored, nor how the report is made. Read-only; sends no requests.

use clap::Args as Group;
use serde_json::Value;

use crate::base::json::json;

use super::shorten;
use crate::base::error::Report;
use crate::cli::options::AgentArgs;
use crate::cli::process;
use crate::cli::session_lookup::{find_or_latest, open_session};
use crate::runtime::context::report::{ContextItem, ContextReport};
use crate::runtime::{Options, continued_session_prompt};
use crate::session::{AgentMessage, Session, context::messages};

/// Characters of a row's first column.
const KIND_WIDTH: usize = 28;

/// Of which session, and where in it.
#[derive(Debug, Clone, Group)]
pub struct ContextArgs {
    /// The session: its id, how the id begins or ends, or its file; the latest of this folder if it is missing
    pub session: Option<String>,
    /// At this entry
    #[arg(long, value_name = "ENTRY")]
    pub leaf: Option<String>,
    /// With everything that is not in the request
    #[arg(long)]
    pub all: bool,
    /// Whose system prompt and tools.
    #[command(flatten)]
    pub agent: AgentArgs,
}

/// Returns the report as text or as JSON.
pub async fn show(options: &Options, args: &ContextArgs, json: bool) -> Result<String, Report> {
    let (root, cwd) = (options.session_root(), &options.cwd);
    let path = find_or_latest(&root, cwd, args.session.as_deref())?;
    let session = open_session(&path)?;
    let path = match &args.leaf {
        None => session.tree().path(),
        Some(leaf) if session.tree().contains(leaf) => session.tree().path_to(leaf),
        Some(leaf) => {
            return Err(Report::new(format!("the session has no entry {leaf}"))
                .hint("`bowline sessions tree ID` shows the entries"));
        }
    };
    let context = messages::build(&path);
    let shown = match continued_session_prompt(options, &(&context).into()).await {
        Ok((shown, problems)) => {
            problems.iter().for_each(process::print_error);
            Some(shown)
        }
        Err(report) => {
            process::print_error(&Report::new(format!(
                "without the system prompt and the tools: {}",
                report.message
            )));
            None
        }
    };
    let contents = ContextReport::build(shown.as_ref(), &path, args.all);
    if !json {
        return Ok(table(&session, &contents, args.all));
    }
    let messages: Vec<Value> =
        context.messages.iter().map(|message| json!(&**message as &AgentMessage)).collect();
    let model = context.model.map(|(provider, id)| format!("{provider}/{id}"));
    let thinking = context.thinking.map(crate::llm::model::Thinking::name);
    let value = json!({
        "session": session.id(), "messages": messages, "model": model, "thinkingLevel": thinking,
        "contents": contents.json(),
    });
    Ok(format!("{value:#}"))
}

/// Returns a table with a line for each item and the total.
fn table(session: &Session, contents: &ContextReport, all: bool) -> String {
    let mut lines = vec![format!("Context of the next request of session {}:", session.id()), String::new()];
    let ids = contents.items.iter().filter_map(|item| Some(item.entry.as_ref()?.len())).max().unwrap_or(0);
    let mut number = 0;
    for item in &contents.items {
        if !all && !item.reason.is_sent() {
            continue;
        }
        number += usize::from(item.reason.is_sent());
        lines.push(line(item, number, ids));
    }
    lines.extend([String::new(), contents.total_sentence()]);
    let left_out = contents.items.iter().filter(|item| !item.reason.is_sent() && item.entry.is_some());
    let left_out = left_out.count().saturating_sub(if all { contents.summarized } else { 0 });
    let away: Vec<String> = [(contents.summarized, "summarized"), (left_out, "excluded")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, label)| format!("{count} {label}"))
        .collect();
    if !away.is_empty() {
        let hint = if all { "" } else { " (--all shows them)" };
        lines.push(format!("Messages that are not in it: {}{hint}", away.join(", ")));
    }
    lines.join("\n")
}

fn line(item: &ContextItem, number: usize, ids: usize) -> String {
    let number = if item.reason.is_sent() { number.to_string() } else { "-".to_string() };
    let entry = item.entry.as_deref().unwrap_or_default();
    let pinned = if item.pinned { "pinned, " } else { "" };
    let words = shorten(&item.preview);
    format!(
        "{number:>4}  {:>7}  {:<KIND_WIDTH$}  {entry:<ids$}  {pinned}{}{}{words}",
        item.tokens,
        item.kind,
        item.reason.sentence(),
        if words.is_empty() { "" } else { ": " },
    )
}

#[cfg(test)]
mod tests;
