//! Performs the effects of the state machine: calls the model, runs tools, stores messages, sends events.
//!
//! Must not decide anything that the machine could decide. The owner of a driver alternates between
//! [`Driver::next`], which only waits, and [`Driver::handle`] or [`Driver::send`].

mod compaction;
mod conversation;
mod pending_summary;
mod recording;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use self::pending_summary::PendingSummary;
use super::abort::Abort;
use super::compaction::branch::BranchSummaryPlan;
use super::compaction::hook::CompactionHook;
use super::compaction::summary::{FinishedSummary, SummaryError};
use super::compaction::{Budget, CompactionPlan};
use super::config::{Config, Lifecycle};
use super::effect::{Effect, Event, Fit, Timer};
use super::event::{AgentEvent, Compacted};
use super::fullness::{self, Fullness};
use super::step::State;
use super::work::{CallOutput, Wake, Work};
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::llm::client::Client;
use crate::llm::model::{
    ErrorKind, LlmError, Message, Model, Request, StopReason, StreamEvent, Thinking, ToolChoice, ToolSpec,
    UserMessage,
};
use crate::llm::stream::accumulate::Accumulator;
use crate::tools::{self, Registry};

/// Grace period of interrupted commands at the end of the session: SIGTERM, SIGKILL after two seconds, and a
/// moment to exit.
const SHUTDOWN_GRACE: std::time::Duration = std::time::Duration::from_millis(2300);

/// Stores messages and receives events. A message is stored before its event is sent.
pub trait Listener: Send {
    /// Stores a finished message; the listener reports failures.
    fn store(&mut self, message: &Message) -> impl Future<Output = ()> + Send;
    /// Flushes stored messages to disk.
    fn sync(&mut self) -> impl Future<Output = ()> + Send;
    /// Receives an event; may wait for slow readers.
    fn on_event(&mut self, event: AgentEvent) -> impl Future<Output = ()> + Send;
    /// Returns the stored conversation, to rebuild the history; `None` when nothing is stored.
    fn history(&self) -> Option<Vec<Message>> {
        None
    }
    /// Plans a compaction of the conversation, which has this many tokens; `None` when there is nothing to
    /// summarize, or nothing is stored.
    fn plan_compaction(&self, _budget: Budget, _tokens: u64) -> Option<CompactionPlan> {
        None
    }
    /// Stores a compaction; returns the id of its entry and the new conversation. The listener reports
    /// failures.
    fn store_compaction(
        &mut self,
        _done: &Compacted,
    ) -> impl Future<Output = Option<(String, Vec<Message>)>> + Send {
        async { None }
    }
    /// Excludes the last answer and the results of its calls from the context; returns the new conversation.
    fn exclude_last_answer(&mut self) -> impl Future<Output = Option<Vec<Message>>> + Send {
        async { None }
    }
    /// Moves to another branch with a summary of the old one, or stays if there is no summary; returns the
    /// new conversation.
    fn finish_branch_summary(
        &mut self,
        _leaving: &BranchSummaryPlan,
        _summary: Result<&FinishedSummary, &SummaryError>,
    ) -> impl Future<Output = Option<Vec<Message>>> + Send {
        async { None }
    }
    /// Receives queued messages that were taken back or will not be delivered.
    fn return_messages(&mut self, messages: Vec<UserMessage>) -> impl Future<Output = ()> + Send;
}

/// Services of an agent.
pub struct Services {
    /// The client that calls models.
    pub client: Client,
    /// The available tools.
    pub registry: Registry,
    /// The context shared by all calls.
    pub tools: tools::Context,
    /// For time stamps.
    pub clock: SharedClock,
    /// The source of random numbers for retry delays.
    pub ids: SharedIds,
    /// The compaction hook.
    pub hook: Option<Arc<dyn CompactionHook>>,
}

/// Model and prompt of an agent.
pub struct Setup {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level.
    pub thinking: Thinking,
    /// The system prompt.
    pub system: Vec<String>,
    /// The conversation so far.
    pub history: Vec<Message>,
    /// Id for the provider's cache routing.
    pub session_id: String,
}

