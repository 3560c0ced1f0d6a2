//! Asks a model for summaries, and whoever has a say before. Nothing is kept here: dropping a summary that
//! is being written hangs up, and then it never was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, future};
use serde_json::Value;
use tokio::sync::mpsc;

use super::branch::BranchSummaryPlan;
use super::estimate;
use super::files;
use super::hook::{Before, Hook, Supplied, Verdict};
use super::plan::Plan;
use super::prompt;
use super::serialize::tell;
use crate::agent::event::CompactionReason;
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::llm::client::Client;
use crate::llm::errors::retry::Policy;
use crate::llm::generate::{self, Options};
use crate::llm::model::{
    CacheRetention, LlmError, Message, Model, Request, StopReason, Thinking, ToolChoice, Usage, UserMessage,
};

/// Share of the reserve that a summary may take, in tenths, as pi has it.
const HISTORY_TENTHS: u64 = 8;
/// The same for the first part of a turn.
const TURN_TENTHS: u64 = 5;
/// Tokens that the summary of a branch may take, as pi has it.
const BRANCH_TOKENS: u64 = 4096;
/// Tokens of the window that instructions take.
const INSTRUCTIONS: u64 = 2048;

/// A summary that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// For the model.
    pub text: String,
    /// What it cost; `None` where no model was asked.
    pub usage: Option<Usage>,
    /// The files that it is about.
    pub details: Option<Value>,
    /// Where the kept part begins, where somebody else has said so.
    pub first_kept: Option<String>,
    /// Whether somebody else has written it.
    pub from_hook: bool,
}

/// Why there is no summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummaryError {
    /// The user interrupted.
    Aborted,
    /// Somebody who has a say did not want it.
    Cancelled,
    /// There is nothing to sum up.
    Nothing,
    /// Something failed.
    Failed(String),
}

/// A request that failed in a way that may pass, and is sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// Which repetition of that request, from 1.
    pub attempt: u32,
    /// How many there may be.
    pub max: u32,
    /// After so long.
    pub delay: Duration,
    /// Why.
    pub error: String,
}

/// Who writes, and how.
#[derive(Clone)]
pub struct Writer {
    /// Reaches the model.
    pub client: Client,
    /// The model.
    pub model: Arc<Model>,
    /// How hard it thinks.
    pub thinking: Thinking,
    /// When a failed request is repeated.
    pub policy: Policy,
    /// For time stamps.
    pub clock: SharedClock,
    /// For the request's own identity, and the source of chance.
    pub ids: SharedIds,
    /// Who has a say.
    pub hook: Option<Arc<dyn Hook>>,
    /// Who hears of repetitions.
    pub repeats: mpsc::Sender<Repeat>,
}

/// The future of a summary.
pub type Writing = BoxFuture<'static, Result<Written, SummaryError>>;

impl Writer {
    /// The summary of a compaction.
    pub fn compaction(self, plan: Arc<Plan>, about: Before) -> Writing {
        async move {
            let focus = about.instructions.clone();
            let verdict = match &self.hook {
                Some(hook) => hook.before(about).await,
                None => Verdict::Proceed,
            };
            match verdict {
                Verdict::Proceed => self.written(&plan, focus.as_deref()).await,
                Verdict::Cancel => Err(SummaryError::Cancelled),
                Verdict::Supply(supplied) => taken(*supplied, Some(&plan)),
            }
        }
        .boxed()
    }

    /// The summary of a branch.
    pub fn branch(self, leaving: Arc<BranchSummaryPlan>, focus: Option<String>) -> Writing {
        async move {
            let verdict = match &self.hook {
                Some(hook) => hook.before_leaving(leaving.clone()).await,
                None => Verdict::Proceed,
            };
            match verdict {
                Verdict::Proceed => self.left(&leaving, focus.as_deref()).await,
                Verdict::Cancel => Err(SummaryError::Cancelled),
                Verdict::Supply(supplied) => taken(*supplied, None),
            }
        }
        .boxed()
    }

    async fn written(&self, plan: &Plan, focus: Option<&str>) -> Result<Written, SummaryError> {
        let turn = async {
            if plan.prefix.is_empty() {
                return Ok(None);
            }
            let said = tell(&plan.prefix, self.room(plan.budget.reserve));
            let limit = plan.budget.reserve * TURN_TENTHS / 10;
            self.ask(prompt::turn(&said, focus), limit).await.map(Some)
        };
        let history = self.history(plan, focus);
        // A server of this machine does one thing at a time, and refuses what comes meanwhile.
        let (history, turn) = if Client::is_near(&self.model) {
            let history = history.await?;
            (history, turn.await?)
        } else {
            future::try_join(history, turn).await?
        };
        let (mut text, mut usage) = history;
        if let Some((told, cost)) = turn {
            text = text + prompt::BETWEEN + &told;
            usage += &cost;
        }
        text += &plan.files.told();
        let details = Some(plan.files.details());
        Ok(Written { text, usage: Some(usage), details, first_kept: None, from_hook: false })
    }

