//! Commands that find, replace and go to lines in the open file.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::ide::core::context::{Command, Cx, TaskError, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::searching::{BeforeFind, Replacing, Reply};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::search::{Case, How, Needle};
use crate::text::selection::{self, Selection};
use crate::text::transaction::Transaction;

/// Texts up to this many bytes are searched at once, so that what is typed next finds the cursor
/// where it belongs; longer ones elsewhere.
const AT_ONCE: usize = 256 << 10;
/// What the prompt of a search is about.
const FIND: &str = "find";
/// What the question about a match is about.
const REPLACE: &str = "replace";
/// Matches counted for the note before it says "more".
const COUNT_MAX: usize = 10_000;

/// What to look for, and where.
struct SearchFor {
    /// In which file.
    buffer: BufferId,
    /// Its text.
    text: Text,
    /// The version of that text.
    version: u64,
    /// What to look for.
    wanted: String,
    /// How it is understood.
    how: How,
    /// Which match is wanted.
    ask: Search,
}

/// Which match is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Search {
    /// The first from where the search began, for what is being typed; the version of the
    /// question's answer.
    Typed {
        /// Where the search began.
        from: Byte,
        /// The version of the answer.
        answer: u64,
    },
    /// The first from a place on, going round.
    Next(Byte),
    /// The last before a place, going round.
    Previous(Byte),
    /// The first from a place on, to be replaced by a text if the user says so.
    Replace(Byte, String),
    /// Everything from a place on, to be replaced by a text.
    ReplaceAll(Byte, String),
}

/// What came of a search.
#[derive(Debug, Default)]
struct Found {
    /// The match that was wanted.
    place: Option<Range<Byte>>,
    /// How many matches there are, where that was wanted, and which one it is, from 1.
    count: (usize, usize),
    /// What was looked for, prepared.
    needle: Option<Needle>,
    /// What to put in place of the match.
    replacement: String,
    /// What replaces everything, where that was wanted.
    edit: Option<Transaction>,
    /// Why nothing could be looked for.
    problem: Option<String>,
}

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("search.find", "Find in file", &["search"], find),
    command("search.next", "Find next match", &["search next"], |cx| again(cx, true)),
    command("search.previous", "Find previous match", &["search previous"], |cx| again(cx, false)),
    command("search.go-to-line", "Go to line", &["goto line", "column"], |cx| {
        with_file(cx, Prompt::new("Go to line", |_, _| {}).check(go_to_line));
    }),
    command(
        "search.replace",
        "Replace in file",
        &["find and replace", "substitute", "query replace"],
        replace,
    ),
    command("search.toggle-regex", "Toggle regex search", &["regular expression"], |cx| {
        toggle(cx, |how| how.regex = !how.regex);
    }),
    command("search.toggle-word", "Toggle whole word search", &["match whole word"], |cx| {
        toggle(cx, |how| how.word = !how.word);
    }),
    command(
        "search.toggle-case",
        "Cycle search case sensitivity",
        &["match case", "smart case", "ignore case"],
        |cx| {
            toggle(cx, |how| {
                how.case = match how.case {
                    Case::Smart => Case::Exact,
                    Case::Exact => Case::Ignored,
                    Case::Ignored => Case::Smart,
                };
            });
        },
    ),
];

fn with_file(cx: &mut Cx<'_>, prompt: Prompt) {
    if cx.state.buffers.current().is_some() {
        prompt.open(cx);
    } else {
        cx.state.say("No file open");
    }
}

fn find(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let from = buffer.area.selection.primary().start();
    let before = BeforeFind { buffer: buffer.id, selection: buffer.area.selection.clone(), from };
    let first = seed(buffer, cx.state.last_search.as_deref());
    let prompt = Prompt::new("Find in file", |cx, answer| {
        leave(cx);
        cx.state.last_search = Some(answer);
    });
    let prompt = prompt.about(FIND, 0).first(first).searches().typed(look).escaped(go_back);
    with_file(
        cx,
        prompt.check(|cx, answer| {
            note_unsearched(cx, answer);
            Ok(())
        }),
    );
    cx.state.before_find = Some(before);
    look(cx);
}

