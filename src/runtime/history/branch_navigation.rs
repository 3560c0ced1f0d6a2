//! Navigation in a session's tree and to other sessions, while front ends keep the same live session.
//!
//! Must not know who displays it. Subscribers get [`RuntimeEvent::Replaced`] in order with all other events,
//! so that no event of the old conversation follows it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::navigation::{Ask, Change, Moved, Moving, Spot, busy, not_there};
use crate::agent::driver::Listener;
use crate::agent::effect::Event;
use crate::base::error::Report;
use crate::llm::model::UserMessage;
use crate::runtime::controls::client::answer;
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::{RuntimeEvent, Snapshot, Summary};
use crate::runtime::lifecycle::options::{Options, SessionChoice};
use crate::runtime::lifecycle::owner::{Command, Live};
use crate::runtime::lifecycle::start;
use crate::runtime::models::choice::ModelRequest;
use crate::session::derived::outline::turn::Turn;
use crate::session::derived::outline::{Filter, Outline};
use crate::session::derived::recent::Chosen;
use crate::session::store::listing::{self, StoredSession};
use crate::session::{EntryBody, Session, SessionError};

fn ended() -> Report {
    Report::new("the session has ended")
}

impl Handle {
    /// Returns the session's tree.
    #[doc(hidden)]
    pub async fn outline(&self, filter: Filter) -> Result<Outline, Report> {
        self.ask(|reply| Ask::Outline(filter, reply)).await
    }

    /// Returns the text of the entries, one line each; missing entries are skipped.
    pub async fn words(&self, entries: Vec<String>) -> Result<Vec<(String, String)>, Report> {
        self.ask(|reply| Ask::Words(entries, reply)).await
    }

    /// Returns the turn that an entry belongs to.
    #[doc(hidden)]
    pub async fn turn(&self, entry: String) -> Result<Option<Turn>, Report> {
        self.ask(|reply| Ask::Turn(entry, reply)).await
    }

    /// Sets or removes the label of an entry.
    pub async fn label(&self, entry: String, label: Option<String>) -> Result<(), Report> {
        self.ask(|reply| Ask::Label(entry, label, reply)).await?
    }

    /// Names the session.
    pub async fn name(&self, name: String) -> Result<(), Report> {
        self.ask(|reply| Ask::Name(name, reply)).await?
    }

    /// Moves to another position in the session; the branch that is left stays in the tree. Refused while the
    /// agent works. Returns the message that the user may want to edit.
    pub async fn go(&self, spot: Spot) -> Moved {
        self.go_with(spot, Summary::None).await
    }

    /// Like `go`, with a summary of the branch that is left. The conversation does not move until the summary
    /// is written; [`Handle::abort`] cancels it.
    pub async fn go_with(&self, spot: Spot, summary: Summary) -> Moved {
        self.ask(|reply| Ask::Go(spot, summary, reply)).await?
    }

    /// Moves behind an entry and returns the session's snapshot there.
    pub async fn navigate(&self, entry: &str, summary: Summary) -> Result<Snapshot, Report> {
        self.go_with(Spot::Behind(entry.to_string()), summary).await?;
        self.snapshot().await
    }

    /// Returns a snapshot of the session.
    pub async fn snapshot(&self) -> Result<Snapshot, Report> {
        self.ask(Ask::Snapshot).await
    }

    /// Switches to another session; this one is saved and closed. Interrupts the agent. On failure the
    /// session stays the same.
    pub async fn replace(&self, change: Change) -> Moved {
        self.ask(|reply| Ask::Replace(change, reply)).await?
    }

    /// Returns the sessions of this folder, or of all, most recently active first.
    #[doc(hidden)]
    pub async fn sessions(&self, anywhere: bool) -> Result<Vec<StoredSession>, Report> {
        let options = self.again.options();
        let (root, cwd) = (options.session_root(), options.cwd.to_string_lossy().into_owned());
        let listed = tokio::task::spawn_blocking(move || {
            let mut found = listing::list(&root);
            found.retain(|listed| anywhere || listed.summary.cwd == cwd);
            found
        });
        listed.await.map_err(|error| Report::caused("the work was ended", &error))
    }

    pub(in crate::runtime) async fn ask<T>(
        &self,
        ask: impl FnOnce(oneshot::Sender<T>) -> Ask,
    ) -> Result<T, Report> {
        let (reply, told) = oneshot::channel();
        self.commands.send(Command::Ask(ask(reply))).await.map_err(|_| ended())?;
        told.await.map_err(|_| ended())
    }
}

