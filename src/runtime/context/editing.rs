//! Context editing: report of the next request, and entries that are excluded, replaced or pinned.
//!
//! Must not know who displays it. Edits and pins are stored as ordinary entries: going back to before them
//! undoes them. While the agent works, edits are refused; pins are allowed, since they do not change the
//! context.

use super::report::ContextReport;
use crate::base::error::Report;
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::history::navigation::{SentMessage, SessionRequest, agent_busy};
use crate::runtime::history::recorder::Recorder;
use crate::runtime::lifecycle::owner::LiveSession;
use crate::session::context::editing::{self, ContextEdit};
use crate::session::context::pins;
use crate::session::context::projection::{Projection, original};
use crate::session::derived::export::blocks;

/// Maximum characters of a message in the detailed view.
const TEXT_MAX: usize = 20_000;

impl Handle {
    /// Returns the report of the next request.
    #[doc(hidden)]
    pub async fn context_report(&self) -> Result<ContextReport, Report> {
        self.session_request(SessionRequest::ContextReport).await
    }

    /// Returns an entry as it is sent to a model; `None` when there is no such message.
    #[doc(hidden)]
    pub async fn sent_message(&self, entry: String) -> Result<Option<SentMessage>, Report> {
        self.session_request(|reply| SessionRequest::SentMessage(entry, reply)).await
    }

    /// Excludes a message from the context, an answer together with the results of its calls. Returns a
    /// sentence for the user. Refused while the agent works.
    pub async fn exclude_from_context(&self, entry: String) -> Result<String, Report> {
        self.session_request(|reply| SessionRequest::Edit(entry, ContextEdit::Exclude, reply)).await?
    }

    /// Replaces the text of a message in the context. Refused while the agent works.
    pub async fn replace_in_context(&self, entry: String, words: String) -> Result<String, Report> {
        self.session_request(|reply| SessionRequest::Edit(entry, ContextEdit::Replace(words), reply)).await?
    }

    /// Restores the original text of a message in the context. Refused while the agent works.
    pub async fn restore_original(&self, entry: String) -> Result<String, Report> {
        self.session_request(|reply| SessionRequest::Edit(entry, ContextEdit::Restore, reply)).await?
    }

    /// Pins a message, so that compactions keep it unchanged, or removes its pin.
    pub async fn pin(&self, entry: String, pinned: bool) -> Result<(), Report> {
        self.session_request(|reply| SessionRequest::Pin(entry, pinned, reply)).await?
    }
}

impl LiveSession {
    pub(in crate::runtime) async fn context_report(&mut self) -> ContextReport {
        let model = self.driver.setup().model.clone();
        let (shown, problems) = self.toolset.prompt(&model).await;
        self.notices.extend(problems);
        let path = self.driver.listener().session().tree().path();
        ContextReport::build(Some(&shown), &path, false)
    }

    pub(in crate::runtime) async fn edit(
        &mut self,
        entry: &str,
        change: &ContextEdit,
    ) -> Result<String, Report> {
        if self.driver.is_working() {
            return Err(agent_busy());
        }
        let recorder = self.driver.listener();
        let path = recorder.session().tree().path();
        let edits = editing::edit_entries(&path, entry, change)
            .map_err(|refused| Report::new(refused.to_string()).hint("/context lists what can be changed"))?;
        let message = describe_edit(change, edits.len());
        for edit in edits {
            recorder
                .change_metadata(|session| session.append(edit))
                .map_err(|error| Report::caused("cannot store the edit", &error))?;
        }
        self.reload_history().await;
        Ok(message)
    }

    /// Rebuilds the history for the next request from the conversation. The model stays, even if the
    /// conversation names another: the user may have chosen it for what follows.
    pub(in crate::runtime) async fn reload_history(&mut self) {
        let history = self.driver.listener().reload();
        self.driver.set_history(history);
        let snapshot = self.make_snapshot(self.hub.wants_recent());
        self.hub.send(RuntimeEvent::Replaced(Box::new(snapshot))).await;
    }
}

impl Recorder {
    pub(in crate::runtime) fn sent_message(&self, entry: &str) -> Option<SentMessage> {
        let path = self.session.tree().path();
        let projection = Projection::of(&path);
        let found = projection.rows.iter().filter(|row| row.entry.id() == entry);
        let message =
            found.filter_map(|row| projection.message(row).or_else(|| original(row))).next_back()?;
        let summary = || serde_json::to_value(&*message).ok()?["summary"].as_str().map(str::to_string);
        let text = blocks::of_message(&message).map(blocks::Block::to_text).or_else(summary);
        let text = text.unwrap_or_default().chars().take(TEXT_MAX).collect();
        Some(SentMessage { text, editable_text: editing::editable_text(&message) })
    }

    pub(in crate::runtime) fn pin(&mut self, entry: &str, pinned: bool) -> Result<(), Report> {
        let path = self.session.tree().path();
        if pins::pinned_ids(&path).contains(entry) == pinned {
            return Ok(());
        }
        let found = path.iter().find(|known| known.id() == entry);
        let can = found.is_some_and(|entry| pins::is_pinnable(entry));
        if pinned && !can {
            return Err(Report::new("only messages of the conversation can be pinned"));
        }
        self.change_metadata(|session| session.append(pins::pin_entry(entry, pinned)))
            .map_err(|error| Report::caused("cannot store the pin", &error))
    }
}

fn describe_edit(change: &ContextEdit, entries: usize) -> String {
    let message = match (change, entries) {
        (ContextEdit::Exclude, 1) => "Message excluded from context",
        (ContextEdit::Exclude, _) => "Message excluded from context, with its tool results",
        (ContextEdit::Replace(_), _) => "Message edited in context. The original stays in the session",
        (ContextEdit::Restore, 1) => "Original message restored",
        (ContextEdit::Restore, _) => "Original message restored, with its tool results",
    };
    message.to_string()
}
