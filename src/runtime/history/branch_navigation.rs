//! Navigation in a session's tree and to other sessions, while front ends keep the same live session.
//!
//! Must not know who displays it. Subscribers get [`RuntimeEvent::Replaced`] in order with all other events,
//! so that no event of the old conversation follows it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::navigation::{
    MoveResult, NavigationTarget, PendingMove, SessionRequest, SessionSwitch, agent_busy, model_unavailable,
};
use crate::agent::driver::Listener;
use crate::agent::effect::Event;
use crate::base::error::Report;
use crate::llm::model::UserMessage;
use crate::runtime::controls::client::send_reply;
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::{BranchSummaryChoice, RuntimeEvent, Snapshot};
use crate::runtime::lifecycle::options::{Options, SessionChoice};
use crate::runtime::lifecycle::owner::{Command, LiveSession};
use crate::runtime::lifecycle::start;
use crate::runtime::models::choice::ModelRequest;
use crate::session::derived::outline::turn::{Turn, TurnSummary};
use crate::session::derived::outline::{Filter, Outline};
use crate::session::derived::recent::ModelChoice;
use crate::session::store::hidden_branches;
use crate::session::store::listing::{self, StoredSession};
use crate::session::{EntryBody, Session, SessionError};

/// Returns the first entries of the hidden branches of a session.
pub(super) fn hidden(session: &Session) -> BTreeSet<String> {
    session.file().map_or_else(BTreeSet::new, hidden_branches::read)
}

/// Stores whether a branch of a session is hidden.
fn hide(session: &Session, entry: &str, is_hidden: bool) -> Result<(), Report> {
    let file = session.file();
    let file = file.ok_or_else(|| Report::new("the session is not stored: its branches cannot be hidden"))?;
    let stored = hidden_branches::set(file, entry, is_hidden).map(drop);
    stored.map_err(|error| Report::caused("cannot store the hidden branches", &error))
}

fn session_ended() -> Report {
    Report::new("the session has ended")
}

impl Handle {
    /// Returns the session's tree.
    #[doc(hidden)]
    pub async fn outline(&self, filter: Filter) -> Result<Outline, Report> {
        self.session_request(|reply| SessionRequest::Outline(filter, reply)).await
    }

    /// Returns the text of the entries, one line each; missing entries are skipped.
    pub async fn entry_lines(&self, entries: Vec<String>) -> Result<Vec<(String, String)>, Report> {
        self.session_request(|reply| SessionRequest::EntryLines(entries, reply)).await
    }

    /// Returns the turn that an entry belongs to.
    #[doc(hidden)]
    pub async fn turn(&self, entry: String) -> Result<Option<Turn>, Report> {
        self.session_request(|reply| SessionRequest::Turn(entry, reply)).await
    }

    /// Returns what the turns of these messages of the user did; other entries are skipped.
    #[doc(hidden)]
    pub async fn turn_summaries(&self, entries: Vec<String>) -> Result<Vec<(String, TurnSummary)>, Report> {
        self.session_request(|reply| SessionRequest::TurnSummaries(entries, reply)).await
    }

    /// Sets or removes the label of an entry.
    pub async fn set_label(&self, entry: String, label: Option<String>) -> Result<(), Report> {
        self.session_request(|reply| SessionRequest::Label(entry, label, reply)).await?
    }

    /// Returns the first entries of the branches that the user has hidden in the session's tree.
    #[doc(hidden)]
    pub async fn hidden_branches(&self) -> Result<BTreeSet<String>, Report> {
        self.session_request(SessionRequest::HiddenBranches).await?
    }

    /// Hides the branch that begins with an entry in the session's tree, or shows it again. Fails for a session that
    /// is not stored.
    #[doc(hidden)]
    pub async fn hide_branch(&self, entry: String, is_hidden: bool) -> Result<(), Report> {
        self.session_request(|reply| SessionRequest::HideBranch(entry, is_hidden, reply)).await?
    }

    /// Names the session.
    pub async fn rename_session(&self, name: String) -> Result<(), Report> {
        self.session_request(|reply| SessionRequest::Name(name, reply)).await?
    }

    /// Moves to another position in the session; the branch that is left stays in the tree. Refused while the
    /// agent works. Returns the message that the user may want to edit.
    pub async fn go(&self, spot: NavigationTarget) -> MoveResult {
        self.go_with(spot, BranchSummaryChoice::None).await
    }

    /// Like `go`, with a summary of the branch that is left. The conversation does not move until the summary
    /// is written; [`Handle::abort`] cancels it.
    pub async fn go_with(&self, spot: NavigationTarget, summary: BranchSummaryChoice) -> MoveResult {
        self.session_request(|reply| SessionRequest::Go(spot, summary, reply)).await?
    }

