//! The desk: where a session, its tools and the commands of its host ask the user behind an RPC client, and where
//! they show something. The mode sends what is put here and brings the answers.
//!
//! Must not know who asks, nor lines. Who does not answer in time has refused.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};

use super::pending::Pending;
use super::ui::{HostMessage, HostReply, Method, NotifyType, Placement};

/// How long a question waits for its answer.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where the user behind an RPC client is asked and shown things; clones are one. [`Ports`](super::Ports) take it,
/// tools and commands of the host hold clones of it, and a session takes it to ask for leave
/// ([`Builder::approval`](crate::runtime::Builder::approval)).
///
/// Questions ([`select`](HostUi::select), [`confirm`](HostUi::confirm), [`input`](HostUi::input), [`edit`](HostUi::edit))
/// wait for the answer of the client. It is `None` where the user does not want to answer, where the answer has
/// another shape, where it does not come within the desk's patience, and at once where nobody is served any more.
/// Dropping the future withdraws the question.
///
/// Everything else is shown and never waits. While the client does not read, 64 such messages wait: the newest one
/// about a status, a widget, the title and the editor's text takes the place of the one before, and where there are too
/// many nevertheless the oldest notice is left out.
///
/// Text may hold anything: it is sent as JSON.
#[derive(Debug, Clone)]
pub struct HostUi {
    shared: Arc<Shared>,
    patience: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    open: Mutex<Open>,
    /// Something waits to be sent.
    come: Notify,
}

#[derive(Debug, Default)]
struct Open {
    /// Counts messages, for their ids.
    told: u64,
    pending: Pending,
    answers: HashMap<String, oneshot::Sender<HostReply>>,
    /// Nobody answers any more.
    closed: bool,
}

impl Open {
    fn id(&mut self) -> String {
        self.told += 1;
        format!("ui-{}", self.told)
    }
}

impl Default for HostUi {
    fn default() -> Self {
        Self { shared: Arc::default(), patience: PATIENCE }
    }
}

