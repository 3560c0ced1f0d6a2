//! Commands that find, replace and go to lines in the shown file.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::ide::core::context::{Command, Cx, TaskError, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::find_state::{FindOrigin, ReplaceReply, ReplaceState};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::search::{CaseMatching, Needle, SearchOptions};
use crate::text::selection::{self, Selection};
use crate::text::transaction::Transaction;

/// Maximum size in bytes of a text that is searched at once, so that keys typed next find the cursor in its
/// place; a task searches longer ones.
const SEARCH_INLINE_MAX: usize = 256 << 10;
/// Kind of the search prompt.
const FIND: &str = "find";
/// Kind of the dialog about a match.
const REPLACE: &str = "replace";
/// Matches are counted up to this number; beyond it the note says "more".
const COUNT_MAX: usize = 10_000;

/// A search and its text.
struct SearchJob {
    /// In which file.
    buffer: BufferId,
    /// The text to search.
    text: Text,
    /// The version of that text.
    version: u64,
    /// The search text.
    pattern: String,
    /// The search options.
    options: SearchOptions,
    /// The wanted match.
    target: SearchTarget,
    /// Whether the matches are counted.
    counts: bool,
}

/// Which match is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SearchTarget {
    /// The first match from where the search began, while the user types.
    Incremental {
        /// Where the search began.
        from: Byte,
        /// Version of the answer in the prompt.
        answer: u64,
    },
    /// The first match from a position on, wrapping around.
    Next(Byte),
    /// The last match before a position, wrapping around.
    Previous(Byte),
    /// The first match from a position on, to be replaced by a text if the user confirms.
    Replace(Byte, String),
    /// All matches from a position on, to be replaced by a text.
    ReplaceAll(Byte, String),
}

/// Result of a search.
#[derive(Debug, Default)]
struct SearchOutcome {
    /// The wanted match.
    range: Option<Range<Byte>>,
    /// The number of matches, if requested, and the one-based index of this one.
    count: (usize, usize),
    /// The compiled pattern.
    needle: Option<Needle>,
    /// The replacement of the match.
    replacement: String,
    /// The edit that replaces all matches, if requested.
    edit: Option<Transaction>,
    /// Why the search was impossible.
    problem: Option<String>,
}

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("search.find", "Find in file", &["search"], find),
    command("search.next", "Find next match", &["search next"], |cx| search_next(cx, true)),
    command("search.previous", "Find previous match", &["search previous"], |cx| search_next(cx, false)),
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
        toggle_option(cx, |how| how.regex = !how.regex);
    }),
    command("search.toggle-word", "Toggle whole word search", &["match whole word"], |cx| {
        toggle_option(cx, |how| how.word = !how.word);
    }),
    command(
        "search.toggle-case",
        "Cycle search case sensitivity",
        &["match case", "smart case", "ignore case"],
        |cx| {
            toggle_option(cx, |how| {
                how.case = match how.case {
                    CaseMatching::Smart => CaseMatching::Sensitive,
                    CaseMatching::Sensitive => CaseMatching::Insensitive,
                    CaseMatching::Insensitive => CaseMatching::Smart,
                };
            });
        },
    ),
];

fn with_file(cx: &mut Cx<'_>, prompt: Prompt) {
    if cx.state.buffers.current().is_some() {
        prompt.open(cx);
    } else {
        cx.state.set_status("No file open");
    }
}

fn find(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let from = buffer.area.selection.primary().start();
    let before = FindOrigin { buffer: buffer.id, selection: buffer.area.selection.clone(), from };
    let first = seed(buffer, cx.state.search.last.as_deref());
    let prompt = Prompt::new("Find in file", |cx, answer| {
        accept_search(cx);
        if !answer.is_empty() {
            cx.state.search.last = Some(answer);
        }
    });
    let prompt = prompt
        .with_id(FIND, 0)
        .initial(first)
        .as_search()
        .verb("next")
        .on_change(search_incrementally)
        .on_escape(cancel_search)
        .stays_open(next_of_prompt);
    with_file(
        cx,
        prompt.check(|cx, answer| {
            note_unsearched(cx, answer);
            Ok(())
        }),
    );
    cx.state.search.origin = Some(before);
    search_incrementally(cx);
}

