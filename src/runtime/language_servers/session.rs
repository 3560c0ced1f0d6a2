//! The language servers of a session without a screen: started when a tool asks about a file, ended with the session.
//!
//! Must not know tools. With a screen the editor's servers are asked instead, which know its unsaved texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{OnceCell, oneshot};
use tokio::time::Instant;

use self::shared::{Opened, Shared};
use self::state::ServerId;
use super::process::ServerSpec;
use super::search::{self, Search, WantedServer};
use super::server::ServerCommand;
use super::table_files;
use crate::exec::Environment;
use crate::lsp::capabilities::watched_files::FileChange;
use crate::lsp::client::Client;
use crate::lsp::table::{Feature, Features, Table};
use crate::runtime::agent_setup::trust_requests::{ProgramTrust, TrustRequests};
use crate::tools::interaction::language_servers::{
    FoundDiagnostics, LanguageServers, NoServers, OpenFile, OpenServer, Purpose, ServerStatus,
};

pub mod shared;
pub mod state;

/// How long further answers are waited for after all servers have given one.
const QUIET: Duration = Duration::from_millis(400);
/// A server that was started and says nothing of what it does for so long has read the project, and how long it may take at most.
const LOAD_PAUSE: Duration = Duration::from_millis(300);
const LOAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long servers that run may take to be reached.
const RUNNING_TIMEOUT: Duration = Duration::from_secs(2);
/// How long servers may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(8);

/// Where the servers are, and what the user lets them do.
#[derive(Clone)]
pub struct SessionOptions {
    /// Files and programs.
    pub env: Arc<dyn Environment>,
    /// The workspace.
    pub workspace: PathBuf,
    /// The settings folder.
    pub config: PathBuf,
    /// The folder of stored answers about trust.
    pub state: PathBuf,
    /// What `~` expands to.
    pub home: PathBuf,
    /// Whether servers are used at all.
    pub is_on: bool,
    /// Whether errors after edits are reported.
    pub reports_edits: bool,
    /// Bytes of memory that each may use.
    pub memory_max: Arc<AtomicU64>,
}

impl SessionOptions {
    /// Whether the user has trusted the folder as it is now. Blocking.
    fn is_trusted(&self) -> std::io::Result<bool> {
        TrustRequests::read(&self.workspace, &self.home).are_trusted(&self.workspace, &self.state, None)
    }
}

/// The servers of a session.
pub struct SessionServers(Arc<Inner>);

struct Inner {
    options: SessionOptions,
    table: OnceCell<Arc<Table>>,
    shared: Arc<Shared>,
}

impl SessionServers {
    /// Creates it. Nothing is read or started.
    pub fn new(options: SessionOptions) -> Self {
        let shared = Arc::new(Shared::new(options.env.clone()));
        Self(Arc::new(Inner { options, table: OnceCell::new(), shared }))
    }

    /// Whether servers are used, and the user has trusted the folder as it is now. Blocking.
    pub fn may_start(&self) -> bool {
        let options = &self.0.options;
        options.is_on && options.is_trusted().unwrap_or_default()
    }
}

