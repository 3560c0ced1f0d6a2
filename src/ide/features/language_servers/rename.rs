//! Renames what is at the caret, in all files: the user types the new name while the server says what can be renamed there, and
//! sees what changes before it does.

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::language_servers::apply_edit::{
    self, Attention, EditRequest, OnChecked, Then, answer_or_refusal,
};
use crate::ide::features::language_servers::questions::{
    Asked, ask, failure, has_server, is_text_at, shown_version,
};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::RenameTarget;
use crate::lsp::table::Feature;
use crate::text::movement::motion::{is_word, run_around};
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.rename",
    "Rename symbol",
    &["rename variable", "rename function", "refactor rename", "rename everywhere"],
    begin,
)
.when(has_server)];

/// What is shown where there is nothing to rename.
const NOTHING: &str = "Nothing to rename here";

/// What is shown until the server answers.
const ASKING: &str = "Rename: asking the language server…";
/// What is shown while the server works out what changes.
const RENAMING: &str = "Renaming…";
/// What is shown where the text has changed before that.
const GONE_ON: &str = "Rename canceled: the text has changed";
/// What is shown where the new name is the old one.
const UNCHANGED: &str = "Name unchanged";

/// The box for the new name.
const BOX: &str = "rename-symbol";

/// Languages whose names have hyphens in them.
const HYPHENATED: &[&str] = &["css", "scss", "less", "clojure", "lisp", "scheme", "racket"];
/// Those whose servers count the sign before a name as a part of it, and the signs.
const SIGNED: (&[&str], [char; 2]) = (&["css", "scss", "less"], ['.', '#']);

/// The text and the position where a rename began.
#[derive(Debug, Clone, Copy)]
struct Origin {
    buffer: BufferId,
    version: u64,
    at: Byte,
}

/// A rename whose new name is being typed.
pub struct Renaming {
    /// The number of its box.
    number: u64,
    origin: Origin,
    /// The name that is to be replaced.
    present: String,
    /// Who renames, by number and name, once it has said that it can.
    server: Option<(u32, String)>,
    /// Why nothing can be renamed.
    refused: Option<String>,
    /// What the user has accepted before the server answered.
    accepted: Option<String>,
    /// The name that the server was asked about last; ends that question on drop.
    requested: Option<(String, DropGuard)>,
    /// How many such questions there were.
    requests: u64,
    /// Ends the question on drop.
    _cancel: DropGuard,
}

/// Opens the box for the new name, and asks the server what can be renamed meanwhile. The box stays until the user closes it,
/// whatever the server says: no key that is meant for it goes into the text.
fn begin(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::RenameSymbol) else { return };
    let origin = Origin { buffer: asked.buffer, version: shown_version(cx.state), at: asked.at };
    let present = word_at(cx, origin);
    let cancel = CancellationToken::new();
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.last_question += 1;
    let number = known.last_question;
    known.renaming = Some(Renaming {
        number,
        origin,
        present: present.clone(),
        server: None,
        refused: None,
        accepted: None,
        requested: None,
        requests: 0,
        _cancel: cancel.clone().drop_guard(),
    });
    open_box(cx, number, present);
    let work = async move { cancel.run_until_cancelled(prepare(asked)).await };
    cx.tasks.spawn("language-servers.prepare-rename", work, move |cx, answer| {
        match answer {
            // The box was closed.
            Ok(None) => {}
            Ok(Some(Ok((server, target)))) => on_prepared(cx, number, server, target),
            Ok(Some(Err(reason))) => refuse(cx, number, &reason),
            Err(error) => refuse(cx, number, &error.to_string()),
        }
    });
}

/// Returns which server can rename, and what.
async fn prepare(asked: Asked) -> Result<((u32, String), RenameTarget), String> {
    for server in asked.servers {
        let Some(client) = server.client.await else { continue };
        match client.prepare_rename(&asked.path, asked.at.0).await {
            Ok(target) => return Ok(((server.number, server.name), target)),
            Err(QuestionError::NotOffered) => {}
            Err(error) => return Err(failure(&server.name, "rename", &error)),
        }
    }
    Err("No language server of this file can rename".to_string())
}

/// Returns the word at the caret, as the language has words.
fn word_at(cx: &Cx<'_>, origin: Origin) -> String {
    let served = cx.state.slots[LANGUAGE_SERVERS].texts.get(&origin.buffer);
    let is_one_of = |ids: &[&str]| served.is_some_and(|text| ids.contains(&text.language_id.as_str()));
    let (has_hyphens, has_signs) = (is_one_of(HYPHENATED), is_one_of(SIGNED.0));
    let Some(buffer) = cx.state.buffers.current() else { return String::new() };
    let text = buffer.area.text();
    let mut word = run_around(text, origin.at, |c| is_word(c) || has_hyphens && c == '-');
    if let Some(sign) = text.char_before(word.start)
        && has_signs
        && !word.is_empty()
        && SIGNED.1.contains(&sign)
    {
        word.start = Byte(word.start.0 - sign.len_utf8());
    }
    name_of(&text.slice(word))
}

