//! Before a text is saved: its servers hear of it, and one that wants to may change it; then it is formatted. Must not write
//! files.

use std::time::Duration;

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::feature::SaveStep;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::questions::{AskedServer, asked};
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::ide::features::language_servers::{edit_plan, format, limited, on_save, sync};
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::runtime::language_servers::server::ServerCommand;
use crate::text::changes::ChangeSet;
use crate::text::rope::Text;

/// How long saving waits for a server.
const WAIT: Duration = Duration::from_secs(1);

/// A text that is about to be saved.
struct SavedText {
    path: std::path::PathBuf,
    version: u64,
    text: Text,
    ending: &'static str,
}

/// Prepares a text for being saved; then `then` follows. Returns `then` if nothing is waited for.
pub fn before_save(cx: &mut Cx<'_>, id: BufferId, then: SaveStep) -> Option<SaveStep> {
    sync::flush(cx.state);
    let Some((saved, server)) = announce(cx, id) else { return on_save::before_save(cx, id, then) };
    let (name, version) = (visible(&server.name).into_owned(), saved.version);
    let work = changes(server, saved);
    limited::ask_within(cx, "language-servers.will-save", WAIT, work, move |cx, answer| {
        let problem = match answer {
            Some(Ok(changes)) if changes.is_identity() => None,
            Some(Ok(changes)) => {
                (!format::apply(cx, id, version, changes)).then(|| "the text has changed".to_string())
            }
            Some(Err(QuestionError::NotOffered)) => None,
            Some(Err(error)) => Some(visible(&error.to_string()).into_owned()),
            None => Some(format!("no answer within {} s", WAIT.as_secs())),
        };
        if let Some(problem) = problem {
            cx.state.slots[LANGUAGE_SERVERS].unedited.insert(id, format!("{name}: {problem}"));
        }
        if let Some(then) = on_save::before_save(cx, id, then) {
            then(cx);
        }
    });
    None
}

/// Lets the servers of a text know that it is about to be saved; returns the first one that may change it.
fn announce(cx: &mut Cx<'_>, id: BufferId) -> Option<(SavedText, AskedServer)> {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.unedited.remove(&id);
    let served = known.texts.get(&id)?;
    let servers: Vec<&RunningServer> =
        served.servers.iter().filter_map(|serving| known.server(serving.server)).collect();
    for server in servers.iter().filter(|server| server.offers("textDocument/willSave")) {
        server.send(ServerCommand::WillSave(served.path.clone()));
    }
    let asked = asked(servers.into_iter().find(|server| server.offers("textDocument/willSaveWaitUntil"))?);
    let path = served.path.clone();
    let document = &cx.state.buffers.get_mut(id)?.area.document;
    let (version, ending) = (document.version(), document.format().ending.text());
    Some((SavedText { path, version, text: document.text().clone(), ending }, asked))
}

async fn changes(server: AskedServer, saved: SavedText) -> Result<ChangeSet, QuestionError> {
    let client = server.client.await.ok_or(QuestionError::NotOffered)?;
    let answer = client.edits_before_save(&saved.path).await?;
    if answer.text.version != saved.version {
        return Err(QuestionError::NotOpen);
    }
    let computed =
        on_thread(move || edit_plan::changes(&saved.text, &answer.edits, answer.encoding, saved.ending));
    Ok(computed.await?.0)
}

/// A text was saved: shows why its server has not changed it before, if so.
pub fn on_saved(cx: &mut Cx<'_>, id: BufferId) {
    let Some(problem) = cx.state.slots[LANGUAGE_SERVERS].unedited.remove(&id) else { return };
    let name = cx.state.buffers.get_mut(id).map(|buffer| buffer.name()).unwrap_or_default();
    cx.state.set_error(format!("Saved {name} without the edits of its server. {problem}"));
}
