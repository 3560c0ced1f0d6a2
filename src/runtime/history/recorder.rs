//! Records the agent's work: writes every finished message to the session file before the event is sent, and
//! keeps the totals that front ends display.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::navigation::PendingMove;
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::compaction::summary::{FinishedSummary, SummaryError};
use crate::agent::compaction::{Budget, CompactionPlan};
use crate::agent::driver::Listener;
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::agent::fullness;
use crate::agent::request::history;
use crate::base::error::Report;
use crate::llm::model::{AssistantMessage, Message, Model, StopReason, Thinking, Usage, UserMessage};
use crate::runtime::agent_setup::toolset::ActiveTools;
use crate::runtime::controls::client::send_reply;
use crate::runtime::events::event::{RuntimeEvent, Snapshot};
use crate::runtime::events::hub::Hub;
use crate::runtime::restore::checkpoints::Checkpoints;
use crate::session::derived::recent::{ModelChoice, PageLimit};
use crate::session::format::message::MessagePage;
use crate::session::position;
use crate::session::restore::checkpoints::{self, Checkpoint, When};
use crate::session::{AgentMessage, EntryBody, Session, SessionError};
use crate::tools::language_servers::errors_left;
use crate::tools::{AgentToolState, Mode};
use crate::workspace::checkpoint::RecordedCheckpoint;

/// How long the end of a session waits for the last scan for changes by agents.
const FINAL_SCAN_TIMEOUT: Duration = Duration::from_secs(2);

/// Limits of the messages for a reader that starts with the end of a conversation: more than one screen.
const RECENT: PageLimit = PageLimit { messages: 200, bytes: 1 << 20 };

/// Observer of one session's agent.
pub struct Recorder {
    pub(in crate::runtime) session: Session,
    hub: Hub,
    model: Arc<Model>,
    thinking: Thinking,
    /// Model and thinking level as recorded in the file.
    recorded: (Option<(String, String)>, Option<Thinking>),
    usage: Usage,
    context_tokens: u64,
    /// Receiver of the queued messages, if requested.
    queue_reply: Option<oneshot::Sender<Vec<UserMessage>>>,
    /// Receiver of the result of the active compaction, if requested.
    compaction_reply: Option<oneshot::Sender<Result<Arc<Compacted>, Report>>>,
    /// Number of session entries that were sent to front ends.
    sent_entries: usize,
    /// A leaf, and the number of messages of the conversation there.
    counted_messages: Option<(u32, usize)>,
    /// The pending move, which waits for a summary.
    pub(in crate::runtime) pending_move: Option<PendingMove>,
    /// The completed move and its result.
    pub(in crate::runtime) finished_move: Option<(PendingMove, Result<(), Report>)>,
    /// Whether a run has ended since the last `Settled` event.
    pub(in crate::runtime) unsettled: bool,
    checkpoints: Option<Checkpoints>,
    /// The tools' state and the workspace, to find errors that a run leaves.
    tools: Option<(Arc<AgentToolState>, PathBuf)>,
    /// The task that records the state after the last round of calls.
    checkpoint_task: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Creates the recorder of a session.
    pub fn new(session: Session, hub: Hub, model: Arc<Model>, thinking: Thinking) -> Self {
        let mut recorder = Self {
            session,
            hub,
            model,
            thinking,
            recorded: (None, None),
            usage: Usage::default(),
            context_tokens: 0,
            queue_reply: None,
            compaction_reply: None,
            sent_entries: 0,
            counted_messages: None,
            pending_move: None,
            finished_move: None,
            unsettled: false,
            checkpoints: None,
            tools: None,
            checkpoint_task: None,
        };
        recorder.sent_entries = recorder.session.tree().len();
        recorder.refresh();
        recorder
    }

    /// Reloads the session's state; returns the conversation as it is sent to a model.
    pub(in crate::runtime) fn reload(&mut self) -> Vec<Message> {
        self.refresh();
        history::into_messages(self.session.take_context())
    }

    /// Reloads the session's state without the conversation; returns model and thinking level.
    pub(in crate::runtime) fn refresh(&mut self) -> ModelChoice {
        let chosen = self.session.model_choice();
        self.recorded = (chosen.model.clone(), chosen.thinking);
        self.usage = self.session.usage();
        // Without a provider's count the value is an estimate over all messages.
        let counted = self.session.find_recent(answer_tokens);
        let about = || fullness::tokens(&history::into_messages(self.session.take_context()), 0);
        self.context_tokens = counted.unwrap_or_else(about);
        chosen
    }

