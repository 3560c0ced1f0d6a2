//! Commands that find, replace and go to lines in the open file.

use std::collections::VecDeque;
use std::ops::Range;

use super::command::{Command, Cx, command};
use super::file::ask;
use crate::ide::effect::{Effect, Search, SearchFor};
use crate::ide::state::buffers::Buffer;
use crate::ide::state::damage::Part;
use crate::ide::state::overlay::{Answer, Dialog, Overlay, Topic};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::search::Needle;
use crate::text::selection::{self, Selection};
use crate::text::transaction::Transaction;

/// Matches counted for the note before it says "more".
const COUNT_MAX: usize = 10_000;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("search.find", "Find a text in the file", find),
    command("search.next", "Go to the next match", |cx| again(cx, true)),
    command("search.previous", "Go to the previous match", |cx| again(cx, false)),
    command("search.go-to-line", "Go to a line, or line:column", |cx| {
        with_file(cx, Topic::GoToLine, "");
    }),
    command("search.replace", "Replace a text in the file, match by match", replace),
];

fn with_file(cx: &mut Cx<'_>, topic: Topic, first: &str) {
    if cx.state.buffers.current().is_some() {
        ask(cx, topic, first);
    } else {
        cx.state.say("no file is open");
    }
}

fn find(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let from = buffer.area.selection.primary().start();
    let first = seed(buffer, cx.state.last_search.as_deref());
    with_file(cx, Topic::Find(from), &first);
    look(cx);
}

fn replace(cx: &mut Cx<'_>) {
    let first = cx.state.buffers.current().map(|buffer| seed(buffer, cx.state.last_search.as_deref()));
    with_file(cx, Topic::Replace, &first.unwrap_or_default());
}

/// What a search begins with: a selected piece of one line, else what was looked for last.
fn seed(buffer: &Buffer, last: Option<&str>) -> String {
    let selected = buffer.area.selected().swap_remove(buffer.area.selection.primary_index());
    if selected.is_empty() || selected.contains('\n') {
        last.unwrap_or_default().to_string()
    } else {
        selected
    }
}

fn select(buffer: &mut Buffer, found: Range<Byte>) {
    buffer.area.selection = Selection::single(selection::Range::new(found.start, found.end));
}

/// Follows the text that is being typed: the first match from where the search began. The text
/// is searched elsewhere; [`found`] is told.
pub fn look(cx: &mut Cx<'_>) {
    let Some(Overlay::Question(question)) = cx.state.overlays.last_mut() else { return };
    let Topic::Find(from) = question.topic else { return };
    let wanted = question.answer.text().to_string();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    if wanted.is_empty() {
        buffer.area.go_to(from);
        question.note.clear();
        cx.state.damage.add(Part::Editor);
        cx.state.damage.add(Part::Overlay);
        return;
    }
    let ask = Search::Typed { from, answer: question.seen };
    cx.effects.push(Effect::Search(Box::new(search(buffer, wanted, ask))));
}

fn search(buffer: &Buffer, wanted: String, ask: Search) -> SearchFor {
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    SearchFor { buffer: buffer.id, text, version, wanted, ask }
}

