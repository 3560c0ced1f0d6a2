//! Encodes mouse events as xterm does. Must not know whether the user wants them reported.

use crate::ide::features::terminal::emulator::grid::{Modes, MouseReporting};
use crate::ide::features::terminal::emulator::keys::encode as encode_key;
use crate::tui::input::{Button, Key, KeyCode, Mods, MouseKind};

/// The last column and row that the old form of reports can encode.
const OLD_MAX: u16 = 222;
/// Rows per notch of the wheel, if sent as cursor keys.
const WHEEL_KEYS: usize = 3;

/// Returns the bytes of a mouse event at a column and row of the grid; empty if the program did not request
/// it.
pub fn encode(kind: MouseKind, (col, row): (u16, u16), keys: Mods, modes: Modes) -> Vec<u8> {
    let (needed, code, up) = match kind {
        MouseKind::Down(button) => (MouseReporting::Clicks, number(button), false),
        MouseKind::Up(button) => (MouseReporting::Clicks, number(button), true),
        MouseKind::Drag(button) => (MouseReporting::Drags, number(button) + 32, false),
        MouseKind::Moved => (MouseReporting::Moves, 35, false),
        MouseKind::ScrollUp => (MouseReporting::Clicks, 64, false),
        MouseKind::ScrollDown => (MouseReporting::Clicks, 65, false),
        MouseKind::ScrollLeft => (MouseReporting::Clicks, 66, false),
        MouseKind::ScrollRight => (MouseReporting::Clicks, 67, false),
    };
    if !reports(modes.mouse, needed) {
        return if modes.mouse == MouseReporting::Off { wheel_keys(kind, modes) } else { Vec::new() };
    }
    let held = [(Mods::SHIFT, 4), (Mods::ALT, 8), (Mods::CTRL, 16)];
    let held: u16 = held.into_iter().filter(|(key, _)| keys.contains(*key)).map(|(_, bit)| bit).sum();
    if modes.sgr_mouse {
        let end = if up { 'm' } else { 'M' };
        return format!("\x1b[<{};{};{}{end}", code + held, col + 1, row + 1).into_bytes();
    }
    if col > OLD_MAX || row > OLD_MAX {
        return Vec::new();
    }
    let code = if up { 3 } else { code } + held;
    [b"\x1b[M", &[code, col + 1, row + 1].map(|n| (n + 32) as u8)[..]].concat()
}

fn number(button: Button) -> u16 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
    }
}

fn reports(enabled: MouseReporting, needed: MouseReporting) -> bool {
    let rank = |reports| match reports {
        MouseReporting::Off => 0,
        MouseReporting::Clicks => 1,
        MouseReporting::Drags => 2,
        MouseReporting::Moves => 3,
    };
    rank(enabled) >= rank(needed)
}

/// Returns cursor keys for the wheel, for a full-screen program that does not request the mouse.
fn wheel_keys(kind: MouseKind, modes: Modes) -> Vec<u8> {
    let code = match kind {
        MouseKind::ScrollUp if modes.wheel_keys => KeyCode::Up,
        MouseKind::ScrollDown if modes.wheel_keys => KeyCode::Down,
        _ => return Vec::new(),
    };
    encode_key(Key::new(code, Mods::NONE), modes).repeat(WHEEL_KEYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kind: MouseKind, at: (u16, u16), mouse: MouseReporting, sgr_mouse: bool) -> Vec<u8> {
        encode(kind, at, Mods::CTRL, Modes { mouse, sgr_mouse, ..Modes::default() })
    }

    #[test]
    fn terminal_mouse_reports_only_enabled_events() {
        let (down, up) = (MouseKind::Down(Button::Left), MouseKind::Up(Button::Right));
        let (drag, moved) = (MouseKind::Drag(Button::Middle), MouseKind::Moved);
        assert_eq!(sent(down, (0, 4), MouseReporting::Clicks, true), b"\x1b[<16;1;5M");
        assert_eq!(sent(up, (299, 4), MouseReporting::Clicks, true), b"\x1b[<18;300;5m");
        assert_eq!(sent(drag, (1, 1), MouseReporting::Clicks, true), b"");
        assert_eq!(sent(drag, (1, 1), MouseReporting::Drags, true), b"\x1b[<49;2;2M");
        assert_eq!(sent(moved, (1, 1), MouseReporting::Drags, true), b"");
        assert_eq!(sent(moved, (1, 1), MouseReporting::Moves, true), b"\x1b[<51;2;2M");
        assert_eq!(sent(MouseKind::ScrollDown, (1, 1), MouseReporting::Clicks, true), b"\x1b[<81;2;2M");
        assert_eq!(sent(down, (0, 4), MouseReporting::Off, true), b"");
    }

    #[test]
    fn terminal_legacy_mouse_has_column_limit() {
        let down = MouseKind::Down(Button::Left);
        assert_eq!(sent(down, (0, 4), MouseReporting::Clicks, false), b"\x1b[M\x30\x21\x25");
        assert_eq!(
            sent(MouseKind::Up(Button::Left), (0, 4), MouseReporting::Clicks, false),
            b"\x1b[M\x33\x21\x25"
        );
        assert_eq!(sent(down, (222, 0), MouseReporting::Clicks, false), b"\x1b[M\x30\xff\x21");
        assert_eq!(sent(down, (223, 0), MouseReporting::Clicks, false), b"");
    }

    #[test]
    fn terminal_wheel_sends_arrows_without_mouse_mode() {
        let modes = Modes { wheel_keys: true, app_cursor: true, ..Modes::default() };
        assert_eq!(encode(MouseKind::ScrollUp, (0, 0), Mods::NONE, modes), b"\x1bOA\x1bOA\x1bOA");
        assert_eq!(encode(MouseKind::Down(Button::Left), (0, 0), Mods::NONE, modes), b"");
    }
}