/// A running agent.
pub struct Driver<L> {
    state: State,
    services: Services,
    setup: Setup,
    specs: Vec<ToolSpec>,
    /// All tools, available or not.
    all_tools: Registry,
    /// Number of history messages already translated to the current tools; `None` when all must be translated
    /// again.
    translated: Option<usize>,
    /// Whether the conversation is not loaded from the listener yet.
    history_pending: bool,
    work: Work,
    answer: Option<Answer>,
    abort: Abort,
    /// Whether the current token's cancellation was handled.
    aborted: bool,
    fullness: Fullness,
    /// The summary in progress.
    pending_summary: Option<PendingSummary>,
    /// Whether a retry of a summary request was announced.
    retry_announced: bool,
    listener: L,
}

/// The streaming answer.
struct Answer {
    so_far: Accumulator,
    began: bool,
}

/// Result of a wait.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Step {
    /// Work has finished or progressed.
    Wake(Wake),
    /// The run was interrupted.
    Abort,
}

impl<L: Listener> Driver<L> {
    /// Creates an idle agent.
    pub fn new(config: Config, services: Services, setup: Setup, abort: Abort, listener: L) -> Self {
        let answers = |message: &&Message| matches!(message, Message::Assistant(_));
        let turns = setup.history.iter().filter(answers).count().try_into().unwrap_or(u32::MAX);
        let specs = services.registry.specs();
        let all = services.registry.clone();
        Self {
            state: State::new(config, turns),
            services,
            setup,
            specs,
            all_tools: all,
            translated: Some(0),
            history_pending: false,
            work: Work::default(),
            answer: None,
            abort,
            aborted: false,
            fullness: Fullness::default(),
            pending_summary: None,
            retry_announced: false,
            listener,
        }
    }

    /// Whether a run is active.
    pub fn is_working(&self) -> bool {
        self.state.is_working()
    }

    /// Returns the lifecycle state.
    pub fn lifecycle(&self) -> Lifecycle {
        self.state.lifecycle()
    }

    /// Returns the machine, read-only.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the loop settings; changes take effect with the next answer.
    pub fn config(&mut self) -> &mut Config {
        self.state.config()
    }

    /// Continues without a new message; `false` when the history has nothing to answer.
    pub async fn continue_run(&mut self) -> bool {
        self.load_history();
        let open = !self.is_working() && can_be_answered(&self.setup.history);
        if open {
            self.send(Event::Continue).await;
        }
        open
    }

    /// Returns the setup; changes take effect with the next request.
    pub fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    /// Stops all running work, unresponsive commands included.
    pub async fn stop_work(&mut self) {
        self.abort.token().cancel();
        self.work.end(SHUTDOWN_GRACE).await;
    }

    /// Makes the tools of `all` whose names pass available, from the next request and call on. `parallel`:
    /// calls of one answer may run at the same time.
    pub fn set_tools(&mut self, all: Registry, parallel: bool, keep: impl FnMut(&str) -> bool) {
        self.all_tools = all;
        self.services.registry = self.all_tools.clone();
        self.services.registry.retain(keep);
        self.specs = self.services.registry.specs();
        self.state.set_parallel(parallel);
    }

    /// Resets the agent for another session, which has had `turns` answers. The queues are cleared; the
    /// conversation comes with [`Driver::set_history`].
    pub fn reset(&mut self, session_id: String, turns: u32) {
        self.state = State::new(self.state.config().clone(), turns);
        self.setup.session_id = session_id;
        self.fullness = Fullness::default();
    }

    /// Replaces the client from the next request on; the counters of the old one's layers continue.
    pub fn set_client(&mut self, client: Client) {
        self.services.client = self.services.client.replaced_with(client);
    }

    /// Returns the services.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Returns the tool context; changes take effect with the next call.
    pub fn tools(&mut self) -> &mut tools::Context {
        &mut self.services.tools
    }

    /// Returns the listener.
    pub fn listener(&mut self) -> &mut L {
        &mut self.listener
    }

    /// Waits for the next step. Cancel-safe: the future may be dropped at any point.
    pub async fn next(&mut self) -> Step {
        let token = self.abort.token();
        tokio::select! {
            biased;
            () = token.cancelled(), if self.state.is_working() && !self.aborted => Step::Abort,
            wake = self.work.next() => Step::Wake(wake),
        }
    }

