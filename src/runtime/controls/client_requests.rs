//! Requests of client programs to a live session, with direct answers: messages and their outcome, state,
//! settings of the loop, entries. Interactive front ends use events instead.
//!
//! Must not know which program asks, nor in which protocol.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::client::{ClientRequest, Filled, Looker, Reply, Rule, Status, Waiting, Withdrawn, answer, ended};
use super::handle::Handle;
use crate::agent::config::Lifecycle;
use crate::agent::driver::Listener;
use crate::agent::effect::Event;
use crate::agent::event::Compacted;
use crate::agent::queue::{Lane, QueueMode};
use crate::base::error::Report;
use crate::base::json::json;
use crate::llm::model::{Model, Part, Thinking, UserMessage};
use crate::runtime::agent_setup::trust_requests;
use crate::runtime::events::event::{Delivery, said};
use crate::runtime::history::navigation::busy;
use crate::runtime::lifecycle::owner::{Command, Live};
use crate::runtime::models::choice::ModelRequest;
use crate::session::{AgentMessage, EntryBody, Session};
use crate::tools::Mode;

fn lane(delivery: Delivery) -> Lane {
    match delivery {
        Delivery::Steer => Lane::Steering,
        Delivery::FollowUp => Lane::FollowUp,
    }
}

impl Handle {
    /// Submits a message and returns its outcome before any event that follows from it. Without a delivery it
    /// is refused while the agent works.
    pub async fn say(
        &self,
        text: String,
        images: Vec<Part>,
        delivery: Option<Delivery>,
    ) -> Result<Withdrawn, Report> {
        self.drive(|reply| ClientRequest::Say(said(text, images), delivery, reply)).await?
    }

    /// Queues a message for the active run, or for the next one.
    pub async fn queue(&self, text: String, images: Vec<Part>, delivery: Delivery) -> Result<(), Report> {
        let lane = lane(delivery);
        self.drive(|reply| ClientRequest::Queue(said(text, images), lane, reply)).await?
    }

    /// Clears both queues and returns their messages.
    pub async fn clear_queue(&self) -> Result<Waiting, Report> {
        self.drive(ClientRequest::ClearQueue).await
    }

    /// Returns the session's state.
    pub async fn status(&self) -> Result<Status, Report> {
        self.drive(ClientRequest::Status).await
    }

    /// Switches to another model from the next request on; returns it and the thinking level. The model must
    /// be available ([`Handle::models`]) or current: a program has the list, so another id is an error.
    pub async fn choose_model(&self, provider: &str, id: &str) -> Result<(Arc<Model>, Thinking), Report> {
        self.drive(|reply| ClientRequest::Model(provider.to_string(), id.to_string(), reply)).await?
    }

    /// Changes the thinking level from the next request on; returns the level that the model uses instead, if
    /// it lacks this one.
    pub async fn choose_thinking(&self, level: Thinking) -> Result<Thinking, Report> {
        self.drive(|reply| ClientRequest::Thinking(level, reply)).await
    }

    /// Changes a setting of the loop.
    pub async fn set_rule(&self, rule: Rule) -> Result<(), Report> {
        self.commands.send(Command::ClientRequest(ClientRequest::Rule(rule))).await.map_err(|_| ended())
    }

    /// Waits until no run is active.
    pub async fn idle(&self) {
        // Earlier commands are handled first: then it is known whether a run is active.
        if self.status().await.is_err() {
            return;
        }
        let mut stands = self.lifecycles();
        let rests = |now: &Lifecycle| !matches!(now, Lifecycle::Processing);
        if stands.wait_for(rests).await.is_err() {
            tracing::debug!("the session ended while somebody waited for its rest");
        }
    }

    /// Sets the approval mode for tool calls, by name.
    pub async fn approve(&self, mode: &str) -> Result<(), Report> {
        let Some(mode) = Mode::parse(mode) else {
            return Err(Report::new(format!("no such approval mode: {mode}")));
        };
        self.commands.send(Command::Policy(mode)).await.map_err(|_| ended())
    }

    /// Returns what runs without approval: the mode, the rule files, and the approvals for this session.
    pub async fn permissions(&self) -> Result<Value, Report> {
        let (mode, grants) = self.drive(ClientRequest::Permissions).await?;
        let options = self.again.options();
        let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        let file = |path: PathBuf| json!(path.to_string_lossy());
        Ok(json!({
            "mode": mode.name(), "modes": modes, "userRules": file(options.home.config.join(trust_requests::RULES)),
            "projectRules": file(trust_requests::rules(&options.cwd)), "sessionRules": grants,
        }))
    }

