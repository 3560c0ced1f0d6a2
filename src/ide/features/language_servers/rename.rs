//! Renames what is at the caret, in all files: the user types the new name while the server says what can be renamed there, and
//! sees what changes before it does.

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::language_servers::apply_edit::{self, EditRequest, answer_or_refusal};
use crate::ide::features::language_servers::questions::{
    Asked, ask, failure, has_server, is_at, shown_version,
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
/// What is shown where the user has gone on before that.
const GONE_ON: &str = "Rename canceled: the cursor or the text has moved";
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
    let is_answered = move |cx: &mut Cx<'_>, name: &str| {
        let renaming = cx.state.slots[LANGUAGE_SERVERS].renaming.as_mut();
        match renaming.filter(|renaming| renaming.number == number) {
            Some(Renaming { refused: Some(reason), .. }) => Err(reason.clone()),
            Some(renaming) if renaming.server.is_none() => {
                renaming.accepted = Some(name.to_string());
                Err(ASKING.to_string())
            }
            Some(_) | None => Ok(()),
        }
    };
    Prompt::new("Rename to", move |cx, name| accept(cx, number, &name))
        .with_id(BOX, number)
        .required()
        .check(is_answered)
        .on_escape(move |cx| drop(take(cx, number)))
        .verb("rename")
        .initial(present)
        .selected()
        .open(cx);
}

/// Takes the rename of a box, unless there is a newer one.
fn take(cx: &mut Cx<'_>, number: u64) -> Option<Renaming> {
    cx.state.slots[LANGUAGE_SERVERS].renaming.take_if(|renaming| renaming.number == number)
}

/// Says in the box that nothing can be renamed.
fn refuse(cx: &mut Cx<'_>, number: u64, reason: &str) {
    let renaming = cx.state.slots[LANGUAGE_SERVERS].renaming.as_mut();
    let Some(renaming) = renaming.filter(|renaming| renaming.number == number) else { return };
    let reason = visible(reason).into_owned();
    renaming.refused = Some(reason.clone());
    let mut open = cx.state.layers.all_mut::<Prompt>();
    if let Some(prompt) = open.find(|open| open.number_of(BOX) == Some(number)) {
        prompt.note = reason;
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
    if is_on_top && accepted.is_some_and(|name| name == shown || !is_typed) {
        cx.state.layers.close_where::<Prompt>(|open| open.number_of(BOX) == Some(number));
        cx.state.damage.add_all();
        accept(cx, number, &shown);
    }
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

/// The user has typed the new name.
fn accept(cx: &mut Cx<'_>, number: u64, name: &str) {
    let Some(renaming) = take(cx, number) else { return };
    if name == renaming.present {
        return cx.state.set_status(UNCHANGED);
    }
    if let Some(server) = renaming.server {
        rename(cx, server, renaming.origin, name.to_string());
    }
}

/// Asks the server what changes, and shows it.
fn rename(cx: &mut Cx<'_>, (number, server): (u32, String), origin: Origin, name: String) {
    if !is_at(cx.state, origin.buffer, origin.version, origin.at) {
        return cx.state.set_error(format!("{}: the text has changed; rename again", visible(&server)));
    }
    let Some(asked) = ask(cx, Feature::RenameSymbol) else { return };
    let Some(asked_server) = asked.servers.into_iter().find(|server| server.number == number) else {
        return cx.state.set_error(format!("{} does not run", visible(&server)));
    };
    let title = format!("Rename to {name}");
    cx.state.set_status(ASKING);
    let work = async move {
        let Some(client) = asked_server.client.await else {
            return Err(format!("{} does not run", asked_server.name));
        };
        let answer = client.rename(&asked.path, asked.at.0, &name).await;
        answer.map_err(|error| failure(&asked_server.name, "rename", &error))
    };
    cx.tasks.spawn("language-servers.rename", work, move |cx, answer| match answer_or_refusal(cx, answer) {
        // The user has gone on meanwhile.
        Some(_) if !is_at(cx.state, origin.buffer, origin.version, origin.at) => {
            cx.state.set_status(GONE_ON);
        }
        Some(Some(edit)) if !edit.edit.steps.is_empty() => {
            cx.state.set_status("");
            let request = EditRequest { server, title, edit, is_previewed: true, reply: None, then: None };
            apply_edit::begin(cx, request);
        }
        Some(_) => cx.state.set_status(NOTHING),
        None => {}
    });
}
