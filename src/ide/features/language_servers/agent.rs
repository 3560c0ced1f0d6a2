//! What servers find wrong in the files that the agent edits: in open ones what they say of the open text, in others what
//! they say when the file is opened at the servers that run already. Must not know tools.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::ide::core::context::{Cx, Tasks, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::start::Disk;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Serving};
use crate::ide::features::language_servers::{sync, updates};
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::diagnostics::{Diagnostic, Severity};
use crate::lsp::client::OpenDocument;
use crate::lsp::client::incoming::FileDiagnostics;
use crate::lsp::document::PlainText;
use crate::lsp::table::root::server_root;
use crate::lsp::table::{Feature, Table};
use crate::runtime::language_servers::server::ServerCommand;
use crate::text::display::columns;
use crate::tools::interaction::diagnostics::{Diagnostics, FileError, FoundErrors};

/// How long further answers are waited for after all servers have given one.
const QUIET: Duration = Duration::from_millis(400);
/// Maximum bytes of a file that is opened at servers.
const FILE_MAX: u64 = 4 << 20;
/// Bytes at the begin of a file by which its language is known.
const FIRST_LINE_MAX: usize = 200;

/// Where the agent waits for the errors of a file.
type Reply = oneshot::Sender<Option<FoundErrors>>;

/// A question of the agent that is not answered yet.
pub struct Waiting {
    path: PathBuf,
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

/// A file that is open at servers and nowhere else.
pub struct Visit {
    /// Its version there, unique while the program runs.
    version: u64,
    servers: Vec<Serving>,
    /// What each server found.
    found: HashMap<u32, Vec<FileError>>,
}

/// The port of the agent's tools.
pub struct ServerDiagnostics(Tasks);

impl ServerDiagnostics {
    /// Returns a port for the event loop of these tasks.
    pub fn new(tasks: Tasks) -> Self {
        Self(tasks)
    }
}

impl Diagnostics for ServerDiagnostics {
    fn errors(&self, path: PathBuf, wait: Duration) -> BoxFuture<'static, Option<FoundErrors>> {
        let tasks = self.0.clone();
        async move {
            let (reply, found) = oneshot::channel();
            tasks.post("language-servers.errors", move |cx| begin(cx, path, wait, reply)).await;
            // If the event loop has ended, the question and its reply are dropped.
            found.await.ok().flatten()
        }
        .boxed()
    }
}

/// Begins to look for the errors of a file.
fn begin(cx: &mut Cx<'_>, path: PathBuf, wait: Duration, reply: Reply) {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let runs = known.servers.iter().any(RunningServer::is_running);
    let Some(table) = known.table.clone().filter(|_| runs && known.reports_to_agent) else {
        return answer(reply, None);
    };
    let until = cx.now + wait;
    if open_text(cx.state, &path).is_some() {
        if is_complete(cx.state, &path) {
            return answer(reply, errors(cx.state, &path));
        }
        return watch(cx, &path, until, reply);
    }
    let (env, workspace) = (cx.env.clone(), cx.state.workspace.clone());
    let started = known.servers.iter();
    let started = started
        .map(|server| (server.number, server.spec.name.clone(), server.spec.options.root.clone()))
        .collect();
    let work = async move {
        let size = env.stat(&path).await.ok()?.size;
        let data = if size <= FILE_MAX { env.read(&path).await.ok()? } else { return None };
        let text = String::from_utf8(data.bytes).ok()?;
        let line = text.lines().next().unwrap_or_default();
        let first_line = line[..line.floor_char_boundary(FIRST_LINE_MAX)].to_string();
        let (language_id, wanted) = running_of(&table, path.clone(), workspace, &first_line, started).await?;
        Some((path, language_id, wanted, text))
    };
    cx.tasks.spawn("language-servers.visit", work, move |cx, read| {
        let Some((path, language_id, wanted, text)) = answer_or_error(cx, "read a file", read).flatten()
        else {
            return answer(reply, None);
        };
        let known = &cx.state.slots[LANGUAGE_SERVERS];
        let runs = |serving: &Serving| {
            let server = known.server(serving.server);
            server.is_some_and(RunningServer::is_running)
        };
        let servers: Vec<Serving> = wanted.into_iter().filter(runs).collect();
        if servers.is_empty() {
            return answer(reply, None);
        }
        if open_text(cx.state, &path).is_none() {
            visit(cx, &path, &language_id, servers, text);
        }
        watch(cx, &path, until, reply);
    });
}

/// Returns what servers call the language of a file, and those of the started ones (number, name and root) that are asked for
/// its diagnostics; `None` for a file of no known language. Programs are not looked up: none is started for this.
async fn running_of(
    table: &Arc<Table>,
    path: PathBuf,
    workspace: PathBuf,
    first_line: &str,
    started: Vec<(u32, String, PathBuf)>,
) -> Option<(String, Vec<Serving>)> {
    let language = table.for_file(&path, first_line)?.clone();
    let language_id = language.language_id.clone();
    let table = table.clone();
    let found = on_thread(move || {
        let uses = table.servers_of(&language);
        let asked = uses.iter().filter(|row| row.features.contains(Feature::Diagnostics));
        let serving = asked.filter_map(|row| {
            let root = server_root(&path, &workspace, &language, row.server, &Disk)?;
            let is_it = |(_, name, at): &&(u32, String, PathBuf)| *name == row.server.name && *at == root;
            let (server, ..) = started.iter().find(is_it)?;
            Some(Serving { server: *server, features: row.features })
        });
        serving.collect()
    });
    Some((language_id, found.await))
}

