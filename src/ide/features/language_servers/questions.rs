//! Questions to the servers of the shown text: what is at the caret, and where it is defined and used. Each is about the
//! text as it is when the question is asked.

use std::path::PathBuf;

use tokio::sync::oneshot;

use crate::base::width::visible;
use crate::ide::core::condition::{Reason, require};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Location, PickRow};
use crate::ide::core::state::State;
use crate::ide::features::files::place_list;
use crate::ide::features::language_servers::hover;
use crate::ide::features::language_servers::places::PlaceReader;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::ask_when_still::{Basis, Question, ShownText};
use crate::lsp::answers::locations;
use crate::lsp::client::{Client, LocationKind, QuestionError};
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;
use crate::runtime::language_servers::server::{ServerCommand, ServerState};
use crate::text::position::Byte;

/// Returns the client of a server once everything that was sent before has been; `None` if it does not run.
pub fn client(server: &RunningServer) -> impl Future<Output = Option<Client>> + Send + use<> {
    let client = client_or_reason(server);
    async move { client.await.ok() }
}

/// Returns the same, or why it does not run.
pub fn client_or_reason(
    server: &RunningServer,
) -> impl Future<Output = Result<Client, String>> + Send + use<> {
    let (sender, receiver) = oneshot::channel();
    server.send(ServerCommand::Client(sender));
    async move { receiver.await.unwrap_or_else(|_| Err("it has too much to do".to_string())) }
}

/// A server serves the shown text.
pub fn has_server(state: &State) -> Result<(), Reason> {
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let is_served = shown.is_some_and(|id| state.slots[LANGUAGE_SERVERS].texts.contains_key(&id));
    require(is_served, why_none(state, "No language server for this file"))
}

/// Returns why there is no server: the folder is not trusted, the user has switched them off, or else as given.
pub fn why_none(state: &State, otherwise: &'static str) -> Reason {
    let known = &state.slots[LANGUAGE_SERVERS];
    if !known.is_on {
        return Reason::new("Language servers are switched off").with_remedy("Settings", "settings.open");
    }
    if !known.waiting.is_empty() {
        return Reason::new("Language servers need a trusted folder").with_remedy("Trust it", "trust.give");
    }
    Reason::new(otherwise)
}

/// A server was started.
pub fn has_servers(state: &State) -> Result<(), Reason> {
    let is_started = !state.slots[LANGUAGE_SERVERS].servers.is_empty();
    let has_file = state.buffers.all().iter().any(|buffer| buffer.path.is_some());
    let otherwise =
        if has_file { "No language server is installed for the open files" } else { "No file open" };
    require(is_started, why_none(state, otherwise))
}

/// A server that is asked.
pub struct AskedServer {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its client; see [`client`].
    pub client: futures::future::BoxFuture<'static, Option<Client>>,
}

/// A question about the caret of the shown text.
pub struct Asked {
    /// The text.
    pub buffer: BufferId,
    /// Its file, as servers know it.
    pub path: PathBuf,
    /// The caret.
    pub at: Byte,
    /// The servers that are asked, in the order of the table.
    pub servers: Vec<AskedServer>,
}

/// Returns the servers of a text that are asked for a feature.
pub fn asked_servers(state: &State, id: BufferId, feature: Feature) -> Vec<AskedServer> {
    state.slots[LANGUAGE_SERVERS].for_feature(id, feature).into_iter().map(asked).collect()
}

/// Returns a server that is to be asked.
pub fn asked(server: &RunningServer) -> AskedServer {
    AskedServer { number: server.number, name: server.spec.name.clone(), client: Box::pin(client(server)) }
}

/// A server, by number, and why it does not answer.
pub type Problem = (u32, QuestionError);

/// Notes in the logs of servers why they do not answer what the user did not ask by hand: nothing nags. `what` says what
/// they were asked for.
pub fn note_problems(state: &mut State, what: &str, problems: Vec<Problem>) {
    for (number, error) in problems {
        if let Some(server) = state.slots[LANGUAGE_SERVERS].server_mut(number) {
            server.note_problem(what, &error);
        }
    }
}

/// Returns the texts on the screen, and who is asked about them for a feature.
pub fn shown_texts(state: &State, feature: Feature) -> Vec<ShownText> {
    let known = &state.slots[LANGUAGE_SERVERS];
    let mut shown: Vec<ShownText> = Vec::new();
    for rows in state.visible_rows.iter().chain(&state.other_visible_rows) {
        if let Some(text) = shown.iter_mut().find(|text| text.buffer == rows.buffer) {
            text.visible.extend(rows.visible_ranges());
            continue;
        }
        let buffer = state.buffers.all().iter().find(|buffer| buffer.id == rows.buffer);
        let Some(buffer) = buffer.filter(|buffer| buffer.servers.is_followed()) else { continue };
        let servers = known.for_feature(rows.buffer, feature).into_iter();
        let servers = servers.filter(|server| server.is_running()).map(|server| server.number).collect();
        let version = buffer.area.document.version();
        let basis = Basis { version, servers, epoch: known.epoch(feature) };
        shown.push(ShownText { buffer: rows.buffer, basis, visible: rows.visible_ranges() });
    }
    shown
}

