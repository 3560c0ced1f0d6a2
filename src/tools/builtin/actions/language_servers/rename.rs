//! What changes when a symbol or a file gets another name.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::question::{Asked, Question, interrupted, open, open_path};
use crate::base::plural::pluralize;
use crate::exec::{FileKind, FindSpec, Selection};
use crate::llm::model::ToolSpec;
use crate::lsp::client::Client;
use crate::lsp::client::edits::RenameTarget;
use crate::lsp::client::files::{FileOperation, OperatedFile};
use crate::lsp::table::Feature;
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall};
use crate::tools::files::paths;
use crate::tools::language_servers::draft::{Draft, DraftedChange};
use crate::tools::language_servers::planned_edit::{self, PlannedEdit};
use crate::tools::search::gather;

/// Maximum number of files of a folder that is renamed.
const FILES_MAX: usize = 1_000;

/// A change that was worked out.
pub struct Change {
    /// What the result says, in front of the list of files.
    pub headline: String,
    /// What it says behind it.
    pub note: String,
    /// The change.
    pub change: DraftedChange,
    /// What follows once it is made.
    pub then: Option<Box<dyn FnOnce() + Send>>,
}

impl Change {
    /// Returns what the result says if nothing is changed.
    pub fn preview(&self, root: &Path) -> Outcome {
        planned_edit::outcome(
            &format!("Not applied. {}", self.headline),
            &self.note,
            &self.change.files,
            root,
        )
    }

    /// Returns the call that makes it.
    pub fn planned(self, tool: &str, call: &Invocation) -> Result<PlannedCall, String> {
        let Change { headline, note, change, then } = self;
        if change.files.is_empty() {
            return Err("Nothing would change.".to_string());
        }
        let spec = ToolSpec { name: tool.to_string(), ..ToolSpec::default() };
        let root = call.env.root().to_path_buf();
        let edit = PlannedEdit { spec, headline, note, change: Arc::new(change), root };
        Ok(PlannedCall { tool: Arc::new(edit), then })
    }
}

/// Works out a rename.
pub async fn plan(tool: &'static str, call: Invocation, question: Question) -> Result<PlannedCall, String> {
    work_out(&call, &question).await?.planned(tool, &call)
}

/// Shows what a rename would change.
pub async fn preview(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    Ok(work_out(call, question).await?.preview(call.env.root()))
}

/// Returns the text of a file as a server knows it, with its version.
pub fn known_by(client: &Client) -> impl Fn(&Path) -> Option<(u64, String)> + Send + Sync + use<> {
    let client = client.clone();
    move |path: &Path| client.text(path).map(|known| (known.version, known.text.text()))
}

async fn work_out(call: &Invocation, question: &Question) -> Result<Change, String> {
    let Some(new) = &question.new_name else {
        return Err("rename needs new_name.".to_string());
    };
    let asked = open(call, question).await?;
    asked.check_symbol()?;
    let servers = asked.some_servers(Feature::RenameSymbol, "textDocument/rename")?;
    // A second server would rename in its own way.
    let Some((name, client)) = servers.into_iter().next() else { return Err("No server.".to_string()) };
    let failed = |error: &dyn std::fmt::Display| format!("Nothing was renamed: {name}: {error}.");
    let (_, range) = asked.place(&client)?;
    let path = &asked.file.path;
    let target = client.prepare_rename(path, range.start).await.map_err(|error| failed(&error))?;
    if target == RenameTarget::Nothing {
        return Err(failed(&"there is nothing to rename"));
    }
    // The user may have typed meanwhile.
    let (text, range) = asked.place(&client)?;
    let edit = client.rename(path, range.start, new).await.map_err(|error| failed(&error))?;
    let known = known_by(&client);
    let mut draft = Draft::new(&*call.env, &known);
    if let Some(edit) = edit {
        draft.add(&edit).await.map_err(|error| failed(&error))?;
    }
    let change = draft.finish();
    let files = &change.files;
    let places = files.values().map(|file| file.places).sum();
    let counted = counted(places, files.len());
    let headline = format!("Renamed {} to {new} ({counted})", &text[range]);
    Ok(Change { headline, note: String::new(), change, then: None })
}

fn counted(places: usize, files: usize) -> String {
    format!("{} in {}", pluralize(places, "place", "places"), pluralize(files, "file", "files"))
}

