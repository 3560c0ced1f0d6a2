//! Maps keys and pastes to commands and text. Must not know what a command does.

use crate::ide::core::context::{Command, Cx};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{KeyContext, Lookup};
use crate::ide::core::keys::modal::Mode;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::editor::commands::{change, edit, macros};
use crate::ide::editor::modal::{background, cursors, insert_mode, key_hooks};
use crate::ide::features::completion;
use crate::ide::features::key_hints;
use crate::ide::features::language_servers::{linked_editing, type_format};
use crate::ide::features::permissions;
use crate::ide::features::plugins;
use crate::ide::features::prompt::completion as prompt_completion;
use crate::ide::features::prompt::images;
use crate::ide::features::prompt::pastes;
use crate::ide::features::snippets;
use crate::ide::features::terminal;
use crate::ide::features::terminal::state::TERMINALS;
use crate::text::transaction::Grouping;
use crate::tui::input::{Key, KeyCode, KeyKind};

/// How long the keyboard must be silent before a dialog that opened by itself accepts keys, so that keys
/// typed before do not answer it.
pub const GUARD: std::time::Duration = std::time::Duration::from_millis(400);

/// Runs a command with what belongs to every command: chains of kills, and reactions of the query of a picker
/// or prompt.
pub fn run(cx: &mut Cx<'_>, command: &Command) {
    if let Err(reason) = command.check(cx.state) {
        let message = reason.message(cx.state);
        return cx.state.set_status(message);
    }
    if !command.keeps_kill_chain {
        cx.state.kill_ring.interrupt();
    }
    if command.id.starts_with("edit.") {
        cx.state.selecting = false;
    }
    // Undo, redo and repetition are not changes to be repeated.
    let changes = command.id.starts_with("edit.") && !NOT_REPEATED.contains(&command.id);
    cx.state.macros.note_command(command.id, changes);
    (command.run)(cx);
    notify_layer_change(cx);
}

/// Editing commands that are no change of their own.
const NOT_REPEATED: &[&str] = &[
    "edit.undo",
    "edit.redo",
    "edit.repeat",
    "edit.copy",
    "edit.yank-pop",
    "edit.pipe",
    "edit.insert-output",
];

/// Handles one key.
pub fn key(cx: &mut Cx<'_>, key: Key) {
    if key.kind == KeyKind::Release {
        return;
    }
    if key.kind == KeyKind::Repeat && permissions::held_key::is_holding(cx.state) {
        // The key is still down.
        return;
    }
    let key = key.pressed();
    // A key that continues a sequence is never an answer.
    let begins = cx.state.pending.is_empty();
    if begins && top_actions(cx).is_some_and(|actions| (actions.raw_key)(cx, key)) {
        return;
    }
    if key_hints::paging::key(cx.state, key) {
        return;
    }
    if background::hold_key(cx, key) {
        return;
    }
    key_hooks::before_key(cx, key);
    insert_mode::insert::carry_indent(cx, key, |cx| press(cx, key));
    key_hooks::after_key(cx, Some(key));
    // The status line shows pending keys, and every key begins, continues or ends a sequence.
    cx.state.damage.add(Part::Status);
}

/// Presses a typed key again, without beginning or ending anything.
pub fn retype_key(cx: &mut Cx<'_>, key: Key) {
    press(cx, key);
}

fn press(cx: &mut Cx<'_>, key: Key) {
    let caret = cx.state.prompt.area.selection.primary().head;
    let typing = type_format::before_key(cx.state);
    press_once(cx, key);
    cx.state.prompt.leave_pastes(caret);
    linked_editing::after_key(cx);
    type_format::after_key(cx, key, typing);
    // Replayed keys, too, must find the list of the text as it is.
    prompt_completion::update(cx);
    completion::update::update(cx);
}

/// Removes a message whose time has passed. For screen readers it stays until the next.
fn end_message(cx: &mut Cx<'_>) {
    if !cx.state.is_accessible() && cx.state.status.note_key() {
        cx.state.damage.add(Part::Toast);
    }
}

