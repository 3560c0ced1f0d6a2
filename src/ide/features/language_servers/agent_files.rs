//! Files that are open at servers for the agent: those that are open in the editor anyway, and others for as long as a tool
//! needs them. Must not know what is asked.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::oneshot;

use crate::ide::core::context::{Cx, Tasks, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::language_servers::agent::answer;
use crate::ide::features::language_servers::questions::client_or_reason;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, Serving};
use crate::ide::features::language_servers::{start, sync};
use crate::ide::features::plugins;
use crate::ide::features::plugins::state::Permit;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::diagnostics::Source;
use crate::lsp::client::OpenDocument;
use crate::lsp::document::PlainText;
use crate::runtime::language_servers::search::{Found, Search, read_text};
use crate::runtime::language_servers::server::ServerCommand;
use crate::tools::interaction::language_servers::{FileDiagnostic, NoServers, OpenFile, OpenServer};

/// Where a tool waits for a file.
type Reply = oneshot::Sender<Result<OpenFile, NoServers>>;

/// A file that is open at servers and nowhere else.
pub struct Visit {
    /// Its version there, unique while the program runs.
    pub version: u64,
    /// Its text there.
    pub text: Arc<PlainText>,
    /// Its servers.
    pub servers: Vec<Serving>,
    /// What each server found, as it sent it and as it was asked.
    pub found: HashMap<Source, Vec<FileDiagnostic>>,
    /// How many tools need it open.
    holders: usize,
}

impl Visit {
    /// Whether a server has looked at it.
    pub fn is_seen_by(&self, server: u32) -> bool {
        self.found.keys().any(|source| source.server == server)
    }
}

/// Returns the open text of a file that servers know.
pub fn open_text(state: &State, path: &PathBuf) -> Option<BufferId> {
    let texts = &state.slots[LANGUAGE_SERVERS].texts;
    texts.iter().find(|(_, text)| text.path == *path).map(|(id, _)| *id)
}

/// Opens a file at its servers, which are started if need be, and waits at most so long until they answer.
pub fn open(cx: &mut Cx<'_>, path: PathBuf, wait: Duration, reply: Reply) {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(table) = known.table.clone().filter(|_| known.is_on) else {
        return answer(reply, Err(NoServers::Off));
    };
    if let Some(text) = open_text(cx.state, &path).and_then(|id| known.texts.get(&id)) {
        let servers = text.servers.clone();
        return wait_for_clients(cx, Opening { path, servers, guard: None, wait, reply });
    }
    let (env, workspace) = (cx.env.clone(), cx.state.workspace.clone());
    let trust = plugins::run::program_trust(cx.state);
    let work = async move {
        let text = read_text(&*env, &path).await.map_err(NoServers::File)?;
        let found = Search::of_text(env, table, path.clone(), (workspace, trust), &text).run().await;
        let found = found.map_err(|error| NoServers::Environment(error.to_string()))?;
        Ok::<_, NoServers>((path, text, found.ok_or(NoServers::UnknownLanguage)?))
    };
    cx.tasks.spawn("language-servers.open-for-agent", work, move |cx, found| {
        match answer_or_error(cx, "look for language servers", found) {
            Some(Ok((path, text, found))) => start_for(cx, found, (path, text), wait, reply),
            Some(Err(reason)) => answer(reply, Err(reason)),
            None => answer(reply, Err(NoServers::NotRunning("they could not be looked up".to_string()))),
        }
    });
}

/// Starts the servers of a file and opens it at them.
fn start_for(cx: &mut Cx<'_>, found: Found, (path, text): (PathBuf, String), wait: Duration, reply: Reply) {
    if found.wanted.is_empty() {
        let known = found.known.join(", ");
        let reason =
            if known.is_empty() { NoServers::UnknownLanguage } else { NoServers::NotInstalled(known) };
        return answer(reply, Err(reason));
    }
    if found.wanted.iter().any(|wanted| start::permit(cx.state, wanted) != Permit::Given) {
        start::request_trust(cx, &found.wanted);
        return answer(reply, Err(NoServers::Untrusted));
    }
    if let Some(known) =
        open_text(cx.state, &path).and_then(|id| cx.state.slots[LANGUAGE_SERVERS].texts.get(&id))
    {
        // The user has opened it meanwhile.
        let servers = known.servers.clone();
        return wait_for_clients(cx, Opening { path, servers, guard: None, wait, reply });
    }
    let wanted = found.wanted.into_iter();
    let servers: Vec<Serving> = wanted
        .map(|wanted| Serving { features: wanted.features, server: start::running(cx, wanted.spec) })
        .collect();
    visit(cx, &path, &found.language_id, servers.clone(), text);
    if let Some(visit) = cx.state.slots[LANGUAGE_SERVERS].visits.get_mut(&path) {
        visit.holders += 1;
    }
    let guard: Box<dyn Any + Send + Sync> = Box::new(Held { tasks: cx.tasks.clone(), path: path.clone() });
    wait_for_clients(cx, Opening { path, servers, guard: Some(guard), wait, reply });
}

