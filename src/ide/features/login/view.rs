//! State of a login: its messages, its question, the input. Must not know what a login does.

use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

use crate::llm::model::{Notice, Question};

/// Maximum bytes of an answer; longer than anything typed on purpose.
const TYPED_MAX: usize = 16 << 10;

/// A login in progress; dropping this cancels it.
pub struct LoginView {
    /// Number of the login in this run, so that late messages find the right one.
    pub number: u64,
    /// The provider.
    pub name: String,
    /// Its messages so far.
    pub notices: Vec<Notice>,
    /// Its current question.
    pub question: Option<LoginQuestion>,
    _running: DropGuard,
}

/// A question of a login.
pub struct LoginQuestion {
    /// Its text.
    pub text: String,
    /// Whether the input must be hidden.
    pub is_secret: bool,
    /// The input. It has no history, so that no part of a key can be recovered.
    typed: String,
    reply: oneshot::Sender<Option<String>>,
}

impl LoginView {
    /// Returns a login without messages.
    pub fn new(number: u64, name: String, running: DropGuard) -> Self {
        Self { number, name, notices: Vec::new(), question: None, _running: running }
    }

    /// Sets the current question.
    pub fn ask(&mut self, question: Question, reply: oneshot::Sender<Option<String>>) {
        let (text, is_secret) = match question {
            Question::Secret(text) => (text, true),
            Question::Line(text) | Question::Pasted(text) => (text, false),
        };
        self.question = Some(LoginQuestion { text, is_secret, typed: String::new(), reply });
    }

    /// Sends the input as the answer.
    pub fn answer(&mut self) {
        let Some(LoginQuestion { typed, reply, .. }) = self.question.take() else { return };
        // The login may have got the answer in another way.
        if reply.send(Some(typed)).is_err() {
            tracing::debug!("nobody waits for an answer to a login any more");
        }
    }

    /// Appends to the input.
    pub fn type_in(&mut self, text: &str) {
        if let Some(question) = &mut self.question
            && question.typed.len() + text.len() <= TYPED_MAX
        {
            question.typed.push_str(text);
        }
    }

    /// Deletes the last character.
    pub fn erase(&mut self) {
        if let Some(question) = &mut self.question {
            question.typed.pop();
        }
    }

    /// Clears the input.
    pub fn clear(&mut self) {
        if let Some(question) = &mut self.question {
            question.typed.clear();
        }
    }

    /// The page to open.
    pub fn page(&self) -> Option<&str> {
        self.notices.iter().rev().find_map(|notice| match notice {
            Notice::Page(page) | Notice::Code { page, .. } => Some(page.as_str()),
            Notice::Progress(_) => None,
        })
    }

    /// Returns the code to enter there.
    pub fn code(&self) -> Option<&str> {
        self.notices.iter().rev().find_map(|notice| match notice {
            Notice::Code { code, .. } => Some(code.as_str()),
            _ => None,
        })
    }
}

impl LoginQuestion {
    /// Returns the visible form of the input.
    pub fn visible_answer(&self) -> String {
        if self.is_secret { "•".repeat(self.typed.chars().count()) } else { self.typed.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_util::sync::CancellationToken;

    #[test]
    fn login_view_masks_secret_and_drop_cancels_login() {
        let cancel = CancellationToken::new();
        let mut view = LoginView::new(1, "Test".into(), cancel.clone().drop_guard());
        view.type_in("lost");
        let (reply, mut answer) = oneshot::channel();
        view.ask(Question::Secret("Key".into()), reply);
        view.type_in("clé");
        view.type_in("s!");
        view.erase();
        assert_eq!(view.question.as_ref().unwrap().visible_answer(), "••••");
        view.answer();
        assert_eq!(answer.try_recv().unwrap().as_deref(), Some("clés"));
        assert!(view.question.is_none() && !cancel.is_cancelled());
        let (reply, _) = oneshot::channel();
        view.ask(Question::Line("Domain".into()), reply);
        view.type_in("a.b");
        assert_eq!(view.question.as_ref().unwrap().visible_answer(), "a.b");
        view.clear();
        assert_eq!(view.question.as_ref().unwrap().visible_answer(), "");
        drop(view);
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn login_view_shows_latest_link_and_code() {
        let mut view = LoginView::new(1, "Test".into(), CancellationToken::new().drop_guard());
        assert_eq!((view.page(), view.code()), (None, None));
        view.notices.push(Notice::Page("https://a".into()));
        view.notices.push(Notice::Code { code: "AB".into(), page: "https://b".into() });
        view.notices.push(Notice::Progress("waiting".into()));
        assert_eq!((view.page(), view.code()), (Some("https://b"), Some("AB")));
    }
}
