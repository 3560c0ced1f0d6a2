//! Commands on all files of the workspace: search, replace, go through the results, apply an edited list.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::editor::commands::search::seed_of;
use crate::ide::features::project_search;
use crate::ide::model::results::Query;
use crate::text::search::Needle;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("workspace.search", "Find in files", &["search workspace", "project search", "grep"], |cx| {
        let first = seed_of(cx);
        let prompt = Prompt::new("Find in files", |cx, wanted| list(cx, wanted, None));
        prompt.initial(first).as_search().check(is_needle).open(cx);
    }),
    command("workspace.replace", "Replace in files", &["project replace", "find and replace"], |cx| {
        let first = seed_of(cx);
        let prompt = Prompt::new("Replace in files", |cx, wanted| {
            let by = Prompt::new("Replace with", move |cx, new| list(cx, wanted, Some(new)));
            by.as_search().open(cx);
        });
        prompt.initial(first).as_search().check(is_needle).open(cx);
    }),
    command(
        "workspace.grep-picker",
        "Search files while typing",
        &["search", "grep", "live grep", "global search"],
        |cx| {
            cx.defer_picker("grep");
        },
    ),
    command("workspace.go", "Go to search result", &["open result"], |cx| {
        if let Some(list) = project_search::navigate::current(cx.state) {
            project_search::navigate::go_to_location(cx, list);
        }
    })
    .when(has_results),
    command("workspace.next", "Go to next result", &["quickfix", "cnext"], |cx| {
        project_search::navigate::go_to_next(cx, true);
    })
    .when(has_results),
    command("workspace.previous", "Go to previous result", &["quickfix", "cprevious"], |cx| {
        project_search::navigate::go_to_next(cx, false);
    })
    .when(has_results),
    command("workspace.results", "Show search results", &["quickfix", "copen"], show)
        .when(has_results)
        .with_former_ids(&["workspace.list"]),
    command("workspace.apply", "Apply edited results", &["save replacements"], |cx| {
        match project_search::navigate::current(cx.state) {
            Some(list) => project_search::apply::begin(cx, list),
            None => cx.state.set_status("No search results: find in files first"),
        }
    })
    .when(has_results),
    command(
        "workspace.undo-apply",
        "Undo applied results",
        &["revert replacements", "undo rename", "undo code action"],
        project_search::apply::undo,
    )
    .when(has_applied),
];

/// Results were applied, and not undone.
fn has_applied(state: &State) -> Result<(), Reason> {
    let has_step = project_search::apply::has_applied(state);
    condition::require(has_step, Reason::new("No applied results to undo"))
}

/// There is a list of search results.
fn has_results(state: &State) -> Result<(), Reason> {
    let has_list = project_search::navigate::current(state).is_some();
    condition::require(has_list, Reason::new("No search results: find in files first"))
}

/// Checks that the input is a valid search pattern.
fn is_needle(cx: &mut Cx<'_>, typed: &str) -> Result<(), String> {
    match Needle::new(typed, cx.state.search.options) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err("Nothing typed".to_string()),
        Err(problem) => Err(problem.to_string()),
    }
}

/// Searches all files for a list.
fn list(cx: &mut Cx<'_>, pattern: String, replacement: Option<String>) {
    let options = cx.state.search.options;
    project_search::navigate::start(cx, Query { pattern, options, replacement });
}

fn show(cx: &mut Cx<'_>) {
    let Some(list) = project_search::navigate::current(cx.state) else {
        return cx.state.set_status("No search results: find in files first");
    };
    cx.state.note_jump();
    cx.state.buffers.show(list);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.add_all();
}
