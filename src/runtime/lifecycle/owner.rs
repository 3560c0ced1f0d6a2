//! The task that owns a live session: commands in, work forward, until it is shut down.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::environment::Stay;
use crate::agent::config::Lifecycle;
use crate::agent::driver::Driver;
use crate::agent::effect::Event;
use crate::agent::queue::Lane;
use crate::agent::subagents::SubagentPool;
use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking, UserMessage};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::runtime::agent_setup::subagents::{Kit, Subagents};
use crate::runtime::agent_setup::toolset::Toolset;
use crate::runtime::controls::client::{ClientRequest, answer};
use crate::runtime::events::event::{Delivery, RuntimeEvent, Snapshot};
use crate::runtime::events::hub::{Hub, Reader};
use crate::runtime::history::navigation::{Ask, Spot};
use crate::runtime::history::recorder::Recorder;
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::reload::Again;
use crate::runtime::restore::perform;
use crate::runtime::restore::target::{Preview, RestoreScope, RestoreTarget, Restored};
use crate::tools::Mode;
use crate::tools::interaction::delegate::Delegate;
use crate::workspace::checkpoint::Decisions;

/// How long commands that run on may take at the end of the session: they get SIGTERM, after two seconds
/// SIGKILL, and a moment to be gone.
pub(in crate::runtime) const COMMANDS_LEAVE: std::time::Duration = std::time::Duration::from_millis(2300);

/// What a [`crate::runtime::Handle`] asks for.
#[derive(Debug)]
pub(in crate::runtime) enum Command {
    /// A user says something.
    Prompt(UserMessage, Delivery),
    /// Go on without new words.
    GoOn,
    /// A user interrupts.
    Abort,
    /// A user wants the waiting messages back.
    TakeQueue(oneshot::Sender<Vec<UserMessage>>),
    /// Another model, by provider and id.
    Model(String, String),
    /// Another level.
    Thinking(Thinking),
    /// Other tools, by name.
    Tools(Vec<String>),
    /// What the model is told before the conversation.
    Prompted(oneshot::Sender<PromptReport>),
    /// About states of the workspace.
    WayBack(WayBack),
    /// About the session's tree, or for another session.
    Ask(Ask),
    /// From a program that drives the session.
    ClientRequest(ClientRequest),
    /// Sum the conversation up.
    Compact(Option<String>),
    /// The summary that can be changed.
    Summary(oneshot::Sender<Option<String>>),
    /// Another text for it.
    EditSummary(String, oneshot::Sender<Result<(), Report>>),
    /// Other rules for tool calls.
    Policy(Mode),
    /// Another client, catalog and list of models in place of those before.
    Reach(Box<Client>, Box<Catalog>, Vec<Arc<Model>>),
    /// A front end joins.
    Subscribe(Reader, oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>),
    /// The end.
    Shutdown(oneshot::Sender<()>),
}

/// What is asked about states of the workspace.
#[derive(Debug)]
pub(in crate::runtime) enum WayBack {
    /// Some were recorded, and are to be written down.
    Recorded(oneshot::Sender<()>),
    /// What would going back do, with these decisions?
    Preview(RestoreTarget, Decisions, oneshot::Sender<Result<Preview, Report>>),
    /// Go back.
    Go(RestoreTarget, Decisions, oneshot::Sender<Result<Restored, Report>>),
}

/// The owner.
pub(in crate::runtime) struct Live {
    pub(in crate::runtime) driver: Driver<Recorder>,
    pub(in crate::runtime) toolset: Toolset,
    /// The place that it works in, until that is given back.
    pub(in crate::runtime) stay: Option<Stay>,
    /// Who equips the agents that the agent starts, and those agents.
    pub(super) recruits: Subagents,
    pub(in crate::runtime) team: Option<SubagentPool>,
    /// Whether the driver has the system prompt that goes with model and tools as they are now.
    pub(super) prompted: bool,
    pub(in crate::runtime) commands: mpsc::Receiver<Command>,
    pub(in crate::runtime) hub: Hub,
    pub(in crate::runtime) models: AvailableModels,
    /// Where the session stands, for whoever asks.
    pub(in crate::runtime) lifecycle: watch::Sender<Lifecycle>,
    /// Who there is, for telling what could have been meant.
    pub(in crate::runtime) catalog: Catalog,
    /// What it was started with.
    pub(in crate::runtime) again: Again,
    /// What went wrong before anybody listened.
    pub(in crate::runtime) notices: Vec<Report>,
    /// What the user ran while the agent worked, to be written down behind that.
    pub(in crate::runtime) ran: Vec<Value>,
}

