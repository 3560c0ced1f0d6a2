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
pub enum Said {
    /// A notice.
    Told(Notice),
    /// A question; the answer `None` cancels the login.
    Asked(Question, oneshot::Sender<Option<String>>),
}

/// Sends all messages into a channel; the receiver must keep reading.
#[doc(hidden)]
pub struct Line(pub mpsc::Sender<Said>);

impl LoginUi for Line {
    fn tell(&self, notice: Notice) {
        if self.0.try_send(Said::Told(notice)).is_err() {
            tracing::warn!("nobody heard what a login said");
        }
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>> {
        async move {
            let (reply, answer) = oneshot::channel();
            self.0.send(Said::Asked(question, reply)).await.ok()?;
            answer.await.ok().flatten()
        }
        .boxed()
    }
}
