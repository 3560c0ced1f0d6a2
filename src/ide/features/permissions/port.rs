//! The approval port answered by the user: a request is shown above the prompt, and the user's choice is the decision.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::ide::core::context::Tasks;
use crate::ide::features::permissions::answers;
use crate::tools::permissions::approval::{Approval, Ask, Decision};

/// Sends every request to the event loop.
pub struct AskPermission {
    tasks: Tasks,
}

impl AskPermission {
    /// Returns a port for the event loop of these tasks.
    pub fn new(tasks: Tasks) -> Self {
        Self { tasks }
    }
}

impl Approval for AskPermission {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        let tasks = self.tasks.clone();
        async move {
            let (reply, answer) = oneshot::channel();
            tasks.post("permissions.ask", move |cx| answers::ask(cx, ask, reply)).await;
            // If the event loop has ended, the request and its reply are dropped.
            answer
                .await
                .unwrap_or_else(|_| Decision::Deny("bowline is closing; nobody can answer".to_string()))
        }
        .boxed()
    }
}
