//! The servers themselves: which run, what they offer, and their restart.

use super::question::{Question, open, servers};
use crate::base::paths;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::interaction::language_servers::ServerStatus;

/// Returns the servers that were started, and those of the question's file.
pub async fn status(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let all = servers(call)?.status().await;
    let line = |server: &ServerStatus| {
        let root = paths::display(&server.root, call.env.root());
        let root = if root.is_empty() { ".".to_string() } else { root };
        format!("{} ({root}): {}", server.name, server.state)
    };
    let mut lines: Vec<String> = all.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(
            "No language server was started; the first question about a file starts its servers.".to_string(),
        );
    }
    if question.file.is_some() {
        let asked = open(call, question).await?;
        let names: Vec<&str> = asked.file.servers.iter().map(|server| server.name.as_str()).collect();
        lines.push(format!("{} is served by {}", asked.file.path.display(), names.join(", ")));
    }
    Ok(Outcome::text(lines.join("\n")))
}

/// Starts servers again: the one that the query names, or all.
pub async fn reload(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let wanted = question.query.clone().filter(|name| name != "*");
    let names = servers(call)?.restart(wanted.clone()).await;
    match (names.is_empty(), wanted) {
        (true, Some(name)) => Err(format!("No language server {name:?} was started.")),
        (true, None) => Err("No language server was started.".to_string()),
        (false, _) => Ok(Outcome::text(format!("Started again: {}.", names.join(", ")))),
    }
}

/// Returns what the servers of a file offer, as they said it.
pub async fn capabilities(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let asked = open(call, question).await?;
    let shown = asked.file.servers.iter().map(|server| {
        let offered = serde_json::to_string_pretty(&server.client.capabilities());
        format!("{}:\n{}", server.name, offered.unwrap_or_else(|error| error.to_string()))
    });
    Ok(Outcome::text(shown.collect::<Vec<_>>().join("\n\n")))
}
