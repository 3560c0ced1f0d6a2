//! A login as it is shown: what it has told, what it asks, what is typed. Must not know what a login does.

use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

use crate::llm::model::{Notice, Question};

/// Bytes of an answer; nothing that anybody means to type is longer.
const TYPED_MAX: usize = 16 << 10;

/// A login that is going on; it ends when this is dropped.
pub struct LoginView {
    /// Counts the logins of this run, so that what comes late finds the right one.
    pub number: u64,
    /// The provider.
    pub name: String,
    /// What it has told so far.
    pub notices: Vec<Notice>,
    /// What it asks now.
    pub question: Option<LoginQuestion>,
    _running: DropGuard,
}

/// A question of a login.
pub struct LoginQuestion {
    /// Its words.
    pub text: String,
    /// Whether what is typed must not be seen.
    pub is_secret: bool,
    /// What is typed. It has no history, so that nothing of a key can be had back.
    typed: String,
    reply: oneshot::Sender<Option<String>>,
}

impl LoginView {
    /// A login that has told nothing yet.
    pub fn new(number: u64, name: String, running: DropGuard) -> Self {
        Self { number, name, notices: Vec::new(), question: None, _running: running }
    }

    /// Takes a question in.
    pub fn ask(&mut self, question: Question, reply: oneshot::Sender<Option<String>>) {
        let (text, is_secret) = match question {
            Question::Secret(text) => (text, true),
            Question::Line(text) | Question::Pasted(text) => (text, false),
        };
        self.question = Some(LoginQuestion { text, is_secret, typed: String::new(), reply });
    }

    /// Gives what is typed to whoever asked.
    pub fn answer(&mut self) {
        let Some(LoginQuestion { typed, reply, .. }) = self.question.take() else { return };
        // Whoever asked may have got the answer elsewhere meanwhile.
        if reply.send(Some(typed)).is_err() {
            tracing::debug!("nobody waits for an answer to a login any more");
        }
    }

    /// Adds to what is typed.
    pub fn type_in(&mut self, text: &str) {
        if let Some(asked) = &mut self.question
            && asked.typed.len() + text.len() <= TYPED_MAX
        {
            asked.typed.push_str(text);
        }
    }

    /// Takes the last character away.
    pub fn erase(&mut self) {
        if let Some(asked) = &mut self.question {
            asked.typed.pop();
        }
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        if let Some(asked) = &mut self.question {
            asked.typed.clear();
        }
    }

    /// The page to open.
    pub fn page(&self) -> Option<&str> {
        self.notices.iter().rev().find_map(|notice| match notice {
            Notice::Page(page) | Notice::Code { page, .. } => Some(page.as_str()),
            Notice::Progress(_) => None,
        })
    }

    /// The code to type there.
    pub fn code(&self) -> Option<&str> {
        self.notices.iter().rev().find_map(|notice| match notice {
            Notice::Code { code, .. } => Some(code.as_str()),
            _ => None,
        })
    }
}

impl LoginQuestion {
    /// What of the answer may be seen.
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