/// What the servers of a text answer.
pub struct Answers<T> {
    /// The answers, each with the number of its server, in the order of the table.
    pub found: Vec<(u32, T)>,
    /// Whether a server has failed to answer, so that what is known already counts more than nothing.
    pub has_failed: bool,
    /// Whether one may have an answer a moment later.
    pub is_passing: bool,
}

/// Asks the servers of a text for a feature, all at once, and without a word to the user: problems are in their logs.
pub fn ask_about<T, W>(
    cx: &mut Cx<'_>,
    task: &'static str,
    feature: Feature,
    question: &Question,
    ask: impl Fn(Client, PathBuf) -> W + Send + Sync + 'static,
    done: impl FnOnce(&mut Cx<'_>, Answers<T>) + Send + 'static,
) where
    T: Send + 'static,
    W: Future<Output = Result<T, QuestionError>> + Send + 'static,
{
    sync::flush(cx.state);
    let path = cx.state.slots[LANGUAGE_SERVERS].texts.get(&question.buffer).map(|text| text.path.clone());
    let servers = asked_servers(cx.state, question.buffer, feature);
    let cancel = question.cancel.clone();
    let work = async move {
        let Some(path) = path else { return Some(Vec::new()) };
        let asked = servers.into_iter().map(|AskedServer { number, client, .. }| {
            let (ask, path) = (&ask, path.clone());
            async move { Some((number, ask(client.await?, path).await)) }
        });
        cancel.run_until_cancelled(futures::future::join_all(asked)).await
    };
    cx.tasks.spawn(task, work, move |cx, answer| {
        let Some(Some(answers)) = answer_or_error(cx, "ask language servers", answer) else { return };
        let mut all = Answers { found: Vec::new(), has_failed: false, is_passing: false };
        for (number, answer) in answers.into_iter().flatten() {
            match answer {
                Ok(found) => all.found.push((number, found)),
                Err(QuestionError::NotOffered) => {}
                Err(error) => {
                    (all.has_failed, all.is_passing) = (true, all.is_passing || error.is_passing());
                    if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
                        server.note_problem(feature.name(), &error);
                    }
                }
            }
        }
        done(cx, all);
    });
}

/// Sends what was typed, and returns the question to the servers of a feature; the user reads why if there are none.
pub fn ask(cx: &mut Cx<'_>, feature: Feature) -> Option<Asked> {
    sync::flush(cx.state);
    let buffer = cx.state.buffers.current()?;
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(served) = known.texts.get(&buffer.id) else {
        cx.state.set_error("No language server for this file");
        return None;
    };
    let servers = asked_servers(cx.state, buffer.id, feature);
    if servers.is_empty() {
        cx.state.set_error(format!("No language server of this file is asked for {}", feature.name()));
        return None;
    }
    if let Some(reason) = why_all_ended(cx.state, buffer.id, feature) {
        cx.state.set_error(reason);
        return None;
    }
    Some(Asked { buffer: buffer.id, path: served.path.clone(), at: buffer.area.caret(), servers })
}

/// Why none of the servers of a text can answer, if all have ended.
fn why_all_ended(state: &State, id: BufferId, feature: Feature) -> Option<String> {
    let servers = state.slots[LANGUAGE_SERVERS].for_feature(id, feature);
    let has_ended = |server: &&RunningServer| {
        matches!(
            server.state,
            ServerState::Stopped | ServerState::Failed { .. } | ServerState::Waiting { .. }
        )
    };
    let first = servers.first().filter(|_| servers.iter().all(has_ended))?;
    let servers = state.how_to("lsp.servers");
    Some(format!("{} {}. Language servers: {servers}", visible(&first.spec.name), first.state.words()))
}

/// Returns for the user why a server has not done what it was asked for. The protocol's words for that are in the log of the
/// program.
pub fn failure(server: &str, what: &str, error: &QuestionError) -> String {
    tracing::warn!(server, what, %error, "a language server has not done what the user wanted");
    match error {
        // A refused edit says what it was to change.
        QuestionError::Edit(error) => format!("{server}: {error}"),
        error => format!("{server}: {what} failed: {}", error.reason()),
    }
}

/// Why no server has an answer: the last problem, in a few words.
pub fn no_answer(problems: &[String], otherwise: &str) -> String {
    problems.last().map_or_else(|| otherwise.to_string(), |problem| visible(problem).into_owned())
}