/// A file that is being opened.
struct Opening {
    path: PathBuf,
    servers: Vec<Serving>,
    guard: Option<Box<dyn Any + Send + Sync>>,
    wait: Duration,
    reply: Reply,
}

/// Answers once the servers do, or it takes too long.
fn wait_for_clients(cx: &mut Cx<'_>, opening: Opening) {
    let Opening { path, servers, guard, wait, reply } = opening;
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let asked = servers.into_iter().filter_map(|serving| {
        let server = known.server(serving.server)?;
        let (spec, features) = (server.spec.clone(), serving.features);
        let client = client_or_reason(server);
        Some(async move {
            match tokio::time::timeout(wait, client).await {
                Ok(Ok(client)) => Ok(OpenServer { name: spec.name, client, features }),
                Ok(Err(reason)) => Err(spec.not_running(&reason)),
                Err(_) => Err(spec.not_running("it has not answered in time")),
            }
        })
    });
    let asked: Vec<_> = asked.collect();
    let work = async move { join_all(asked).await };
    cx.tasks.spawn("language-servers.clients", work, move |cx, found| {
        let found = answer_or_error(cx, "ask language servers", found).unwrap_or_default();
        let (mut servers, mut reasons) = (Vec::new(), Vec::new());
        for server in found {
            match server {
                Ok(server) => servers.push(server),
                Err(reason) => reasons.push(reason),
            }
        }
        if servers.is_empty() {
            return answer(reply, Err(NoServers::NotRunning(reasons.join("; "))));
        }
        answer(reply, Ok(OpenFile { path, servers, guard }));
    });
}

/// Keeps a file open for a tool.
struct Held {
    tasks: Tasks,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        let (tasks, path) = (self.tasks.clone(), std::mem::take(&mut self.path));
        self.tasks.detach(async move {
            tasks.post("language-servers.release", move |cx| release(cx.state, &path)).await;
        });
    }
}

fn release(state: &mut State, path: &PathBuf) {
    if let Some(visit) = state.slots[LANGUAGE_SERVERS].visits.get_mut(path) {
        visit.holders = visit.holders.saturating_sub(1);
        leave(state, path);
    }
}

/// Opens a file at servers, or again if its text or its servers are others.
pub fn visit(cx: &mut Cx<'_>, path: &Path, language_id: &str, servers: Vec<Serving>, text: String) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let earlier = known.visits.get(path);
    if earlier.is_some_and(|visit| visit.text.as_str() == text && visit.servers == servers) {
        return;
    }
    let holders = earlier.map_or(0, |visit| visit.holders);
    let mut servers = servers;
    for other in earlier
        .into_iter()
        .flat_map(|visit| &visit.servers)
        .filter(|one| !servers.contains(one))
        .copied()
        .collect::<Vec<_>>()
    {
        if holders > 0 {
            servers.push(other);
        } else if let Some(server) = known.server(other.server) {
            server.send(ServerCommand::Close(path.to_path_buf()));
        }
    }
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
    let visit = Visit { version, text, servers, found: HashMap::new(), holders };
    known.visits.insert(path.to_path_buf(), visit);
}

/// Closes a visited file, unless a tool needs it or waits for what is wrong in it, or it was opened meanwhile.
pub fn leave(state: &mut State, path: &PathBuf) {
    let is_open = open_text(state, path).is_some();
    let known = &mut state.slots[LANGUAGE_SERVERS];
    let is_waited_for = known.waiting_for_errors.iter().any(|question| question.path == *path);
    let is_held = known.visits.get(path).is_some_and(|visit| visit.holders > 0);
    if is_waited_for || is_held && !is_open {
        return;
    }
    let Some(visit) = known.visits.remove(path) else { return };
    for server in visit.servers.iter().filter_map(|serving| known.server(serving.server)) {
        if !is_open {
            server.send(ServerCommand::Close(path.clone()));
        }
    }
}
