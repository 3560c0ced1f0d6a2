//! The signature of the call that is typed: asked for by the characters that servers name, and again while it is shown.

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::completion::request::Place;
use crate::ide::features::completion::state::{COMPLETIONS, ShownSignature};
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::signature::Signatures;
use crate::lsp::client::QuestionError;
use crate::lsp::table::Feature;
use crate::text::position::Byte;

/// Asks for the signature after a key, where one is wanted.
pub fn update(cx: &mut Cx<'_>, typed: Option<char>, place: &Place) {
    let known = &cx.state.slots[COMPLETIONS];
    let is_shown = known.signature.as_ref().is_some_and(|shown| shown.buffer == place.buffer);
    let servers = cx.state.slots[LANGUAGE_SERVERS].for_feature(place.buffer, Feature::SignatureHelp);
    let begins = typed.is_some_and(|letter| {
        let wants = |triggers: &[char]| triggers.contains(&letter);
        known.is_on && servers.iter().any(|server| wants(&server.triggers.signature))
    });
    if begins && !cx.state.macros.replaying || is_shown {
        ask(cx, place, typed.filter(|_| begins), is_shown, false);
    }
}

/// Shows the signature at the caret because the user wants it.
pub fn show(cx: &mut Cx<'_>) {
    if let Some(place) = Place::of(cx.state) {
        ask(cx, &place, None, false, true);
    }
}

fn ask(cx: &mut Cx<'_>, place: &Place, typed: Option<char>, is_shown: bool, is_by_hand: bool) {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(path) = known.texts.get(&place.buffer).map(|served| served.path.clone()) else { return };
    let servers = known.for_feature(place.buffer, Feature::SignatureHelp);
    let clients: Vec<_> =
        servers.into_iter().map(|server| (server.number, questions::client(server))).collect();
    let known = &mut cx.state.slots[COMPLETIONS];
    known.last_signature += 1;
    let (number, caret, buffer) = (known.last_signature, place.caret, place.buffer);
    let line = line_of(cx.state, place);
    let work = async move {
        let mut problems = Vec::new();
        for (server, client) in clients {
            let Some(client) = client.await else { continue };
            match client.signatures(&path, caret.0, typed, is_shown).await {
                Ok(Some(found)) => return (Some(found), problems),
                Ok(None) | Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push((server, error)),
            }
        }
        (None, problems)
    };
    cx.tasks.spawn("completion.ask-signature", work, move |cx, answer| {
        let Some((found, problems)) = answer_or_error(cx, "ask language servers", answer) else { return };
        for (server, problem) in problems {
            if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(server) {
                server.note_problem("signatures", &problem);
            }
        }
        if cx.state.slots[COMPLETIONS].last_signature != number {
            return;
        }
        match found {
            Some(found) => take_in(cx, (buffer, line), &found),
            None if is_by_hand => cx.state.set_status("No call here"),
            None => drop(close(cx)),
        }
    });
}

/// Shows what servers say, if the text and its line are still the same.
fn take_in(cx: &mut Cx<'_>, (id, line): (BufferId, usize), found: &Signatures) {
    let place = Place::of(cx.state).filter(|place| place.buffer == id);
    if place.is_none_or(|place| line_of(cx.state, &place) != line) {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, caret) = (buffer.area.text(), buffer.area.caret());
    let signature = &found.all[found.active];
    // It does not follow the caret within the line.
    let shown = cx.state.slots[COMPLETIONS].signature.as_ref().filter(|shown| shown.buffer == id);
    let is_here = |start: &Byte| *start <= caret && text.line_of(*start) == text.line_of(caret);
    let start = shown.map(|shown| shown.start).filter(is_here).unwrap_or(caret);
    let mut lines = signature.parameter_documentation.lines().map(str::trim);
    let about = lines.find(|line| !line.is_empty() && !line.starts_with("```")).unwrap_or_default();
    let shown = ShownSignature {
        buffer: id,
        start,
        label: signature.label.clone(),
        parameter: signature.parameter.clone(),
        place: (found.active, found.all.len()),
        about: about.to_string(),
    };
    if cx.state.is_accessible() {
        let parameter = signature.parameter.clone().map(|range| signature.label[range].to_string());
        let text =
            [parameter, Some(signature.label.clone())].into_iter().flatten().collect::<Vec<_>>().join(": ");
        cx.state.set_status(visible(&text).into_owned());
    }
    if cx.state.slots[COMPLETIONS].signature.as_ref() != Some(&shown) {
        cx.state.slots[COMPLETIONS].signature = Some(shown);
        cx.state.damage.add(Part::Signature);
    }
}

/// Returns the line of a place in the shown text.
fn line_of(state: &State, place: &Place) -> usize {
    state.buffers.current().map_or(0, |buffer| buffer.area.text().line_of(place.caret).0)
}

/// Closes it; returns whether one was shown.
pub fn close(cx: &mut Cx<'_>) -> bool {
    let known = &mut cx.state.slots[COMPLETIONS];
    // An answer that is under way is of no use any more.
    known.last_signature += 1;
    let was_shown = known.signature.take().is_some();
    if was_shown {
        cx.state.damage.add(Part::Signature);
    }
    was_shown
}
