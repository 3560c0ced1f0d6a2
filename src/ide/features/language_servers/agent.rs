//! The editor's servers as the agent's tools ask them, and what they find wrong in files: in open ones what they say of the open
//! text, in others what they say when the file is opened at them. Must not know tools.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio::sync::oneshot;

use crate::ide::core::context::{Cx, Tasks, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Serving};
use crate::ide::features::language_servers::{agent_files, questions, sync, updates};
use crate::ide::features::plugins;
use crate::ide::model::diagnostics::Source;
use crate::lsp::answers::diagnostics::Diagnostic;
use crate::lsp::client::incoming::FileDiagnostics;
use crate::lsp::document::DocumentText;
use crate::lsp::position::Encoding;
use crate::lsp::table::{Feature, Features};
use crate::runtime::language_servers::search::{Search, read_text};
use crate::runtime::language_servers::server::{ServerCommand, ServerState};
use crate::text::display::columns;
use crate::tools::interaction::language_servers::{
    FileDiagnostic, FoundDiagnostics, LanguageServers, NoServers, OpenFile, OpenServer, Purpose, ServerStatus,
};

/// How long further answers are waited for after all servers have given one.
const QUIET: Duration = Duration::from_millis(400);

/// Where the agent waits for the errors of a file.
type Reply = oneshot::Sender<Option<FoundDiagnostics>>;

/// A question of the agent that is not answered yet.
pub struct Waiting {
    /// The file.
    pub path: PathBuf,
    /// Until when servers may look, on the monotonic clock.
    until: Duration,
    /// When the last answer came.
    answered_at: Option<Duration>,
    reply: Option<Reply>,
}

impl Waiting {
    /// Whether all servers have answered, so that only further answers are waited for.
    pub fn is_answered(&self) -> bool {
        self.answered_at.is_some()
    }
}

/// The port of the agent's tools.
pub struct EditorServers(Tasks);

impl EditorServers {
    /// Returns a port for the event loop of these tasks.
    pub fn new(tasks: Tasks) -> Self {
        Self(tasks)
    }

    /// Asks the event loop; `None` if it has ended, because the question and its reply are dropped then.
    fn ask<T: Send + 'static>(
        &self,
        name: &'static str,
        question: impl FnOnce(&mut Cx<'_>, oneshot::Sender<T>) + Send + 'static,
    ) -> BoxFuture<'static, Option<T>> {
        let tasks = self.0.clone();
        async move {
            let (reply, answer) = oneshot::channel();
            tasks.post(name, move |cx| question(cx, reply)).await;
            answer.await.ok()
        }
        .boxed()
    }
}

impl LanguageServers for EditorServers {
    fn diagnostics(
        &self,
        path: PathBuf,
        wait: Duration,
        purpose: Purpose,
    ) -> BoxFuture<'static, Option<FoundDiagnostics>> {
        let begin = move |cx: &mut Cx<'_>, reply| begin(cx, path, wait, purpose, reply);
        self.ask("language-servers.errors", begin).map(Option::flatten).boxed()
    }

    fn open(&self, path: PathBuf, wait: Duration) -> BoxFuture<'static, Result<OpenFile, NoServers>> {
        let begin = move |cx: &mut Cx<'_>, reply| agent_files::open(cx, path, wait, reply);
        let opened = self.ask("language-servers.open", begin);
        opened.map(|opened| opened.unwrap_or(Err(NoServers::Off))).boxed()
    }

    fn running(&self) -> BoxFuture<'static, Vec<OpenServer>> {
        let all = self.ask("language-servers.running", |cx, reply| {
            let servers = cx.state.slots[LANGUAGE_SERVERS].servers.iter();
            let asked = servers.filter(|server| server.is_running()).map(|server| {
                let (name, client) = (server.spec.name.clone(), questions::client(server));
                async move { Some(OpenServer { name, client: client.await?, features: Features::ALL }) }
            });
            answer(reply, asked.collect::<Vec<_>>());
        });
        async move { join_all(all.await.unwrap_or_default()).await.into_iter().flatten().collect() }.boxed()
    }

    fn status(&self) -> BoxFuture<'static, Vec<ServerStatus>> {
        let all = self.ask("language-servers.status", |cx, reply| {
            let servers = cx.state.slots[LANGUAGE_SERVERS].servers.iter();
            answer(reply, servers.map(RunningServer::status).collect());
        });
        all.map(Option::unwrap_or_default).boxed()
    }

    fn restart(&self, name: Option<String>) -> BoxFuture<'static, Vec<String>> {
        let names = self.ask("language-servers.restart", move |cx, reply| {
            let servers = cx.state.slots[LANGUAGE_SERVERS].servers.iter();
            let named = servers.filter(|server| name.as_ref().is_none_or(|name| server.spec.name == *name));
            // What the user has stopped stays so.
            let named = named.filter(|server| server.state != ServerState::Stopped);
            let sent = named.filter(|server| server.send(ServerCommand::Restart));
            answer(reply, sent.map(|server| server.spec.name.clone()).collect());
        });
        names.map(Option::unwrap_or_default).boxed()
    }

    /// The servers are the editor's.
    fn end(&self) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }
}

