//! From keys and pastes to commands and text. Must not know what a command does.

use crate::ide::core::awaiting::Awaiting;
use crate::ide::core::context::{Command, Cx};
use crate::ide::core::damage::Part;
use crate::ide::core::keymap::BUILTIN;
use crate::ide::core::keymap::{Keymap, KeymapProblem, Lookup, Place};
use crate::ide::core::layers::dialog;
use crate::ide::core::overlay::{Answer, Overlay, Topic};
use crate::ide::core::state::State;
use crate::ide::editor::commands::{change, edit, macros, search};
use crate::ide::editor::modal::state::Mode;
use crate::ide::editor::modal::{background, cursors, flow, typing};
use crate::ide::features::history_search::events as past;
use crate::ide::features::login;
use crate::ide::features::plugins;
use crate::ide::features::project_search;
use crate::ide::features::snippets;
use crate::ide::features::{questions, restore, terminal};
use crate::ide::shell::answers;
use crate::ide::shell::commands::AREAS;
use crate::text::transaction::Grouping;
use crate::tui::input::{Key, KeyCode, KeyKind};

/// How long keys must have been silent before a question that came by itself takes them, so
/// that what was being typed does not answer it.
pub const GUARD: std::time::Duration = std::time::Duration::from_millis(400);

/// Reads a key map of the commands that there are; with what cannot be used in it, for the person.
pub fn read_keymap(origin: &str, text: &str) -> (Keymap, Vec<String>) {
    let (keymap, problems) = Keymap::or_default(text, |id| find(id).is_some() || plugins::run::is_id(id));
    let tell = |problem: KeymapProblem| format!("{origin}:{}: {}", problem.line, problem.message);
    (keymap, problems.into_iter().map(tell).collect())
}

/// Uses a key map that comes with bowline from now on.
pub fn use_keymap(cx: &mut Cx<'_>, name: &str) {
    let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) else { return };
    let (keymap, _) = read_keymap(name, text);
    cursors::ungroup(cx.state);
    cx.state.modal = crate::ide::editor::modal::state::Modal::new(keymap.modes());
    cx.state.keymap = keymap;
    for problem in plugins::run::bind(cx.state) {
        tracing::warn!("{problem}");
    }
    cx.state.pending.clear();
    cx.state.damage.all();
    cx.state.say(format!("keys of {name}; keymap = \"{name}\" in settings.toml keeps them"));
}

/// The command of an id.
pub fn find(id: &str) -> Option<&'static Command> {
    AREAS.iter().flat_map(|area| area.iter()).find(|command| command.id == id)
}

