//! The controls of a live session. Cheap to clone; nothing here blocks.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use crate::runtime::agent_setup::permissions;
use crate::runtime::events::event::{Delivery, RuntimeEvent, Snapshot, said};
use crate::runtime::events::hub::{Hub, Reader};
use crate::runtime::events::observe::Observer;
use crate::runtime::history::search::HistorySearch;
use crate::runtime::lifecycle::owner::{Command, WayBack};
use crate::runtime::login::{self, Choice, Left};
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::refresh::{self, Refreshed};
use crate::runtime::models::reload::Again;

use crate::agent::abort::Abort;
use crate::agent::config::Lifecycle;
use crate::base::error::Report;
use crate::llm::model::{Model, Part, Thinking, UserMessage};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::runtime::login::channel::{Line, Said};
use crate::runtime::restore::target::{ConflictChoice, Preview, RestoreScope, RestoreTarget, Restored};
use crate::tools::{Mode, SharedRules};
use crate::workspace::checkpoint::Decisions;

/// Controls one live session.
#[derive(Clone)]
pub struct Handle {
    pub(in crate::runtime) commands: mpsc::Sender<Command>,
    pub(in crate::runtime) abort: Abort,
    pub(in crate::runtime) hub: Hub,
    pub(in crate::runtime) lifecycle: watch::Receiver<Lifecycle>,
    pub(in crate::runtime) models: AvailableModels,
    pub(in crate::runtime) rules: SharedRules,
    pub(in crate::runtime) again: Again,
}

impl Handle {
    /// Says something to the agent, whether it works or not.
    pub fn prompt(&self, text: String, images: Vec<Part>, delivery: Delivery) {
        self.send(Command::Prompt(said(text, images), delivery));
    }

    /// Goes on without new words: after an interruption, a failure, a limit.
    pub fn go_on(&self) {
        self.send(Command::GoOn);
    }

    /// Where the session stands.
    pub fn lifecycle(&self) -> Lifecycle {
        *self.lifecycle.borrow()
    }

    /// The same, to wait for a change.
    pub fn lifecycles(&self) -> watch::Receiver<Lifecycle> {
        self.lifecycle.clone()
    }