fn replace(cx: &mut Cx<'_>) {
    let first = seed_of(cx);
    let prompt = Prompt::new("Replace what?", |cx, wanted| {
        cx.state.last_search = Some(wanted.clone());
        let by = Prompt::new("Replace with what?", move |cx, new| {
            let from = cx.state.buffers.current().map_or(Byte(0), |b| b.area.selection.primary().start());
            offer_replacement(cx, &wanted, &new, from);
        });
        by.searches().open(cx);
    });
    with_file(cx, prompt.first(first).searches().required());
}

/// What a search begins with, in whatever file is shown.
pub fn seed_of(cx: &Cx<'_>) -> String {
    let last = cx.state.last_search.as_deref();
    cx.state.buffers.current().map_or(last.unwrap_or_default().to_string(), |buffer| seed(buffer, last))
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

/// Follows the text that is being typed: the first match from where the search began.
pub fn look(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.is_about(FIND)) else {
        return;
    };
    let wanted = prompt.answer.text().to_string();
    if wanted.is_empty() {
        prompt.note.clear();
        go_back(cx);
        cx.state.damage.add(Part::Overlay);
        return;
    }
    let answer = prompt.seen;
    let (Some(buffer), Some(before)) = (cx.state.buffers.current(), &cx.state.before_find) else { return };
    let from = before.from;
    // Another file may have come before the one that the question was asked over.
    let from = buffer.area.text().char_floor(from.min(buffer.area.text().end()));
    search(cx, wanted, Search::Typed { from, answer });
}

/// Searches the file that is shown; [`found`] gets what comes of it.
fn search(cx: &mut Cx<'_>, wanted: String, ask: Search) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let how = cx.state.search_how;
    let search = SearchFor { buffer: buffer.id, text, version, wanted, how, ask };
    if search.text.end().0 <= AT_ONCE {
        let result = run(&search);
        found(cx, &search, result);
    } else {
        let search = Arc::new(search);
        let job = search.clone();
        cx.tasks.spawn_blocking(
            "search.find",
            move || run(&job),
            move |cx, result| {
                let lost = |why: TaskError| Found { problem: Some(why.to_string()), ..Found::default() };
                found(cx, &search, result.unwrap_or_else(lost));
            },
        );
    }
}