    /// Moves to the position after an entry and returns the session's snapshot there.
    pub async fn navigate(&self, entry: &str, summary: BranchSummaryChoice) -> Result<Snapshot, Report> {
        self.go_with(NavigationTarget::After(entry.to_string()), summary).await?;
        self.snapshot().await
    }

    /// Returns a snapshot of the session.
    pub async fn snapshot(&self) -> Result<Snapshot, Report> {
        self.session_request(SessionRequest::Snapshot).await
    }

    /// Switches to another session; this one is saved and closed. Interrupts the agent. On failure the
    /// session stays the same.
    pub async fn replace(&self, change: SessionSwitch) -> MoveResult {
        self.session_request(|reply| SessionRequest::Replace(change, reply)).await?
    }

    /// Returns the sessions of this folder, or of all, most recently active first.
    #[doc(hidden)]
    pub async fn sessions(&self, anywhere: bool) -> Result<Vec<StoredSession>, Report> {
        let options = self.reloader.options();
        let (root, cwd) = (options.session_root(), options.cwd.to_string_lossy().into_owned());
        let listed = tokio::task::spawn_blocking(move || {
            let mut found = listing::list(&root);
            found.retain(|listed| anywhere || listed.summary.cwd == cwd);
            found
        });
        listed.await.map_err(|error| Report::caused("the work was ended", &error))
    }

    pub(in crate::runtime) async fn session_request<T>(
        &self,
        ask: impl FnOnce(oneshot::Sender<T>) -> SessionRequest,
    ) -> Result<T, Report> {
        let (reply, response) = oneshot::channel();
        self.commands.send(Command::SessionRequest(ask(reply))).await.map_err(|_| session_ended())?;
        response.await.map_err(|_| session_ended())
    }
}

impl LiveSession {
    pub(in crate::runtime) async fn handle_session_request(&mut self, ask: SessionRequest) {
        let recorder = self.driver.listener();
        match ask {
            SessionRequest::Outline(filter, reply) => send_reply(reply, recorder.session().outline(filter)),
            SessionRequest::EntryLines(ids, reply) => {
                let session = recorder.session();
                let lines = ids.into_iter().filter_map(|id| Some((session.entry_line(&id)?, id)));
                send_reply(reply, lines.map(|(words, id)| (id, words)).collect());
            }
            SessionRequest::Turn(id, reply) => send_reply(reply, recorder.session().turn(&id)),
            SessionRequest::TurnSummaries(ids, reply) => {
                send_reply(reply, recorder.session().turn_summaries(&ids));
            }
            SessionRequest::Points(from, to, reply) => {
                send_reply(reply, (recorder.session().points(&from, &to), recorder.checkpoints()));
            }
            SessionRequest::Label(id, label, reply) => {
                let done = recorder.change_metadata(|session| session.set_label(&id, label.as_deref()));
                send_reply(reply, done.map_err(|error| Report::caused("cannot store the label", &error)));
            }
            SessionRequest::HiddenBranches(reply) => send_reply(reply, Ok(hidden(recorder.session()))),
            SessionRequest::HideBranch(id, is_hidden, reply) => {
                send_reply(reply, hide(recorder.session(), &id, is_hidden));
            }
            SessionRequest::Name(name, reply) => {
                let done = recorder
                    .change_metadata(|session| session.append(EntryBody::SessionInfo { name: Some(name) }));
                send_reply(reply, done.map_err(|error| Report::caused("cannot store the name", &error)));
            }
            SessionRequest::Snapshot(reply) => {
                let snapshot = self.snapshot();
                send_reply(reply, snapshot);
            }
            SessionRequest::ContextReport(reply) => {
                let contents = self.context_report().await;
                send_reply(reply, contents);
            }
            SessionRequest::SentMessage(id, reply) => send_reply(reply, recorder.sent_message(&id)),
            SessionRequest::Edit(id, edit, reply) => {
                let edited = self.edit(&id, &edit).await;
                send_reply(reply, edited);
            }
            SessionRequest::Pin(id, pinned, reply) => send_reply(reply, recorder.pin(&id, pinned)),
            SessionRequest::Go(spot, summary, reply) => self.go(&spot, summary, reply).await,
            SessionRequest::Replace(change, reply) => {
                let moved = self.replace(change).await;
                send_reply(reply, moved);
            }
        }
    }

    async fn go(
        &mut self,
        spot: &NavigationTarget,
        summary: BranchSummaryChoice,
        reply: oneshot::Sender<MoveResult>,
    ) {
        let (leaf, message) = match self.resolve_target(spot) {
            Ok(found) => found,
            Err(report) => return send_reply(reply, Err(report)),
        };
        let instructions = match summary {
            BranchSummaryChoice::None => {
                let moved = self.go_to(leaf.as_deref(), message).await;
                return send_reply(reply, moved);
            }
            BranchSummaryChoice::Written => None,
            BranchSummaryChoice::WithInstructions(text) => Some(text),
        };
        match self.branch_summary_plan(leaf.as_deref()) {
            None => {
                let moved = self.go_to(leaf.as_deref(), message).await;
                send_reply(reply, moved);
            }
            Some(branch_plan) => {
                self.driver.listener().pending_move = Some(PendingMove { reply, message });
                self.driver.leave_branch(branch_plan, instructions).await;
                self.complete_move().await;
            }
        }
    }

