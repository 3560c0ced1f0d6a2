//! Commands on all files of the workspace: search them, replace in them, go through what was
//! found, apply an edited list.

use super::command::{Command, Cx, command};
use super::file::ask;
use super::search::seed_of;
use super::view;
use crate::ide::effect::Effect;
use crate::ide::listing::{apply, places};
use crate::ide::state::overlay::Topic;
use crate::ide::state::panes::Focus;

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
        if let Some(list) = places::current(cx.state) {
            places::go(cx, list);
        }
    }),
    command("workspace.next", "Go to the next place of the list", |cx| places::step(cx, true)),
    command("workspace.previous", "Go to the previous place of the list", |cx| places::step(cx, false)),
    command("workspace.list", "Show the list of places", show),
    command("workspace.apply", "Change the files as the list was edited", |cx| {
        match places::current(cx.state) {
            Some(list) => apply::begin(cx, list),
            None => cx.state.say("there is no list: search the workspace first"),
        }
    }),
    command("workspace.undo-apply", "Take the last change of many files back", apply::take_back),
];

fn show(cx: &mut Cx<'_>) {
    let Some(list) = places::current(cx.state) else {
        return cx.state.say("there is no list: search the workspace first");
    };
    cx.state.note_jump();
    cx.state.buffers.show(list);
    view::focus(cx, Focus::Editor);
    cx.state.damage.all();
}