    /// Adds checkpoints of the workspace.
    #[must_use]
    pub fn with_checkpoints(self, checkpoints: Option<Checkpoints>) -> Self {
        Self { checkpoints, ..self }
    }

    /// Looks from now on for errors that runs leave in the workspace.
    pub fn watch_errors(&mut self, tools: Arc<AgentToolState>, root: PathBuf) {
        self.tools = Some((tools, root));
    }

    async fn send_errors_left(&mut self) {
        let Some((tools, root)) = &self.tools else { return };
        if let Some(left) = errors_left::take(tools, root).await {
            self.hub.send(RuntimeEvent::ErrorsLeft(Arc::new(left))).await;
        }
    }

    /// Returns the checkpoints of the workspace, if enabled.
    pub fn checkpoints(&self) -> Option<Checkpoints> {
        self.checkpoints.clone()
    }

    /// Writes the checkpoints recorded since the last call; returns whether there were any.
    pub async fn write_checkpoints(&mut self) -> bool {
        let unwritten = self.checkpoints.as_ref().map(Checkpoints::take_unwritten).unwrap_or_default();
        let any = !unwritten.is_empty();
        for state in unwritten {
            self.append(state.body()).await;
        }
        any
    }

    /// Waits for the checkpoint in progress, and writes it before anything else.
    async fn write_pending_checkpoint(&mut self) -> bool {
        if let Some(recording) = self.checkpoint_task.take()
            && let Err(error) = recording.await
        {
            tracing::error!(%error, "the recording of a state was lost");
        }
        self.write_checkpoints().await
    }