fn again(cx: &mut Cx<'_>, forward: bool) {
    let Some(wanted) = cx.state.last_search.clone().filter(|text| !text.is_empty()) else {
        cx.state.say("No search yet");
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
    cx.state.note_jump();
    let ask = if forward { Search::Next(range.end()) } else { Search::Previous(range.start()) };
    search(cx, wanted, ask);
}

/// Looks for it. Reads the whole text where need be; not to be called on the loop.
fn run(search: &SearchFor) -> Found {
    let needle = match Needle::new(&search.wanted, search.how) {
        Ok(Some(needle)) => needle,
        Ok(None) => return Found::default(),
        Err(error) => return Found { problem: Some(error.to_string()), ..Found::default() },
    };
    let text = &search.text;
    let mut found = Found::default();
    match &search.ask {
        Search::Next(from) => {
            let place = needle.find_around(text, *from);
            // An empty match where one stands already would be found for ever.
            let stuck = place.as_ref().is_some_and(|place| *place == (*from..*from));
            let next = text.next_grapheme(*from);
            let next = if next == *from { Byte(0) } else { next };
            found.place = if stuck { needle.find_around(text, next) } else { place };
        }
        Search::Previous(to) => {
            let place = needle.find_back(text, *to);
            let stuck = place.as_ref().is_some_and(|place| *place == (*to..*to));
            let before = if to.0 == 0 { text.end() } else { text.prev_grapheme(*to) };
            found.place = if stuck { needle.find_back(text, before) } else { place };
        }
        Search::Typed { from, .. } => {
            found.place = needle.find_around(text, *from);
            let start = found.place.as_ref().map_or(text.end(), |place| place.start);
            let (mut count, mut nth) = (0, 0);
            for place in needle.matches(text, Byte(0)..text.end()).take(COUNT_MAX) {
                count += 1;
                nth += usize::from(place.start <= start);
            }
            found.count = (count, nth);
        }
        Search::Replace(from, new) => {
            found.place = needle.find(text, *from);
            if let Some(place) = found.place.clone() {
                found.replacement = needle.replacement(text, place, new);
            }
        }
        Search::ReplaceAll(from, new) => {
            let edits = needle.matches(text, *from..text.end()).map(|place| {
                found.count.0 += 1;
                let new = needle.replacement(text, place.clone(), new);
                (place, new)
            });
            let edit = Transaction::new(ChangeSet::replace(text.end().0, edits));
            found.edit = Some(edit.prepared(text));
        }
    }
    found.needle = Some(needle);
    found
}

/// A text was searched.
fn found(cx: &mut Cx<'_>, search: &SearchFor, found: Found) {
    if let Some(needle) = &found.needle {
        cx.state.highlight = Some(needle.clone());
        cx.state.damage.add(Part::Editor);
    }
    match &search.ask {
        Search::Typed { from, answer } => found_typed(cx, search, found, (*from, *answer)),
        Search::Next(_) | Search::Previous(_) => arrive(cx, search, found),
        Search::Replace(..) => offer(cx, search, found),
        Search::ReplaceAll(..) => replaced_all(cx, search, found),
    }
}

/// A search is done; those that waited for its place go on from there.
fn arrive(cx: &mut Cx<'_>, search: &SearchFor, found: Found) {
    let waiting = cx.state.searching.take();
    show(cx, search, found);
    for forward in waiting.into_iter().flatten() {
        again(cx, forward);
    }
}

fn found_typed(cx: &mut Cx<'_>, search: &SearchFor, found: Found, ask: (Byte, u64)) {
    if cx.state.accepted_search == Some(ask) {
        cx.state.accepted_search = None;
        return arrive(cx, search, found);
    }
    let is_same = cx.state.before_find.as_ref().is_some_and(|before| before.from == ask.0);
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.is_about(FIND)) else {
        return;
    };
    if !is_same || prompt.seen != ask.1 || search.how != cx.state.search_how {
        return;
    }
    prompt.note = match (&found.problem, &found.place, found.count) {
        (Some(problem), ..) => problem.clone(),
        (None, None, _) => "No match".to_string(),
        (None, Some(_), (COUNT_MAX, _)) => format!("{COUNT_MAX} matches or more"),
        (None, Some(_), (count, nth)) => format!("{nth} of {count}"),
    };
    prompt.searched = prompt.seen;
    cx.state.damage.add(Part::Overlay);
    if found.place.is_some() {
        return show(cx, search, found);
    }
    cx.state.highlight = None;
    go_back(cx);
}

/// Selects a match, if the text is still the one that was searched.
fn show(cx: &mut Cx<'_>, search: &SearchFor, found: Found) {
    let Some(buffer) = cx.state.buffers.get_mut(search.buffer) else { return };
    if buffer.area.document.version() != search.version {
        return cx.state.fail("Text changed during search: search again");
    }
    match (found.problem, found.place) {
        (Some(problem), _) => cx.state.fail(format!("Invalid search `{}`: {problem}", search.wanted)),
        (None, Some(place)) => select(buffer, place),
        (None, None) => cx.state.say("No match"),
    }
    cx.state.damage.add(Part::Editor);
}

/// Takes the next way of understanding what is looked for, and looks again.
fn toggle(cx: &mut Cx<'_>, change: impl FnOnce(&mut How)) {
    change(&mut cx.state.search_how);
    let how = cx.state.search_how;
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt.how = how.to_string();
        prompt.searched = u64::MAX;
        look(cx);
    } else {
        if let Some(search) = cx.state.layers.top::<Picker>().and_then(|picker| picker.live) {
            search(cx);
        }
        cx.state.say(format!("Search: {how}"));
    }
    cx.state.damage.add(Part::Overlay);
}

/// Notes where the search began when what was typed is taken before it was looked for: the match is gone to once it is
/// found.
fn note_unsearched(cx: &mut Cx<'_>, answer: &str) {
    let (Some(prompt), Some(before)) = (cx.state.layers.top::<Prompt>(), &cx.state.before_find) else {
        return;
    };
    let is_searched = prompt.seen == prompt.searched || answer.is_empty();
    cx.state.accepted_search = (!is_searched).then_some((before.from, prompt.seen));
}

