//! Dialog of a login over a channel, for front ends that work with events.
//!
//! Must not know what a login does, nor who receives it.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::llm::auth::oauth::LoginUi;
use crate::llm::model::{Notice, Question};

/// A message of a login.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginMessage {
    /// A notice.
    Notice(Notice),
    /// A question; the answer `None` cancels the login.
    Question(Question, oneshot::Sender<Option<String>>),
}

/// Sends all messages into a channel; the receiver must keep reading.
#[doc(hidden)]
pub struct ChannelLoginUi(pub mpsc::Sender<LoginMessage>);

impl LoginUi for ChannelLoginUi {
    fn notify(&self, notice: Notice) {
        if self.0.try_send(LoginMessage::Notice(notice)).is_err() {
            tracing::warn!("nobody heard what a login said");
        }
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>> {
        async move {
            let (reply, answer) = oneshot::channel();
            self.0.send(LoginMessage::Question(question, reply)).await.ok()?;
            answer.await.ok().flatten()
        }
        .boxed()
    }
}
