//! Requests of client programs to a live session, with direct answers: messages and their outcome, state,
//! settings of the loop, entries. Interactive front ends use events instead.
//!
//! Must not know which program asks, nor in which protocol.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::client::{
    ClientRequest, ContextUsage, LoopSetting, QueuedTexts, Reply, SessionReader, SessionStatus,
    SubmitOutcome, ToolContext, send_reply, session_ended,
};
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
use crate::runtime::events::event::{Delivery, user_message};
use crate::runtime::history::navigation::agent_busy;
use crate::runtime::lifecycle::owner::{Command, LiveSession};
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
    ) -> Result<SubmitOutcome, Report> {
        self.client_request(|reply| ClientRequest::Say(user_message(text, images), delivery, reply)).await?
    }

    /// Queues a message for the active run, or for the next one.
    pub async fn queue(&self, text: String, images: Vec<Part>, delivery: Delivery) -> Result<(), Report> {
        let lane = lane(delivery);
        self.client_request(|reply| ClientRequest::Queue(user_message(text, images), lane, reply)).await?
    }

    /// Clears both queues and returns their messages.
    pub async fn clear_queue(&self) -> Result<QueuedTexts, Report> {
        self.client_request(ClientRequest::ClearQueue).await
    }

    /// Returns the session's state.
    pub async fn status(&self) -> Result<SessionStatus, Report> {
        self.client_request(ClientRequest::Status).await
    }

    /// Switches to another model from the next request on; returns it and the thinking level. The model must
    /// be available ([`Handle::models`]) or current: a program has the list, so another id is an error.
    pub async fn select_model(&self, provider: &str, id: &str) -> Result<(Arc<Model>, Thinking), Report> {
        self.client_request(|reply| ClientRequest::Model(provider.to_string(), id.to_string(), reply)).await?
    }

    /// Changes the thinking level from the next request on; returns the level that the model uses instead, if
    /// it lacks this one.
    pub async fn select_thinking(&self, level: Thinking) -> Result<Thinking, Report> {
        self.client_request(|reply| ClientRequest::Thinking(level, reply)).await
    }

    /// Changes a setting of the loop.
    pub async fn set_loop_setting(&self, rule: LoopSetting) -> Result<(), Report> {
        self.commands
            .send(Command::ClientRequest(ClientRequest::SetLoop(rule)))
            .await
            .map_err(|_| session_ended())
    }

    /// Waits until no run is active.
    pub async fn idle(&self) {
        // Earlier commands are handled first: then it is known whether a run is active.
        if self.status().await.is_err() {
            return;
        }
        let mut stands = self.watch_lifecycle();
        let rests = |now: &Lifecycle| !matches!(now, Lifecycle::Processing);
        if stands.wait_for(rests).await.is_err() {
            tracing::debug!("the session ended while somebody waited for its rest");
        }
    }

    /// Sets the approval mode for tool calls, by name.
    pub async fn set_approval_mode_by_name(&self, mode: &str) -> Result<(), Report> {
        let Some(mode) = Mode::parse(mode) else {
            return Err(Report::new(format!("no such approval mode: {mode}")));
        };
        self.commands.send(Command::ApprovalMode(mode)).await.map_err(|_| session_ended())
    }

    /// Returns what runs without approval: the mode, the rule files, and the approvals for this session.
    pub async fn permissions(&self) -> Result<Value, Report> {
        let (mode, grants) = self.client_request(ClientRequest::Permissions).await?;
        let options = self.reloader.options();
        let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        let file = |path: PathBuf| json!(path.to_string_lossy());
        Ok(json!({
            "mode": mode.name(), "modes": modes, "userRules": file(options.home.config.join(trust_requests::RULES)),
            "projectRules": file(trust_requests::rules_path(&options.cwd)), "sessionRules": grants,
        }))
    }

    /// Compacts the older part of the conversation; interrupts the active run. Waits for the end;
    /// [`Handle::abort`] cancels it.
    pub async fn compact_now(&self, instructions: Option<String>) -> Result<Arc<Compacted>, Report> {
        self.client_request(|reply| ClientRequest::Compact(instructions, reply)).await?
    }

    /// Runs a closure on the session and returns its result. The session does nothing else meanwhile.
    #[doc(hidden)]
    pub async fn with_session<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> Result<T, Report> {
        let read = |reply: oneshot::Sender<T>| {
            ClientRequest::ReadSession(SessionReader(Box::new(move |session: &Session| {
                send_reply(reply, read(session));
            })))
        };
        self.client_request(read).await
    }

    pub(in crate::runtime) async fn client_request<T>(
        &self,
        ask: impl FnOnce(oneshot::Sender<T>) -> ClientRequest,
    ) -> Result<T, Report> {
        let (reply, response) = oneshot::channel();
        self.commands.send(Command::ClientRequest(ask(reply))).await.map_err(|_| session_ended())?;
        response.await.map_err(|_| session_ended())
    }
}

