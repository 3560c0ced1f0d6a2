//! Formats texts: the shown one or its selection on command, and every file before it is saved if the user wants that.
//! The answer is reduced to what differs, so that cursors and marks stay. Must not write files.

use std::ops::Range;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::visible;
use crate::ide::core::command_line::{LineCommand, line_command};
use crate::ide::core::context::{Command, Cx, TaskError, command};
use crate::ide::core::feature::SaveStep;
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::edit_plan;
use crate::ide::features::language_servers::questions::{
    AskedServer, ask, asked_servers, has_server, no_answer,
};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::FormatOptions;
use crate::lsp::table::Feature;
use crate::text::changes::ChangeSet;
use crate::text::compare;
use crate::text::operations::edit::IndentKind;
use crate::text::rope::Text;
use crate::text::transaction::{Author, Transaction};

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.format",
    "Format file or selection",
    &["format document", "format selection", "beautify", "prettify", "reformat"],
    |cx| format(cx, true),
)
.when(has_server)];

/// The feature's command lines.
pub const LINES: &[LineCommand] =
    &[line_command("format", "format", "format the file by its language server", |cx, given| {
        if given.lines.2 > 0 {
            return Err("Only the whole file can be formatted".to_string());
        }
        has_server(cx.state).map_err(|reason| reason.message(cx.state))?;
        format(cx, false);
        Ok(())
    })];

/// How long saving waits for a server.
const SAVE_WAIT: Duration = Duration::from_secs(1);

/// A text to format.
struct FormatJob {
    buffer: BufferId,
    version: u64,
    path: std::path::PathBuf,
    text: Text,
    ending: &'static str,
    range: Option<Range<usize>>,
    options: FormatOptions,
}

/// The answer of a server about a text.
enum Formatted {
    /// No server formats it.
    NotOffered,
    /// What changes; nothing if it is formatted already.
    Changes(ChangeSet),
}

/// A save that waits for its text to be formatted.
pub struct PendingSave {
    buffer: BufferId,
    /// Until when, on the monotonic clock.
    pub until: Duration,
    /// Cancels the question when it is dropped.
    _question: DropGuard,
    then: SaveStep,
}

/// Returns what is to be formatted in an open text, and how.
fn job(cx: &mut Cx<'_>, id: BufferId, with_selection: bool) -> Option<FormatJob> {
    let usual_width = cx.state.text_options.tab_width;
    let path = cx.state.slots[LANGUAGE_SERVERS].texts.get(&id)?.path.clone();
    let buffer = cx.state.buffers.get_mut(id)?;
    let document = &buffer.area.document;
    let tabs = document.indents().map(|kind| kind == IndentKind::Tabs);
    let options = FormatOptions {
        tab_size: buffer.rules.indent.unwrap_or(buffer.tab_width(usual_width)),
        insert_spaces: !buffer.rules.use_tabs.or(tabs).unwrap_or_default(),
    };
    let span = buffer.area.selection.primary().span();
    // Where the cursor is a character (Helix), that one alone is no selection.
    let is_selection = span.end > document.text().next_grapheme(span.start);
    let range = (with_selection && is_selection).then_some(span.start.0..span.end.0);
    let (version, ending) = (document.version(), document.format().ending.text());
    Some(FormatJob { buffer: id, version, path, text: document.text().clone(), ending, range, options })
}

/// Asks the servers, the first one that formats counts. Fails with a message for the user.
async fn ask_servers(servers: Vec<AskedServer>, job: FormatJob) -> Result<Formatted, String> {
    for server in servers {
        let Some(client) = server.client.await else { continue };
        let name = server.name;
        let answer = match client.format(&job.path, job.range.clone(), job.options).await {
            Ok(answer) => answer,
            Err(QuestionError::NotOffered) => continue,
            Err(error) => return Err(format!("{name}: {error}")),
        };
        if answer.text.version != job.version {
            return Err(format!("{name}: the text has changed"));
        }
        let computed = on_thread(move || {
            let (changes, _) = edit_plan::changes(&job.text, &answer.edits, answer.encoding, job.ending)?;
            let mut after = job.text.clone();
            changes.apply(&mut after);
            Ok::<_, QuestionError>(compare::fine_change(&job.text, &after))
        });
        let changes = computed.await.map_err(|error| format!("{name}: {error}"))?;
        return Ok(Formatted::Changes(changes));
    }
    Ok(Formatted::NotOffered)
}

/// Applies what formatting changes, as one undo step; returns whether the text was still the same.
pub fn apply(cx: &mut Cx<'_>, id: BufferId, version: u64, changes: ChangeSet) -> bool {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return false };
    if buffer.area.document.version() != version {
        return false;
    }
    buffer.area.document.seal();
    let edit = Transaction::new(changes).with_author(Author::Formatter);
    buffer.area.apply_external(edit, now_ms);
    buffer.area.document.seal();
    cx.state.damage.add_all();
    true
}

