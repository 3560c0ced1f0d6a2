//! The controls of a live session. Cheap to clone; nothing here blocks.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};

use crate::runtime::agent_setup::permissions;
use crate::runtime::events::event::{Delivery, QueuedMessage, RuntimeEvent, Snapshot, user_message};
use crate::runtime::events::hub::{Hub, Reader};
use crate::runtime::events::observe::Observer;
use crate::runtime::history::search::HistorySearch;
use crate::runtime::lifecycle::owner::{Command, RestoreRequest};
use crate::runtime::login::{self, LoginChoice, LogoutOutcome};
use crate::runtime::models::access;
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::key_test::{self, KeyState};
use crate::runtime::models::providers::{self, ProviderState};
use crate::runtime::models::refresh::{self, RefreshResult};
use crate::runtime::models::reload::ModelReloader;

use crate::agent::abort::Abort;
use crate::agent::config::Lifecycle;
use crate::base::error::Report;
use crate::llm::client::Client;
use crate::llm::model::{Model, Part, Thinking, UserMessage};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::runtime::login::channel::{ChannelLoginUi, LoginMessage};
use crate::runtime::restore::changes::{self, ChangeScope, ChangeSource, Changes};
use crate::runtime::restore::target::{ConflictChoice, Preview, RestoreScope, RestoreTarget, Restored};
use crate::tools::running::PublishedList;
use crate::tools::{Mode, SharedRules};
use crate::workspace::checkpoint::Decisions;

/// The handle of a live session: all operations that front ends use.
#[derive(Clone)]
pub struct Handle {
    pub(in crate::runtime) commands: mpsc::Sender<Command>,
    pub(in crate::runtime) abort: Abort,
    pub(in crate::runtime) hub: Hub,
    pub(in crate::runtime) lifecycle: watch::Receiver<Lifecycle>,
    pub(in crate::runtime) models: AvailableModels,
    pub(in crate::runtime) rules: SharedRules,
    /// Digest of the project that the user trusts until the program ends.
    pub(in crate::runtime) trust: Arc<Mutex<Option<String>>>,
    pub(in crate::runtime) reloader: ModelReloader,
    pub(in crate::runtime) background_jobs: watch::Receiver<PublishedList>,
}

impl Handle {
    /// Sends a message to the agent, whether it is working or not.
    pub fn prompt(&self, text: String, images: Vec<Part>, delivery: Delivery) {
        self.send(Command::Prompt(user_message(text, images), delivery));
    }

    /// Continues without a new message: after an interruption, a failure, or a limit.
    pub fn continue_run(&self) {
        self.send(Command::Continue);
    }

    /// Returns the session's lifecycle state.
    pub fn lifecycle(&self) -> Lifecycle {
        *self.lifecycle.borrow()
    }

    /// Returns the lifecycle state as a watch channel.
    pub fn watch_lifecycle(&self) -> watch::Receiver<Lifecycle> {
        self.lifecycle.clone()
    }

    /// Returns the background commands of the agent and its subagents as a watch channel, which changes when
    /// one is started. It stays the same when the session moves, or another one is opened in its place.
    #[doc(hidden)]
    pub fn background_jobs(&self) -> watch::Receiver<PublishedList> {
        self.background_jobs.clone()
    }

