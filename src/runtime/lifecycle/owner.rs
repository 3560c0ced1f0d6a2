//! The task that owns a live session: handles commands and drives the agent until shutdown.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::environment::EnvironmentGuard;
use crate::agent::config::Lifecycle;
use crate::agent::driver::Driver;
use crate::agent::effect::Event;
use crate::agent::queue::{Lane, QueuePosition};
use crate::agent::subagents::SubagentPool;
use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking, UserMessage};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::runtime::agent_setup::subagents::{ParentSetup, SubagentFactory};
use crate::runtime::agent_setup::toolset::Toolset;
use crate::runtime::controls::client::{ClientRequest, send_reply};
use crate::runtime::events::event::{Delivery, RuntimeEvent, Snapshot};
use crate::runtime::events::hub::{Hub, Reader};
use crate::runtime::history::navigation::{NavigationTarget, SessionRequest};
use crate::runtime::history::recorder::Recorder;
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::reload::ModelReloader;
use crate::runtime::restore::changes::{ChangeScope, ChangeSource};
use crate::runtime::restore::perform;
use crate::runtime::restore::target::{Preview, RestoreScope, RestoreTarget, Restored};
use crate::session::restore::changes::recorded_changes;
use crate::tools::interaction::delegate::Delegate;
use crate::tools::{AgentToolState, Mode};
use crate::workspace::checkpoint::Decisions;

/// Grace period of background commands at the end of the session: SIGTERM, SIGKILL after two seconds, and a
/// moment to exit.
pub(in crate::runtime) const COMMANDS_GRACE: std::time::Duration = std::time::Duration::from_millis(2300);

/// A command of a [`crate::runtime::Handle`].
#[derive(Debug)]
pub(in crate::runtime) enum Command {
    /// A message of the user.
    Prompt(UserMessage, Delivery),
    /// Continue without a new message.
    Continue,
    /// Interrupt the agent.
    Abort,
    /// Return the queued messages.
    TakeQueue(oneshot::Sender<Vec<UserMessage>>),
    /// Return one of them, if it is still there.
    TakeQueued(QueuePosition, oneshot::Sender<Vec<UserMessage>>),
    /// Move one of them to an index of a lane, if it is still there.
    MoveQueued { from: QueuePosition, lane: Lane, index: usize },
    /// Switch the model, by provider and id.
    Model(String, String),
    /// Change the thinking level.
    Thinking(Thinking),
    /// Change the tools, by name.
    Tools(Vec<String>),
    /// Return the system prompt.
    SystemPrompt(oneshot::Sender<PromptReport>),
    /// A request about checkpoints.
    Restore(RestoreRequest),
    /// A request about the session's tree, or a switch to another session.
    SessionRequest(SessionRequest),
    /// A request of a client program.
    ClientRequest(ClientRequest),
    /// Compact the conversation.
    Compact(Option<String>),
    /// Return the summary that can be edited.
    Summary(oneshot::Sender<Option<String>>),
    /// Replace its text.
    EditSummary(String, oneshot::Sender<Result<(), Report>>),
    /// Change the approval mode.
    ApprovalMode(Mode),
    /// Change the profile, by name.
    Profile(String),
    /// Replace client, catalog and model list.
    ReplaceClient(Box<Client>, Box<Catalog>, Vec<Arc<Model>>),
    /// Subscribe a front end.
    Subscribe(Reader, oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>),
    /// Shut down.
    Shutdown(oneshot::Sender<()>),
}

/// A request about checkpoints and restores.
#[derive(Debug)]
pub(in crate::runtime) enum RestoreRequest {
    /// Write the checkpoints that were recorded.
    WriteCheckpoints(oneshot::Sender<()>),
    /// Return what is known of the changes in a part of the conversation.
    Changes(ChangeScope, oneshot::Sender<ChangeSource>),
    /// Preview a restore with these decisions.
    Preview(RestoreTarget, Decisions, oneshot::Sender<Result<Preview, Report>>),
    /// Restore.
    Restore(RestoreTarget, Decisions, oneshot::Sender<Result<Restored, Report>>),
}