impl Live {
    pub(in crate::runtime) async fn asked(&mut self, ask: Ask) {
        let recorder = self.driver.listener();
        match ask {
            Ask::Outline(filter, reply) => answer(reply, recorder.session().outline(filter)),
            Ask::Words(ids, reply) => {
                let session = recorder.session();
                let said = ids.into_iter().filter_map(|id| Some((session.words(&id)?, id)));
                answer(reply, said.map(|(words, id)| (id, words)).collect());
            }
            Ask::Turn(id, reply) => answer(reply, recorder.session().turn(&id)),
            Ask::Label(id, label, reply) => {
                let done = recorder.change(|session| session.label(&id, label.as_deref()));
                answer(reply, done.map_err(|error| Report::caused("cannot store the label", &error)));
            }
            Ask::Name(name, reply) => {
                let done =
                    recorder.change(|session| session.append(EntryBody::SessionInfo { name: Some(name) }));
                answer(reply, done.map_err(|error| Report::caused("cannot store the name", &error)));
            }
            Ask::Snapshot(reply) => {
                let snapshot = self.snapshot();
                answer(reply, snapshot);
            }
            Ask::ContextReport(reply) => {
                let contents = self.contents().await;
                answer(reply, contents);
            }
            Ask::SentMessage(id, reply) => answer(reply, recorder.told(&id)),
            Ask::Edit(id, wish, reply) => {
                let edited = self.edit(&id, &wish).await;
                answer(reply, edited);
            }
            Ask::Pin(id, pinned, reply) => answer(reply, recorder.pin(&id, pinned)),
            Ask::Go(spot, summary, reply) => self.go(&spot, summary, reply).await,
            Ask::Replace(change, reply) => {
                let moved = self.replace(change).await;
                answer(reply, moved);
            }
        }
    }

    async fn go(&mut self, spot: &Spot, summary: Summary, reply: oneshot::Sender<Moved>) {
        let (leaf, said) = match self.place_of(spot) {
            Ok(found) => found,
            Err(report) => return answer(reply, Err(report)),
        };
        let instructions = match summary {
            Summary::None => {
                let moved = self.go_to(leaf.as_deref(), said).await;
                return answer(reply, moved);
            }
            Summary::Written => None,
            Summary::WithInstructions(text) => Some(text),
        };
        match self.leaving(leaf.as_deref()) {
            None => {
                let moved = self.go_to(leaf.as_deref(), said).await;
                answer(reply, moved);
            }
            Some(leaving) => {
                self.driver.listener().moving = Some(Moving { reply, said });
                self.driver.leave(leaving, instructions).await;
                self.arrive().await;
            }
        }
    }

    /// Returns the entry that a spot follows, and the user's message there.
    fn place_of(&mut self, spot: &Spot) -> Result<(Option<String>, Option<UserMessage>), Report> {
        if self.driver.working() {
            return Err(busy());
        }
        match spot {
            Spot::Behind(id) if self.driver.listener().session().tree().contains(id) => {
                Ok((Some(id.clone()), None))
            }
            Spot::Behind(id) | Spot::To(id) => self.way_to(id),
            Spot::Root => Ok((None, None)),
        }
    }

    /// Moves to a spot without a summary.
    pub(in crate::runtime) async fn go_now(&mut self, spot: &Spot) -> Moved {
        let (leaf, said) = self.place_of(spot)?;
        self.go_to(leaf.as_deref(), said).await
    }

    async fn go_to(&mut self, leaf: Option<&str>, said: Option<UserMessage>) -> Moved {
        let moved = self.driver.listener().go_to(leaf);
        let chosen = moved.map_err(|error| Report::caused("cannot go there", &error))?;
        self.resume(&chosen).await;
        Ok(said)
    }

    /// Completes a move that waited for a summary, or reports why it failed.
    pub(in crate::runtime) async fn arrive(&mut self) {
        let Some((moving, moved)) = self.driver.listener().arrived.take() else { return };
        match moved {
            Ok(()) => {
                let chosen = self.driver.listener().session().chosen();
                self.resume(&chosen).await;
                answer(moving.reply, Ok(moving.said));
            }
            Err(report) => answer(moving.reply, Err(report)),
        }
    }

    async fn replace(&mut self, change: Change) -> Moved {
        let options = self.again.options().clone();
        let current = self.driver.listener().session().file().map(PathBuf::from);
        let (session, told, said) = match change {
            Change::New(parent) => {
                let begin = |_: &Session| {
                    let session = start::new_session(&options);
                    Ok(parent.iter().fold(session, |session, parent| session.descending_from(parent)))
                };
                self.leave(begin).await?
            }
            Change::Copy => self.leave(|session| session.copy(&options.session_root())).await?,
            Change::Fork(id) => {
                let (leaf, said) = self.way_to(&id)?;
                let fork =
                    |session: &Session| session.fork(&options.session_root(), &options.cwd, leaf.as_deref());
                let (session, told, _) = self.leave(fork).await?;
                (session, told, said)
            }
            Change::Open(path, at) if current.is_some_and(|current| listing::is_same(&current, &path)) => {
                let found = at.map(|at| self.way_to(&at)).transpose()?;
                self.rest().await;
                let Some((leaf, said)) = found else {
                    let chosen = self.driver.listener().session().chosen();
                    self.resume(&chosen).await;
                    return Ok(None);
                };
                return self.go_to(leaf.as_deref(), said).await;
            }
            Change::Open(path, at) => {
                let opened = tokio::task::spawn_blocking(move || open(options, path, at)).await;
                let opened = opened.map_err(|error| Report::caused("the work was ended", &error))??;
                self.rest().await;
                opened
            }
        };
        self.adopt(session, told).await;
        Ok(said)
    }

