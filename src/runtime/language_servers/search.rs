//! Which servers a file wants, and which of them are installed. Must not know which run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::Value;

use super::find::{Candidate, installed};
use super::process::ServerSpec;
use crate::exec::commands::subprocess::own_process_id;
use crate::exec::{EnvError, Environment};
use crate::lsp::client::StartOptions;
use crate::lsp::table::program;
use crate::lsp::table::root::{Folders, server_root};
use crate::lsp::table::{Features, Language, Origin, Server, Table};
use crate::runtime::agent_setup::trust_requests::ProgramTrust;
use crate::workspace::list;

/// Maximum bytes of a file that is opened at servers only for a tool.
const FILE_MAX: u64 = 4 << 20;
/// Bytes of the first line by which a language is known.
pub const FIRST_LINE_MAX: usize = 200;

/// A server that a file wants.
#[derive(Debug, Clone)]
pub struct WantedServer {
    /// How it is started.
    pub spec: ServerSpec,
    /// What it is asked for.
    pub features: Features,
}

/// What a search has found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What servers call the language.
    pub language_id: String,
    /// Those that can be started: of each group of alternatives the first.
    pub wanted: Vec<WantedServer>,
    /// All servers of the language: name and program.
    pub known: Vec<String>,
}

/// A search for the servers of a file.
#[derive(Clone)]
pub struct Search {
    /// Where programs are looked up.
    pub env: Arc<dyn Environment>,
    /// The table.
    pub table: Arc<Table>,
    /// The file.
    pub path: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
    /// What the user has said about programs of the project.
    pub trust: ProgramTrust,
    /// The begin of its first line.
    pub first_line: String,
}

/// Reads the text of a file as servers know it: without a byte order mark. The error is for the model.
pub async fn read_text(env: &dyn Environment, path: &Path) -> Result<String, String> {
    let failed = |error: EnvError| error.to_string();
    if env.stat(path).await.map_err(failed)?.size > FILE_MAX {
        return Err(format!("the file has more than {} MiB", FILE_MAX >> 20));
    }
    let bytes = env.read(path).await.map_err(failed)?.bytes;
    let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text".to_string())?;
    Ok(text.strip_prefix('\u{feff}').map(String::from).unwrap_or(text))
}

impl Search {
    /// Returns the search for a file with this text.
    pub fn of_text(
        env: Arc<dyn Environment>,
        table: Arc<Table>,
        path: PathBuf,
        (workspace, trust): (PathBuf, ProgramTrust),
        text: &str,
    ) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let first_line = line[..line.floor_char_boundary(FIRST_LINE_MAX)].to_string();
        Self { env, table, path, workspace, trust, first_line }
    }

    /// Returns the root of each server; `None` where it does not serve the file.
    async fn roots(&self, language: &Language, servers: Vec<Server>) -> Vec<Option<PathBuf>> {
        let (path, workspace, language) = (self.path.clone(), self.workspace.clone(), language.clone());
        let none = vec![None; servers.len()];
        let found = tokio::task::spawn_blocking(move || {
            let root = |server: &Server| server_root(&path, &workspace, &language, server, &Disk);
            servers.iter().map(root).collect()
        });
        found.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the roots of language servers are not known");
            none
        })
    }

    /// Returns those of the started servers, by name and root, that are asked about the file, with what servers call its
    /// language; `None` for a file of no known language. Programs are not looked up.
    pub async fn started<T: Clone>(
        &self,
        started: &[(T, String, PathBuf)],
    ) -> Option<(String, Vec<(T, Features)>)> {
        let language = self.table.for_file(&self.path, &self.first_line)?;
        let uses = self.table.servers_of(language);
        let roots = self.roots(language, uses.iter().map(|row| row.server.clone()).collect()).await;
        let serving = uses.iter().zip(roots).filter_map(|(row, root)| {
            let root = root?;
            let is_it = |(_, name, at): &&(T, String, PathBuf)| *name == row.server.name && *at == root;
            let (server, ..) = started.iter().find(is_it)?;
            Some((server.clone(), row.features))
        });
        Some((language.language_id.clone(), serving.collect()))
    }

    /// Returns the servers that can be started; `None` for a file of no known language.
    ///
    /// # Errors
    ///
    /// The environment does not run programs.
    pub async fn run(self) -> Result<Option<Found>, EnvError> {
        let Some(language) = self.table.for_file(&self.path, &self.first_line) else { return Ok(None) };
        let uses = self.table.servers_of(language);
        let roots = self.roots(language, uses.iter().map(|row| row.server.clone()).collect()).await;
        let mut candidates = Vec::new();
        for (n, (row, root)) in uses.iter().zip(&roots).enumerate() {
            let Some(root) = root else { continue };
            for program in program::candidates(&row.server.command, root, &self.workspace) {
                // Nothing that a project names is run to find out whether it is installed.
                let is_own = row.server.origin != Origin::Project;
                let check = if is_own { row.server.check.clone() } else { Vec::new() };
                candidates.push((n, Candidate { program, check }));
            }
        }
        let asked: Vec<Candidate> = candidates.iter().map(|(_, candidate)| candidate.clone()).collect();
        let answers = installed(&*self.env, &asked, &self.workspace).await?;
        let mut wanted: Vec<WantedServer> = Vec::new();
        let mut groups = Vec::new();
        for ((n, _), program) in candidates.into_iter().zip(answers) {
            let (row, Some(root), Some(program)) = (&uses[n], &roots[n], program) else { continue };
            if groups.contains(&row.group) {
                continue;
            }
            groups.push(row.group);
            let spec = spec(row.server, program, root.clone(), self.trust.clone());
            wanted.push(WantedServer { spec, features: row.features });
        }
        let known = |server: &Server| format!("{} ({})", server.name, server.command);
        let known = uses.iter().map(|row| known(row.server)).collect();
        Ok(Some(Found { language_id: language.language_id.clone(), wanted, known }))
    }
}

fn spec(server: &Server, program: String, root: PathBuf, trust: ProgramTrust) -> ServerSpec {
    ServerSpec {
        name: server.name.clone(),
        command: std::iter::once(program).chain(server.args.iter().cloned()).collect(),
        env: server.environment.clone(),
        memory_max: Arc::new(AtomicU64::new(u64::MAX)),
        trust,
        options: StartOptions {
            process_id: Some(own_process_id()),
            root,
            initialization: server.config.clone().unwrap_or(Value::Null),
            settings: server.configuration().cloned().unwrap_or(Value::Null),
            timeout: server.timeout,
        },
    }
}

/// The disk of this machine.
pub struct Disk;

impl Folders for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn names(&self, folder: &Path) -> Vec<OsString> {
        // A folder that cannot be read has no markers.
        list::names(folder).unwrap_or_default()
    }
}