    /// Handles the result of [`Driver::next`].
    pub async fn handle(&mut self, step: Step) {
        match step {
            Step::Abort => self.send(Event::Abort).await,
            Step::Wake(Wake::Stream(event)) => self.handle_stream_event(event).await,
            Step::Wake(Wake::Tool(done)) => self.tool_done(done).await,
            Step::Wake(Wake::Progress(latest)) => {
                for (call_id, text) in latest {
                    self.listener.on_event(AgentEvent::ToolUpdate { call_id, text }).await;
                }
            }
            Step::Wake(Wake::Summary(written)) => self.finish_summary(written).await,
            Step::Wake(Wake::SummaryRetry(repeat)) => self.announce_retry(repeat).await,
            Step::Wake(Wake::TimerExpired(Timer::Summary)) => self.announce_retry_attempt().await,
            Step::Wake(Wake::TimerExpired(timer)) => {
                if timer == Timer::Grace {
                    self.send(Event::LiveOutput(self.live_output())).await;
                }
                self.send(Event::TimerExpired(timer)).await;
            }
        }
    }

    /// Returns the live output of running calls, cut as for a model.
    fn live_output(&self) -> BTreeMap<String, String> {
        let Services { registry, tools, .. } = &self.services;
        let cut = |shown: CallOutput| tools::truncate_progress(registry, tools, &shown.tool, shown.text);
        self.work.call_outputs().into_iter().map(|(call_id, shown)| (call_id, cut(shown))).collect()
    }

