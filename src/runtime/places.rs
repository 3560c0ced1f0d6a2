//! Places of a conversation that one can go back to. Must not know how they are shown.

use crate::llm::model::Message;
use crate::llm::model::message::join_text;
use crate::session::{AgentMessage, Entry, EntryBody, Session};

/// Characters of a message that stand for it.
const TEXT_MAX: usize = 160;

/// One place: something that the person said, or the last thing that the model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The entry to go to: what is said next follows it.
    pub entry: String,
    /// Who spoke there.
    pub role: String,
    /// How it began, in one line.
    pub text: String,
    /// Whether it is on the way from the root to where the conversation is.
    pub active: bool,
}

/// Every message of every branch in the order of writing, without tool results.
pub fn list(session: &Session) -> Vec<Place> {
    let active: std::collections::HashSet<&str> = session.tree().path().into_iter().map(Entry::id).collect();
    let place = |entry: &Entry| {
        let EntryBody::Message { message: AgentMessage::Llm(message) } = entry.body() else { return None };
        let (role, text) = match &message {
            Message::User(user) => ("you", join_text(&user.content)),
            Message::Assistant(answer) => ("model", answer.text()),
            Message::ToolResult(_) => return None,
        };
        let text: String =
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TEXT_MAX).collect();
        let active = active.contains(entry.id());
        (!text.is_empty()).then(|| Place {
            entry: entry.id().to_string(),
            role: role.to_string(),
            text,
            active,
        })
    };
    session.entries().iter().filter_map(place).collect()
}
