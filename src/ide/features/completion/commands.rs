//! Commands of the list of completions, that of the prompt and that of the editor.

use crate::ide::core::condition::{Reason, require};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{KeyContext, Lookup};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::completion::accept::accept;
use crate::ide::features::completion::request::{Place, request, show};
use crate::ide::features::completion::state::{COMPLETIONS, ROWS_SHOWN};
use crate::ide::features::completion::{rank, signature, update};
use crate::ide::features::language_servers::questions::has_server;
use crate::ide::features::prompt::completion as prompt;
use crate::lsp::client::completion::Trigger;
use crate::tui::input::{Key, KeyCode, Mods};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "completion.show",
        "Show completions",
        &["trigger suggest", "autocomplete", "intellisense"],
        |cx| {
            if let Some(place) = Place::of(cx.state) {
                request(cx, &place, Trigger::Invoked, true);
            }
        },
    )
    .when(has_text),
    command("lsp.signature", "Show signature", &["parameter hints", "signature help"], signature::show)
        .when(has_server),
    command("completion.accept", "Accept completion", &["complete"], |cx| {
        if is_in_editor(cx.state) {
            accept(cx);
        } else {
            prompt::accept(cx, false);
        }
    }),
    command("completion.accept-or-newline", "Accept completion or break line", &[], |cx| {
        accept_or_newline(cx, false);
    }),
    command("completion.accept-selected", "Accept selected completion", &[], |cx| {
        accept_or_newline(cx, true);
    }),
    command("completion.run", "Accept completion and send", &["complete"], |cx| prompt::accept(cx, true)),
    command("completion.next", "Select next completion", &[], |cx| step(cx, 1)),
    command("completion.previous", "Select previous completion", &[], |cx| step(cx, -1)),
    command("completion.page-down", "Select completion a page down", &[], |cx| step(cx, ROWS_SHOWN as isize)),
    command("completion.page-up", "Select completion a page up", &[], |cx| step(cx, -(ROWS_SHOWN as isize))),
    command("completion.close", "Close completions", &["hide suggestions"], |cx| {
        if is_in_editor(cx.state) {
            update::dismiss(cx);
            update::close(cx);
        } else {
            prompt::close_shown(cx);
        }
    }),
];

fn is_in_editor(state: &State) -> bool {
    state.key_context() == KeyContext::EditorCompletion
}

fn has_text(state: &State) -> Result<(), Reason> {
    let context = state.base_key_context();
    let is_text = !matches!(context, KeyContext::Results | KeyContext::NormalResults | KeyContext::Image);
    let is_there = state.panes.focus == Focus::Editor && state.buffers.current().is_some();
    require(is_text && is_there, Reason::new("Completions need an open file"))
}

fn step(cx: &mut Cx<'_>, by: isize) {
    if !is_in_editor(cx.state) {
        return prompt::step(cx, by);
    }
    let now = cx.now;
    if let Some(open) = &mut cx.state.slots[COMPLETIONS].open {
        // A page ends at the first and the last row.
        let last = open.matches.len().saturating_sub(1) as isize;
        let at = open.selected as isize;
        let by = if by.abs() > 1 { (at + by).clamp(0, last) - at } else { by };
        open.step(by, now);
    }
    cx.state.damage.add(Part::Completions);
    show(cx);
}

/// Accepts the selected completion, or breaks the line if none can be meant: nothing was typed of it, all of it was, or,
/// with `only_chosen`, it was not selected by the user.
fn accept_or_newline(cx: &mut Cx<'_>, only_chosen: bool) {
    let open = cx.state.slots[COMPLETIONS].open.as_ref();
    let is_meant = open.is_some_and(|open| {
        let row = open.selected_row();
        let adds = row.is_some_and(|row| row.item.text != rank::query(&open.before, open.back(row)));
        // What only has the letters somewhere would be a surprise.
        let begins = open.matches.get(open.selected).is_some_and(|found| found.score >= rank::Score::Begin);
        let is_typed = begins && adds && (!open.word.is_empty() || open.is_by_hand);
        open.is_chosen || !only_chosen && is_typed
    });
    if is_meant && accept(cx) {
        return;
    }
    update::close(cx);
    // With the list closed the key means what it means in the text.
    let key = Key::new(KeyCode::Enter, Mods::NONE);
    let usual = match cx.state.keymap.lookup(cx.state.key_context(), &[key]) {
        Lookup::Command(id) => cx.state.catalog.command(&id),
        _ => None,
    };
    cx.defer_command(usual.map_or("edit.newline", |command| command.id));
}
