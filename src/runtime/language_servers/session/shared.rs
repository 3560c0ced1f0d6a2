//! The tasks of a session's servers: their starts, files that are opened and closed at them, and their news.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::task::TaskTracker;

use super::state::{Server, ServerId, State, Visit};
use crate::exec::Environment;
use crate::lsp::client::incoming::ServerEvent;
use crate::lsp::client::{OpenDocument, QuestionError};
use crate::lsp::document::PlainText;
use crate::lsp::table::Features;
use crate::runtime::language_servers::process::ServerSpec;
use crate::runtime::language_servers::server::{self, ServerCommand, ServerState, ServerUpdate};

/// Commands and news of a server that wait.
const WAITING_MAX: usize = 256;

/// What tasks share.
pub struct Shared {
    env: Arc<dyn Environment>,
    /// The state.
    pub state: Mutex<State>,
    /// Counts changes of the state.
    changed: watch::Sender<u64>,
    tasks: TaskTracker,
}

/// Keeps a file open at servers.
pub struct Opened {
    shared: Arc<Shared>,
    path: PathBuf,
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        let Some(visit) = state.visits.get_mut(&self.path) else { return };
        visit.holders -= 1;
        if visit.holders > 0 {
            return;
        }
        let Some(visit) = state.visits.remove(&self.path) else { return };
        for (id, _) in visit.servers {
            // Where it cannot be sent, the server has ended or has too much to do; then the file stays open there.
            let sent =
                state.commands(id).map(|commands| commands.try_send(ServerCommand::Close(self.path.clone())));
            if let Some(Err(error)) = sent {
                tracing::debug!(%error, "a file stays open at a language server");
            }
        }
    }
}

impl Shared {
    /// Creates it.
    pub fn new(env: Arc<dyn Environment>) -> Self {
        let (changed, _) = watch::channel(0);
        Self { env, state: Mutex::default(), changed, tasks: TaskTracker::new() }
    }

    /// Returns what counts changes of the state.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn note_change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Returns the server with this name and root; starts it if there is none.
    pub fn running(self: &Arc<Self>, spec: ServerSpec) -> ServerId {
        let mut state = self.state.lock();
        let same =
            |server: &Server| server.spec.name == spec.name && server.spec.options.root == spec.options.root;
        if let Some(id) = state.servers.iter().position(same) {
            return id;
        }
        let id = state.servers.len();
        let (commands, receiver) = mpsc::channel(WAITING_MAX);
        let (updates, news) = mpsc::channel(WAITING_MAX);
        state.servers.push(Server {
            spec: spec.clone(),
            state: ServerState::Starting,
            pulls: true,
            progress: BTreeSet::new(),
            is_loaded: false,
            commands,
        });
        self.tasks.spawn(server::run(self.env.clone(), spec, receiver, updates));
        self.tasks.spawn(read_news(Arc::downgrade(self), id, news));
        id
    }

    /// Opens a file at servers as it is now, until the answer is dropped.
    pub async fn visit(
        shared: &Arc<Self>,
        path: &Path,
        language_id: &str,
        text: String,
        servers: Vec<(ServerId, Features)>,
    ) -> Opened {
        let (text, commands, version) = {
            let mut state = shared.state.lock();
            state.last_version += 1;
            let version = state.last_version;
            let known = state.visits.get_mut(path);
            if let Some(visit) = known.filter(|visit| visit.text.as_str() == text && visit.servers == servers)
            {
                visit.holders += 1;
                return Opened { shared: shared.clone(), path: path.to_path_buf() };
            }
            let text = Arc::new(PlainText::new(text));
            let (earlier, holders) = state
                .visits
                .get(path)
                .map_or((Vec::new(), 1), |visit| (visit.servers.clone(), visit.holders + 1));
            // Those that know it from before hear of the new text, too.
            let mut servers = servers;
            servers.extend(
                earlier
                    .into_iter()
                    .filter(|(id, _)| servers.iter().all(|(known, _)| known != id))
                    .collect::<Vec<_>>(),
            );
            let commands: Vec<_> = servers.iter().filter_map(|(id, _)| state.commands(*id)).collect();
            let visit = Visit { holders, version, text: text.clone(), servers, found: HashMap::new() };
            state.visits.insert(path.to_path_buf(), visit);
            (text, commands, version)
        };
        let opened = Opened { shared: shared.clone(), path: path.to_path_buf() };
        for commands in commands {
            let document = OpenDocument {
                path: path.to_path_buf(),
                language_id: language_id.to_string(),
                version,
                text: text.clone(),
            };
            // One that has ended for good answers nothing later.
            drop(commands.send(ServerCommand::Open(document)).await);
            // Some look only at files that were saved.
            drop(commands.send(ServerCommand::Save(path.to_path_buf())).await);
        }
        opened
    }

