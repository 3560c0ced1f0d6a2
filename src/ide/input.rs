//! From keys, mouse and pastes to commands and text. Must not know what a command does.

use super::answers;
use super::commands::command::{Command, Cx};
use super::commands::{AREAS, again, change, edit, search, view};
use super::keys::keymap::BUILTIN;
use super::keys::{Keymap, KeymapProblem, Lookup};
use super::modal::{self, cursors, flow, typing};
use super::overlays::dialog;
use super::panes::{editor, tabs};
use super::state::State;
use super::state::awaiting::Awaiting;
use super::state::damage::Part;
use super::state::modal::Mode;
use super::state::overlay::{Answer, Overlay, Topic};
use super::state::panes::Focus;
use super::update;
use crate::text::block::{Block, Corner};
use crate::text::columns;
use crate::text::motion;
use crate::text::position::{Byte, Column, Line};
use crate::text::select;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Grouping;
use crate::tui::input::{Button, Key, KeyKind, Mods, Mouse, MouseKind};

/// Lines that one notch of the wheel scrolls.
const WHEEL_LINES: isize = 3;

/// How long keys must have been silent before a question that came by itself takes them, so
/// that what was being typed does not answer it.
pub const GUARD: std::time::Duration = std::time::Duration::from_millis(400);

/// Reads a key map of the commands that there are; with what cannot be used in it, for the person.
pub fn read_keymap(origin: &str, text: &str) -> (Keymap, Vec<String>) {
    let (keymap, problems) = Keymap::or_default(text, |id| find(id).is_some());
    let tell = |problem: KeymapProblem| format!("{origin}:{}: {}", problem.line, problem.message);
    (keymap, problems.into_iter().map(tell).collect())
}

/// Uses a key map that comes with bowline from now on.
pub fn use_keymap(cx: &mut Cx<'_>, name: &str) {
    let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) else { return };
    let (keymap, _) = read_keymap(name, text);
    cursors::ungroup(cx.state);
    cx.state.modal = crate::ide::state::modal::Modal::new(keymap.modes());
    cx.state.keymap = keymap;
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
const NOT_REPEATED: &[&str] = &["edit.undo", "edit.redo", "edit.repeat", "edit.copy", "edit.yank-pop"];

/// One key.
pub fn key(cx: &mut Cx<'_>, key: Key) {
    if key.kind == KeyKind::Release {
        return;
    }
    let key = key.pressed();
    flow::before(cx, key);
    press(cx, key);
    flow::after(cx);
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
    if dialog_key(cx, key) {
        return;
    }
    if let Some(awaiting) = cx.state.awaiting.take() {
        if let Awaiting::Modal(ask) = awaiting {
            return modal::answers::answered(cx, ask, key);
        }
        match key.typed() {
            Some(c) if awaiting == Awaiting::MacroTimes => match c.to_digit(10) {
                Some(times @ 1..) => again::replay(cx, times as usize),
                _ => cx.state.say("given up"),
            },
            Some(c) => change::awaited(cx, awaiting, c),
            None => cx.state.say("given up"),
        }
        return follow_query(cx);
    }
    if flow::digit(cx, key) {
        return;
    }
    cx.state.pending.push(key);
    if !cx.state.hints.is_empty() {
        cx.state.hints.clear();
        cx.state.damage.add(Part::Status);
    }
    match cx.state.keymap.lookup(cx.state.place(), &cx.state.pending) {
        Lookup::Command(id) => {
            cx.state.pending.clear();
            if let Some(command) = find(&id) {
                run(cx, command);
            }
        }
        Lookup::Pending(_) => cx.state.damage.add(Part::Status),
        Lookup::Unknown => unknown(cx, key),
    }
}

/// A key that begins or continues nothing: a character is typed, a broken sequence is told.
fn unknown(cx: &mut Cx<'_>, key: Key) {
    let broken = cx.state.pending.len() > 1;
    let keys: Vec<String> = std::mem::take(&mut cx.state.pending).iter().map(ToString::to_string).collect();
    if broken || !cursors::types(cx.state) {
        cx.state.modal.forget();
        cx.state.fail(format!("{} does nothing here", keys.join(" ")));
        return;
    }
    match key.typed() {
        Some(c) if cx.state.text_target().is_some() => {
            cx.state.kill_ring.interrupt();
            cx.state.selecting = false;
            if cursors::in_editor(cx.state) && cx.state.modal.mode == Mode::Replace {
                return typing::over(cx, c.encode_utf8(&mut [0; 4]));
            }
            edit::typed(cx, c);
            cx.state.again.typed(c);
            follow_query(cx);
        }
        Some(_) => {}
        None => cx.state.say(format!("{} does nothing here; F2 shows the keys", keys.join(" "))),
    }
}