/// Works out how a file or folder gets another path.
pub async fn plan_file(
    tool: &'static str,
    call: Invocation,
    question: Question,
) -> Result<PlannedCall, String> {
    work_out_file(&call, &question).await?.planned(tool, &call)
}

/// Shows what changes if a file or folder gets another path.
pub async fn preview_file(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    Ok(work_out_file(call, question).await?.preview(call.env.root()))
}

/// The servers that hear of a file or folder, and what keeps files open at them.
#[derive(Default)]
struct Hearers {
    servers: Vec<(String, Client)>,
    guards: Vec<Box<dyn Any + Send + Sync>>,
}

impl Hearers {
    fn add(&mut self, asked: Asked) {
        let timeout = asked.question.timeout;
        for server in asked.file.servers {
            if self.servers.iter().all(|(name, _)| *name != server.name) {
                self.servers.push((server.name, server.client.with_timeout(timeout)));
            }
        }
        self.guards.extend(asked.file.guard);
    }
}

async fn work_out_file(call: &Invocation, question: &Question) -> Result<Change, String> {
    let (Some(file), Some(new)) = (&question.file, &question.new_name) else {
        return Err("rename_file needs file and new_name, both of them paths.".to_string());
    };
    let (from, to) = (paths::resolve_readable(&*call.env, file).await, paths::resolve(&*call.env, new));
    let stat = call.env.stat(&from).await.map_err(|error| format!("{error}."))?;
    let is_folder = stat.kind == FileKind::Folder;
    let mut hearers = Hearers::default();
    let mut note = Vec::new();
    for path in representatives(call, &from, is_folder).await? {
        match open_path(call, question, &path).await {
            Ok(file) => hearers.add(Asked { question: question.clone(), file }),
            Err(_) if call.cancel.is_cancelled() => return Err(interrupted()),
            Err(refusal) => note.push(refusal),
        }
    }
    let pair = vec![OperatedFile { path: from.clone(), to: Some(to.clone()), is_folder }];
    let clients: Vec<Client> = hearers.servers.iter().map(|(_, client)| client.clone()).collect();
    let known = |path: &Path| {
        let mut known = clients.iter().filter_map(|client| client.text(path));
        known.next().map(|known| (known.version, known.text.text()))
    };
    let mut draft = Draft::new(&*call.env, &known);
    for (name, client) in &hearers.servers {
        let added = match client.before_operation(FileOperation::Rename, &pair).await {
            Ok(Some(edit)) => draft.add(&edit).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        // The file is moved all the same, as it would be without this server.
        if let Err(error) = added {
            note.push(format!("The edits of {name} are left out: {error}."));
        }
    }
    draft.rename(&from, &to, false).await.map_err(|error| format!("Nothing was renamed: {error}."))?;
    let change = draft.finish();
    let files = &change.files;
    let (places, count) = (
        files.values().map(|file| file.places).sum(),
        files.values().filter(|file| file.after.is_some()).count(),
    );
    let headline = format!("Renamed {file} to {new} ({})", counted(places, count));
    let then = move || {
        for (name, client) in &hearers.servers {
            if let Err(error) = client.after_operation(FileOperation::Rename, &pair) {
                tracing::debug!(%error, name, "a language server does not hear of a renamed file");
            }
        }
        drop(hearers.guards);
    };
    Ok(Change { headline, note: note.join("\n"), change, then: Some(Box::new(then)) })
}

/// Returns the files by which the servers of a path are found: itself, or in a folder one for each kind of file.
async fn representatives(call: &Invocation, path: &Path, is_folder: bool) -> Result<Vec<PathBuf>, String> {
    if !is_folder {
        return Ok(vec![path.to_path_buf()]);
    }
    let spec = FindSpec {
        root: path.to_path_buf(),
        files: Selection { hidden: true, ignored: true, ..Selection::default() },
        ..FindSpec::default()
    };
    let (found, _, _) = gather::paths(call, spec).await?;
    if found.len() > FILES_MAX {
        return Err(format!("Nothing was renamed: the folder has more than {FILES_MAX} files."));
    }
    let mut kinds: BTreeMap<Option<OsString>, PathBuf> = BTreeMap::new();
    for one in found {
        kinds.entry(one.path.extension().map(OsStr::to_os_string)).or_insert(one.path);
    }
    Ok(kinds.into_values().collect())
}