impl HostUi {
    /// One where questions wait five minutes for their answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same desk, where the questions of this clone wait so long. They tell the client, but for
    /// [`edit`](HostUi::edit), which has no field for that in pi's protocol.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Lets the user choose one of `options`; gives that one. Any other answer is a refusal.
    pub async fn select(&self, title: &str, options: &[&str]) -> Option<String> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let known = options.clone();
        let chosen = self.text(Method::Select { title: title.into(), options, timeout: self.timeout() });
        chosen.await.filter(|chosen| known.contains(chosen))
    }

    /// Asks for a yes or a no.
    pub async fn confirm(&self, title: &str, message: &str) -> Option<bool> {
        let (title, message, timeout) = (title.into(), message.into(), self.timeout());
        match self.ask(Method::Confirm { title, message, timeout }).await? {
            HostReply::Confirmed { confirmed } => Some(confirmed),
            HostReply::Value { .. } | HostReply::Cancelled { .. } => None,
        }
    }

    /// Asks for a line of text. `placeholder` is shown where nothing is written yet.
    pub async fn input(&self, title: &str, placeholder: Option<&str>) -> Option<String> {
        let (placeholder, timeout) = (placeholder.map(Into::into), self.timeout());
        self.text(Method::Input { title: title.into(), placeholder, timeout }).await
    }

    /// Asks for a text of several lines, which begins as `prefill`.
    pub async fn edit(&self, title: &str, prefill: Option<&str>) -> Option<String> {
        self.text(Method::Editor { title: title.into(), prefill: prefill.map(Into::into) }).await
    }

    /// Tells the user something. Without a kind it is `info` for the client.
    pub fn notify(&self, message: &str, kind: Option<NotifyType>) {
        self.tell(Method::Notify { message: message.into(), notify_type: kind });
    }

    /// Shows a word in the status line, in place of the one of the same key; `None` takes it away.
    pub fn set_status(&self, key: &str, text: Option<&str>) {
        self.tell(Method::SetStatus { status_key: key.into(), status_text: text.map(Into::into) });
    }

    /// Shows lines beside what the user writes in, in place of those of the same key; `None` takes them away.
    /// Without a placement they are above it for the client.
    pub fn set_widget(&self, key: &str, lines: Option<&[&str]>, placement: Option<Placement>) {
        let lines = lines.map(|lines| lines.iter().map(ToString::to_string).collect());
        let widget_key = key.into();
        self.tell(Method::SetWidget { widget_key, widget_lines: lines, widget_placement: placement });
    }

    /// Sets the title of the user's window.
    pub fn set_title(&self, title: &str) {
        self.tell(Method::SetTitle { title: title.into() });
    }

    /// Puts a text in place of what the user is writing.
    pub fn set_editor_text(&self, text: &str) {
        self.tell(Method::SetEditorText { text: text.into() });
    }

    /// A message with the next number, for whoever sends it without the desk.
    pub(crate) fn number(&self, method: Method) -> HostMessage {
        let id = self.open().id();
        HostMessage::ExtensionUiRequest { id, method }
    }

    /// An answer has come. One that nobody waits for any more is passed over, as pi does.
    pub(crate) fn answered(&self, answer: &Map<String, Value>) {
        let id = answer.get("id").and_then(Value::as_str).unwrap_or_default();
        let waiting = self.open().answers.remove(id);
        if waiting.is_none_or(|waiting| waiting.send(HostReply::read(answer)).is_err()) {
            tracing::debug!("an answer came too late");
        }
    }

    /// Nobody answers any more: what waits is refused.
    pub(crate) fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        open.answers.clear();
        open.pending.withdraw_questions();
    }

    /// Waits until something is to be sent. For one reader at a time.
    pub(crate) async fn ready(&self) {
        while self.open().pending.is_empty() {
            self.shared.come.notified().await;
        }
    }

    /// What is to be sent next, once there is something.
    #[cfg(test)]
    pub(crate) async fn next(&self) -> HostMessage {
        self.ready().await;
        self.waiting().unwrap()
    }

    /// What is to be sent next, if there is something.
    pub(crate) fn waiting(&self) -> Option<HostMessage> {
        self.open().pending.take()
    }

    /// What is to be shown next, if there is something; questions wait on.
    pub(crate) fn shown(&self) -> Option<HostMessage> {
        self.open().pending.take_shown()
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.shared.open.lock()
    }

    fn timeout(&self) -> Option<u64> {
        u64::try_from(self.patience.as_millis()).ok()
    }

    fn tell(&self, method: Method) {
        let mut open = self.open();
        let id = open.id();
        open.pending.tell(HostMessage::ExtensionUiRequest { id, method });
        drop(open);
        self.shared.come.notify_one();
    }

    /// Asks; `None` where nobody answers, or the user does not want to.
    async fn ask(&self, method: Method) -> Option<HostReply> {
        let (reply, told) = oneshot::channel();
        let id = {
            let mut open = self.open();
            if open.closed {
                return None;
            }
            let id = open.id();
            open.answers.insert(id.clone(), reply);
            open.pending.ask(HostMessage::ExtensionUiRequest { id: id.clone(), method });
            id
        };
        let _withdrawn = Withdrawn { desk: self, id: &id };
        self.shared.come.notify_one();
        let said = tokio::time::timeout(self.patience, told).await.ok()?.ok()?;
        (!matches!(said, HostReply::Cancelled { .. })).then_some(said)
    }

    async fn text(&self, method: Method) -> Option<String> {
        match self.ask(method).await? {
            HostReply::Value { value } => Some(value),
            HostReply::Confirmed { .. } | HostReply::Cancelled { .. } => None,
        }
    }
}

/// A question that is not waited for any more, for whatever reason.
struct Withdrawn<'a> {
    desk: &'a HostUi,
    id: &'a str,
}

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        let mut open = self.desk.open();
        open.answers.remove(self.id);
        open.pending.withdraw(self.id);
    }
}

#[cfg(test)]
mod tests;