/// Whether a question has come up by itself so recently that keys cannot be meant for it.
fn guarded(cx: &Cx<'_>) -> bool {
    let asked = cx.state.overlays.last().is_some_and(|overlay| update::uninvited(overlay).is_some());
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
    let allows = matches!(answer, Some(Answer::Allow(_) | Answer::AllowAlways(_)));
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
fn follow_query(cx: &mut Cx<'_>) {
    match cx.state.overlays.last_mut() {
        Some(Overlay::Picker(picker)) if picker.query_changed() => {
            picker.refilter();
            picker.tick(FILTER_WAIT_MS);
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

/// The mouse.
pub fn mouse(cx: &mut Cx<'_>, mouse: Mouse) {
    if !cx.state.overlays.is_empty() {
        return overlay_mouse(cx, mouse);
    }
    let areas = cx.state.areas;
    let inside = |area: Option<ratatui::layout::Rect>| {
        area.filter(|a| a.contains(ratatui::layout::Position::new(mouse.col, mouse.row)))
    };
    let wheel = match mouse.kind {
        MouseKind::ScrollUp => -WHEEL_LINES,
        MouseKind::ScrollDown => WHEEL_LINES,
        _ => 0,
    };
    let pressed = mouse.kind == MouseKind::Down(Button::Left);
    if let Some(area) = inside(areas.editor) {
        let (x, y) = (mouse.col - area.x, mouse.row - area.y);
        editor_mouse(cx, mouse, x, y, wheel);
    } else if let Some(area) = inside(areas.tabs).filter(|_| pressed) {
        let places = tabs::places(cx.state, area.width);
        let x = mouse.col - area.x;
        if let Some((n, ..)) = places.iter().find(|(_, from, width)| (*from..from + width).contains(&x)) {
            let id = cx.state.buffers.all()[*n].id;
            cx.state.buffers.show(id);
            view::focus(cx, Focus::Editor);
        }
    } else if let Some(area) = inside(areas.files) {
        files_mouse(cx, pressed, mouse.row - area.y, wheel);
    } else if inside(areas.transcript).is_some() {
        if wheel != 0 {
            cx.state.scroll_transcript(wheel);
        } else if pressed {
            view::focus(cx, Focus::Agent);
        }
    } else if inside(areas.prompt).is_some() && pressed {
        view::focus(cx, Focus::Agent);
    }
}

fn overlay_mouse(cx: &mut Cx<'_>, mouse: Mouse) {
    let id = match mouse.kind {
        MouseKind::ScrollUp => "list.up",
        MouseKind::ScrollDown => "list.down",
        _ => return,
    };
    if let Some(command) = find(id) {
        run(cx, command);
    }
}

fn files_mouse(cx: &mut Cx<'_>, pressed: bool, y: u16, wheel: isize) {
    if wheel != 0 {
        cx.state.files.step(wheel);
        cx.state.damage.add(Part::Files);
    } else if pressed && y > 0 {
        let row = cx.state.files.top + usize::from(y) - 1;
        if row < cx.state.files.rows().len() {
            cx.state.files.selected = row;
            cx.state.damage.add(Part::Files);
            if let Some(command) = find("files.open") {
                run(cx, command);
            }
        }
    }
}

fn editor_mouse(cx: &mut Cx<'_>, mouse: Mouse, x: u16, y: u16, wheel: isize) {
    let (kind, alt) = (mouse.kind, mouse.mods.contains(Mods::ALT));
    let tab_width = cx.state.show.tab_width;
    let cols = cx.state.areas.editor.map_or(0, |area| area.width);
    let show = cx.state.show;
    if kind == MouseKind::Down(Button::Left) && cx.state.panes.focus != Focus::Editor {
        view::focus(cx, Focus::Editor);
    }
    let (now, last) = (cx.now, cx.state.last_click);
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    if wheel != 0 {
        buffer.scroll_by(wheel);
        cx.state.free_scroll = true;
        cx.state.damage.add(Part::Editor);
        return;
    }
    let text = buffer.area.text();
    let line = Line((buffer.top.0 + usize::from(y)).min(text.last_line().0));
    let column = usize::from(x.saturating_sub(editor::gutter_width(buffer, show, cols))) + buffer.left.0;
    let at = columns::at_column(text, line, Column(column), tab_width);
    let corner = Corner { line, column: Column(column) };
    match kind {
        MouseKind::Down(Button::Left) if alt => {
            let toggled = select::toggle_cursor(&buffer.area.selection, at);
            buffer.area.select(toggled);
            buffer.area.block = Some(Block { anchor: corner, head: corner });
            cx.state.last_click = None;
        }
        MouseKind::Drag(Button::Left) if alt && buffer.area.block.is_some() => {
            let block = buffer
                .area
                .block
                .map_or(Block { anchor: corner, head: corner }, |block| Block { head: corner, ..block });
            let selection = block.selection(buffer.area.text(), tab_width);
            buffer.area.select(selection);
            buffer.area.block = Some(block);
        }
        MouseKind::Down(Button::Left) => {
            let clicks = match last {
                Some((before, place, n)) if place == at && now.saturating_sub(before) <= MULTI_CLICK => {
                    n % 3 + 1
                }
                _ => 1,
            };
            let range = clicked(text, at, line, clicks);
            buffer.area.selection = Selection::single(range);
            buffer.area.document.seal();
            cx.state.last_click = Some((now, at, clicks));
        }
        MouseKind::Drag(Button::Left) => {
            let anchor = buffer.area.selection.primary().anchor;
            buffer.area.selection = Selection::single(Range::new(anchor, at));
        }
        _ => return,
    }
    cx.state.kill_ring.interrupt();
    cx.state.damage.add(Part::Editor);
}

/// Clicks at one place within this time are a double or triple click.
const MULTI_CLICK: std::time::Duration = std::time::Duration::from_millis(400);

/// What one, two or three clicks select.
fn clicked(text: &crate::text::rope::Text, at: Byte, line: Line, clicks: u8) -> Range {
    match clicks {
        2 => motion::word_around(text, at),
        3 => Range::new(text.line_start(line), text.line_start(Line(line.0 + 1))),
        _ => Range::cursor(at),
    }
}

/// The hints for a sequence that the person hesitates to complete.
pub fn show_hints(state: &mut State) {
    if let Lookup::Pending(hints) = state.keymap.lookup(state.place(), &state.pending) {
        state.hints = hints;
        state.damage.add(Part::Status);
    }
}