impl LanguageServers for SessionServers {
    fn diagnostics(
        &self,
        path: PathBuf,
        wait: Duration,
        purpose: Purpose,
    ) -> BoxFuture<'static, Option<FoundDiagnostics>> {
        let inner = self.0.clone();
        async move { inner.diagnostics(path, wait, purpose).await }.boxed()
    }

    fn open(&self, path: PathBuf, wait: Duration) -> BoxFuture<'static, Result<OpenFile, NoServers>> {
        let inner = self.0.clone();
        async move { inner.open(path, wait).await }.boxed()
    }

    fn running(&self) -> BoxFuture<'static, Vec<OpenServer>> {
        let inner = self.0.clone();
        async move {
            let until = Instant::now() + RUNNING_TIMEOUT;
            let all = inner.shared.state.lock().running();
            let mut servers = Vec::new();
            for (id, name, _) in all {
                if let Ok(client) = inner.client(id, until).await {
                    servers.push(OpenServer { name, client, features: Features::ALL });
                }
            }
            servers
        }
        .boxed()
    }

    fn status(&self) -> BoxFuture<'static, Vec<ServerStatus>> {
        let all = self.0.shared.state.lock().status();
        std::future::ready(all).boxed()
    }

    fn restart(&self, name: Option<String>) -> BoxFuture<'static, Vec<String>> {
        let shared = self.0.shared.clone();
        async move {
            let servers = shared.state.lock().commands_of(name.as_deref());
            let mut names = Vec::new();
            for (name, commands) in servers {
                if commands.send(ServerCommand::Restart).await.is_ok() {
                    names.push(name);
                }
            }
            names
        }
        .boxed()
    }

    fn files_changed(&self, changes: Vec<(PathBuf, FileChange)>) -> BoxFuture<'static, ()> {
        let inner = self.0.clone();
        async move {
            let until = Instant::now() + RUNNING_TIMEOUT;
            let all = inner.shared.state.lock().running();
            for (id, name, _) in all {
                let Ok(client) = inner.client(id, until).await else { continue };
                if let Err(error) = client.files_changed(&changes) {
                    tracing::debug!(%error, name, "a language server does not hear of changed files");
                }
            }
        }
        .boxed()
    }

    fn end(&self) -> BoxFuture<'static, ()> {
        let shared = self.0.shared.clone();
        async move {
            if tokio::time::timeout(END_TIMEOUT, shared.end()).await.is_err() {
                tracing::warn!("language servers do not end");
            }
        }
        .boxed()
    }
}

impl Inner {
    /// Returns the table, read on first use.
    async fn table(&self) -> Result<Arc<Table>, NoServers> {
        let read = || async {
            let (config, workspace) = (self.options.config.clone(), self.options.workspace.clone());
            let read = tokio::task::spawn_blocking(move || table_files::read(&config, &workspace));
            let (table, _) = read.await.map_err(|error| NoServers::File(error.to_string()))?;
            Ok(Arc::new(table))
        };
        self.table.get_or_try_init(read).await.cloned()
    }

    /// Fails unless the user has trusted the folder as it is now.
    async fn check_trust(&self) -> Result<(), NoServers> {
        let options = self.options.clone();
        match tokio::task::spawn_blocking(move || options.is_trusted()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(NoServers::Untrusted),
            Ok(Err(error)) => Err(NoServers::File(error.to_string())),
            Err(error) => Err(NoServers::File(error.to_string())),
        }
    }

    async fn read(&self, path: &Path) -> Result<String, NoServers> {
        search::read_text(&*self.options.env, path).await.map_err(NoServers::File)
    }

    fn search(&self, table: Arc<Table>, path: &Path, text: &str) -> Search {
        let SessionOptions { env, workspace, state, .. } = self.options.clone();
        let trust = ProgramTrust::new(workspace.clone(), &state);
        // Nothing is searched for before that is known.
        trust.set_folder(true);
        Search::of_text(env, table, path.to_path_buf(), (workspace, trust), text)
    }

    async fn open(&self, path: PathBuf, wait: Duration) -> Result<OpenFile, NoServers> {
        if !self.options.is_on {
            return Err(NoServers::Off);
        }
        let until = Instant::now() + wait;
        self.check_trust().await?;
        let text = self.read(&path).await?;
        let search = self.search(self.table().await?, &path, &text).run().await;
        let found = search.map_err(|error| NoServers::Environment(error.to_string()))?;
        let found = found.ok_or(NoServers::UnknownLanguage)?;
        if found.wanted.is_empty() {
            let known = found.known.join(", ");
            return Err(if known.is_empty() {
                NoServers::UnknownLanguage
            } else {
                NoServers::NotInstalled(known)
            });
        }
        let serving: Vec<(ServerId, Features)> = found
            .wanted
            .into_iter()
            .map(|WantedServer { spec, features }| {
                let spec = ServerSpec { memory_max: self.options.memory_max.clone(), ..spec };
                (self.shared.running(spec), features)
            })
            .collect();
        let opened = Shared::visit(&self.shared, &path, &found.language_id, text, serving.clone()).await;
        let (mut servers, mut reasons) = (Vec::new(), Vec::new());
        for (id, features) in serving {
            let name = self.shared.state.lock().name(id);
            match self.client(id, until).await {
                Ok(client) => {
                    self.wait_until_loaded(id, until.min(Instant::now() + LOAD_TIMEOUT)).await;
                    servers.push(OpenServer { name, client, features });
                }
                Err(reason) => reasons.push(self.shared.state.lock().not_running(id, &reason)),
            }
        }
        if servers.is_empty() {
            return Err(NoServers::NotRunning(reasons.join("; ")));
        }
        Ok(OpenFile { path, servers, guard: Some(Box::new(opened)) })
    }

