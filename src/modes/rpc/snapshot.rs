//! Commands that traverse a whole session: data is collected at one moment on the session's task, and the
//! answer is rendered elsewhere.
//!
//! Must not know the line format, nor the events meanwhile.

use super::answer::{Answer, Data};
use super::command::Command;
use crate::base::error::Report;
use crate::base::json::json;
use crate::runtime::Handle;
use crate::session::AgentMessage;

/// Renders the answer from the collected data. Slow: call it on a blocking thread.
pub type Render = Box<dyn FnOnce() -> Answer + Send>;

/// Whether a command traverses the whole session.
pub fn needs_snapshot(command: &Command) -> bool {
    matches!(
        command,
        Command::GetSessionStats
            | Command::GetForkMessages
            | Command::GetEntries { .. }
            | Command::GetTree
            | Command::GetMessages
    )
}

/// Collects the data of the answer.
pub async fn take_snapshot(handle: &Handle, command: Command) -> Result<Render, Report> {
    if matches!(command, Command::GetMessages) {
        let messages = handle.messages().await?;
        return Ok(Box::new(move || {
            let messages: Vec<&AgentMessage> = messages.iter().map(|message| &**message).collect();
            Ok(json!({"messages": messages}).into())
        }));
    }
    let account = handle.session_copy().await?;
    Ok(match command {
        Command::GetSessionStats => Box::new(move || Ok(account.statistics().into())),
        Command::GetForkMessages => Box::new(move || {
            let points = account.fork_points();
            let messages = points.iter().map(|points| json!({"entryId": points.entry, "text": points.text}));
            Ok(json!({"messages": messages.collect::<Vec<_>>()}).into())
        }),
        Command::GetEntries { since } => Box::new(move || {
            let entries = account.entries(since.as_deref())?;
            let leaf = json!(entries.leaf);
            Ok(Data::Text(format!("{{\"entries\":[{}],\"leafId\":{leaf}}}", entries.lines.join(","))))
        }),
        Command::GetTree => Box::new(move || Ok(Data::Text(account.tree()?))),
        _ => return Err(Report::new("this command is not answered here")),
    })
}
