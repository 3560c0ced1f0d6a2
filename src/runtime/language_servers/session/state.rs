//! Which servers a session has started, and which files are open at them. Plain data.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use crate::lsp::client::incoming::FileDiagnostics;
use crate::lsp::document::{DocumentText, PlainText};
use crate::lsp::position::Encoding;
use crate::lsp::table::{Feature, Features};
use crate::runtime::language_servers::process::ServerSpec;
use crate::runtime::language_servers::server::{ServerCommand, ServerState};
use crate::tools::interaction::language_servers::{FileDiagnostic, FoundDiagnostics, ServerStatus};

/// Number of a server, in the order of their starts.
pub type ServerId = usize;

/// A server.
pub struct Server {
    /// How it is started.
    pub spec: ServerSpec,
    /// What it does.
    pub state: ServerState,
    /// Whether it may have to be asked for diagnostics.
    pub pulls: bool,
    /// What it works on, by token.
    pub progress: BTreeSet<String>,
    /// Whether it has read the project since its start, as far as is known.
    pub is_loaded: bool,
    /// Where commands for it go.
    pub commands: Sender<ServerCommand>,
}

/// A file that is open at servers.
pub struct Visit {
    /// How many need it open.
    pub holders: usize,
    /// Its version at the servers.
    pub version: u64,
    /// Its text there.
    pub text: Arc<PlainText>,
    /// Its servers, in the order of the table.
    pub servers: Vec<(ServerId, Features)>,
    /// What each of them found in this version: as it sent it, and as it was asked (`true`).
    pub found: HashMap<(ServerId, bool), Vec<FileDiagnostic>>,
}

/// The state.
#[derive(Default)]
pub struct State {
    /// The servers.
    pub servers: Vec<Server>,
    /// The open files.
    pub visits: HashMap<PathBuf, Visit>,
    /// The last version of any file.
    pub last_version: u64,
}

impl State {
    /// Returns the name of a server.
    pub fn name(&self, id: ServerId) -> String {
        self.servers.get(id).map(|server| server.spec.name.clone()).unwrap_or_default()
    }

    /// Returns why a server does not run and what to do, for a model.
    pub fn not_running(&self, id: ServerId, reason: &str) -> String {
        let server = self.servers.get(id);
        server.map_or_else(|| reason.to_string(), |server| server.spec.not_running(reason))
    }

    /// Returns where commands for a server go.
    pub fn commands(&self, id: ServerId) -> Option<Sender<ServerCommand>> {
        self.servers.get(id).map(|server| server.commands.clone())
    }

    /// Returns the same for the servers of a name, or all, with their names.
    pub fn commands_of(&self, name: Option<&str>) -> Vec<(String, Sender<ServerCommand>)> {
        let named = self.servers.iter().filter(|server| name.is_none_or(|name| server.spec.name == name));
        named.map(|server| (server.spec.name.clone(), server.commands.clone())).collect()
    }

    /// Returns the servers as they are listed.
    pub fn status(&self) -> Vec<ServerStatus> {
        let line = |server: &Server| {
            let words = server.state.words();
            let state =
                server.state.reason().map_or(words.to_string(), |reason| format!("{words}: {reason}"));
            ServerStatus { name: server.spec.name.clone(), root: server.spec.options.root.clone(), state }
        };
        self.servers.iter().map(line).collect()
    }

    fn is_running(&self, id: ServerId) -> bool {
        self.servers.get(id).is_some_and(|server| matches!(server.state, ServerState::Running { .. }))
    }

    /// Returns the servers that run, with name and root.
    pub fn running(&self) -> Vec<(ServerId, String, PathBuf)> {
        let all = self.servers.iter().enumerate().filter(|(id, _)| self.is_running(*id));
        all.map(|(id, server)| (id, server.spec.name.clone(), server.spec.options.root.clone())).collect()
    }

    /// Whether a server says that it works on something.
    pub fn is_busy(&self, id: ServerId) -> bool {
        self.servers.get(id).is_some_and(|server| !server.progress.is_empty())
    }

    /// Whether a server has read the project, or it does not run.
    pub fn is_loaded(&self, id: ServerId) -> bool {
        self.servers.get(id).is_none_or(|server| server.is_loaded)
    }

    /// A server has read the project.
    pub fn set_loaded(&mut self, id: ServerId) {
        if let Some(server) = self.servers.get_mut(id) {
            server.is_loaded = true;
        }
    }

    /// Returns the servers that run and are asked for the diagnostics of a file.
    pub fn asked_for_diagnostics(&self, path: &Path) -> Vec<ServerId> {
        let servers = self.visits.get(path).map(|visit| visit.servers.as_slice()).unwrap_or_default();
        let asked = servers.iter().filter(|(_, features)| features.contains(Feature::Diagnostics));
        asked.map(|(id, _)| *id).filter(|id| self.is_running(*id)).collect()
    }

    /// Whether all servers of a file have looked at it as it is.
    pub fn is_complete(&self, path: &Path) -> bool {
        let Some(visit) = self.visits.get(path) else { return true };
        self.asked_for_diagnostics(path).iter().all(|id| visit.found.keys().any(|(by, _)| by == id))
    }

    /// Returns what was found in a file; `None` if no server has looked at it.
    pub fn found(&self, path: &Path) -> Option<FoundDiagnostics> {
        let visit = self.visits.get(path).filter(|visit| !visit.found.is_empty())?;
        let sources = visit.servers.iter().flat_map(|(id, _)| [(*id, false), (*id, true)]);
        let all = sources.filter_map(|source| visit.found.get(&source)).flatten().cloned();
        Some(FoundDiagnostics { all: all.collect(), is_complete: self.is_complete(path) })
    }

    /// Takes in what a server found; returns whether it is about a file as it is open.
    pub fn take_in(&mut self, id: ServerId, found: FileDiagnostics) -> bool {
        let Some(visit) = self.visits.get_mut(&found.path) else { return false };
        let Some((_, ranges)) = found.text.filter(|(version, _)| *version == visit.version) else {
            return false;
        };
        let one = |(diagnostic, bytes): (&_, std::ops::Range<usize>)| {
            let start = visit.text.position(bytes.start, Encoding::Utf32);
            let place = (start.line as usize + 1, start.character as usize + 1);
            FileDiagnostic::new(diagnostic, place, bytes)
        };
        let all = found.diagnostics.iter().zip(ranges).map(one).collect();
        visit.found.insert((id, found.is_pulled), all);
        true
    }

    /// A server does something else. What one found that has ended may not hold any more.
    pub fn set_state(&mut self, id: ServerId, state: ServerState) {
        let Some(server) = self.servers.get_mut(id) else { return };
        match &state {
            ServerState::Running { .. } => server.pulls = true,
            ServerState::Starting => {}
            _ => {
                for visit in self.visits.values_mut() {
                    visit.found.retain(|(by, _), _| *by != id);
                }
                server.progress.clear();
                server.is_loaded = false;
            }
        }
        server.state = state;
    }
}
