//! What git has of the open files: asked beside the loop, compared beside the loop, shown as
//! signs. Must not touch the repository: git itself reads it, and only reads it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::commands::command::Cx;
use super::effect::Effect;
use super::state::buffers::BufferId;
use super::state::damage::Part;
use super::state::hunks::{Compared, GitText, SIZE_MAX};
use crate::exec::{CommandSpec, Environment, Exit};
use crate::text::format;
use crate::text::rope::Text;
use crate::workspace::git;

/// The index's text of a file, as it would be checked out. Locks nothing and runs nothing that
/// the repository names for looking at its files.
const SCRIPT: &str = "exec git --no-optional-locks -c core.fsmonitor=false cat-file --filters \
    \":./$BOWLINE_FILE\" 2>/dev/null";
/// Nobody waits longer for git.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks for what is not known of the files that are shown.
pub fn settle(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let views = state.shown.iter().chain(&state.beside);
    for id in views.map(|view| view.buffer) {
        let Some(buffer) = state.buffers.get_mut(id) else { continue };
        let Some(path) = &buffer.real else { continue };
        let version = buffer.area.document.version();
        let text = buffer.area.document.text();
        let hunks = &mut buffer.area.riders.hunks;
        if let Some(known) = hunks.take_question() {
            cx.effects.push(Effect::GitText { buffer: id, path: path.clone(), known });
        } else if let Some(job) = hunks.next(text, version, cx.now) {
            cx.effects.push(Effect::Compare(id, Box::new(job)));
        }
    }
}

/// Git may have other texts of all files now.
pub fn ask_again(cx: &mut Cx<'_>) {
    for buffer in cx.state.buffers.all_mut() {
        buffer.area.riders.hunks.ask_again();
    }
}

/// Git was asked.
pub fn answered(cx: &mut Cx<'_>, id: BufferId, answer: GitText) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.area.riders.hunks.answered(answer) {
        cx.state.damage.add(Part::Editor);
    }
}

/// A text was compared, or could not be.
pub fn compared(cx: &mut Cx<'_>, id: BufferId, compared: Option<Compared>) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let version = buffer.area.document.version();
    let hunks = &mut buffer.area.riders.hunks;
    let Some(compared) = compared else { return hunks.failed() };
    if hunks.arrived(compared, version) {
        cx.state.damage.add(Part::Editor);
    }
}

/// What git has of a file in its index. Nothing for whatever reason is quiet: most files of the
/// world are in no repository.
pub async fn read(env: &dyn Environment, path: &Path, known: Option<Arc<Text>>) -> GitText {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return GitText::Nothing;
    };
    if git::root_of(folder).is_none() {
        return GitText::Nothing;
    }
    let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
    let (sink, cancel) = (bytes.clone(), CancellationToken::new());
    let stop = cancel.clone();
    let output = Box::new(move |piece: &[u8]| {
        let Ok(mut bytes) = sink.lock() else { return };
        bytes.extend_from_slice(piece);
        if bytes.len() > SIZE_MAX {
            stop.cancel();
        }
    });
    let command = CommandSpec {
        script: SCRIPT.to_string(),
        cwd: folder.to_path_buf(),
        timeout: Some(PATIENCE),
        env: [("BOWLINE_FILE".to_string(), name.to_string())].into(),
    };
    match env.run(command, output, cancel).await {
        Ok(Exit::Code(0)) => {}
        Ok(_) => return GitText::Nothing,
        Err(error) => {
            tracing::debug!(%error, "git could not be asked");
            return GitText::Nothing;
        }
    }
    let bytes = bytes.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default();
    let decoded = tokio::task::spawn_blocking(move || Text::from(format::decode(&bytes).0.as_str()));
    match decoded.await {
        Ok(text) if known.is_some_and(|known| *known == text) => GitText::Same,
        Ok(text) => GitText::Other(text),
        Err(error) => {
            tracing::error!("git's text could not be read: {error}");
            GitText::Nothing
        }
    }
}