/// Begins to look for what is wrong in a file.
fn begin(cx: &mut Cx<'_>, path: PathBuf, wait: Duration, purpose: Purpose, reply: Reply) {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let runs = known.servers.iter().any(RunningServer::is_running);
    let is_wanted = purpose == Purpose::Question || known.reports_to_agent;
    let Some(table) = known.table.clone().filter(|_| runs && is_wanted) else {
        return answer(reply, None);
    };
    let until = cx.now + wait;
    if agent_files::open_text(cx.state, &path).is_some() {
        if is_complete(cx.state, &path) {
            return answer(reply, found(cx.state, &path));
        }
        return watch(cx, &path, until, reply);
    }
    if purpose == Purpose::Question {
        // Who asks holds it open, as it is.
        return watch(cx, &path, until, reply);
    }
    let started: Vec<(u32, String, PathBuf)> = known.servers.iter().map(RunningServer::place).collect();
    let (env, workspace) = (cx.env.clone(), cx.state.workspace.clone());
    let trust = plugins::run::program_trust(cx.state);
    let work = async move {
        let text = read_text(&*env, &path).await.ok()?;
        let search = Search::of_text(env, table, path.clone(), (workspace, trust), &text);
        let (language_id, serving) = search.started(&started).await?;
        Some((path, language_id, serving, text))
    };
    cx.tasks.spawn("language-servers.visit", work, move |cx, read| {
        let Some((path, language_id, serving, text)) = answer_or_error(cx, "read a file", read).flatten()
        else {
            return answer(reply, None);
        };
        let serving = serving.into_iter().map(|(server, features)| Serving { server, features });
        let known = &cx.state.slots[LANGUAGE_SERVERS];
        let is_asked = |serving: &Serving| {
            let server = known.server(serving.server);
            serving.features.contains(Feature::Diagnostics) && server.is_some_and(RunningServer::is_running)
        };
        let servers: Vec<Serving> = serving.filter(is_asked).collect();
        if servers.is_empty() {
            return answer(reply, None);
        }
        if agent_files::open_text(cx.state, &path).is_none() {
            agent_files::visit(cx, &path, &language_id, servers, text);
        }
        watch(cx, &path, until, reply);
    });
}

/// Answers a call, which may have been interrupted.
pub fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    drop(reply.send(value));
}

/// Waits for what the servers of a file say.
fn watch(cx: &mut Cx<'_>, path: &PathBuf, until: Duration, reply: Reply) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.waiting_for_errors.push(Waiting {
        path: path.clone(),
        until,
        answered_at: None,
        reply: Some(reply),
    });
    for serving in servers_of(cx.state, path) {
        updates::pull(cx, serving.server, path.clone());
    }
    settle(cx);
}

/// Returns the servers that run and are asked for the diagnostics of a file.
fn servers_of(state: &State, path: &PathBuf) -> Vec<Serving> {
    let known = &state.slots[LANGUAGE_SERVERS];
    let open = known.texts.values().find(|text| text.path == *path).map(|text| text.servers.as_slice());
    let servers = open.or_else(|| known.visits.get(path).map(|visit| visit.servers.as_slice()));
    let asked = servers.unwrap_or_default().iter();
    let runs = |serving: &&Serving| {
        let server = known.server(serving.server);
        server.is_some_and(RunningServer::is_running)
    };
    asked.filter(|serving| serving.features.contains(Feature::Diagnostics)).filter(runs).copied().collect()
}