/// What was looked for is taken: the place where the search began is left for good.
fn leave(cx: &mut Cx<'_>) {
    let current = cx.state.buffers.current().map(|buffer| buffer.id);
    if let Some(before) = cx.state.before_find.as_ref().filter(|before| Some(before.buffer) == current) {
        let at = before.selection.primary().head;
        cx.state.jumps.note(&mut cx.state.buffers, at, cx.state.show.tab_width);
    }
}

/// What was selected before the question is selected again, as far as the text that there is now has it.
fn go_back(cx: &mut Cx<'_>) {
    cx.state.highlight = None;
    if let (Some(before), Some(buffer)) = (&cx.state.before_find, cx.state.buffers.current_mut())
        && before.buffer == buffer.id
    {
        buffer.area.selection = before.selection.fitted(buffer.area.text());
        buffer.area.document.seal();
    }
    cx.state.damage.add(Part::Editor);
}

/// Goes to `line` or `line:column`, both from 1. Tells what is wrong with the text otherwise.
fn go_to_line(cx: &mut Cx<'_>, answer: &str) -> Result<(), String> {
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
    cx.state.note_jump();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.place((line, column), cx.state.show.tab_width);
    }
    Ok(())
}

/// Looks for the next match to replace, and asks what to do with it. The question is there at
/// once: answers that come before the match wait for it.
fn offer_replacement(cx: &mut Cx<'_>, wanted: &str, new: &str, from: Byte) {
    look_for_replacement(cx, wanted, new, from, VecDeque::new());
}

fn look_for_replacement(cx: &mut Cx<'_>, wanted: &str, new: &str, from: Byte, waiting: VecDeque<Reply>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let version = buffer.area.document.version();
    let replacing = Replacing {
        buffer: buffer.id,
        version,
        wanted: wanted.into(),
        new: new.into(),
        found: None,
        waiting,
    };
    cx.state.replacing = Some(replacing);
    ask_about_match(cx, format!("Searching for {} …", sample(wanted)));
    search(cx, wanted.to_string(), Search::Replace(from, new.to_string()));
}

fn ask_about_match(cx: &mut Cx<'_>, line: String) {
    let dialog = Dialog::ask("Replace this match?", vec![line])
        .about(REPLACE, 0)
        .choice('y', "Replace", |cx| continue_replacing(cx, Reply::One))
        .choice('n', "Skip", |cx| continue_replacing(cx, Reply::Skip))
        .choice('a', "Replace all from here", |cx| continue_replacing(cx, Reply::All))
        .short("All")
        .choice('q', "Stop", |cx| continue_replacing(cx, Reply::Stop));
    cx.state.push_layer(dialog);
}

/// Closes the question about a match, wherever it is among the layers; returns whether there was one.
fn close_question(cx: &mut Cx<'_>) -> bool {
    cx.state.layers.close_where::<Dialog>(|dialog| dialog.number_of(REPLACE).is_some())
}

/// A match was found: the question shows what it would become, and takes the answer that waits.
fn offer(cx: &mut Cx<'_>, search: &SearchFor, found: Found) {
    // Whoever stopped has no question any more.
    let is_asked = cx.state.layers.all::<Dialog>().any(|dialog| dialog.number_of(REPLACE).is_some());
    let Some(mut replacing) = cx.state.replacing.take().filter(|_| is_asked) else { return };
    if replacing.buffer != search.buffer || replacing.version != search.version || replacing.found.is_some() {
        cx.state.replacing = Some(replacing);
        return;
    }
    close_question(cx);
    cx.state.damage.all();
    let same = |buffer: &&mut Buffer| buffer.area.document.version() == search.version;
    let Some(buffer) = cx.state.buffers.get_mut(search.buffer).filter(same) else {
        return cx.state.say("Text changed meanwhile: nothing replaced");
    };
    let Some(place) = found.place else {
        let none = found.problem.map(|problem| format!("Invalid search `{}`: {problem}", search.wanted));
        cx.state.highlight = None;
        return cx.state.say(none.unwrap_or_else(|| "No more matches below".to_string()));
    };
    let old = buffer.area.text().slice(place.clone()).into_owned();
    select(buffer, place.clone());
    let line = format!("{} → {}", sample(&old), sample(&found.replacement));
    replacing.found = Some((place, found.replacement));
    let answer = replacing.waiting.pop_front();
    cx.state.replacing = Some(replacing);
    match answer {
        Some(answer) => continue_replacing(cx, answer),
        None => ask_about_match(cx, line),
    }
}