    /// Waits until the state after the last call of any agent is recorded, and writes it.
    pub(in crate::runtime) async fn write_all_checkpoints(&mut self) {
        self.write_pending_checkpoint().await;
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.close_round().await;
        }
        self.write_checkpoints().await;
    }

    fn set_in_turn(&self, is: bool) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.set_in_turn(is);
        }
    }

    /// Called before a restore replaces the state of the workspace: writes the present state when files
    /// change, or when no entry leads back to it yet. Returns the entry that leads back.
    pub async fn record_before_restore(&mut self, now: &RecordedCheckpoint, changes: bool) -> Option<String> {
        self.write_pending_checkpoint().await;
        if changes || !checkpoints::is_restorable(self.session.tree(), &now.id.to_string()) {
            let checkpoint = self.checkpoints.as_ref()?.checkpoint_entry(When::Left, now);
            self.append(checkpoint.body()).await;
        }
        // Synced before anything is overwritten.
        self.sync().await;
        self.session.leaf().map(str::to_string)
    }

    /// Ends the session: writes pending checkpoints and syncs the file.
    pub async fn end(&mut self) {
        if let Some(checkpoints) = &self.checkpoints {
            let closed = tokio::time::timeout(FINAL_SCAN_TIMEOUT, checkpoints.close_round()).await;
            if closed.is_err() {
                tracing::warn!("the last state of the workspace was not recorded in time");
            }
            checkpoints.cancel();
        }
        self.write_pending_checkpoint().await;
        self.record_position().await;
        self.sync().await;
    }

    /// Keeps the branch that the user moved to, for when the session is opened again.
    async fn record_position(&mut self) {
        if self.session.opens_elsewhere() {
            self.append(position::position_entry()).await;
        }
    }

    /// Records that the workspace was restored to another state; `undo` is the entry that leads back.
    pub async fn record_after_restore(&mut self, undo: Option<String>) {
        let Some(checkpoints) = self.checkpoints.clone() else { return };
        match checkpoints.record(Vec::new(), Vec::new()).await {
            Ok(taken) => {
                let state = Checkpoint { undo, ..checkpoints.checkpoint_entry(When::Restored, &taken) };
                self.append(state.body()).await;
                self.sync().await;
            }
            Err(report) => self.hub.send(RuntimeEvent::Failed(report)).await,
        }
    }

    /// Returns a snapshot, with all messages or the latest.
    pub fn snapshot(&self, working: bool, active_tools: Arc<ActiveTools>, recent: bool) -> Snapshot {
        let MessagePage { messages, earlier } = if recent {
            self.session.recent(RECENT)
        } else {
            MessagePage { messages: self.session.take_context().messages, earlier: None }
        };
        Snapshot {
            session_id: self.session.id().to_string(),
            file: self.session.file().map(Into::into),
            name: self.session.name(),
            messages,
            earlier,
            model: Some(self.model.clone()),
            active_tools,
            thinking: self.thinking,
            usage: self.usage.clone(),
            context_tokens: self.context_tokens,
            undo_entry: self.session.undo_entry(),
            working,
            approval_mode: Mode::default(),
            offline: false,
        }
    }

    /// Returns the number of messages on the active path. Reads only what was added since the last call.
    pub(in crate::runtime) fn count_messages(&mut self) -> usize {
        let leaf = self.session.tree().leaf_index();
        let count = self.session.count_messages(self.counted_messages);
        self.counted_messages = leaf.map(|leaf| (leaf, count));
        count
    }

    /// Returns the tokens in the context at the last answer.
    pub(in crate::runtime) fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Changes session metadata, which is not part of the conversation.
    pub fn change_metadata<T>(
        &mut self,
        change: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<(), SessionError> {
        change(&mut self.session).map(drop)
    }

    /// Moves to the position after an entry, or before all: the next entry follows it.
    pub fn go_to(&mut self, entry: Option<&str>) -> Result<ModelChoice, SessionError> {
        self.session.branch(entry)?;
        self.session.drop_cached_messages();
        Ok(self.refresh())
    }

    /// Switches to another session and drops the old one.
    pub async fn adopt(&mut self, session: Session) -> ModelChoice {
        self.record_position().await;
        self.session = session;
        self.counted_messages = None;
        self.sent_entries = self.session.tree().len();
        self.refresh()
    }

    /// Takes model and thinking level that the session already records.
    pub fn set_recorded_model(&mut self, model: Arc<Model>, thinking: Thinking) {
        (self.model, self.thinking) = (model, thinking);
    }

    /// Switches model or thinking level from now on.
    pub async fn set_model(&mut self, model: Arc<Model>, thinking: Thinking) {
        let model_changed = *self.model != *model;
        let thinking_changed = self.thinking != thinking;
        self.model = model.clone();
        self.thinking = thinking;
        self.record_choice().await;
        if model_changed {
            self.hub.send(RuntimeEvent::ModelChanged(model)).await;
        }
        if thinking_changed {
            self.hub.send(RuntimeEvent::ThinkingChanged(thinking)).await;
        }
    }

    /// Sets the receiver of the queued messages.
    pub fn set_queue_reply(&mut self, reply: oneshot::Sender<Vec<UserMessage>>) {
        self.queue_reply = Some(reply);
    }

    /// Sets the receiver of the next compaction's result.
    pub fn set_compaction_reply(&mut self, reply: oneshot::Sender<Result<Arc<Compacted>, Report>>) {
        self.compaction_reply = Some(reply);
    }

    /// Reports that no compaction started.
    pub fn fail_compaction(&mut self, to_report: impl FnOnce() -> Report) {
        if let Some(reply) = self.compaction_reply.take() {
            send_reply(reply, Err(to_report()));
        }
    }

    /// Sends new entries to front ends.
    pub async fn send_entries(&mut self) {
        let send_lines = self.sent_entries < self.session.tree().len() && self.hub.wants_entries();
        while self.sent_entries < self.session.tree().len() {
            let (line, named) = {
                let tree = self.session.tree();
                let Ok(at) = u32::try_from(self.sent_entries) else { return };
                let named = (tree.kind(at) == "session_info").then(|| self.session.name());
                (send_lines.then(|| tree.entry(at).line().map(|line| Arc::from(&*line))), named)
            };
            self.sent_entries += 1;
            match line {
                Some(Ok(line)) => self.hub.send(RuntimeEvent::EntryAppended(line)).await,
                Some(Err(error)) => tracing::error!(%error, "a new entry cannot be read again"),
                None => {}
            }
            if let Some(name) = named {
                self.hub.send(RuntimeEvent::SessionRenamed(name)).await;
            }
        }
    }

    /// Writes model and thinking level when they differ from the file's.
    async fn record_choice(&mut self) {
        let model = (self.model.provider.clone(), self.model.id.clone());
        if self.recorded.0.as_ref() != Some(&model) {
            let (provider, model_id) = model.clone();
            self.append(EntryBody::ModelChange { provider, model_id }).await;
            self.recorded.0 = Some(model);
        }
        if self.recorded.1 != Some(self.thinking) {
            let thinking_level = self.thinking.name().to_string();
            self.append(EntryBody::ThinkingLevelChange { thinking_level }).await;
            self.recorded.1 = Some(self.thinking);
        }
    }

    /// Appends an entry; returns its id.
    pub(in crate::runtime) async fn append(&mut self, body: EntryBody) -> Option<String> {
        match self.session.append(body) {
            Ok(id) => {
                self.send_entries().await;
                Some(id)
            }
            Err(error) => {
                let report = Report::caused("the session is not being saved", &error)
                    .hint("make room or permission, then go on; what was said since then is in memory only");
                self.hub.send(RuntimeEvent::Failed(report)).await;
                None
            }
        }
    }

    fn add_usage(&mut self, message: &Message) {
        if let Message::Assistant(answer) = message {
            self.usage += &answer.usage;
            if has_reliable_count(answer) {
                self.context_tokens = answer.usage.total_tokens;
            }
        }
    }
}

