//! Commands on all files of the workspace: search them, replace in them, go through what was
//! found, apply an edited list.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::Topic;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::editor::commands::search::seed_of;
use crate::ide::features::files::commands::ask;
use crate::ide::features::project_search;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("workspace.search", "Search all files; the list of lines can be edited and applied", |cx| {
        let first = seed_of(cx);
        ask(cx, Topic::WorkspaceSearch, &first);
    }),
    command("workspace.replace", "Replace in all files; the list shows what becomes of each line", |cx| {
        let first = seed_of(cx);
        ask(cx, Topic::WorkspaceReplace, &first);
    }),
    command("workspace.grep-picker", "Search all files while typing, and go to a line", |cx| {
        cx.effects.push(Effect::Picker("grep"));
    }),
    command("workspace.go", "Go to the place of this line of the list", |cx| {
        if let Some(list) = project_search::navigate::current(cx.state) {
            project_search::navigate::go(cx, list);
        }
    }),
    command("workspace.next", "Go to the next place of the list", |cx| {
        project_search::navigate::step(cx, true);
    }),
    command("workspace.previous", "Go to the previous place of the list", |cx| {
        project_search::navigate::step(cx, false);
    }),
    command("workspace.list", "Show the list of places", show),
    command("workspace.apply", "Change the files as the list was edited", |cx| {
        match project_search::navigate::current(cx.state) {
            Some(list) => project_search::apply::begin(cx, list),
            None => cx.state.say("there is no list: search the workspace first"),
        }
    }),
    command(
        "workspace.undo-apply",
        "Take the last change of many files back",
        project_search::apply::take_back,
    ),
];

fn show(cx: &mut Cx<'_>) {
    let Some(list) = project_search::navigate::current(cx.state) else {
        return cx.state.say("there is no list: search the workspace first");
    };
    cx.state.note_jump();
    cx.state.buffers.show(list);
    panes::focus(cx, Focus::Editor);
    cx.state.damage.all();
}
