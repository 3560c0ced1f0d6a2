//! What a session remembers of what its agent does: every finished message in the file before
//! anybody hears of it, and the sums that front ends show.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::navigation::Moving;
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::compaction::summary::{SummaryError, Written};
use crate::agent::compaction::{Budget, Plan};
use crate::agent::driver::Listener;
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::agent::fullness;
use crate::agent::request::history;
use crate::base::error::Report;
use crate::llm::model::{AssistantMessage, Message, Model, StopReason, Thinking, Usage, UserMessage};
use crate::runtime::agent_setup::toolset::ActiveTools;
use crate::runtime::controls::client::answer;
use crate::runtime::events::event::{RuntimeEvent, Snapshot};
use crate::runtime::events::hub::Hub;
use crate::runtime::restore::checkpoints::Checkpoints;
use crate::session::derived::recent::{Bound, Chosen};
use crate::session::format::message::Piece;
use crate::session::restore::checkpoints::{self, Checkpoint, When};
use crate::session::{AgentMessage, EntryBody, Session, SessionError};
use crate::workspace::checkpoint::TakenCheckpoint;

/// How long the end of a session waits for a look at what agents have left behind.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// The messages that a reader begins with for which the end of a conversation is enough: more than a screen shows.
const RECENT: Bound = Bound { messages: 200, bytes: 1 << 20 };

/// Listens to the agent of one session.
pub struct Recorder {
    pub(in crate::runtime) session: Session,
    hub: Hub,
    model: Arc<Model>,
    thinking: Thinking,
    /// Model and level as the file has them.
    recorded: (Option<(String, String)>, Option<Thinking>),
    usage: Usage,
    context_tokens: u64,
    /// Who waits for the queued messages.
    queue_wanted: Option<oneshot::Sender<Vec<UserMessage>>>,
    /// Who waits for the compaction that goes on.
    compaction_wanted: Option<oneshot::Sender<Result<Arc<Compacted>, Report>>>,
    /// How many of the session's entries front ends know of.
    told: usize,
    /// A leaf, and how many messages the conversation has there.
    counted: Option<(u32, usize)>,
    /// Who waits to be elsewhere.
    pub(in crate::runtime) moving: Option<Moving>,
    /// Who waited, and whether he is there.
    pub(in crate::runtime) arrived: Option<(Moving, Result<(), Report>)>,
    /// Whether a run has ended since somebody was told that nothing goes on.
    pub(in crate::runtime) unsettled: bool,
    checkpoints: Option<Checkpoints>,
    /// The state after the last round of calls, while it is being recorded.
    recording: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Goes on with a session.
    pub fn new(session: Session, hub: Hub, model: Arc<Model>, thinking: Thinking) -> Self {
        let mut recorder = Self {
            session,
            hub,
            model,
            thinking,
            recorded: (None, None),
            usage: Usage::default(),
            context_tokens: 0,
            queue_wanted: None,
            compaction_wanted: None,
            told: 0,
            counted: None,
            moving: None,
            arrived: None,
            unsettled: false,
            checkpoints: None,
            recording: None,
        };
        recorder.told = recorder.session.tree().len();
        recorder.refresh();
        recorder
    }

    /// Takes in how the session stands: the conversation as a model is told it.
    pub(in crate::runtime) fn reload(&mut self) -> Vec<Message> {
        self.refresh();
        history::take(self.session.take_context())
    }

    /// Takes in how the session stands, without the conversation; gives who answers.
    pub(in crate::runtime) fn refresh(&mut self) -> Chosen {
        let chosen = self.session.chosen();
        self.recorded = (chosen.model.clone(), chosen.thinking);
        self.usage = self.session.spent();
        // Where no answer has counted it is about what the messages hold, which reads all of them.
        let counted = self.session.find_recent(counted);
        let about = || fullness::tokens(&history::take(self.session.take_context()), 0);
        self.context_tokens = counted.unwrap_or_else(about);
        chosen
    }

    /// The same with states of the workspace.
    #[must_use]
    pub fn with_checkpoints(self, checkpoints: Option<Checkpoints>) -> Self {
        Self { checkpoints, ..self }
    }

    /// Who records the workspace, if somebody does.
    pub fn checkpoints(&self) -> Option<Checkpoints> {
        self.checkpoints.clone()
    }

    /// Writes down which states of the workspace were recorded since; says whether there were any.
    pub async fn write_checkpoints(&mut self) -> bool {
        let unwritten = self.checkpoints.as_ref().map(Checkpoints::unwritten).unwrap_or_default();
        let any = !unwritten.is_empty();
        for state in unwritten {
            self.append(state.body()).await;
        }
        any
    }

    /// Waits for the state that is being recorded, and writes it down before anything else.
    async fn settle(&mut self) -> bool {
        if let Some(recording) = self.recording.take()
            && let Err(error) = recording.await
        {
            tracing::error!(%error, "the recording of a state was lost");
        }
        self.write_checkpoints().await
    }