/// Returns a text as a name that can be typed.
fn name_of(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn open_box(cx: &mut Cx<'_>, number: u64, present: String) {
    let check = move |cx: &mut Cx<'_>, name: &str| {
        let Some(renaming) = current(cx, number) else { return Ok(()) };
        if let Some(reason) = &renaming.refused {
            return Err(reason.clone());
        }
        if renaming.server.is_none() {
            renaming.accepted = Some(name.to_string());
            return Err(ASKING.to_string());
        }
        if name == renaming.present {
            return Ok(());
        }
        if renaming.requested.as_ref().is_none_or(|(requested, _)| requested != name) {
            rename(cx, number, name.to_string())?;
        }
        Err(RENAMING.to_string())
    };
    Prompt::new("Rename to", move |cx, name| accept(cx, number, &name))
        .with_id(BOX, number)
        .required()
        .check(check)
        .on_escape(move |cx| drop(take(cx, number)))
        .verb("rename")
        .initial(present)
        .selected()
        .open(cx);
}

/// Returns the rename of a box, unless there is a newer one.
fn current<'s>(cx: &'s mut Cx<'_>, number: u64) -> Option<&'s mut Renaming> {
    let renaming = cx.state.slots[LANGUAGE_SERVERS].renaming.as_mut();
    renaming.filter(|renaming| renaming.number == number)
}

/// Takes the rename of a box, unless there is a newer one.
fn take(cx: &mut Cx<'_>, number: u64) -> Option<Renaming> {
    cx.state.slots[LANGUAGE_SERVERS].renaming.take_if(|renaming| renaming.number == number)
}

/// Says in the box that nothing can be renamed.
fn refuse(cx: &mut Cx<'_>, number: u64, reason: &str) {
    let Some(renaming) = current(cx, number) else { return };
    let reason = visible(reason).into_owned();
    renaming.refused = Some(reason.clone());
    set_note(cx, number, reason);
}

fn set_note(cx: &mut Cx<'_>, number: u64, note: String) {
    let mut open = cx.state.layers.all_mut::<Prompt>();
    if let Some(prompt) = open.find(|open| open.number_of(BOX) == Some(number)) {
        prompt.note = note;
    }
    drop(open);
    cx.state.damage.add(Part::Overlay);
}

/// The server has said what can be renamed: its name takes the place of the editor's word, unless the user has typed.
fn on_prepared(cx: &mut Cx<'_>, number: u64, server: (u32, String), target: RenameTarget) {
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(renaming) = known.renaming.as_ref().filter(|renaming| renaming.number == number) else { return };
    let before = renaming.present.clone();
    let present = present_name(cx, renaming, target);
    if present.is_empty() {
        return refuse(cx, number, NOTHING);
    }
    let now = cx.now_ms;
    let mut open = cx.state.layers.all_mut::<Prompt>();
    // Without a box something else has closed it.
    let Some(prompt) = open.find(|open| open.number_of(BOX) == Some(number)) else { return };
    if prompt.note == ASKING {
        prompt.note.clear();
    }
    let is_typed = prompt.answer.text().to_string() != before;
    if !is_typed && present != before {
        let selected = prompt.answer.selection.primary();
        let (was_all, was_at_start) = (!selected.is_empty() || before.is_empty(), selected.head == Byte(0));
        prompt.answer.set(&present, now);
        let end = prompt.answer.text().end();
        let selected = if was_all {
            Range::new(Byte(0), end)
        } else {
            Range::cursor(if was_at_start { Byte(0) } else { end })
        };
        prompt.answer.select(Selection::single(selected));
    }
    let shown = prompt.answer.text().to_string();
    drop(open);
    cx.state.damage.add(Part::Overlay);
    let Some(renaming) = &mut cx.state.slots[LANGUAGE_SERVERS].renaming else { return };
    (renaming.server, renaming.present) = (Some(server), present);
    let accepted = renaming.accepted.take();
    let is_on_top = cx.state.layers.top::<Prompt>().is_some_and(|open| open.number_of(BOX) == Some(number));
    // What was typed after that is accepted by hand, and so it is below another dialog.
    if !is_on_top || accepted.is_none_or(|name| name != shown && is_typed) {
        return;
    }
    if current(cx, number).is_some_and(|renaming| renaming.present == shown) {
        close_box(cx, number);
        return cx.state.set_status(UNCHANGED);
    }
    let note = rename(cx, number, shown).err().unwrap_or_else(|| RENAMING.to_string());
    set_note(cx, number, note);
}