/// Goes to the next match of the query that is typed, or the previous one.
fn next_of_prompt(cx: &mut Cx<'_>, forward: bool) {
    let Some(prompt) = cx.state.layers.top::<Prompt>() else { return };
    let query = prompt.answer.text().to_string();
    // The first match is being looked for; the query says whether there is one.
    if query.is_empty() || prompt.handled_version != prompt.searched_version {
        return;
    }
    cx.state.search.last = Some(query.clone());
    if cx.state.search.queued.is_some() {
        // The position to continue from is not known yet.
        cx.state.search.queued.get_or_insert_default().push_back(forward);
        return;
    }
    go_to_next(cx, query, forward);
}

fn replace(cx: &mut Cx<'_>) {
    let first = seed_of(cx);
    let prompt = Prompt::new("Replace what?", |cx, pattern| {
        cx.state.search.last = Some(pattern.clone());
        let by = Prompt::new("Replace with what?", move |cx, new| {
            let from = cx.state.buffers.current().map_or(Byte(0), |b| b.area.selection.primary().start());
            start_replacing(cx, &pattern, &new, from);
        });
        by.as_search().open(cx);
    });
    with_file(cx, prompt.initial(first).as_search().required());
}

/// Returns the initial text of a search in the shown file.
pub fn seed_of(cx: &Cx<'_>) -> String {
    let last = cx.state.search.last.as_deref();
    cx.state.buffers.current().map_or(last.unwrap_or_default().to_string(), |buffer| seed(buffer, last))
}

/// Returns the initial text of a search: a selected piece of one line, else the last search.
fn seed(buffer: &Buffer, last: Option<&str>) -> String {
    let selected = buffer.area.selected().swap_remove(buffer.area.selection.primary_index());
    if selected.is_empty() || selected.contains('\n') {
        last.unwrap_or_default().to_string()
    } else {
        selected
    }
}

fn select_match(buffer: &mut Buffer, found: Range<Byte>) {
    buffer.area.selection = Selection::single(selection::Range::new(found.start, found.end));
}

/// Follows the text being typed: goes to the first match from where the search began.
pub fn search_incrementally(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.has_kind(FIND)) else {
        return;
    };
    let pattern = prompt.answer.text().to_string();
    if pattern.is_empty() {
        prompt.note.clear();
        prompt.has_result = false;
        cancel_search(cx);
        cx.state.damage.add(Part::Overlay);
        return;
    }
    let answer = prompt.handled_version;
    let (Some(buffer), Some(before)) = (cx.state.buffers.current(), &cx.state.search.origin) else { return };
    let from = before.from;
    // Another file may be shown than when the prompt opened.
    let from = buffer.area.text().char_floor(from.min(buffer.area.text().end()));
    search(cx, pattern, SearchTarget::Incremental { from, answer });
}

/// Searches the shown file; [`found`] gets the result.
fn search(cx: &mut Cx<'_>, pattern: String, ask: SearchTarget) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, version) = (buffer.area.text().clone(), buffer.area.document.version());
    let how = cx.state.search.options;
    let counts = cx.state.layers.top::<Prompt>().is_some_and(|prompt| prompt.has_kind(FIND));
    let search = SearchJob { buffer: buffer.id, text, version, pattern, options: how, target: ask, counts };
    if search.text.end().0 <= SEARCH_INLINE_MAX {
        let result = run(&search);
        on_found(cx, &search, result);
    } else {
        let search = Arc::new(search);
        let job = search.clone();
        cx.tasks.spawn_blocking(
            "search.find",
            move || run(&job),
            move |cx, result| {
                let lost = |error: TaskError| SearchOutcome {
                    problem: Some(error.to_string()),
                    ..SearchOutcome::default()
                };
                on_found(cx, &search, result.unwrap_or_else(lost));
            },
        );
    }
}