/// Runs a command and keeps what belongs to every command: chains of kills, what a query in a
/// picker or a question brings about.
pub fn run(cx: &mut Cx<'_>, command: &Command) {
    if !command.chains {
        cx.state.kill_ring.interrupt();
    }
    if command.id.starts_with("edit.") {
        cx.state.selecting = false;
    }
    // Taking a change back and doing one again are no changes to be done again.
    let changes = command.id.starts_with("edit.") && !NOT_REPEATED.contains(&command.id);
    cx.state.again.ran(command.id, changes);
    (command.run)(cx);
    follow_query(cx);
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

/// One key.
pub fn key(cx: &mut Cx<'_>, key: Key) {
    if key.kind == KeyKind::Release {
        return;
    }
    let key = key.pressed();
    if login::events::key(cx, key) {
        return;
    }
    if background::holds(cx, key) {
        return;
    }
    flow::before(cx, key);
    typing::insert::carry_indent(cx, key, |cx| press(cx, key));
    flow::after(cx, Some(key));
    // The last line tells what keys have begun, and every key begins, continues or ends something.
    cx.state.damage.add(Part::Status);
}

/// Presses a key of typing once more, which begins and ends nothing.
pub fn retyped(cx: &mut Cx<'_>, key: Key) {
    press(cx, key);
}

fn press(cx: &mut Cx<'_>, key: Key) {
    let fresh = cx.state.pending.is_empty() && cx.state.overlays.is_empty() && cx.state.awaiting.is_none();
    let too_long = cx.state.again.key(key, fresh);
    if !cx.state.status.message.is_empty() {
        cx.state.say("");
    }
    if too_long {
        cx.state.fail("the recording became too long and was ended");
    }
    cx.state.hints.clear();
    if guarded(cx) {
        // Only silence ends the guard: whoever types on has not seen the question.
        cx.state.guard_until = Some(cx.now + GUARD);
        if !cx.state.guard_swallows {
            return typed_below(cx, |cx| press(cx, key));
        }
        // Escape and commands of the program cannot be meant as an answer.
        if key.typed().is_some() || key.code == crate::tui::input::KeyCode::Enter {
            return;
        }
    }
    if dialog_key(cx, key) || questions::events::key(cx, key) || restore::events::key(cx, key) {
        return;
    }
    if let Some(awaiting) = cx.state.awaiting.take() {
        if let Awaiting::Modal(ask) = awaiting {
            return crate::ide::editor::modal::answers::answered(cx, ask, key);
        }
        match key.typed() {
            Some(c) if awaiting == Awaiting::MacroTimes => match c.to_digit(10) {
                Some(times @ 1..) => macros::replay(cx, times as usize),
                _ => cx.state.say("given up"),
            },
            Some(c) => change::awaited(cx, awaiting, c),
            None => cx.state.say("given up"),
        }
        return follow_query(cx);
    }
    if key.code == KeyCode::Escape && cx.state.place() == Place::Snippet {
        snippets::commands::leave(cx.state);
    }
    if flow::digit(cx, key) {
        return;
    }
    if cx.state.place() == Place::Terminal && std::mem::take(&mut cx.state.terminals.next_is_raw) {
        return terminal::input::key(cx, key);
    }
    cx.state.pending.push(key);
    match cx.state.keymap.lookup(cx.state.place(), &cx.state.pending) {
        Lookup::Command(id) => {
            cx.state.pending.clear();
            match find(&id) {
                Some(command) => run(cx, command),
                None => plugins::run::run(cx, &id),
            }
        }
        Lookup::Pending(_) => {}
        Lookup::Unknown => unknown(cx, key),
    }
}

/// A key that begins or continues nothing: a character is typed, a broken sequence is told.
fn unknown(cx: &mut Cx<'_>, key: Key) {
    let broken = cx.state.pending.len() > 1;
    let keys = std::mem::take(&mut cx.state.pending);
    if !broken && cx.state.place() == Place::Terminal {
        return terminal::input::key(cx, key);
    }
    if broken || !cursors::types(cx.state) {
        cx.state.modal.forget();
        cx.state.fail(format!("{} does nothing here", names(&keys)));
        return;
    }
    match key.typed() {
        Some(c) if cx.state.text_target().is_some() => {
            cx.state.kill_ring.interrupt();
            cx.state.selecting = false;
            if cursors::in_editor(cx.state) && cx.state.modal.mode == Mode::Replace {
                return typing::insert::over(cx, c.encode_utf8(&mut [0; 4]));
            }
            edit::typed(cx, c);
            cx.state.again.typed(c);
            follow_query(cx);
        }
        Some(_) => {}
        None => cx.state.say(format!("{} does nothing here; F2 shows the keys", names(&keys))),
    }
}

fn names(keys: &[Key]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Whether a question has come up by itself so recently that keys cannot be meant for it.
fn guarded(cx: &Cx<'_>) -> bool {
    let asked = cx.state.overlays.last().and_then(Overlay::uninvited).is_some();
    asked && cx.state.guard_until.is_some_and(|until| until > cx.now)
}

/// A key goes to what was being typed before the question came; the question waits on.
fn typed_below(cx: &mut Cx<'_>, typed: impl FnOnce(&mut Cx<'_>)) {
    let question = cx.state.overlays.pop();
    typed(cx);
    cx.state.overlays.extend(question);
    cx.state.damage.all();
}

/// Keys of a dialog are its answers.
fn dialog_key(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(Overlay::Dialog(dialog)) = cx.state.overlays.last() else { return false };
    let wanted = match key.typed() {
        Some(c) => c,
        None if key.code == crate::tui::input::KeyCode::Enter => '\n',
        None => {
            return scroll_dialog(cx, key);
        }
    };
    let answer =
        dialog.choices.iter().find(|choice| choice.key == wanted).map(|choice| choice.answer.clone());
    let allows = matches!(
        answer,
        Some(
            Answer::Allow(_)
                | Answer::AllowAlways(_)
                | Answer::AllowLike(_)
                | Answer::Propose(_)
                | Answer::Lasting(_)
                | Answer::LastingAnywhere(_)
                // What is changed and run was read before.
                | Answer::EditCall(_)
                | Answer::Trust(Some(true) | None)
        )
    );
    if allows && dialog.top < dialog::last_top(cx.state.size, dialog) {
        cx.state.say("there is more to read first: PageDown");
        return true;
    }
    if let Some(answer) = answer {
        cx.state.pop_overlay();
        answers::dialog(cx, &answer);
    }
    true
}

fn scroll_dialog(cx: &mut Cx<'_>, key: Key) -> bool {
    use crate::tui::input::KeyCode;
    let id = match key.code {
        KeyCode::Up => "list.up",
        KeyCode::Down => "list.down",
        KeyCode::PageUp => "list.page-up",
        KeyCode::PageDown => "list.page-down",
        _ => return false,
    };
    if let Some(command) = find(id) {
        run(cx, command);
    }
    true
}

/// Pasted text.
pub fn paste(cx: &mut Cx<'_>, text: &str) {
    if guarded(cx) && !cx.state.guard_swallows {
        return typed_below(cx, |cx| paste(cx, text));
    }
    if login::events::paste(cx, text) || questions::events::paste(cx, text) {
        return;
    }
    if cx.state.place() == Place::Terminal {
        return terminal::input::paste(cx, text);
    }
    if cx.state.text_target().is_none() {
        return cx.state.say("there is no text here to paste into");
    }
    cx.state.kill_ring.interrupt();
    let one_line = matches!(cx.state.overlays.last(), Some(Overlay::Picker(_) | Overlay::Question(_)));
    if one_line {
        let line = text.lines().next().unwrap_or_default().to_string();
        edit::insert(cx, &line, Grouping::Own);
    } else {
        let ending = cx.state.buffers.current().map(|b| b.area.document.format().ending.text());
        let in_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
        match ending.filter(|ending| in_file && *ending != "\n") {
            Some(ending) => edit::insert(cx, &text.replace('\n', ending), Grouping::Own),
            None => edit::insert(cx, text, Grouping::Own),
        }
    }
    follow_query(cx);
}

/// What is typed into a picker filters it; what is typed into a search moves the cursor.
pub fn follow_query(cx: &mut Cx<'_>) {
    match cx.state.overlays.last_mut() {
        Some(Overlay::Picker(picker)) if picker.live && picker.query_changed() => match picker.id {
            "session-search" => past::look(cx),
            _ => project_search::navigate::look(cx),
        },
        Some(Overlay::Picker(picker)) if picker.query_changed() => {
            picker.refilter();
            if picker.total() <= FILTERED_AT_ONCE {
                picker.tick(FILTER_WAIT_MS);
            }
            cx.state.damage.add(Part::Overlay);
        }
        Some(Overlay::Question(question)) if matches!(question.topic, Topic::Find(_)) => {
            let version = question.answer.document.version();
            if question.seen != version {
                question.seen = version;
                search::look(cx);
            }
        }
        _ => {}
    }
}

/// How long a key waits for the filter's first matches, in milliseconds; short lists are done
/// by then and show no stale frame.
const FILTER_WAIT_MS: u64 = 5;

/// Rows that are filtered before the key is shown. Of more rows the key is shown first, above the matches of the
/// query before, and the matcher is asked when the frame is sent.
const FILTERED_AT_ONCE: u32 = 2_000;

/// Whether keys have begun something that more keys complete.
pub fn waits(state: &State) -> bool {
    let operator = state.modal.operator.is_some() && state.awaiting.is_none() && cursors::in_editor(state);
    !state.pending.is_empty() || operator
}

/// The hints for a sequence that the person hesitates to complete.
pub fn show_hints(state: &mut State) {
    if let Lookup::Pending(hints) = state.keymap.lookup(state.place(), &state.pending) {
        state.hints = hints;
        state.damage.add(Part::Status);
    }
}
