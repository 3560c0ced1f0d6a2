//! Keeps the servers' texts equal to the open ones: opened, changed, saved, closed. Must not wait for servers.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::project_diagnostics;
use crate::ide::features::language_servers::start;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, ServedText, Serving};
use crate::ide::features::language_servers::text::{Changes, Replaced};
use crate::ide::features::language_servers::updates;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::lsp::client::OpenDocument;
use crate::lsp::document::DocumentChange;
use crate::lsp::table::Feature;
use crate::runtime::language_servers::server::ServerCommand;

/// Lets servers know a text from now on.
pub fn open(cx: &mut Cx<'_>, id: BufferId, language_id: String, servers: Vec<Serving>) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let Some(path) = buffer.real_path().map(std::path::Path::to_path_buf) else { return };
    buffer.servers.follow(&mut buffer.area.document);
    let (version, text) = (buffer.area.document.version(), buffer.area.text().clone());
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    for server in servers.iter().filter_map(|serving| known.server(serving.server)) {
        server.send(ServerCommand::Open(OpenDocument {
            path: path.clone(),
            language_id: language_id.clone(),
            version,
            text: Arc::new(text.clone()),
        }));
    }
    let is_ready = |serving: &&Serving| {
        let wanted = serving.features.contains(Feature::Diagnostics);
        wanted && known.server(serving.server).is_some_and(RunningServer::is_running)
    };
    let ready: Vec<u32> = servers.iter().filter(is_ready).map(|serving| serving.server).collect();
    let asked = path.clone();
    known
        .texts
        .insert(id, ServedText { path, language_id, sent_version: version, is_behind: false, servers });
    project_diagnostics::show_known(cx, id);
    // One that starts is asked about all texts when it is ready.
    for number in ready {
        updates::pull(cx, number, asked.clone());
    }
}

/// How long after an edit servers that have to be asked are asked for diagnostics.
const PULL_DELAY: Duration = Duration::from_millis(300);

/// Sends what was changed, and asks for diagnostics once nothing was changed for a while.
pub fn after_changes(cx: &mut Cx<'_>) {
    reopen_moved(cx);
    if flush(cx.state) {
        cx.state.slots[LANGUAGE_SERVERS].pull_at = Some(cx.now + PULL_DELAY);
    }
}

/// Lets servers know the texts whose files were renamed by their new names.
pub fn reopen_moved(cx: &mut Cx<'_>) {
    let texts = &cx.state.slots[LANGUAGE_SERVERS].texts;
    let is_moved = |buffer: &&Buffer| {
        let served = texts.get(&buffer.id);
        // Until the file is moved for sure no path is certain.
        !buffer.is_saving && served.is_some_and(|served| buffer.real_path() != Some(&served.path))
    };
    let moved: Vec<BufferId> = cx.state.buffers.all().iter().filter(is_moved).map(|one| one.id).collect();
    for id in moved {
        close(cx, id);
        start::find(cx, id);
    }
}

/// Sends what was changed since the last call, of all texts; returns whether there was anything.
pub fn flush(state: &mut State) -> bool {
    if state.slots[LANGUAGE_SERVERS].texts.is_empty() {
        return false;
    }
    let known = &mut state.slots[LANGUAGE_SERVERS];
    let mut sent = Vec::new();
    for (id, text) in &mut known.texts {
        let Some(buffer) = state.buffers.get_mut(*id) else { continue };
        let version = buffer.area.document.version();
        if version == text.sent_version && !text.is_behind {
            continue;
        }
        buffer.servers.apply_changes(&mut buffer.area.document);
        text.sent_version = version;
        let records = buffer.servers.take_unsent().filter(|_| !std::mem::take(&mut text.is_behind));
        sent.push((*id, text.clone(), records, buffer.area.text().clone()));
    }
    let has_changed = !sent.is_empty();
    for (id, served, records, text) in sent {
        let mut is_behind = false;
        for server in served.servers.iter().filter_map(|serving| known.server(serving.server)) {
            let change: Box<dyn DocumentChange> = match &records {
                Some(records) => Box::new(Changes { records: records.clone(), text: text.clone() }),
                None => Box::new(Replaced(text.clone())),
            };
            let (path, version) = (served.path.clone(), served.sent_version);
            is_behind |= !server.send(ServerCommand::Change { path, version, change });
        }
        if let Some(text) = known.texts.get_mut(&id) {
            text.is_behind = is_behind;
        }
    }
    has_changed
}

/// A text was saved.
pub fn saved(cx: &mut Cx<'_>, id: BufferId) {
    flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(text) = known.texts.get(&id) else { return };
    for server in text.servers.iter().filter_map(|serving| known.server(serving.server)) {
        server.send(ServerCommand::Save(text.path.clone()));
    }
}

/// A text is about to be closed, or to get another name.
pub fn close(cx: &mut Cx<'_>, id: BufferId) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.waiting.remove(&id);
    let Some(text) = known.texts.remove(&id) else { return };
    for server in text.servers.iter().filter_map(|serving| known.server(serving.server)) {
        server.send(ServerCommand::Close(text.path.clone()));
    }
}