impl LiveSession {
    pub(in crate::runtime) async fn handle_client_request(&mut self, ask: ClientRequest) {
        match ask {
            ClientRequest::Say(message, delivery, reply) => {
                self.submit_message(message, delivery, reply).await;
            }
            ClientRequest::Queue(message, lane, reply) => {
                self.driver.send(Event::Queue { message, lane }).await;
                send_reply(reply, Ok(()));
            }
            ClientRequest::ClearQueue(reply) => {
                let cleared = self.clear_queue().await;
                send_reply(reply, cleared);
            }
            ClientRequest::Status(reply) => {
                let status = self.status();
                send_reply(reply, status);
            }
            ClientRequest::Model(provider, id, reply) => {
                let chosen = self.choose_available(provider, id).await;
                send_reply(reply, chosen);
            }
            ClientRequest::Thinking(level, reply) => {
                let model = self.driver.setup().model.clone();
                let level = model.nearest_level(level);
                self.driver.setup().thinking = level;
                self.driver.listener().set_model(model, level).await;
                send_reply(reply, level);
            }
            ClientRequest::SetLoop(rule) => self.set_loop_setting(rule),
            ClientRequest::Permissions(reply) => {
                let tools = self.driver.tools();
                send_reply(reply, (tools.mode.get(), tools.shared.grants()));
            }
            ClientRequest::ToolContext(reply) => send_reply(reply, self.tool_context()),
            ClientRequest::Compact(instructions, reply) => self.compact_now(instructions, reply).await,
            ClientRequest::RecordCommand(message, number) if number == self.reloader.session_number() => {
                self.user_commands.push(message);
                self.write_user_commands().await;
            }
            ClientRequest::RecordCommand(..) => {
                tracing::info!("a command ended behind the session that it was begun in");
            }
            ClientRequest::CopySession(reply) => {
                let copy = self.copy_session();
                send_reply(reply, copy);
            }
            ClientRequest::ReadSession(SessionReader(read)) => read(self.driver.listener().session()),
            ClientRequest::Submit(message, reply) => self.handle_submit(message, reply).await,
            ClientRequest::CheckMove(root, reply) => {
                let may = self.check_move(&root);
                send_reply(reply, may);
            }
            ClientRequest::Move(stay, reply) => {
                let relocated = self.change_environment(*stay).await;
                send_reply(reply, relocated);
            }
        }
    }

    fn tool_context(&mut self) -> ToolContext {
        let tools = self.driver.services().registry.clone();
        ToolContext { tools, context: self.driver.tools().clone() }
    }

    pub(super) async fn submit_message(
        &mut self,
        message: UserMessage,
        delivery: Option<Delivery>,
        reply: Reply<SubmitOutcome>,
    ) {
        let working = self.driver.is_working();
        if self.driver.state().is_compacting_manually() {
            let hint = "wait, or queue the message";
            return send_reply(reply, Err(Report::new("the conversation is being compacted").hint(hint)));
        }
        if working && delivery.is_none() {
            let hint = "say whether it steers or follows up, or interrupt first";
            return send_reply(reply, Err(Report::new("the agent is working").hint(hint)));
        }
        let lane = lane(delivery.unwrap_or(Delivery::Steer));
        let model = self.driver.setup().model.clone();
        if !working && !self.models.all().iter().any(|known| known.provider == model.provider) {
            let hint = format!("log in with `bowline login {}`, or choose another model", model.provider);
            let report = Report::new(format!("{} is no longer available", model.provider)).hint(hint);
            return send_reply(reply, Err(report));
        }
        // Events of a run that this starts must follow the answer; when the message is queued, the event
        // comes first.
        let waits = if working {
            Some(reply)
        } else {
            send_reply(reply, Ok(SubmitOutcome::Started));
            None
        };
        self.update_prompt().await;
        self.driver.send(Event::Prompt { message, lane }).await;
        if let Some(reply) = waits {
            send_reply(reply, Ok(SubmitOutcome::Queued));
        }
    }

    /// Empties the queue, and returns the texts that were in it.
    async fn clear_queue(&mut self) -> QueuedTexts {
        let waiting = self.queued_texts();
        // Only their texts are returned; the messages need not go back to a prompt.
        let (sender, messages) = oneshot::channel();
        self.driver.listener().set_queue_reply(sender);
        self.driver.send(Event::TakeQueue).await;
        drop(messages);
        waiting
    }

