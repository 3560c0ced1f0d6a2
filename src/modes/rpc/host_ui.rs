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
const ANSWER_TIMEOUT: Duration = Duration::from_mins(5);

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
    answer_timeout: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<UiState>,
    /// Signals that a message is queued.
    wake: Notify,
}

#[derive(Debug, Default)]
struct UiState {
    /// Message counter, for ids.
    message_count: u64,
    pending: Pending,
    answers: HashMap<String, oneshot::Sender<HostReply>>,
    /// Whether no client is served any more.
    closed: bool,
}

impl UiState {
    fn next_id(&mut self) -> String {
        self.message_count += 1;
        format!("ui-{}", self.message_count)
    }
}

impl Default for HostUi {
    fn default() -> Self {
        Self { shared: Arc::default(), answer_timeout: ANSWER_TIMEOUT }
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
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { answer_timeout: timeout, ..self }
    }

    /// Lets the user choose one of `options`, and returns it. Any other answer is a refusal.
    pub async fn select(&self, title: &str, options: &[&str]) -> Option<String> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let known = options.clone();
        let chosen =
            self.request_text(Method::Select { title: title.into(), options, timeout: self.timeout() });
        chosen.await.filter(|chosen| known.contains(chosen))
    }

    /// Asks a yes-or-no question.
    pub async fn confirm(&self, title: &str, message: &str) -> Option<bool> {
        let (title, message, timeout) = (title.into(), message.into(), self.timeout());
        match self.request(Method::Confirm { title, message, timeout }).await? {
            HostReply::Confirmed { confirmed } => Some(confirmed),
            HostReply::Value { .. } | HostReply::Cancelled { .. } => None,
        }
    }

    /// Asks for a line of text. `placeholder` is displayed while the field is empty.
    pub async fn input(&self, title: &str, placeholder: Option<&str>) -> Option<String> {
        let (placeholder, timeout) = (placeholder.map(Into::into), self.timeout());
        self.request_text(Method::Input { title: title.into(), placeholder, timeout }).await
    }

    /// Asks for multi-line text, starting with `prefill`.
    pub async fn edit(&self, title: &str, prefill: Option<&str>) -> Option<String> {
        self.request_text(Method::Editor { title: title.into(), prefill: prefill.map(Into::into) }).await
    }

    /// Displays a notice. Without a kind the client uses `info`.
    pub fn notify(&self, message: &str, kind: Option<NotifyType>) {
        self.send(Method::Notify { message: message.into(), notify_type: kind });
    }

    /// Sets a status line item, replacing the one with the same key; `None` removes it.
    pub fn set_status(&self, key: &str, text: Option<&str>) {
        self.send(Method::SetStatus { status_key: key.into(), status_text: text.map(Into::into) });
    }

    /// Displays lines near the input field, replacing those with the same key; `None` removes them. Without a
    /// placement the client puts them above.
    pub fn set_widget(&self, key: &str, lines: Option<&[&str]>, placement: Option<Placement>) {
        let lines = lines.map(|lines| lines.iter().map(ToString::to_string).collect());
        let widget_key = key.into();
        self.send(Method::SetWidget { widget_key, widget_lines: lines, widget_placement: placement });
    }

    /// Sets the title of the window.
    pub fn set_title(&self, title: &str) {
        self.send(Method::SetTitle { title: title.into() });
    }

    /// Replaces the text in the input field.
    pub fn set_editor_text(&self, text: &str) {
        self.send(Method::SetEditorText { text: text.into() });
    }

    /// Returns a message with the next number, for senders that bypass the queue.
    pub(crate) fn numbered(&self, method: Method) -> HostMessage {
        let id = self.state().next_id();
        HostMessage::ExtensionUiRequest { id, method }
    }

    /// Delivers an answer. One whose question is gone is ignored, as in pi.
    pub(crate) fn handle_reply(&self, answer: &Map<String, Value>) {
        let id = answer.get("id").and_then(Value::as_str).unwrap_or_default();
        let waiting = self.state().answers.remove(id);
        if waiting.is_none_or(|waiting| waiting.send(HostReply::parse(answer)).is_err()) {
            tracing::debug!("an answer came too late");
        }
    }

    /// Ends the service: pending questions are refused.
    pub(crate) fn close(&self) {
        let mut open = self.state();
        open.closed = true;
        open.answers.clear();
        open.pending.withdraw_questions();
    }

    /// Waits until a message is queued. For one reader at a time.
    pub(crate) async fn ready(&self) {
        while self.state().pending.is_empty() {
            self.shared.wake.notified().await;
        }
    }

    /// Waits for the next message and returns it.
    #[cfg(test)]
    pub(crate) async fn next(&self) -> HostMessage {
        self.ready().await;
        self.take_next().unwrap()
    }

    /// Returns the next message, if there is one.
    pub(crate) fn take_next(&self) -> Option<HostMessage> {
        self.state().pending.take()
    }

    /// Returns the next message that needs no answer, if there is one; questions stay queued.
    pub(crate) fn take_next_display(&self) -> Option<HostMessage> {
        self.state().pending.take_display()
    }

    fn state(&self) -> MutexGuard<'_, UiState> {
        self.shared.state.lock()
    }

    fn timeout(&self) -> Option<u64> {
        u64::try_from(self.answer_timeout.as_millis()).ok()
    }

    fn send(&self, method: Method) {
        let mut open = self.state();
        let id = open.next_id();
        open.pending.push_message(HostMessage::ExtensionUiRequest { id, method });
        drop(open);
        self.shared.wake.notify_one();
    }

    /// Sends a question; `None` if it was refused or no client is served.
    async fn request(&self, method: Method) -> Option<HostReply> {
        let (reply, response) = oneshot::channel();
        let id = {
            let mut open = self.state();
            if open.closed {
                return None;
            }
            let id = open.next_id();
            open.answers.insert(id.clone(), reply);
            open.pending.push_question(HostMessage::ExtensionUiRequest { id: id.clone(), method });
            id
        };
        let _withdrawn = WithdrawOnDrop { ui: self, id: &id };
        self.shared.wake.notify_one();
        let answer = tokio::time::timeout(self.answer_timeout, response).await.ok()?.ok()?;
        (!matches!(answer, HostReply::Cancelled { .. })).then_some(answer)
    }

    async fn request_text(&self, method: Method) -> Option<String> {
        match self.request(method).await? {
            HostReply::Value { value } => Some(value),
            HostReply::Confirmed { .. } | HostReply::Cancelled { .. } => None,
        }
    }
}

/// Withdraws a question when it is dropped.
struct WithdrawOnDrop<'a> {
    ui: &'a HostUi,
    id: &'a str,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        let mut open = self.ui.state();
        open.answers.remove(self.id);
        open.pending.withdraw(self.id);
    }
}

#[cfg(test)]
mod tests;