fn press_once(cx: &mut Cx<'_>, key: Key) {
    let fresh = cx.state.pending.is_empty() && cx.state.layers.is_empty() && cx.state.pending_char.is_none();
    let too_long = cx.state.macros.note_key(key, fresh);
    if cx.state.asks_for_key() {
        // The message says what the key is for.
        cx.state.set_status("");
    }
    end_message(cx);
    if too_long {
        cx.state.set_error("Macro too long: recording stopped");
    }
    if !std::mem::take(&mut cx.state.hints).is_empty() {
        cx.state.damage.add(Part::KeyHints);
    }
    if is_guarded(cx) {
        // Only silence ends the guard: while the user types on, the dialog is unseen.
        cx.state.guard_until = Some(cx.now + GUARD);
        if !cx.state.guard_swallows {
            return type_below_dialog(cx, |cx| press(cx, key));
        }
        // Escape and commands of the program cannot be meant as an answer.
        if key.typed().is_some() || key.code == crate::tui::input::KeyCode::Enter {
            return;
        }
    }
    if permissions::held_key::take(cx, key) {
        return;
    }
    if cx.state.pending.is_empty() && top_actions(cx).is_some_and(|actions| (actions.key)(cx, key)) {
        return;
    }
    if let Some(awaiting) = cx.state.pending_char.take() {
        return complete_pending_char(cx, awaiting, key);
    }
    let context = cx.state.key_context();
    let leaves_insert = context == KeyContext::EditorCompletion && cursors::is_modal_editor(cx.state);
    if key.code == KeyCode::Escape && (context == KeyContext::Snippet || leaves_insert) {
        snippets::commands::end_snippet(cx.state);
    }
    if key_hooks::take_digit(cx, key) {
        return;
    }
    if cx.state.key_context() == KeyContext::Terminal
        && std::mem::take(&mut cx.state.slots[TERMINALS].next_is_raw)
    {
        return terminal::input::key(cx, key);
    }
    cx.state.pending.push(key);
    match cx.state.keymap.lookup(cx.state.key_context(), &cx.state.pending) {
        Lookup::Command(id) => {
            cx.state.pending.clear();
            match cx.state.catalog.command(&id) {
                Some(command) => run(cx, command),
                None => plugins::run::run(cx, &id),
            }
        }
        Lookup::Pending(_) => {}
        Lookup::Unknown => on_unbound_key(cx, key),
    }
}

/// Gives a key to the command that waits for one more character.
fn complete_pending_char(cx: &mut Cx<'_>, awaiting: PendingChar, key: Key) {
    if let PendingChar::Modal(ask) = awaiting {
        return crate::ide::editor::modal::pending_char::on_char(cx, ask, key);
    }
    match key.typed() {
        Some(c) if awaiting == PendingChar::MacroCount => match c.to_digit(10) {
            Some(times @ 1..) => macros::replay(cx, times as usize),
            _ => cx.state.set_status("Canceled"),
        },
        Some(c) => change::on_pending_char(cx, awaiting, c),
        None => cx.state.set_status("Canceled"),
    }
    notify_layer_change(cx);
}

/// Handles a key without a binding: types a character, reports a broken sequence.
fn on_unbound_key(cx: &mut Cx<'_>, key: Key) {
    let broken = cx.state.pending.len() > 1;
    let keys = std::mem::take(&mut cx.state.pending);
    if !broken && cx.state.key_context() == KeyContext::Terminal {
        return terminal::input::key(cx, key);
    }
    if broken || !cursors::is_typing(cx.state) {
        cx.state.modal.reset_pending();
        // Escape cancels what was begun.
        if !(broken && key.code == KeyCode::Escape && key.mods.is_empty()) {
            cx.state.set_error(format!("No command: {}", key_names(&keys)));
        }
        return;
    }
    match key.typed() {
        Some(c) if cx.state.text_target().is_some() => {
            cx.state.kill_ring.interrupt();
            cx.state.selecting = false;
            if cursors::is_modal_editor(cx.state) && cx.state.modal.mode == Mode::Replace {
                return insert_mode::insert::overtype_char(cx, c.encode_utf8(&mut [0; 4]));
            }
            if completion::accept::accept_before(cx, c) {
                key_hooks::clamp_cursors(cx);
            }
            edit::type_char(cx, c);
            cx.state.macros.note_typed(c);
            completion::update::note_typed(cx.state, c);
            notify_layer_change(cx);
        }
        Some(_) => {}
        None => cx.state.set_status(format!("No command: {}. Shortcuts: F2", key_names(&keys))),
    }
}