fn search_next(cx: &mut Cx<'_>, forward: bool) {
    let Some(pattern) = cx.state.search.last.clone().filter(|text| !text.is_empty()) else {
        cx.state.set_status("No search yet");
        return;
    };
    if cx.state.search.queued.is_some() || cx.state.search.accepted.is_some() {
        // The position to continue from is not known yet.
        cx.state.search.queued.get_or_insert_default().push_back(forward);
        return;
    }
    cx.state.note_jump();
    go_to_next(cx, pattern, forward);
}

fn go_to_next(cx: &mut Cx<'_>, pattern: String, forward: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    cx.state.search.queued = Some(VecDeque::new());
    let range = buffer.area.selection.primary();
    let ask = if forward { SearchTarget::Next(range.end()) } else { SearchTarget::Previous(range.start()) };
    search(cx, pattern, ask);
}

/// Runs the search. May read the whole text: must not be called on the event loop.
fn run(search: &SearchJob) -> SearchOutcome {
    let needle = match Needle::new(&search.pattern, search.options) {
        Ok(Some(needle)) => needle,
        Ok(None) => return SearchOutcome::default(),
        Err(error) => return SearchOutcome { problem: Some(error.to_string()), ..SearchOutcome::default() },
    };
    let text = &search.text;
    let mut found = SearchOutcome::default();
    match &search.target {
        SearchTarget::Next(from) => {
            let found_range = needle.find_wrapping(text, *from);
            // An empty match at the current position would be found forever.
            let stuck = found_range.as_ref().is_some_and(|found_range| *found_range == (*from..*from));
            let next = text.next_grapheme(*from);
            let next = if next == *from { Byte(0) } else { next };
            found.range = if stuck { needle.find_wrapping(text, next) } else { found_range };
        }
        SearchTarget::Previous(to) => {
            let found_range = needle.find_back(text, *to);
            let stuck = found_range.as_ref().is_some_and(|found_range| *found_range == (*to..*to));
            let before = if to.0 == 0 { text.end() } else { text.prev_grapheme(*to) };
            found.range = if stuck { needle.find_back(text, before) } else { found_range };
        }
        SearchTarget::Incremental { from, .. } => {
            found.range = needle.find_wrapping(text, *from);
        }
        SearchTarget::Replace(from, new) => {
            found.range = needle.find(text, *from);
            if let Some(found_range) = found.range.clone() {
                found.replacement = needle.replacement(text, found_range, new);
            }
        }
        SearchTarget::ReplaceAll(from, new) => {
            let edits = needle.matches(text, *from..text.end()).map(|found_range| {
                found.count.0 += 1;
                let new = needle.replacement(text, found_range.clone(), new);
                (found_range, new)
            });
            let edit = Transaction::new(ChangeSet::replace(text.end().0, edits));
            found.edit = Some(edit.prepare(text));
        }
    }
    if search.counts {
        let start = found.range.as_ref().map_or(text.end(), |found_range| found_range.start);
        let (mut count, mut nth) = (0, 0);
        for found_range in needle.matches(text, Byte(0)..text.end()).take(COUNT_MAX) {
            count += 1;
            nth += usize::from(found_range.start <= start);
        }
        found.count = (count, nth);
    }
    found.needle = Some(needle);
    found
}

/// A text was searched.
fn on_found(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome) {
    if let Some(needle) = &found.needle {
        cx.state.search.highlight = Some(needle.clone());
        cx.state.damage.add(Part::Editor);
    }
    match &search.target {
        SearchTarget::Incremental { from, answer } => {
            on_incremental_found(cx, search, found, (*from, *answer));
        }
        SearchTarget::Next(_) | SearchTarget::Previous(_) => on_search_done(cx, search, found),
        SearchTarget::Replace(..) => show_replacement(cx, search, found),
        SearchTarget::ReplaceAll(..) => on_replaced_all(cx, search, found),
    }
}