/// Formats the shown text, or what is selected in it if `with_selection`.
fn format(cx: &mut Cx<'_>, with_selection: bool) {
    let Some(asked) = ask(cx, Feature::Format) else { return };
    if let Some(reason) = cx.state.buffers.current().and_then(Buffer::read_only) {
        return cx.state.set_error(format!("Not formatted: {reason}"));
    }
    let Some(job) = job(cx, asked.buffer, with_selection) else { return };
    let (id, version, is_part) = (job.buffer, job.version, job.range.is_some());
    let work = ask_servers(asked.servers, job);
    cx.tasks.spawn("language-servers.format", work, move |cx, answer| match flat(answer) {
        Ok(Formatted::Changes(changes)) if changes.is_identity() => {
            cx.state.set_status("Formatted already");
        }
        Ok(Formatted::Changes(changes)) => {
            if apply(cx, id, version, changes) {
                cx.state.set_status(if is_part { "Formatted the selection" } else { "Formatted" });
            } else {
                cx.state.set_error("Not formatted: the text has changed");
            }
        }
        Ok(Formatted::NotOffered) => {
            let what = if is_part { "a selection" } else { "this file" };
            cx.state.set_error(format!("No language server formats {what}"));
        }
        Err(reason) => cx.state.set_error(visible(&reason).into_owned()),
    });
}

fn flat(answer: Result<Result<Formatted, String>, TaskError>) -> Result<Formatted, String> {
    answer.unwrap_or_else(|error| Err(no_answer(&[error.to_string()], "")))
}

/// Formats a text that is about to be saved, if the user wants that; then `then` follows. Returns `then` if it is not.
pub fn before_save(cx: &mut Cx<'_>, id: BufferId, then: SaveStep) -> Option<SaveStep> {
    if !cx.state.slots[LANGUAGE_SERVERS].formats_on_save {
        return Some(then);
    }
    sync::flush(cx.state);
    let servers = asked_servers(cx.state, id, Feature::Format);
    if servers.is_empty() {
        return Some(then);
    }
    let Some(job) = job(cx, id, false) else { return Some(then) };
    let version = job.version;
    cx.state.slots[LANGUAGE_SERVERS].unformatted.remove(&id);
    let question = CancellationToken::new();
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.saves.push(PendingSave {
        buffer: id,
        until: cx.now + SAVE_WAIT,
        _question: question.clone().drop_guard(),
        then,
    });
    let work = async move { question.run_until_cancelled(ask_servers(servers, job)).await };
    cx.tasks.spawn("language-servers.format-on-save", work, move |cx, answer| {
        let answer = match answer {
            Ok(None) => return,
            Ok(Some(answer)) => answer,
            Err(error) => Err(error.to_string()),
        };
        let saves = &mut cx.state.slots[LANGUAGE_SERVERS].saves;
        let Some(at) = saves.iter().position(|save| save.buffer == id) else { return };
        let save = saves.remove(at);
        let problem = match answer {
            Ok(Formatted::Changes(changes)) if changes.is_identity() => None,
            Ok(Formatted::Changes(changes)) => {
                (!apply(cx, id, version, changes)).then(|| "the text has changed".to_string())
            }
            Ok(Formatted::NotOffered) => None,
            Err(reason) => Some(reason),
        };
        save_as_it_is(cx, save, problem);
    });
    None
}

/// Saves texts whose servers take too long.
pub fn on_deadline(cx: &mut Cx<'_>) {
    let now = cx.now;
    let saves = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].saves);
    let (late, waiting): (Vec<_>, Vec<_>) = saves.into_iter().partition(|save| save.until <= now);
    cx.state.slots[LANGUAGE_SERVERS].saves = waiting;
    for save in late {
        let servers = cx.state.slots[LANGUAGE_SERVERS].for_feature(save.buffer, Feature::Format);
        let name = servers.first().map_or("its server", |server| &server.spec.name);
        let problem = format!("{name}: no answer within {} s", SAVE_WAIT.as_secs());
        save_as_it_is(cx, save, Some(problem));
    }
}

/// Goes on with a save; why the text is not formatted is shown once it is saved.
fn save_as_it_is(cx: &mut Cx<'_>, save: PendingSave, problem: Option<String>) {
    let PendingSave { buffer, then, .. } = save;
    if let Some(problem) = problem {
        cx.state.slots[LANGUAGE_SERVERS].unformatted.insert(buffer, problem);
    }
    then(cx);
}

/// A text was saved: shows why it was not formatted, if so.
pub fn on_saved(cx: &mut Cx<'_>, id: BufferId) {
    let Some(problem) = cx.state.slots[LANGUAGE_SERVERS].unformatted.remove(&id) else { return };
    let name = cx.state.buffers.get_mut(id).map(|buffer| buffer.name()).unwrap_or_default();
    cx.state.set_error(format!("Saved {name} unformatted. {}", visible(&problem)));
}

/// Returns when the next save no longer waits, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    state.slots[LANGUAGE_SERVERS].saves.iter().map(|save| save.until).min()
}