    /// Returns the entry that a spot follows, and the user's message there.
    fn resolve_target(
        &mut self,
        spot: &NavigationTarget,
    ) -> Result<(Option<String>, Option<UserMessage>), Report> {
        if self.driver.is_working() {
            return Err(agent_busy());
        }
        match spot {
            NavigationTarget::After(id) if self.driver.listener().session().tree().contains(id) => {
                Ok((Some(id.clone()), None))
            }
            NavigationTarget::After(id) | NavigationTarget::To(id) => self.branch_point(id),
            NavigationTarget::Root => Ok((None, None)),
        }
    }

    /// Moves to a spot without a summary.
    pub(in crate::runtime) async fn go_without_summary(&mut self, spot: &NavigationTarget) -> MoveResult {
        let (leaf, message) = self.resolve_target(spot)?;
        self.go_to(leaf.as_deref(), message).await
    }

    async fn go_to(&mut self, leaf: Option<&str>, message: Option<UserMessage>) -> MoveResult {
        let moved = self.driver.listener().go_to(leaf);
        let chosen = moved.map_err(|error| Report::caused("cannot go there", &error))?;
        self.resume(&chosen).await;
        Ok(message)
    }

    /// Completes a move that waited for a summary, or reports why it failed.
    pub(in crate::runtime) async fn complete_move(&mut self) {
        let Some((moving, moved)) = self.driver.listener().finished_move.take() else { return };
        match moved {
            Ok(()) => {
                let chosen = self.driver.listener().session().model_choice();
                self.resume(&chosen).await;
                send_reply(moving.reply, Ok(moving.message));
            }
            Err(report) => send_reply(moving.reply, Err(report)),
        }
    }

    async fn replace(&mut self, change: SessionSwitch) -> MoveResult {
        let options = self.reloader.options().clone();
        let current = self.driver.listener().session().file().map(PathBuf::from);
        let (session, notice, message) = match change {
            SessionSwitch::New(parent) => {
                let begin = |_: &Session| {
                    let session = start::new_session(&options);
                    Ok(parent.iter().fold(session, |session, parent| session.with_parent(parent)))
                };
                self.create_from_current(begin).await?
            }
            SessionSwitch::Copy => {
                self.create_from_current(|session| session.copy(&options.session_root())).await?
            }
            SessionSwitch::Fork(id) => {
                let (leaf, message) = self.branch_point(&id)?;
                let fork =
                    |session: &Session| session.fork(&options.session_root(), &options.cwd, leaf.as_deref());
                let (session, notice, _) = self.create_from_current(fork).await?;
                (session, notice, message)
            }
            SessionSwitch::Open(path, at)
                if current.is_some_and(|current| listing::is_same(&current, &path)) =>
            {
                let found = at.map(|at| self.branch_point(&at)).transpose()?;
                self.stop_agent().await;
                let Some((leaf, message)) = found else {
                    let chosen = self.driver.listener().session().model_choice();
                    self.resume(&chosen).await;
                    return Ok(None);
                };
                return self.go_to(leaf.as_deref(), message).await;
            }
            SessionSwitch::Open(path, at) => {
                let opened = tokio::task::spawn_blocking(move || open_for_folder(options, path, at)).await;
                let opened = opened.map_err(|error| Report::caused("the work was ended", &error))??;
                self.stop_agent().await;
                opened
            }
        };
        self.adopt(session, notice).await;
        Ok(message)
    }

    fn branch_point(&mut self, id: &str) -> Result<(Option<String>, Option<UserMessage>), Report> {
        let session = self.driver.listener().session();
        session.branch_point(id).map_err(|error| Report::caused("cannot go there", &error))
    }

    /// Creates a session from the current one, after all writes to that are done.
    async fn create_from_current(
        &mut self,
        make: impl FnOnce(&Session) -> Result<Session, SessionError>,
    ) -> Result<OpenedSession, Report> {
        self.stop_agent().await;
        let other = make(self.driver.listener().session());
        other
            .map(|session| (session, None, None))
            .map_err(|error| Report::caused("cannot start another session", &error))
    }

