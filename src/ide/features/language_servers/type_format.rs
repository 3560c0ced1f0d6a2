//! Formats what was just typed, as a server wants it after the characters that it names. Only with one cursor. What changes
//! is an undo step of its own behind that of the typing, so that one undo gives back what was typed.

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::format;
use crate::ide::features::language_servers::questions::{asked, note_problems};
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::lsp::client::edits::FORMAT_TYPED;
use crate::lsp::table::Feature;
use crate::text::position::Byte;
use crate::tui::input::{Key, KeyCode};

/// A text before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    buffer: BufferId,
    version: u64,
    caret: Byte,
}

/// Returns the shown text before a key, if typing in it may format it.
pub fn before_key(state: &State) -> Option<Before> {
    let known = &state.slots[LANGUAGE_SERVERS];
    if !known.formats_on_type || state.macros.replaying {
        return None;
    }
    let buffer = state.buffers.current()?;
    let before =
        Before { buffer: buffer.id, version: buffer.area.document.version(), caret: buffer.area.caret() };
    known.texts.contains_key(&buffer.id).then_some(before)
}

/// Asks a server to format what a key has typed, if it wants that.
pub fn after_key(cx: &mut Cx<'_>, key: Key, before: Option<Before>) {
    let types = matches!(
        cx.state.base_key_context(),
        KeyContext::Editor | KeyContext::Insert | KeyContext::Snippet | KeyContext::EditorCompletion
    );
    let shown = cx.state.buffers.current().filter(|_| types);
    if let Some((before, buffer)) = before.zip(shown)
        && buffer.id == before.buffer
        && let Some(letter) = typed(buffer, key, before)
    {
        ask(cx, before.buffer, letter);
    }
}

/// Returns what a key has typed before the caret, if there is one cursor; a line break is a line feed.
fn typed(buffer: &Buffer, key: Key, before: Before) -> Option<char> {
    let selection = &buffer.area.selection;
    let (text, caret) = (buffer.area.text(), buffer.area.caret());
    let has_changed = buffer.area.document.version() != before.version;
    if selection.ranges().len() != 1 || !selection.is_empty() || caret <= before.caret {
        return None;
    }
    if let Some(letter) = key.typed() {
        // Also one that was there already, as the partner of an opening bracket.
        return (text.char_before(caret) == Some(letter)).then_some(letter);
    }
    if key.code != KeyCode::Enter || !has_changed {
        return None;
    }
    let inserted = text.slice(before.caret..caret);
    (inserted.contains('\n') && inserted.trim().is_empty()).then_some('\n')
}

fn ask(cx: &mut Cx<'_>, id: BufferId, letter: char) {
    let mut servers = cx.state.slots[LANGUAGE_SERVERS].for_feature(id, Feature::OnTypeFormat).into_iter();
    let wants =
        |server: &&RunningServer| server.offers(FORMAT_TYPED) && server.triggers.format.contains(&letter);
    let Some(server) = servers.find(wants).map(asked) else { return };
    sync::flush(cx.state);
    let Some(job) = format::job(cx, id, false) else { return };
    let Some(caret) = cx.state.buffers.current().map(|buffer| buffer.area.caret()) else { return };
    let (number, version) = (server.number, job.version);
    let work = async move {
        let Some(client) = server.client.await else { return Ok(None) };
        let answer = client.format_typed(&job.path, (caret.0, letter), job.options).await?;
        if answer.text.version != version {
            return Ok(None);
        }
        format::changes_of(answer, job).await.map(Some)
    };
    cx.tasks.spawn("language-servers.format-typed", work, move |cx, answer| {
        match answer_or_error(cx, "ask language servers", answer) {
            Some(Ok(Some(changes))) if !changes.is_identity() => {
                // An answer about an older text is dropped: the next such character asks again.
                format::apply(cx, id, version, changes);
            }
            Some(Err(error)) => note_problems(cx.state, "formatting on type", vec![(number, error)]),
            Some(Ok(_)) | None => {}
        }
    });
}