    /// Returns a read-only copy of the session, and how full its context is.
    fn copy_session(&mut self) -> (Box<Session>, ContextUsage) {
        let window = self.driver.setup().model.context_window;
        let recorder = self.driver.listener();
        let filled = ContextUsage { tokens: recorder.context_tokens(), window };
        (Box::new(recorder.session().read_only_copy()), filled)
    }

    fn queued_texts(&self) -> QueuedTexts {
        let queues = self.driver.state().queues();
        QueuedTexts { steering: queues.texts(Lane::Steering), follow_up: queues.texts(Lane::FollowUp) }
    }

    fn status(&mut self) -> SessionStatus {
        let state = self.driver.state();
        let (working, compacting) = (state.is_working(), state.is_summarizing());
        let waits_to_retry = state.is_waiting_for_retry();
        let waiting = self.queued_texts();
        let config = self.driver.config();
        let (steering, follow_up) = (config.steering, config.follow_up);
        let (auto_compaction, auto_retry) = (config.compaction.enabled, config.retry_policy().retries > 0);
        let setup = self.driver.setup();
        let (model, thinking) = (setup.model.clone(), setup.thinking);
        let messages = self.driver.listener().count_messages();
        let session = self.driver.listener().session();
        SessionStatus {
            session_id: session.id().to_string(),
            file: session.file().map(Into::into),
            name: session.name(),
            messages,
            model,
            thinking,
            working,
            compacting,
            waiting_for_retry: waits_to_retry,
            steering: steering.name(),
            follow_up: follow_up.name(),
            auto_compaction,
            auto_retry,
            queued: waiting,
        }
    }

    /// Like [`Self::choose_by_name`], but a model of a known provider must be in some list, too.
    async fn choose_available(
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
        let request = ModelRequest { provider: Some(provider), id: Some(id), thinking: None };
        let hint = request.unavailable_error(&models, &self.catalog, self.models.is_discovering()).hint;
        Err(Report { hint, ..refused })
    }

    /// Switches the model; the thinking level is kept, or the nearest that the model has.
    pub(in crate::runtime) async fn choose_by_name(
        &mut self,
        provider: String,
        id: String,
    ) -> Result<(Arc<Model>, Thinking), Report> {
        let request = ModelRequest { provider: Some(provider), id: Some(id), thinking: None };
        let models = self.models.all();
        let Some(model) = request.find(&models) else {
            return Err(request.unavailable_error(&models, &self.catalog, self.models.is_discovering()));
        };
        let thinking = self.driver.setup().thinking;
        self.set_model(model.clone(), thinking).await;
        self.driver.listener().set_model(model.clone(), thinking).await;
        Ok((model.clone(), model.nearest_level(thinking)))
    }

    fn set_loop_setting(&mut self, rule: LoopSetting) {
        let mode = |all: bool| if all { QueueMode::All } else { QueueMode::One };
        let config = self.driver.config();
        match rule {
            LoopSetting::SteerAll(all) => config.steering = mode(all),
            LoopSetting::FollowUpAll(all) => config.follow_up = mode(all),
            LoopSetting::AutoCompaction(on) => config.compaction.enabled = on,
            LoopSetting::CompactAfterRuns(on) => config.compaction.after_runs = on,
            LoopSetting::AutoRetry(on) => config.auto_retry = on,
        }
    }

    async fn compact_now(&mut self, instructions: Option<String>, reply: Reply<Arc<Compacted>>) {
        self.driver.send(Event::Abort).await;
        while self.driver.is_working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.driver.listener().set_compaction_reply(reply);
        self.driver.send(Event::Compact { instructions }).await;
        if !self.driver.is_working() {
            self.driver.listener().fail_compaction(agent_busy);
        }
    }

    /// Writes the commands that the user ran into the session; while the agent works they are postponed.
    pub(in crate::runtime) async fn write_user_commands(&mut self) {
        if self.user_commands.is_empty() || self.driver.is_working() {
            return;
        }
        for message in std::mem::take(&mut self.user_commands) {
            let message = AgentMessage::Other(message);
            let model_message = crate::agent::request::history::for_model(&message);
            if self.driver.listener().append(EntryBody::Message { message }).await.is_some()
                && let Some(model_message) = model_message
            {
                self.driver.push_stored(model_message);
            }
        }
        self.driver.listener().sync().await;
    }

    /// Sends new entries to the front ends that subscribe to them.
    pub(in crate::runtime) async fn send_entries(&mut self) {
        self.driver.listener().send_entries().await;
    }
}
