//! Commands of find and replace in the shown file.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::editor::commands::search::seed_of;
use crate::ide::features::find::bar::{self, Field, FindBar};
use crate::ide::features::find::job::Target;
use crate::ide::features::find::search;
use crate::ide::features::find::state::Step;
use crate::text::search::{CaseMatching, SearchOptions};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("search.find", "Find in file", &["search in file"], |cx| open(cx, false))
        .when(condition::has_file),
    command("search.lines", "Go to line by text", &["search lines", "lines of file", "fuzzy lines"], |cx| {
        cx.defer_picker("lines");
    })
    .when(condition::has_file),
    command("search.next", "Find next match", &["search next"], |cx| go(cx, Step::Next)).when(has_search),
    command("search.previous", "Find previous match", &["search previous"], |cx| go(cx, Step::Previous))
        .when(has_search)
        .with_former_ids(&["list.accept-backward"]),
    command(
        "search.replace",
        "Replace in file",
        &["find and replace", "substitute", "query replace"],
        |cx| open(cx, true),
    )
    .when(condition::has_file),
    command("search.replace-all", "Replace all matches", &["replace everything in file"], replace_all)
        .when(condition::has_file),
    command("search.switch-field", "Switch search field", &["find row", "replace row"], switch_field)
        .when(condition::has_file),
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

/// Something was searched for, or is being typed.
fn has_search(state: &State) -> Result<(), Reason> {
    let has_bar = state.layers.all::<FindBar>().next().is_some();
    let has_last = state.search.last.as_ref().is_some_and(|last| !last.is_empty());
    condition::require(has_bar || has_last, Reason::new("No search yet"))
}

/// Opens the bar; if it is open, gives one of its rows the keys.
fn open(cx: &mut Cx<'_>, is_replacing: bool) {
    if let Some(bar) = cx.state.layers.top_mut::<FindBar>() {
        bar.focus(if is_replacing { Field::Replacement } else { Field::Query });
        return cx.state.damage.add_all();
    }
    let Some(buffer) = cx.state.buffers.current() else { return cx.state.set_status("No file open") };
    if buffer.is_image {
        return cx.state.set_status("An image has no text");
    }
    let first = seed_of(cx);
    panes::focus(cx, Focus::Editor);
    FindBar::open(cx, &first, is_replacing);
}

/// Gives the other row of the bar the keys.
fn switch_field(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return open(cx, true) };
    bar.focus(if bar.field == Field::Query { Field::Replacement } else { Field::Query });
    cx.state.damage.add_all();
}

/// Goes to a match of what is typed into the bar, or of the last search.
fn go(cx: &mut Cx<'_>, step: Step) {
    if cx.state.layers.top::<FindBar>().is_some() {
        return bar::go(cx, step);
    }
    if cx.state.search.last.as_ref().is_none_or(String::is_empty) {
        return cx.state.set_status("No search yet");
    }
    cx.state.note_jump();
    search::step(cx, step);
}

/// Replaces every match in the file as one undo step.
fn replace_all(cx: &mut Cx<'_>) {
    let Some(bar) = cx.state.layers.top_mut::<FindBar>() else { return open(cx, true) };
    if !bar.is_replacing {
        // What would replace them was not seen yet.
        bar.focus(Field::Replacement);
        return cx.state.damage.add_all();
    }
    bar.was_used = true;
    bar::remember(cx.state);
    search::search(cx, Target::All);
}

/// Changes a search option and searches again.
fn toggle_option(cx: &mut Cx<'_>, change: impl FnOnce(&mut SearchOptions)) {
    change(&mut cx.state.search.options);
    let options = cx.state.search.options;
    if cx.state.layers.top::<FindBar>().is_some() {
        search::search_incrementally(cx);
    } else if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt.flags_label = options.to_string();
    } else {
        if let Some(search) = cx.state.layers.top::<Picker>().and_then(|picker| picker.live) {
            search(cx);
        }
        cx.state.set_status(format!("Search: {options}"));
    }
    cx.state.damage.add(Part::Overlay);
}