/// Shows what the servers and their diagnostics say about the caret.
pub fn show_hover(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::Hover) else { return };
    let buffer = cx.state.buffers.current();
    let marks = buffer.into_iter().flat_map(|buffer| buffer.servers.diagnostics.touching(asked.at..asked.at));
    let found: Vec<_> = marks.map(|mark| mark.diagnostic.clone()).collect();
    let (width, is_linear) = (hover::width(cx.state.size), cx.state.is_accessible());
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let work = async move {
        let mut parts: Vec<String> = found.iter().map(hover::diagnostic_markdown).collect();
        let mut problems = Vec::new();
        for AskedServer { name, client, .. } in asked.servers {
            let answer = match client.await {
                Some(client) => client.hover(&asked.path, asked.at.0).await,
                None => continue,
            };
            match answer {
                Ok(Some((hover, _))) => parts.push(hover.markdown),
                Ok(None) | Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&name, "documentation", &error)),
            }
        }
        let text = parts.join("\n\n---\n\n");
        if text.is_empty() {
            Err(no_answer(&problems, "Nothing known here"))
        } else {
            Ok(hover::lay_out(text, width, is_linear).await)
        }
    };
    cx.tasks.spawn("language-servers.hover", work, move |cx, answer| {
        match answer_or_error(cx, "ask language servers", answer) {
            // The user has gone on meanwhile.
            Some(_) if !is_at(cx.state, id, version, at) => {}
            Some(Ok(shown)) => hover::open(cx, shown),
            Some(Err(reason)) => cx.state.set_status(reason),
            None => {}
        }
    });
}

/// Returns the version of the shown text.
pub fn shown_version(state: &State) -> u64 {
    state.buffers.current().map_or(0, |buffer| buffer.area.document.version())
}

/// Whether the shown text and its caret are as they were, and nothing is open above it.
pub fn is_at(state: &State, id: BufferId, version: u64, at: Byte) -> bool {
    is_text_at(state, id, version, at) && state.layers.is_empty()
}

/// Whether the shown text and its caret are as they were.
pub fn is_text_at(state: &State, id: BufferId, version: u64, at: Byte) -> bool {
    let buffer = state.buffers.current().filter(|buffer| buffer.id == id);
    let is_same = |buffer: &crate::ide::model::buffers::Buffer| {
        buffer.area.document.version() == version && buffer.area.caret() == at
    };
    buffer.is_some_and(is_same)
}

/// Goes to the location of what is at the caret, or lists several.
pub fn go_to(cx: &mut Cx<'_>, kind: LocationKind) {
    let feature = match kind {
        LocationKind::Declaration => Feature::GotoDeclaration,
        LocationKind::Definition => Feature::GotoDefinition,
        LocationKind::TypeDefinition => Feature::GotoTypeDefinition,
        LocationKind::Implementation => Feature::GotoImplementation,
        LocationKind::References => Feature::GotoReference,
    };
    let Some(asked) = ask(cx, feature) else { return };
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let reader = PlaceReader::new(cx);
    let work = async move {
        let mut found: Vec<(locations::Location, Encoding)> = Vec::new();
        let mut problems = Vec::new();
        for AskedServer { name, client, .. } in asked.servers {
            let Some(client) = client.await else { continue };
            match client.locations(kind, &asked.path, asked.at.0).await {
                Ok(locations) => {
                    let encoding = client.encoding();
                    let new = locations.into_iter().filter(|at| found.iter().all(|(known, _)| known != at));
                    let new: Vec<_> = new.map(|location| (location, encoding)).collect();
                    found.extend(new);
                }
                Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&name, what(kind), &error)),
            }
        }
        if found.is_empty() { Err(no_answer(&problems, nothing(kind))) } else { Ok(reader.rows(found).await) }
    };
    cx.tasks.spawn("language-servers.locations", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok(rows) => show_rows(cx, kind, rows),
            Err(reason) => cx.state.set_status(reason),
        }
    });
}

/// What the server is asked for.
fn what(kind: LocationKind) -> &'static str {
    match kind {
        LocationKind::Declaration => "go to declaration",
        LocationKind::Definition => "go to definition",
        LocationKind::TypeDefinition => "go to type definition",
        LocationKind::Implementation => "go to implementation",
        LocationKind::References => "find references",
    }
}

/// What is shown when there is none.
fn nothing(kind: LocationKind) -> &'static str {
    match kind {
        LocationKind::Declaration => "No declaration found",
        LocationKind::Definition => "No definition found",
        LocationKind::TypeDefinition => "No type definition found",
        LocationKind::Implementation => "No implementation found",
        LocationKind::References => "No references found",
    }
}

/// The title of the list.
fn title(kind: LocationKind) -> &'static str {
    match kind {
        LocationKind::Declaration => "declarations",
        LocationKind::Definition => "definitions",
        LocationKind::TypeDefinition => "type definitions",
        LocationKind::Implementation => "implementations",
        LocationKind::References => "references",
    }
}

/// Goes to the only location, or lists all. References are always listed: the user wants to see them.
fn show_rows(cx: &mut Cx<'_>, kind: LocationKind, rows: Vec<PickRow>) {
    let only = rows.first().filter(|_| rows.len() == 1 && kind != LocationKind::References);
    if let Some(place) = only.and_then(|row| row.pick.get::<Location>()) {
        return place_list::go_to(cx, place);
    }
    cx.state.slots[LANGUAGE_SERVERS].locations = (title(kind), rows);
    cx.defer_picker("language-server-locations");
}