    /// Compacts the older part of the conversation; interrupts the active run. Waits for the end;
    /// [`Handle::abort`] cancels it.
    pub async fn compact_now(&self, instructions: Option<String>) -> Result<Arc<Compacted>, Report> {
        self.drive(|reply| ClientRequest::Compact(instructions, reply)).await?
    }

    /// Runs a closure on the session and returns its result. The session does nothing else meanwhile.
    #[doc(hidden)]
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> Result<T, Report> {
        let look = |reply: oneshot::Sender<T>| {
            ClientRequest::Look(Looker(Box::new(move |session: &Session| answer(reply, look(session)))))
        };
        self.drive(look).await
    }

    pub(in crate::runtime) async fn drive<T>(
        &self,
        ask: impl FnOnce(oneshot::Sender<T>) -> ClientRequest,
    ) -> Result<T, Report> {
        let (reply, told) = oneshot::channel();
        self.commands.send(Command::ClientRequest(ask(reply))).await.map_err(|_| ended())?;
        told.await.map_err(|_| ended())
    }
}

impl Live {
    pub(in crate::runtime) async fn driven(&mut self, ask: ClientRequest) {
        match ask {
            ClientRequest::Say(message, delivery, reply) => self.say(message, delivery, reply).await,
            ClientRequest::Queue(message, lane, reply) => {
                self.driver.send(Event::Queue { message, lane }).await;
                answer(reply, Ok(()));
            }
            ClientRequest::ClearQueue(reply) => {
                let waiting = self.waiting();
                // Only their texts are returned; the messages need not go back to a prompt.
                let (sender, messages) = oneshot::channel();
                self.driver.listener().want_queue(sender);
                self.driver.send(Event::TakeQueue).await;
                drop(messages);
                answer(reply, waiting);
            }
            ClientRequest::Status(reply) => {
                let status = self.status();
                answer(reply, status);
            }
            ClientRequest::Model(provider, id, reply) => {
                let chosen = self.choose_offered(provider, id).await;
                answer(reply, chosen);
            }
            ClientRequest::Thinking(level, reply) => {
                let model = self.driver.setup().model.clone();
                let level = model.nearest_level(level);
                self.driver.setup().thinking = level;
                self.driver.listener().choose(model, level).await;
                answer(reply, level);
            }
            ClientRequest::Rule(rule) => self.rule(rule),
            ClientRequest::Permissions(reply) => {
                let tools = self.driver.tools();
                answer(reply, (tools.mode.get(), tools.shared.grants()));
            }
            ClientRequest::Compact(instructions, reply) => self.compact_now(instructions, reply).await,
            ClientRequest::Ran(message, number) if number == self.again.number() => {
                self.ran.push(message);
                self.write_ran().await;
            }
            ClientRequest::Ran(..) => {
                tracing::info!("a command ended behind the session that it was begun in");
            }
            ClientRequest::Account(reply) => {
                let window = self.driver.setup().model.context_window;
                let recorder = self.driver.listener();
                let filled = Filled { tokens: recorder.context_tokens(), window };
                answer(reply, (Box::new(recorder.session().beside()), filled));
            }
            ClientRequest::Look(Looker(look)) => look(self.driver.listener().session()),
            ClientRequest::Submit(message, reply) => self.submitted(message, reply).await,
            ClientRequest::MayMove(root, reply) => {
                let may = self.may_move(&root);
                answer(reply, may);
            }
            ClientRequest::Move(stay, reply) => {
                let relocated = self.move_to(*stay).await;
                answer(reply, relocated);
            }
        }
    }

    pub(super) async fn say(
        &mut self,
        message: UserMessage,
        delivery: Option<Delivery>,
        reply: Reply<Withdrawn>,
    ) {
        let working = self.driver.working();
        if self.driver.state().sums_by_hand() {
            let hint = "wait, or queue the message";
            return answer(reply, Err(Report::new("the conversation is being compacted").hint(hint)));
        }
        if working && delivery.is_none() {
            let hint = "say whether it steers or follows up, or interrupt first";
            return answer(reply, Err(Report::new("the agent is working").hint(hint)));
        }
        let lane = lane(delivery.unwrap_or(Delivery::Steer));
        let model = self.driver.setup().model.clone();
        if !working && !self.models.all().iter().any(|known| known.provider == model.provider) {
            let hint = format!("log in with `bowline login {}`, or choose another model", model.provider);
            let report = Report::new(format!("{} is no longer available", model.provider)).hint(hint);
            return answer(reply, Err(report));
        }
        // Events of a run that this starts must follow the answer; when the message is queued, the event
        // comes first.
        let waits = if working {
            Some(reply)
        } else {
            answer(reply, Ok(Withdrawn::Started));
            None
        };
        self.put_prompt().await;
        self.driver.send(Event::Prompt { message, lane }).await;
        if let Some(reply) = waits {
            answer(reply, Ok(Withdrawn::Queued));
        }
    }