/// The owner of a session.
pub(in crate::runtime) struct LiveSession {
    pub(in crate::runtime) driver: Driver<Recorder>,
    pub(in crate::runtime) toolset: Toolset,
    /// The environment that it works in, until it is cleaned up.
    pub(in crate::runtime) environment: Option<EnvironmentGuard>,
    /// Sets up and holds the subagents.
    pub(super) subagent_factory: SubagentFactory,
    pub(in crate::runtime) subagents: Option<SubagentPool>,
    /// Whether the driver has the current system prompt.
    pub(super) prompt_current: bool,
    pub(in crate::runtime) commands: mpsc::Receiver<Command>,
    pub(in crate::runtime) hub: Hub,
    pub(in crate::runtime) models: AvailableModels,
    /// The lifecycle state that handles watch.
    pub(in crate::runtime) lifecycle: watch::Sender<Lifecycle>,
    /// All known models, for suggestions in error messages.
    pub(in crate::runtime) catalog: Catalog,
    /// Reloads models, with the options of the start.
    pub(in crate::runtime) reloader: ModelReloader,
    /// Notices from before the first subscription.
    pub(in crate::runtime) notices: Vec<Report>,
    /// Commands that the user ran while the agent worked; recorded after its run.
    pub(in crate::runtime) user_commands: Vec<Value>,
}

/// Ends the language servers that were started for the session alone.
pub(in crate::runtime) async fn end_servers(tools: &AgentToolState) {
    if let Some(servers) = &tools.language_servers {
        servers.end().await;
    }
}