/// Handles the end of a search; searches that waited for its position continue from there.
fn on_search_done(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome) {
    let waiting = cx.state.search.queued.take();
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.has_kind(FIND)) {
        if prompt.answer.text().to_string() != search.pattern || search.options != cx.state.search.options {
            // Something else was typed meanwhile, and is searched for.
            return;
        }
        prompt.note = note(&found);
        cx.state.damage.add(Part::Overlay);
        if let (Some(before), Some(range)) = (&mut cx.state.search.origin, &found.range) {
            // Typing on goes on from here.
            before.from = range.start;
        }
    }
    show_match(cx, search, found);
    for forward in waiting.into_iter().flatten() {
        search_next(cx, forward);
    }
}

/// Returns what a search says beside its query.
fn note(found: &SearchOutcome) -> String {
    match (&found.problem, &found.range, found.count) {
        (Some(problem), ..) => problem.clone(),
        (None, None, _) => "No match".to_string(),
        (None, Some(_), (COUNT_MAX, _)) => format!("{COUNT_MAX} matches or more"),
        (None, Some(_), (count, nth)) => format!("{nth} of {count}"),
    }
}

fn on_incremental_found(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome, ask: (Byte, u64)) {
    if cx.state.search.accepted == Some(ask) {
        cx.state.search.accepted = None;
        return on_search_done(cx, search, found);
    }
    let is_same = cx.state.search.origin.as_ref().is_some_and(|before| before.from == ask.0);
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.has_kind(FIND)) else {
        return;
    };
    if !is_same || prompt.handled_version != ask.1 || search.options != cx.state.search.options {
        return;
    }
    prompt.note = note(&found);
    prompt.searched_version = prompt.handled_version;
    prompt.has_result = found.range.is_some();
    cx.state.damage.add(Part::Overlay);
    if found.range.is_some() {
        return show_match(cx, search, found);
    }
    cx.state.search.highlight = None;
    cancel_search(cx);
}

/// Selects a match, if the text is still the one that was searched.
fn show_match(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome) {
    let Some(buffer) = cx.state.buffers.get_mut(search.buffer) else { return };
    if buffer.area.document.version() != search.version {
        return cx.state.set_error("Text changed during search: search again");
    }
    match (found.problem, found.range) {
        (Some(problem), _) => cx.state.set_error(format!("Invalid search `{}`: {problem}", search.pattern)),
        (None, Some(range)) => select_match(buffer, range),
        (None, None) => cx.state.set_status("No match"),
    }
    cx.state.damage.add(Part::Editor);
}

/// Changes a search option and searches again.
fn toggle_option(cx: &mut Cx<'_>, change: impl FnOnce(&mut SearchOptions)) {
    change(&mut cx.state.search.options);
    let how = cx.state.search.options;
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt.flags_label = how.to_string();
        prompt.searched_version = u64::MAX;
        search_incrementally(cx);
    } else {
        if let Some(search) = cx.state.layers.top::<Picker>().and_then(|picker| picker.live) {
            search(cx);
        }
        cx.state.set_status(format!("Search: {how}"));
    }
    cx.state.damage.add(Part::Overlay);
}

/// Records where the search began if the answer was accepted before it was searched: the cursor goes to the
/// match once it is found.
fn note_unsearched(cx: &mut Cx<'_>, answer: &str) {
    let (Some(prompt), Some(before)) = (cx.state.layers.top::<Prompt>(), &cx.state.search.origin) else {
        return;
    };
    let is_searched = prompt.handled_version == prompt.searched_version || answer.is_empty();
    cx.state.search.accepted = (!is_searched).then_some((before.from, prompt.handled_version));
}

