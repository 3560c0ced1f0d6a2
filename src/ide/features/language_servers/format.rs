//! Formats texts: by the program that the table has for a language, else by a server. The shown text or its selection is
//! formatted on command. The answer is reduced to what differs, so that cursors and marks stay. Must not write files.

use std::ops::Range;

use crate::base::width::visible;
use crate::ide::core::command_line::{LineCommand, line_command};
use crate::ide::core::condition::Reason;
use crate::ide::core::context::{Command, Cx, TaskError, command};
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::edit_plan;
use crate::ide::features::language_servers::formatter::{self, Outcome, Program};
use crate::ide::features::language_servers::questions::{
    AskedServer, ask, asked_servers, failure, has_server, no_answer,
};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::{start, sync};
use crate::ide::features::plugins::state::WantedProgram;
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::{FormatOptions, TextAnswer};
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
.when(can_format)];

/// The feature's command lines.
pub const LINES: &[LineCommand] = &[line_command("format", "format", "format the file", |cx, given| {
    if given.lines.2 > 0 {
        return Err("Only the whole file can be formatted".to_string());
    }
    can_format(cx.state).map_err(|reason| reason.message(cx.state))?;
    format(cx, false);
    Ok(())
})];

/// A text to format.
pub struct FormatJob {
    /// The version of the text.
    pub version: u64,
    /// Its file.
    pub path: std::path::PathBuf,
    text: Text,
    ending: &'static str,
    range: Option<Range<usize>>,
    /// How it is indented.
    pub options: FormatOptions,
}

/// The answer about a text.
pub enum Formatted {
    /// Nothing formats it.
    NotOffered,
    /// The program that would is not installed, and no server formats it.
    NotInstalled(String),
    /// The program that would needs trust.
    Untrusted(WantedProgram),
    /// What changes; nothing if it is formatted already.
    Changes(ChangeSet, Option<Substitute>),
}

/// A server that has formatted because the program for that is not installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substitute {
    program: String,
    server: String,
}

/// Returns for the user that a server has formatted in place of a program. Once for each program, as it holds until that is
/// installed.
pub fn take_notice(state: &mut State, substitute: Option<Substitute>) -> Option<String> {
    let Substitute { program, server } = substitute?;
    let notice = format!("{program} is not installed; {} has formatted", visible(&server));
    state.slots[LANGUAGE_SERVERS].missing_programs.insert(program).then_some(notice)
}

/// Something formats the shown text, or may.
fn can_format(state: &State) -> Result<(), Reason> {
    if formatter::has_program(state) { Ok(()) } else { has_server(state) }
}

/// Returns what is to be formatted in an open text, and how.
pub fn job(cx: &mut Cx<'_>, id: BufferId, with_selection: bool) -> Option<FormatJob> {
    let usual_width = cx.state.text_options.tab_width;
    let buffer = cx.state.buffers.get_mut(id)?;
    let path = buffer.real_path()?.to_path_buf();
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
    Some(FormatJob { version, path, text: document.text().clone(), ending, range, options })
}

/// Formats a text: by the program that the table has for it, else by the first server that formats. Servers alone know how
/// to format a part.
///
/// # Errors
///
/// A message for the user.
pub async fn run(
    program: Option<Program>,
    servers: Vec<AskedServer>,
    job: FormatJob,
) -> Result<Formatted, String> {
    let mut missing = None;
    if let Some(program) = program.filter(|_| job.range.is_none()) {
        match program.run(job.text.clone(), job.ending).await? {
            Outcome::Changes(changes) => return Ok(Formatted::Changes(changes, None)),
            Outcome::Untrusted(wanted) => return Ok(Formatted::Untrusted(wanted)),
            Outcome::NotInstalled(name) => missing = Some(name),
        }
    }
    let found = ask_servers(servers, job).await?;
    Ok(match (found, missing) {
        (Some((changes, server)), missing) => {
            Formatted::Changes(changes, missing.map(|program| Substitute { program, server }))
        }
        (None, Some(name)) => Formatted::NotInstalled(name),
        (None, None) => Formatted::NotOffered,
    })
}