/// A text in a dialog's line.
fn sample(text: &str) -> String {
    crate::base::width::truncate(&crate::base::width::visible(text), SAMPLE).into_owned()
}

/// Cells of a sample.
const SAMPLE: usize = 34;

/// Does what was answered: the match at the cursor, or all from it on, as one step each.
fn continue_replacing(cx: &mut Cx<'_>, answer: Reply) {
    let Some(mut replacing) = cx.state.replacing.take() else { return };
    if answer == Reply::Stop {
        return;
    }
    let Some((place, replacement)) = replacing.found.take() else {
        let line = format!("Searching for {} …", sample(&replacing.wanted));
        replacing.waiting.push_back(answer);
        cx.state.replacing = Some(replacing);
        return ask_about_match(cx, line);
    };
    let Some(shown) = cx.state.buffers.current().filter(|shown| shown.id == replacing.buffer) else { return };
    if let Some(reason) = shown.read_only() {
        return cx.state.fail(reason);
    }
    if shown.area.document.version() != replacing.version {
        return cx.state.say("Text changed meanwhile: nothing replaced");
    }
    // An empty match must not be offered again.
    let text = shown.area.text();
    let past = if place.is_empty() { text.next_grapheme(place.end) - place.end } else { 0 };
    let Replacing { wanted, new, waiting, .. } = &replacing;
    match answer {
        Reply::All => {
            let (wanted, ask) = (wanted.clone(), Search::ReplaceAll(place.start, new.clone()));
            cx.state.replacing = Some(replacing);
            let dialog = Dialog::ask("Replacing", vec!["Replacing all from here …".to_string()]);
            let dialog =
                dialog.about(REPLACE, 0).choice('q', "Stop", |cx| continue_replacing(cx, Reply::Stop));
            cx.state.push_layer(dialog);
            search(cx, wanted, ask);
        }
        Reply::One => {
            if !matches!(cx.state.text_target(), Some((_, _, Part::Editor))) {
                return cx.state.say("Focus moved: nothing replaced");
            }
            // What is behind the match stays, whatever becomes of the match: lines of search results
            // keep their places.
            let behind = text_end(cx) - (place.end + past);
            crate::ide::editor::commands::edit::apply(cx, |text, _| {
                Transaction::new(ChangeSet::replace(text.end().0, [(place.clone(), replacement)]))
            });
            let next = Byte(text_end(cx).0 - behind);
            look_for_replacement(cx, wanted, new, next, waiting.clone());
        }
        _ => look_for_replacement(cx, wanted, new, place.end + past, waiting.clone()),
    }
}

/// The end of the shown text.
fn text_end(cx: &Cx<'_>) -> Byte {
    cx.state.buffers.current().map_or(Byte(0), |shown| shown.area.text().end())
}

/// Everything is replaced as one step, if the text is still the one that was searched.
fn replaced_all(cx: &mut Cx<'_>, search: &SearchFor, found: Found) {
    if cx.state.replacing.take().is_none() || !close_question(cx) {
        return;
    }
    cx.state.damage.all();
    let shown = cx.state.buffers.current().filter(|shown| shown.id == search.buffer);
    let same = shown.is_some_and(|shown| shown.area.document.version() == search.version);
    let Some(edit) = found.edit.filter(|_| same) else {
        return cx.state.say("Text changed meanwhile: nothing replaced");
    };
    cx.state.highlight = None;
    crate::ide::editor::commands::edit::apply(cx, |_, _| edit);
    cx.state.say(format!("Replaced {}. Undo: one step", found.count.0));
}