/// Accepts the search: forgets the position where it began.
fn accept_search(cx: &mut Cx<'_>) {
    let current = cx.state.buffers.current().map(|buffer| buffer.id);
    if let Some(before) = cx.state.search.origin.as_ref().filter(|before| Some(before.buffer) == current) {
        let at = before.selection.primary().head;
        cx.state.jumps.push(&mut cx.state.buffers, at, cx.state.text_options.tab_width);
    }
}

/// Restores the selection from before the prompt, as far as the current text has it.
fn cancel_search(cx: &mut Cx<'_>) {
    cx.state.search.highlight = None;
    if let (Some(before), Some(buffer)) = (&cx.state.search.origin, cx.state.buffers.current_mut())
        && before.buffer == buffer.id
    {
        buffer.area.selection = before.selection.clamp(buffer.area.text());
        buffer.area.document.seal();
    }
    cx.state.damage.add(Part::Editor);
}

/// Goes to `line` or `line:column`, both one-based. Fails with a message if the text is neither.
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
        buffer.place_cursor((line, column), cx.state.text_options.tab_width);
    }
    Ok(())
}

/// Searches the next match to replace and opens the dialog about it. The dialog opens at once: answers given
/// before the match is found wait for it.
fn start_replacing(cx: &mut Cx<'_>, pattern: &str, new: &str, from: Byte) {
    find_replacement(cx, pattern, new, from, VecDeque::new());
}

fn find_replacement(cx: &mut Cx<'_>, pattern: &str, new: &str, from: Byte, waiting: VecDeque<ReplaceReply>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let version = buffer.area.document.version();
    let replacing = ReplaceState {
        buffer: buffer.id,
        version,
        pattern: pattern.into(),
        replacement: new.into(),
        found: None,
        queued_replies: waiting,
    };
    cx.state.search.replacing = Some(replacing);
    ask_about_match(cx, format!("Searching for {} …", sample(pattern)));
    search(cx, pattern.to_string(), SearchTarget::Replace(from, new.to_string()));
}

fn ask_about_match(cx: &mut Cx<'_>, line: String) {
    let dialog = Dialog::ask("Replace this match?", vec![line])
        .with_id(REPLACE, 0)
        .choice('y', "Replace", |cx| continue_replacing(cx, ReplaceReply::One))
        .choice('n', "Skip", |cx| continue_replacing(cx, ReplaceReply::Skip))
        .choice('a', "Replace all from here", |cx| continue_replacing(cx, ReplaceReply::All))
        .short_label("All")
        .choice('q', "Stop", |cx| continue_replacing(cx, ReplaceReply::Stop));
    cx.state.push_layer(dialog);
}

/// Closes the dialog about a match, wherever it is in the stack; returns whether there was one.
fn close_replace_dialog(cx: &mut Cx<'_>) -> bool {
    cx.state.layers.close_where::<Dialog>(|dialog| dialog.number_of(REPLACE).is_some())
}