impl Live {
    /// Runs until a shutdown, or until every handle is gone.
    pub(in crate::runtime) async fn run(mut self) {
        let done = loop {
            let command = tokio::select! {
                biased;
                command = self.commands.recv() => command,
                step = self.driver.next() => {
                    self.driver.handle(step).await;
                    self.arrive().await;
                    self.write_ran().await;
                    self.tell_entries().await;
                    if self.settle().await == Lifecycle::Closed {
                        break None;
                    }
                    continue;
                }
            };
            match command {
                Some(Command::Shutdown(done)) => break Some(done),
                Some(command) => {
                    self.obey(command).await;
                    self.arrive().await;
                    self.write_ran().await;
                    self.tell_entries().await;
                    self.brief();
                }
                None => break None,
            }
            self.settle().await;
        };
        self.driver.send(Event::Abort).await;
        while self.driver.working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.write_ran().await;
        self.settle().await;
        let tools = Arc::clone(&self.driver.tools().shared);
        // At the same time, so that the two seconds of both are the same ones.
        tokio::join!(self.driver.end_work(), tools.jobs.end_all(COMMANDS_LEAVE));
        // What a call that was just interrupted has left behind.
        tools.jobs.end_all(COMMANDS_LEAVE).await;
        // Before the last state is recorded: what they change until then is theirs.
        if let Some(team) = &self.team {
            team.close_all().await;
        }
        self.driver.listener().end().await;
        if let Some(stay) = self.stay.take()
            && let Err(report) = stay.leave().await
        {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
        self.hub.tell(RuntimeEvent::Ended).await;
        self.recruits.dismiss();
        self.lifecycle.send_replace(Lifecycle::Closed);
        if let Some(done) = done
            && done.send(()).is_err()
        {
            tracing::debug!("nobody waited for the end of the session");
        }
    }

    /// Where the session stands now; those who watch are told of a change, and before them those who listen
    /// that nothing follows a run any more.
    pub(in crate::runtime) async fn settle(&mut self) -> Lifecycle {
        let now = self.driver.lifecycle();
        if !self.driver.working() && std::mem::take(&mut self.driver.listener().unsettled) {
            self.hub.tell(RuntimeEvent::Settled).await;
        }
        self.lifecycle.send_if_modified(|before| std::mem::replace(before, now) != now);
        now
    }

    /// Lets agents that are started from now on have what the session has.
    pub(super) fn brief(&mut self) {
        let services = self.driver.services();
        let (client, context) = (services.client.clone(), services.tools.clone());
        let config = self.driver.config().clone();
        let setup = self.driver.setup();
        self.recruits.set(Kit {
            client,
            catalog: self.catalog.clone(),
            model: setup.model.clone(),
            thinking: setup.thinking,
            toolset: self.toolset.clone(),
            context,
            config,
        });
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Prompt(message, delivery) => {
                let lane = match delivery {
                    Delivery::Steer => Lane::Steering,
                    Delivery::FollowUp => Lane::FollowUp,
                };
                self.put_prompt().await;
                self.driver.send(Event::Prompt { message, lane }).await;
            }
            Command::GoOn => {
                self.put_prompt().await;
                if !self.driver.go_on().await && !self.driver.working() {
                    let report = Report::new("there is nothing to go on with").hint("say something first");
                    self.hub.tell(RuntimeEvent::Failed(report)).await;
                }
            }
            Command::Abort => {
                self.driver.send(Event::Abort).await;
                if let Some(team) = &self.team {
                    team.interrupt();
                }
            }
            Command::TakeQueue(reply) => {
                self.driver.listener().want_queue(reply);
                self.driver.send(Event::TakeQueue).await;
            }
            Command::Model(provider, id) => {
                if let Err(report) = self.choose_by_name(provider, id).await {
                    self.hub.tell(RuntimeEvent::Failed(report)).await;
                }
            }
            Command::Thinking(level) => {
                self.driver.setup().thinking = level;
                let model = self.driver.setup().model.clone();
                self.driver.listener().choose(model, level).await;
            }
            Command::Tools(names) => {
                self.toolset.pick(&names);
                self.equip().await;
            }
            Command::Prompted(reply) => {
                let model = self.driver.setup().model.clone();
                let (shown, problems) = self.toolset.prompt(&model).await;
                self.notices.extend(problems);
                answer(reply, shown);
            }
            Command::Compact(instructions) => self.driver.send(Event::Compact { instructions }).await,
            Command::Summary(reply) => answer(reply, self.driver.listener().summary()),
            Command::EditSummary(text, reply) => {
                let edited = self.edit_summary(&text).await;
                answer(reply, edited);
            }
            Command::WayBack(ask) => self.way_back(ask).await,
            Command::Ask(ask) => self.asked(ask).await,
            Command::ClientRequest(ask) => Box::pin(self.driven(ask)).await,
            Command::Policy(mode) => self.driver.tools().mode.set(mode),
            Command::Reach(client, catalog, models) => {
                self.driver.reach_by(*client);
                self.catalog = *catalog;
                self.hub.tell(RuntimeEvent::ModelsFound(self.models.set(models))).await;
            }
            Command::Subscribe(reader, reply) => self.subscribe(reader, reply).await,
            // Ends the loop before it comes here.
            Command::Shutdown(_) => {}
        }
    }