    /// Returns the client of a server once it answers; the error says why it does not.
    async fn client(&self, id: ServerId, until: Instant) -> Result<Client, String> {
        let (asked, answer) = oneshot::channel();
        let commands = self.shared.state.lock().commands(id);
        let ended = || "it was ended".to_string();
        commands.ok_or_else(ended)?.send(ServerCommand::Client(asked)).await.map_err(|_| ended())?;
        match tokio::time::timeout_at(until, answer).await {
            Ok(answer) => answer.map_err(|_| ended())?,
            Err(_) => Err("it has not answered in time".to_string()),
        }
    }

    async fn diagnostics(&self, path: PathBuf, wait: Duration, purpose: Purpose) -> Option<FoundDiagnostics> {
        let until = Instant::now() + wait;
        let opened = match purpose {
            Purpose::Question => None,
            Purpose::Edit if self.options.reports_edits => Some(self.visit_started(&path).await?),
            Purpose::Edit => return None,
        };
        let mut changes = self.shared.changes();
        // The lock must not be held while they are asked.
        let asked = self.shared.state.lock().asked_for_diagnostics(&path);
        for id in asked {
            Shared::pull(&self.shared, id, path.clone());
        }
        let mut complete_since = None;
        loop {
            changes.borrow_and_update();
            let is_complete = self.shared.state.lock().is_complete(&path);
            complete_since = is_complete.then(|| complete_since.unwrap_or_else(Instant::now));
            let end = complete_since.map_or(until, |since: Instant| (since + QUIET).min(until));
            match tokio::time::timeout_at(end, changes.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => break,
            }
        }
        let found = self.shared.state.lock().found(&path);
        drop(opened);
        found
    }

    /// Waits until a server that was just started has read the project, as far as it says so: before, its answers lack
    /// what it has not read.
    async fn wait_until_loaded(&self, id: ServerId, until: Instant) {
        let mut changes = self.shared.changes();
        let mut quiet_since = Instant::now();
        while !self.shared.state.lock().is_loaded(id) {
            changes.borrow_and_update();
            let is_busy = self.shared.state.lock().is_busy(id);
            if is_busy {
                quiet_since = Instant::now();
            }
            let end = if is_busy { until } else { until.min(quiet_since + LOAD_PAUSE) };
            if tokio::time::timeout_at(end, changes.changed()).await.is_err() {
                self.shared.state.lock().set_loaded(id);
            }
        }
    }

    /// Opens a file at the servers that run; `None` if none of them serves it.
    async fn visit_started(&self, path: &Path) -> Option<Opened> {
        let started = self.shared.state.lock().running();
        if started.is_empty() {
            return None;
        }
        let text = self.read(path).await.ok()?;
        let search = self.search(self.table.get()?.clone(), path, &text);
        let (language_id, serving) = search.started(&started).await?;
        let serving: Vec<(ServerId, Features)> =
            serving.into_iter().filter(|(_, features)| features.contains(Feature::Diagnostics)).collect();
        if serving.is_empty() {
            return None;
        }
        Some(Shared::visit(&self.shared, path, &language_id, text, serving).await)
    }
}
