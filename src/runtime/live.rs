//! The task that owns a live session: commands in, work forward, until it is shut down.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::choice::Wish;
use super::event::{Delivery, RuntimeEvent, Snapshot};
use super::hub::Hub;
use super::offered::Offered;
use super::places::Place;
use super::recorder::Recorder;
use crate::agent::driver::{Driver, Listener};
use crate::agent::history;
use crate::agent::queue::Lane;
use crate::agent::step::Event;
use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking, UserMessage};
use crate::tools::Mode;

/// What a [`super::Handle`] asks for.
#[derive(Debug)]
pub enum Command {
    /// A person says something.
    Prompt(UserMessage, Delivery),
    /// A person interrupts.
    Abort,
    /// A person wants the waiting messages back.
    TakeQueue(oneshot::Sender<Vec<String>>),
    /// Another model, by provider and id.
    Model(String, String),
    /// Another level.
    Thinking(Thinking),
    /// Other tools, by name.
    Tools(Vec<String>),
    /// Where one can go back to.
    Places(oneshot::Sender<Vec<Place>>),
    /// Go there.
    Navigate(String, oneshot::Sender<Result<Snapshot, Report>>),
    /// Other rules for tool calls.
    Policy(Mode),
    /// Another client, catalog and list of models in place of those before.
    Reach(Box<Client>, Box<Catalog>, Vec<Arc<Model>>),
    /// A front end joins.
    Subscribe(oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>),
    /// The end.
    Shutdown(oneshot::Sender<()>),
}

/// The owner.
pub struct Live {
    pub(super) driver: Driver<Recorder>,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) hub: Hub,
    pub(super) models: Offered,
    /// Who there is, for telling what could have been meant.
    pub(super) catalog: Catalog,
    /// What went wrong before anybody listened.
    pub(super) notices: Vec<Report>,
}

impl Live {
    /// Runs until a shutdown, or until every handle is gone.
    pub async fn run(mut self) {
        let done = loop {
            let command = tokio::select! {
                biased;
                command = self.commands.recv() => command,
                step = self.driver.next() => {
                    self.driver.handle(step).await;
                    continue;
                }
            };
            match command {
                Some(Command::Shutdown(done)) => break Some(done),
                Some(command) => self.obey(command).await,
                None => break None,
            }
        };
        self.driver.send(Event::Abort).await;
        while self.driver.working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.driver.end_work().await;
        self.driver.listener().sync().await;
        if let Some(done) = done
            && done.send(()).is_err()
        {
            tracing::debug!("nobody waited for the end of the session");
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Prompt(message, delivery) => {
                let lane = match delivery {
                    Delivery::Steer => Lane::Steering,
                    Delivery::FollowUp => Lane::FollowUp,
                };
                self.driver.send(Event::Prompt { message, lane }).await;
            }
            Command::Abort => self.driver.send(Event::Abort).await,
            Command::TakeQueue(reply) => {
                self.driver.listener().want_queue(reply);
                self.driver.send(Event::TakeQueue).await;
            }
            Command::Model(provider, id) => self.choose_model(provider, id).await,
            Command::Thinking(level) => {
                self.driver.setup().thinking = level;
                let model = self.driver.setup().model.clone();
                self.driver.listener().choose(model, level).await;
            }
            Command::Tools(names) => self.driver.offer(|name| names.iter().any(|n| n == name)),
            Command::Places(reply) => answer(reply, self.driver.listener().places()),
            Command::Navigate(entry, reply) => {
                let moved = self.navigate(&entry);
                answer(reply, moved);
            }
            Command::Policy(mode) => self.driver.tools().mode = mode,
            Command::Reach(client, catalog, models) => {
                self.driver.reach_by(*client);
                self.catalog = *catalog;
                self.hub.tell(RuntimeEvent::ModelsFound(self.models.set(models))).await;
            }
            Command::Subscribe(reply) => self.subscribe(reply).await,
            // Ends the loop before it comes here.
            Command::Shutdown(_) => {}
        }
    }

    async fn choose_model(&mut self, provider: String, id: String) {
        let wish = Wish { provider: Some(provider), id: Some(id), thinking: None };
        let models = self.models.all();
        let Some(model) = wish.find(&models) else {
            let report = wish.refusal(&models, &self.catalog, self.models.are_awaited());
            return self.hub.tell(RuntimeEvent::Failed(report)).await;
        };
        self.driver.setup().model = model.clone();
        let thinking = self.driver.setup().thinking;
        self.driver.listener().choose(model, thinking).await;
    }

    fn navigate(&mut self, entry: &str) -> Result<Snapshot, Report> {
        if self.driver.working() {
            return Err(Report::new("the agent is working").hint("interrupt it first (Escape)"));
        }
        let context = self.driver.listener().go_to(entry)?;
        self.driver.setup().history = context.messages.iter().filter_map(|m| history::for_model(m)).collect();
        Ok(self.driver.listener().snapshot(false))
    }

    async fn subscribe(&mut self, reply: oneshot::Sender<(Snapshot, mpsc::Receiver<RuntimeEvent>)>) {
        let working = self.driver.working();
        let snapshot = self.driver.listener().snapshot(working);
        let events = self.hub.subscribe();
        if reply.send((snapshot, events)).is_err() {
            return;
        }
        for report in std::mem::take(&mut self.notices) {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }
}

/// Answers a question; whoever asked may have gone, and then nobody misses the answer.
fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    if reply.send(value).is_err() {
        tracing::debug!("nobody waited for an answer of the session");
    }
}
