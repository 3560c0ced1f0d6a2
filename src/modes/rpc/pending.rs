//! Queue of messages for the user of an RPC client, for any time in which the client does not read.
//!
//! Must not know the sender. Questions are limited by the number of tasks that wait for them; other messages
//! are bounded: only the newest of each kind is kept.

use std::collections::VecDeque;

use super::ui::{HostMessage, Method};

/// Maximum number of queued messages without an answer.
pub const PENDING_MAX: usize = 64;

/// The messages in the order in which they are sent.
#[derive(Debug, Default)]
pub struct Pending(VecDeque<HostMessage>);

impl Pending {
    /// Appends a question.
    pub fn push_question(&mut self, question: HostMessage) {
        self.0.push_back(question);
    }

    /// Appends a message. A queued message about the same item is removed. If there are still too many, the
    /// oldest notice is dropped, or else the oldest message.
    pub fn push_message(&mut self, message: HostMessage) {
        if let Some(thing) = replace_key(&message) {
            self.0.retain(|waiting| self::replace_key(waiting) != Some(thing));
        }
        self.0.push_back(message);
        if self.0.iter().filter(|waiting| !is_question(waiting)).count() > PENDING_MAX {
            let oldest = self.0.iter().position(is_notice);
            let oldest = oldest.or_else(|| self.0.iter().position(|waiting| !is_question(waiting)));
            tracing::debug!("the reader stalls; one notification is dropped");
            oldest.and_then(|at| self.0.remove(at));
        }
    }

    /// Removes a question that was not sent yet.
    pub fn withdraw(&mut self, question: &str) {
        self.0.retain(
            |waiting| !matches!(waiting, HostMessage::ExtensionUiRequest { id, .. } if id == question),
        );
    }

    /// Removes all questions.
    pub fn withdraw_questions(&mut self) {
        self.0.retain(|waiting| !is_question(waiting));
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the next message that needs no answer.
    pub fn take_display(&mut self) -> Option<HostMessage> {
        let at = self.0.iter().position(|waiting| !is_question(waiting))?;
        self.0.remove(at)
    }

    /// Returns the next message.
    pub fn take(&mut self) -> Option<HostMessage> {
        self.0.pop_front()
    }
}

/// The item that a message sets; only the newest is kept.
#[derive(PartialEq, Eq, Clone, Copy)]
enum ReplaceKey<'a> {
    Status(&'a str),
    Widget(&'a str),
    Title,
    EditorText,
}

fn replace_key(message: &HostMessage) -> Option<ReplaceKey<'_>> {
    let HostMessage::ExtensionUiRequest { method, .. } = message else { return None };
    Some(match method {
        Method::SetStatus { status_key, .. } => ReplaceKey::Status(status_key),
        Method::SetWidget { widget_key, .. } => ReplaceKey::Widget(widget_key),
        Method::SetTitle { .. } => ReplaceKey::Title,
        Method::SetEditorText { .. } => ReplaceKey::EditorText,
        _ => return None,
    })
}

fn is_notice(message: &HostMessage) -> bool {
    matches!(message, HostMessage::ExtensionUiRequest { method: Method::Notify { .. }, .. })
}

fn is_question(message: &HostMessage) -> bool {
    let HostMessage::ExtensionUiRequest { method, .. } = message else { return false };
    matches!(
        method,
        Method::Select { .. } | Method::Confirm { .. } | Method::Input { .. } | Method::Editor { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(id: usize, method: Method) -> HostMessage {
        HostMessage::ExtensionUiRequest { id: id.to_string(), method }
    }

    fn notice(id: usize) -> HostMessage {
        told(id, Method::Notify { message: "m".into(), notify_type: None })
    }

    fn status(id: usize, key: &str) -> HostMessage {
        told(id, Method::SetStatus { status_key: key.into(), status_text: None })
    }

    fn question(id: usize) -> HostMessage {
        told(id, Method::Editor { title: "t".into(), prefill: None })
    }

    fn ids(pending: &mut Pending) -> Vec<usize> {
        let all = std::iter::from_fn(|| pending.take());
        all.filter_map(|told| match told {
            HostMessage::ExtensionUiRequest { id, .. } => id.parse().ok(),
            HostMessage::ExtensionError { .. } => None,
        })
        .collect()
    }

    #[test]
    fn rpc_pending_latest_status_replaces_older() {
        let mut pending = Pending::default();
        let widget = |id, key: &str| {
            let (widget_key, widget_lines) = (key.to_string(), None);
            told(id, Method::SetWidget { widget_key, widget_lines, widget_placement: None })
        };
        let title = |id| told(id, Method::SetTitle { title: "t".into() });
        let text = |id| told(id, Method::SetEditorText { text: "t".into() });
        for message in [status(1, "a"), notice(2), widget(3, "a"), title(4), text(5), status(6, "b")] {
            pending.push_message(message);
        }
        for message in [notice(7), status(8, "a"), widget(9, "a"), text(10), title(11)] {
            pending.push_message(message);
        }
        assert_eq!(ids(&mut pending), [2, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn rpc_pending_drops_oldest_notices_not_questions() {
        let mut pending = Pending::default();
        pending.push_message(status(1, "kept"));
        pending.push_question(question(2));
        for id in 3..100_003 {
            pending.push_message(notice(id));
        }
        let left = ids(&mut pending);
        assert_eq!((left.len(), &left[..2], left.last()), (PENDING_MAX + 1, &[1, 2][..], Some(&100_002)));
        for id in 0..100_000 {
            pending.push_message(status(id, &id.to_string()));
        }
        let left = ids(&mut pending);
        assert_eq!((left.len(), left.last()), (PENDING_MAX, Some(&99_999)));
    }

    #[test]
    fn rpc_pending_question_is_withdrawn_before_sending() {
        let mut pending = Pending::default();
        for id in 1..4 {
            pending.push_question(question(id));
        }
        pending.push_message(notice(4));
        pending.withdraw("2");
        assert_eq!(pending.0.len(), 3);
        assert_eq!(pending.take_display(), Some(notice(4)));
        assert_eq!(pending.take_display(), None);
        pending.push_message(notice(5));
        pending.withdraw_questions();
        assert_eq!(ids(&mut pending), [5]);
    }
}