    /// Waits until the session has ended, even by a panic of its task. Waiting does not keep the session
    /// alive.
    pub fn wait_closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut lifecycles = self.watch_lifecycle();
        async move {
            if lifecycles.wait_for(|now| *now == Lifecycle::Closed).await.is_err() {
                tracing::error!("the session's task ended by itself");
            }
        }
    }

    /// Interrupts the agent immediately: the connection closes, running tools end. Queued messages stay
    /// queued, for [`Handle::take_queue`] or the next prompt.
    pub fn abort(&self) {
        self.abort.interrupt();
        self.send(Command::Abort);
    }

    /// Removes all messages from both queues and returns them, steering first.
    pub fn take_queue(&self) -> oneshot::Receiver<Vec<UserMessage>> {
        let (reply, messages) = oneshot::channel();
        self.send(Command::TakeQueue(reply));
        messages
    }

    /// Removes one message from its queue and returns it; empty if it is no longer there.
    pub fn take_queued(&self, message: QueuedMessage) -> oneshot::Receiver<Vec<UserMessage>> {
        let (reply, messages) = oneshot::channel();
        self.send(Command::TakeQueued(message.position(), reply));
        messages
    }

    /// Moves a queued message to an index of a queue, or to its end. Does nothing if it is no longer there.
    pub fn move_queued(&self, message: QueuedMessage, to: Delivery, index: usize) {
        self.send(Command::MoveQueued { from: message.position(), lane: to.lane(), index });
    }

    /// Switches the model from the next request on.
    pub fn set_model(&self, provider: &str, id: &str) {
        self.send(Command::Model(provider.to_string(), id.to_string()));
    }

    /// Changes the thinking level from the next request on.
    pub fn set_thinking(&self, level: Thinking) {
        self.send(Command::Thinking(level));
    }

    /// Returns the system prompt; `None` after the session has been shut down.
    pub async fn system_prompt(&self) -> Option<PromptReport> {
        let (reply, shown) = oneshot::channel();
        self.commands.send(Command::SystemPrompt(reply)).await.ok()?;
        shown.await.ok()
    }

    /// Makes only these tools available from the next request on; unknown names are ignored.
    pub fn set_tools(&self, names: Vec<String>) {
        self.send(Command::Tools(names));
    }

    /// Returns the search through the prompts and messages of all sessions.
    #[doc(hidden)]
    pub fn history_search(&self) -> HistorySearch {
        HistorySearch::new(self.reloader.options())
    }

    /// Compacts the older part of the conversation, with a focus on `instructions`. The outcome is an event.
    /// While the agent works it is done before the next request.
    pub fn compact(&self, instructions: Option<String>) {
        self.send(Command::Compact(instructions));
    }

    /// Returns the summary that can be edited, of the older part of the conversation or of the branch left
    /// last; `None` when there is none.
    pub async fn summary(&self) -> Option<String> {
        let (reply, summary) = oneshot::channel();
        self.commands.send(Command::Summary(reply)).await.ok()?;
        summary.await.ok()?
    }

    /// Replaces the text of that summary. The old one stays in the session: going back to before the edit
    /// undoes it. Refused while the agent works.
    pub async fn edit_summary(&self, text: &str) -> Result<(), Report> {
        let ended = || Report::new("the session has ended");
        let (reply, edited) = oneshot::channel();
        self.commands.send(Command::EditSummary(text.to_string(), reply)).await.map_err(|_| ended())?;
        edited.await.map_err(|_| ended())?
    }

    /// Previews restoring to an entry. Refused while the agent works.
    #[doc(hidden)]
    pub async fn preview_restore_to(&self, entry: &str, scope: RestoreScope) -> Result<Preview, Report> {
        self.preview_restore(RestoreTarget::To(entry.to_string(), scope), Decisions::new()).await
    }

    /// Restores conversation, files or both to an entry. The present state is recorded first:
    /// [`Restored::undo`] names the entry that undoes this. Refused while the agent works.
    #[doc(hidden)]
    pub async fn restore(
        &self,
        entry: &str,
        scope: RestoreScope,
        decisions: Decisions,
    ) -> Result<Restored, Report> {
        self.apply_restore(RestoreTarget::To(entry.to_string(), scope), decisions).await
    }

    /// Reverts the changes of one turn to files; later changes are kept.
    #[doc(hidden)]
    pub async fn revert_turn(&self, entry: &str, decisions: Decisions) -> Result<Restored, Report> {
        self.apply_restore(RestoreTarget::RevertTurn(entry.to_string()), decisions).await
    }

    /// Previews a restore with these decisions.
    #[doc(hidden)]
    pub async fn preview_restore(
        &self,
        target: RestoreTarget,
        decisions: Decisions,
    ) -> Result<Preview, Report> {
        let (reply, response) = oneshot::channel();
        self.restore_request(Command::Restore(RestoreRequest::Preview(target, decisions, reply)), response)
            .await
    }

    /// Carries out a restore.
    #[doc(hidden)]
    pub async fn apply_restore(
        &self,
        target: RestoreTarget,
        decisions: Decisions,
    ) -> Result<Restored, Report> {
        let (reply, done) = oneshot::channel();
        self.restore_request(Command::Restore(RestoreRequest::Restore(target, decisions, reply)), done).await
    }

    /// Returns the paths that agents changed in a part of the conversation, also while they work. Fails when
    /// checkpoints are off, or the folder is too large for them.
    #[doc(hidden)]
    pub async fn changes(&self, scope: ChangeScope) -> Result<Changes, Report> {
        let checkpoints = changes::written_checkpoints(self.change_source(scope).await?).await?;
        let recorded = self.change_source(scope).await?.recorded;
        changes::find(checkpoints, recorded).await
    }

    async fn change_source(&self, scope: ChangeScope) -> Result<ChangeSource, Report> {
        let (reply, source) = oneshot::channel();
        let command = Command::Restore(RestoreRequest::Changes(scope, reply));
        let ended = || Report::new("the session has ended");
        self.commands.send(command).await.map_err(|_| ended())?;
        source.await.map_err(|_| ended())
    }

    /// Previews a restore with one decision for all conflicts.
    pub async fn preview_all(&self, target: RestoreTarget, take: ConflictChoice) -> Result<Preview, Report> {
        let preview = self.preview_restore(target.clone(), Decisions::new()).await?;
        if preview.conflicts() == 0 {
            return Ok(preview);
        }
        self.preview_restore(target, preview.decide(take.into())).await
    }

    /// Carries out a restore with one decision for all conflicts.
    pub async fn take_all(&self, target: RestoreTarget, take: ConflictChoice) -> Result<Restored, Report> {
        let preview = self.preview_restore(target.clone(), Decisions::new()).await?;
        self.apply_restore(target, preview.decide(take.into())).await
    }

    async fn restore_request<T>(
        &self,
        command: Command,
        answer: oneshot::Receiver<Result<T, Report>>,
    ) -> Result<T, Report> {
        let ended = || Report::new("the session has ended");
        self.commands.send(command).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Changes the approval mode from the next tool call on.
    pub fn set_approval_mode(&self, mode: Mode) {
        self.send(Command::ApprovalMode(mode));
    }

    /// Switches to a profile from the next request on, whatever the model is; `auto` follows the model.
    pub fn set_profile(&self, name: &str) {
        self.send(Command::Profile(name.to_string()));
    }

    /// Returns the names of the profiles, `auto` first.
    pub fn profiles() -> impl Iterator<Item = &'static str> {
        crate::agent::profile::names()
    }

    /// Returns the models that can be used now; the demo, if present, is last.
    pub fn models(&self) -> Vec<Arc<Model>> {
        self.models.all()
    }

    /// Subscribes: returns the present state, and all events from then on. `None` after the session has been
    /// shut down.
    pub async fn subscribe(&self) -> Option<(Snapshot, mpsc::Receiver<RuntimeEvent>)> {
        self.subscribe_as(Reader::Lively).await
    }

    /// The same with a given kind of reader.
    pub async fn subscribe_as(&self, reader: Reader) -> Option<(Snapshot, mpsc::Receiver<RuntimeEvent>)> {
        let (reply, joined) = oneshot::channel();
        self.commands.send(Command::Subscribe(reader, reply)).await.ok()?;
        joined.await.ok()
    }

    /// Subscribes to the event kinds of the specification. `None` after the session has been shut down.
    pub async fn observe(&self) -> Option<Observer> {
        let (snapshot, events) = self.subscribe_as(Reader::Recent).await?;
        let options = self.reloader.options();
        Some(Observer::new(snapshot.session_id, options.clock.clone(), options.outputs(), events))
    }

    /// Interrupts the agent, writes the session to disk, and ends the session's task.
    pub async fn shutdown(&self) {
        self.abort.interrupt();
        let (reply, done) = oneshot::channel();
        if self.commands.send(Command::Shutdown(reply)).await.is_ok() && done.await.is_err() {
            tracing::warn!("the session's task ended by itself");
        }
    }

    /// Reloads the usable models. `always`: also when no file has changed.
    #[doc(hidden)]
    pub async fn reload_models(&self, always: bool) -> Result<(), Report> {
        let Some((client, catalog, models)) = self.reloader.reload(always, self.models.all()).await? else {
            return Ok(());
        };
        let command = Command::ReplaceClient(Box::new(client), Box::new(catalog), models);
        self.commands.send(command).await.map_err(|_| Report::new("the session has ended"))
    }

    /// Refreshes model lists that have expired, and makes new models available.
    #[doc(hidden)]
    pub async fn refresh_expired_models(&self) -> Result<(), Report> {
        refresh::refresh_expired(self.reloader.options()).await;
        self.reload_models(false).await
    }

    /// Fetches the model lists of all providers, or of one, and makes the models available.
    pub async fn refresh_models(&self, only: Option<&str>) -> Result<Vec<RefreshResult>, Report> {
        let results = refresh::refresh(self.reloader.options(), only).await?;
        self.reload_models(false).await?;
        Ok(results)
    }

    /// Looks for servers on this machine again, and makes their models available.
    #[doc(hidden)]
    pub async fn discover_models(&self) -> Result<(), Report> {
        let options = self.reloader.current_options();
        if !options.discover {
            return Ok(());
        }
        let client = tokio::task::spawn_blocking(move || access::load(&options).client).await;
        let client = client.map_err(|error| Report::caused("the work was ended", &error))?;
        if let Some(all) = self.models.add(client.discover_local().await) {
            self.hub.send(RuntimeEvent::ModelsChanged(all)).await;
        }
        Ok(())
    }

    /// Returns whether a server on this machine has a model.
    #[doc(hidden)]
    pub fn is_on_this_machine(model: &Model) -> bool {
        Client::is_local(model)
    }

    /// Returns the providers that support login.
    pub async fn login_providers(&self) -> Result<Vec<LoginChoice>, Report> {
        let options = self.reloader.options().clone();
        let read = tokio::task::spawn_blocking(move || login::choices(&options)).await;
        read.map_err(|error| Report::caused("the work was ended", &error))?
    }

    /// Returns all providers with the state of their credentials.
    #[doc(hidden)]
    pub async fn provider_states(&self) -> Result<Vec<ProviderState>, Report> {
        let options = self.reloader.options().clone();
        let read = tokio::task::spawn_blocking(move || providers::list(&options)).await;
        read.map_err(|error| Report::caused("the work was ended", &error))?
    }

    /// Sends a test request to a provider.
    #[doc(hidden)]
    pub async fn test_provider(&self, provider: &str) -> Result<KeyState, Report> {
        key_test::test(&self.reloader.current_options(), provider).await
    }

    /// Logs in at a provider and makes its models available; returns a sentence for the user. Dropping the
    /// future cancels the login.
    pub async fn login(
        &self,
        provider: &str,
        messages: mpsc::Sender<LoginMessage>,
    ) -> Result<String, Report> {
        let result = login::login(self.reloader.options(), provider, &ChannelLoginUi(messages)).await?;
        self.reload_models(true).await?;
        Ok(result)
    }

    /// Removes the stored credentials of a provider, and its models unless another credential remains.
    pub async fn logout(&self, provider: &str) -> Result<LogoutOutcome, Report> {
        let result = login::logout(self.reloader.options(), provider).await;
        // Even if the keyring refused, the credential is gone from the file.
        self.reload_models(true).await?;
        result
    }

    /// Appends a permission rule to the user's file; returns a sentence for the user.
    pub async fn remember_rule(&self, rule: &str) -> Result<String, Report> {
        permissions::remember_rule(self.reloader.options(), rule).await
    }

    /// Reloads the rule files after the user decided whether to trust the project; returns a sentence for the
    /// user. `now` is the digest that the user trusts until the program ends.
    #[doc(hidden)]
    pub async fn reload_rules(&self, now: Option<&str>) -> String {
        *self.trust.lock() = now.map(str::to_string);
        let loaded = permissions::load(&self.reloader.current_options(), now).await;
        self.rules.set(loaded.rules);
        for problem in loaded.problems {
            self.hub.send(RuntimeEvent::Failed(problem.report())).await;
        }
        match loaded.trusted {
            Some(true) => "Project trusted: its rules apply".to_string(),
            Some(false) => permissions::RULES_UNTRUSTED.to_string(),
            None => "This project has no rules to trust".to_string(),
        }
    }

    fn send(&self, command: Command) {
        if let Err(error) = self.commands.try_send(command) {
            let message = match error {
                mpsc::error::TrySendError::Full(_) => "the session is busy; try again",
                mpsc::error::TrySendError::Closed(_) => "the session has ended",
            };
            self.hub.try_send(&RuntimeEvent::Failed(Report::new(message)));
        }
    }
}