fn again(cx: &mut Cx<'_>, forward: bool) {
    let Some(wanted) = cx.state.last_search.clone().filter(|text| !text.is_empty()) else {
        cx.state.say("nothing was looked for yet");
        return;
    };
    if cx.state.searching.is_some() || cx.state.accepted_search.is_some() {
        // The place to go on from is not known yet.
        cx.state.searching.get_or_insert_default().push_back(forward);
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    cx.state.searching = Some(VecDeque::new());
    let range = buffer.area.selection.primary();
    let ask = if forward { Search::Next(range.end()) } else { Search::Previous(range.start()) };
    cx.effects.push(Effect::Search(Box::new(search(buffer, wanted, ask))));
}

/// Looks for it. Reads the whole text where need be; not to be called on the loop.
pub fn run(search: &SearchFor) -> (Option<Range<Byte>>, usize) {
    let Some(needle) = Needle::new(&search.wanted) else { return (None, 0) };
    let text = &search.text;
    match search.ask {
        Search::Next(from) => (needle.find_around(text, from), 0),
        Search::Previous(to) => (needle.find_back(text, to), 0),
        Search::Typed { from, .. } => {
            let found = needle.find_around(text, from);
            let count = needle.matches(text, Byte(0)..text.end()).take(COUNT_MAX).count();
            (found, count)
        }
    }
}

/// A text was searched.
pub fn found(cx: &mut Cx<'_>, search: &SearchFor, found: Option<Range<Byte>>, count: usize) {
    match search.ask {
        Search::Typed { from, answer } => found_typed(cx, search, found, (from, answer), count),
        Search::Next(_) | Search::Previous(_) => arrive(cx, search, found),
    }
}

/// A search is done; those that waited for its place go on from there.
fn arrive(cx: &mut Cx<'_>, search: &SearchFor, found: Option<Range<Byte>>) {
    let waiting = cx.state.searching.take();
    show(cx, search, found);
    for forward in waiting.into_iter().flatten() {
        again(cx, forward);
    }
}

fn found_typed(
    cx: &mut Cx<'_>,
    search: &SearchFor,
    found: Option<Range<Byte>>,
    ask: (Byte, u64),
    count: usize,
) {
    if cx.state.accepted_search == Some(ask) {
        cx.state.accepted_search = None;
        return arrive(cx, search, found);
    }
    let Some(Overlay::Question(question)) = cx.state.overlays.last_mut() else { return };
    if question.topic != Topic::Find(ask.0) || question.seen != ask.1 {
        return;
    }
    question.note = match (found.is_some(), count) {
        (false, _) => "no match".to_string(),
        (true, 1) => "1 match".to_string(),
        (true, COUNT_MAX) => format!("{COUNT_MAX} matches or more"),
        (true, count) => format!("{count} matches"),
    };
    question.searched = question.seen;
    cx.state.damage.add(Part::Overlay);
    if found.is_some() {
        return show(cx, search, found);
    }
    if let Some(buffer) = cx.state.buffers.get_mut(search.buffer) {
        buffer.area.go_to(ask.0);
    }
    cx.state.damage.add(Part::Editor);
}

/// Selects a match, if the text is still the one that was searched.
fn show(cx: &mut Cx<'_>, search: &SearchFor, found: Option<Range<Byte>>) {
    let Some(buffer) = cx.state.buffers.get_mut(search.buffer) else { return };
    if buffer.area.document.version() != search.version {
        return;
    }
    match found {
        Some(found) => select(buffer, found),
        None => cx.state.say("no match"),
    }
    cx.state.damage.add(Part::Editor);
}

/// A question of this area was given up: the cursor goes back where it was.
pub fn abandon(cx: &mut Cx<'_>, topic: &Topic) {
    if let (Topic::Find(from), Some(buffer)) = (topic, cx.state.buffers.current_mut()) {
        buffer.area.go_to(*from);
    }
}

/// Goes to `line` or `line:column`, both from 1. Tells what is wrong with the text otherwise.
pub fn go_to_line(cx: &mut Cx<'_>, answer: &str) -> Result<(), String> {
    let mut parts = answer.trim().splitn(2, ':').map(str::parse::<usize>);
    let line = match parts.next() {
        Some(Ok(line)) if line >= 1 => line,
        _ => return Err("a line number from 1, or line:column".to_string()),
    };
    let column = match parts.next() {
        None => 1,
        Some(Ok(column)) if column >= 1 => column,
        Some(_) => return Err("a column number from 1".to_string()),
    };
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.place((line, column), cx.state.show.tab_width);
    }
    Ok(())
}

/// Goes to the next match and asks what to do with it; says how it ended when there is none.
pub fn offer_replacement(cx: &mut Cx<'_>, wanted: &str, new: &str, from: Byte) {
    let Some(needle) = Needle::new(wanted) else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let Some(found) = needle.find(buffer.area.text(), from) else {
        cx.state.say("no more matches below");
        cx.state.damage.add(Part::Editor);
        return;
    };
    select(buffer, found);
    cx.state.replacing = Some((wanted.to_string(), new.to_string()));
    let dialog = Dialog::ask("replace this one?", vec![format!("{wanted} → {new}")])
        .choice('y', "this one", Answer::ReplaceOne)
        .choice('n', "skip", Answer::ReplaceSkip)
        .choice('a', "all from here", Answer::ReplaceAll)
        .choice('q', "stop", Answer::Dismiss);
    cx.state.push_overlay(Overlay::Dialog(dialog));
}

/// Does what was answered: the match at the cursor, or all from it on, as one step each.
pub fn continue_replacing(cx: &mut Cx<'_>, answer: &Answer) {
    let Some((wanted, new)) = cx.state.replacing.take() else { return };
    let Some(needle) = Needle::new(&wanted) else { return };
    let Some(buffer) = cx.state.buffers.current() else { return };
    if let Some(reason) = buffer.read_only {
        cx.state.fail(reason);
        return;
    }
    let at = buffer.area.selection.primary().span();
    let text = buffer.area.text();
    let (matches, next) = match answer {
        Answer::ReplaceOne => (vec![at.clone()], at.start + new.len()),
        Answer::ReplaceAll => (needle.matches(text, at.start..text.end()).collect(), text.end()),
        _ => (Vec::new(), at.end),
    };
    let count = matches.len();
    super::edit::apply(cx, |text, _| {
        let changes = ChangeSet::replace(text.end().0, matches.into_iter().map(|found| (found, new.clone())));
        Transaction::new(changes)
    });
    match answer {
        Answer::ReplaceAll => cx.state.say(format!("replaced {count}; one undo takes them back")),
        _ => offer_replacement(cx, &wanted, &new, next),
    }
}
