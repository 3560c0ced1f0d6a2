//! Commands about all of a session: it is seen as it stands when its task is asked, and the answer is made
//! elsewhere, however long it is.
//!
//! Must not know lines, nor what is told meanwhile.

use super::answer::{Answer, Data};
use super::command::Command;
use crate::base::error::Report;
use crate::base::json::json;
use crate::runtime::Handle;
use crate::session::AgentMessage;

/// What makes the answer of what was seen. Takes its time: not for a thread that must not wait.
pub type Render = Box<dyn FnOnce() -> Answer + Send>;

/// Whether it goes through the whole session.
pub fn is_whole(command: &Command) -> bool {
    matches!(
        command,
        Command::GetSessionStats
            | Command::GetForkMessages
            | Command::GetEntries { .. }
            | Command::GetTree
            | Command::GetMessages
    )
}

/// Sees what the answer is made of.
pub async fn see(handle: &Handle, command: Command) -> Result<Render, Report> {
    if matches!(command, Command::GetMessages) {
        let messages = handle.messages().await?;
        return Ok(Box::new(move || {
            let messages: Vec<&AgentMessage> = messages.iter().map(|message| &**message).collect();
            Ok(json!({"messages": messages}).into())
        }));
    }
    let account = handle.account().await?;
    Ok(match command {
        Command::GetSessionStats => Box::new(move || Ok(account.statistics().into())),
        Command::GetForkMessages => Box::new(move || {
            let said = account.fork_places();
            let messages = said.iter().map(|said| json!({"entryId": said.entry, "text": said.text}));
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
