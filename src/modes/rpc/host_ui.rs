//! Host UI bridge: lets a session, its tools and host commands ask questions and display things to the user
//! of an RPC client. The mode sends the requests and delivers the answers.
//!
//! Must not know the requester, nor the line format. No answer in time counts as a refusal.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};

use super::pending::Pending;
use super::ui::{HostMessage, HostReply, Method, NotifyType, Placement};

/// Default timeout of a question.
const PATIENCE: Duration = Duration::from_mins(5);

/// The host UI bridge; clones share it. [`Ports`](super::Ports) take it, tools and host commands hold clones
/// of it, and a session uses it for approvals ([`Builder::approval`](crate::runtime::Builder::approval)).
///
/// Questions ([`select`](HostUi::select), [`confirm`](HostUi::confirm), [`input`](HostUi::input),
/// [`edit`](HostUi::edit)) wait for the client's answer. It is `None` when the user cancels, when the answer
/// is malformed, when the timeout passes, and immediately when no client is served any more. Dropping the
/// future withdraws the question.
///
/// Other messages are displayed and never wait. While the client does not read, up to 64 of them are queued:
/// a newer status, widget, title or editor text replaces the queued one, and if there are still too many the
/// oldest notice is dropped.
///
/// Text may contain anything: it is sent as JSON.
#[derive(Debug, Clone)]
pub struct HostUi {
    shared: Arc<Shared>,
    patience: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    open: Mutex<Open>,
    /// Signals that a message is queued.
    come: Notify,
}

#[derive(Debug, Default)]
struct Open {
    /// Message counter, for ids.
    told: u64,
    pending: Pending,
    answers: HashMap<String, oneshot::Sender<HostReply>>,
    /// Whether no client is served any more.
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
    /// Creates a bridge whose questions time out after five minutes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a clone with another timeout for its questions. The client is informed of it, except for
    /// [`edit`](HostUi::edit), which has no field for it in pi's protocol.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Lets the user choose one of `options`, and returns it. Any other answer is a refusal.
    pub async fn select(&self, title: &str, options: &[&str]) -> Option<String> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let known = options.clone();
        let chosen = self.text(Method::Select { title: title.into(), options, timeout: self.timeout() });
        chosen.await.filter(|chosen| known.contains(chosen))
    }

    /// Asks a yes-or-no question.
    pub async fn confirm(&self, title: &str, message: &str) -> Option<bool> {
        let (title, message, timeout) = (title.into(), message.into(), self.timeout());
        match self.ask(Method::Confirm { title, message, timeout }).await? {
            HostReply::Confirmed { confirmed } => Some(confirmed),
            HostReply::Value { .. } | HostReply::Cancelled { .. } => None,
        }
    }

    /// Asks for a line of text. `placeholder` is displayed while the field is empty.
    pub async fn input(&self, title: &str, placeholder: Option<&str>) -> Option<String> {
        let (placeholder, timeout) = (placeholder.map(Into::into), self.timeout());
        self.text(Method::Input { title: title.into(), placeholder, timeout }).await
    }

    /// Asks for multi-line text, starting with `prefill`.
    pub async fn edit(&self, title: &str, prefill: Option<&str>) -> Option<String> {
        self.text(Method::Editor { title: title.into(), prefill: prefill.map(Into::into) }).await
    }

    /// Displays a notice. Without a kind the client uses `info`.
    pub fn notify(&self, message: &str, kind: Option<NotifyType>) {
        self.tell(Method::Notify { message: message.into(), notify_type: kind });
    }

    /// Sets a status line item, replacing the one with the same key; `None` removes it.
    pub fn set_status(&self, key: &str, text: Option<&str>) {
        self.tell(Method::SetStatus { status_key: key.into(), status_text: text.map(Into::into) });
    }

    /// Displays lines near the input field, replacing those with the same key; `None` removes them. Without a
    /// placement the client puts them above.
    pub fn set_widget(&self, key: &str, lines: Option<&[&str]>, placement: Option<Placement>) {
        let lines = lines.map(|lines| lines.iter().map(ToString::to_string).collect());
        let widget_key = key.into();
        self.tell(Method::SetWidget { widget_key, widget_lines: lines, widget_placement: placement });
    }

    /// Sets the title of the window.
    pub fn set_title(&self, title: &str) {
        self.tell(Method::SetTitle { title: title.into() });
    }

    /// Replaces the text in the input field.
    pub fn set_editor_text(&self, text: &str) {
        self.tell(Method::SetEditorText { text: text.into() });
    }

    /// Returns a message with the next number, for senders that bypass the queue.
    pub(crate) fn number(&self, method: Method) -> HostMessage {
        let id = self.open().id();
        HostMessage::ExtensionUiRequest { id, method }
    }

    /// Delivers an answer. One whose question is gone is ignored, as in pi.
    pub(crate) fn answered(&self, answer: &Map<String, Value>) {
        let id = answer.get("id").and_then(Value::as_str).unwrap_or_default();
        let waiting = self.open().answers.remove(id);
        if waiting.is_none_or(|waiting| waiting.send(HostReply::read(answer)).is_err()) {
            tracing::debug!("an answer came too late");
        }
    }

    /// Ends the service: pending questions are refused.
    pub(crate) fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        open.answers.clear();
        open.pending.withdraw_questions();
    }

    /// Waits until a message is queued. For one reader at a time.
    pub(crate) async fn ready(&self) {
        while self.open().pending.is_empty() {
            self.shared.come.notified().await;
        }
    }

    /// Waits for the next message and returns it.
    #[cfg(test)]
    pub(crate) async fn next(&self) -> HostMessage {
        self.ready().await;
        self.waiting().unwrap()
    }

    /// Returns the next message, if there is one.
    pub(crate) fn waiting(&self) -> Option<HostMessage> {
        self.open().pending.take()
    }

    /// Returns the next message that needs no answer, if there is one; questions stay queued.
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

    /// Sends a question; `None` if it was refused or no client is served.
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

/// Withdraws a question when it is dropped.
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