    /// The summary of the turns that are summed up whole. Where there are none, the one before stays.
    async fn history(&self, plan: &Plan, focus: Option<&str>) -> Result<(String, Usage), SummaryError> {
        let previous = plan.previous.as_deref();
        if plan.history.is_empty() {
            return Ok((previous.unwrap_or(prompt::NOTHING_BEFORE).to_string(), Usage::default()));
        }
        let room = self.room(plan.budget.reserve).saturating_sub(previous.map_or(0, estimate::of_text));
        let said = tell(&plan.history, room);
        let limit = plan.budget.reserve * HISTORY_TENTHS / 10;
        self.ask(prompt::history(&said, previous, focus), limit).await
    }

    async fn left(&self, leaving: &BranchSummaryPlan, focus: Option<&str>) -> Result<Written, SummaryError> {
        let said = tell(&leaving.messages, self.room(leaving.budget.reserve));
        let (text, usage) = self.ask(prompt::branch(&said, focus), BRANCH_TOKENS).await?;
        let text = format!("{}{text}{}", prompt::LEFT, leaving.files.told());
        let details = Some(leaving.files.details());
        Ok(Written { text, usage: Some(usage), details, first_kept: None, from_hook: false })
    }

    /// Tokens that what is summed up may have.
    fn room(&self, reserve: u64) -> u64 {
        match self.model.context_window {
            0 => u64::MAX,
            window => window.saturating_sub(reserve + INSTRUCTIONS),
        }
    }

    /// One whole answer in words.
    async fn ask(&self, text: String, limit: u64) -> Result<(String, Usage), SummaryError> {
        let (model, now) = (&*self.model, self.clock.now_ms());
        let thinking = model.nearest_level(self.thinking);
        // Thinking counts as output: it would leave nothing of a limit for the summary.
        let limit = (!model.reasoning || thinking == Thinking::Off).then_some(limit.max(1));
        let request = Request {
            model: model.clone(),
            system: vec![prompt::SYSTEM.trim_end().to_string()],
            messages: vec![Message::User(UserMessage::text(text, now))],
            tool_choice: ToolChoice::Auto,
            thinking,
            max_tokens: limit
                .map(|limit| if model.max_tokens > 0 { limit.min(model.max_tokens) } else { limit }),
            // Its beginning is nobody else's: it is not worth keeping, nor sent where the session's is kept.
            session_id: Some(self.ids.session(now)),
            cache: CacheRetention::None,
            ..Request::default()
        };
        let (repeats, max, tried) = (self.repeats.clone(), self.policy.retries, AtomicU32::new(0));
        let on_retry = move |error: &LlmError, delay: Duration| {
            let attempt = tried.fetch_add(1, Ordering::Relaxed) + 1;
            let repeat = Repeat { attempt, max, delay, error: error.message.clone() };
            if repeats.try_send(repeat).is_err() {
                tracing::debug!("nobody hears that a summary is asked for again");
            }
        };
        let options = Options {
            policy: self.policy,
            on_retry: Some(Arc::new(on_retry)),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            ..Options::default()
        };
        let outcome = generate::generate(&self.client, request, options).await;
        let outcome = outcome.map_err(|error| SummaryError::Failed(error.message))?;
        let said = files::without_lists(&outcome.message.text()).trim().to_string();
        match outcome.message.stop_reason {
            StopReason::Length => {
                Err(SummaryError::Failed("the summary reached the model's output limit".to_string()))
            }
            _ if said.is_empty() => Err(SummaryError::Failed("the model wrote no summary".to_string())),
            _ => Ok((said, outcome.usage)),
        }
    }
}

/// A summary that somebody else has written, if it can be taken.
fn taken(supplied: Supplied, plan: Option<&Plan>) -> Result<Written, SummaryError> {
    let Supplied { summary, first_kept, details, usage } = supplied;
    if summary.trim().is_empty() {
        return Err(SummaryError::Failed("the summary that was supplied is empty".to_string()));
    }
    if let (Some(plan), Some(id)) = (plan, &first_kept)
        && !plan.places.contains(id)
        && *id != plan.first_kept
    {
        return Err(SummaryError::Failed(format!("nothing can be kept from the entry `{id}` on")));
    }
    Ok(Written { text: summary, usage, details, first_kept, from_hook: true })
}

/// What is told of a compaction that came to nothing; nothing where nobody has to know why.
pub fn told(why: &SummaryError, reason: CompactionReason) -> Option<String> {
    match (why, reason) {
        (SummaryError::Aborted | SummaryError::Cancelled, _) => None,
        (SummaryError::Nothing, CompactionReason::Overflow) => Some(
            "the conversation does not fit, and there is nothing in it that could be summed up".to_string(),
        ),
        (SummaryError::Nothing, _) => {
            Some("nothing to compact: all of it is recent enough to be kept as it is".to_string())
        }
        (SummaryError::Failed(error), _) => Some(format!("the conversation was not compacted: {error}")),
    }
}
