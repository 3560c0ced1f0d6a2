//! Repetition: the last change, and keys recorded in a register.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::editor::commands::registers;
use crate::ide::editor::modal::replay;
use crate::ide::editor::modal::{cursors, visual};
use crate::text::clipboard::content::Content;
use crate::tui::input::{Key, KeyCode, Mods};

/// Requests to repeat the last change. A new count replaces its own, except for a change of a selection.
pub fn repeat(cx: &mut Cx<'_>) {
    let count = cx.state.modal.count.take();
    let Some(dot) = &mut cx.state.modal.last_change else { return cx.state.set_status("No changes yet") };
    if dot.extent.is_none() {
        dot.count = count.or(dot.count);
    }
    // Each repetition of a paste from a numbered register uses the next older one.
    if let [first, second, ..] = dot.keys.as_mut_slice()
        && first.typed() == Some('"')
        && let Some(digit @ '1'..='8') = second.typed()
    {
        *second = Key::char((digit as u8 + 1) as char);
    }
    let keys = begin(cx);
    cx.defer(move |cx| {
        replay::keys(cx, &keys);
        end(cx.state);
    });
}

/// Begins a repetition: everything until [`end`] is one step. Returns the keys to press.
fn begin(cx: &mut Cx<'_>) -> Vec<Key> {
    let Some(dot) = cx.state.modal.last_change.clone() else { return Vec::new() };
    cx.state.modal.repeating = true;
    cursors::begin_undo_group(cx.state);
    cx.state.modal.count = dot.count;
    if let Some(reach) = dot.extent {
        visual::select_extent(cx, reach);
    }
    dot.keys
}

/// Ends a repetition.
fn end(state: &mut State) {
    state.modal.repeating = false;
    state.modal.changed = false;
    state.modal.failed = false;
    state.modal.keys.clear();
    cursors::end_undo_group(state);
}

/// Starts to record keys into a register.
pub fn start_recording(cx: &mut Cx<'_>, name: char) {
    if !name.is_ascii_alphanumeric() && name != '"' {
        return cx.state.set_error(format!("Cannot record into register {name}"));
    }
    cx.state.modal.recording = Some((name, Vec::new()));
    cx.state.set_status(format!("Recording into register {name}"));
    cx.state.damage.add(Part::Status);
}

/// Ends the recording, without the keys that ended it.
pub fn stop_recording(cx: &mut Cx<'_>) {
    let Some((name, mut keys)) = cx.state.modal.recording.take() else { return };
    keys.pop();
    let text: String = keys.iter().map(key_text).collect();
    if name.is_ascii_uppercase() {
        let old = cx.state.registers.read(&cx.state.kill_ring, name).map(|c| c.joined()).unwrap_or_default();
        cx.state.registers.set(name.to_ascii_lowercase(), Content::chars(old + &text));
    } else {
        cx.state.registers.set(name, Content::chars(text));
    }
    cx.state.set_status(format!("Recorded {} keys into register {name}", keys.len()));
}

/// Presses the keys of a register; `@` is the previous one.
pub fn play_macro(cx: &mut Cx<'_>, name: char) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let name = if name == '@' { cx.state.modal.last_macro } else { Some(name) };
    let Some(name) = name else { return cx.state.set_status("No macro replayed yet") };
    let text = match name {
        ':' => cx.state.modal.line_history.last().map(|line| format!(":{line}\r")),
        name => registers::read(cx, name).map(|content| content.joined()),
    };
    let Some(text) = text else { return cx.state.set_status(format!("Register is empty: {name}")) };
    cx.state.modal.last_macro = Some(name);
    cx.state.modal.failed = false;
    // The replay is one step.
    cursors::hold_undo_group(cx.state);
    let keys = parse_keys(&text).repeat(count.min(10_000));
    cx.defer(move |cx| {
        replay::keys(cx, &keys);
        cursors::release_undo_group(cx.state);
    });
}

/// Returns a key as written in a register: its character, or its name in angle brackets.
fn key_text(key: &Key) -> String {
    match (key.code, key.typed()) {
        (_, Some('<')) => "<lt>".to_string(),
        (KeyCode::Escape, _) if key.mods.is_empty() => "\u{1b}".to_string(),
        (KeyCode::Enter, _) if key.mods.is_empty() => "\r".to_string(),
        (KeyCode::Char(c @ 'a'..='z'), _) if key.mods == Mods::CTRL && !"hijm".contains(c) => {
            char::from(c as u8 - b'`').to_string()
        }
        (_, Some(c)) => c.to_string(),
        _ => format!("<{key}>"),
    }
}

/// Parses the keys of a register's text. Control characters are the keys that send them.
pub fn parse_keys(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|tail| tail.split_once('>'));
        let key = named.and_then(|(name, tail)| {
            let name = match name {
                "lt" => return Some((Key::char('<'), tail)),
                "Esc" => "Escape",
                "CR" => "Enter",
                "BS" => "Backspace",
                name => name,
            };
            let typed = name.chars().count() == 1;
            (!typed).then(|| name.parse().ok().map(|key| (key, tail))).flatten()
        });
        if let Some((key, tail)) = key {
            keys.push(key);
            rest = tail;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        keys.push(match c {
            '\n' | '\r' => Key::new(KeyCode::Enter, Mods::NONE),
            '\t' => Key::new(KeyCode::Tab, Mods::NONE),
            '\u{1b}' => Key::new(KeyCode::Escape, Mods::NONE),
            '\u{1}'..='\u{1a}' => Key::new(KeyCode::Char((c as u8 + b'`') as char), Mods::CTRL),
            c => Key::char(c),
        });
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_keys_roundtrip_as_text() {
        for keys in ["d w", "i < a > Escape", "Ctrl-a Enter Left", "F5 Alt-x é"] {
            let keys: Vec<Key> = keys.split(' ').map(|key| key.parse().unwrap()).collect();
            let text: String = keys.iter().map(key_text).collect();
            assert_eq!(parse_keys(&text), keys, "{text}");
        }
        let typed: Vec<String> = parse_keys("a<b>\u{1b}\u{1}\n").iter().map(ToString::to_string).collect();
        assert_eq!(typed, ["a", "<", "b", ">", "Escape", "Ctrl-a", "Enter"]);
    }
}