    /// Lets a model answer from the next request on, with the tools and the prompt that go with it.
    pub(in crate::runtime) async fn answer_by(&mut self, model: Arc<Model>, thinking: Thinking) {
        let setup = self.driver.setup();
        (setup.model, setup.thinking) = (model.clone(), thinking);
        let other = self.toolset.follow(&model);
        self.prompted = false;
        if other {
            self.driver.tell_anew();
            self.equip().await;
        } else if self.driver.working() {
            self.put_prompt().await;
        }
    }

    /// Gives the driver the tools that are there now, and tells everybody.
    async fn equip(&mut self) {
        let equipment = Arc::new(self.toolset.equipment());
        let parallel = self.toolset.profile().parallel;
        self.driver.offer(equipment.all.clone(), parallel, |name| equipment.available.contains(name));
        self.prompted = false;
        if self.driver.working() {
            self.put_prompt().await;
        }
        self.hub.tell(RuntimeEvent::ToolsChanged(equipment)).await;
    }

    /// Gives the driver the system prompt, unless it has it.
    pub(in crate::runtime) async fn put_prompt(&mut self) {
        if std::mem::replace(&mut self.prompted, true) {
            return;
        }
        let model = self.driver.setup().model.clone();
        let (shown, problems) = self.toolset.prompt(&model).await;
        self.driver.setup().system = shown.parts.into_iter().map(|part| part.text).collect();
        for report in problems {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }

    async fn way_back(&mut self, ask: WayBack) {
        match ask {
            WayBack::Recorded(reply) => {
                self.driver.listener().write_checkpoints().await;
                answer(reply, ());
            }
            WayBack::Preview(way, decisions, reply) => {
                let way = way.from(self.driver.listener().session().leaf());
                answer(reply, perform::preview(&mut self.driver, way, decisions).await);
            }
            WayBack::Go(way, decisions, reply) => {
                let restored = self.restore(way, decisions).await;
                answer(reply, restored);
            }
        }
    }

    /// Goes back in the conversation, the files or both.
    async fn restore(&mut self, way: RestoreTarget, decisions: Decisions) -> Result<Restored, Report> {
        let way = way.from(self.driver.listener().session().leaf());
        let place = match &way {
            RestoreTarget::To(entry, RestoreScope::Conversation | RestoreScope::Both) => Some(entry.clone()),
            _ => None,
        };
        let begun = perform::begin(&mut self.driver, way, decisions).await?;
        let said = match place {
            Some(place) => self.go_now(&Spot::To(place)).await?,
            None => None,
        };
        let restored = Restored { said, ..perform::finish(&mut self.driver, begun).await? };
        self.hub.tell(RuntimeEvent::Restored(Arc::new(restored.clone()))).await;
        Ok(restored)
    }

    async fn subscribe(
        &mut self,
        reader: Reader,
        reply: oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>,
    ) {
        let snapshot = self.snapshot_of(reader == Reader::Recent);
        let events = self.hub.subscribe(reader);
        if reply.send((snapshot, events)).is_err() {
            return;
        }
        for report in std::mem::take(&mut self.notices) {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }
}