    /// Waits until the state after the last call is recorded, whoever made it, and writes it down.
    pub(in crate::runtime) async fn settle_all(&mut self) {
        self.settle().await;
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.close_round().await;
        }
        self.write_checkpoints().await;
    }

    fn in_turn(&self, is: bool) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.in_turn(is);
        }
    }

    /// The user is about to leave this state of the workspace for another: where files change, or the entries so
    /// far do not lead back to it, it is written down. Gives the entry that leads back.
    pub async fn leave_state(&mut self, now: &TakenCheckpoint, changes: bool) -> Option<String> {
        self.settle().await;
        if changes || !checkpoints::is_known(self.session.tree(), &now.id.to_string()) {
            let left = self.checkpoints.as_ref()?.entry(When::Left, now);
            self.append(left.body()).await;
        }
        // Before anything is written over.
        self.sync().await;
        self.session.leaf().map(str::to_string)
    }

    /// The session ends: what was recorded is written down, and everything is on the disk.
    pub async fn end(&mut self) {
        if let Some(checkpoints) = &self.checkpoints {
            let closed = tokio::time::timeout(LAST_LOOK, checkpoints.close_round()).await;
            if closed.is_err() {
                tracing::warn!("the last state of the workspace was not recorded in time");
            }
            checkpoints.end();
        }
        self.settle().await;
        self.sync().await;
    }

    /// The workspace has been brought to another state, which is recorded; `undo` leads back from it.
    pub async fn arrive_at_state(&mut self, undo: Option<String>) {
        let Some(checkpoints) = self.checkpoints.clone() else { return };
        match checkpoints.take(Vec::new(), Vec::new()).await {
            Ok(taken) => {
                let state = Checkpoint { undo, ..checkpoints.entry(When::Restored, &taken) };
                self.append(state.body()).await;
                self.sync().await;
            }
            Err(report) => self.hub.tell(RuntimeEvent::Failed(report)).await,
        }
    }

    /// The session as it stands, with all messages or the latest.
    pub fn snapshot(&self, working: bool, equipment: Arc<ActiveTools>, recent: bool) -> Snapshot {
        let Piece { messages, earlier } = if recent {
            self.session.recent(RECENT)
        } else {
            Piece { messages: self.session.take_context().messages, earlier: None }
        };
        Snapshot {
            session_id: self.session.id().to_string(),
            file: self.session.file().map(Into::into),
            name: self.session.name(),
            messages,
            earlier,
            model: Some(self.model.clone()),
            equipment,
            thinking: self.thinking,
            usage: self.usage.clone(),
            context_tokens: self.context_tokens,
            way_back: self.session.way_back(),
            working,
            offline: false,
        }
    }

    /// How many messages the conversation on the path has. Reads what was added since it was asked last.
    pub(in crate::runtime) fn messages(&mut self) -> usize {
        let leaf = self.session.tree().leaf_index();
        let count = self.session.count(self.counted);
        self.counted = leaf.map(|leaf| (leaf, count));
        count
    }

    /// Tokens in the context at the last answer.
    pub(in crate::runtime) fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    /// What is listened for.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Changes the session's marks, which are no part of the conversation.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<(), SessionError> {
        change(&mut self.session).map(drop)
    }

    /// Moves behind an entry, or before all: what is appended next follows it.
    pub fn go_to(&mut self, entry: Option<&str>) -> Result<Chosen, SessionError> {
        self.session.branch(entry)?;
        self.session.forget();
        Ok(self.refresh())
    }

    /// Goes on with another session. The one before is let go.
    pub fn adopt(&mut self, session: Session) -> Chosen {
        self.session = session;
        self.counted = None;
        self.told = self.session.tree().len();
        self.refresh()
    }

    /// Takes what answers from now on as it is in the session already.
    pub fn take_choice(&mut self, model: Arc<Model>, thinking: Thinking) {
        (self.model, self.thinking) = (model, thinking);
    }

    /// Another model or level answers from now on.
    pub async fn choose(&mut self, model: Arc<Model>, thinking: Thinking) {
        let model_changed = *self.model != *model;
        let thinking_changed = self.thinking != thinking;
        self.model = model.clone();
        self.thinking = thinking;
        self.record_choice().await;
        if model_changed {
            self.hub.tell(RuntimeEvent::ModelChanged(model)).await;
        }
        if thinking_changed {
            self.hub.tell(RuntimeEvent::ThinkingChanged(thinking)).await;
        }
    }

    /// Who gets the queued messages when the agent hands them out.
    pub fn want_queue(&mut self, reply: oneshot::Sender<Vec<UserMessage>>) {
        self.queue_wanted = Some(reply);
    }

    /// Who is told what came of the compaction that somebody is about to begin.
    pub fn want_compaction(&mut self, reply: oneshot::Sender<Result<Arc<Compacted>, Report>>) {
        self.compaction_wanted = Some(reply);
    }

    /// None has begun.
    pub fn no_compaction(&mut self, why: impl FnOnce() -> Report) {
        if let Some(reply) = self.compaction_wanted.take() {
            answer(reply, Err(why()));
        }
    }

    /// Tells front ends which entries are new.
    pub async fn tell_entries(&mut self) {
        let wanted = self.told < self.session.tree().len() && self.hub.wants_entries();
        while self.told < self.session.tree().len() {
            let (line, named) = {
                let tree = self.session.tree();
                let Ok(at) = u32::try_from(self.told) else { return };
                let named = (tree.kind(at) == "session_info").then(|| self.session.name());
                (wanted.then(|| tree.entry(at).line().map(|line| Arc::from(&*line))), named)
            };
            self.told += 1;
            match line {
                Some(Ok(line)) => self.hub.tell(RuntimeEvent::EntryAppended(line)).await,
                Some(Err(error)) => tracing::error!(%error, "a new entry cannot be read again"),
                None => {}
            }
            if let Some(name) = named {
                self.hub.tell(RuntimeEvent::Named(name)).await;
            }
        }
    }

    /// Writes model and level where the file has others.
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

    /// Adds an entry; gives its id.
    pub(in crate::runtime) async fn append(&mut self, body: EntryBody) -> Option<String> {
        match self.session.append(body) {
            Ok(id) => {
                self.tell_entries().await;
                Some(id)
            }
            Err(error) => {
                let report = Report::caused("the session is not being saved", &error)
                    .hint("make room or permission, then go on; what was said since then is in memory only");
                self.hub.tell(RuntimeEvent::Failed(report)).await;
                None
            }
        }
    }

    fn count(&mut self, message: &Message) {
        if let Message::Assistant(answer) = message {
            self.usage += &answer.usage;
            if is_whole(answer) {
                self.context_tokens = answer.usage.total_tokens;
            }
        }
    }
}