fn key_names(keys: &[Key]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns whether a dialog opened by itself so recently that keys cannot be meant for it.
fn is_guarded(cx: &Cx<'_>) -> bool {
    let is_unsolicited = cx.state.layers.last().and_then(Layer::unsolicited_id).is_some();
    is_unsolicited && cx.state.guard_until.is_some_and(|until| until > cx.now)
}

/// Passes a key to the text that had the keys before the dialog opened. The dialog keeps waiting.
fn type_below_dialog(cx: &mut Cx<'_>, typed: impl FnOnce(&mut Cx<'_>)) {
    let question = cx.state.layers.pop();
    typed(cx);
    if let Some(question) = question {
        cx.state.layers.restore(question);
    }
    cx.state.damage.add_all();
}

/// Returns the key handlers of the topmost layer.
fn top_actions(cx: &Cx<'_>) -> Option<Actions> {
    cx.state.layers.last().map(Layer::actions)
}

/// Pasted text.
pub fn paste(cx: &mut Cx<'_>, text: &str) {
    permissions::held_key::type_held(cx);
    if is_guarded(cx) && !cx.state.guard_swallows {
        return type_below_dialog(cx, |cx| paste(cx, text));
    }
    if top_actions(cx).is_some_and(|actions| (actions.paste)(cx, text)) {
        return;
    }
    if cx.state.key_context() == KeyContext::Terminal {
        return terminal::input::paste(cx, text);
    }
    if cx.state.text_target().is_none() {
        return cx.state.set_status("No text to paste into here");
    }
    let is_for_prompt =
        cx.state.layers.is_empty() && matches!(cx.state.text_target(), Some((_, _, Part::Prompt)));
    if is_for_prompt && images::paste(cx, text) {
        return;
    }
    cx.state.kill_ring.interrupt();
    if cx.state.layers.is_empty() {
        let ending = cx.state.buffers.current().map(|b| b.area.document.format().ending.text());
        let in_prompt = matches!(cx.state.text_target(), Some((_, _, Part::Prompt)))
            .then(|| cx.state.prompt.area.selection.primary().start());
        let in_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
        match ending.filter(|ending| in_file && *ending != "\n") {
            Some(ending) => edit::insert(cx, &text.replace('\n', ending), Grouping::Separate),
            None => edit::insert(cx, text, Grouping::Separate),
        }
        if let Some(start) = in_prompt {
            pastes::fold(cx, start);
        }
    } else {
        // Overlays take a single line.
        let line = text.lines().next().unwrap_or_default().to_string();
        edit::insert(cx, &line, Grouping::Separate);
    }
    notify_layer_change(cx);
}

/// Reacts to text typed into a layer: filters its rows, or moves the cursor.
fn notify_layer_change(cx: &mut Cx<'_>) {
    if let Some(actions) = top_actions(cx) {
        (actions.on_change)(cx);
    }
}

/// Returns whether keys have begun something that more keys complete.
pub fn is_waiting(state: &State) -> bool {
    let operator =
        state.modal.operator.is_some() && state.pending_char.is_none() && cursors::is_modal_editor(state);
    !state.pending.is_empty() || operator
}

/// The hints for a sequence that the user hesitates to complete.
pub fn show_hints(state: &mut State) {
    if let Lookup::Pending(hints) = state.keymap.lookup(state.key_context(), &state.pending) {
        (state.hints, state.hints_page) = (hints, 0);
        state.damage.add(Part::KeyHints);
    }
}