/// Returns the name that is to be replaced; empty if there is none.
fn present_name(cx: &Cx<'_>, renaming: &Renaming, target: RenameTarget) -> String {
    let origin = renaming.origin;
    let buffer = cx.state.buffers.current().filter(|buffer| buffer.id == origin.buffer);
    let same = buffer.filter(|buffer| buffer.area.document.version() == origin.version);
    match (target, same) {
        (RenameTarget::Nothing, _) => String::new(),
        (RenameTarget::Range(_, Some(placeholder)), _) => name_of(&placeholder),
        (RenameTarget::Range(range, None), Some(buffer)) => {
            name_of(&buffer.area.text().slice(Byte(range.start)..Byte(range.end)))
        }
        // In another text the range means nothing any more.
        (RenameTarget::Range(..) | RenameTarget::Word, _) => renaming.present.clone(),
    }
}

/// The name stays as it is, or the rename was refused before the server was asked.
fn accept(cx: &mut Cx<'_>, number: u64, name: &str) {
    if take(cx, number).is_some_and(|renaming| name == renaming.present) {
        cx.state.set_status(UNCHANGED);
    }
}

/// Asks the server what changes, while the box stays: no key goes into the text until the user sees that. Fails with the
/// reason.
fn rename(cx: &mut Cx<'_>, number: u64, name: String) -> Result<(), String> {
    let Some(renaming) = current(cx, number) else { return Ok(()) };
    let Some((server_number, server)) = renaming.server.clone() else { return Ok(()) };
    let origin = renaming.origin;
    if !is_text_at(cx.state, origin.buffer, origin.version, origin.at) {
        return Err(format!("{}: the text has changed; rename again", visible(&server)));
    }
    let does_not_run = |server: &str| format!("{} does not run", visible(server));
    let asked = ask(cx, Feature::RenameSymbol).ok_or_else(|| does_not_run(&server))?;
    let asked_server = asked.servers.into_iter().find(|asked| asked.number == server_number);
    let asked_server = asked_server.ok_or_else(|| does_not_run(&server))?;
    let cancel = CancellationToken::new();
    let Some(renaming) = current(cx, number) else { return Ok(()) };
    renaming.requests += 1;
    let request = renaming.requests;
    renaming.requested = Some((name.clone(), cancel.clone().drop_guard()));
    let title = format!("Rename to {name}");
    cx.state.set_status("");
    let work = async move {
        let Some(client) = asked_server.client.await else {
            return Err(format!("{} does not run", asked_server.name));
        };
        let answer = client.rename(&asked.path, asked.at.0, &name).await;
        answer.map_err(|error| failure(&asked_server.name, "rename", &error))
    };
    let work = async move { cancel.run_until_cancelled(work).await.transpose() };
    cx.tasks.spawn("language-servers.rename", work, move |cx, answer| {
        // The user has closed the box, or typed another name.
        if !is_wanted(cx, number, request) {
            return;
        }
        let edit = match answer_or_refusal(cx, answer).flatten() {
            Some(Some(edit)) if !edit.edit.steps.is_empty() => edit,
            Some(_) => {
                close_box(cx, number);
                return cx.state.set_status(NOTHING);
            }
            None => return close_box(cx, number),
        };
        if !is_text_at(cx.state, origin.buffer, origin.version, origin.at) {
            close_box(cx, number);
            return cx.state.set_status(GONE_ON);
        }
        let on_checked: OnChecked = Box::new(move |cx| on_checked(cx, number, request));
        let then: Then = Box::new(move |cx, is_applied| {
            if is_applied {
                close_box(cx, number);
            }
        });
        let (reply, then, on_checked) = (None, Some(then), Some(on_checked));
        let request = EditRequest { server, title, edit, is_previewed: true, reply, on_checked, then };
        apply_edit::begin(cx, request);
    });
    Ok(())
}

/// Whether the edit of a request is still wanted: its box is open, and no other name was accepted.
fn is_wanted(cx: &mut Cx<'_>, number: u64, request: u64) -> bool {
    current(cx, number).is_some_and(|renaming| renaming.requests == request)
}

/// The edit was checked and is shown next, unless it is not wanted any more. The box is closed, unless the user goes on typing
/// there: those keys go there below the question, which they must not answer.
fn on_checked(cx: &mut Cx<'_>, number: u64, request: u64) -> Attention {
    if !is_wanted(cx, number, request) {
        return Attention::Gone;
    }
    let typed = box_text(cx, number);
    // The same name may be asked about again.
    let asked = current(cx, number).and_then(|renaming| renaming.requested.take());
    if asked.map(|(name, _)| name) == typed {
        close_box(cx, number);
        return Attention::Waiting;
    }
    set_note(cx, number, String::new());
    Attention::Elsewhere
}

/// Returns what is in the box.
fn box_text(cx: &mut Cx<'_>, number: u64) -> Option<String> {
    let open = cx.state.layers.all_mut::<Prompt>().find(|open| open.number_of(BOX) == Some(number))?;
    Some(open.answer.text().to_string())
}

/// Ends a rename, with its box.
fn close_box(cx: &mut Cx<'_>, number: u64) {
    drop(take(cx, number));
    cx.state.layers.close_where::<Prompt>(|open| open.number_of(BOX) == Some(number));
    cx.state.damage.add_all();
}