    fn way_to(&mut self, id: &str) -> Result<(Option<String>, Option<UserMessage>), Report> {
        let session = self.driver.listener().session();
        session.way_to(id).map_err(|error| Report::caused("cannot go there", &error))
    }

    /// Creates a session from the current one, after all writes to that are done.
    async fn leave(
        &mut self,
        make: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<Opened, Report> {
        self.rest().await;
        let other = make(self.driver.listener().session());
        other
            .map(|session| (session, None, None))
            .map_err(|error| Report::caused("cannot start another session", &error))
    }

    /// Interrupts the agent and waits for its end. Queued messages go back to the user.
    async fn rest(&mut self) {
        self.driver.send(Event::Abort).await;
        if let Some(team) = &self.team {
            crate::tools::interaction::delegate::Delegate::close_all(team).await;
        }
        while self.driver.working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.driver.send(Event::TakeQueue).await;
        self.write_ran().await;
        self.settle().await;
        let tools = Arc::clone(&self.driver.tools().shared);
        tokio::join!(
            self.driver.end_work(),
            tools.jobs.end_all(crate::runtime::lifecycle::owner::COMMANDS_LEAVE)
        );
        self.driver.listener().sync().await;
    }

    /// Switches to a session, in place of the current one.
    async fn adopt(&mut self, session: Session, told: Option<Report>) {
        self.again.begin_next();
        let options = self.again.options();
        let checkpoints = self.driver.listener().checkpoints();
        self.driver.tools().shared = start::shared(options, session.id(), self.team.clone(), checkpoints);
        let turns = start::turns(self.driver.config().turns_max, &session);
        self.driver.begin_anew(session.id().to_string(), turns);
        let notices: Vec<Report> = start::problems(&session).into_iter().chain(told).collect();
        let chosen = self.driver.listener().adopt(session);
        self.resume(&chosen).await;
        for report in notices {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }

    /// Resumes the recorder's current conversation: messages, model, thinking level.
    pub(super) async fn resume(&mut self, chosen: &Chosen) {
        self.driver.read_history_later();
        let lost = self.model_of(chosen).await;
        let snapshot = self.snapshot_of(self.hub.wants_recent());
        self.hub.tell(RuntimeEvent::Replaced(Box::new(snapshot))).await;
        if let Some(report) = lost {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        self.snapshot_of(false)
    }

    /// Returns a snapshot with all messages, or only the latest.
    pub(in crate::runtime) fn snapshot_of(&mut self, recent: bool) -> Snapshot {
        let working = self.driver.working();
        let equipment = Arc::new(self.toolset.equipment());
        let offline = !self.catalog.withheld.is_empty();
        Snapshot { offline, ..self.driver.listener().snapshot(working, equipment, recent) }
    }

    /// Switches to the model and thinking level of a conversation. If the model is no longer available, the
    /// current one stays, and a notice is returned.
    async fn model_of(&mut self, chosen: &Chosen) -> Option<Report> {
        let setup = self.driver.setup();
        let (mut model, now) = (setup.model.clone(), setup.thinking);
        let thinking = chosen.thinking.unwrap_or(now);
        let mut lost = None;
        if let Some((provider, id)) = &chosen.model {
            let wish =
                ModelRequest { provider: Some(provider.clone()), id: Some(id.clone()), thinking: None };
            match wish.find(&self.models.all()) {
                Some(found) => model = found,
                None => lost = Some(not_there(provider, id, &model.name)),
            }
        }
        self.answer_by(model.clone(), thinking).await;
        self.driver.listener().take_choice(model, thinking);
        lost
    }
}

/// A session, a notice about how it was opened, and a message that goes back to the user's prompt.
type Opened = (Session, Option<Report>, Option<UserMessage>);

/// Opens a session for this folder, optionally at an entry. A session of another folder is copied to this
/// one.
fn open(options: Options, path: PathBuf, at: Option<String>) -> Result<Opened, Report> {
    let failed = |error: SessionError| Report::caused("cannot open the session", &error);
    // Opening reports why a file cannot be read.
    let folder = listing::read_header(&path).map(|header| header.cwd);
    let Some(folder) = folder.filter(|folder| Path::new(folder) != options.cwd) else {
        let choice = SessionChoice::Open(path);
        let opened = start::open_session(&Options { session: choice, session_name: None, ..options });
        let (mut session, told) = opened?;
        let Some(at) = at else { return Ok((session, told, None)) };
        let (leaf, said) = session.way_to(&at).map_err(failed)?;
        session.branch(leaf.as_deref()).map_err(failed)?;
        return Ok((session, told, said));
    };
    let told = Report::new(format!("session of {folder}: continuing in a copy for this folder"))
        .hint("start bowline there to continue the session itself");
    let there = Session::look_at(&path, options.clock.clone(), options.ids.clone()).map_err(failed)?;
    let (leaf, said) = match at {
        Some(at) => there.way_to(&at).map_err(failed)?,
        None => (there.leaf().map(str::to_string), None),
    };
    let session = there.fork(&options.session_root(), &options.cwd, leaf.as_deref()).map_err(failed)?;
    Ok((session, Some(told), said))
}