/// Asks the servers, the first one that formats counts: what it changes, and its name. Fails with a message for the user.
async fn ask_servers(
    servers: Vec<AskedServer>,
    job: FormatJob,
) -> Result<Option<(ChangeSet, String)>, String> {
    for server in servers {
        let Some(client) = server.client.await else { continue };
        let name = server.name;
        let answer = match client.format(&job.path, job.range.clone(), job.options).await {
            Ok(answer) => answer,
            Err(QuestionError::NotOffered) => continue,
            Err(error) => return Err(failure(&name, "formatting", &error)),
        };
        if answer.text.version != job.version {
            return Err(format!("{name}: the text has changed"));
        }
        let changes = changes_of(answer, job).await.map_err(|error| failure(&name, "formatting", &error))?;
        return Ok(Some((changes, name)));
    }
    Ok(None)
}

/// Returns what an answer about a text changes in it, reduced to what differs.
///
/// # Errors
///
/// Edits that are not about this text.
pub async fn changes_of(answer: TextAnswer, job: FormatJob) -> Result<ChangeSet, QuestionError> {
    let computed = on_thread(move || {
        let (changes, _) = edit_plan::changes(&job.text, &answer.edits, answer.encoding, job.ending)?;
        let mut after = job.text.clone();
        changes.apply(&mut after);
        Ok(compare::fine_change(&job.text, &after))
    });
    computed.await
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
    let Some((id, reason)) = cx.state.buffers.current().map(|buffer| (buffer.id, buffer.read_only())) else {
        return cx.state.set_status("No file open");
    };
    if let Some(reason) = reason {
        return cx.state.set_error(format!("Not formatted: {reason}"));
    }
    let Some(job) = job(cx, id, with_selection) else { return };
    let (version, is_part) = (job.version, job.range.is_some());
    let program = Program::of(cx, id).filter(|_| !is_part);
    let servers = if program.is_some() {
        sync::flush(cx.state);
        asked_servers(cx.state, id, Feature::Format)
    } else {
        // Says why, if none of the servers runs.
        let Some(asked) = ask(cx, Feature::Format) else { return };
        asked.servers
    };
    cx.tasks.spawn("language-servers.format", run(program, servers, job), move |cx, answer| {
        show(cx, (id, version), is_part, flat(answer));
    });
}

/// Applies the answer to the command.
fn show(cx: &mut Cx<'_>, (id, version): (BufferId, u64), is_part: bool, answer: Result<Formatted, String>) {
    match answer {
        Ok(Formatted::Changes(changes, substitute)) => {
            let is_identity = changes.is_identity();
            if !is_identity && !apply(cx, id, version, changes) {
                return cx.state.set_error("Not formatted: the text has changed");
            }
            let done = match (is_identity, is_part) {
                (true, _) => "Formatted already",
                (false, true) => "Formatted the selection",
                (false, false) => "Formatted",
            };
            let notice = take_notice(cx.state, substitute);
            cx.state.set_status(notice.unwrap_or_else(|| done.to_string()));
        }
        Ok(Formatted::NotOffered) => {
            let what = if is_part { "a selection" } else { "this file" };
            cx.state.set_error(format!("No language server formats {what}"));
        }
        Ok(Formatted::NotInstalled(name)) => {
            cx.state.set_error(format!("Not formatted: {name} is not installed"));
        }
        Ok(Formatted::Untrusted(wanted)) => {
            let reason =
                Reason::new("Formatting needs a trusted folder").with_remedy("Trust it", "trust.give");
            cx.state.set_error(reason.message(cx.state));
            start::request_trust_of_formatter(cx, wanted);
        }
        Err(reason) => cx.state.set_error(visible(&reason).into_owned()),
    }
}

fn flat(answer: Result<Result<Formatted, String>, TaskError>) -> Result<Formatted, String> {
    answer.unwrap_or_else(|error| Err(no_answer(&[error.to_string()], "")))
}