    /// Waits until the session is over, be it that its task has failed.
    /// What waits does not keep the session alive.
    pub fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut lifecycles = self.lifecycles();
        async move {
            if lifecycles.wait_for(|now| *now == Lifecycle::Closed).await.is_err() {
                tracing::error!("the session's task ended by itself");
            }
        }
    }

    /// Interrupts at once: the connection closes, running tools end. Waiting messages stay in
    /// the queue, for [`Handle::take_queue`] or the next prompt.
    pub fn abort(&self) {
        self.abort.now();
        self.send(Command::Abort);
    }

    /// Takes back everything that waits in both queues, steering first.
    pub fn take_queue(&self) -> oneshot::Receiver<Vec<UserMessage>> {
        let (reply, messages) = oneshot::channel();
        self.send(Command::TakeQueue(reply));
        messages
    }

    /// Lets another model answer from the next request on.
    pub fn set_model(&self, provider: &str, id: &str) {
        self.send(Command::Model(provider.to_string(), id.to_string()));
    }

    /// Another thinking level from the next request on.
    pub fn set_thinking(&self, level: Thinking) {
        self.send(Command::Thinking(level));
    }

    /// What the model is told before the conversation; `None` after the session has been shut down.
    pub async fn system_prompt(&self) -> Option<PromptReport> {
        let (reply, shown) = oneshot::channel();
        self.commands.send(Command::Prompted(reply)).await.ok()?;
        shown.await.ok()
    }

    /// Offers only these tools from the next request on; unknown names are left out.
    pub fn set_tools(&self, names: Vec<String>) {
        self.send(Command::Tools(names));
    }

    /// What was said before, in this session and in all others.
    #[doc(hidden)]
    pub fn past(&self) -> HistorySearch {
        HistorySearch::of(self.again.options())
    }

    /// Puts a summary in place of the older part of the conversation, above all about `instructions`. What
    /// came of it is an event. While the agent works it is done before the next request.
    pub fn compact(&self, instructions: Option<String>) {
        self.send(Command::Compact(instructions));
    }

    /// The summary of the conversation's older part, or of the branch that was left last, which can be
    /// changed; `None` where there is none.
    pub async fn summary(&self) -> Option<String> {
        let (reply, summary) = oneshot::channel();
        self.commands.send(Command::Summary(reply)).await.ok()?;
        summary.await.ok()?
    }

    /// Puts another text in place of that summary. The one before stays in the session: going back to
    /// before the change undoes it. Refused while the agent works.
    pub async fn edit_summary(&self, text: &str) -> Result<(), Report> {
        let ended = || Report::new("the session has ended");
        let (reply, edited) = oneshot::channel();
        self.commands.send(Command::EditSummary(text.to_string(), reply)).await.map_err(|_| ended())?;
        edited.await.map_err(|_| ended())?
    }

    /// What going back to an entry would do to the files. Refused while the agent works.
    #[doc(hidden)]
    pub async fn restore_preview(&self, entry: &str, what: RestoreScope) -> Result<Preview, Report> {
        self.preview(RestoreTarget::To(entry.to_string(), what), Decisions::new()).await
    }

    /// Goes back to an entry. What is there is recorded first: [`Restored::undo`] names the way back. Refused
    /// while the agent works.
    #[doc(hidden)]
    pub async fn restore(
        &self,
        entry: &str,
        what: RestoreScope,
        decisions: Decisions,
    ) -> Result<Restored, Report> {
        self.take(RestoreTarget::To(entry.to_string(), what), decisions).await
    }

    /// Takes back what the turn of an entry changed, whatever came later.
    #[doc(hidden)]
    pub async fn revert_turn(&self, entry: &str, decisions: Decisions) -> Result<Restored, Report> {
        self.take(RestoreTarget::Without(entry.to_string()), decisions).await
    }

    /// What going any way would do, with these decisions.
    #[doc(hidden)]
    pub async fn preview(&self, way: RestoreTarget, decisions: Decisions) -> Result<Preview, Report> {
        let (reply, told) = oneshot::channel();
        self.asked(Command::WayBack(WayBack::Preview(way, decisions, reply)), told).await
    }

    /// Goes any way.
    #[doc(hidden)]
    pub async fn take(&self, way: RestoreTarget, decisions: Decisions) -> Result<Restored, Report> {
        let (reply, done) = oneshot::channel();
        self.asked(Command::WayBack(WayBack::Go(way, decisions, reply)), done).await
    }

    /// What going any way would do, with one decision for everything that both sides changed.
    pub async fn preview_all(&self, way: RestoreTarget, take: ConflictChoice) -> Result<Preview, Report> {
        let preview = self.preview(way.clone(), Decisions::new()).await?;
        if preview.conflicts() == 0 {
            return Ok(preview);
        }
        self.preview(way, preview.decide(take.into())).await
    }

    /// Goes any way, with one decision for everything that both sides changed.
    pub async fn take_all(&self, way: RestoreTarget, take: ConflictChoice) -> Result<Restored, Report> {
        let preview = self.preview(way.clone(), Decisions::new()).await?;
        self.take(way, preview.decide(take.into())).await
    }

    async fn asked<T>(
        &self,
        command: Command,
        answer: oneshot::Receiver<Result<T, Report>>,
    ) -> Result<T, Report> {
        let ended = || Report::new("the session has ended");
        self.commands.send(command).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Other rules for tool calls from the next call on.
    pub fn set_policy(&self, mode: Mode) {
        self.send(Command::Policy(mode));
    }

    /// The models that can be asked now; the demo, if it is there, last.
    pub fn models(&self) -> Vec<Arc<Model>> {
        self.models.all()
    }

    /// Joins: the state as it is, and everything that happens from then on. `None` after the
    /// session has been shut down.
    pub async fn subscribe(&self) -> Option<(Snapshot, mpsc::Receiver<RuntimeEvent>)> {
        self.subscribe_as(Reader::Lively).await
    }

    /// The same for a reader of its own kind.
    pub async fn subscribe_as(&self, reader: Reader) -> Option<(Snapshot, mpsc::Receiver<RuntimeEvent>)> {
        let (reply, joined) = oneshot::channel();
        self.commands.send(Command::Subscribe(reader, reply)).await.ok()?;
        joined.await.ok()
    }

    /// Listens with the specification's kinds of event. `None` after the session has been shut down.
    pub async fn observe(&self) -> Option<Observer> {
        let (snapshot, events) = self.subscribe_as(Reader::Recent).await?;
        let options = self.again.options();
        Some(Observer::new(snapshot.session_id, options.clock.clone(), options.outputs(), events))
    }

    /// Ends what runs, makes the session safe on disk, and ends the session's task.
    pub async fn shutdown(&self) {
        self.abort.now();
        let (reply, done) = oneshot::channel();
        if self.commands.send(Command::Shutdown(reply)).await.is_ok() && done.await.is_err() {
            tracing::warn!("the session's task ended by itself");
        }
    }

    /// Offers what can be asked now. `always`: also where no file has changed.
    #[doc(hidden)]
    pub async fn look_again(&self, always: bool) -> Result<(), Report> {
        let Some((client, catalog, models)) = self.again.look(always, self.models.all()).await? else {
            return Ok(());
        };
        let command = Command::Reach(Box::new(client), Box::new(catalog), models);
        self.commands.send(command).await.map_err(|_| Report::new("the session has ended"))
    }

    /// Asks again for lists of models that are old by now, and offers what came.
    #[doc(hidden)]
    pub async fn freshen_models(&self) -> Result<(), Report> {
        refresh::freshen(self.again.options()).await;
        self.look_again(false).await
    }

    /// Asks providers, or one, which models they have, and offers them.
    pub async fn refresh_models(&self, only: Option<&str>) -> Result<Vec<Refreshed>, Report> {
        let told = refresh::refresh(self.again.options(), only).await?;
        self.look_again(false).await?;
        Ok(told)
    }

    /// The providers that one can log in at.
    pub async fn logins(&self) -> Result<Vec<Choice>, Report> {
        let options = self.again.options().clone();
        let read = tokio::task::spawn_blocking(move || login::choices(&options)).await;
        read.map_err(|error| Report::caused("the work was ended", &error))?
    }

    /// Logs in at a provider and offers its models; gives a sentence for the user. Whoever drops
    /// this gives the login up.
    pub async fn login(&self, provider: &str, said: mpsc::Sender<Said>) -> Result<String, Report> {
        let told = login::login(self.again.options(), provider, &Line(said)).await?;
        self.look_again(true).await?;
        Ok(told)
    }

    /// Forgets what is kept for a provider and takes its models away, unless something else opens it.
    pub async fn logout(&self, provider: &str) -> Result<Left, Report> {
        let left = login::logout(self.again.options(), provider).await;
        // Even where the keyring refused, the file holds nothing any more.
        self.look_again(true).await?;
        left
    }

    /// Writes a rule for tool calls to the end of the user's file; gives a sentence for the user.
    pub async fn remember(&self, rule: &str) -> Result<String, Report> {
        permissions::remember(self.again.options(), rule).await
    }

    /// Reads the files of rules again, after the user has said whether the project is trusted; gives a
    /// sentence for him. `now` is the digest of what he trusts until the program ends.
    #[doc(hidden)]
    pub async fn reread_rules(&self, now: Option<&str>) -> String {
        let loaded = permissions::load(&self.again.here(), now).await;
        self.rules.set(loaded.rules);
        for problem in loaded.problems {
            self.hub.tell(RuntimeEvent::Failed(problem)).await;
        }
        match loaded.trusted {
            Some(true) => "Project trusted: its rules apply".to_string(),
            Some(false) => permissions::OFF.to_string(),
            None => "This project has no rules to trust".to_string(),
        }
    }

    fn send(&self, command: Command) {
        if let Err(error) = self.commands.try_send(command) {
            let what = match error {
                mpsc::error::TrySendError::Full(_) => "the session is busy; try again",
                mpsc::error::TrySendError::Closed(_) => "the session has ended",
            };
            self.hub.tell_now(&RuntimeEvent::Failed(Report::new(what)));
        }
    }
}
