//! Commands of lists: pickers, the file tree, long dialogs.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::last_picker;
use crate::ide::core::layers::layer::Layer;
use crate::ide::core::layers::path_completion;
use crate::ide::core::layers::picker;
use crate::ide::core::layers::row_actions;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit;
use crate::ide::editor::windows;
use crate::ide::features::project_search;
use crate::ide::features::sessions::events as sessions;
use crate::text::operations::edit::DeleteTarget;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("list.up", "Move up in list", &["previous row"], |cx| step(cx, -1)),
    command("list.down", "Move down in list", &["next row"], |cx| step(cx, 1)),
    command("list.page-up", "Move list page up", &[], |cx| step(cx, -10)),
    command("list.page-down", "Move list page down", &[], |cx| step(cx, 10)),
    command("list.top", "Go to first row", &["top of list"], |cx| step(cx, -FAR)),
    command("list.bottom", "Go to last row", &["end of list"], |cx| step(cx, FAR)),
    command("list.accept", "Accept selected row", &["choose", "confirm"], |cx| {
        cx.defer(|cx| match cx.state.layers.last().map(Layer::actions) {
            Some(actions) => (actions.accept)(cx),
            None if cx.state.panes.focus == Focus::SessionTree => sessions::go_to_selected(cx),
            None => {}
        });
    }),
    command("list.accept-right", "Open row in right window", &["split", "vertical split"], |cx| {
        accept_in_window(cx, true, "edit.paste-clipboard");
    }),
    command("list.accept-below", "Open row in window below", &["split", "horizontal split"], |cx| {
        accept_in_window(cx, false, "file.save");
    }),
    command("list.resume", "Show last list", &["reopen picker", "resume search"], last_picker::resume)
        .when(has_list),
    command("list.complete", "Complete path", &["autocomplete"], path_completion::complete),
    command("list.toggle", "Mark or unmark row", &["toggle selection", "multi-select"], |cx| {
        row_actions::toggle(cx, 1);
    }),
    command("list.toggle-up", "Mark row and move up", &["toggle selection"], |cx| {
        row_actions::toggle(cx, -1);
    }),
    command("list.show-results", "Show rows as results", &["quickfix list", "editable list"], show_results),
    command("list.remove", "Remove selected row", &["delete row", "drop stash", "revoke"], remove)
        .with_former_ids(&["prompt.delete-stash"]),
    command("list.reset", "Reset selected row", &["default value", "default key", "unset"], |cx| {
        if !row_actions::reset(cx) {
            cx.state.set_status("Nothing to reset in this list");
        }
    })
    .with_former_ids(&["settings.reset"]),
    command("list.test", "Test selected row", &["try provider", "check key"], |cx| {
        if !row_actions::test(cx) {
            cx.state.set_status("Nothing to test in this list");
        }
    }),
];

/// A list can be opened again.
fn has_list(state: &State) -> Result<(), Reason> {
    condition::require(state.last_picker.is_some(), Reason::new("No list to reopen"))
}

/// Maximum rows of a list that become results.
const LISTED_MAX: u32 = 10_000;

/// Opens the place in a file that the selected row stands for in a new window. In other lists the key does what it does
/// elsewhere.
fn accept_in_window(cx: &mut Cx<'_>, beside: bool, elsewhere: &'static str) {
    if !picker::has_place(cx.state) {
        return cx.defer_command(elsewhere);
    }
    if cx.state.buffers.current().is_some() && !windows::split(cx.state, beside) {
        return cx.state.set_status("No more windows can be opened");
    }
    picker::accept_selected(cx);
}

/// Shows the marked rows, or all that are listed, as a list of results, which can be edited.
fn show_results(cx: &mut Cx<'_>) {
    match last_picker::places(cx.state, LISTED_MAX) {
        None => cx.state.set_status("No list of places in files is open"),
        Some(places) if places.is_empty() => cx.state.set_status("No rows in files to list"),
        Some(places) => {
            if let Some(picker) = picker::close(cx) {
                let query = picker.query.text().to_string();
                let title = if query.is_empty() { picker.spec.title.to_lowercase() } else { query };
                drop(picker);
                project_search::places::show(cx, title, places);
            }
        }
    }
}

/// Removes what the selected row stands for. In a list whose rows stay, the key edits the query.
fn remove(cx: &mut Cx<'_>) {
    if cx.state.layers.is_empty() {
        return cx.state.set_status("Select a row of a list first");
    }
    if !row_actions::remove(cx) {
        edit::erase(cx, DeleteTarget::Grapheme);
    }
}

/// Further than any list is long.
const FAR: isize = isize::MAX / 4;

fn step(cx: &mut Cx<'_>, by: isize) {
    match cx.state.layers.last().map(Layer::actions) {
        Some(actions) => (actions.step)(cx, by),
        None if cx.state.panes.focus == Focus::Files => {
            cx.state.files.step(by);
            cx.state.damage.add(Part::Files);
        }
        None if cx.state.panes.focus == Focus::SessionTree => sessions::step(cx, by),
        None => {}
    }
    cx.state.damage.add(Part::Overlay);
}