/// Returns the context tokens that an answer reports.
fn answer_tokens(message: &AgentMessage) -> Option<u64> {
    match message {
        AgentMessage::Llm(Message::Assistant(answer))
            if has_reliable_count(answer) && !answer.is_replaced() =>
        {
            Some(answer.usage.total_tokens)
        }
        _ => None,
    }
}

/// Whether an answer's token count is reliable.
fn has_reliable_count(answer: &AssistantMessage) -> bool {
    !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) && answer.usage.total_tokens > 0
}

fn compaction_error(reason: Option<&str>) -> Report {
    Report::new(reason.unwrap_or("the compaction was canceled"))
}

impl Listener for Recorder {
    async fn store(&mut self, message: &Message) {
        self.write_pending_checkpoint().await;
        if matches!(message, Message::User(_)) {
            // Not before the first message: opening a session to view it changes nothing.
            self.record_choice().await;
        }
        self.append(EntryBody::Message { message: AgentMessage::Llm(message.clone()) }).await;
        self.add_usage(message);
    }

    async fn sync(&mut self) {
        if let Err(error) = self.session.sync() {
            let report = Report::caused("the session may not survive a power failure", &error);
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }

    async fn on_event(&mut self, event: AgentEvent) {
        match &event {
            // Concurrent with the next request, which takes longer.
            AgentEvent::TurnEnd { .. } => {
                self.write_pending_checkpoint().await;
                self.set_in_turn(false);
                self.checkpoint_task = self.checkpoints.as_ref().map(Checkpoints::end_round);
            }
            AgentEvent::TurnStart => self.set_in_turn(true),
            AgentEvent::CompactionEnd { reason: CompactionReason::Manual, result, error, .. } => {
                let done = result.clone().ok_or_else(|| compaction_error(error.as_deref()));
                let waits = self.compaction_reply.take();
                self.hub.send(RuntimeEvent::Agent(event)).await;
                if let Some(reply) = waits {
                    send_reply(reply, done);
                }
                return;
            }
            // No caller has to wait for the scan after the last call.
            AgentEvent::AgentEnd { aborted, .. } => {
                let aborted = *aborted;
                self.set_in_turn(false);
                self.unsettled = true;
                if !aborted {
                    self.send_errors_left().await;
                }
                self.hub.send(RuntimeEvent::Agent(event)).await;
                let written = self.write_pending_checkpoint().await;
                // An answer that was cut off emits no end of turn, but a subagent may have worked meanwhile.
                self.checkpoint_task = self.checkpoints.as_ref().map(Checkpoints::end_round);
                if self.write_pending_checkpoint().await || written {
                    self.sync().await;
                }
                return;
            }
            _ => {}
        }
        self.hub.send(RuntimeEvent::Agent(event)).await;
    }

    fn history(&self) -> Option<Vec<Message>> {
        Some(history::into_messages(self.session.take_context()))
    }

    fn plan_compaction(&self, budget: Budget, tokens: u64) -> Option<CompactionPlan> {
        self.compaction_plan(budget, tokens)
    }

    async fn store_compaction(&mut self, done: &Compacted) -> Option<(String, Vec<Message>)> {
        self.append_compaction(done).await
    }

    async fn exclude_last_answer(&mut self) -> Option<Vec<Message>> {
        Some(self.exclude_answer().await)
    }

    async fn finish_branch_summary(
        &mut self,
        branch_plan: &BranchSummaryPlan,
        summary: Result<&FinishedSummary, &SummaryError>,
    ) -> Option<Vec<Message>> {
        self.finish_move(branch_plan, summary)
    }

    async fn return_messages(&mut self, messages: Vec<UserMessage>) {
        let unheard = match self.queue_reply.take() {
            Some(reply) => reply.send(messages).err(),
            None => Some(messages),
        };
        // No receiver, or it is gone: the messages go to all front ends.
        if let Some(messages) = unheard.filter(|messages| !messages.is_empty()) {
            self.hub.send(RuntimeEvent::QueueReturned(messages)).await;
        }
    }
}
