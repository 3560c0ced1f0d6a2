//! Requests summaries from a model, after the hook. Nothing is stored here: dropping the future closes the
//! connection and has no other effect.

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
use super::hook::{BeforeCompaction, CompactionHook, HookDecision, SuppliedSummary};
use super::plan::CompactionPlan;
use super::prompt;
use super::serialize::serialize;
use crate::agent::event::CompactionReason;
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::llm::client::Client;
use crate::llm::generate::{self, Options};
use crate::llm::model::{
    CacheRetention, LlmError, Message, Model, Request, StopReason, Thinking, ToolChoice, Usage, UserMessage,
};
use crate::llm::retry::Policy;

/// Share of the reserve that a summary may use, in tenths, as in pi.
const HISTORY_TENTHS: u64 = 8;
/// The same for the first part of a turn.
const TURN_TENTHS: u64 = 5;
/// Tokens that a branch summary may use, as in pi.
const BRANCH_TOKENS: u64 = 4096;
/// Tokens of the window reserved for the instructions.
const INSTRUCTIONS: u64 = 2048;

/// A finished summary.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedSummary {
    /// The text for the model.
    pub text: String,
    /// Its usage; `None` when no model was called.
    pub usage: Option<Usage>,
    /// The files that it covers.
    pub details: Option<Value>,
    /// The first kept entry, if a hook has set it.
    pub first_kept: Option<String>,
    /// Whether a hook supplied it.
    pub from_hook: bool,
}

/// Why there is no summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummaryError {
    /// Interrupted by the user.
    Aborted,
    /// Cancelled by the hook.
    Cancelled,
    /// There is nothing to summarize.
    Nothing,
    /// An error.
    Failed(String),
}

/// A request that failed with a transient error and is retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// The number of this retry, from 1.
    pub attempt: u32,
    /// The maximum number of retries.
    pub max: u32,
    /// The delay before it.
    pub delay: Duration,
    /// The error.
    pub error: String,
}

/// Writer of a summary.
#[derive(Clone)]
pub struct SummaryWriter {
    /// The client that calls the model.
    pub client: Client,
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level.
    pub thinking: Thinking,
    /// The retry policy.
    pub policy: Policy,
    /// For time stamps.
    pub clock: SharedClock,
    /// Source of the request's session id and of random numbers.
    pub ids: SharedIds,
    /// The hook.
    pub hook: Option<Arc<dyn CompactionHook>>,
    /// Receiver of retry notices.
    pub retry_notices: mpsc::Sender<RetryNotice>,
}

/// The future of a summary.
pub type SummaryFuture = BoxFuture<'static, Result<FinishedSummary, SummaryError>>;

impl SummaryWriter {
    /// Returns the future of a compaction's summary.
    pub fn summarize_compaction(self, plan: Arc<CompactionPlan>, about: BeforeCompaction) -> SummaryFuture {
        async move {
            let focus = about.instructions.clone();
            let verdict = match &self.hook {
                Some(hook) => hook.before_compaction(about).await,
                None => HookDecision::Proceed,
            };
            match verdict {
                HookDecision::Proceed => self.write_compaction(&plan, focus.as_deref()).await,
                HookDecision::Cancel => Err(SummaryError::Cancelled),
                HookDecision::Supply(supplied) => accept_supplied(*supplied, Some(&plan)),
            }
        }
        .boxed()
    }

    /// Returns the future of a branch summary.
    pub fn summarize_branch(
        self,
        branch_plan: Arc<BranchSummaryPlan>,
        focus: Option<String>,
    ) -> SummaryFuture {
        async move {
            let verdict = match &self.hook {
                Some(hook) => hook.before_branch_summary(branch_plan.clone()).await,
                None => HookDecision::Proceed,
            };
            match verdict {
                HookDecision::Proceed => self.write_branch(&branch_plan, focus.as_deref()).await,
                HookDecision::Cancel => Err(SummaryError::Cancelled),
                HookDecision::Supply(supplied) => accept_supplied(*supplied, None),
            }
        }
        .boxed()
    }

    async fn write_compaction(
        &self,
        plan: &CompactionPlan,
        focus: Option<&str>,
    ) -> Result<FinishedSummary, SummaryError> {
        let turn = async {
            if plan.prefix.is_empty() {
                return Ok(None);
            }
            let conversation = serialize(&plan.prefix, self.available_tokens(plan.budget.reserve));
            let limit = plan.budget.reserve * TURN_TENTHS / 10;
            self.request_text(prompt::turn(&conversation, focus), limit).await.map(Some)
        };
        let history = self.write_history(plan, focus);
        // A local server handles one request at a time, and may refuse a second one.
        let (history, turn) = if Client::is_local(&self.model) {
            let history = history.await?;
            (history, turn.await?)
        } else {
            future::try_join(history, turn).await?
        };
        let (mut text, mut usage) = history;
        if let Some((summary, cost)) = turn {
            text = text + prompt::SPLIT_TURN_HEADING + &summary;
            usage += &cost;
        }
        text += &plan.files.to_text();
        let details = Some(plan.files.details());
        Ok(FinishedSummary { text, usage: Some(usage), details, first_kept: None, from_hook: false })
    }

