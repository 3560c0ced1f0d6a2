//! Keeps the list at the caret up to date with what is typed, after every key and event.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::state::State;
use crate::ide::features::completion::request::{Place, drop_rows, request, show};
use crate::ide::features::completion::state::{COMPLETIONS, OpenList, Origin, Seen};
use crate::ide::features::completion::{signature, sources};
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::completion::Trigger;
use crate::lsp::table::Feature;
use crate::text::movement::motion;

/// Notes a character that was typed into the editor's text.
pub fn note_typed(state: &mut State, letter: char) {
    state.slots[COMPLETIONS].typed = Some(letter);
}

/// Returns the shown text with its version and caret, if text is typed there now.
fn seen(state: &State) -> Option<Seen> {
    let types = matches!(
        state.base_key_context(),
        KeyContext::Editor | KeyContext::Insert | KeyContext::Snippet | KeyContext::EditorCompletion
    );
    let buffer = state.buffers.current().filter(|_| types && state.layers.is_empty())?;
    let is_text = buffer.loading.is_none() && buffer.results.is_none() && buffer.area.selection.is_empty();
    let version = buffer.area.document.version();
    is_text.then(|| Seen { buffer: buffer.id, version, caret: buffer.area.caret() })
}

/// Brings the list and the signature up to date.
pub fn update(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[COMPLETIONS];
    let typed = known.typed.take();
    let is_idle = known.open.is_none() && known.signature.is_none() && known.dismissed.is_none();
    if typed.is_none() && is_idle {
        // Nearly always; every key comes here.
        return;
    }
    let now = seen(cx.state);
    let known = &mut cx.state.slots[COMPLETIONS];
    let before = std::mem::replace(&mut known.seen, now);
    if now == before && typed.is_none() {
        return;
    }
    let Some(place) = now.and_then(|_| Place::of(cx.state)) else {
        signature::close(cx);
        close(cx);
        return;
    };
    signature::update(cx, typed, &place);
    let known = &mut cx.state.slots[COMPLETIONS];
    known.dismissed.take_if(|dismissed| *dismissed != (place.buffer, place.start()));
    let is_kept = known.open.as_ref().is_some_and(|open| is_same_word(open, &place, typed));
    if is_kept {
        go_on(cx, &place);
    } else {
        close(cx);
    }
    if let Some(letter) = typed {
        ask_if_wanted(cx, &place, letter, is_kept);
    }
}

/// Whether the word of a list has only grown by what was typed, or has lost its end.
fn is_same_word(open: &OpenList, place: &Place, typed: Option<char>) -> bool {
    if open.buffer != place.buffer {
        return false;
    }
    if let Some(letter) = typed {
        let grown = place.word.strip_suffix(letter);
        return motion::is_word(letter) && grown == Some(open.word.as_str());
    }
    // Deleting all of a word ends its list, unless it was asked for there.
    let is_shorter = place.start() == open.start
        && open.word.starts_with(place.word.as_str())
        && place.word.len() >= open.asked.min(1);
    is_shorter && place.before.len() <= open.before.len()
}

/// Shows the matches of the word as it is now.
fn go_on(cx: &mut Cx<'_>, place: &Place) {
    let now = cx.now;
    let Some(open) = &mut cx.state.slots[COMPLETIONS].open else { return };
    (open.word, open.before, open.start) = (place.word.clone(), place.before.clone(), place.start());
    open.rank(now);
    show(cx);
}

/// Asks for a list after a character was typed, where one is wanted by itself.
fn ask_if_wanted(cx: &mut Cx<'_>, place: &Place, letter: char, is_kept: bool) {
    let known = &cx.state.slots[COMPLETIONS];
    if !known.is_on || cx.state.macros.replaying {
        return;
    }
    if is_kept {
        if let Some(trigger) = known.open.as_ref().and_then(|open| again(cx.state, open, place)) {
            request(cx, place, trigger, false);
        }
        return;
    }
    let is_dismissed = known.dismissed == Some((place.buffer, place.start()));
    if motion::is_word(letter) {
        // Not within a number.
        let is_name = place.word.chars().next().is_some_and(|first| !first.is_numeric());
        if is_name && !is_dismissed {
            request(cx, place, Trigger::Invoked, false);
        }
    } else if servers(cx.state, place.buffer).any(|server| server.triggers.completion.contains(&letter)) {
        request(cx, place, Trigger::Character(letter), false);
    } else if letter == '/' {
        request(cx, place, Trigger::Invoked, false);
    }
}

/// Returns how the sources of a list are asked again after another letter of its word, if they are.
fn again(state: &State, open: &OpenList, place: &Place) -> Option<Trigger> {
    if open.sources.iter().any(|source| source.is_incomplete) {
        return Some(Trigger::Incomplete);
    }
    let has_words = open.sources.iter().any(|source| source.origin == Origin::Words);
    let wants_words = !has_words
        && place.word.chars().count() == sources::WORD_MIN
        && servers(state, place.buffer).next().is_none();
    // What had no answer, or none that matches, may have one now.
    let is_exhausted = open.waiting == 0 && open.matches.is_empty();
    (is_exhausted || wants_words).then_some(Trigger::Invoked)
}

/// Returns the servers of a text that are asked for completions.
fn servers(state: &State, text: BufferId) -> impl Iterator<Item = &RunningServer> {
    state.slots[LANGUAGE_SERVERS].for_feature(text, Feature::Completion).into_iter()
}

/// Closes the list and the signature for the user, also those that are not there yet; returns whether any was shown.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    if cx.state.slots[COMPLETIONS].open.is_some() {
        dismiss(cx);
    }
    let was_shown = close(cx);
    signature::close(cx) || was_shown
}

/// Notes that the word at the caret has no list any more.
pub fn dismiss(cx: &mut Cx<'_>) {
    cx.state.slots[COMPLETIONS].dismissed = Place::of(cx.state).map(|place| (place.buffer, place.start()));
}

/// Closes the list; returns whether one was shown.
pub fn close(cx: &mut Cx<'_>) -> bool {
    let was_shown = std::mem::take(&mut cx.state.shows_editor_completions);
    if let Some(open) = cx.state.slots[COMPLETIONS].open.take() {
        drop_rows(cx, open.rows);
    }
    if was_shown {
        cx.state.damage.add(Part::Completions);
    }
    was_shown
}