fn answer(reply: Reply, errors: Option<FoundErrors>) {
    // The call may have been interrupted.
    drop(reply.send(errors));
}

/// Returns the open text of a file that servers know.
fn open_text(state: &State, path: &PathBuf) -> Option<BufferId> {
    let texts = &state.slots[LANGUAGE_SERVERS].texts;
    texts.iter().find(|(_, text)| text.path == *path).map(|(id, _)| *id)
}

/// Opens a file at servers.
fn visit(cx: &mut Cx<'_>, path: &Path, language_id: &str, servers: Vec<Serving>, text: String) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.last_visit += 1;
    let version = known.last_visit;
    let text = Arc::new(PlainText::new(text));
    for serving in &servers {
        let Some(server) = known.server(serving.server) else { continue };
        server.send(ServerCommand::Open(OpenDocument {
            path: path.to_path_buf(),
            language_id: language_id.to_string(),
            version,
            text: text.clone(),
        }));
        // Some look only at files that were saved.
        server.send(ServerCommand::Save(path.to_path_buf()));
    }
    known.visits.insert(path.to_path_buf(), Visit { version, servers, found: HashMap::new() });
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
    if found.text.as_ref().is_some_and(|(version, _)| *version == visit.version) {
        let errors = found.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let errors = errors.map(|found| {
            let start = found.range.start;
            error(found, (start.line as usize + 1, start.character as usize + 1))
        });
        visit.found.insert(number, errors.collect());
    }
    true
}

fn error(found: &Diagnostic, (line, column): (usize, usize)) -> FileError {
    FileError { line, column, message: found.message.clone(), origin: found.origin() }
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
                answer(reply, errors(cx.state, &question.path));
            }
            ended.push(question.path.clone());
        }
    }
    waiting.retain(|question| question.reply.is_some());
    cx.state.slots[LANGUAGE_SERVERS].waiting_for_errors.extend(waiting);
    for path in ended {
        leave(cx.state, &path);
    }
}

/// Whether all servers of a file have looked at it as it is.
fn is_complete(state: &State, path: &PathBuf) -> bool {
    let known = &state.slots[LANGUAGE_SERVERS];
    let servers = servers_of(state, path);
    match (open_text(state, path), known.visits.get(path)) {
        (Some(id), _) => {
            let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id);
            let version = buffer.map(|buffer| buffer.area.document.version());
            let view = buffer.map(|buffer| &buffer.servers);
            servers.iter().all(|serving| view.is_some_and(|view| view.seen_by(serving.server) == version))
        }
        (None, Some(visit)) => servers.iter().all(|serving| visit.found.contains_key(&serving.server)),
        // It was closed, or its servers have ended.
        (None, None) => true,
    }
}

/// Returns the errors of a file as far as servers have looked at it as it is; `None` if none has.
fn errors(state: &State, path: &PathBuf) -> Option<FoundErrors> {
    let is_complete = is_complete(state, path);
    let servers = servers_of(state, path);
    if let Some(id) = open_text(state, path) {
        let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id)?;
        let (text, version) = (buffer.area.text(), buffer.area.document.version());
        let has_looked = |serving: &Serving| buffer.servers.seen_by(serving.server) == Some(version);
        servers.iter().any(has_looked).then_some(())?;
        let marks = buffer.servers.diagnostics.all();
        let marks = marks.filter(|mark| mark.diagnostic.severity == Severity::Error);
        let place = |at| {
            let line = text.line_of(at);
            (line.0 + 1, columns::column_of(text, at, 1).0 + 1)
        };
        let errors = marks.map(|mark| error(&mark.diagnostic, place(mark.range.start))).collect();
        return Some(FoundErrors { errors, is_complete });
    }
    let visit = state.slots[LANGUAGE_SERVERS].visits.get(path).filter(|visit| !visit.found.is_empty())?;
    Some(FoundErrors { errors: visit.found.values().flatten().cloned().collect(), is_complete })
}

/// Closes a visited file, unless another question waits for it, or it was opened meanwhile.
fn leave(state: &mut State, path: &PathBuf) {
    let is_open = open_text(state, path).is_some();
    let known = &mut state.slots[LANGUAGE_SERVERS];
    if known.waiting_for_errors.iter().any(|question| question.path == *path) {
        return;
    }
    let Some(visit) = known.visits.remove(path) else { return };
    for server in visit.servers.iter().filter_map(|serving| known.server(serving.server)) {
        if !is_open {
            server.send(ServerCommand::Close(path.clone()));
        }
    }
}

/// Returns when a question has waited long enough, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    let waiting = state.slots[LANGUAGE_SERVERS].waiting_for_errors.iter();
    waiting
        .map(|question| question.answered_at.map_or(question.until, |at| (at + QUIET).min(question.until)))
        .min()
}