impl LiveSession {
    /// Runs until a shutdown, or until every handle is dropped.
    pub(in crate::runtime) async fn run(mut self) {
        let done = loop {
            let command = tokio::select! {
                biased;
                command = self.commands.recv() => command,
                step = self.driver.next() => {
                    self.driver.handle(step).await;
                    self.complete_move().await;
                    self.write_user_commands().await;
                    self.send_entries().await;
                    if self.update_lifecycle().await == Lifecycle::Closed {
                        break None;
                    }
                    continue;
                }
            };
            match command {
                Some(Command::Shutdown(done)) => break Some(done),
                Some(command) => {
                    self.handle_command(command).await;
                    self.complete_move().await;
                    self.write_user_commands().await;
                    self.send_entries().await;
                    self.update_subagent_setup();
                }
                None => break None,
            }
            self.update_lifecycle().await;
        };
        self.driver.send(Event::Abort).await;
        while self.driver.is_working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.write_user_commands().await;
        self.update_lifecycle().await;
        let tools = Arc::clone(&self.driver.tools().shared);
        // Concurrently, so that both share the same two seconds; then commands left by a call that was just interrupted.
        tokio::join!(self.driver.stop_work(), tools.jobs.end_all(COMMANDS_GRACE));
        tools.jobs.end_all(COMMANDS_GRACE).await;
        // Before the last checkpoint: changes until then belong to the subagents.
        if let Some(subagents) = &self.subagents {
            subagents.close_all().await;
        }
        end_servers(&tools).await;
        self.driver.listener().end().await;
        if let Some(stay) = self.environment.take()
            && let Err(report) = stay.clean_up().await
        {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
        self.hub.send(RuntimeEvent::Ended).await;
        self.subagent_factory.clear_parent();
        self.lifecycle.send_replace(Lifecycle::Closed);
        if let Some(done) = done
            && done.send(()).is_err()
        {
            tracing::debug!("nobody waited for the end of the session");
        }
    }

    /// Updates the lifecycle state and notifies watchers; before that, subscribers get the event that nothing
    /// follows a run.
    pub(in crate::runtime) async fn update_lifecycle(&mut self) -> Lifecycle {
        let now = self.driver.lifecycle();
        if !self.driver.is_working() && std::mem::take(&mut self.driver.listener().unsettled) {
            self.hub.send(RuntimeEvent::Settled).await;
        }
        self.lifecycle.send_if_modified(|before| std::mem::replace(before, now) != now);
        now
    }

    /// Gives the current setup to subagents that start from now on.
    pub(super) fn update_subagent_setup(&mut self) {
        let services = self.driver.services();
        let (client, context) = (services.client.clone(), services.tools.clone());
        let config = self.driver.config().clone();
        let setup = self.driver.setup();
        self.subagent_factory.set_parent(ParentSetup {
            client,
            catalog: self.catalog.clone(),
            model: setup.model.clone(),
            thinking: setup.thinking,
            toolset: self.toolset.clone(),
            context,
            config,
        });
    }

    /// Sends an event that returns queued messages.
    async fn take_from_queue(&mut self, event: Event, reply: oneshot::Sender<Vec<UserMessage>>) {
        self.driver.listener().set_queue_reply(reply);
        self.driver.send(event).await;
    }

    async fn handle_command(&mut self, command: Command) {
        match command {
            Command::Prompt(message, delivery) => self.prompt(message, delivery).await,
            Command::Continue => self.continue_run().await,
            Command::Abort => {
                self.driver.send(Event::Abort).await;
                if let Some(subagents) = &self.subagents {
                    subagents.interrupt();
                }
            }
            Command::TakeQueue(reply) => self.take_from_queue(Event::TakeQueue, reply).await,
            Command::TakeQueued(at, reply) => self.take_from_queue(Event::TakeQueued(at), reply).await,
            Command::MoveQueued { from, lane, index } => {
                self.driver.send(Event::MoveQueued { from, lane, index }).await;
            }
            Command::Model(provider, id) => {
                if let Err(report) = self.choose_by_name(provider, id).await {
                    self.hub.send(RuntimeEvent::Failed(report)).await;
                }
            }
            Command::Thinking(level) => {
                self.driver.setup().thinking = level;
                let model = self.driver.setup().model.clone();
                self.driver.listener().set_model(model, level).await;
            }
            Command::Tools(names) => {
                self.toolset.select_tools(&names);
                self.apply_toolset().await;
            }
            Command::SystemPrompt(reply) => {
                let model = self.driver.setup().model.clone();
                let (shown, problems) = self.toolset.prompt(&model).await;
                self.notices.extend(problems);
                send_reply(reply, shown);
            }
            Command::Compact(instructions) => self.driver.send(Event::Compact { instructions }).await,
            Command::Summary(reply) => send_reply(reply, self.driver.listener().summary()),
            Command::EditSummary(text, reply) => {
                let edited = self.edit_summary(&text).await;
                send_reply(reply, edited);
            }
            Command::Restore(ask) => self.handle_restore_request(ask).await,
            Command::SessionRequest(ask) => self.handle_session_request(ask).await,
            Command::ClientRequest(ask) => Box::pin(self.handle_client_request(ask)).await,
            Command::ApprovalMode(mode) => self.set_approval_mode(mode).await,
            Command::Profile(name) => self.set_profile(&name).await,
            Command::ReplaceClient(client, catalog, models) => {
                self.driver.set_client(*client);
                self.catalog = *catalog;
                self.hub.send(RuntimeEvent::ModelsChanged(self.models.set(models))).await;
            }
            Command::Subscribe(reader, reply) => self.subscribe(reader, reply).await,
            // Handled before: it ends the loop.
            Command::Shutdown(_) => {}
        }
    }

    /// Sends a message to the agent: it starts a run, or joins the queue of the active one.
    async fn prompt(&mut self, message: UserMessage, delivery: Delivery) {
        let lane = delivery.lane();
        self.update_prompt().await;
        self.driver.send(Event::Prompt { message, lane }).await;
    }

    /// Continues the last run, or reports that there is none.
    async fn continue_run(&mut self) {
        self.update_prompt().await;
        if !self.driver.continue_run().await && !self.driver.is_working() {
            let report = Report::new("there is nothing to go on with").hint("say something first");
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }

    /// Switches to a model from the next request on, with its tools and prompt.
    pub(in crate::runtime) async fn set_model(&mut self, model: Arc<Model>, thinking: Thinking) {
        let setup = self.driver.setup();
        (setup.model, setup.thinking) = (model.clone(), thinking);
        let other = self.toolset.set_model(&model);
        self.prompt_current = false;
        if other {
            self.driver.retranslate_history();
            self.apply_toolset().await;
        } else if self.driver.is_working() {
            self.update_prompt().await;
        }
    }

    /// Switches to a profile from the next request on. Front ends are notified even if the tools stay: what
    /// was requested may be another.
    async fn set_profile(&mut self, name: &str) {
        let model = self.driver.setup().model.clone();
        match self.toolset.request_profile(name, &model) {
            Ok(is_other) => {
                if is_other {
                    self.driver.retranslate_history();
                }
                self.apply_toolset().await;
            }
            Err(report) => self.hub.send(RuntimeEvent::Failed(report)).await,
        }
    }

    /// Changes the approval mode from the next call on.
    async fn set_approval_mode(&mut self, mode: Mode) {
        self.driver.tools().mode.set(mode);
        self.hub.send(RuntimeEvent::ApprovalModeChanged(mode)).await;
    }

    /// Gives the driver the current tools, and notifies front ends.
    async fn apply_toolset(&mut self) {
        let active_tools = Arc::new(self.toolset.active_tools());
        let parallel = self.toolset.profile().parallel;
        self.driver
            .set_tools(active_tools.all.clone(), parallel, |name| active_tools.available.contains(name));
        self.prompt_current = false;
        if self.driver.is_working() {
            self.update_prompt().await;
        }
        self.hub.send(RuntimeEvent::ToolsChanged(active_tools)).await;
    }

    /// Gives the driver the system prompt, unless it is current.
    pub(in crate::runtime) async fn update_prompt(&mut self) {
        if std::mem::replace(&mut self.prompt_current, true) {
            return;
        }
        let model = self.driver.setup().model.clone();
        let (shown, problems) = self.toolset.prompt(&model).await;
        self.driver.setup().system = shown.parts.into_iter().map(|part| part.text).collect();
        for report in problems {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }

    async fn handle_restore_request(&mut self, ask: RestoreRequest) {
        match ask {
            RestoreRequest::WriteCheckpoints(reply) => {
                self.driver.listener().write_checkpoints().await;
                send_reply(reply, ());
            }
            RestoreRequest::Changes(scope, reply) => {
                let listener = self.driver.listener();
                let recorded = recorded_changes(listener.session().tree(), scope.part());
                send_reply(reply, ChangeSource { checkpoints: listener.checkpoints(), recorded });
            }
            RestoreRequest::Preview(target, decisions, reply) => {
                let target = target.resolve_current(self.driver.listener().session().leaf());
                send_reply(reply, perform::preview(&mut self.driver, target, decisions).await);
            }
            RestoreRequest::Restore(target, decisions, reply) => {
                let restored = self.restore(target, decisions).await;
                send_reply(reply, restored);
            }
        }
    }

    /// Restores the conversation, the files or both.
    async fn restore(&mut self, target: RestoreTarget, decisions: Decisions) -> Result<Restored, Report> {
        let target = target.resolve_current(self.driver.listener().session().leaf());
        let entry_id = match &target {
            RestoreTarget::To(entry, RestoreScope::Conversation | RestoreScope::Both) => Some(entry.clone()),
            _ => None,
        };
        let begun = perform::begin(&mut self.driver, target, decisions).await?;
        let message = match entry_id {
            Some(entry_id) => self.go_without_summary(&NavigationTarget::To(entry_id)).await?,
            None => None,
        };
        let restored = Restored { message, ..perform::finish(&mut self.driver, begun).await? };
        self.hub.send(RuntimeEvent::Restored(Arc::new(restored.clone()))).await;
        Ok(restored)
    }

    async fn subscribe(
        &mut self,
        reader: Reader,
        reply: oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>,
    ) {
        let snapshot = self.make_snapshot(reader == Reader::Recent);
        let events = self.hub.subscribe(reader);
        if reply.send((snapshot, events)).is_err() {
            return;
        }
        for report in std::mem::take(&mut self.notices) {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }
}
