//! Code actions that run before a file is saved, as the table wants them for a language: each kind is asked of each server
//! for the whole file. Only what changes that file counts. Must not apply anything.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::edit_plan;
use crate::ide::features::language_servers::formatter;
use crate::ide::features::language_servers::questions::{AskedServer, asked, failure};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::code_actions::CodeAction;
use crate::lsp::answers::edits::{EditStep, TextEdit};
use crate::lsp::client::edits::{CODE_ACTION, ServerEdit, Versions};
use crate::lsp::client::{Client, QuestionError};
use crate::lsp::table::Feature;
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Diagnostics that a server is given back with the question.
const DIAGNOSTICS_MAX: usize = 1_000;

/// A question to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionStep {
    /// Number of the server.
    pub server: u32,
    kind: String,
}

/// Returns the questions for a text that is about to be saved, in order.
pub fn steps(state: &State, id: BufferId) -> VecDeque<ActionStep> {
    let Some(language) = formatter::language(state, id) else { return VecDeque::new() };
    let servers = state.slots[LANGUAGE_SERVERS].for_feature(id, Feature::CodeAction);
    let servers: Vec<u32> =
        servers.into_iter().filter(|server| server.offers(CODE_ACTION)).map(|server| server.number).collect();
    let of_kind = |kind: &String| {
        let kind = kind.clone();
        servers
            .iter()
            .map(move |server| ActionStep { server: *server, kind: kind.clone() })
            .collect::<Vec<_>>()
    };
    language.code_actions_on_save.iter().flat_map(of_kind).collect()
}

/// A question with the text that it is about.
pub struct ActionJob {
    server: AskedServer,
    kind: String,
    path: PathBuf,
    /// The version of the text.
    pub version: u64,
    text: Text,
    ending: &'static str,
    marks: Vec<(Range<usize>, Arc<str>)>,
}

impl ActionJob {
    /// Returns the name of its server.
    pub fn name(&self) -> String {
        self.server.name.clone()
    }
}

/// What became of a question.
#[derive(Debug, Default)]
pub struct Ran {
    /// What is to be changed.
    pub changes: Option<ChangeSet>,
    /// Lines for the log of the server.
    pub notes: Vec<String>,
    /// Why the edit of the action is not made, for the user.
    pub refused: Option<String>,
}

/// Returns the question about the text as it is now; `None` if the server is gone.
pub fn job(cx: &mut Cx<'_>, id: BufferId, step: &ActionStep) -> Option<ActionJob> {
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let server = asked(known.server(step.server)?);
    let path = known.texts.get(&id)?.path.clone();
    let buffer = cx.state.buffers.get_mut(id)?;
    buffer.servers.apply_changes(&mut buffer.area.document);
    let document = &buffer.area.document;
    let all = Byte(0)..document.text().end();
    let marks = buffer.servers.diagnostics.of_server(step.server, all).take(DIAGNOSTICS_MAX);
    let marks = marks.map(|mark| (mark.range.start.0..mark.range.end.0, mark.diagnostic.sent.clone()));
    Some(ActionJob {
        server,
        kind: step.kind.clone(),
        path,
        version: document.version(),
        text: document.text().clone(),
        ending: document.format().ending.text(),
        marks: marks.collect(),
    })
}

/// Asks a server.
///
/// # Errors
///
/// A message for the user.
pub async fn run(job: ActionJob) -> Result<Ran, String> {
    let ActionJob { server, kind, path, version, text, ending, marks } = job;
    let what = format!("{kind} on save");
    let said = |error: QuestionError| failure(&server.name, &what, &error);
    let Some(client) = server.client.await else { return Ok(Ran::default()) };
    let all = 0..text.end().0;
    let answer = match client.code_actions_of_kind(&path, all, marks, &kind).await {
        Err(QuestionError::NotOffered) => return Ok(Ran::default()),
        answer => answer.map_err(said)?,
    };
    let mut ran = Ran::default();
    let is_wanted = |action: &CodeAction| {
        let found = action.kind.as_deref().unwrap_or_default();
        let below = found.strip_prefix(kind.as_str());
        action.disabled.is_none() && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    for action in answer.actions.into_iter().filter(is_wanted) {
        let title = visible(&action.title).into_owned();
        let found = completed(&client, action, &answer.versions).await.map_err(said)?;
        if found.1 {
            ran.notes.push(format!("{kind} on save: the command of \"{title}\" is not run"));
        }
        let Some(edit) = found.0 else { continue };
        if edit.versions.get(&path).is_some_and(|known| *known != version) {
            return Err(format!("{}: the text has changed", server.name));
        }
        let encoding = edit.encoding;
        if let Some(edits) = edits_of(edit, &path) {
            let computed = on_thread(move || edit_plan::changes(&text, &edits, encoding, ending));
            let (changes, _) = computed.await.map_err(|error| said(error.into()))?;
            ran.changes = Some(changes);
        } else {
            ran.refused = Some(format!("{}: {kind} on save wants to change other files", server.name));
        }
        break;
    }
    Ok(ran)
}

/// Returns what an action changes, and whether it has a command.
async fn completed(
    client: &Client,
    action: CodeAction,
    versions: &Arc<Versions>,
) -> Result<(Option<ServerEdit>, bool), QuestionError> {
    let (edit, command) = client.edit_of_action(action, versions.clone()).await?;
    Ok((edit, command.is_some()))
}

/// Returns the edits of a file; `None` if there are others.
fn edits_of(edit: ServerEdit, path: &PathBuf) -> Option<Vec<TextEdit>> {
    let steps = edit.edit.steps.into_iter().map(|step| match step {
        EditStep::Text(file) if file.path == *path => Some(file.edits),
        _ => None,
    });
    Some(steps.collect::<Option<Vec<_>>>()?.concat())
}