    fn waiting(&self) -> Waiting {
        let queues = self.driver.state().queues();
        Waiting { steering: queues.texts(Lane::Steering), follow_up: queues.texts(Lane::FollowUp) }
    }

    fn status(&mut self) -> Status {
        let state = self.driver.state();
        let (working, compacting) = (state.working(), state.summing());
        let waits_to_retry = state.waits_to_retry();
        let waiting = self.waiting();
        let config = self.driver.config();
        let (steering, follow_up) = (config.steering, config.follow_up);
        let (auto_compaction, auto_retry) = (config.compaction.enabled, config.retry_policy().retries > 0);
        let setup = self.driver.setup();
        let (model, thinking) = (setup.model.clone(), setup.thinking);
        let messages = self.driver.listener().messages();
        let session = self.driver.listener().session();
        Status {
            session_id: session.id().to_string(),
            file: session.file().map(Into::into),
            name: session.name(),
            messages,
            model,
            thinking,
            working,
            compacting,
            waits_to_retry,
            steering: steering.name(),
            follow_up: follow_up.name(),
            auto_compaction,
            auto_retry,
            waiting,
        }
    }

    /// Like [`Self::choose_by_name`], but a model of a known provider must be in some list, too.
    async fn choose_offered(
        &mut self,
        provider: String,
        id: String,
    ) -> Result<(Arc<Model>, Thinking), Report> {
        let is_it =
            |model: &Model| model.provider == provider && (model.id == id || model.aliases.contains(&id));
        let models = self.models.all();
        if models.iter().any(|model| is_it(model)) || is_it(&self.driver.setup().model) {
            return self.choose_by_name(provider, id).await;
        }
        let refused = Report::new(format!("Model not found: {provider}/{id}"));
        let wish = ModelRequest { provider: Some(provider), id: Some(id), thinking: None };
        let hint = wish.refusal(&models, &self.catalog, self.models.are_awaited()).hint;
        Err(Report { hint, ..refused })
    }

    /// Switches the model; the thinking level is kept, or the nearest that the model has.
    pub(in crate::runtime) async fn choose_by_name(
        &mut self,
        provider: String,
        id: String,
    ) -> Result<(Arc<Model>, Thinking), Report> {
        let wish = ModelRequest { provider: Some(provider), id: Some(id), thinking: None };
        let models = self.models.all();
        let Some(model) = wish.find(&models) else {
            return Err(wish.refusal(&models, &self.catalog, self.models.are_awaited()));
        };
        let thinking = self.driver.setup().thinking;
        self.answer_by(model.clone(), thinking).await;
        self.driver.listener().choose(model.clone(), thinking).await;
        Ok((model.clone(), model.nearest_level(thinking)))
    }

    fn rule(&mut self, rule: Rule) {
        let mode = |all: bool| if all { QueueMode::All } else { QueueMode::One };
        let config = self.driver.config();
        match rule {
            Rule::SteerAll(all) => config.steering = mode(all),
            Rule::FollowUpAll(all) => config.follow_up = mode(all),
            Rule::AutoCompaction(on) => config.compaction.enabled = on,
            Rule::CompactAfterRuns(on) => config.compaction.after_runs = on,
            Rule::AutoRetry(on) => config.auto_retry = on,
        }
    }

    async fn compact_now(&mut self, instructions: Option<String>, reply: Reply<Arc<Compacted>>) {
        self.driver.send(Event::Abort).await;
        while self.driver.working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.driver.listener().want_compaction(reply);
        self.driver.send(Event::Compact { instructions }).await;
        if !self.driver.working() {
            self.driver.listener().no_compaction(busy);
        }
    }

    /// Writes the commands that the user ran into the session; while the agent works they are postponed.
    pub(in crate::runtime) async fn write_ran(&mut self) {
        if self.ran.is_empty() || self.driver.working() {
            return;
        }
        for message in std::mem::take(&mut self.ran) {
            let message = AgentMessage::Other(message);
            let told = crate::agent::request::history::for_model(&message);
            if self.driver.listener().append(EntryBody::Message { message }).await.is_some()
                && let Some(told) = told
            {
                self.driver.add_kept(told);
            }
        }
        self.driver.listener().sync().await;
    }

    /// Sends new entries to the front ends that subscribe to them.
    pub(in crate::runtime) async fn tell_entries(&mut self) {
        self.driver.listener().tell_entries().await;
    }
}
