//! `bowline sessions list`, `show` and `tree`: print stored sessions, for users and scripts.
//!
//! Must not know how sessions are stored. Read-only.

use std::path::Path;

use serde_json::Value;

use super::{format_minute, short_id, shorten};
use crate::base::clock;
use crate::base::error::Report;
use crate::base::json::json;
use crate::cli::answer::Answer;
use crate::cli::session_lookup::open_session;
use crate::session::store::listing::StoredSession;
use crate::session::usage::summary::{Summary, UsageSummary};
use crate::session::{Entry, Session};

/// Returns a line for each session.
pub fn list(all: &[StoredSession]) -> Answer {
    let lines = all.iter().map(|found| {
        let Summary { id, cwd, active_ms, prompts, .. } = &found.summary;
        let (id, when) = (short_id(id), format_minute(*active_ms));
        let cost = found.summary.total().cost;
        let title = shorten(found.summary.title());
        let noun = if *prompts == 1 { "prompt " } else { "prompts" };
        format!("{id}  {when}  {prompts:>4} {noun}  {:>8}  {cwd}  {title}", format!("${cost:.2}"))
    });
    let lines: Vec<String> = lines.collect();
    let text = if lines.is_empty() { "No sessions.".to_string() } else { lines.join("\n") };
    (text, all.iter().map(session_json).collect())
}

fn session_json(found: &StoredSession) -> Value {
    let mut value = json!({"path": found.path, "size": found.size});
    if let (Some(fields), Ok(Value::Object(more))) =
        (value.as_object_mut(), serde_json::to_value(&found.summary))
    {
        fields.extend(more);
        // Only needed to continue the count.
        fields.remove("latest");
        fields.insert("total".to_string(), json!(found.summary.total()));
    }
    value
}

/// Returns the summary of a session.
pub fn show(path: &Path) -> Result<Answer, Report> {
    let session = open_session(path)?;
    let mut summary = Summary::new(session.header());
    for entry in session.entries() {
        let line = entry.line().map_err(|error| Report::caused("cannot read the session", &error))?;
        summary.add_line(&line);
    }
    let size = path.metadata().map_or(0, |metadata| metadata.len());
    let found = StoredSession { path: path.to_path_buf(), size, summary };
    let Summary { id, cwd, began, active_ms, parent, entries, prompts, answers, tools, .. } = &found.summary;
    let mut lines = vec![
        found.summary.title().to_string(),
        format!("id         {id}"),
        format!("file       {} ({size} bytes)", path.display()),
        format!("folder     {cwd}"),
        format!("began      {}", format_minute(clock::parse_iso8601(began).unwrap_or(0))),
        format!("active     {}", format_minute(*active_ms)),
        format!("entries    {entries}: {prompts} prompts, {answers} answers, {tools} tool results"),
    ];
    lines.extend(parent.iter().map(|parent| format!("forked of  {parent}")));
    lines.push(format!("spent      {}", usage_text(&found.summary.total())));
    for (day, models) in &found.summary.spent {
        lines.extend(models.iter().map(|(model, sum)| format!("  {day} {model}: {}", usage_text(sum))));
    }
    lines.extend(session.problems().iter().map(|p| format!("line {}: {}", p.line, p.message)));
    Ok((lines.join("\n"), session_json(&found)))
}

fn usage_text(sum: &UsageSummary) -> String {
    let UsageSummary { requests, output, cost, .. } = sum;
    let prompt = sum.prompt();
    let share = sum.cache_share() * 100.0;
    format!("{requests} requests, {prompt} tokens in ({share:.0}% from the cache), {output} out, ${cost:.4}")
}

/// Returns an entry's text as one line.
fn entry_text(entry: &Entry) -> String {
    let value: Value =
        entry.line().ok().and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_default();
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    match entry.kind() {
        "message" => {
            let message = &value["message"];
            format!("{}: {}", message["role"].as_str().unwrap_or_default(), message_text(message))
        }
        "model_change" => format!("model: {}/{}", field("provider"), field("modelId")),
        "thinking_level_change" => format!("thinking: {}", field("thinkingLevel")),
        "compaction" => format!("compaction: {}", field("summary")),
        "branch_summary" => format!("branch summary: {}", field("summary")),
        "label" => format!("label of {}: {}", field("targetId"), field("label")),
        "session_info" => format!("name: {}", field("name")),
        "custom" | "custom_message" => format!("{}: {}", entry.kind(), field("customType")),
        other => other.to_string(),
    }
}

/// Returns the text of a message; its calls if it has no text.
fn message_text(message: &Value) -> String {
    let field = ["content", "summary", "command"].into_iter().find(|name| !message[*name].is_null());
    let content = &message[field.unwrap_or("content")];
    if let Some(text) = content.as_str() {
        return text.to_string();
    }
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let words = parts.iter().filter_map(|part| {
        let call = || part["name"].as_str().map(|name| format!("[{name} {}]", part["arguments"]));
        part["text"].as_str().map(str::to_string).or_else(call)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a line for each entry. Siblings are indented further than their parent, so that a conversation
/// without branches is a plain list.
pub fn tree(session: &Session) -> Answer {
    let active: Vec<&str> = session.tree().path().iter().map(|entry| entry.id()).collect();
    let active: std::collections::HashSet<&str> = active.into_iter().collect();
    let labels = session.labels();
    let mut lines = Vec::new();
    let mut nodes = Vec::new();
    let mut stack: Vec<(&Entry, usize)> = Vec::new();
    let push = |stack: &mut Vec<_>, parent: Option<&str>, depth: usize| {
        let children = session.tree().children(parent);
        let depth = if children.len() > 1 { depth + 1 } else { depth };
        stack.extend(children.into_iter().rev().map(|child| (child, depth)));
    };
    push(&mut stack, None, 0);
    while let Some((entry, depth)) = stack.pop() {
        let id = entry.id();
        let is_leaf = session.leaf() == Some(id);
        let sign = if is_leaf {
            '*'
        } else if active.contains(id) {
            '+'
        } else {
            ' '
        };
        let label = labels.get(id).map_or(String::new(), |label| format!(" [{label}]"));
        let text = entry_text(entry);
        lines.push(format!("{}{sign} {id}{label} {}", "  ".repeat(depth), shorten(&text)));
        nodes.push(json!({
            "id": id, "parentId": entry.parent_id(), "type": entry.kind(), "timestamp": entry.timestamp(),
            "text": text, "label": labels.get(id), "active": active.contains(id), "leaf": is_leaf,
        }));
        push(&mut stack, Some(id), depth);
    }
    (lines.join("\n"), Value::Array(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::sessions::tests::stored;
    use crate::session::store::listing;

    #[test]
    fn sessions_list_show_and_tree_output() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(list(&listing::list(root.path())).0, "No sessions.");
        let session = stored(root.path());
        assert_eq!(
            list(&listing::list(root.path())).0,
            "00000001  2025-11-20 23:30     3 prompts     $0.00  /w  root"
        );
        assert_eq!(
            tree(&session).0,
            "+ 00000002 [start] user: root\n    00000003 user: left\n  + 00000004 user: right\n  * 00000005 label of 00000002: start"
        );
        let (shown, value) = show(session.file().unwrap()).unwrap();
        assert!(shown.contains("4: 3 prompts, 0 answers, 0 tool results"), "{shown}");
        assert_eq!(
            (value["prompts"].as_u64(), value["path"].as_str()),
            (Some(3), session.file().unwrap().to_str())
        );
    }
}