    /// Asks a server for the diagnostics of a file, if it gives them only when asked.
    pub fn pull(shared: &Arc<Self>, id: ServerId, path: PathBuf) {
        let (commands, pulls) = {
            let state = shared.state.lock();
            (state.commands(id), state.servers.get(id).is_some_and(|server| server.pulls))
        };
        let Some(commands) = commands.filter(|_| pulls) else { return };
        let weak = Arc::downgrade(shared);
        shared.tasks.spawn(async move {
            let (asked, answer) = oneshot::channel();
            // A server that has ended gives no answer.
            drop(commands.send(ServerCommand::Client(asked)).await);
            // It would keep the server.
            drop(commands);
            let Ok(Ok(client)) = answer.await else { return };
            let found = client.pull_diagnostics(&path).await;
            let Some(shared) = weak.upgrade() else { return };
            match found {
                Ok((found, _)) => {
                    let mut state = shared.state.lock();
                    for found in found {
                        state.take_in(id, found);
                    }
                }
                Err(QuestionError::NotOffered) => {
                    if let Some(server) = shared.state.lock().servers.get_mut(id) {
                        server.pulls = false;
                    }
                }
                Err(error) => tracing::debug!(%error, "a language server gives no diagnostics"),
            }
            shared.note_change();
        });
    }

    /// Ends all servers, and waits for that. Afterwards others can be started.
    pub async fn end(&self) {
        {
            let mut state = self.state.lock();
            // Without a sender of commands a server ends.
            state.servers.clear();
            state.visits.clear();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn take_in(self: &Arc<Self>, id: ServerId, update: ServerUpdate) {
        match update {
            ServerUpdate::State(state) => {
                let is_running = matches!(state, ServerState::Running { .. });
                self.state.lock().set_state(id, state);
                if is_running {
                    self.pull_all(id);
                }
            }
            ServerUpdate::Event(ServerEvent::Diagnostics(found)) => {
                self.state.lock().take_in(id, found);
            }
            ServerUpdate::Event(
                ServerEvent::PullDiagnostics | ServerEvent::OffersChanged { pulls: true, .. },
            ) => {
                if let Some(server) = self.state.lock().servers.get_mut(id) {
                    server.pulls = true;
                }
                self.pull_all(id);
            }
            ServerUpdate::Event(ServerEvent::Progress { token, text, .. }) => {
                if let Some(server) = self.state.lock().servers.get_mut(id) {
                    if text.is_some() {
                        server.progress.insert(token);
                    } else {
                        server.progress.remove(&token);
                    }
                }
            }
            ServerUpdate::Event(ServerEvent::ApplyEdit(requested)) => {
                requested.reply.answer(Err("files are changed only by tools"));
            }
            ServerUpdate::Event(event) => tracing::debug!(?event, "a language server says something"),
        }
        self.note_change();
    }

    /// Asks a server for the diagnostics of all its files.
    fn pull_all(self: &Arc<Self>, id: ServerId) {
        let paths: Vec<PathBuf> = {
            let state = self.state.lock();
            let asked = |(path, _): &(&PathBuf, &Visit)| state.asked_for_diagnostics(path).contains(&id);
            state.visits.iter().filter(asked).map(|(path, _)| path.clone()).collect()
        };
        for path in paths {
            Self::pull(self, id, path);
        }
    }
}

/// Takes in the news of a server until it has ended.
async fn read_news(shared: Weak<Shared>, id: ServerId, mut news: mpsc::Receiver<ServerUpdate>) {
    while let Some(update) = news.recv().await {
        if let Some(shared) = shared.upgrade() {
            shared.take_in(id, update);
        }
    }
}
