//! The conversation of a login over a channel, for front ends that are told by events.
//!
//! Must not know what a login does, nor who is at the other end.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::llm::auth::oauth::LoginUi;
use crate::llm::model::{Notice, Question};

/// One thing that a login says.
#[derive(Debug)]
#[non_exhaustive]
pub enum Said {
    /// It tells something.
    Told(Notice),
    /// It asks something; `None` gives the login up.
    Asked(Question, oneshot::Sender<Option<String>>),
}

/// Says everything into a channel; whoever has its end must read on.
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