    /// Sends an event to the machine and performs its effects, including all that follow immediately.
    pub async fn send(&mut self, event: Event) {
        let begins = matches!(
            event,
            Event::Prompt { .. } | Event::Continue | Event::Compact { .. } | Event::LeaveBranch { .. }
        );
        if begins && !self.state.is_working() {
            self.abort.renew();
            self.aborted = false;
        }
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for effect in self.state.step(event) {
                events.extend(self.perform(effect).await);
            }
        }
    }

    async fn perform(&mut self, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Emit(event) => self.emit(event).await,
            Effect::Record(message) => self.record(message).await,
            Effect::CallModel { looked } => {
                if !looked && let Some(reason) = self.compaction_reason() {
                    return Some(Event::WindowFull(reason));
                }
                self.warn_if_nearly_full().await;
                self.call_model();
            }
            Effect::CheckWindow => return self.compaction_reason().map(Event::WindowFull),
            Effect::ExcludeLastAnswer => self.exclude_last_answer().await,
            Effect::Compact { reason, instructions, will_retry } => {
                return self.start_compaction(reason, instructions, will_retry);
            }
            Effect::SummarizeBranch { instructions } => return self.start_branch_summary(instructions),
            Effect::RunTool { index, call } => {
                let (registry, context) = (self.services.registry.clone(), self.services.tools.clone());
                let clock = self.services.clock.clone();
                self.work.start_tool(index, call, registry, context, self.abort.token(), clock);
            }
            Effect::Cancel => return self.cancel().await,
            Effect::StartTimer(timer, delay) => self.work.start_timer(timer, delay),
            Effect::ReturnQueue(messages) => self.listener.return_messages(messages).await,
            // The driver's owner queries the lifecycle.
            Effect::Close => {}
        }
        None
    }

    async fn emit(&mut self, event: AgentEvent) {
        match &event {
            AgentEvent::TurnEnd { .. } => self.listener.sync().await,
            AgentEvent::AgentEnd { .. } => self.work.abandon_tools(),
            AgentEvent::ToolEnd { call_id, .. } => {
                // The last progress must precede the end event, or be dropped.
                if let Some(text) = self.work.take_unsent_output(call_id) {
                    let call_id = call_id.clone();
                    self.listener.on_event(AgentEvent::ToolUpdate { call_id, text }).await;
                }
            }
            _ => {}
        }
        self.listener.on_event(event).await;
    }

    /// Cancels the answer or the tools; the answer ends with what has arrived.
    async fn cancel(&mut self) -> Option<Event> {
        self.aborted = true;
        self.abort.token().cancel();
        if self.work.stop_summary() {
            return self.fail_summary(SummaryError::Aborted).await;
        }
        self.work.stop_answer().then_some(())?;
        let message = self.answer.as_mut().map(|answer| answer.so_far.clone().finish_aborted())?;
        Some(Event::Answered { message, error: None, fit: Fit::Fits, chance: 0.0 })
    }

    /// Returns the estimated tokens of the next request.
    fn tokens(&self) -> u64 {
        let prompt: usize = self.setup.system.iter().map(String::len).sum();
        fullness::tokens(&self.setup.history, prompt)
    }

    async fn warn_if_nearly_full(&mut self) {
        self.load_history();
        let tokens = self.tokens();
        let window = self.setup.model.context_window;
        if self.fullness.should_warn(tokens, window) {
            self.listener.on_event(AgentEvent::ContextWarning { tokens, window }).await;
        }
    }

    fn call_model(&mut self) {
        self.translate_history();
        let model = &self.setup.model;
        let request = Request {
            model: (**model).clone(),
            system: self.setup.system.clone(),
            messages: self.setup.history.clone(),
            tools: self.specs.clone(),
            tool_choice: ToolChoice::Auto,
            thinking: model.nearest_level(self.setup.thinking),
            max_tokens: None,
            session_id: Some(self.setup.session_id.clone()),
            ..Request::default()
        };
        let so_far = Accumulator::new(model, self.services.clock.now_ms());
        self.answer = Some(Answer { so_far, began: false });
        self.work.start_answer(self.services.client.stream(request));
    }

    async fn handle_stream_event(&mut self, event: Option<StreamEvent>) {
        let chance = self.random_fraction();
        let Some(answer) = self.answer.as_mut() else { return };
        match event {
            // Not part of the content yet: the call may still fail without any visible answer.
            Some(StreamEvent::Start) if !answer.began => {}
            Some(StreamEvent::Limits(_) | StreamEvent::Raw { .. } | StreamEvent::Warning(_)) => {}
            // Not content either, but it belongs to the answer, even to one that is abandoned.
            Some(StreamEvent::Usage(usage)) if !answer.began => {
                answer.so_far.push(&StreamEvent::Usage(usage));
            }
            Some(StreamEvent::Done { message }) => {
                self.work.stop_answer();
                let fit = self.fit(&message, None);
                self.send(Event::Answered { message: *message, error: None, fit, chance }).await;
            }
            Some(StreamEvent::Error { error, message }) => {
                self.work.stop_answer();
                let fit = self.fit(&message, Some(&error));
                self.send(Event::Answered { message: *message, error: Some(error), fit, chance }).await;
            }
            Some(event) => {
                answer.so_far.push(&event);
                self.announce_answer().await;
                self.listener.on_event(AgentEvent::MessageUpdate(Arc::new(event))).await;
            }
            None => {
                let mut message = answer.so_far.clone().finish();
                let text = format!("{}: the answer ended without an end", message.provider);
                let error = LlmError::new(ErrorKind::Stream, message.provider.clone(), text.clone());
                message.stop_reason = StopReason::Error;
                message.error_message = Some(text);
                self.send(Event::Answered { message, error: Some(error), fit: Fit::Fits, chance }).await;
            }
        }
    }

    /// Announces an answer with its first part, so that a call that fails earlier is never displayed.
    async fn announce_answer(&mut self) {
        let Some(answer) = self.answer.as_mut().filter(|answer| !answer.began) else { return };
        answer.began = true;
        let mut empty = answer.so_far.clone().finish();
        empty.content.clear();
        self.send(Event::AnswerStarted).await;
        self.listener.on_event(AgentEvent::MessageStart(Arc::new(Message::Assistant(empty)))).await;
    }

    /// Returns a number between 0 and 1 from the source of ids, so that tests can fix it.
    fn random_fraction(&self) -> f64 {
        let digits = self.services.ids.entry();
        u32::from_str_radix(&digits, 16).map_or(0.5, |n| f64::from(n) / f64::from(u32::MAX))
    }
}

/// Whether a model can answer this history: it ends with a user message or results, ignoring failed attempts.
fn can_be_answered(history: &[Message]) -> bool {
    let tried = |message: &&Message| match message {
        Message::Assistant(m) => !matches!(m.stop_reason, StopReason::Error | StopReason::Aborted),
        _ => true,
    };
    history.iter().rev().find(tried).is_some_and(|message| !matches!(message, Message::Assistant(_)))
}