/// Takes in what a server found in a file that is not open; returns whether it is visited.
pub fn take_in(state: &mut State, number: u32, found: &FileDiagnostics) -> bool {
    let Some(visit) = state.slots[LANGUAGE_SERVERS].visits.get_mut(&found.path) else { return false };
    if let Some((_, ranges)) = found.text.as_ref().filter(|(version, _)| *version == visit.version) {
        let one = |(diagnostic, bytes): (&Diagnostic, &Range<usize>)| {
            let start = visit.text.position(bytes.start, Encoding::Utf32);
            let place = (start.line as usize + 1, start.character as usize + 1);
            FileDiagnostic::new(diagnostic, place, bytes.clone())
        };
        let all = found.diagnostics.iter().zip(ranges).map(one).collect();
        visit.found.insert(Source { server: number, is_pulled: found.is_pulled }, all);
    }
    true
}

/// Answers the questions about which enough is known, and those that have waited long enough.
pub fn settle(cx: &mut Cx<'_>) {
    let now = cx.now;
    let mut waiting = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].waiting_for_errors);
    let mut ended = Vec::new();
    for question in &mut waiting {
        let is_complete = is_complete(cx.state, &question.path);
        // What the user types meanwhile is looked at, too.
        question.answered_at = is_complete.then(|| question.answered_at.unwrap_or(now));
        let is_quiet = question.answered_at.is_some_and(|at| now >= at + QUIET);
        if is_quiet || now >= question.until {
            if let Some(reply) = question.reply.take() {
                answer(reply, found(cx.state, &question.path));
            }
            ended.push(question.path.clone());
        }
    }
    waiting.retain(|question| question.reply.is_some());
    cx.state.slots[LANGUAGE_SERVERS].waiting_for_errors.extend(waiting);
    for path in ended {
        agent_files::leave(cx.state, &path);
    }
}

/// Whether all servers of a file have looked at it as it is.
fn is_complete(state: &State, path: &PathBuf) -> bool {
    let known = &state.slots[LANGUAGE_SERVERS];
    let servers = servers_of(state, path);
    match (agent_files::open_text(state, path), known.visits.get(path)) {
        (Some(id), _) => {
            let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id);
            let version = buffer.map(|buffer| buffer.area.document.version());
            let view = buffer.map(|buffer| &buffer.servers);
            servers.iter().all(|serving| view.is_some_and(|view| view.seen_by(serving.server) == version))
        }
        (None, Some(visit)) => servers.iter().all(|serving| visit.is_seen_by(serving.server)),
        // It was closed, or its servers have ended.
        (None, None) => true,
    }
}

/// Returns what is wrong in a file as far as servers have looked at it as it is; `None` if none has.
fn found(state: &State, path: &PathBuf) -> Option<FoundDiagnostics> {
    let is_complete = is_complete(state, path);
    let servers = servers_of(state, path);
    if let Some(id) = agent_files::open_text(state, path) {
        let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id)?;
        let (text, version) = (buffer.area.text(), buffer.area.document.version());
        let has_looked = |number: u32| buffer.servers.seen_by(number) == Some(version);
        servers.iter().any(|serving| has_looked(serving.server)).then_some(())?;
        // What the others found before may be mended.
        let marks = buffer.servers.diagnostics.by_server().filter(|(number, _)| has_looked(*number));
        let marks = marks.map(|(_, mark)| {
            let (line, column) =
                (text.line_of(mark.range.start), columns::column_of(text, mark.range.start, 1));
            let bytes = mark.range.start.0..mark.range.end.0;
            FileDiagnostic::new(&mark.diagnostic, (line.0 + 1, column.0 + 1), bytes)
        });
        return Some(FoundDiagnostics { all: marks.collect(), is_complete });
    }
    let visit = state.slots[LANGUAGE_SERVERS].visits.get(path).filter(|visit| !visit.found.is_empty())?;
    let sources = visit
        .servers
        .iter()
        .flat_map(|serving| [false, true].map(|is_pulled| Source { server: serving.server, is_pulled }));
    let all = sources.filter_map(|source| visit.found.get(&source)).flatten();
    Some(FoundDiagnostics { all: all.cloned().collect(), is_complete })
}

/// Returns when a question has waited long enough, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    let waiting = state.slots[LANGUAGE_SERVERS].waiting_for_errors.iter();
    waiting
        .map(|question| question.answered_at.map_or(question.until, |at| (at + QUIET).min(question.until)))
        .min()
}
