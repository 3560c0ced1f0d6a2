//! Questions to the person behind an RPC client: pi's extension UI requests. Tools that need leave, and tools
//! that ask, put them here; the mode sends them and brings the answers.
//!
//! Must not know tools. Who does not answer in time has refused.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use crate::base::json::json;
use crate::tools::approval::{Approval, Ask, Decision};
use crate::tools::questions::{Answer, Question, Questions};

/// How long a question waits for its answer.
const PATIENCE: Duration = Duration::from_mins(5);
/// Requests that wait to be sent.
const WAITING: usize = 64;

const ONCE: &str = "Run it once";
const LIKE: &str = "Run it, and those like it in this session";
const NO: &str = "Do not run it";
/// For an answer in one's own words.
const OWN: &str = "Something else";

/// Where questions go. Clones are one.
#[derive(Debug, Clone)]
pub struct Desk {
    requests: mpsc::Sender<Value>,
    open: Arc<Mutex<Open>>,
    patience: Duration,
}

#[derive(Debug, Default)]
struct Open {
    /// Counts questions, for their ids.
    asked: u64,
    waiting: HashMap<String, oneshot::Sender<Map<String, Value>>>,
    /// Nobody is there any more.
    closed: bool,
}

impl Desk {
    /// One, and what it wants to send.
    pub fn new() -> (Self, mpsc::Receiver<Value>) {
        let (requests, wanted) = mpsc::channel(WAITING);
        (Self { requests, open: Arc::default(), patience: PATIENCE }, wanted)
    }

    /// The same with another patience.
    #[cfg(test)]
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a request that is not answered.
    pub fn number(&self) -> String {
        let mut open = self.open();
        open.asked += 1;
        format!("ui-{}", open.asked)
    }

    /// An answer has come. One that nobody waits for any more is passed over, as pi does.
    pub fn answered(&self, answer: &Map<String, Value>) {
        let id = answer.get("id").and_then(Value::as_str).unwrap_or_default();
        let waiting = self.open().waiting.remove(id);
        if waiting.is_none_or(|waiting| waiting.send(answer.clone()).is_err()) {
            tracing::debug!("an answer came too late");
        }
    }

    /// Nobody answers any more: what waits is refused.
    pub fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        open.waiting.clear();
    }

    /// Asks; `None` where nobody answers, or the person does not want to.
    async fn ask(&self, request: Value) -> Option<Map<String, Value>> {
        let (reply, told) = oneshot::channel();
        let id = {
            let mut open = self.open();
            if open.closed {
                return None;
            }
            open.asked += 1;
            let id = format!("ui-{}", open.asked);
            open.waiting.insert(id.clone(), reply);
            id
        };
        let withdrawn = Withdrawn { desk: self, id: &id };
        let whole = json!({"type": "extension_ui_request", "id": id});
        if let (Value::Object(mut whole), Value::Object(fields)) = (whole, request) {
            whole.extend(fields);
            whole.insert("timeout".to_string(), json!(self.patience.as_millis() as u64));
            self.requests.send(Value::Object(whole)).await.ok()?;
        }
        let answer = tokio::time::timeout(self.patience, told).await.ok()?.ok()?;
        drop(withdrawn);
        (answer.get("cancelled") != Some(&Value::Bool(true))).then_some(answer)
    }

    async fn text(&self, request: Value) -> Option<String> {
        self.ask(request).await?.get("value")?.as_str().map(str::to_string)
    }

    async fn leave(&self, ask: Ask) -> Decision {
        let mut options = vec![ONCE];
        if ask.proposal.is_some() {
            options.push(LIKE);
        }
        options.push(NO);
        let title = format!("{}: {}\n{}", ask.tool, ask.subject, ask.rule);
        let request = json!({"method": "select", "title": title, "options": options});
        match (self.text(request).await.as_deref(), ask.proposal) {
            (Some(ONCE), _) => Decision::Allow,
            (Some(LIKE), Some(proposal)) => Decision::AllowLike(proposal),
            (Some(_), _) => Decision::Deny("the user does not want it to run".to_string()),
            (None, _) => Decision::Deny(format!("nobody has allowed it (rule: {})", ask.rule)),
        }
    }

    async fn question(&self, question: Question) -> Option<Answer> {
        let title = if question.header.is_empty() {
            question.text.clone()
        } else {
            format!("{}: {}", question.header, question.text)
        };
        let labels: Vec<String> = question.options.iter().map(|choice| choice.label.clone()).collect();
        if question.several && !labels.is_empty() {
            let title = format!("{title}\n{}", labels.join(", "));
            let text =
                self.text(json!({"method": "input", "title": title, "placeholder": "several, with commas"}));
            let text = text.await?;
            let parts = text.split(',').map(|part| part.trim().to_string());
            return Some(parts.filter(|part| !part.is_empty()).collect());
        }
        if !labels.is_empty() {
            let options: Vec<&str> = labels.iter().map(String::as_str).chain([OWN]).collect();
            let chosen = self.text(json!({"method": "select", "title": title, "options": options})).await?;
            if chosen != OWN {
                return Some(vec![chosen]);
            }
        }
        let request = json!({"method": "input", "title": title, "placeholder": question.placeholder});
        Some(vec![self.text(request).await?])
    }
}

/// A question that is not waited for any more, for whatever reason.
struct Withdrawn<'a> {
    desk: &'a Desk,
    id: &'a str,
}

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        self.desk.open().waiting.remove(self.id);
    }
}

impl Approval for Desk {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        let desk = self.clone();
        async move { desk.leave(ask).await }.boxed()
    }
}

impl Questions for Desk {
    fn ask(&self, _call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
        let desk = self.clone();
        async move {
            let mut answers = Vec::with_capacity(questions.len());
            for question in questions {
                answers.push(desk.question(question).await?);
            }
            Some(answers)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