/// Handles a found match: the dialog shows its replacement, and a waiting answer is applied.
fn show_replacement(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome) {
    // After "stop" there is no dialog any more.
    let is_asked = cx.state.layers.all::<Dialog>().any(|dialog| dialog.number_of(REPLACE).is_some());
    let Some(mut replacing) = cx.state.search.replacing.take().filter(|_| is_asked) else { return };
    if replacing.buffer != search.buffer || replacing.version != search.version || replacing.found.is_some() {
        cx.state.search.replacing = Some(replacing);
        return;
    }
    close_replace_dialog(cx);
    cx.state.damage.add_all();
    let same = |buffer: &&mut Buffer| buffer.area.document.version() == search.version;
    let Some(buffer) = cx.state.buffers.get_mut(search.buffer).filter(same) else {
        return cx.state.set_status("Text changed meanwhile: nothing replaced");
    };
    let Some(range) = found.range else {
        let none = found.problem.map(|problem| format!("Invalid search `{}`: {problem}", search.pattern));
        cx.state.search.highlight = None;
        return cx.state.set_status(none.unwrap_or_else(|| "No more matches below".to_string()));
    };
    let old = buffer.area.text().slice(range.clone()).into_owned();
    select_match(buffer, range.clone());
    let line = format!("{} → {}", sample(&old), sample(&found.replacement));
    replacing.found = Some((range, found.replacement));
    let answer = replacing.queued_replies.pop_front();
    cx.state.search.replacing = Some(replacing);
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

/// Applies an answer: replaces the match at the cursor, or all from it on, as one step each.
fn continue_replacing(cx: &mut Cx<'_>, answer: ReplaceReply) {
    let Some(mut replacing) = cx.state.search.replacing.take() else { return };
    if answer == ReplaceReply::Stop {
        return;
    }
    let Some((range, replacement)) = replacing.found.take() else {
        let line = format!("Searching for {} …", sample(&replacing.pattern));
        replacing.queued_replies.push_back(answer);
        cx.state.search.replacing = Some(replacing);
        return ask_about_match(cx, line);
    };
    let Some(shown) = cx.state.buffers.current().filter(|shown| shown.id == replacing.buffer) else { return };
    if let Some(reason) = shown.read_only() {
        return cx.state.set_error(reason);
    }
    if shown.area.document.version() != replacing.version {
        return cx.state.set_status("Text changed meanwhile: nothing replaced");
    }
    // An empty match must not be offered again.
    let text = shown.area.text();
    let past = if range.is_empty() { text.next_grapheme(range.end) - range.end } else { 0 };
    let ReplaceState { pattern, replacement: new, queued_replies: waiting, .. } = &replacing;
    match answer {
        ReplaceReply::All => {
            let (pattern, ask) = (pattern.clone(), SearchTarget::ReplaceAll(range.start, new.clone()));
            cx.state.search.replacing = Some(replacing);
            let dialog = Dialog::ask("Replacing", vec!["Replacing all from here …".to_string()]);
            let dialog = dialog
                .with_id(REPLACE, 0)
                .choice('q', "Stop", |cx| continue_replacing(cx, ReplaceReply::Stop));
            cx.state.push_layer(dialog);
            search(cx, pattern, ask);
        }
        ReplaceReply::One => {
            if !matches!(cx.state.text_target(), Some((_, _, Part::Editor))) {
                return cx.state.set_status("Focus moved: nothing replaced");
            }
            // The text after the match stays, whatever happens to the match: lines of search results keep
            // their locations.
            let behind = text_end(cx) - (range.end + past);
            crate::ide::editor::commands::edit::apply(cx, |text, _| {
                Transaction::new(ChangeSet::replace(text.end().0, [(range.clone(), replacement)]))
            });
            let next = Byte(text_end(cx).0 - behind);
            find_replacement(cx, pattern, new, next, waiting.clone());
        }
        _ => find_replacement(cx, pattern, new, range.end + past, waiting.clone()),
    }
}

/// Returns the end of the shown text.
fn text_end(cx: &Cx<'_>) -> Byte {
    cx.state.buffers.current().map_or(Byte(0), |shown| shown.area.text().end())
}

/// Replaces all matches as one step, if the text is still the one that was searched.
fn on_replaced_all(cx: &mut Cx<'_>, search: &SearchJob, found: SearchOutcome) {
    if cx.state.search.replacing.take().is_none() || !close_replace_dialog(cx) {
        return;
    }
    cx.state.damage.add_all();
    let shown = cx.state.buffers.current().filter(|shown| shown.id == search.buffer);
    let same = shown.is_some_and(|shown| shown.area.document.version() == search.version);
    let Some(edit) = found.edit.filter(|_| same) else {
        return cx.state.set_status("Text changed meanwhile: nothing replaced");
    };
    cx.state.search.highlight = None;
    crate::ide::editor::commands::edit::apply(cx, |_, _| edit);
    cx.state.set_status(format!("Replaced {}. Undo: one step", found.count.0));
}
