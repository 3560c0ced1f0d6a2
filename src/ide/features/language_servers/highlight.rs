//! Marks the uses of the name at the caret once the caret has rested for a moment, as a server of the text finds them. They
//! go with the next edit, and when the caret leaves the name. The same question selects them.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::editor::commands::locals::select_occurrences;
use crate::ide::features::language_servers::questions::{
    AskedServer, Problem, ask, asked_servers, is_at, no_answer, note_problems, shown_version,
};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::occurrences::{Occurrence, Occurrences};
use crate::lsp::client::QuestionError;
use crate::lsp::client::ranges::{HIGHLIGHT, Uses};
use crate::lsp::table::Feature;
use crate::text::movement::motion::is_word;
use crate::text::position::Byte;
use crate::text::selection::Range;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.select-occurrences",
    "Select symbol occurrences",
    &["select references", "rename with cursors", "highlights"],
    select,
)];

/// How long the caret rests before servers are asked about its name.
pub const REST: Duration = Duration::from_millis(200);

/// A caret: its text, the version of that, and its position.
pub type Place = (BufferId, u64, Byte);

/// What is known of the caret that rests.
#[derive(Default)]
pub struct Resting {
    /// Where it was seen last.
    seen: Option<Place>,
    /// When it has rested long enough, on the monotonic clock.
    pub ask_at: Option<Duration>,
    /// The text in which uses are marked.
    marked: Option<BufferId>,
    /// Ends the question about it on drop.
    question: Option<DropGuard>,
}

/// The uses that a server has found and the version of the text that they are about, if any has, and servers that have
/// not answered.
type Found = (Option<(Uses, u64)>, Vec<Problem>);

/// Returns where the caret of the shown text is, if servers know that text.
pub fn place(state: &State) -> Option<Place> {
    let buffer = state.buffers.current().filter(|buffer| buffer.loading.is_none())?;
    state.slots[LANGUAGE_SERVERS].texts.contains_key(&buffer.id).then_some(())?;
    Some((buffer.id, buffer.area.document.version(), buffer.area.caret()))
}

/// Removes marks that do not hold any more, and lets the caret rest anew if it has moved. Called after every event.
pub fn update(cx: &mut Cx<'_>) {
    let now = place(cx.state);
    let known = &mut cx.state.slots[LANGUAGE_SERVERS].resting;
    if known.seen == now {
        // Nearly always; every event comes here.
        return;
    }
    let marked = known.marked;
    *known = Resting { seen: now, marked, ..Resting::default() };
    if let Some(id) = marked {
        let is_kept = now.is_some_and(|(buffer, version, caret)| {
            let marks = cx.state.buffers.all().iter().find(|open| open.id == id);
            buffer == id && marks.is_some_and(|open| open.servers.occurrences.is_at(version, caret))
        });
        if is_kept {
            return;
        }
        clear(cx.state);
    }
    let Some((id, _, caret)) = now else { return };
    let is_name = cx.state.buffers.current().is_some_and(|buffer| {
        let text = buffer.area.text();
        let beside = [text.char_at(caret), text.char_before(caret)];
        beside.into_iter().flatten().any(is_word)
    });
    if is_name && cx.state.slots[LANGUAGE_SERVERS].offers(id, Feature::DocumentHighlight, HIGHLIGHT) {
        cx.state.slots[LANGUAGE_SERVERS].resting.ask_at = Some(cx.now + REST);
    }
}

/// Removes the marks.
pub fn clear(state: &mut State) {
    let Some(id) = state.slots[LANGUAGE_SERVERS].resting.marked.take() else { return };
    if let Some(buffer) = state.buffers.get_mut(id) {
        buffer.servers.occurrences = Occurrences::default();
        state.damage.add(Part::Editor);
    }
}

/// Asks for the uses of the name at the caret, if it has rested long enough.
pub fn ask_when_rested(cx: &mut Cx<'_>) {
    let now = cx.now;
    let known = &mut cx.state.slots[LANGUAGE_SERVERS].resting;
    if known.ask_at.take_if(|at| *at <= now).is_none() {
        return;
    }
    let Some(place @ (id, _, caret)) = known.seen else { return };
    let cancel = CancellationToken::new();
    known.question = Some(cancel.clone().drop_guard());
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(path) = known.texts.get(&id).map(|served| served.path.clone()) else { return };
    let servers = asked_servers(cx.state, id, Feature::DocumentHighlight);
    let work = async move { cancel.run_until_cancelled(find(servers, path, caret)).await };
    cx.tasks.spawn("language-servers.highlight", work, move |cx, answer| {
        let answer = answer_or_error(cx, "ask language servers", answer).flatten();
        let Some((found, problems)) = answer else { return };
        note_problems(cx.state, "uses of a name", problems);
        if let Some((uses, version)) = found {
            show(cx, place, version, uses);
        }
    });
}

/// Returns what the first server that knows uses of the name answers.
async fn find(servers: Vec<AskedServer>, path: PathBuf, caret: Byte) -> Found {
    let mut problems = Vec::new();
    for server in servers {
        let Some(client) = server.client.await else { continue };
        match client.highlights(&path, caret.0).await {
            Ok((uses, text)) if !uses.is_empty() => return (Some((uses, text.version)), problems),
            Ok(_) | Err(QuestionError::NotOffered) => {}
            Err(error) => problems.push((server.number, error)),
        }
    }
    (None, problems)
}

/// Marks uses, if the caret still rests where it was.
fn show(cx: &mut Cx<'_>, place: Place, version: u64, uses: Uses) {
    let (id, asked, _) = place;
    let known = &mut cx.state.slots[LANGUAGE_SERVERS].resting;
    if known.seen != Some(place) || version != asked {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    known.marked = Some(id);
    let all = uses
        .into_iter()
        .map(|(range, is_write)| Occurrence { range: Byte(range.start)..Byte(range.end), is_write });
    buffer.servers.occurrences = Occurrences::new(version, all.collect());
    cx.state.damage.add(Part::Editor);
}

/// Selects the uses of the name at the caret: as a server finds them, else those of a local name.
fn select(cx: &mut Cx<'_>) {
    let shown = cx.state.buffers.current().map(|buffer| buffer.id);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    if !shown.is_some_and(|id| known.offers(id, Feature::DocumentHighlight, HIGHLIGHT)) {
        return cx.defer_command("select.same-local");
    }
    let Some(asked) = ask(cx, Feature::DocumentHighlight) else { return };
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let work = find(asked.servers, asked.path, asked.at);
    cx.tasks.spawn("language-servers.select-occurrences", work, move |cx, answer| {
        let Some((found, problems)) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match found {
            Some((uses, of_version)) if of_version == version => select_uses(cx, at, uses),
            _ if problems.is_empty() => cx.defer_command("select.same-local"),
            _ => {
                let problems: Vec<String> = problems.iter().map(|(_, error)| error.to_string()).collect();
                cx.state.set_status(no_answer(&problems, "No occurrences found"));
            }
        }
    });
}

fn select_uses(cx: &mut Cx<'_>, at: Byte, uses: Uses) {
    let ranges = uses.into_iter().map(|(range, _)| Range::new(Byte(range.start), Byte(range.end)));
    select_occurrences(cx, at, ranges);
}