/// Tokens of the context at an answer that says so.
fn counted(message: &AgentMessage) -> Option<u64> {
    match message {
        AgentMessage::Llm(Message::Assistant(answer)) if is_whole(answer) && !answer.is_replaced() => {
            Some(answer.usage.total_tokens)
        }
        _ => None,
    }
}

/// Whether what an answer says of the context's size is so.
fn is_whole(answer: &AssistantMessage) -> bool {
    !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) && answer.usage.total_tokens > 0
}

fn not_compacted(why: Option<&str>) -> Report {
    Report::new(why.unwrap_or("the compaction was given up"))
}

impl Listener for Recorder {
    async fn store(&mut self, message: &Message) {
        self.settle().await;
        if matches!(message, Message::User(_)) {
            // Not before somebody speaks: opening a session to look at it changes nothing.
            self.record_choice().await;
        }
        self.append(EntryBody::Message { message: AgentMessage::Llm(message.clone()) }).await;
        self.count(message);
    }

    async fn sync(&mut self) {
        if let Err(error) = self.session.sync() {
            let report = Report::caused("the session may not survive a power failure", &error);
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }

    async fn hear(&mut self, event: AgentEvent) {
        match &event {
            // Beside the next request, which takes longer.
            AgentEvent::TurnEnd { .. } => {
                self.settle().await;
                self.in_turn(false);
                self.recording = self.checkpoints.as_ref().map(Checkpoints::end_round);
            }
            AgentEvent::TurnStart => self.in_turn(true),
            AgentEvent::CompactionEnd { reason: CompactionReason::Manual, result, error, .. } => {
                let done = result.clone().ok_or_else(|| not_compacted(error.as_deref()));
                let waits = self.compaction_wanted.take();
                self.hub.tell(RuntimeEvent::Agent(event)).await;
                if let Some(reply) = waits {
                    answer(reply, done);
                }
                return;
            }
            // Nobody has to wait for the look at what the last call has changed.
            AgentEvent::AgentEnd { .. } => {
                self.in_turn(false);
                self.unsettled = true;
                self.hub.tell(RuntimeEvent::Agent(event)).await;
                let written = self.settle().await;
                // An answer that was cut off has no end of its turn, in which an agent beside it may have worked.
                self.recording = self.checkpoints.as_ref().map(Checkpoints::end_round);
                if self.settle().await || written {
                    self.sync().await;
                }
                return;
            }
            _ => {}
        }
        self.hub.tell(RuntimeEvent::Agent(event)).await;
    }

    fn history(&self) -> Option<Vec<Message>> {
        Some(history::take(self.session.take_context()))
    }

    fn plan(&self, budget: Budget, tokens: u64) -> Option<Plan> {
        self.planned(budget, tokens)
    }

    async fn compacted(&mut self, done: &Compacted) -> Option<(String, Vec<Message>)> {
        self.keep_compaction(done).await
    }

    async fn omit(&mut self) -> Option<Vec<Message>> {
        Some(self.leave_out().await)
    }

    async fn left(
        &mut self,
        leaving: &BranchSummaryPlan,
        summary: Result<&Written, &SummaryError>,
    ) -> Option<Vec<Message>> {
        self.leave(leaving, summary)
    }

    async fn returned(&mut self, messages: Vec<UserMessage>) {
        let unheard = match self.queue_wanted.take() {
            Some(reply) => reply.send(messages).err(),
            None => Some(messages),
        };
        // Nobody asked for them, or who did has gone: whoever is there has them.
        if let Some(messages) = unheard.filter(|messages| !messages.is_empty()) {
            self.hub.tell(RuntimeEvent::Returned(messages)).await;
        }
    }
}