    /// Interrupts the agent and waits for its end. Queued messages go back to the user.
    async fn stop_agent(&mut self) {
        self.driver.send(Event::Abort).await;
        if let Some(subagents) = &self.subagents {
            crate::tools::interaction::delegate::Delegate::close_all(subagents).await;
        }
        while self.driver.is_working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        self.driver.send(Event::TakeQueue).await;
        self.write_user_commands().await;
        self.update_lifecycle().await;
        let tools = Arc::clone(&self.driver.tools().shared);
        tokio::join!(
            self.driver.stop_work(),
            tools.jobs.end_all(crate::runtime::lifecycle::owner::COMMANDS_GRACE)
        );
        self.driver.listener().sync().await;
    }

    /// Switches to a session, in place of the current one.
    async fn adopt(&mut self, session: Session, notice: Option<Report>) {
        self.reloader.count_session();
        let options = self.reloader.options();
        let checkpoints = self.driver.listener().checkpoints();
        let jobs = self.driver.tools().shared.jobs.published().clone();
        self.driver.tools().shared =
            start::shared(options, session.id(), self.subagents.clone(), checkpoints, jobs);
        let (tools, root) =
            (self.driver.tools().shared.clone(), self.driver.tools().env.root().to_path_buf());
        self.driver.listener().watch_errors(tools, root);
        let turns = start::count_turns(self.driver.config().turns_max, &session);
        self.driver.reset(session.id().to_string(), turns);
        let notices: Vec<Report> = start::problems(&session).into_iter().chain(notice).collect();
        let chosen = self.driver.listener().adopt(session).await;
        self.resume(&chosen).await;
        for report in notices {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }

    /// Resumes the recorder's current conversation: messages, model, thinking level.
    pub(super) async fn resume(&mut self, chosen: &ModelChoice) {
        self.driver.load_history_lazily();
        let lost = self.restore_model(chosen).await;
        let snapshot = self.make_snapshot(self.hub.wants_recent());
        self.hub.send(RuntimeEvent::Replaced(Box::new(snapshot))).await;
        if let Some(report) = lost {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        self.make_snapshot(false)
    }

    /// Returns a snapshot with all messages, or only the latest.
    pub(in crate::runtime) fn make_snapshot(&mut self, recent: bool) -> Snapshot {
        let working = self.driver.is_working();
        let active_tools = Arc::new(self.toolset.active_tools());
        let offline = !self.catalog.offline_excluded.is_empty();
        let approval_mode = self.driver.tools().mode.get();
        Snapshot { approval_mode, offline, ..self.driver.listener().snapshot(working, active_tools, recent) }
    }

    /// Switches to the model and thinking level of a conversation. If the model is no longer available, the
    /// current one stays, and a notice is returned.
    async fn restore_model(&mut self, chosen: &ModelChoice) -> Option<Report> {
        let setup = self.driver.setup();
        let (mut model, now) = (setup.model.clone(), setup.thinking);
        let thinking = chosen.thinking.unwrap_or(now);
        let mut lost = None;
        if let Some((provider, id)) = &chosen.model {
            let request =
                ModelRequest { provider: Some(provider.clone()), id: Some(id.clone()), thinking: None };
            match request.find(&self.models.all()) {
                Some(found) => model = found,
                None => lost = Some(model_unavailable(provider, id, &model.name)),
            }
        }
        self.set_model(model.clone(), thinking).await;
        self.driver.listener().set_recorded_model(model, thinking);
        lost
    }
}

/// A session, a notice about how it was opened, and a message that goes back to the user's prompt.
type OpenedSession = (Session, Option<Report>, Option<UserMessage>);

/// Opens a session for this folder, optionally at an entry. A session of another folder is copied to this
/// one.
fn open_for_folder(options: Options, path: PathBuf, at: Option<String>) -> Result<OpenedSession, Report> {
    let failed = |error: SessionError| Report::caused("cannot open the session", &error);
    // Opening reports why a file cannot be read.
    let folder = listing::read_header(&path).map(|header| header.cwd);
    let Some(folder) = folder.filter(|folder| Path::new(folder) != options.cwd) else {
        let choice = SessionChoice::Open(path);
        let opened = start::open_session(&Options { session: choice, session_name: None, ..options });
        let (mut session, notice) = opened?;
        let Some(at) = at else { return Ok((session, notice, None)) };
        let (leaf, message) = session.branch_point(&at).map_err(failed)?;
        session.branch(leaf.as_deref()).map_err(failed)?;
        return Ok((session, notice, message));
    };
    let notice = Report::new(format!("session of {folder}: continuing in a copy for this folder"))
        .hint("start bowline there to continue the session itself");
    let there = Session::open_read_only(&path, options.clock.clone(), options.ids.clone()).map_err(failed)?;
    let (leaf, message) = match at {
        Some(at) => there.branch_point(&at).map_err(failed)?,
        None => (there.leaf().map(str::to_string), None),
    };
    let session = there.fork(&options.session_root(), &options.cwd, leaf.as_deref()).map_err(failed)?;
    Ok((session, Some(notice), message))
}