    /// Returns the summary of the complete turns. Without such turns the previous summary is kept.
    async fn write_history(
        &self,
        plan: &CompactionPlan,
        focus: Option<&str>,
    ) -> Result<(String, Usage), SummaryError> {
        let previous = plan.previous.as_deref();
        if plan.history.is_empty() {
            return Ok((previous.unwrap_or(prompt::NO_EARLIER_TURNS).to_string(), Usage::default()));
        }
        let room =
            self.available_tokens(plan.budget.reserve).saturating_sub(previous.map_or(0, estimate::of_text));
        let conversation = serialize(&plan.history, room);
        let limit = plan.budget.reserve * HISTORY_TENTHS / 10;
        self.request_text(prompt::history(&conversation, previous, focus), limit).await
    }

    async fn write_branch(
        &self,
        branch_plan: &BranchSummaryPlan,
        focus: Option<&str>,
    ) -> Result<FinishedSummary, SummaryError> {
        let conversation =
            serialize(&branch_plan.messages, self.available_tokens(branch_plan.budget.reserve));
        let (text, usage) = self.request_text(prompt::branch(&conversation, focus), BRANCH_TOKENS).await?;
        let text = format!("{}{text}{}", prompt::BRANCH_INTRO, branch_plan.files.to_text());
        let details = Some(branch_plan.files.details());
        Ok(FinishedSummary { text, usage: Some(usage), details, first_kept: None, from_hook: false })
    }

    /// Returns the tokens available for the text to summarize.
    fn available_tokens(&self, reserve: u64) -> u64 {
        match self.model.context_window {
            0 => u64::MAX,
            window => window.saturating_sub(reserve + INSTRUCTIONS),
        }
    }

    /// Requests one complete answer and returns its text.
    async fn request_text(&self, text: String, limit: u64) -> Result<(String, Usage), SummaryError> {
        let (model, now) = (&*self.model, self.clock.now_ms());
        let thinking = model.nearest_level(self.thinking);
        // Thinking counts as output: with a limit it could leave no tokens for the summary.
        let limit = (!model.reasoning || thinking == Thinking::Off).then_some(limit.max(1));
        let request = Request {
            model: model.clone(),
            system: vec![prompt::SYSTEM.trim_end().to_string()],
            messages: vec![Message::User(UserMessage::text(text, now))],
            tool_choice: ToolChoice::Auto,
            thinking,
            max_tokens: limit
                .map(|limit| if model.max_tokens > 0 { limit.min(model.max_tokens) } else { limit }),
            // The prompt prefix is used only once, so caching it is pointless, and so is routing it to the
            // session's cache.
            session_id: Some(self.ids.session(now)),
            cache: CacheRetention::None,
            ..Request::default()
        };
        let (repeats, max, tried) = (self.retry_notices.clone(), self.policy.retries, AtomicU32::new(0));
        let on_retry = move |error: &LlmError, delay: Duration| {
            let attempt = tried.fetch_add(1, Ordering::Relaxed) + 1;
            let repeat = RetryNotice { attempt, max, delay, error: error.message.clone() };
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
        let summary = files::strip_lists(&outcome.message.text()).trim().to_string();
        match outcome.message.stop_reason {
            StopReason::Length => {
                Err(SummaryError::Failed("the summary reached the model's output limit".to_string()))
            }
            _ if summary.is_empty() => Err(SummaryError::Failed("the model wrote no summary".to_string())),
            _ => Ok((summary, outcome.usage)),
        }
    }
}

/// Returns a supplied summary, if it is valid.
fn accept_supplied(
    supplied: SuppliedSummary,
    plan: Option<&CompactionPlan>,
) -> Result<FinishedSummary, SummaryError> {
    let SuppliedSummary { summary, first_kept, details, usage } = supplied;
    if summary.trim().is_empty() {
        return Err(SummaryError::Failed("the summary that was supplied is empty".to_string()));
    }
    if let (Some(plan), Some(id)) = (plan, &first_kept)
        && !plan.cut_points.contains(id)
        && *id != plan.first_kept
    {
        return Err(SummaryError::Failed(format!("nothing can be kept from the entry `{id}` on")));
    }
    Ok(FinishedSummary { text: summary, usage, details, first_kept, from_hook: true })
}

/// Returns the error message of a failed compaction; `None` when the user needs no reason.
pub fn failure_text(summary_error: &SummaryError, reason: CompactionReason) -> Option<String> {
    match (summary_error, reason) {
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
