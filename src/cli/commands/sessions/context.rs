//! `bowline sessions context`: prints what the next request of a session would contain, and why.
//!
//! Must not know how sessions are stored, nor how the report is made. Read-only; sends no requests.

use clap::Args as Group;
use serde_json::Value;

use crate::base::json::json;

use super::shortened;
use crate::base::error::Report;
use crate::cli::options::AgentArgs;
use crate::cli::process;
use crate::cli::session_lookup::{located, open};
use crate::runtime::context::report::{ContextReport, Item};
use crate::runtime::{Options, prompt_to_go_on};
use crate::session::store::listing;
use crate::session::{AgentMessage, Session, context::messages};

/// Characters of a row's first column.
const WHAT: usize = 28;

/// Of which session, and where in it.
#[derive(Debug, Clone, Group)]
pub struct Wanted {
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
pub async fn show(options: &Options, wanted: &Wanted, json: bool) -> Result<String, Report> {
    let (root, cwd) = (options.session_root(), &options.cwd);
    let path = match &wanted.session {
        Some(name) => located(&root, cwd, name)?,
        None => listing::latest(&root, cwd).ok_or_else(|| {
            Report::new("no session in this folder").hint("list sessions with `bowline sessions`")
        })?,
    };
    let session = open(&path)?;
    let path = match &wanted.leaf {
        None => session.tree().path(),
        Some(leaf) if session.tree().contains(leaf) => session.tree().path_to(leaf),
        Some(leaf) => {
            return Err(Report::new(format!("the session has no entry {leaf}"))
                .hint("`bowline sessions tree ID` shows the entries"));
        }
    };
    let context = messages::build(&path);
    let shown = match prompt_to_go_on(options, &(&context).into()).await {
        Ok((shown, problems)) => {
            problems.iter().for_each(process::tell);
            Some(shown)
        }
        Err(report) => {
            process::tell(&Report::new(format!(
                "without the system prompt and the tools: {}",
                report.message
            )));
            None
        }
    };
    let contents = ContextReport::of(shown.as_ref(), &path, wanted.all);
    if !json {
        return Ok(table(&session, &contents, wanted.all));
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
        if !all && !item.why.is_told() {
            continue;
        }
        number += usize::from(item.why.is_told());
        lines.push(line(item, number, ids));
    }
    lines.extend([String::new(), contents.sum()]);
    let left_out = contents.items.iter().filter(|item| !item.why.is_told() && item.entry.is_some());
    let left_out = left_out.count().saturating_sub(if all { contents.summed_up } else { 0 });
    let away: Vec<String> = [(contents.summed_up, "summarized"), (left_out, "excluded")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, how)| format!("{count} {how}"))
        .collect();
    if !away.is_empty() {
        let hint = if all { "" } else { " (--all shows them)" };
        lines.push(format!("Messages that are not in it: {}{hint}", away.join(", ")));
    }
    lines.join("\n")
}

fn line(item: &Item, number: usize, ids: usize) -> String {
    let number = if item.why.is_told() { number.to_string() } else { "-".to_string() };
    let entry = item.entry.as_deref().unwrap_or_default();
    let pinned = if item.pinned { "pinned, " } else { "" };
    let words = shortened(&item.words);
    format!(
        "{number:>4}  {:>7}  {:<WHAT$}  {entry:<ids$}  {pinned}{}{}{words}",
        item.tokens,
        item.what,
        item.why.sentence(),
        if words.is_empty() { "" } else { ": " },
    )
}

#[cfg(test)]
mod tests;
